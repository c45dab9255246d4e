"""Dropout with seeds or with given random numbers."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.ops.dropouts import general_dropout, stateless_dropout
from .._src import door as _door

__all__ = [
    "general_dropout",
    "stateless_dropout",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
