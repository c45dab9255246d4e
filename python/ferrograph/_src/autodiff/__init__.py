"""Derivatives: tapes, forward mode, custom gradients."""
