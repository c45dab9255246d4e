"""Functions over rows, run eagerly and in graphs of known and unknown sizes."""

import ferrograph as fg
import numpy as np
import pytest


def everywhere(program, *arguments):
    """What a program gives eagerly and traced, with sizes known and not: all must agree."""
    arguments = [fg.constant(a) for a in arguments]
    specs = [fg.TensorSpec([None] * a.shape.rank, a.dtype) for a in arguments]
    eager = fg.nest.map_structure(np.asarray, program(*arguments))
    for traced in (fg.function(program), fg.function(program, input_signature=specs)):
        found = fg.nest.map_structure(np.asarray, traced(*arguments))
        for a, b in zip(fg.nest.flatten(eager), fg.nest.flatten(found), strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
    return eager


def test_map_over_rows():
    doubled, sums, large = everywhere(
        lambda x: (
            fg.map_fn(lambda r: r * 2, x),
            fg.map_fn(fg.reduce_sum, x),
            fg.map_fn(lambda r: fg.reduce_sum(r) > 3, x, fn_output_signature=fg.bool),
        ),
        [[1, 2], [3, 4]],
    )
    assert doubled.tolist() == [[2, 4], [6, 8]]
    assert sums.tolist() == [3, 7] and large.tolist() == [False, True]


def test_map_over_structures():
    found = everywhere(
        lambda x, y: (
            fg.map_fn(lambda p: (p[0] + p[1], p[0] - p[1]), (x, y)),
            fg.map_fn(
                lambda d: {"half": fg.cast(d["a"], fg.float32) / 2.0},
                {"a": x},
                fn_output_signature={"half": fg.TensorSpec([], fg.float32)},
            ),
        ),
        [1, 2],
        [10, 20],
    )
    assert [a.tolist() for a in found[0]] == [[11, 22], [-9, -18]]
    assert found[1]["half"].tolist() == [0.5, 1.0]


def test_functions_are_converted():
    def root(v):
        if v < 0:
            return -fg.sqrt(-v)
        return fg.sqrt(v)

    def fold(acc, v):
        if v > acc:
            acc = v
        return acc

    roots, mapped, largest, running = everywhere(
        lambda x: (
            fg.map_fn(root, x),
            fg.vectorized_map(root, x),
            fg.foldl(fold, x),
            fg.scan(fold, x),
        ),
        [4.0, -9.0, 16.0, 1.0],
    )
    assert roots.tolist() == mapped.tolist() == [2, -3, 4, 1]
    assert largest == 16 and running.tolist() == [4, 4, 16, 16]


def test_no_rows():
    found = everywhere(
        lambda x: (
            fg.map_fn(lambda v: v * 2, x),
            fg.vectorized_map(lambda v: fg.stack([v, v]), x),
            fg.scan(lambda a, v: a + v, x, initializer=0.0),
            fg.foldr(lambda a, v: a + v, x, initializer=7.0),
        ),
        np.zeros([0], np.float32),
    )
    assert [a.shape for a in found] == [(0,), (0, 2), (0,), ()] and found[3] == 7


def test_scans_and_folds():
    found = everywhere(
        lambda x: (
            fg.scan(lambda a, v: a * 2 + v, x),
            fg.scan(lambda a, v: a * 2 + v, x, initializer=10),
            fg.scan(lambda a, v: a * 2 + v, x, reverse=True),
            fg.foldl(lambda a, v: a * 10 + v, x),
            fg.foldr(lambda a, v: a * 10 + v, x),
            fg.foldl(lambda a, v: a - v, x, initializer=100),
        ),
        [1, 2, 3],
    )
    assert [a.tolist() for a in found] == [
        [1, 4, 11],
        [21, 44, 91],
        [17, 8, 3],
        123,
        321,
        94,
    ]


def test_scan_of_structures():
    total, largest = everywhere(
        lambda x, y: fg.scan(
            lambda acc, row: (acc[0] + row["x"] * row["y"], fg.maximum(acc[1], row["y"])),
            {"x": x, "y": y},
            initializer=(0, -5),
        ),
        [1, 2, 3],
        [-4, 7, 2],
    )
    assert total.tolist() == [-4, 10, 16] and largest.tolist() == [-4, 7, 7]


def test_vectorized_map_learns_its_results_and_repeats_single_rows():
    found = everywhere(
        lambda m, b: fg.vectorized_map(
            lambda t: {"dot": fg.tensordot(t[0], t[1], 1), "flags": [t[0] > 1.0]}, (m, b)
        ),
        [[1.0, 3.0], [2.0, 2.0]],
        [[1.0, 0.0], [5.0, 1.0]],
    )
    assert found["dot"].tolist() == [1, 12]
    assert found["flags"][0].tolist() == [[False, True], [True, True]]
    one = fg.vectorized_map(lambda p: p[0] + p[1], (fg.constant([1, 2]), fg.constant([10])))
    assert one.numpy().tolist() == [11, 12]


def test_static_shapes():
    seen = []

    @fg.function(input_signature=[fg.TensorSpec([None, 3])])
    def f(x):
        seen.append(fg.map_fn(lambda r: r[:1], x).shape)
        seen.append(fg.scan(lambda a, r: a + r, x).shape)
        return fg.foldl(lambda a, r: a + r, x)

    assert f(fg.ones([2, 3])).numpy().tolist() == [2, 2, 2]
    assert [s.as_list() for s in seen] == [[None, 1], [None, 3]]


@pytest.mark.parametrize("traced", [False, True])
def test_what_is_refused(traced):
    def refuses(program):
        with pytest.raises((ValueError, TypeError, fg.errors.InvalidArgumentError)):
            fg.function(program)() if traced else program()

    x = fg.constant([1, 2])
    refuses(lambda: fg.map_fn(lambda v: fg.cast(v, fg.float32), x))
    refuses(lambda: fg.map_fn(lambda v: (v, v), x))
    refuses(lambda: fg.map_fn(lambda v: v, fg.constant(1)))
    refuses(lambda: fg.map_fn(lambda p: p[0], (x, fg.constant([1, 2, 3]))))
    refuses(lambda: fg.foldl(lambda a, v: (a, v), x))
    refuses(lambda: fg.map_fn(3, x))
    refuses(lambda: fg.map_fn(lambda v: v, ()))


def test_results_without_rows_are_refused():
    spec = fg.data.DatasetSpec(fg.TensorSpec([], fg.int64))
    with pytest.raises(TypeError, match="DatasetSpec.*have no rows to be stacked in"):
        fg.map_fn(lambda x: fg.data.Dataset.range(3), fg.ones([2]), fn_output_signature=spec)


def test_gradients():
    def program(x):
        squares = fg.map_fn(lambda v: v * v, x)
        products = fg.scan(lambda a, v: a * v, x)
        return fg.reduce_sum(squares) + products[-1] + fg.foldl(lambda a, v: a * v, x)

    x = fg.constant([1.0, 2.0, 3.0])
    for f in (program, fg.function(program)):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(y) == 26
        assert tape.gradient(y, x).numpy().tolist() == [2 + 12, 4 + 6, 6 + 4]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("shape", [None, [None, None]])
def test_sparse_results_of_any_number_of_elements(shape, traced):
    spec = fg.SparseTensorSpec(shape, fg.float32)

    def call(sizes):
        return fg.map_fn(lambda n: fg.sparse.eye(n), sizes, fn_output_signature=spec)

    f = fg.function(call, input_signature=[fg.TensorSpec([None], fg.int32)]) if traced else call
    found = fg.sparse.to_dense(f(fg.constant([2, 0, 3]))).numpy()
    assert found.shape == (3, 3, 3)
    assert [row.trace() for row in found] == [2, 0, 3]
    with pytest.raises(TypeError, match="its signature a SparseTensor"):
        fg.map_fn(lambda n: fg.cast(n, fg.float32), fg.constant([1]), fn_output_signature=spec)


@pytest.mark.parametrize("traced", [False, True])
def test_rows_of_a_sparse_tensor(traced):
    whole = fg.sparse.from_dense([[1, 0, 2], [0, 0, 0], [3, 4, 5]])

    def call(value):
        return fg.map_fn(lambda row: fg.sparse.map_values(fg.negative, row), value)

    found = fg.function(call)(whole) if traced else call(whole)
    assert fg.sparse.to_dense(found).numpy().tolist() == [[-1, 0, -2], [0, 0, 0], [-3, -4, -5]]
