"""TensorShape: what is known of a shape, and how two shapes combine."""

import pickle

import ferrograph as fg
import numpy as np
import pytest

S = fg.TensorShape
PARTIAL, UNKNOWN = S([None, 3]), S(None)


@pytest.mark.parametrize(
    ("spelling", "dims"),
    [
        ([2, None], [2, None]),
        ((2, 3), [2, 3]),
        (5, [5]),
        (np.int64(5), [5]),
        (np.array([2, 3]), [2, 3]),
        (range(2), [0, 1]),
        ([], []),
        (S([1]), [1]),
        ([S([7]).dims[0]], [7]),
    ],
)
def test_spellings(spelling, dims):
    assert S(spelling).as_list() == dims


@pytest.mark.parametrize(
    ("spelling", "error"),
    [(["a"], TypeError), ("ab", TypeError), ([1.5], TypeError), ([-1], ValueError)],
)
def test_wrong_dimensions_are_refused(spelling, error):
    with pytest.raises(error):
        S(spelling)


def test_printing():
    assert str(S([2, None])) == "(2, None)"
    assert str(S([4])) == "(4,)"
    assert str(S([])) == "()"
    assert str(UNKNOWN) == "<unknown>"
    assert repr(S([None, 2])) == "TensorShape([None, 2])"
    assert repr(UNKNOWN) == "TensorShape(None)"


def test_rank_length_and_iteration():
    assert (PARTIAL.rank, PARTIAL.ndims, len(PARTIAL), tuple(PARTIAL)) == (2, 2, 2, (None, 3))
    assert UNKNOWN.rank is None
    assert bool(S([])) and not bool(UNKNOWN)
    for use in (len, list, lambda s: s.as_list()):
        with pytest.raises(ValueError, match="rank"):
            use(UNKNOWN)


def test_indexing_and_slicing():
    shape = S([2, None, 4])
    assert (shape[0], shape[1], shape[-1]) == (2, None, 4)
    assert shape[1:] == [None, 4]
    assert isinstance(shape[1:], S)
    with pytest.raises(IndexError):
        shape[3]
    assert UNKNOWN[0] is None
    assert UNKNOWN[1:3].as_list() == [None, None]
    assert UNKNOWN[1:].rank is None


def test_equality_with_sequences():
    assert S([2, 3]) == [2, 3]
    assert S([2, 3]) == (2, 3)
    assert S([2]) != [3]
    assert PARTIAL == [None, 3]
    assert S([2]) != "nonsense"
    assert hash(S([None, 3])) == hash(PARTIAL)
    assert S(None) == UNKNOWN
    assert S([]) != UNKNOWN


def test_concatenation():
    assert S([2]) + S([3, None]) == [2, 3, None]
    assert [1] + S([2]) == [1, 2]
    assert (S([1]) + UNKNOWN).rank is None
    assert PARTIAL.concatenate([4]) == [None, 3, 4]


def test_compatibility_and_merging():
    assert PARTIAL.is_compatible_with([7, 3])
    assert not PARTIAL.is_compatible_with([7, 4])
    assert not PARTIAL.is_compatible_with([3])
    assert UNKNOWN.is_compatible_with([1])
    assert PARTIAL.merge_with([2, None]) == [2, 3]
    assert UNKNOWN.merge_with([1]) == [1]
    with pytest.raises(ValueError, match="not compatible"):
        PARTIAL.merge_with([2, 4])


def test_generalisation():
    assert S([2, 3]).most_specific_common_supertype([S([4, 3])]) == [None, 3]
    assert S([2]).most_specific_common_supertype([S([2, 2])]).rank is None
    assert S([2]).most_specific_common_supertype([2]) is None
    assert S([2, 3]).most_specific_compatible_shape([2, 4]) == [2, None]
    assert S([2, 3]).is_subtype_of(PARTIAL)
    assert not PARTIAL.is_subtype_of(S([2, 3]))
    assert PARTIAL.is_subtype_of(UNKNOWN)


def test_ranks_are_checked():
    assert UNKNOWN.with_rank(2) == [None, None]
    assert PARTIAL.with_rank(2) is PARTIAL
    assert PARTIAL.with_rank_at_least(1) is PARTIAL
    assert PARTIAL.with_rank_at_most(2) is PARTIAL
    for check in (
        lambda: PARTIAL.with_rank(3),
        lambda: PARTIAL.with_rank_at_least(3),
        lambda: PARTIAL.with_rank_at_most(1),
        lambda: PARTIAL.assert_has_rank(3),
        lambda: PARTIAL.assert_same_rank([1]),
        lambda: PARTIAL.assert_is_compatible_with([1, 4]),
        PARTIAL.assert_is_fully_defined,
    ):
        with pytest.raises(ValueError):
            check()


def test_counting_elements():
    assert S([2, 3]).num_elements() == 6
    assert S([]).num_elements() == 1
    assert PARTIAL.num_elements() is None
    assert UNKNOWN.num_elements() is None
    assert not PARTIAL.is_fully_defined()


def test_dimension_objects():
    first, second = PARTIAL.dims
    assert (first.value, second.value) == (None, 3)
    assert int(second) == 3 and second == 3
    assert first.is_compatible_with(9)
    assert UNKNOWN.dims is None


def test_pickling():
    for shape in (PARTIAL, UNKNOWN, S([])):
        assert pickle.loads(pickle.dumps(shape)) == shape


def test_a_shape_is_a_constant_of_int32():
    assert fg.constant(S([2, 3])).numpy().tolist() == [2, 3]
    assert fg.constant(S([])).dtype == fg.int32
    with pytest.raises(ValueError):
        fg.constant(PARTIAL)


def test_shapes_of_tensors_are_tensor_shapes():
    shape = fg.zeros([2, 3]).shape
    assert type(shape) is S
    assert shape == S([2, 3]) and hash(shape) == hash(S([2, 3]))
