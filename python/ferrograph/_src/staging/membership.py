"""``in`` where tensors are among what is asked: a comparison with each element."""

from __future__ import annotations

import array
import collections
import types

from .. import ops
from ..hints import Any
from ..native import _core
from . import chosen_numbers, chosen_texts, iteration, partners, several
from .late import promotions
from .places import here, say
from .values import can_be_tensor, is_staged

# What `in` looks for among the elements; of iterables without such a method, too.
_AMONG_ELEMENTS = (
    *(list, tuple, set, frozenset, dict, range, collections.deque, bytes, bytearray),
    *(collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView),
    *(collections.UserList, collections.UserDict, collections.ChainMap, array.array),
)


def _refuse_parts(value: Any, container: Any) -> None:
    """Refuse what tells by rules of its own what is in it, such as a text."""
    kind = type(container)
    if isinstance(container, _AMONG_ELEMENTS) or not hasattr(kind, "__contains__"):
        return
    if hasattr(kind, "__array__"):
        return
    chosen_texts.refuse(value)
    raise TypeError(
        say(
            here(),
            f"`in` of a tensor and a `{kind.__name__}`, which looks for more than its elements",
            "Ask before the branch or loop, or test what you mean with the functions of `fg`.",
        )
    )


def _is_unequal(value: Any, element: Any) -> bool:
    """Whether ``value`` stands for a number or a text, and an element is no such one."""
    if partners.text_beside_sequence(value, element):
        return True
    if isinstance(element, (int, float, complex)):
        return chosen_texts.is_chosen(value)
    return partners.number_beside_sequence(value, element)


# What is equal to a number or text only where it is the same object, or never.
_UNEQUAL = (
    *(type(None), dict, set, frozenset, *partners.SEQUENCES),
    *(type, types.FunctionType, types.BuiltinFunctionType),
)


def _plain(element: Any) -> Any:
    """The number or text that an element of a class derived from Python's own is equal to."""
    for kind in _NEUTRAL:
        derived = isinstance(element, kind) and type(element) not in _NEUTRAL
        if derived and type(element).__eq__ is kind.__eq__:
            return kind.__add__(element, _NEUTRAL[kind])
    return element


_NEUTRAL: dict[Any, Any] = {bool: 0, int: 0, float: 0.0, str: "", bytes: b""}


def _refuse_equals(value: Any, element: Any) -> None:
    """Refuse to compare what stands for a number or a text with an object that may be equal."""
    if isinstance(element, _UNEQUAL) or type(element).__eq__ is object.__eq__:
        return
    if chosen_numbers.is_chosen(value) or chosen_texts.is_chosen(value):
        kind = type(element).__name__
        raise TypeError(
            say(
                here(),
                f"`in` compares a Python number or text that the graph chose with a `{kind}`",
                "Put numbers or texts of Python's own into the container, or ask before the "
                "branch or loop.",
            )
        )


def _is_same(value: Any, element: Any) -> Any:
    same = _equal(value, element)
    several.refuse(same.shape, "`in`")
    return ops.reduce_all(same)


def _equal(left: Any, right: Any) -> Any:
    return (promotions if chosen_numbers.are_foreign_met() else ops).equal(left, right)


def stage_in(value: Any, container: Any) -> Any:
    """``value in container`` where either is a tensor, or tensors are among the elements."""
    if is_staged(container):
        chosen_texts.refuse(container)
        if chosen_numbers.is_chosen(container):
            raise TypeError("argument of `in` is a number of Python's, which is not iterable")
        several.refuse_rows(iteration.check_rows(container), "`in`")
        return chosen_numbers.mark_truth(ops.reduce_any(_equal(container, value)))
    _refuse_parts(value, container)
    found: Any = False
    for element in map(_plain, container):
        if not can_be_tensor(element):
            _refuse_equals(value, element)
            if chosen_numbers.are_foreign_met():
                promotions.refuse_among_objects(value)
        elif not _is_unequal(value, element):
            same = element is value or _is_same(value, element)
            found = same if found is False else ops.logical_or(found, same)
    return chosen_numbers.mark_truth(_core.convert_to_tensor(found))
