"""Comparisons of what containers and dataclasses hold, element by element.

CPython's native code compares the elements of tuples, lists and dicts and the fields of
dataclasses: it needs values that symbolic tensors do not have yet, and treats a list that the graph
grows as a list of one element. Here they are compared by Python's rules, with the operators that
converted code calls.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterable

from ...context import ownership
from ...heap.adapters import COMPARED, SEARCHED
from ...heap.location import is_grown
from ...heap.source_location import here
from ...heap.walk import fields, walked
from ...hints import Any
from ...native import _core
from ...staging import conditional, tensor_lists, write_barriers
from ...symbolic.values import is_staged
from .arithmetic import compared
from .logic import and_, not_
from .special_methods import function_of, truth

__all__ = ["form", "holds_grown", "of_contents", "ordering", "refuse_held", "searching"]

_NAMES = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_GENERATED = "<string>"  # the file of what ``dataclasses`` makes
_SAME_IS_EQUAL = sys.version_info < (3, 13)  # of the fields of dataclasses


def of_contents(name: str, left: Any, right: Any) -> Any:
    """``left == right`` and its like of two containers in which the graph decides something;
    NotImplemented of others."""
    kind = next((k for k in COMPARED if isinstance(left, k)), None)
    if kind is None or not isinstance(right, kind) or _is_own(left) or _is_own(right):
        return NotImplemented
    if not (_graph_decides(left) or _graph_decides(right)):
        return NotImplemented
    if name not in ("eq", "ne"):
        return NotImplemented if kind is dict else _ordered(name, list(left), list(right))
    same = _equal_dicts(left, right) if kind is dict else _equal_sequences(left, right)
    return same if name == "eq" else not_(same)


def _is_own(value: Any) -> bool:
    """Whether the class of a container says itself how it compares."""
    return any(function_of(type(value), name) for name in _NAMES)


def _equal_sequences(left: Any, right: Any) -> Any:
    if left is right:
        return True
    if isinstance(left, list):
        same = tensor_lists.equal(left, right)
        if same is not NotImplemented:
            return same
    return len(left) == len(right) and _all_equal(zip(left, right, strict=True))


def _equal_dicts(left: dict, right: dict) -> Any:
    if left.keys() != right.keys():
        return False
    are_ordered = all(isinstance(d, collections.OrderedDict) for d in (left, right))
    if are_ordered and list(left) != list(right):
        return False
    return _all_equal((left[key], right[key]) for key in left)


def _all_equal(pairs: Iterable[tuple[Any, Any]]) -> Any:
    tests = [lambda a=a, b=b: _equal(a, b) for a, b in pairs]
    return and_(True, *tests)


def _equal(left: Any, right: Any) -> Any:
    """Whether two elements are equal: one object is equal to itself."""
    if left is right:
        return True
    same = truth(_compared("eq", left, right))
    return same if is_staged(same) else bool(same)


def _compared(name: str, left: Any, right: Any) -> Any:
    found = of_contents(name, left, right)
    return compared(name, left, right) if found is NotImplemented else found


def _ordered(name: str, left: list, right: list) -> Any:
    """The order of sequences: that of the first elements that are not equal, or of the lengths."""
    for side in (left, right):
        tensor_lists.refuse_grown(side)
    for i, (a, b) in enumerate(zip(left, right, strict=False)):
        same = _equal(a, b)
        if is_staged(same):
            later = functools.partial(_ordered, name, left[i + 1 :], right[i + 1 :])
            first = functools.partial(_compared, name, a, b)
            return conditional.stage_choice(same, later, first, here())
        if not same:
            return _compared(name, a, b)
    return getattr(operator, name)(len(left), len(right))


# What is compared: each value and what is compared with it.


def _graph_decides(value: Any) -> bool:
    """Whether there is a tensor of the graph, or a list that it grows, in what Python compares."""
    return any(type(p) is _core.SymbolicTensor or is_grown(p) for p in walked(value, _held))


def holds_grown(value: Any) -> bool:
    """Whether there is a list that the graph grows in what Python compares of a value."""
    return write_barriers.has_lists() and any(map(is_grown, walked(value, _held)))


def refuse_held(value: Any) -> None:
    """Refuse a value that Python's own code compares where a list in it is one of the graph's."""
    if write_barriers.has_lists():
        for part in walked(value, _held):
            tensor_lists.refuse_grown(part)


def _held(value: Any) -> Iterable:
    items: Any = value
    if issubclass(type(value), dict):
        return list(dict.values(value))
    if issubclass(type(value), SEARCHED):
        return list(items)
    kind = type(value)
    if kind.__eq__ is object.__eq__ or ownership.is_own_module(kind.__module__):
        return ()
    return fields(value)


# Methods that compare.


def form(function: types.FunctionType) -> Callable:
    """What is called in place of a method that compares and has no source: that of a dataclass
    compares field by field, others refuse what they cannot know."""
    if function.__code__.co_filename == _GENERATED:
        return _Fieldwise(function)._compare

    def guarded(self: Any, other: Any) -> Any:
        refuse_held(self)
        refuse_held(other)
        return function(self, other)

    return guarded


class _Fieldwise:
    """A comparison of dataclasses."""

    def __init__(self, function: types.FunctionType):
        self._function = function
        self._name = function.__name__.strip("_")

    def _compare(self, left: Any, right: Any) -> Any:
        name = self._function.__name__
        cls = next((b for b in type(left).__mro__ if vars(b).get(name) is self._function), None)
        if cls is None or "__dataclass_fields__" not in vars(cls):
            refuse_held(left)
            refuse_held(right)
            return self._function(left, right)
        if right.__class__ is not left.__class__:
            return NotImplemented
        names = [field.name for field in dataclasses.fields(cls) if field.compare]
        sides = [[getattr(side, n) for n in names] for side in (left, right)]
        if self._name != "eq":
            return _ordered(self._name, *sides)
        pairs = zip(*sides, strict=True)
        if _SAME_IS_EQUAL:
            return _all_equal(pairs)
        return and_(True, *[lambda a=a, b=b: _compared("eq", a, b) for a, b in pairs])


def searching(callee: Any) -> Callable:
    """``index`` and its like of a container: refused where they compare a list of the graph."""

    def search(*args: Any) -> Any:
        refuse_held(callee.__self__)
        return ordering(callee)(*args)

    return search


def ordering(callee: Any) -> Callable:
    """A function that compares what it is given, or the elements of that."""

    def order(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            refuse_held(value)
        return callee(*args, **kwargs)

    return order
