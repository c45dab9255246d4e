"""Errors of long sums of float32 are at most twice those of tensorflow 2.21.

ERRORS are those that tensorflow-cpu 2.21.0 was seen to make, relative to the sum in float64, with
two threads on x86-64. Run this file with it to print them: ``python tests/ops/test_long_sums.py``.
"""

import numpy as np

LONG, MANY = 4_000_000, 2000
X = (np.arange(LONG) % 997 / 997).astype(np.float32)
Y = (np.arange(LONG) % 1009 / 1009).astype(np.float32)


def wide(values):
    return values.astype(np.float64)


DOT = np.dot(wide(X), wide(Y))
FOUR = X.reshape(4, -1), Y.reshape(4, -1)
COLUMNS = X.reshape(-1, 4), Y.reshape(-1, 4)
FEW = X[:MANY]

# Each sum, and what it is.
SUMS = {
    "einsum": (lambda m: m.einsum("i,i->", X, Y), DOT),
    "einsum of rows": (
        lambda m: m.einsum("ij,ij->i", *FOUR),
        np.einsum("ij,ij->i", *map(wide, FOUR)),
    ),
    "einsum of columns": (
        lambda m: m.einsum("ij,ij->j", *COLUMNS),
        np.einsum("ij,ij->j", *map(wide, COLUMNS)),
    ),
    "tensordot": (lambda m: m.tensordot(X, Y, 1), DOT),
    "matvec": (lambda m: m.linalg.matvec(X[None], Y), DOT),
    "reduce_sum": (lambda m: m.reduce_sum(X), wide(X).sum()),
    "reduce_sum of columns": (lambda m: m.reduce_sum(COLUMNS[0], 0), wide(COLUMNS[0]).sum(0)),
    "add_n": (lambda m: m.add_n([m.constant(v) for v in FEW]), wide(FEW).sum()),
}
ERRORS = {
    "add_n": 3e-08,
    "einsum": 4.2e-07,
    "einsum of columns": 5.5e-07,
    "einsum of rows": 1.6e-06,
    "matvec": 0.00053,
    "reduce_sum": 3.7e-09,
    "reduce_sum of columns": 1.9e-07,
    "tensordot": 0.00053,
}


def error(m, name):
    """The greatest error of a sum, relative to it."""
    made, wanted = SUMS[name]
    return float(np.max(np.abs(np.asarray(made(m), np.float64) / wanted - 1)))


def pytest_generate_tests(metafunc):
    metafunc.parametrize("name", sorted(SUMS))


def test_error(name):
    import ferrograph as fg

    # A single rounding is no less.
    assert error(fg, name) <= 2 * max(ERRORS[name], 2.0**-24)


if __name__ == "__main__":
    import tensorflow as tf

    print({name: float(f"{error(tf, name):.2g}") for name in sorted(SUMS)})
