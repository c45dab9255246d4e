"""Ragged and sparse tensors and extension types in every method of datasets and every callback.

What comes out is told by what each method is documented to do with elements, on lists of Python.
"""

import ferrograph as fg
import pytest

Dataset = fg.data.Dataset


class Pair(fg.experimental.BatchableExtensionType):
    a: fg.Tensor
    r: fg.RaggedTensor


def ragged():
    return fg.ragged.constant([[[1], [2, 3]], [[4]], [[], [5]]])


def sparse():
    return fg.sparse.from_dense([[[1, 0], [0, 2]], [[0, 3], [0, 0]], [[0, 0], [4, 5]]])


def pair():
    return Pair([[1, 2], [3, 4], [5, 6]], fg.ragged.constant([[1], [], [2, 3]]))


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, Pair):
        return [shown(value.a), shown(value.r)]
    if hasattr(value, "to_list"):
        return value.to_list()
    if hasattr(value, "dense_shape"):
        return fg.sparse.to_dense(value).numpy().tolist()
    return value.numpy().tolist()


def rows_of(value):
    if isinstance(value, Pair):
        return [list(row) for row in zip(shown(value.a), shown(value.r), strict=True)]
    return shown(value)


def batch_of(value, rows):
    """What a batch of some rows shows."""
    return [list(part) for part in zip(*rows, strict=True)] if isinstance(value, Pair) else rows


VALUES = pytest.mark.parametrize("make", [ragged, sparse, pair], ids=lambda f: f.__name__)

# Each method: what it does with the dataset of the rows, and what of the list of the rows.
ONE = {
    "apply": (lambda d: d.apply(lambda d: d.skip(1)), lambda r: r[1:]),
    "cache": (lambda d: d.cache(), lambda r: r),
    "concatenate": (lambda d: d.concatenate(d), lambda r: r + r),
    "choose_from_datasets": (
        lambda d: Dataset.choose_from_datasets([d, d.skip(2)], Dataset.range(2)),
        lambda r: [r[0], r[2]],
    ),
    "enumerate": (lambda d: d.enumerate().map(lambda _, x: x), lambda r: r),
    "filter": (lambda d: d.enumerate().filter(lambda i, _: i > 0).map(_second), lambda r: r[1:]),
    "flat_map": (
        lambda d: d.flat_map(lambda x: Dataset.from_tensors(x).repeat(2)),
        lambda r: _twice(r),
    ),
    "from_tensors": (lambda d: d.map(lambda x: x), lambda r: r),
    "group_by_window": (
        lambda d: d.group_by_window(lambda _: fg.constant(0, fg.int64), lambda _, w: w, 5),
        lambda r: r,
    ),
    "ignore_errors": (lambda d: d.ignore_errors(), lambda r: r),
    "interleave": (
        lambda d: d.interleave(lambda x: Dataset.from_tensors(x), cycle_length=1),
        lambda r: r,
    ),
    "map": (
        lambda d: d.map(lambda x: (x, 1), num_parallel_calls=2).map(lambda x, _: x),
        lambda r: r,
    ),
    "options": (lambda d: d.with_options(d.options()), lambda r: r),
    "prefetch": (lambda d: d.prefetch(1), lambda r: r),
    "repeat": (lambda d: d.repeat(2), lambda r: r + r),
    "sample_from_datasets": (lambda d: Dataset.sample_from_datasets([d]), lambda r: r),
    "scan": (lambda d: d.scan(0, lambda n, x: (n + 1, x)), lambda r: r),
    "shard": (lambda d: d.shard(2, 1), lambda r: r[1::2]),
    "shuffle": (lambda d: d.shuffle(1), lambda r: r),
    "skip": (lambda d: d.skip(1), lambda r: r[1:]),
    "take": (lambda d: d.take(2), lambda r: r[:2]),
    "take_while": (
        lambda d: d.enumerate().take_while(lambda i, _: i < 2).map(_second),
        lambda r: r[:2],
    ),
    "window": (lambda d: d.window(2).flat_map(lambda w: w), lambda r: r),
    "zip": (lambda d: Dataset.zip(d, d.skip(1)).map(lambda _, y: y), lambda r: r[1:]),
    "rejection_resample": (
        lambda d: d.rejection_resample(lambda _: 0, [1.0], [1.0]).map(_second),
        lambda r: r,
    ),
    "bucket_by_sequence_length": (
        lambda d: d.bucket_by_sequence_length(lambda _: 1, [5], [1, 1], no_padding=True).unbatch(),
        lambda r: r,
    ),
}
MANY = {
    "batch": (lambda d: d.batch(2), lambda r: [r[:2], r[2:]]),
    "ragged_batch": (lambda d: d.ragged_batch(2), lambda r: [r[:2], r[2:]]),
    "rebatch": (lambda d: d.batch(3).rebatch(2), lambda r: [r[:2], r[2:]]),
    "batch twice": (lambda d: d.batch(3).unbatch().batch(1), lambda r: [[x] for x in r]),
    "unbatch": (lambda d: d.batch(2).unbatch().batch(3), lambda r: [r]),
}
# Not of elements that are composites: others make their elements, or take tensors alone.
ELSEWHERE = {
    "as_numpy_iterator": "arrays of tensors alone",
    "cardinality": "a number",
    "counter": "makes numbers",
    "element_spec": "asked for by every case",
    "from_generator": "has a test of its own below",
    "from_tensor_slices": "is where each case begins",
    "get_single_element": "has a test of its own below",
    "list_files": "makes names",
    "load": "has a test of its own below",
    "padded_batch": "pads tensors, and the parts of extension types",
    "random": "makes numbers",
    "range": "makes numbers",
    "reduce": "has a test of its own below",
    "save": "has a test of its own below",
    "snapshot": "has a test of its own below",
    "sparse_batch": "makes sparse tensors of tensors",
    "unique": "compares tensors alone",
    "with_options": "is taken with options",
}


def _second(_, value):
    return value


def _twice(rows):
    return [row for row in rows for _ in range(2)]


def test_every_method_of_datasets_has_its_case():
    methods = {name for name in dir(Dataset) if not name.startswith("_")}
    named = {*ONE, *(name for name in MANY if " " not in name), *ELSEWHERE}
    assert methods == named


@VALUES
@pytest.mark.parametrize("name", sorted(ONE))
def test_elements(name, make):
    value = make()
    through, expected = ONE[name]
    found = through(Dataset.from_tensor_slices(value))
    assert [shown(x) for x in found] == expected(rows_of(value))
    assert type(found.element_spec) is type(Dataset.from_tensor_slices(value).element_spec)


@VALUES
@pytest.mark.parametrize("name", sorted(MANY))
def test_batches(name, make):
    value = make()
    through, expected = MANY[name]
    found = [shown(x) for x in through(Dataset.from_tensor_slices(value))]
    assert found == [batch_of(value, rows) for rows in expected(rows_of(value))]


@VALUES
def test_made_reduced_and_single(make):
    value = make()
    rows = Dataset.from_tensor_slices(value)
    first = next(iter(rows))
    spec = rows.element_spec
    made = Dataset.from_generator(lambda: iter([first, first]), output_signature=spec)
    assert [shown(x) for x in made] == [rows_of(value)[0]] * 2
    assert shown(Dataset.from_tensors(value).get_single_element()) == shown(value)
    assert shown(rows.reduce(first, lambda _, x: x)) == rows_of(value)[-1]


@VALUES
def test_stored(make, tmp_path):
    value = make()
    rows = Dataset.from_tensor_slices(value)
    rows.save(str(tmp_path / "saved"))
    again = Dataset.load(str(tmp_path / "saved"), element_spec=rows.element_spec)
    assert [shown(x) for x in again] == rows_of(value)
    kept = rows.snapshot(str(tmp_path / "kept"))
    assert [shown(x) for x in kept] == rows_of(value)


@VALUES
@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_callbacks(make, wrap):
    value = make()
    spec = fg.type_spec_from_value(value)
    three = fg.constant(3)
    calls = {
        "arguments": lambda v: v,
        "nested results": lambda v: {"a": [v]}["a"][0],
        "py_function": lambda v: fg.py_function(lambda v: v, [v], spec),
        "cond": lambda v: fg.cond(three > 2, lambda: v, lambda: v),
        "case": lambda v: fg.case([(three > 5, lambda: v)], default=lambda: v),
        "switch_case": lambda v: fg.switch_case(three - 3, [lambda: v, lambda: v]),
        "while_loop": lambda v: fg.while_loop(lambda i, _: i < 2, lambda i, v: (i + 1, v), [0, v])[
            1
        ],
        "map_fn": lambda v: fg.map_fn(lambda row: row, v),
        "identity": lambda v: fg.nest.map_structure(fg.identity, v, expand_composites=True),
        "function in function": lambda v: fg.function(lambda v: v)(v),
        "custom class": lambda v: fg.nest.flatten([v])[0],
    }
    for name, call in calls.items():
        assert shown(wrap(call)(value)) == shown(value), name
    with pytest.raises((TypeError, ValueError)):
        wrap(lambda v: fg.numpy_function(lambda v: v, [v], fg.int32))(value)


@VALUES
def test_signatures(make):
    value = make()
    spec = fg.type_spec_from_value(value)
    named = fg.function(lambda v: v, input_signature=[spec])
    assert shown(named(value)) == shown(value)
    concrete = fg.function(lambda v: v).get_concrete_function(spec)
    assert shown(concrete(value)) == shown(value)
    loop = fg.function(_carried)
    assert shown(loop(value, fg.constant(3))) == shown(value)


def _carried(value, n):
    found = value
    for i in fg.range(n):
        if i > 1:  # noqa: SIM108 - a branch of the graph
            found = value
        else:
            found = fg.nest.map_structure(fg.identity, found, expand_composites=True)
    return found
