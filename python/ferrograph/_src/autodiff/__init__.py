"""Derivatives: tapes, forward mode, gradients of the program's own."""
