"""Lists that the graph grows, as others get them: functions of libraries, C code, unpacking."""

from __future__ import annotations

import copy
from collections.abc import Callable

from .. import ops
from ..context import ownership
from ..heap.location import is_grown
from ..heap.source_location import here
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..symbolic import python_strings, values
from ..values import nest
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
    """A method of a class of Python's own, to be called with its object first."""

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
                python_strings.refuse(value)
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
