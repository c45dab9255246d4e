"""Sparse tensors: the elements that are not zero, and their coordinates."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.sparse.arithmetic import (
    add,
    map_values,
    maximum,
    minimum,
    reduce_max,
    reduce_sum,
    segment_mean,
    segment_sqrt_n,
    segment_sum,
    softmax,
    sparse_dense_matmul,
)
from ._src.sparse.build import (
    concat,
    expand_dims,
    eye,
    fill_empty_rows,
    from_dense,
    reorder,
    reset_shape,
    reshape,
    retain,
    slice,
    split,
    to_dense,
    to_indicator,
    transpose,
)
from ._src.sparse.counts import bincount
from ._src.sparse.sampled import sampled_addmm
from ._src.sparse.tensor import SparseTensor
from ._src import door as _door

if TYPE_CHECKING:
    from ._src.interfaces.patches_and_orders import mask
    from ._src.ragged.cross import sparse_cross as cross
    from ._src.ragged.cross import sparse_cross_hashed as cross_hashed

__all__ = [
    "SparseTensor",
    "add",
    "bincount",
    "concat",
    "cross",
    "cross_hashed",
    "expand_dims",
    "eye",
    "fill_empty_rows",
    "from_dense",
    "map_values",
    "mask",
    "maximum",
    "minimum",
    "reduce_max",
    "reduce_sum",
    "reorder",
    "reset_shape",
    "reshape",
    "retain",
    "sampled_addmm",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
    "slice",
    "softmax",
    "sparse_dense_matmul",
    "split",
    "to_dense",
    "to_indicator",
    "transpose",
]

if not TYPE_CHECKING:
    _LAZY = {
        "cross": "ragged.cross:sparse_cross",
        "cross_hashed": "ragged.cross:sparse_cross_hashed",
        "mask": "interfaces.patches_and_orders:mask",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
