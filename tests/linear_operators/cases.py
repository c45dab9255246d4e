"""Linear operators of every class, and what is asked of each, in tensorflow and here alike."""

import numpy as np

RANDOM = np.random.default_rng(0)


def r(*shape):
    return RANDOM.normal(size=shape)


SQUARE, STACK, TALL = r(3, 3) + 3 * np.eye(3), r(2, 3, 3) + 3 * np.eye(3), r(3, 2)
ROOT = r(3, 3)
POSITIVE = ROOT @ ROOT.T + 3 * np.eye(3)
COMPLEX = SQUARE + 1j * np.roll(SQUARE, 1)
SPECTRUM, DIAGONAL = r(3) + 1j * r(3), np.abs(r(3)) + 0.5
U, V, UPDATE, AXIS = r(3, 2), r(3, 2), np.abs(r(2)) + 0.5, r(3)
ROWS = np.array([[1.0, 2.0, 9.0], [5.0, 6.0, 7.0], [9.0, 3.0, 4.0]])


def operators(tf):
    """Functions that make an operator each, by name."""
    L, c = tf.linalg, tf.constant  # noqa: N806

    def full(matrix, **hints):
        return L.LinearOperatorFullMatrix(c(matrix), **hints)

    positive = {"is_self_adjoint": True, "is_positive_definite": True}
    return {
        "full": lambda: full(SQUARE),
        "batch": lambda: full(STACK),
        "spd": lambda: full(POSITIVE, **positive),
        "rect": lambda: full(TALL),
        "cfull": lambda: full(COMPLEX),
        "diag": lambda: L.LinearOperatorDiag(c(DIAGONAL)),
        "cdiag": lambda: L.LinearOperatorDiag(c(SPECTRUM)),
        "bdiag": lambda: L.LinearOperatorDiag(c(np.abs(STACK[0][:2]) + 0.1)),
        "id": lambda: L.LinearOperatorIdentity(3, dtype=tf.float64),
        "bid": lambda: L.LinearOperatorIdentity(3, batch_shape=[2], dtype=tf.float64),
        "sid": lambda: L.LinearOperatorScaledIdentity(3, c(np.float64(2.5))),
        "bsid": lambda: L.LinearOperatorScaledIdentity(3, c(np.array([2.5, -1.0]))),
        "zeros": lambda: L.LinearOperatorZeros(3, dtype=tf.float64),
        "rzeros": lambda: L.LinearOperatorZeros(
            3, 2, dtype=tf.float64, is_square=False, is_self_adjoint=False
        ),
        "tril": lambda: L.LinearOperatorLowerTriangular(c(SQUARE)),
        "house": lambda: L.LinearOperatorHouseholder(c(AXIS)),
        "perm": lambda: L.LinearOperatorPermutation(
            c(np.array([2, 0, 1], np.int32)), dtype=tf.float64
        ),
        "bperm": lambda: L.LinearOperatorPermutation(
            c(np.array([[2, 0, 1], [1, 0, 2]], np.int32)), dtype=tf.float64
        ),
        "toep": lambda: L.LinearOperatorToeplitz(
            c(np.array([4.0, 1.0, 2.0])), c(np.array([4.0, -1.0, 0.5]))
        ),
        "btoep": lambda: L.LinearOperatorToeplitz(
            c(np.array([[4.0, 1.0, 2.0], [5.0, 1.0, 1.0]])),
            c(np.array([[4.0, -1.0, 0.5], [5.0, 0.0, 2.0]])),
        ),
        "tri": lambda: L.LinearOperatorTridiag(c(ROWS)),
        "triseq": lambda: L.LinearOperatorTridiag(
            [c(row) for row in ROWS], diagonals_format="sequence"
        ),
        "low": lambda: L.LinearOperatorLowRankUpdate(
            L.LinearOperatorDiag(c(DIAGONAL), is_positive_definite=True), c(U), c(UPDATE), c(V)
        ),
        "lowsym": lambda: L.LinearOperatorLowRankUpdate(
            L.LinearOperatorDiag(c(DIAGONAL), is_positive_definite=True), c(U)
        ),
        "circ": lambda: L.LinearOperatorCirculant(c(SPECTRUM), input_output_dtype=tf.complex128),
        "rcirc": lambda: L.LinearOperatorCirculant(
            c(np.array([4.0, 1.0, 1.0])), input_output_dtype=tf.float64
        ),
        "circ2": lambda: L.LinearOperatorCirculant2D(
            c(np.arange(1.0, 7).reshape(2, 3) + 0j), input_output_dtype=tf.complex128
        ),
        "circ3": lambda: L.LinearOperatorCirculant3D(
            c(np.arange(1.0, 9).reshape(2, 2, 2) + 0j), input_output_dtype=tf.complex128
        ),
        "kron": lambda: L.LinearOperatorKronecker(
            [full(SQUARE), L.LinearOperatorDiag(c(DIAGONAL[:2]))]
        ),
        "krect": lambda: L.LinearOperatorKronecker([full(TALL), full(TALL.T), full(SQUARE)]),
        "bkron": lambda: L.LinearOperatorKronecker([full(STACK), full(SQUARE[:2, :2])]),
        "block": lambda: L.LinearOperatorBlockDiag(
            [full(SQUARE), L.LinearOperatorDiag(c(DIAGONAL[:2]))]
        ),
        "bblock": lambda: L.LinearOperatorBlockDiag([full(STACK), full(SQUARE[:2, :2])]),
        "blockrect": lambda: L.LinearOperatorBlockDiag([full(TALL), full(TALL.T)], is_square=None),
        "lower": lambda: L.LinearOperatorBlockLowerTriangular(
            [[full(SQUARE)], [full(TALL.T), full(SQUARE[:2, :2])]]
        ),
        "comp": lambda: L.LinearOperatorComposition(
            [full(SQUARE), L.LinearOperatorDiag(c(DIAGONAL))]
        ),
        "crect": lambda: L.LinearOperatorComposition([full(TALL.T), full(TALL)]),
        "adj": lambda: L.LinearOperatorAdjoint(full(COMPLEX)),
        "inv": lambda: L.LinearOperatorInversion(full(SQUARE)),
        "prod": lambda: full(SQUARE).matmul(L.LinearOperatorDiag(c(DIAGONAL))),
        "invdiag": lambda: L.LinearOperatorDiag(c(DIAGONAL)).inverse(),
        "H": lambda: full(COMPLEX).H,
        "chol": lambda: full(POSITIVE, **positive).cholesky(),
        "blockinv": lambda: L.LinearOperatorBlockDiag(
            [full(SQUARE), L.LinearOperatorDiag(c(DIAGONAL[:2]))]
        ).inverse(),
    }


def results(tf, operator):
    """Functions that ask something of an operator each, by name."""
    rows, columns = int(operator.range_dimension), int(operator.domain_dimension)

    def x(*shape):
        count = np.arange(np.prod(shape)).reshape(shape)
        imaginary = 1j * np.cos(count) if operator.dtype.is_complex else 0
        return tf.constant(np.sin(count) + imaginary)

    return {
        "dense": operator.to_dense,
        "shape": operator.shape_tensor,
        "matmul": lambda: operator.matmul(x(columns, 2)),
        "matmul_adjoint": lambda: operator.matmul(x(rows, 2), adjoint=True),
        "matmul_adjoint_arg": lambda: operator.matmul(x(2, columns), adjoint_arg=True),
        "matmul_stack": lambda: operator.matmul(x(2, columns, 2)),
        "matvec": lambda: operator.matvec(x(columns)),
        "matvec_adjoint": lambda: operator.matvec(x(rows), adjoint=True),
        "solve": lambda: operator.solve(x(rows, 2)),
        "solve_adjoint": lambda: operator.solve(x(columns, 2), adjoint=True),
        "solve_adjoint_arg": lambda: operator.solve(x(2, rows), adjoint_arg=True),
        "solvevec": lambda: operator.solvevec(x(rows)),
        "diag_part": operator.diag_part,
        "trace": operator.trace,
        "determinant": operator.determinant,
        "log_abs_determinant": operator.log_abs_determinant,
        "add_to_tensor": lambda: operator.add_to_tensor(x(rows, columns)),
        "cond": operator.cond,
        "eigvals": operator.eigvals,
    }


def bands(tf):
    """Functions of band matrices, by name."""
    L, c = tf.linalg, tf.constant  # noqa: N806
    rhs, wide = np.sin(np.arange(6.0)).reshape(3, 2), np.cos(np.arange(8.0)).reshape(4, 2)
    two = np.array([[5.0, 6.0, 7.0], [9.0, 3.0, 4.0]])
    three = np.array([[5.0, 6, 7, 8], [0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4]])
    parts = [c(row) for row in ROWS]
    short = [c(ROWS[0][:2]), c(ROWS[1]), c(ROWS[2][1:])]
    alpha, beta = c([1.0, 2.0, 3.0]), c([0.5, 0.7])
    flipped = [np.ascontiguousarray(b[::-1]) for b in (two, three)]
    return {
        "matmul": lambda: L.tridiagonal_matmul(c(ROWS), c(rhs)),
        "matmul_sequence": lambda: L.tridiagonal_matmul(parts, c(rhs), "sequence"),
        "matmul_matrix": lambda: L.tridiagonal_matmul(c(SQUARE), c(rhs), "matrix"),
        "solve": lambda: L.tridiagonal_solve(c(ROWS), c(rhs)),
        "solve_vector": lambda: L.tridiagonal_solve(c(ROWS), c(rhs[:, 0])),
        "solve_rows": lambda: L.tridiagonal_solve(c(ROWS), c(rhs.T), transpose_rhs=True),
        "solve_short": lambda: L.tridiagonal_solve(short, c(rhs), "sequence"),
        "solve_sequence": lambda: L.tridiagonal_solve(parts, c(rhs), "sequence"),
        "solve_stack": lambda: L.tridiagonal_solve(
            c(np.stack([ROWS, ROWS + 1])), c(np.stack([rhs, rhs]))
        ),
        "lower": lambda: L.banded_triangular_solve(c(two), c(rhs)),
        "lower_adjoint": lambda: L.banded_triangular_solve(c(two), c(rhs), adjoint=True),
        "lower_three": lambda: L.banded_triangular_solve(c(three), c(wide)),
        "upper": lambda: L.banded_triangular_solve(c(flipped[0]), c(rhs), lower=False),
        "upper_three": lambda: L.banded_triangular_solve(c(flipped[1]), c(wide), lower=False),
        "upper_adjoint": lambda: L.banded_triangular_solve(
            c(flipped[0]), c(rhs), lower=False, adjoint=True
        ),
        "eigh": lambda: L.eigh_tridiagonal(alpha, beta),
        "eigh_indices": lambda: L.eigh_tridiagonal(alpha, beta, select="i", select_range=(0, 1)),
        "eigh_values": lambda: L.eigh_tridiagonal(alpha, beta, select="v", select_range=(1.0, 3.0)),
    }


def encoded(function):
    """The dtype, shape and elements of a result, or the class of the exception."""
    try:
        array = np.asarray(function())
    except Exception as e:  # noqa: BLE001 - what is refused is recorded by its class
        return type(e).__name__
    flat = np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array
    return [str(array.dtype), list(array.shape), [float(f"{v:.7g}") for v in flat.ravel()]]
