"""Experimental sources and functions for ``apply``, as tensorflow 2.21 was seen to have them."""

import ferrograph as fg
import pytest

D = fg.data.Dataset
X = fg.data.experimental
errors = fg.errors


def value(tensor):
    found = tensor.numpy()
    return found if isinstance(found, bytes) else found.tolist()


def plain(dataset):
    return [fg.nest.map_structure(value, x) for x in dataset]


@pytest.mark.parametrize(
    "elements",
    [
        [1, 2, 3],
        [(1, b"a"), (2, b"b")],
        [{"a": 1.0}, {"a": 2.5}],
        [[1], [1, 2]],
        [[[1]], [[2, 3]], [[4]], [[5, 6]], [[7]]],
        [(1, [True]), (2, [False, True])],
    ],
)
def test_the_entries_of_a_list(elements):
    found = X.from_list(elements)
    assert plain(found) == elements
    assert len(found) == len(elements)

    @fg.function
    def count():
        return X.from_list(elements).reduce(0, lambda n, _: n + 1)

    assert int(count()) == len(elements)


def test_types_of_entries():
    assert X.from_list([1, 2]).element_spec == fg.TensorSpec([], fg.int32)
    assert X.from_list([[1], [1, 2]]).element_spec == fg.TensorSpec([None], fg.int32)
    assert plain(X.from_list([fg.ragged.constant([[1], []])] * 2).map(fg.size)) == [1, 1]
    for bad in ([], 3, (1, 2), [(1,), (1, 2)]):
        with pytest.raises(ValueError):
            X.from_list(bad)
    with pytest.raises((TypeError, ValueError)):
        X.from_list([1, "a"])


def test_the_element_of_a_number():
    numbers = D.range(5, 9).map(lambda x: x * 2)
    assert [int(X.at(numbers, i)) for i in range(4)] == [10, 12, 14, 16]
    assert int(X.at(numbers.filter(lambda x: x > 10), fg.constant(1))) == 14
    for index in (4, -1):
        with pytest.raises(errors.OutOfRangeError):
            X.at(numbers, index)
    assert int(fg.function(lambda i: X.at(numbers, i))(fg.constant(3))) == 16


def test_padding_to_a_number():
    rows = D.range(2).map(lambda x: {"a": x, "s": fg.fill([2], "s")})
    assert plain(rows.apply(X.pad_to_cardinality(3))) == [
        {"a": 0, "s": [b"s", b"s"], "valid": True},
        {"a": 1, "s": [b"s", b"s"], "valid": True},
        {"a": 0, "s": [b"", b""], "valid": False},
    ]
    named = rows.apply(X.pad_to_cardinality(2, "m"))
    assert [bool(row["m"]) for row in named] == [True, True] and len(named) == 2
    bad = [
        (D.range(2), 3),
        (rows, 1),
        (rows.repeat(), 3),
        (rows.filter(lambda row: row["a"] > 0), 3),
        (D.range(2).map(lambda x: {"a": fg.range(x)}), 3),
    ]
    for dataset, n in bad:
        with pytest.raises(ValueError):
            dataset.apply(X.pad_to_cardinality(n))


def test_datasets_by_turns():
    def thrice(x):
        return D.from_tensors(x).repeat(3)

    assert plain(D.range(3).apply(X.parallel_interleave(thrice, 2, 2))) == [
        *[0, 0, 1, 1, 0, 1],
        *[2, 2, 2],
    ]
