"""Factorisations of matrices. What leaves signs open is compared by absolute values."""

import numpy as np
from table import Vary, row

FIELD = ("float64", "float32", "complex64", "complex128")
X, Y = Vary(3, 3), Vary(3, 2, seed=1)
FORMS = {"batch": [Vary(2, 3, 3)], "one": [Vary(1, 1)], "none": [Vary(0, 2, 2)]}
PAIRS = {
    "batch": [Vary(2, 3, 3), Vary(2, 3, 1, seed=1)],
    "no columns": [X, Vary(3, 0)],
}


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def positive(x):
    """Positive definite matrices out of any."""
    return x @ adjoint(x) + 2.0 * np.eye(x.shape[-1])


def regular(x):
    """Matrices far from singular."""
    return x + 5.0 * np.eye(x.shape[-1])


def identity(fg, x):
    return fg.linalg.band_part(fg.ones_like(x), 0, 0)


def fg_positive(fg, x):
    return fg.matmul(x, x, adjoint_b=True) + 2.0 * identity(fg, x)


def fg_regular(fg, x):
    return x + 5.0 * identity(fg, x)


def of_matrix(op, call, expect, made=fg_regular, like=regular, grad=(0,), **fields):
    fields.setdefault("forms", FORMS)
    row(
        op,
        lambda fg, x: call(fg, made(fg, x)),
        [fields.pop("x", X)],
        lambda x: expect(like(x)),
        grad,
        dtypes=FIELD,
        tol=fields.pop("tol", 20),
        **fields,
    )


of_matrix(
    "Cholesky",
    lambda fg, a: fg.linalg.cholesky(a),
    np.linalg.cholesky,
    fg_positive,
    positive,
)


def solved(a, y):
    """The solutions for stacks of matrices; before NumPy 2.0 a `y` of one axis less is vectors."""
    return np.linalg.solve(a, y.reshape((1,) * (a.ndim - y.ndim) + y.shape))


for flipped in (False, True):
    of_matrix(
        "MatrixInverse",
        lambda fg, a, f=flipped: fg.linalg.inv(a, adjoint=f),
        lambda a, f=flipped: np.linalg.inv(adjoint(a) if f else a),
    )
    row(
        "MatrixSolve",
        lambda fg, x, y, f=flipped: fg.linalg.solve(fg_regular(fg, x), y, adjoint=f),
        [X, Y],
        lambda x, y, f=flipped: solved(adjoint(regular(x)) if f else regular(x), y),
        (0, 1),
        dtypes=FIELD,
        tol=20,
        forms=PAIRS,
    )
    for lower in (True, False):
        row(
            "MatrixTriangularSolve",
            lambda fg, x, y, low=lower, f=flipped: fg.linalg.triangular_solve(
                fg_regular(fg, x), y, lower=low, adjoint=f
            ),
            [X, Y],
            lambda x, y, low=lower, f=flipped: solved(
                adjoint(half(x, low)) if f else half(x, low), y
            ),
            (0, 1),
            dtypes=FIELD,
            tol=20,
            forms={**PAIRS, "broadcast": [Vary(2, 1, 3, 3), Vary(4, 3, 2, seed=1)]},
        )


def half(x, lower):
    return np.tril(regular(x)) if lower else np.triu(regular(x))


of_matrix("MatrixDeterminant", lambda fg, a: fg.linalg.det(a), np.linalg.det)
of_matrix(
    "LogMatrixDeterminant",
    lambda fg, a: tuple(fg.linalg.slogdet(a)),
    lambda a: tuple(np.linalg.slogdet(a)),
    out=("T", "T"),
    grad=None,
)
of_matrix(
    "LogMatrixDeterminant",
    lambda fg, a: fg.linalg.slogdet(a).log_abs_determinant,
    lambda a: np.linalg.slogdet(a)[1],
    about="size",
)
of_matrix(
    "Lu",
    lambda fg, a: fg.linalg.lu_reconstruct(*fg.linalg.lu(a)),
    lambda a: a,
)
of_matrix(
    "Lu",
    lambda fg, a: fg.linalg.lu(a)[0],
    lambda a: packed(a),
    about="packed",
)


def packed(a):
    """``L`` and ``U`` of one matrix after another, none of which exchanges rows."""
    out = np.array(a)
    for k in range(a.shape[-1]):
        out[..., k + 1 :, k] /= out[..., k, None, k]
        out[..., k + 1 :, k + 1 :] -= out[..., k + 1 :, k, None] * out[..., k, None, k + 1 :]
    return out


for shape in ((3, 3), (4, 2), (2, 4)):
    of_matrix(
        "Qr",
        lambda fg, a: fg.matmul(*fg.linalg.qr(a)),
        lambda a: a,
        lambda fg, x: x,
        lambda x: x,
        x=Vary(*shape),
        about=f"product {shape}",
    )
    of_matrix(
        "Qr",
        lambda fg, a: tuple(fg.abs(part) for part in fg.linalg.qr(a)),
        lambda a: tuple(np.abs(part) for part in np.linalg.qr(a)),
        lambda fg, x: x,
        lambda x: x,
        x=Vary(*shape),
        out=(lambda t: t.replace("complex64", "float32").replace("complex128", "float64"),) * 2,
        forms={"batch": [Vary(2, *shape)], "none": [Vary(0, *shape)]},
        about=f"sizes {shape}",
    )
    of_matrix(
        "Svd",
        lambda fg, a: fg.linalg.svd(a, compute_uv=False),
        lambda a: np.linalg.svd(a, compute_uv=False),
        lambda fg, x: x,
        lambda x: x,
        x=Vary(*shape),
        out=lambda t: t.replace("complex64", "float32").replace("complex128", "float64"),
        forms={"batch": [Vary(2, *shape)], "none": [Vary(0, *shape)]},
        about=f"values {shape}",
    )
    of_matrix(
        "Svd",
        lambda fg, a: tuple(fg.abs(part) for part in fg.linalg.svd(a)),
        lambda a: svd_sizes(a),
        lambda fg, x: x,
        lambda x: x,
        x=Vary(*shape),
        out=(lambda t: t.replace("complex64", "float32").replace("complex128", "float64"),) * 3,
        forms={"batch": [Vary(2, *shape)], "none": [Vary(0, *shape)]},
        about=f"vectors {shape}",
    )


def svd_sizes(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.abs(s), np.abs(u), np.abs(adjoint(vh))


of_matrix(
    "SelfAdjointEigV2",
    lambda fg, a: fg.linalg.eigvalsh(a),
    np.linalg.eigvalsh,
    fg_positive,
    positive,
    about="values",
)
of_matrix(
    "SelfAdjointEigV2",
    lambda fg, a: tuple(fg.abs(part) for part in fg.linalg.eigh(a)),
    lambda a: tuple(np.abs(part) for part in np.linalg.eigh(a)),
    fg_positive,
    positive,
    out=(lambda t: t.replace("complex64", "float32").replace("complex128", "float64"),) * 2,
)


def weighted_rows(size, total, values, vectors):
    """For each row the sum of its sizes, weighted by those of the values: whatever their order."""
    return total(size(vectors) * size(values)[..., None, :], -1)


of_matrix(
    "Eig",
    lambda fg, a: fg.sort(fg.abs(fg.linalg.eigvals(a))),
    lambda a: np.sort(np.abs(np.linalg.eigvals(a)), -1),
    fg_positive,
    positive,
    out=lambda t: t.replace("complex64", "float32").replace("complex128", "float64"),
    about="values",
)
of_matrix(
    "Eig",
    lambda fg, a: weighted_rows(fg.abs, fg.reduce_sum, *fg.linalg.eig(a)),
    lambda a: weighted_rows(np.abs, np.sum, *np.linalg.eigh(a)),
    fg_positive,
    positive,
    out=lambda t: t.replace("complex64", "float32").replace("complex128", "float64"),
    about="vectors",
)
of_matrix(
    "MatrixExponential",
    lambda fg, a: fg.linalg.expm(a),
    lambda a: exponential(a),
    lambda fg, x: x,
    lambda x: x,
)


def exponential(a):
    """By the series, of the matrix made small and the sum squared again."""
    a, term = a / 64.0, np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    total = term
    for k in range(1, 20):
        term = term @ a / k
        total = total + term
    for _ in range(6):
        total = total @ total
    return total


def by_values(function, a):
    """A function of matrices that have as many eigenvectors as rows."""
    values, vectors = np.linalg.eig(a)
    values = function(values.astype(complex))
    found = (vectors * values[..., None, :]) @ np.linalg.inv(vectors)
    return found if np.iscomplexobj(a) else found.real


of_matrix("MatrixSquareRoot", lambda fg, a: fg.linalg.sqrtm(a), lambda a: by_values(np.sqrt, a))
row(
    "MatrixLogarithm",
    lambda fg, x: fg.linalg.logm(fg_regular(fg, x)),
    [X],
    lambda x: by_values(np.log, regular(x)),
    (0,),
    dtypes=("complex128", "complex64"),
    tol=20,
    forms=FORMS,
)


def whole(bands, upper, flipped=False):
    """The matrices of diagonals whose elements stand at the places of their rows."""
    count, n = bands.shape[-2:]
    full = np.zeros((*bands.shape[:-2], n, n), bands.dtype)
    for d in range(count):
        for i in range(n):
            if 0 <= i + upper - d < n:
                full[..., i, i + upper - d] = bands[..., d, i]
    return adjoint(full) if flipped else full


BANDS = Vary(3, 4)
FEW = {
    "batch": [Vary(2, 3, 4), Vary(2, 4, 1, seed=1)],
    "broadcast": [Vary(2, 1, 3, 4), Vary(1, 3, 4, 2, seed=1)],
    "none": [Vary(0, 3, 4), Vary(0, 4, 2)],
    "no columns": [BANDS, Vary(4, 0)],
}


def dominant(bands):
    """Diagonals of matrices far from singular."""
    return bands + np.array([[0.0], [6.0], [0.0]])


row(
    "BandedMatMul",
    lambda fg, b, y: fg.linalg.tridiagonal_matmul(b, y),
    [BANDS, Vary(4, 2, seed=1)],
    lambda b, y: whole(b, 1) @ y,
    (0, 1),
    dtypes=FIELD,
    forms=FEW,
)
row(
    "BandedSolve",
    lambda fg, b, y: fg.linalg.tridiagonal_solve(b + fg.cast([[0.0], [6.0], [0.0]], b.dtype), y),
    [BANDS, Vary(4, 2, seed=1)],
    lambda b, y: solved(whole(dominant(b), 1), y),
    (0, 1),
    dtypes=FIELD,
    tol=20,
    forms=FEW,
)
for lower in (True, False):
    for flipped in (False, True):
        row(
            "BandedSolve",
            lambda fg, b, y, low=lower, f=flipped: fg.linalg.banded_triangular_solve(
                b + fg.cast(6.0, b.dtype), y, lower=low, adjoint=f
            ),
            [Vary(2, 4), Vary(4, 2, seed=1)],
            lambda b, y, low=lower, f=flipped: solved(whole(b + 6.0, 0 if low else 1, f), y),
            (0, 1),
            dtypes=FIELD,
            tol=20,
            about=f"lower {lower} adjoint {flipped}",
        )
row(
    "BandedOuter",
    lambda fg, x, y: emitted(fg, x, y),
    [Vary(4, 2), Vary(4, 2, seed=1)],
    lambda x, y: diagonals(x @ adjoint(y)),
    (0, 1),
    dtypes=FIELD,
    hidden="the gradient of bands",
)


def emitted(fg, x, y):
    like = fg.zeros([3, 4], x.dtype)
    return fg._core.emit("BandedOuter", (x, y, like), {"upper": 1}, None)


def diagonals(a):
    bands = np.zeros((3, a.shape[-1]), a.dtype)
    for d in range(3):
        part = np.diagonal(a, 1 - d)
        bands[d, max(0, d - 1) : max(0, d - 1) + len(part)] = part
    return bands
