"""Sets: each row along the last axis of a tensor, or of a sparse tensor, is one."""

from ._src.sparse.sets import difference, intersection, size, union

__all__ = [
    "difference",
    "intersection",
    "size",
    "union",
]
