"""Smaller parts of the public interface, which programs use now and then."""
