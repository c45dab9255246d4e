"""Checks of gradients against finite differences."""

from ._src.autodiff.finite_differences import compute_gradient

__all__ = [
    "compute_gradient",
]
