"""``in`` where tensors are among what is asked: a comparison with each element."""

from __future__ import annotations

import array
import collections
import types

from .. import ops
from ..heap.source_location import diagnostic, here
from ..hints import Any
from ..native import _core
from ..symbolic import (
    numpy_promotion,
    operand_classes,
    python_numbers,
    python_strings,
    scalar_checks,
)
from ..symbolic.values import can_be_tensor, is_staged
from . import iteration

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
    python_strings.refuse(value)
    raise TypeError(
        diagnostic(
            here(),
            f"`in` of a tensor and a `{kind.__name__}`, which looks for more than its elements",
            "Ask before the branch or loop, or test what you mean with the functions of `fg`.",
        )
    )


def _is_unequal(value: Any, element: Any) -> bool:
    """Whether ``value`` stands for a number or a text, and an element is no such one."""
    if operand_classes.text_beside_sequence(value, element):
        return True
    if isinstance(element, (int, float, complex)):
        return python_strings.is_chosen(value)
    return operand_classes.number_beside_sequence(value, element)


# What is equal to a number or text only where it is the same object, or never.
_UNEQUAL = (
    *(type(None), dict, set, frozenset, *operand_classes.SEQUENCES),
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
    if python_numbers.is_chosen(value) or python_strings.is_chosen(value):
        kind = type(element).__name__
        raise TypeError(
            diagnostic(
                here(),
                f"`in` compares a Python number or text that the graph chose with a `{kind}`",
                "Put numbers or texts of Python's own into the container, or ask before the "
                "branch or loop.",
            )
        )


def _is_same(value: Any, element: Any) -> Any:
    same = _equal(value, element)
    scalar_checks.refuse(same.shape, "`in`")
    return ops.reduce_all(same)


def _equal(left: Any, right: Any) -> Any:
    return (numpy_promotion if python_numbers.are_foreign_met() else ops).equal(left, right)


def stage_in(value: Any, container: Any) -> Any:
    """``value in container`` where either is a tensor, or tensors are among the elements."""
    if is_staged(container):
        python_strings.refuse(container)
        if python_numbers.is_chosen(container):
            raise TypeError("argument of `in` is a number of Python's, which is not iterable")
        scalar_checks.refuse_rows(iteration.check_rows(container), "`in`")
        return python_numbers.mark_truth(ops.reduce_any(_equal(container, value)))
    _refuse_parts(value, container)
    found: Any = False
    for element in map(_plain, container):
        if not can_be_tensor(element):
            _refuse_equals(value, element)
            if python_numbers.are_foreign_met():
                numpy_promotion.refuse_among_objects(value)
        elif not _is_unequal(value, element):
            same = element is value or _is_same(value, element)
            found = same if found is False else ops.logical_or(found, same)
    return python_numbers.mark_truth(_core.convert_to_tensor(found))
