"""Sparse tensors: each operation against the dense one; eager, traced, and at open shapes."""

import pickle

import ferrograph as fg
import numpy as np
import pytest

WAYS = ["eager", "traced", "open"]
DENSE = np.array([[0, 3, 0], [4, 0, 5]], np.float32)

ways = pytest.mark.parametrize("how", WAYS)


def opened(value):
    spec = fg.type_spec_from_value(value)
    shape = [None] * spec.shape.rank
    return type(spec)(shape, spec.dtype)


def run(how, function, *args):
    if how == "eager":
        return function(*args)
    specs = [opened(a) for a in args] if how == "open" else None
    return fg.function(function, input_signature=specs)(*args)


def sparse(dense=DENSE):
    return fg.sparse.from_dense(dense)


def dense(value):
    return (
        fg.sparse.to_dense(value).numpy() if isinstance(value, fg.SparseTensor) else value.numpy()
    )


def same(value, expected):
    found = dense(value)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_parts():
    s = fg.SparseTensor(indices=[[0, 1], [2, 0]], values=[5.0, 7.0], dense_shape=[3, 2])
    assert s.indices.dtype == fg.int64
    assert s.dense_shape.numpy().tolist() == [3, 2]
    assert s.shape.as_list() == [3, 2]
    assert s.dtype == fg.float32
    same(s.with_values([1.0, 2.0]), [[0, 1], [0, 0], [2, 0]])
    same(pickle.loads(pickle.dumps(s)), [[0, 5], [0, 0], [7, 0]])
    assert repr(s).startswith("SparseTensor(indices=<fg.Tensor")
    empty = fg.SparseTensor([], fg.zeros([0]), [2])
    assert empty.indices.shape.as_list() == [0, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: fg.SparseTensor([[0, 0]], [1, 2], [2, 2]),
        lambda: fg.SparseTensor([[0, 0]], [1], [2]),
        lambda: fg.SparseTensor([0], [1], [2]),
        lambda: fg.SparseTensor([[0]], [[1]], [2]),
    ],
)
def test_parts_that_do_not_fit_are_refused(make):
    with pytest.raises(ValueError):
        make()


@ways
def test_to_and_from_dense(how):
    same(run(how, lambda x: fg.sparse.from_dense(x), fg.constant(DENSE)), DENSE)
    filled = run(how, lambda s: fg.sparse.to_dense(s, -1.0), sparse())
    assert filled.numpy().tolist() == np.where(DENSE == 0, -1, DENSE).tolist()
    words = fg.sparse.from_dense([["", "a"], ["b", ""]])
    assert run(how, fg.sparse.to_dense, words).numpy().tolist() == [[b"", b"a"], [b"b", b""]]
    flags = fg.sparse.from_dense([True, False])
    assert flags.indices.numpy().tolist() == [[0]]


@ways
def test_order_and_bounds_are_checked(how):
    messy = fg.SparseTensor([[1, 0], [0, 2]], [10, 20], [2, 3])
    with pytest.raises(fg.errors.InvalidArgumentError):
        run(how, fg.sparse.to_dense, messy)
    same(
        run(how, lambda s: fg.sparse.to_dense(s, validate_indices=False), messy),
        [[0, 0, 20], [10, 0, 0]],
    )
    same(run(how, fg.sparse.reorder, messy), [[0, 0, 20], [10, 0, 0]])
    with pytest.raises(fg.errors.InvalidArgumentError):
        run(how, fg.sparse.to_dense, fg.SparseTensor([[0], [0]], [1, 2], [3]))
    with pytest.raises(fg.errors.InvalidArgumentError):
        run(how, fg.sparse.to_dense, fg.SparseTensor([[5]], [1], [3]))


@ways
def test_rearranging(how):
    s = sparse()
    cases = [
        (lambda s: fg.sparse.transpose(s), DENSE.T),
        (lambda s: fg.sparse.transpose(s, [0, 1]), DENSE),
        (lambda s: fg.sparse.reshape(s, [3, 2]), DENSE.reshape(3, 2)),
        (lambda s: fg.sparse.reshape(s, [-1]), DENSE.reshape(-1)),
        (lambda s: fg.sparse.slice(s, [0, 1], [2, 2]), DENSE[:, 1:]),
        (lambda s: fg.sparse.slice(s, [1, 0], [9, 9]), DENSE[1:]),
        (lambda s: fg.sparse.concat(0, [s, s]), np.concatenate([DENSE, DENSE])),
        (lambda s: fg.sparse.concat(-1, [s, s]), np.concatenate([DENSE, DENSE], 1)),
        (lambda s: fg.sparse.expand_dims(s), DENSE[..., None]),
        (lambda s: fg.sparse.expand_dims(s, 1), DENSE[:, None]),
        (lambda s: fg.sparse.split(s, 2, 1)[0], DENSE[:, :2]),
        (lambda s: fg.sparse.split(s, 2, 1)[1], DENSE[:, 2:]),
        (lambda s: fg.sparse.retain(s, [True, False, True]), [[0, 3, 0], [0, 0, 5]]),
        (lambda s: fg.sparse.reset_shape(s, [3, 4]), np.pad(DENSE, [(0, 1), (0, 1)])),
        (
            lambda s: fg.sparse.fill_empty_rows(fg.sparse.slice(s, [0, 0], [2, 1]), 9.0)[0],
            [[9], [4]],
        ),
        (
            lambda s: fg.sparse.fill_empty_rows(fg.sparse.slice(s, [0, 0], [2, 1]), 9.0)[1],
            [True, False],
        ),
    ]
    for function, expected in cases:
        same(run(how, function, s), expected)
    wide = run(how, lambda s: fg.sparse.concat(0, [s, fg.sparse.transpose(s)], True), s)
    same(wide, np.concatenate([DENSE, np.pad(DENSE.T, [(0, 0), (0, 1)])]))
    with pytest.raises(fg.errors.InvalidArgumentError):
        run(how, lambda s: fg.sparse.reshape(s, [4, 2]), s)
    with pytest.raises(fg.errors.InvalidArgumentError):
        run(how, lambda s: fg.sparse.concat(0, [s, fg.sparse.transpose(s)]), s)
    for perm in ([0, 0], [0], [0, 2], [1, 0, 1], [-1, 0]):
        with pytest.raises(fg.errors.InvalidArgumentError, match="each axis once"):
            run(how, lambda s, perm=perm: fg.sparse.transpose(s, perm), s)
        with pytest.raises(fg.errors.InvalidArgumentError, match="each axis once"):
            run(how, lambda s, p: fg.sparse.transpose(s, p), s, fg.constant(perm))
    same(run(how, lambda s, p: fg.sparse.transpose(s, p), s, fg.constant([1, 0])), DENSE.T)


@ways
def test_arithmetic(how):
    s, other = sparse(), sparse([[1.0, -3.0, 0.0], [0.0, 0.0, 2.0]])
    b = dense(other)
    cases = [
        (lambda x, y: fg.sparse.add(x, y), DENSE + b),
        (lambda x, y: x + y, DENSE + b),
        (lambda x, y: x - y, DENSE - b),
        (lambda x, y: fg.sparse.add(x, fg.ones([2, 3])), DENSE + 1),
        (lambda x, y: fg.sparse.add(fg.ones([2, 3]), x), DENSE + 1),
        (lambda x, y: fg.constant(2.0) * x, DENSE * 2),
        (lambda x, y: x * 3.0, DENSE * 3),
        (lambda x, y: x / 2.0, DENSE / 2),
        (lambda x, y: x * [[10.0], [100.0]], DENSE * [[10.0], [100.0]]),
        (lambda x, y: -x, -DENSE),
        (lambda x, y: fg.sparse.maximum(x, y), np.maximum(DENSE, b)),
        (lambda x, y: fg.sparse.minimum(x, y), np.minimum(DENSE, b)),
        (lambda x, y: fg.square(x), DENSE**2),
        (lambda x, y: fg.cast(x, fg.int32), DENSE),
        (lambda x, y: fg.sparse.map_values(fg.add, x, 1.0), np.where(DENSE == 0, 0, DENSE + 1)),
    ]
    for function, expected in cases:
        same(run(how, function, s, other), expected)
    assert len(run(how, lambda x, y: fg.sparse.add(x, y, 0.5), s, other).values) == 3


@ways
def test_reductions(how):
    cases = [
        (lambda s: fg.sparse.reduce_sum(s), DENSE.sum()),
        (lambda s: fg.sparse.reduce_sum(s, 0), DENSE.sum(0)),
        (lambda s: fg.sparse.reduce_sum(s, [-1]), DENSE.sum(1)),
        (lambda s: fg.sparse.reduce_sum(s, 1, keepdims=True), DENSE.sum(1, keepdims=True)),
        (lambda s: fg.sparse.reduce_sum(s, 0, output_is_sparse=True), DENSE.sum(0)),
        (lambda s: fg.sparse.reduce_max(s, 1), DENSE.max(1)),
        (lambda s: fg.sparse.reduce_max(-s, 0), [-4, -3, -5]),
    ]
    for function, expected in cases:
        same(run(how, function, sparse()), expected)


@ways
def test_products(how):
    right = fg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    r = right.numpy()
    product = fg.sparse.sparse_dense_matmul
    same(run(how, lambda s, m: product(s, m), sparse(), right), DENSE @ r)
    same(run(how, lambda s, m: product(m, s), sparse(), fg.constant(r[:, :2])), r[:, :2] @ DENSE)
    same(
        run(how, lambda s, m: product(s, m, adjoint_a=True), sparse(), fg.ones([2, 2])),
        DENSE.T @ np.ones([2, 2]),
    )
    same(
        run(how, lambda s, m: product(s, m, adjoint_b=True), sparse(), fg.constant(r.T.copy())),
        DENSE @ r,
    )
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
        run(how, lambda s, m: product(s, m), sparse(), fg.ones([2, 2]))


@ways
def test_softmax_segments_and_indicators(how):
    found = dense(run(how, fg.sparse.softmax, sparse()))
    powers = np.exp([4.0, 5.0])
    np.testing.assert_allclose(found[1, [0, 2]], powers / powers.sum(), rtol=1e-5)
    assert found[0, 1] == 1.0
    data, ids = fg.constant([[1.0], [2.0], [4.0]]), fg.constant([0, 1, 1])
    for name, expected in [("sum", [[1.0], [6.0]]), ("mean", [[1.0], [3.0]])]:
        function = getattr(fg.sparse, f"segment_{name}")
        same(run(how, lambda d, i, f=function: f(d, [0, 1, 2], i), data, ids), expected)
    shown = run(how, lambda s: fg.sparse.to_indicator(s, 6), sparse([[1, 3], [0, 5]]))
    assert shown.numpy().astype(int).tolist() == [[0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]]
    same(run(how, lambda n: fg.sparse.eye(2, 3), fg.constant(1)), np.eye(2, 3))


@ways
def test_gradients(how):
    def f(s, m):
        with fg.GradientTape() as tape:
            tape.watch([s, m])
            y = fg.reduce_sum(fg.sparse.sparse_dense_matmul(s, m) ** 2)
        return tape.gradient(y, [s, m])

    right = fg.constant([[1.0], [2.0], [3.0]])
    by_sparse, by_dense = run(how, f, sparse(), right)
    assert isinstance(by_sparse, fg.SparseTensor)
    out = DENSE @ right.numpy()
    full = 2 * out @ right.numpy().T
    same(by_sparse, np.where(DENSE == 0, 0, full))
    same(by_dense, DENSE.T @ (2 * out))


def test_functions_take_and_give_them():
    shapes = []

    @fg.function
    def f(s):
        shapes.append(s.shape.as_list())
        return s * 2.0, fg.sparse.reduce_sum(s)

    doubled, total = f(sparse())
    same(doubled, DENSE * 2)
    assert float(total) == 12.0
    f(sparse([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]))
    assert shapes == [[2, 3]]
    f(sparse([[0.0, 1.0], [1.0, 0.0]]))
    assert shapes[1] in ([2, 2], [None, None])


def test_input_signatures():
    traces = []

    @fg.function(input_signature=[fg.SparseTensorSpec([None, 3], fg.float32)])
    def f(s):
        traces.append(s.shape.as_list())
        return fg.sparse.to_dense(s)

    same(f(sparse()), DENSE)
    same(f(sparse(DENSE[:1])), DENSE[:1])
    assert traces == [[None, 3]]
    for bad in (sparse(DENSE[:, :2]), sparse(DENSE.astype(np.int32)), fg.constant(DENSE)):
        with pytest.raises(TypeError, match="incompatible with input_signature"):
            f(bad)


def test_specs():
    spec = fg.type_spec_from_value(sparse())
    assert spec == fg.SparseTensorSpec([2, 3], fg.float32)
    assert spec.is_subtype_of(fg.SparseTensorSpec([None, 3], fg.float32))
    assert spec.value_type is fg.SparseTensor
    assert pickle.loads(pickle.dumps(spec)) == spec
    merged = spec.most_specific_compatible_type(fg.SparseTensorSpec([4, 3], fg.float32))
    assert merged == fg.SparseTensorSpec([None, 3], fg.float32)


@ways
def test_loops_and_branches(how):
    def f(s, n):
        for i in fg.range(n):
            if i % 2 == 0:  # noqa: SIM108
                s = s * 2.0
            else:
                s = -s
        return s

    same(run(how, f, sparse(), fg.constant(3)), DENSE * -4)


@ways
def test_sets(how):
    a, b = fg.constant([[1, 2, 3], [5, 5, 5]]), fg.constant([[2, 3, 4], [6, 5, 5]])
    cases = [
        (lambda x, y: fg.sets.intersection(x, y), [[2, 3], [5, 0]]),
        (lambda x, y: fg.sets.union(x, y), [[1, 2, 3, 4], [5, 6, 0, 0]]),
        (lambda x, y: fg.sets.difference(x, y), [[1], [0]]),
        (lambda x, y: fg.sets.difference(x, y, aminusb=False), [[4], [6]]),
        (lambda x, y: fg.sets.size(fg.sets.union(x, y)), [4, 2]),
        (lambda x, y: fg.sets.size(x), [3, 1]),
    ]
    for function, expected in cases:
        same(run(how, function, a, b), expected)
    both = run(
        how,
        lambda s, y: fg.sets.intersection(s, y),
        fg.sparse.from_dense([[3, 9]]),
        fg.constant([[3, 4]]),
    )
    same(both, [[3]])


@pytest.mark.parametrize("how", ["eager", "traced"])
def test_indexed_slices_pass_through(how):
    def f(values, c):
        slices = fg.IndexedSlices(values, fg.constant([0, 2]), fg.constant([3]))
        slices = fg.cond(c, lambda: slices, lambda: -slices)
        return slices, fg.convert_to_tensor(slices)

    call = fg.function(f) if how == "traced" else f
    slices, whole = call(fg.constant([1.0, 2.0]), fg.constant(False))
    assert isinstance(slices, fg.IndexedSlices)
    assert slices.values.numpy().tolist() == [-1.0, -2.0]
    assert whole.numpy().tolist() == [-1.0, 0.0, -2.0]
    spec = fg.type_spec_from_value(slices)
    assert isinstance(spec, fg.IndexedSlicesSpec)
    double = fg.function(lambda s: s * 2.0)
    assert double(slices).values.numpy().tolist() == [-2.0, -4.0]


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_the_gradient_of_a_dense_factor_is_dense(wrap):
    sparse = fg.SparseTensor([[0, 2], [1, 0], [1, 2]], [2.0, 3.0, 5.0], [2, 3])

    def slope(dense):
        with fg.GradientTape() as tape:
            tape.watch(dense)
            product = fg.sparse.sparse_dense_matmul(sparse, dense)
        return tape.gradient(product, dense)

    found = wrap(slope)(fg.ones([3, 2]))
    assert isinstance(found, fg.Tensor)
    assert found.numpy().tolist() == [[3.0, 3.0], [0.0, 0.0], [7.0, 7.0]]


def test_slices_times_a_tensor_are_the_whole_times_it():
    rows = fg.IndexedSlices(fg.constant([[1.0, 2.0], [3.0, 4.0]]), fg.constant([1, 0]), [2, 2])
    factor = fg.constant([[10.0, 20.0], [30.0, 40.0]])
    whole = [[30.0, 80.0], [30.0, 80.0]]
    assert (rows * factor).numpy().tolist() == whole
    assert (factor * rows).numpy().tolist() == whole
    assert (rows * rows).numpy().tolist() == [[9.0, 16.0], [1.0, 4.0]]
    assert isinstance(2.0 * rows, fg.IndexedSlices)
    assert (2.0 * rows).numpy().tolist() == [[6.0, 8.0], [2.0, 4.0]]


def test_a_trace_sees_no_number_of_elements():
    seen = []

    @fg.function
    def f(s):
        seen.append([part.shape.as_list() for part in (s.indices, s.values, s.dense_shape)])
        return fg.sparse.reduce_sum(s)

    for elements, total in (([[0, 1], [2, 0]], 3), ([[1, 1], [2, 0]], 4), ([[0, 0], [0, 0]], 0)):
        assert f(fg.sparse.from_dense(elements)).numpy() == total
    assert seen == [[[None, 2], [None], [2]]]


def test_known_sizes_of_a_shape_that_is_made_of_numbers():
    seen = []

    @fg.function
    def f(s):
        n = fg.shape(s)[0]
        seen.append(fg.SparseTensor(s.indices, s.values, (n, 3, 3)).shape)
        seen.append(fg.SparseTensor(s.indices, s.values, fg.stack([3, n, n])).shape)
        seen.append(fg.SparseTensor(s.indices, s.values, s.dense_shape).shape)
        return s.values

    f.get_concrete_function(fg.SparseTensorSpec([None, None, None]))
    assert [shape.as_list() for shape in seen] == [[None, 3, 3], [3, None, None], [None] * 3]
    eager = fg.SparseTensor([[0, 1]], [1.0], (2, fg.constant(3)))
    assert eager.shape == [2, 3]


def test_branches_keep_what_both_know_of_the_shape():
    wide, narrow = fg.sparse.from_dense([[1.0, 0.0, 2.0]]), fg.sparse.from_dense(np.eye(3))
    narrow = fg.sparse.map_values(lambda v: fg.cast(v, fg.float32), narrow)
    seen = []

    @fg.function(
        input_signature=[fg.SparseTensorSpec([None, 3], fg.float32), fg.TensorSpec([], fg.bool)]
    )
    def f(given, takes):
        same = fg.cond(takes, lambda: wide, lambda: wide)
        other = fg.cond(takes, lambda: wide, lambda: narrow)
        if takes:
            given = fg.sparse.map_values(fg.abs, given)
        seen.extend(x.shape.as_list() for x in (same, other, given))
        return fg.sparse.to_dense(other)

    assert f(wide, fg.constant(False)).numpy().tolist() == np.eye(3).tolist()
    assert seen == [[1, 3], [None, 3], [None, 3]]
