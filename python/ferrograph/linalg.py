"""Linear algebra: products, norms, diagonals and bands of matrices."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from typing import TYPE_CHECKING

from ._src.ops.creation import eye
from ._src.ops.factorisations import (
    cholesky,
    cholesky_solve,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    expm,
    inv,
    logdet,
    lstsq,
    lu,
    lu_matrix_inverse,
    lu_reconstruct,
    lu_solve,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    triangular_solve,
)
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
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
