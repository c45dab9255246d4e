"""Products of sparse and dense matrices: orders, dtypes, sizes, derivatives, refusals."""

import ferrograph as fg
import numpy as np
import pytest

RNG = np.random.default_rng(3)


def matrix(rows, columns, n, dtype, in_order):
    """Coordinates, values and the dense form; places may occur twice."""
    places = np.stack([RNG.integers(0, rows, n), RNG.integers(0, columns, n)], 1)
    if in_order:
        places = places[np.lexsort((places[:, 1], places[:, 0]))]
    values = numbers(n, dtype)
    dense = np.zeros((rows, columns), dtype)
    np.add.at(dense, tuple(places.T), values)
    return fg.SparseTensor(places, values, [rows, columns]), dense


def numbers(shape, dtype):
    found = RNG.integers(-5, 6, shape)
    return (found + 1j * RNG.integers(-5, 6, shape) if dtype[0] == "c" else found).astype(dtype)


@pytest.mark.parametrize("how", [lambda f: f, fg.function])
@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "int64"])
def test_products_are_those_of_the_dense_form(how, in_order, dtype):
    for rows, columns, n, width in [
        (1, 1, 1, 1),
        (5, 7, 0, 2),
        (40, 30, 99, 1),
        (900, 800, 30_000, 9),
    ]:
        s, dense = matrix(rows, columns, n, dtype, in_order)
        for adjoint_a in [False, True]:
            left = dense.conj().T if adjoint_a else dense
            right = numbers((left.shape[1], width), dtype)
            for adjoint_b in [False, True]:
                given = right.conj().T.copy() if adjoint_b else right
                product = how(
                    lambda s, m, a=adjoint_a, b=adjoint_b: fg.sparse.sparse_dense_matmul(s, m, a, b)
                )
                # Small integers, whose sums are exact in any dtype.
                np.testing.assert_array_equal(product(s, given).numpy(), left @ right)


def test_gradients_of_gradients():
    s, dense = matrix(6, 5, 9, "float64", False)
    m = fg.constant(numbers((5, 3), "float64"))

    def slope(values, m, product):
        with fg.GradientTape() as outer:
            outer.watch([values, m])
            with fg.GradientTape() as tape:
                tape.watch([values, m])
                y = fg.reduce_sum(product(values, m) ** 3)
            first = tape.gradient(y, [values, m])
            total = fg.reduce_sum(first[0] ** 2) + fg.reduce_sum(first[1] ** 2)
        return [*first, *outer.gradient(total, [values, m])]

    def by_sparse(values, m):
        return fg.sparse.sparse_dense_matmul(s.with_values(values), m)

    def by_dense(values, m):
        return fg.linalg.matmul(fg.scatter_nd(s.indices, values, s.dense_shape), m)

    for made, expected in zip(
        slope(s.values, m, by_sparse), slope(s.values, m, by_dense), strict=True
    ):
        np.testing.assert_allclose(made.numpy(), expected.numpy(), rtol=1e-10)


@pytest.mark.parametrize("adjoint", [False, True])
def test_rows_at_once(adjoint):
    s, dense = matrix(4, 6, 11, "float32", True)
    left = dense.T if adjoint else dense
    stack = numbers((3, left.shape[1], 2), "float32")
    found = fg.vectorized_map(
        lambda m: fg.sparse.sparse_dense_matmul(s, m, adjoint), fg.constant(stack)
    )
    np.testing.assert_array_equal(found.numpy(), left @ stack)


@pytest.mark.parametrize("place", [[2, 0], [0, 3], [-1, 0], [0, -1]])
def test_places_beyond_the_matrix_are_refused(place):
    s = fg.SparseTensor([[0, 0], place], [1.0, 2.0], [2, 3])
    with pytest.raises(fg.errors.InvalidArgumentError, match="not within"):
        fg.sparse.sparse_dense_matmul(s, fg.ones([3, 1]))


@pytest.mark.parametrize("shape", [[2, 1], [None, None]])
def test_other_inner_sizes_are_refused(shape):
    s = fg.SparseTensor([[0, 0]], [1.0], [2, 3])
    product = fg.function(
        lambda m: fg.sparse.sparse_dense_matmul(s, m), input_signature=[fg.TensorSpec(shape)]
    )
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError), match="inner sizes"):
        product(fg.ones([2, 1]))


@pytest.mark.parametrize("shape", [[-2, 3], [2, 3, 4], [2]])
def test_what_is_no_shape_of_a_matrix_is_refused(shape):
    product = fg.function(
        lambda a_shape: fg.raw_ops.SparseTensorDenseMatMul(
            a_indices=fg.constant([[0, 0]], fg.int64),
            a_values=[1.0],
            a_shape=a_shape,
            b=fg.ones([3, 1]),
        ),
        input_signature=[fg.TensorSpec([None], fg.int64)],
    )
    with pytest.raises(fg.errors.InvalidArgumentError, match="a_shape must"):
        product(fg.constant(shape, fg.int64))


def test_sums_of_many_weights_are_near_those_in_order():
    n = 300_000
    bins, weights = RNG.integers(0, 50, n), RNG.normal(size=n).astype("float32")
    found = fg.math.bincount(bins, weights=weights, minlength=50).numpy()
    exact = np.bincount(bins, weights.astype("float64"), 50)
    bound = np.bincount(bins, np.abs(weights), 50) * np.bincount(bins, minlength=50) * 2.0**-24
    assert (np.abs(found - exact) <= bound).all()
    counts = fg.math.bincount(bins).numpy()
    assert counts.tolist() == np.bincount(bins).tolist()
