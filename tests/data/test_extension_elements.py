"""Extension types as elements: rows of them, batches, and what encodes them.

The values are those of tensorflow 2.21.0, which has no padded batches of them; here each part is
padded.
"""

import ferrograph as fg
import pytest

X, Dataset = fg.experimental, fg.data.Dataset


class Masked(X.BatchableExtensionType):
    v: fg.Tensor
    m: fg.Tensor
    name: str = "n"


class Nested(X.BatchableExtensionType):
    r: fg.RaggedTensor
    inner: Masked


class Plain(X.ExtensionType):
    v: fg.Tensor


class Halved(X.ExtensionTypeBatchEncoder):
    """Stacks values doubled."""

    def batch(self, spec, batch_size):
        shape = [batch_size, *spec.v.shape.as_list()]
        return Doubled.Spec(fg.TensorSpec(shape, spec.v.dtype))

    def unbatch(self, spec):
        return Doubled.Spec(fg.TensorSpec(spec.v.shape[1:], spec.v.dtype))

    def encoding_specs(self, spec):
        return [fg.TensorSpec(spec.v.shape, spec.v.dtype)]

    def encode(self, spec, value, minimum_rank=0):
        return [value.v * 2]

    def decode(self, spec, encoded_value):
        return Doubled(encoded_value[0] // 2)


class Doubled(X.BatchableExtensionType):
    v: fg.Tensor
    __batch_encoder__ = Halved()


def masked():
    return Masked([[1, 2], [3, 4], [5, 6]], [[True, False], [True, True], [False, False]])


def nested():
    return Nested(fg.ragged.constant([[1], [2, 3], []]), masked())


def shown(value):
    if isinstance(value, Masked):
        return value.v.numpy().tolist(), value.m.numpy().tolist(), value.name
    if isinstance(value, Nested):
        rows = value.r
        return rows.to_list() if hasattr(rows, "to_list") else rows.numpy().tolist(), shown(
            value.inner
        )
    return value.v.numpy().tolist()


ROWS = [([1, 2], [True, False], "n"), ([3, 4], [True, True], "n"), ([5, 6], [False, False], "n")]
PAIRS = [
    ([[1, 2], [3, 4]], [[True, False], [True, True]], "n"),
    ([[5, 6]], [[False, False]], "n"),
]


def test_rows_and_batches():
    rows = Dataset.from_tensor_slices(masked())
    assert [shown(x) for x in rows] == ROWS
    assert [shown(x) for x in rows.batch(2)] == PAIRS
    assert [shown(x) for x in rows.batch(2, drop_remainder=True)] == PAIRS[:1]
    assert rows.batch(2, drop_remainder=True).element_spec.v.shape == [2, 2]
    assert [shown(x) for x in rows.batch(3).rebatch(2)] == PAIRS
    assert [shown(x) for x in rows.batch(2).unbatch()] == ROWS
    assert [shown(x) for x in Dataset.from_tensors(masked()).unbatch()] == ROWS
    assert [shown(x) for x in rows.window(2).flat_map(lambda w: w.batch(2))] == PAIRS
    assert [shown(x) for x in rows.ragged_batch(2)] == PAIRS
    both = Dataset.from_tensor_slices({"a": masked(), "b": [1, 2, 3]}).batch(3)
    assert [(shown(x["a"])[0], x["b"].numpy().tolist()) for x in both] == [
        ([[1, 2], [3, 4], [5, 6]], [1, 2, 3])
    ]


def test_parts_that_are_ragged_or_extension_types():
    rows = Dataset.from_tensor_slices(nested())
    expected = [([1], ROWS[0]), ([2, 3], ROWS[1]), ([], ROWS[2])]
    assert [shown(x) for x in rows] == expected
    assert [shown(x) for x in rows.batch(2)] == [([[1], [2, 3]], PAIRS[0]), ([[]], PAIRS[1])]
    assert [shown(x) for x in Dataset.from_tensors(nested()).unbatch()] == expected
    found = fg.map_fn(lambda x: x, nested())
    assert shown(found) == ([[1], [2, 3], []], shown(masked()))


def test_parts_are_padded():
    rows = Dataset.range(1, 4).map(lambda i: Masked(fg.range(i), fg.ones([i], fg.bool)))
    assert [shown(x)[:2] for x in rows.padded_batch(2)] == [
        ([[0, 0], [0, 1]], [[True, False], [True, True]]),
        ([[0, 1, 2]], [[True, True, True]]),
    ]
    with pytest.raises(TypeError, match="must be None"):
        rows.padded_batch(2, padded_shapes=[None])


def test_encoders_of_the_program():
    values = Doubled([[1, 2], [3, 4]])
    rows = Dataset.from_tensor_slices(values)
    assert [shown(x) for x in rows] == [[1, 2], [3, 4]]
    assert [shown(x) for x in rows.batch(2)] == [[[1, 2], [3, 4]]]
    assert shown(fg.map_fn(lambda x: Doubled(x.v + 1), values)) == [[2, 3], [4, 5]]


def test_types_without_rows_are_refused():
    value = Plain([1, 2])
    for use in (
        lambda: Dataset.from_tensor_slices(value),
        lambda: Dataset.from_tensors(value).batch(2),
        lambda: Dataset.from_tensors(value).unbatch(),
        lambda: fg.map_fn(lambda x: x, value),
    ):
        with pytest.raises(TypeError, match="BatchableExtensionType"):
            use()
    assert [x.v.numpy().tolist() for x in Dataset.from_tensors(value)] == [[1, 2]]
