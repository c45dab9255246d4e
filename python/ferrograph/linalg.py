"""Linear algebra: products, norms, diagonals and bands of matrices."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.ops.bands import (
    banded_triangular_solve,
    eigh_tridiagonal,
    tridiagonal_matmul,
    tridiagonal_solve,
)
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
    logm,
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
    sqrtm,
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

if TYPE_CHECKING:
    from ._src.operators.algebra import (
        LinearOperatorAdjoint,
        LinearOperatorComposition,
        LinearOperatorInversion,
    )
    from ._src.operators.base import LinearOperator
    from ._src.operators.blocks import (
        LinearOperatorBlockDiag,
        LinearOperatorBlockLowerTriangular,
        LinearOperatorKronecker,
    )
    from ._src.operators.circulant import (
        LinearOperatorCirculant,
        LinearOperatorCirculant2D,
        LinearOperatorCirculant3D,
    )
    from ._src.operators.dense import LinearOperatorFullMatrix, LinearOperatorLowerTriangular
    from ._src.operators.diagonal import (
        LinearOperatorDiag,
        LinearOperatorIdentity,
        LinearOperatorScaledIdentity,
        LinearOperatorZeros,
    )
    from ._src.operators.structured import (
        LinearOperatorHouseholder,
        LinearOperatorLowRankUpdate,
        LinearOperatorPermutation,
        LinearOperatorToeplitz,
        LinearOperatorTridiag,
    )

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowerTriangular",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
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
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]

if not TYPE_CHECKING:
    _LAZY = {
        "LinearOperator": "operators.base:LinearOperator",
        "LinearOperatorAdjoint": "operators.algebra:LinearOperatorAdjoint",
        "LinearOperatorBlockDiag": "operators.blocks:LinearOperatorBlockDiag",
        "LinearOperatorBlockLowerTriangular": "operators.blocks:LinearOperatorBlockLowerTriangular",
        "LinearOperatorCirculant": "operators.circulant:LinearOperatorCirculant",
        "LinearOperatorCirculant2D": "operators.circulant:LinearOperatorCirculant2D",
        "LinearOperatorCirculant3D": "operators.circulant:LinearOperatorCirculant3D",
        "LinearOperatorComposition": "operators.algebra:LinearOperatorComposition",
        "LinearOperatorDiag": "operators.diagonal:LinearOperatorDiag",
        "LinearOperatorFullMatrix": "operators.dense:LinearOperatorFullMatrix",
        "LinearOperatorHouseholder": "operators.structured:LinearOperatorHouseholder",
        "LinearOperatorIdentity": "operators.diagonal:LinearOperatorIdentity",
        "LinearOperatorInversion": "operators.algebra:LinearOperatorInversion",
        "LinearOperatorKronecker": "operators.blocks:LinearOperatorKronecker",
        "LinearOperatorLowRankUpdate": "operators.structured:LinearOperatorLowRankUpdate",
        "LinearOperatorLowerTriangular": "operators.dense:LinearOperatorLowerTriangular",
        "LinearOperatorPermutation": "operators.structured:LinearOperatorPermutation",
        "LinearOperatorScaledIdentity": "operators.diagonal:LinearOperatorScaledIdentity",
        "LinearOperatorToeplitz": "operators.structured:LinearOperatorToeplitz",
        "LinearOperatorTridiag": "operators.structured:LinearOperatorTridiag",
        "LinearOperatorZeros": "operators.diagonal:LinearOperatorZeros",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
