"""Record the order of eigenvalues in tensorflow 2.21: run it with tensorflow-cpu installed."""

import json
import pathlib

import numpy as np
import tensorflow as tf

PATH = pathlib.Path(__file__).parent / "eigenvalues.json"


def values(matrix, dtype):
    """Eigenvalues with some digits, as pairs; the order is what counts."""
    found = tf.linalg.eigvals(tf.constant(matrix, dtype)).numpy()
    assert np.allclose(found, tf.linalg.eig(tf.constant(matrix, dtype))[0], atol=1e-4)
    return [[float(f"{v.real:.5g}"), float(f"{v.imag:.5g}")] for v in found.astype(complex)]


def main():
    """Write one file: matrices of small whole numbers, and their eigenvalues by dtype."""
    draws = np.random.default_rng(21)
    matrices = [draws.integers(-9, 10, (n, n)).tolist() for n in range(2, 13) for _ in range(4)]
    matrices += [[[0, 1], [-1, 0]], [[2, 0, 0], [0, -2, 0], [0, 0, 1]], [[0, 1], [1, 0]]]
    matrices += [np.roll(np.eye(n, dtype=int), 1, 1).tolist() for n in (3, 4, 5)]
    rows = [
        {"matrix": m, "float32": values(m, "float32"), "float64": values(m, "float64")}
        for m in matrices
    ]
    dumps = json.JSONEncoder(separators=(",", ":")).encode
    PATH.write_text("[\n" + ",\n".join(map(dumps, rows)) + "\n]\n")
    print(len(rows), "matrices")


if __name__ == "__main__":
    main()
