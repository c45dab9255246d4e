"""Containers and dataclasses are compared by what they hold, also where the graph decides that."""

# ruff: noqa: RET503, RET504, C416, SIM300 - the programs are what they test

import collections
import dataclasses
import operator
from typing import NamedTuple

import ferrograph as fg
import pytest


@dataclasses.dataclass(order=True)
class Pair:
    items: list
    n: int = 1


@dataclasses.dataclass
class Deep:
    pair: Pair
    table: dict


class Named(NamedTuple):
    items: list
    n: int = 1


class Made:
    """A class whose comparison has no source, as libraries make it."""

    def __init__(self, items):
        self.items = items


EQUAL = "def __eq__(self, other):\n    return (self.items,) == (other.items,)\n"
exec(compile(EQUAL, "<made>", "exec"), made := {})
Made.__eq__ = made["__eq__"]
Made.__hash__ = None


def grown(n):
    items = []
    for i in fg.range(n):
        items.append(i)
    return items


EQUALITIES = [
    lambda items: Pair(items) == Pair([0, 1, 2]),
    lambda items: Pair(items) != Pair([0, 1, 2]),
    lambda items: Pair(items, 2) == Pair([0, 1, 2]),
    lambda items: Pair(items) == items,
    lambda items: Named(items) == Named([0, 1, 2]),
    lambda items: (items, 1) == ([0, 1, 2], 1),
    lambda items: [items, 1] != [[0, 1, 2], 1],
    lambda items: {"a": items} == {"a": [0, 1, 2]},
    lambda items: {"a": items} == {"b": [0, 1, 2]},
    lambda items: {"a": items} == collections.OrderedDict(a=[0, 1, 2]),
    lambda items: collections.deque([items]) == collections.deque([[0, 1, 2]]),
    lambda items: Deep(Pair(items), {"q": items}) == Deep(Pair([0, 1, 2]), {"q": [0, 1, 2]}),
    lambda items: Pair(items).__eq__(Pair([0, 1, 2])),
    lambda items: operator.eq((items,), ([0, 1, 2],)),
    lambda items: operator.ne(Pair(items), Pair([0, 1, 2])),
    lambda items: Pair(items) in [Pair([0]), Pair([0, 1, 2])],
    lambda items: (items, 1) in [([0, 1, 2], 1)],
    lambda items: Pair([0, 1, 2]) in {1: Pair(items)}.values(),
    lambda items: items == items[:],
    lambda items: Pair(items) == Pair(items),
]


@pytest.mark.parametrize("number", range(len(EQUALITIES)))
@pytest.mark.parametrize("n", [0, 2, 3])
def test_equality_is_that_of_plain_python(number, n):
    compare = EQUALITIES[number]

    def program(n):
        return 1 if compare(grown(n)) else 2

    expected = 1 if compare(list(range(n))) else 2
    assert int(program(fg.constant(n))) == int(fg.function(program)(fg.constant(n))) == expected


def tensors_in_fields(x, y):
    return 1 if operator.eq(Pair([x], y), Pair([3], 2)) else 2


def order_of_fields(x, y):
    return 1 if operator.lt(Pair([3], x), Pair([3], y)) else 2


def order_of_items(x, y):
    found, pairs = 0, (Pair([x, 1], 1), Pair([y, 2], 1))
    if x > 1:
        found = (1 if pairs[0] <= pairs[1] else 2) + (4 if pairs[0] > pairs[1] else 8)
    return found


@pytest.mark.parametrize("program", [tensors_in_fields, order_of_fields, order_of_items])
def test_tensors_in_fields_are_compared(program):
    staged = fg.function(program)
    for values in ((3, 2), (2, 3), (3, 3)):
        args = [fg.constant(v) for v in values]
        assert int(staged(*args)) == int(program(*args)) == int(program(*values))


REFUSED = [
    lambda items: Made(items) == Made([0, 1, 2]),
    lambda items: Pair(items) < Pair([]),
    lambda items: [] < items,
    lambda items: [[1], [0, 1, 2]].count(items),
    lambda items: ([1], items).index([0, 1, 2]),
    lambda items: len(repr(Pair(items))),
    lambda items: len(f"{Pair(items)}"),
    lambda items: len(max([items, []])),
    lambda items: len(sorted([items, []])[0]),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_needs_the_length_while_tracing_is_refused(number):
    compare = REFUSED[number]
    with pytest.raises(fg.errors.StagingError, match="its length is known only when the graph"):
        fg.function(lambda n: compare(grown(n)))(fg.constant(3))
