"""Grown lists as arguments of library functions, native code and unpacking; and ``in`` with
tensors.
"""

from __future__ import annotations

import array
import collections
import copy
import types
from collections.abc import Callable

from .. import ops
from ..context import ownership
from ..heap.adapters.builtin_classes import WITH_OPERATORS
from ..heap.location import is_grown
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..symbolic import numpy_promotion, python_scalars, values
from ..symbolic.values import can_be_tensor, is_staged
from ..values import nest
from . import iteration
from .conditional import stage_choice
from .tensor_lists import Grown, as_tensors, method, whole


def refuse_grown(value: Any) -> None:
    """Refuse a list that the graph grows, where Python would look at its elements."""
    if type(value) is list and is_grown(value):
        whole(value)._refuse()


def equal(left: list, right: list) -> Any:
    """Whether two lists are equal of which one is a list that the graph grows; NotImplemented of
    others."""
    if not (is_grown(left) or is_grown(right)):
        return NotImplemented
    (n, first), (m, second) = _flat(left, right), _flat(right, left)
    same = ops.equal(n, m)
    return stage_choice(
        same, lambda: ops.reduce_all(ops.equal(first(), second())), lambda: False, here()
    )


def _flat(side: list, other: list) -> tuple[Any, Callable[[], Any]]:
    """How many numbers a list holds, and what makes one tensor of them."""
    if is_grown(side):
        grown = whole(side)
        if grown.holds_numbers():
            return grown.count(), grown.stacked
        grown._refuse()
    dtype = whole(other).holds_numbers()
    if not dtype or not all(values.can_be_tensor(v) and not isinstance(v, str) for v in side):
        whole(other)._refuse()
    made = [values.to_tensor(v, dtype) for v in side]
    return len(side), lambda: ops.stack(made) if made else ops.zeros([0], dtype)


def unpacked(items: list, count: int) -> list:
    """The elements of a grown list for so many targets, as many when the graph runs."""
    grown = whole(items)
    ops.Assert(ops.equal(grown.count(), count), [f"{count} values are needed to unpack the list"])
    return [grown.at(i) for i in range(count)]


def unbound(descriptor: Any) -> Callable:
    """A method of a builtin class, to be called with its object first."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and is_grown(args[0]):
            return method(args[0], descriptor.__name__)(*args[1:], **kwargs)
        return descriptor(*args, **kwargs)

    return call


def for_library(function: Callable) -> Callable:
    """A library function that takes grown lists for tensors."""
    special = _LIBRARY.get(function)
    module = getattr(function, "__module__", None)
    opens = getattr(nest, getattr(function, "__name__", ""), None) is function
    own = ownership.is_own_module(module) and not opens

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and is_grown(args[0]) and special is not None:
            return special(whole(args[0]), *args[1:], **kwargs)
        if function is copy.deepcopy and args and (known := _thread.trace.aliases.sets):
            known.refuse_deep_copy(args[0])
        if function in _COPIES or hasattr(function, "takes_lists"):
            return function(*args, **kwargs)  # which see to what a list holds
        if not own:
            for value in (*args, *kwargs.values()):
                refuse_grown(value)
                python_scalars.refuse_string(value)
            return function(*args, **kwargs)
        args = tuple(as_tensors(a) for a in args)
        return function(*args, **{k: as_tensors(v) for k, v in kwargs.items()})

    return call


_COPIES = (copy.copy, copy.deepcopy)


def _stack(grown: Grown, axis: int = 0, name: Any = None) -> Any:
    return _moved(grown.as_tensor(), axis)


def _moved(stack: Any, axis: int) -> Any:
    """``stack`` with its first axis at another place."""
    if axis == 0:
        return stack
    rank = stack.shape.rank
    axis = axis % rank
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    return ops.transpose(stack, order)


def _concat(grown: Grown, axis: int = 0, name: Any = None) -> Any:
    if not grown.is_flat():
        grown._refuse()
    if axis == 0:
        return grown.joined()
    stack = grown.stacked()
    rank = stack.shape.rank - 1
    axis = axis % rank
    moved = _moved(stack, axis)
    shape = ops.shape(moved)
    joined = shape[axis : axis + 1] * shape[axis + 1 : axis + 2]
    return ops.reshape(moved, ops.concat([shape[:axis], joined, shape[axis + 2 :]], 0))


_LIBRARY: dict[Callable, Callable] = {
    ops.stack: _stack,
    ops.concat: _concat,
    ops.add_n: lambda grown, name=None: ops.reduce_sum(grown.as_tensor(), axis=0),
}


# What `in` looks for among the elements; of iterables without such a method, too.
_AMONG_ELEMENTS = (
    *(list, tuple, set, frozenset, dict, range, collections.deque, bytes, bytearray),
    *(collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView),
    *(collections.UserList, collections.UserDict, collections.ChainMap, array.array),
)


def _refuse_parts(value: Any, container: Any) -> None:
    """Refuse containers with their own rules of membership, such as strings."""
    kind = type(container)
    if isinstance(container, _AMONG_ELEMENTS) or not hasattr(kind, "__contains__"):
        return
    if hasattr(kind, "__array__"):
        return
    python_scalars.refuse_string(value)
    raise TypeError(
        diagnostic(
            here(),
            f"`in` of a tensor and a `{kind.__name__}`, which compares more than its elements",
            "Ask before the branch or loop, or test what you mean with the functions of `fg`.",
        )
    )


def _is_unequal(value: Any, element: Any) -> bool:
    """Whether ``value`` is a symbolic number or string, and an element is neither."""
    if numpy_promotion.text_beside_sequence(value, element):
        return True
    if isinstance(element, (int, float, complex)):
        return python_scalars.is_symbolic_string(value)
    return numpy_promotion.number_beside_sequence(value, element)


# What is equal to a number or text only where it is the same object, or never.
_UNEQUAL = (
    *(type(None), dict, set, frozenset, *WITH_OPERATORS),
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
    """Refuse to compare a symbolic number or string with an object that may be equal."""
    if isinstance(element, _UNEQUAL) or type(element).__eq__ is object.__eq__:
        return
    if python_scalars.is_symbolic_number(value) or python_scalars.is_symbolic_string(value):
        kind = type(element).__name__
        raise TypeError(
            diagnostic(
                here(),
                "`in` compares a Python number or string from a staged branch or loop with a "
                f"`{kind}`",
                "Put Python numbers or strings into the container, or ask before the branch or "
                "loop.",
            )
        )


def _is_same(value: Any, element: Any) -> Any:
    same = _equal(value, element)
    python_scalars.refuse_truth_of_several(same.shape, "`in`")
    return ops.reduce_all(same)


def _equal(left: Any, right: Any) -> Any:
    return (numpy_promotion if python_scalars.are_foreign_met() else ops).equal(left, right)


def stage_in(value: Any, container: Any) -> Any:
    """``value in container`` where either is a tensor, or tensors are among the elements."""
    if is_staged(container):
        python_scalars.refuse_string(container)
        if python_scalars.is_symbolic_number(container):
            raise TypeError("argument of `in` is a Python number, which is not iterable")
        python_scalars.refuse_truth_of_rows(iteration.check_rows(container), "`in`")
        return python_scalars.mark_truth(ops.reduce_any(_equal(container, value)))
    _refuse_parts(value, container)
    found: Any = False
    for element in map(_plain, container):
        if not can_be_tensor(element):
            _refuse_equals(value, element)
            if python_scalars.are_foreign_met():
                numpy_promotion.refuse_among_objects(value)
        elif not _is_unequal(value, element):
            same = element is value or _is_same(value, element)
            found = same if found is False else ops.logical_or(found, same)
    return python_scalars.mark_truth(_core.convert_to_tensor(found))
