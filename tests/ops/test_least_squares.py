"""``linalg.lstsq`` where a trace does not know the sizes: as eagerly, whichever side is longer."""

import ferrograph as fg
import numpy as np
import pytest


@pytest.mark.parametrize("l2", [0.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("dims", [[None] * 3, None], ids=["unknown sizes", "unknown rank"])
def test_unknown_sizes_give_what_known_ones_do(l2, dtype, dims):
    solve = fg.function(
        lambda a, b: fg.linalg.lstsq(a, b, l2_regularizer=l2),
        input_signature=[fg.TensorSpec(dims, dtype), fg.TensorSpec(dims, dtype)],
    )
    numbers = np.random.default_rng(0)
    for rows, columns in [(4, 2), (2, 4), (3, 3)]:
        matrix = numbers.normal(size=(2, rows, columns)).astype(dtype)
        matrix += (1j if dtype is np.complex128 else 1) * np.eye(rows, columns, dtype=dtype)
        right = numbers.normal(size=(2, rows, 2)).astype(dtype)
        wanted = fg.linalg.lstsq(matrix, right, l2_regularizer=l2)
        np.testing.assert_allclose(solve(matrix, right), wanted, rtol=2e-4, atol=2e-5)


def test_the_gradient_is_that_of_known_sizes():
    matrix = fg.constant([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], fg.float64)
    right = fg.constant([[1.0], [2.0], [2.0]], fg.float64)

    def slopes(a, b):
        with fg.GradientTape() as tape:
            tape.watch([a, b])
            loss = fg.reduce_sum(fg.linalg.lstsq(a, b, l2_regularizer=0.5) ** 2)
        return tape.gradient(loss, [a, b])

    specs = [fg.TensorSpec([None, None], fg.float64)] * 2
    found = fg.function(slopes, input_signature=specs)(matrix, right)
    for one, other in zip(found, slopes(matrix, right), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
