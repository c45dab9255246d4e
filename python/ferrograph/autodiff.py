"""Derivatives: tapes and forward mode."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.autodiff.forward import ForwardAccumulator
from ._src.autodiff.tape import GradientTape
from ._src import door as _door

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
