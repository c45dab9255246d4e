"""Ragged tensors: each operation against Python lists; eager, traced, and traced at open shapes."""

import copy
import itertools
import pickle
import random

import ferrograph as fg
import numpy as np
import pytest

WAYS = ["eager", "traced", "open"]
ROWS = [[1, 2], [], [3, 4, 5], [6]]
DEEP = [[[1], [2, 3]], [], [[4, 5, 6], []]]

ways = pytest.mark.parametrize("how", WAYS)


def opened(value):
    """A spec of a value that leaves all sizes open that can be."""
    spec = fg.type_spec_from_value(value)
    if isinstance(spec, fg.RaggedTensorSpec):
        inner = spec.shape.as_list()[spec.ragged_rank + 1 :]
        shape = [None] * (spec.ragged_rank + 1) + inner
        return fg.RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    return fg.TensorSpec([None] * spec.shape.rank, spec.dtype)


def run(how, function, *args):
    if how == "eager":
        return function(*args)
    specs = [opened(a) for a in args] if how == "open" else None
    return fg.function(function, input_signature=specs)(*args)


def listed(value):
    return fg.nest.map_structure(
        lambda v: v.to_list() if hasattr(v, "to_list") else v.numpy().tolist(), value
    )


def ragged(rows=ROWS, **more):
    return fg.ragged.constant(rows, **more)


# Making.


@pytest.mark.parametrize(
    "make",
    [
        lambda: fg.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]),
        lambda: fg.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]),
        lambda: fg.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2]),
        lambda: fg.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=3),
        lambda: fg.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2]),
        lambda: fg.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3]),
        lambda: fg.RaggedTensor.from_tensor([[1, 2], [0, 0], [3, 0]], padding=0),
        lambda: fg.RaggedTensor.from_tensor([[1, 2], [8, 9], [3, 7]], lengths=[2, 0, 1]),
        lambda: fg.RaggedTensor.from_sparse(
            fg.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2])
        ),
        lambda: fg.ragged.constant([[1, 2], [], [3]]),
        lambda: fg.ragged.constant([np.array([1, 2]), [], (3,)]),
        lambda: fg.ragged.stack([fg.constant([1, 2]), fg.constant([], fg.int32), fg.constant([3])]),
    ],
)
@pytest.mark.parametrize("how", ["eager", "traced"])
def test_the_same_rows_are_made_in_many_ways(make, how):
    made = run(how, make)
    assert made.to_list() == [[1, 2], [], [3]]
    assert made.dtype == fg.int32
    assert made.row_splits.dtype == fg.int64
    assert made.ragged_rank == 1


def test_uniform_rows():
    made = fg.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    assert made.to_list() == [[1, 2], [3, 4]]
    assert made.shape.as_list() == [2, 2]
    assert int(made.uniform_row_length) == 2
    assert fg.RaggedTensor.from_uniform_row_length(fg.zeros([0]), 0, nrows=3).to_list() == [[]] * 3
    with pytest.raises(ValueError, match="nrows must be given"):
        fg.RaggedTensor.from_uniform_row_length(fg.zeros([0]), 0)
    assert ragged().uniform_row_length is None


def test_nested_partitions():
    deep = ragged(DEEP)
    assert deep.to_list() == DEEP
    assert deep.ragged_rank == 2
    assert deep.shape.as_list() == [3, None, None]
    splits = [s.numpy().tolist() for s in deep.nested_row_splits]
    assert splits == [[0, 2, 2, 4], [0, 1, 3, 6, 6]]
    R = fg.RaggedTensor
    flat = deep.flat_values
    assert R.from_nested_row_splits(flat, deep.nested_row_splits).to_list() == DEEP
    assert R.from_nested_row_lengths(flat, deep.nested_row_lengths()).to_list() == DEEP
    assert R.from_nested_value_rowids(flat, deep.nested_value_rowids(), [3, 4]).to_list() == DEEP
    dense = [[[1, 2], [3, 0]], [[0, 0], [4, 0]]]
    assert R.from_tensor(dense, padding=0, ragged_rank=2).to_list() == [[[1, 2], [3]], [[], [4]]]
    by_lengths = R.from_tensor(dense, lengths=([1, 2], [2, 0, 1]))
    assert by_lengths.to_list() == [[[1, 2]], [[], [4]]]


@pytest.mark.parametrize(
    ("rows", "options", "shape"),
    [
        ([[1.5], []], {}, [2, None]),
        ([[], []], {}, [2, None]),
        ([[[1, 2]], [[3, 4], [5, 6]]], {"ragged_rank": 1}, [2, None, 2]),
        ([[[1, 2]], [[3, 4], [5, 6]]], {"inner_shape": (2,)}, [2, None, 2]),
        ([["a"], ["b", "c"]], {}, [2, None]),
    ],
)
def test_constants(rows, options, shape):
    made = ragged(rows, **options)
    assert made.shape.as_list() == shape
    text = isinstance(rows[0], list) and rows[0] and isinstance(rows[0][0], str)
    assert made.to_list() == ([[c.encode() for c in r] for r in rows] if text else rows)


def test_constants_without_depth_are_tensors():
    assert isinstance(fg.ragged.constant(3), fg.Tensor)
    assert fg.ragged.constant([1, 2]).numpy().tolist() == [1, 2]
    assert fg.ragged.constant([]).shape.as_list() == [0]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: ragged([[1], 2]), ValueError),
        (lambda: ragged([[1], [[2]]]), ValueError),
        (lambda: ragged([[1, 2]], ragged_rank=2), ValueError),
        (lambda: ragged([[[1, 2]]], inner_shape=(3,)), ValueError),
        (lambda: fg.RaggedTensor.from_row_splits([1, 2, 3], [0, 2]), "InvalidArgumentError"),
        (lambda: fg.RaggedTensor.from_row_splits([1, 2], [1, 2]), "InvalidArgumentError"),
        (lambda: fg.RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2]), "InvalidArgumentError"),
        (lambda: fg.RaggedTensor.from_row_splits([1], []), ValueError),
        (lambda: fg.RaggedTensor.from_row_splits([1], [[0, 1]]), ValueError),
        (lambda: fg.RaggedTensor.from_row_splits([1], [0.0, 1.0]), (TypeError, ValueError)),
        (lambda: fg.RaggedTensor.from_value_rowids([1, 2], [1, 0]), "InvalidArgumentError"),
        (lambda: fg.RaggedTensor.from_value_rowids([1, 2], [0, 3], 2), "InvalidArgumentError"),
        (lambda: fg.RaggedTensor.from_tensor([[1]], [1], padding=0), ValueError),
        (lambda: fg.RaggedTensor.from_tensor([1]), ValueError),
        (
            lambda: fg.RaggedTensor.from_sparse(fg.SparseTensor([[0, 1]], [1], [1, 2])),
            "InvalidArgumentError",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, error):
    error = getattr(fg.errors, error) if isinstance(error, str) else error
    with pytest.raises(error):
        make()


def test_rows_are_checked_when_a_graph_runs():
    make = fg.function(lambda v, s: fg.RaggedTensor.from_row_splits(v, s).to_tensor())
    assert make(fg.constant([1, 2]), fg.constant([0, 2])).numpy().tolist() == [[1, 2]]
    with pytest.raises(fg.errors.InvalidArgumentError):
        make(fg.constant([1, 2]), fg.constant([0, 3]))


# Parts and conversion.


@ways
def test_parts(how):
    def parts(r):
        return (
            r.row_lengths(),
            r.nrows(),
            r.value_rowids(),
            r.bounding_shape(),
            r.bounding_shape(axis=1),
            r.row_starts(),
            r.row_limits(),
        )

    expected = [[2, 0, 3, 1], 4, [0, 0, 2, 2, 2, 3], [4, 3], 3, [0, 2, 2, 5], [2, 2, 5, 6]]
    assert list(listed(run(how, parts, ragged()))) == expected


@ways
def test_to_tensor(how):
    convert = [
        (lambda r: r.to_tensor(), [[1, 2, 0], [0, 0, 0], [3, 4, 5], [6, 0, 0]]),
        (lambda r: r.to_tensor(-1), [[1, 2, -1], [-1, -1, -1], [3, 4, 5], [6, -1, -1]]),
        (lambda r: r.to_tensor(shape=[None, 2]), [[1, 2], [0, 0], [3, 4], [6, 0]]),
        (lambda r: r.to_tensor(shape=[2, 4]), [[1, 2, 0, 0], [0, 0, 0, 0]]),
        (lambda r: r.to_tensor(9, shape=[5, 1]), [[1], [9], [3], [6], [9]]),
    ]
    for function, expected in convert:
        assert listed(run(how, function, ragged())) == expected
    deep = run(how, lambda r: r.to_tensor(), ragged(DEEP))
    assert listed(deep) == [
        [[1, 0, 0], [2, 3, 0]],
        [[0, 0, 0], [0, 0, 0]],
        [[4, 5, 6], [0, 0, 0]],
    ]
    empty = run(how, lambda r: r.to_tensor(), ragged([[], []], dtype=fg.int32))
    assert empty.shape.as_list() == [2, 0]
    text = run(how, lambda r: r.to_tensor("-"), ragged([["a"], ["b", "c"]]))
    assert listed(text) == [[b"a", b"-"], [b"b", b"c"]]


@ways
def test_to_sparse_and_back(how):
    for rows in (ROWS, [[1]]):
        again = run(how, lambda r: fg.RaggedTensor.from_sparse(r.to_sparse()), ragged(rows))
        assert again.to_list() == rows
    deep = run(how, lambda r: fg.sparse.to_dense(r.to_sparse()), ragged(DEEP))
    assert listed(deep) == listed(ragged(DEEP).to_tensor())
    inner = ragged([[[1, 2]], [], [[0, 3]]], ragged_rank=1)
    dense = run(how, lambda r: fg.sparse.to_dense(r.to_sparse()), inner)
    assert listed(dense) == [[[1, 2]], [[0, 0]], [[0, 3]]]


def test_to_python():
    r = ragged()
    assert r.to_list() == ROWS
    assert [row.tolist() for row in r.numpy()] == ROWS
    assert ragged([[1, 2], [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert repr(r) == "<fg.RaggedTensor [[1, 2], [], [3, 4, 5], [6]]>"
    assert str(r).startswith("<fg.RaggedTensor [[1, 2]")
    assert len(r) == 4
    assert [listed(row) for row in r] == ROWS
    with pytest.raises(ValueError, match="ambiguous"):
        bool(r)
    with pytest.raises(TypeError):
        hash(r)
    assert listed(pickle.loads(pickle.dumps(r))) == ROWS
    assert listed(copy.deepcopy(r)) == ROWS


def test_symbolic_values_have_no_lists():
    shown = []

    @fg.function
    def f(r):
        shown.append(repr(r))
        return r.to_list()

    with pytest.raises(ValueError, match="while tracing"):
        f(ragged())
    assert "RaggedTensor(values=" in shown[0]


def test_conversion_to_a_tensor_is_refused():
    for use in (fg.convert_to_tensor, fg.constant, lambda r: fg.transpose(r)):
        with pytest.raises((TypeError, ValueError), match="RaggedTensor"):
            use(ragged())


# Indexing.


@ways
def test_rows_by_number(how):
    for i in (0, 1, 2, -1, -4):
        assert listed(run(how, lambda r, i=i: r[i], ragged())) == ROWS[i]
    assert listed(run(how, lambda r: r[2, 1], ragged())) == 4
    assert listed(run(how, lambda r, i: r[i], ragged(), fg.constant(2))) == [3, 4, 5]
    assert listed(run(how, lambda r: r[0], ragged(DEEP))) == DEEP[0]
    assert listed(run(how, lambda r: r[0, 1, 0], ragged(DEEP))) == 2


@ways
def test_slices(how):
    ends = [None, 0, 1, 2, 5, -1, -2, -5]
    steps = [None, 1, 2, -1, -2]
    keys = [slice(*k) for k in itertools.product(ends, ends, steps)]
    random.Random(7).shuffle(keys)
    keys = keys if how == "eager" else keys[:25]

    def all_of(r):
        return [r[k] for k in keys], [r[:, k] for k in keys]

    rows, within = run(how, all_of, ragged())
    for key, a, b in zip(keys, rows, within, strict=True):
        assert a.to_list() == ROWS[key], key
        assert b.to_list() == [row[key] for row in ROWS], key


@ways
def test_nested_keys(how):
    deep = ragged(DEEP)
    cases = [
        (lambda r: r[:, :1], [row[:1] for row in DEEP]),
        (lambda r: r[:, :, :1], [[x[:1] for x in row] for row in DEEP]),
        (lambda r: r[::2, 1:, -1:], [[x[-1:] for x in row[1:]] for row in DEEP[::2]]),
        (lambda r: r[..., 1:], [[x[1:] for x in row] for row in DEEP]),
        (lambda r: r[fg.newaxis], [DEEP]),
        (lambda r: r[:, fg.newaxis], [[row] for row in DEEP]),
        (lambda r: r[0, ..., :1], [x[:1] for x in DEEP[0]]),
    ]
    for function, expected in cases:
        assert listed(run(how, function, deep)) == expected
    inner = ragged([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
    assert listed(run(how, lambda r: r[:, :, 1], inner)) == [[2, 4], [], [6]]
    assert listed(run(how, lambda r: r[..., 0], inner)) == [[1, 3], [], [5]]


def test_bad_keys():
    r = ragged()
    with pytest.raises(IndexError, match="Row key 4 out of bounds"):
        r[4]
    with pytest.raises(ValueError, match="ragged axis"):
        r[:, 0]
    with pytest.raises(TypeError):
        r["a"]
    with pytest.raises(TypeError):
        r[1.5]


# Elementwise.


def mapped(function, *rows):
    if isinstance(rows[0], list):
        return [mapped(function, *items) for items in zip(*rows, strict=True)]
    return function(*rows)


@ways
def test_operators(how):
    a, b = ragged(), ragged([[5, 1], [], [7, 4, 2], [6]])
    cases = [
        (lambda x, y: x + y, lambda p, q: p + q),
        (lambda x, y: x - y, lambda p, q: p - q),
        (lambda x, y: x * y, lambda p, q: p * q),
        (lambda x, y: x // y, lambda p, q: p // q),
        (lambda x, y: x % y, lambda p, q: p % q),
        (lambda x, y: x / y, lambda p, q: p / q),
        (lambda x, y: x > y, lambda p, q: p > q),
        (lambda x, y: x <= y, lambda p, q: p <= q),
        (lambda x, y: x == y, lambda p, q: p == q),
        (lambda x, y: x != y, lambda p, q: p != q),
        (lambda x, y: fg.maximum(x, y), max),
        (lambda x, y: fg.pow(x, y), lambda p, q: p**q),
        (lambda x, y: (x > 2) & (y > 2), lambda p, q: p > 2 and q > 2),
        (lambda x, y: ~(x > 2) | (y > 2), lambda p, q: not p > 2 or q > 2),
        (lambda x, y: -x + abs(y - 3) + 1, lambda p, q: -p + abs(q - 3) + 1),
        (lambda x, y: 10 - x, lambda p, q: 10 - p),
        (lambda x, y: fg.constant(3) * x, lambda p, q: 3 * p),
        (lambda x, y: fg.cast(x, fg.float32) * 0.5, lambda p, q: p * 0.5),
        (lambda x, y: fg.square(fg.negative(x)), lambda p, q: p * p),
    ]
    for function, plain in cases:
        assert run(how, function, a, b).to_list() == mapped(plain, a.to_list(), b.to_list())


@ways
def test_broadcasting(how):
    r = ragged()
    columns = fg.constant([[10], [20], [30], [40]])
    rows = [[11, 12], [], [33, 34, 35], [46]]
    assert run(how, lambda x, c: x + c, r, columns).to_list() == rows
    assert run(how, lambda x, c: c + x, r, columns).to_list() == rows
    assert run(how, lambda x: x + [[10], [20], [30], [40]], r).to_list() == rows
    one = fg.constant([[100]])
    assert run(how, lambda x, c: x + c, r, one).to_list() == mapped(lambda v: v + 100, ROWS)
    equal = ragged([[1, 2], [3, 4]])
    both = run(how, lambda x, c: x + c, equal, fg.constant([[10, 20]]))
    assert both.to_list() == [[11, 22], [13, 24]]
    vector = run(how, lambda x, c: x + c, equal, fg.constant([10, 20]))
    assert vector.to_list() == [[11, 22], [13, 24]]
    inner = ragged([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
    moved = run(how, lambda x, c: x + c, inner, fg.constant([10, 20]))
    assert moved.to_list() == [[[11, 22], [13, 24]], [], [[15, 26]]]
    deep = run(how, lambda x, c: x * c, ragged(DEEP), fg.constant([[[10]], [[20]], [[30]]]))
    assert deep.to_list() == [[[10], [20, 30]], [], [[120, 150, 180], []]]
    expanded = run(how, lambda x, y: x + fg.expand_dims(y, 1), ragged(), fg.constant([1, 2, 3, 4]))
    assert expanded.to_list() == [[2, 3], [], [6, 7, 8], [10]]


@ways
def test_rows_that_differ_do_not_broadcast(how):
    # While tracing the numbers of values may be known to differ.
    error = fg.errors.InvalidArgumentError
    error = (error, ValueError) if how == "traced" else error
    with pytest.raises(error):
        run(how, lambda x, y: x + y, ragged(), ragged([[1], [2], [3], [4]]))
    with pytest.raises(error):
        run(how, lambda x, y: x + y, ragged(), fg.constant([[1, 2]] * 4))
    with pytest.raises(error):
        run(how, lambda x, y: x + y, ragged(), ragged([[1, 2], []]))


@ways
def test_where(how):
    r = ragged()
    assert run(how, lambda x: fg.where(x > 2, x, 0), r).to_list() == [[0, 0], [], [3, 4, 5], [6]]
    places = run(how, lambda x: fg.where(x > 2), r)
    assert listed(places) == [[2, 0], [2, 1], [2, 2], [3, 0]]


@ways
def test_map_flat_values(how):
    r = ragged()
    doubled = run(how, lambda x: fg.ragged.map_flat_values(fg.add, x, x), r)
    assert doubled.to_list() == mapped(lambda v: v + v, ROWS)
    with pytest.raises(ValueError, match="made values of shape"):
        fg.ragged.map_flat_values(lambda v: v[:1], r)
    with pytest.raises(fg.errors.InvalidArgumentError):
        fg.ragged.map_flat_values(fg.add, r, ragged([[1], [2], [3], [4]]))
    assert int(fg.ragged.map_flat_values(fg.square, 3)) == 9


@ways
def test_functions_of_strings_and_others(how):
    words = ragged([["Ab", "c"], []])
    assert run(how, fg.strings.lower, words).to_list() == [[b"ab", b"c"], []]
    assert run(how, fg.strings.length, words).to_list() == [[2, 1], []]
    assert listed(run(how, fg.size, ragged())) == 6
    assert run(how, fg.zeros_like, ragged()).to_list() == mapped(lambda v: 0, ROWS)
    hot = run(how, lambda x: fg.one_hot(x, 3), ragged([[0], [2, 1]]))
    assert hot.to_list() == [[[1, 0, 0]], [[0, 0, 1], [0, 1, 0]]]


# Reductions.


@ways
@pytest.mark.parametrize("rows", [ROWS, [[1]], [[], []]])
def test_reductions(how, rows):
    r = fg.cast(ragged(rows, dtype=fg.int32), fg.float32)
    width = max(len(row) for row in rows)
    columns = [[row[i] for row in rows if i < len(row)] for i in range(width)]
    everything = [v for row in rows for v in row]
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=1), r)) == [sum(row) for row in rows]
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=0), r)) == [sum(c) for c in columns]
    assert listed(run(how, lambda x: fg.reduce_sum(x), r)) == sum(everything)
    assert listed(run(how, lambda x: fg.reduce_max(x, axis=0), r)) == [max(c) for c in columns]
    products = run(how, lambda x: fg.reduce_prod(x, axis=-1), r)
    assert listed(products) == [float(np.prod(row)) for row in rows]
    means = listed(run(how, lambda x: fg.reduce_mean(x, axis=1), r))
    for mean, row in zip(means, rows, strict=True):
        assert (mean == pytest.approx(np.mean(row))) if row else np.isnan(mean)
    some = run(how, lambda x: fg.reduce_any(x > 4, axis=1), r)
    assert listed(some) == [any(v > 4 for v in row) for row in rows]
    every = run(how, lambda x: fg.reduce_all(x > 2, axis=1), r)
    assert listed(every) == [all(v > 2 for v in row) for row in rows]
    kept = run(how, lambda x: fg.reduce_sum(x, axis=1, keepdims=True), r)
    assert listed(kept) == [[sum(row)] for row in rows]


@ways
def test_reductions_of_deep_ones(how):
    deep = ragged(DEEP)
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=2), deep)) == [[1, 5], [], [15, 0]]
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=1), deep)) == [[3, 3], [], [4, 5, 6]]
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=0), deep)) == [[5, 5, 6], [2, 3]]
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=[1, 2]), deep)) == [6, 0, 15]
    assert listed(run(how, lambda x: fg.reduce_sum(x, axis=[0, 2]), deep)) == [16, 5]
    mean = run(how, lambda x: fg.reduce_mean(fg.cast(x, fg.float32), axis=[1, 2])[::2], deep)
    assert listed(mean) == [2.0, 5.0]
    spread = run(how, lambda x: fg.math.reduce_variance(fg.cast(x, fg.float32), axis=2), deep)
    assert spread.to_list()[0] == pytest.approx([0.0, 0.25])
    with pytest.raises(ValueError, match="outside"):
        fg.reduce_sum(deep, axis=3)


# Joining and rearranging.


@ways
def test_running_sums(how):
    r = fg.ragged.constant([[1, 2, 3], [], [4, 5]])
    for axis, options, wanted in [
        (0, {}, [[1, 2, 3], [], [5, 7]]),
        (1, {}, [[1, 3, 6], [], [4, 9]]),
        (-1, {"exclusive": True}, [[0, 1, 3], [], [0, 4]]),
        (1, {"reverse": True}, [[6, 5, 3], [], [9, 5]]),
        (1, {"reverse": True, "exclusive": True}, [[5, 3, 0], [], [5, 0]]),
    ]:
        found = run(how, lambda x, a=axis, o=options: fg.cumsum(x, a, **o), r)
        assert listed(found) == wanted
    deep = fg.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    for axis, wanted in enumerate(
        [
            [[[1, 2], [3]], [], [[5, 7, 6]]],
            [[[1, 2], [4]], [], [[4, 5, 6]]],
            [[[1, 3], [3]], [], [[4, 9, 15]]],
        ]
    ):
        assert listed(run(how, lambda x, a=axis: fg.cumsum(x, a), deep)) == wanted
    pairs = fg.RaggedTensor.from_row_lengths([[1, 2], [3, 4], [5, 6]], [2, 1])
    for axis, wanted in enumerate(
        [
            [[[1, 2], [3, 4]], [[6, 8]]],
            [[[1, 2], [4, 6]], [[5, 6]]],
            [[[1, 3], [3, 7]], [[5, 11]]],
        ]
    ):
        assert listed(run(how, lambda x, a=axis: fg.cumsum(x, a), pairs)) == wanted
    with pytest.raises(ValueError, match="axis 3 is outside"):
        fg.cumsum(pairs, 3)


@ways
def test_concat_and_stack(how):
    a, b = ragged(), ragged([[9], [8, 7], [], [0]])
    cases = [
        (lambda x, y: fg.concat([x, y], 0), ROWS + b.to_list()),
        (
            lambda x, y: fg.concat([x, y], 1),
            [p + q for p, q in zip(ROWS, b.to_list(), strict=True)],
        ),
        (
            lambda x, y: fg.concat([x, y, x], -1),
            [p + q + p for p, q in zip(ROWS, b.to_list(), strict=True)],
        ),
        (lambda x, y: fg.stack([x, y]), [ROWS, b.to_list()]),
        (
            lambda x, y: fg.stack([x, y], 1),
            [[p, q] for p, q in zip(ROWS, b.to_list(), strict=True)],
        ),
        (lambda x, y: fg.concat([x, [[4, 4]]], 0), [*ROWS, [4, 4]]),
    ]
    for function, expected in cases:
        assert run(how, function, a, b).to_list() == expected
    deep = run(how, lambda x: fg.concat([x, x], 2), ragged(DEEP))
    assert deep.to_list() == [[v + v for v in row] for row in DEEP]


@ways
def test_gather(how):
    r, picks = ragged(), fg.constant([3, 0, 0, 1])
    assert run(how, fg.gather, r, picks).to_list() == [ROWS[i] for i in (3, 0, 0, 1)]
    assert listed(run(how, fg.gather, r, fg.constant(2))) == ROWS[2]
    nested = run(how, fg.gather, r, fg.constant([[0, 2], [1, 3]]))
    assert nested.to_list() == [[ROWS[0], ROWS[2]], [ROWS[1], ROWS[3]]]
    from_tensor = run(how, fg.gather, fg.constant([10, 20, 30, 40, 50, 60, 70]), r)
    assert from_tensor.to_list() == mapped(lambda v: v * 10 + 10, ROWS)
    both = run(how, fg.gather, r, ragged([[0], [], [2, 3]]))
    assert both.to_list() == [[ROWS[0]], [], [ROWS[2], ROWS[3]]]
    inside = run(how, lambda x, i: fg.gather(x, i, batch_dims=1), r, ragged([[1], [], [2, 0], [0]]))
    assert inside.to_list() == [[2], [], [5, 3], [6]]


@ways
def test_rearranging(how):
    r, deep = ragged(), ragged(DEEP)
    cases = [
        (lambda x: fg.expand_dims(x, 0), r, [ROWS]),
        (lambda x: fg.expand_dims(x, 1), r, [[row] for row in ROWS]),
        (lambda x: fg.expand_dims(x, -1), r, mapped(lambda v: [v], ROWS)),
        (lambda x: fg.reverse(x, [0]), r, ROWS[::-1]),
        (lambda x: fg.reverse(x, [1]), r, [row[::-1] for row in ROWS]),
        (lambda x: fg.reverse(x, [0, 2]), deep, [[v[::-1] for v in row] for row in DEEP[::-1]]),
        (lambda x: fg.tile(x, [2, 1]), r, ROWS * 2),
        (lambda x: fg.tile(x, [1, 2]), r, [row * 2 for row in ROWS]),
        (lambda x: x.merge_dims(0, 1), deep, [v for row in DEEP for v in row]),
        (lambda x: x.merge_dims(1, 2), deep, [[v for x in row for v in x] for row in DEEP]),
        (lambda x: x.merge_dims(0, 2), deep, [1, 2, 3, 4, 5, 6]),
        (lambda x: x.merge_dims(0, 1), r, [1, 2, 3, 4, 5, 6]),
        (lambda x: fg.squeeze(fg.expand_dims(x, 1), 1), r, ROWS),
        (lambda x: fg.ragged.boolean_mask(x, x > 2), r, [[], [], [3, 4, 5], [6]]),
        (lambda x: fg.boolean_mask(x, [True, False, True, False]), r, [[1, 2], [3, 4, 5]]),
        (lambda x: fg.ragged.boolean_mask(x, [True, False, True]), deep, [DEEP[0], DEEP[2]]),
    ]
    for function, value, expected in cases:
        assert listed(run(how, function, value)) == expected


@ways
def test_ranges_and_partitions(how):
    counts = fg.constant([3, 0, 2])
    assert run(how, fg.ragged.range, counts).to_list() == [[0, 1, 2], [], [0, 1]]
    between = run(
        how, lambda a, b: fg.ragged.range(a, b, 2), fg.constant([0, 5]), fg.constant([5, 6])
    )
    assert between.to_list() == [[0, 2, 4], [5]]
    down = run(how, lambda a: fg.ragged.range(a, 0, -1), counts)
    assert down.to_list() == [[3, 2, 1], [], [2, 1]]
    floats = run(how, lambda a: fg.ragged.range(a, 1.0, 0.5), fg.constant([0.0, 0.25]))
    assert floats.to_list() == [[0.0, 0.5], [0.25, 0.75]]
    rows = run(
        how,
        lambda p: fg.ragged.stack_dynamic_partitions([10, 20, 30, 40], p, 3),
        fg.constant([2, 0, 2, 0]),
    )
    assert rows.to_list() == [[20, 40], [], [10, 30]]
    ids = run(how, fg.ragged.row_splits_to_segment_ids, fg.constant([0, 2, 2, 3]))
    assert listed(ids) == [0, 0, 2]
    splits = run(how, fg.ragged.segment_ids_to_row_splits, fg.constant([0, 0, 2]))
    assert listed(splits) == [0, 2, 2, 3]


# As values of functions.


def test_specs():
    r = ragged()
    spec = fg.type_spec_from_value(r)
    assert spec == fg.RaggedTensorSpec([4, None], fg.int32, 1, fg.int64)
    assert spec.is_compatible_with(r)
    assert fg.RaggedTensorSpec([None, None], fg.int32).is_compatible_with(r)
    assert not fg.RaggedTensorSpec([None, None], fg.float32).is_compatible_with(r)
    assert not fg.RaggedTensorSpec([None, None, None], fg.int32).is_compatible_with(r)
    assert spec.is_subtype_of(fg.RaggedTensorSpec([None, None], fg.int32))
    assert spec.value_type is fg.RaggedTensor
    assert pickle.loads(pickle.dumps(spec)) == spec
    with pytest.raises(ValueError, match="is not below the rank"):
        fg.RaggedTensorSpec([None], ragged_rank=1)
    with pytest.raises(ValueError, match="known rank"):
        fg.RaggedTensorSpec()
    assert [s.dtype for s in fg.nest.flatten(spec, expand_composites=True)] == [fg.int32, fg.int64]


def test_one_trace_for_rows_of_any_length():
    traces = []

    @fg.function
    def f(r):
        traces.append(r.shape.as_list())
        return r * 2

    for rows in (ROWS, [[1]], [[], [2, 3]], [[1]] * 7):
        assert f(ragged(rows, dtype=fg.int32)).to_list() == mapped(lambda v: v * 2, rows)
    assert traces == [[4, None], [None, None]]
    f(ragged(DEEP))
    f(ragged([[1.0]]))
    assert len(traces) == 4


def test_input_signatures_check_ragged_arguments():
    @fg.function(input_signature=[fg.RaggedTensorSpec([None, None], fg.int32)])
    def f(r):
        return fg.reduce_sum(r, axis=1)

    assert listed(f(ragged())) == [3, 0, 12, 6]
    for bad in (ragged([[1.0]]), ragged(DEEP), fg.constant([[1]]), [[1]]):
        with pytest.raises(TypeError, match="incompatible with input_signature"):
            f(bad)
    concrete = f.get_concrete_function()
    assert listed(concrete(ragged([[7, 1]]))) == [8]
    assert isinstance(concrete.structured_input_signature[0][0], fg.RaggedTensorSpec)


@pytest.mark.parametrize("how", ["eager", "traced", "open"])
def test_loops_over_rows(how):
    def f(r):
        total, longest = 0, 0
        for row in r:
            total += fg.reduce_sum(row)
            longest = fg.maximum(longest, fg.size(row))
        return total, longest

    assert [int(v) for v in run(how, f, ragged())] == [21, 3]


@ways
def test_loop_variables_and_branches(how):
    def f(r, n):
        for i in fg.range(n):
            if i % 2 == 0:  # noqa: SIM108
                r = r + 1
            else:
                r = r * 2
        return r

    assert run(how, f, ragged(), fg.constant(3)).to_list() == mapped(
        lambda v: (v + 1) * 2 + 1, ROWS
    )
    picked = run(
        how, lambda r, c: fg.cond(c, lambda: r, lambda: r[:1]), ragged(), fg.constant(False)
    )
    assert picked.to_list() == ROWS[:1]


@ways
def test_map_fn(how):
    r = ragged()
    sums = run(how, lambda x: fg.map_fn(fg.reduce_sum, x, fn_output_signature=fg.int32), r)
    assert listed(sums) == [3, 0, 12, 6]
    spec = fg.RaggedTensorSpec([None], fg.int32)
    made = run(
        how, lambda x: fg.map_fn(fg.range, x, fn_output_signature=spec), fg.constant([2, 0, 3])
    )
    assert made.to_list() == [[0, 1], [], [0, 1, 2]]
    double = run(how, lambda x: fg.map_fn(lambda row: row * 2, x, fn_output_signature=spec), r)
    assert double.to_list() == mapped(lambda v: v * 2, ROWS)
    deep_spec = fg.RaggedTensorSpec([None, None], fg.int32)
    deep = run(
        how,
        lambda x: fg.map_fn(lambda rows: rows + 1, x, fn_output_signature=deep_spec),
        ragged(DEEP),
    )
    assert deep.to_list() == [[[v + 1 for v in x] for x in row] for row in DEEP]


@ways
def test_gradients(how):
    def f(r):
        with fg.GradientTape() as tape:
            tape.watch(r)
            y = fg.reduce_sum(fg.reduce_sum(r * r, axis=1) * [1.0, 2.0, 3.0])
        return tape.gradient(y, r)

    found = run(how, f, ragged([[1.0, 2.0], [], [3.0]]))
    assert found.to_list() == [[2.0, 4.0], [], [18.0]]

    def dense(r):
        with fg.GradientTape() as tape:
            tape.watch(r)
            y = fg.reduce_sum(r.to_tensor() ** 2) + fg.reduce_sum(fg.concat([r, r], 1))
        return tape.gradient(y, r)

    assert run(how, dense, ragged([[1.0, 2.0], [], [3.0]])).to_list() == [[4.0, 6.0], [], [8.0]]


def test_against_lists_at_random():
    rng = random.Random(3)
    for _ in range(20):
        rows = [
            [rng.randrange(9) for _ in range(rng.randrange(5))] for _ in range(rng.randrange(1, 6))
        ]
        r = ragged(rows, dtype=fg.int32)
        assert r.to_list() == rows
        assert fg.RaggedTensor.from_tensor(r.to_tensor(-1), padding=-1).to_list() == rows
        assert listed(fg.reduce_sum(r, 1)) == [sum(row) for row in rows]
        assert fg.concat([r, r], 1).to_list() == [row + row for row in rows]
        assert r[:, ::-1].to_list() == [row[::-1] for row in rows]


TEXTS = [["a", "b"], ["c"]]
DEEP_TEXTS = [[["a"], ["b", "c"]], [[]]]


@pytest.mark.parametrize(
    ("value", "axis", "want"),
    [
        (TEXTS, None, b"a-b-c"),
        (TEXTS, 1, [b"a-b", b"c"]),
        (TEXTS, -1, [b"a-b", b"c"]),
        (TEXTS, 0, [b"a-c", b"b"]),
        (DEEP_TEXTS, 2, [[b"a", b"b-c"], [b""]]),
        (DEEP_TEXTS, 1, [[b"a-b", b"c"], []]),
        (DEEP_TEXTS, 0, [[b"a"], [b"b", b"c"]]),
        (DEEP_TEXTS, [1, 2], [b"a-b-c", b""]),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_strings_are_joined_along_axes_as_recorded(value, axis, want, traced):
    def joined(x):
        return fg.strings.reduce_join(x, axis=axis, separator="-")

    made = (fg.function(joined) if traced else joined)(fg.ragged.constant(value))
    found = made.to_list() if isinstance(made, fg.RaggedTensor) else made.numpy()
    assert (found.tolist() if hasattr(found, "tolist") else found) == want


def test_strings_of_the_same_rows_are_joined():
    a, b = fg.ragged.constant(TEXTS), fg.ragged.constant([["x", "y"], ["z"]])
    assert fg.strings.join([a, b], "-").to_list() == [[b"a-x", b"b-y"], [b"c-z"]]
    assert fg.strings.join(["<", a, ">"]).to_list() == [[b"<a>", b"<b>"], [b"<c>"]]
    with pytest.raises(fg.errors.InvalidArgumentError, match="different lengths"):
        fg.strings.join([a, fg.ragged.constant([["x"], ["y", "z"]])])


def _seen(what, *args):
    """What a function sees of its arguments while it is traced, and how often it was."""
    seen = []

    @fg.function
    def f(x):
        seen.append(what(x))
        return fg.constant(0)

    for arg in args:
        f(arg)
    return seen


def test_a_trace_sees_no_number_of_values():
    def shapes(r):
        return [part.shape.as_list() for part in (r.flat_values, *r.nested_row_splits)]

    flat = [fg.ragged.constant([[1], [2, 3]]), fg.ragged.constant([[1, 2, 3], [4, 5]])]
    assert _seen(shapes, *flat) == [[[None], [3]]]
    deep = [fg.ragged.constant([[[1]], [[2, 3], []]]), fg.ragged.constant([[], [[4]]])]
    assert _seen(shapes, *deep) == [[[None], [3], [None]]]
    inner = fg.RaggedTensor.from_row_lengths(fg.ones([3, 4]), [1, 2])
    assert _seen(shapes, inner) == [[[None, 4], [3]]]
    assert len(_seen(shapes, *flat, fg.ragged.constant([[1], [2], [3]]))) == 2


@pytest.mark.parametrize(
    "value",
    [range(3), np.arange(6).reshape(2, 3), np.array(["ab"]), fg.ragged.constant([[1], [2, 3]])],
)
def test_what_is_no_list_is_stacked_alone(value):
    def listed(t):
        return t.to_list() if isinstance(t, fg.RaggedTensor) else fg.constant(t).numpy().tolist()

    assert listed(fg.ragged.stack(value)) == [listed(value)]


def test_what_cannot_be_stacked_is_refused():
    endless = np.broadcast_to(np.float32(1), (2**40, 2**20))
    for value in ([], (), {"a": 1}, iter([[1]]), endless):
        with pytest.raises((ValueError, TypeError, fg.errors.ResourceExhaustedError)):
            fg.ragged.stack(value)


def test_the_shape_of_a_ragged_tensor():
    rows = fg.RaggedTensor.from_row_lengths(fg.ones([3, 4]), [1, 2])
    shape = fg.shape(rows)
    assert shape.rank == 3 and int(shape[0]) == 2 and int(shape[2]) == int(shape[-1]) == 4
    assert shape[0].dtype == fg.int32 and fg.shape(rows, fg.int64)[2].dtype == fg.int64
    with pytest.raises(ValueError, match="axis 1"):
        shape[1]
    with pytest.raises(IndexError):
        shape[3]


def test_the_shape_of_a_sparse_tensor():
    assert fg.shape(fg.sparse.eye(2, 3)).numpy().tolist() == [2, 3]


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_stacked_partitions_have_row_splits_of_their_dtype(kind):
    partitions = fg.constant([0, 2, 0], kind)
    rows = fg.ragged.stack_dynamic_partitions([1, 2, 3], partitions, 4)
    assert rows.row_splits.dtype.name == kind
    assert rows.to_list() == [[1, 3], [], [2], []]
    ragged = fg.ragged.constant([[1], [], [2, 3]])
    nested = fg.ragged.stack_dynamic_partitions(ragged, partitions, 3)
    assert nested.to_list() == [[[1], [2, 3]], [], [[]]]


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_ragged_truths_of_rows_of_one_length(wrap):
    values = fg.reshape(fg.range(12.0), [6, 2])
    rows = fg.RaggedTensor.from_row_splits(values, [0, 2, 2, 6])
    kept = wrap(lambda: fg.ragged.boolean_mask(rows, rows > 8))()
    assert kept.to_list() == [[[], []], [], [[], [], [9.0], [10.0, 11.0]]]
    places = wrap(lambda: fg.where(rows > 8))()
    assert places.numpy().tolist() == [[2, 2, 1], [2, 3, 0], [2, 3, 1]]
