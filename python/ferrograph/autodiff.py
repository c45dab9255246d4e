"""Derivatives: forward mode."""

from ._src.autodiff.forward import ForwardAccumulator

__all__ = [
    "ForwardAccumulator",
]
