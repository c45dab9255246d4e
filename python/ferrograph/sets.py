"""Sets: each row along the last axis of a tensor, or of a sparse tensor, is one."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.sparse.sets import difference, intersection, size, union
from ._src import door as _door

__all__ = [
    "difference",
    "intersection",
    "size",
    "union",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
