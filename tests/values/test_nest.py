"""fg.nest: order of leaves, packing, mapping, and what counts as the same structure."""

import collections
from types import MappingProxyType

import ferrograph as fg
import pytest
from ferrograph import nest

Point = collections.namedtuple("Point", ["x", "y"])


class Attrs:
    """What a class made by attrs looks like."""

    class _Field:
        def __init__(self, name):
            self.name = name

    __attrs_attrs__ = (_Field("a"), _Field("_b"))

    def __init__(self, a, b):
        self.a, self._b = a, b


class Willing:
    def __init__(self, value, tag):
        self.value, self.tag = value, tag

    def __tf_flatten__(self):
        return (self.tag,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0], metadata[0])


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (5, [5]),
        (None, [None]),
        ("text", ["text"]),
        ([], []),
        ([1, (2, [3])], [1, 2, 3]),
        ({"b": 1, "a": [2, 3]}, [2, 3, 1]),
        (Point(1, {"k": 2}), [1, 2]),
        (collections.OrderedDict(b=1, a=2), [2, 1]),
        (Attrs(1, [2]), [1, 2]),
        (Willing([1, 2], "t"), [1, 2]),
        ({1, 2}, [{1, 2}]),
    ],
)
def test_flatten(structure, leaves):
    assert nest.flatten(structure) == leaves
    assert nest.is_nested(structure) == (leaves != [structure])


def test_packing_keeps_classes_and_the_order_of_keys():
    structure = {"b": Point(1, 2), "a": [3, ()]}
    packed = nest.pack_sequence_as(structure, [30, 10, 20])
    assert packed == {"b": Point(10, 20), "a": [30, ()]}
    assert list(packed) == ["b", "a"]
    ordered = nest.pack_sequence_as(collections.OrderedDict(b=1, a=2), ["y", "z"])
    assert list(ordered.items()) == [("b", "z"), ("a", "y")]
    counted = nest.map_structure(lambda v: v + 1, collections.defaultdict(int, k=1))
    assert counted["k"] == 2 and counted["new"] == 0
    assert nest.map_structure(lambda v: -v, Attrs(1, 2))._b == -2
    assert nest.map_structure(lambda v: -v, Willing(1, "t")).tag == "t"
    assert nest.pack_sequence_as("leaf", ["one"]) == "one"
    assert nest.map_structure(len, MappingProxyType({"k": "abc"}))["k"] == 3


def test_packing_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="2 leaves"):
        nest.pack_sequence_as([1, 2], [1])
    with pytest.raises(TypeError):
        nest.pack_sequence_as([1, 2], 5)


def test_map_structure_over_several():
    assert nest.map_structure(lambda a, b: a + b, [1, {"k": 2}], [10, {"k": 20}]) == [11, {"k": 22}]
    assert nest.map_structure(lambda a, b: a + b, [1], (2,), check_types=False) == [3]
    with pytest.raises(TypeError):
        nest.map_structure(lambda a, b: a, [1], (2,))
    with pytest.raises(ValueError):
        nest.map_structure(lambda a, b: a, [1], [1, 2])
    with pytest.raises(TypeError):
        nest.map_structure(5, [1])
    with pytest.raises(TypeError):
        nest.map_structure(len, [1], unknown=1)
    with pytest.raises(ValueError):
        nest.map_structure(len)


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        ([1, 2], [3, 4], None),
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}, None),
        ({"a": 1}, collections.OrderedDict(a=2), None),
        (Point(1, 2), Point(3, 4), None),
        (Point(1, 2), collections.namedtuple("Point", ["x", "y"])(1, 2), None),
        (1, "x", None),
        ([1], [1, 2], ValueError),
        ([1], 1, ValueError),
        ({"a": 1}, {"b": 1}, ValueError),
        ([1], (1,), TypeError),
        (Point(1, 2), (1, 2), TypeError),
    ],
)
def test_assert_same_structure(a, b, error):
    if error is None:
        nest.assert_same_structure(a, b)
        return
    with pytest.raises(error):
        nest.assert_same_structure(a, b)


def test_container_classes_may_be_ignored():
    nest.assert_same_structure([1, (2,)], (1, [2]), check_types=False)


def test_composites_are_leaves_unless_expanded():
    class Pair:
        def __init__(self, *parts):
            self.parts = list(parts)

        def _component_list(self):
            return self.parts

        def _from_components(self, parts):
            return Pair(*parts)

    pair = Pair(1, 2)
    assert nest.flatten([pair]) == [pair]
    assert nest.flatten([pair, 3], expand_composites=True) == [1, 2, 3]
    packed = nest.pack_sequence_as([pair, 3], [4, 5, 6], expand_composites=True)
    assert packed[0].parts == [4, 5] and packed[1] == 6
    with pytest.raises(ValueError):
        nest.assert_same_structure(pair, Pair(1), expand_composites=True)


def test_views_and_other_sequences_are_opened():
    d = collections.OrderedDict([("b", 1), ("a", 2)])
    assert fg.nest.flatten(d.values()) == [1, 2]
    assert fg.nest.flatten(d.items()) == ["b", 1, "a", 2]
    assert fg.nest.map_structure(lambda k: k + "x", d.keys()) == ["bx", "ax"]
    assert fg.nest.pack_sequence_as(d.values(), [5, 6]) == [5, 6]
    assert fg.nest.map_structure(lambda x: x + 1, range(2)) == [1, 2]
    queue = fg.nest.map_structure(lambda x: x + 1, collections.deque([1, 2]))
    assert queue == collections.deque([2, 3])
    bounded = fg.nest.map_structure(lambda x: x + 1, collections.deque([1, 2], maxlen=3))
    assert bounded.maxlen == 3
    assert fg.function(lambda: {"a": fg.constant(1)}.values())()[0].numpy() == 1
    with pytest.raises(TypeError):
        fg.nest.assert_same_structure(d.values(), [1, 2])


def test_a_difference_is_placed():
    with pytest.raises(ValueError, match=r"at \['b'\]\[1\] a list of 2 against a list of 1"):
        nest.assert_same_structure({"a": 1, "b": (0, [1, 2])}, {"a": 1, "b": (0, [1])})
    point = collections.namedtuple("point", "x y")
    with pytest.raises(TypeError, match=r"at \.y a tuple against a list"):
        nest.assert_same_structure(point(1, (2,)), point(1, [2]))
