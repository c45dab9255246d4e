"""Linear algebra: products, norms, diagonals and bands of matrices."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from typing import TYPE_CHECKING

from ._src.ops.creation import eye
from ._src.ops.matrices import (
    adjoint,
    band_part,
    cross,
    diag,
    diag_part,
    matrix_transpose,
    norm,
    normalize,
    set_diag,
    tensor_diag,
    tensor_diag_part,
    trace,
)
from ._src.ops.numeric import global_norm, l2_normalize
from ._src.ops.products import einsum, matmul, matvec, tensordot
from ._src import door as _door

__all__ = [
    "adjoint",
    "band_part",
    "cross",
    "diag",
    "diag_part",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
