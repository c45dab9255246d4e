"""Linear algebra: products, norms, diagonals and bands of matrices."""

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
