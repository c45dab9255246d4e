"""Smaller parts of the public interface."""
