"""Special methods of user-defined classes: looked up on the class, as in Python, and converted.

``x + y`` calls ``type(x).__add__``. Where that is a user-defined function the operators call its
converted form instead, so that its own ``if`` and ``while`` may be staged. Everything else runs as
in Python; for values of the classes in ``NATIVE_VALUES`` without a lookup.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator

from ...context import ownership
from ...context.by_class import ByClass
from ...context.hooks import hooks
from ...heap.adapters import NATIVE_OBJECTS, NATIVE_VALUES, is_function
from ...heap.location import is_grown
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import Holder, is_proxy
from ...heap.trace_context import thread as _thread
from ...hints import Any
from ...native import FG
from ...staging import retrace, tensor_lists, variant_proxies
from ...values import errors
from ..status import NOT_CONVERTED
from . import special_results

_suppress = contextlib.suppress


class _Late:
    """What ``callees`` lends: a function converted whatever its module."""

    converted: Callable[[types.FunctionType], Any]


late = _Late()


_users = ByClass()  # whether a class is the user's


def _is_users(kind: type) -> bool:
    found = _users.found.get(id(kind))
    return _users.keep(kind, not ownership.is_library_class(kind)) if found is None else found


def found(kind: type, name: str) -> Any:
    """What a class has under a name; None where it has nothing, or something of a library's."""
    for base in kind.__mro__:
        held = base.__dict__
        if name in held:
            return held[name] if _is_users(base) else None
    return None


def is_own(value: Any) -> bool:
    """Whether a value is an object of a user-defined class."""
    return type(value) not in NATIVE_VALUES and _is_users(type(value))


def method(value: Any, name: str) -> Callable | None:
    """The special method of a value in its converted form; None where it is no user-defined
    function."""
    function = function_of(type(value), name)
    return None if function is None else types.MethodType(callee(function), value)


def function_of(kind: type, name: str) -> types.FunctionType | None:
    """The special method of a class, where it is a user-defined function."""
    if kind in NATIVE_VALUES:
        return None
    function = found(kind, name)
    return function if is_function(function) else None


def callee(function: types.FunctionType) -> Any:
    """The form of a special method that is called: also of one that a decorator of the standard
    library gave to a class."""
    is_given = ownership.is_library_file(function.__code__.co_filename)
    if is_given and not getattr(function, NOT_CONVERTED, False):
        return late.converted(function)
    return hooks.callee(function)


def index_of(value: Any) -> Any:
    """``value`` where a sequence or a range takes it for an integer: of an object with a method for
    it what that gives."""
    own = None if type(value) is int else method(value, "__index__")
    return value if own is None else own()


def truth(value: Any) -> Any:
    """What decides whether ``value`` is true: of an object with a method for it what that gives."""
    kind = type(value)
    if kind is list:
        return tensor_lists.truth(value) if is_grown(value) else value
    if kind in NATIVE_VALUES:
        return value
    if is_proxy(value):
        return variant_proxies.perform(tensor_lists.is_true, value)
    decides = method(value, "__bool__")
    if decides is not None:
        return special_results.truth(decides())
    if not hasattr(kind, "__bool__") and (size := method(value, "__len__")) is not None:
        return special_results.length(size()) != 0
    return tensor_lists.truth(value) if is_grown(value) else value


def opened(value: Any) -> Any:
    """What a loop over ``value`` iterates over, where that is a variant proxy."""
    return variant_proxies.elements_of(value) if is_proxy(value) else value


def has_methods(iterable: Any) -> bool:
    """Whether user-defined methods give the elements over which Python code iterates."""
    kind = type(iterable)
    if kind in NATIVE_OBJECTS:
        return False
    if function_of(kind, "__iter__"):
        return True
    if function_of(kind, "__next__") and not _iterates_itself(kind):
        return True
    return not hasattr(kind, "__iter__") and function_of(kind, "__getitem__") is not None


def iterated(value: Any) -> Any:
    """``value`` for iteration by Python code, with the methods of its class converted."""
    if type(value) in NATIVE_OBJECTS:
        return value
    begin = method(value, "__iter__")
    if begin is not None:
        return _advanced(special_results.iterator(begin()))
    if hasattr(type(value), "__iter__"):
        return value if _iterates_itself(type(value)) else _advanced(value)
    item = method(value, "__getitem__")
    return value if item is None else _by_number(item)


def _iterates_itself(kind: type) -> bool:
    """Whether Python's own container, from which a class derives, gives its iterators."""
    return type(getattr(kind, "__iter__", None)) is types.WrapperDescriptorType


def collected(value: Any) -> Any:
    """``iterated`` for a list or a tuple of it: Python also asks an object how long it is."""
    made = iterated(value)
    if made is not value:
        _ask_length(value)
    return made


def _ask_length(value: Any) -> None:
    """Ask as Python does, which makes room for so many elements, or guesses."""
    if hasattr(type(value), "__len__"):
        asked = method(value, "__len__")
        try:
            if asked is not None:
                asked()
            return
        except TypeError as e:
            if type(e) is not TypeError:  # a refusal
                raise
    hint = method(value, "__length_hint__")
    if hint is not None:
        hint()


def _advanced(iterator: Any) -> Any:
    following = method(iterator, "__next__")
    return iterator if following is None else _elements(following)


def _elements(following: Callable) -> Iterator:
    while True:
        before = _thread.n_ends
        try:
            element = following()
        except StopIteration:
            return
        _refuse_end(before)
        yield element


def _refuse_end(before: int) -> None:
    """Refuse that a staged branch has ended the iterator of a Python loop since ``before``."""
    if _thread.n_ends != before:
        raise errors.StagingError(
            diagnostic(
                here(),
                "a Python loop iterates over an object whose method ends the iteration (`raise "
                "StopIteration`, or `IndexError`) where a tensor decides: the number of iterations "
                "is known only when the graph runs",
                f"Write `for i in {FG}.range(n):` or `while`, and keep the position in a tensor.",
            )
        )


def _by_number(item: Callable) -> Iterator:
    number = 0
    while True:
        before = _thread.n_ends
        try:
            element = item(number)
        except (IndexError, StopIteration) as e:
            if not retrace.may_handle((IndexError, StopIteration), e):
                raise
            return
        _refuse_end(before)
        yield element
        number += 1


_watched = ByClass()  # whether the ``__exit__`` of a class may keep an exception from going on


def _may_suppress(kind: type) -> bool:
    leave = getattr(kind, "__exit__", None)
    is_python = is_function(leave)
    return _watched.keep(kind, is_python and not ownership.is_own_file(leave.__code__.co_filename))


class managed(Holder):  # noqa: N801 - it reads as an operator
    """``with value``: its methods are converted, and keep no exception from going on that plain
    Python may not raise."""

    __slots__ = ("_value",)

    def __new__(cls, value: Any) -> Any:
        kind = type(value)
        known = _watched.found.get(id(kind))
        if not (_may_suppress(kind) if known is None else known):
            return value
        made = object.__new__(cls)
        made._value = value
        return made

    def __enter__(self) -> Any:
        enter = method(self._value, "__enter__")
        return type(self._value).__enter__(self._value) if enter is None else enter()

    def __exit__(self, *exception: Any) -> Any:
        leave = method(self._value, "__exit__")
        if leave is None:
            given = type(self._value).__exit__(self._value, *exception)
        else:
            given = leave(*exception)
        if given is False or given is None or exception[1] is None:
            return given
        named = getattr(self._value, "_exceptions", ()) if type(self._value) is _suppress else ()
        return retrace.may_handle(named, exception[1]) and given
