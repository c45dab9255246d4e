"""Calls of code that is not converted: it sees the Python objects themselves.

State that only the graph has does not reach it: a list that the graph grows, an object that a
region changed. ``given`` refuses such arguments at the line of the call.
"""

from __future__ import annotations

import types
from collections.abc import Callable

from ...context.hooks import hooks
from ...heap import invalidated, trace_context
from ...heap.adapters import KEEPING, UNBOUND_METHODS
from ...heap.location import is_grown
from ...heap.source_location import diagnostic, here
from ...heap.structure import leaves_of
from ...heap.trace_context import is_proxy, proxy_of, really
from ...heap.trace_context import thread as _thread
from ...hints import Any
from ...native import FG
from ...staging import conditional, side_effects, tensor_lists, variant_proxies, write_barriers
from ...symbolic import python_scalars
from ...symbolic.values import is_staged
from ...values import errors
from .caches import counting, remembering
from .special_methods import collected, iterated, opened

__all__ = [
    "COMPARING", "LAZY", "asking", "counting", "deriving", "each_content", "formatting", "given",
    "guarded", "over_elements", "popping", "remembering", "spread", "spread_in_list",
    "spread_in_set", "without_waiting",
]  # fmt: skip

# What methods of containers do with an argument: they keep it, and do not look into it.
_KEEPS = frozenset(
    {"append", "appendleft", "add", "insert", "setdefault", "get", "pop", "put", "__setitem__"}
)


def guarded(callee: Any, takes_lists: bool = False) -> Any:
    """``callee``, which refuses arguments that only the graph knows, unless it takes such lists."""
    if not (write_barriers.has_lists() or trace_context.has_stale()):
        return callee

    def call(*args: Any, **kwargs: Any) -> Any:
        args = given(callee, args, takes_lists)
        given(callee, tuple(kwargs.values()), takes_lists)
        return callee(*args, **kwargs)

    return call


def given(callee: Callable, args: tuple, takes_lists: bool = False) -> tuple:
    """``args`` as code that is not converted may have them."""
    name = getattr(callee, "__name__", "")
    unbound = type(callee) in UNBOUND_METHODS and invalidated.only_writes(name)
    if args and type(args[0]) is invalidated.Invalidated and unbound:
        held = invalidated.behind(args[0])
        args = args if is_proxy(held) else (held, *args[1:])
    for value in args:
        if type(value) is invalidated.Invalidated:
            value._ferrograph_refuse()
        if name not in _KEEPS:
            python_scalars.refuse_string(value)
            if not takes_lists:
                tensor_lists.refuse_grown(value)
    return args


def of_first(callee: Callable) -> Callable:
    """A method that is given its object: refused where its side effects on that cannot be
    detected."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            name = getattr(callee, "__name__", type(callee).__name__)
            side_effects.refuse_opaque(really(args[0]), name)
        return callee(*args, **kwargs)

    return call


def formatting(callee: Callable) -> Callable:
    """The method of a text that puts values into it."""

    def put_in(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            write_barriers.refuse_chosen(value, "a text")
            tensor_lists.refuse_grown(value)
        return callee(*args, **kwargs)

    return put_in


def asking(callee: Callable) -> Callable:
    """A function that distinguishes a Python scalar from a tensor, or treats anything that is no
    array as unequal."""
    compares = callee.__name__ in COMPARING

    def ask(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            python_scalars.refuse_number(value, f"`{callee.__name__}`")
            if compares and any(map(is_staged, leaves_of(value))):
                raise errors.StagingError(
                    diagnostic(
                        here(),
                        f"`numpy.{callee.__name__}` needs the values of a tensor, which has none "
                        "while the function is traced",
                        f"Write `{FG}.reduce_all({FG}.equal(a, b))`.",
                    )
                )
        return callee(*args, **kwargs)

    return ask


def popping(target: set, callee: Any) -> Callable:
    """``pop`` of a set, which takes the member that comes next where it is kept: refused where a
    branch or a loop changed the set, which then keeps its members elsewhere."""

    def pop() -> Any:
        if id(target) in _thread.trace.containers.refilled and len(target) > 1:
            raise errors.StagingError(
                diagnostic(
                    here(),
                    "`pop` takes a member of a set that a staged branch or loop changes: which "
                    "one comes first depends on earlier changes of the set",
                    "Take a certain one, `k = min(s)` and `s.discard(k)`, or use a list.",
                )
            )
        return callee()

    return guarded(pop)


COMPARING = frozenset({"array_equal", "array_equiv"})


def deriving(callee: Any) -> Callable:
    """``cls.__subclasses__``: refused where a branch or a loop derived a class from ``cls``."""

    def derive() -> Any:
        cls = callee.__self__
        if id(cls) in _thread.trace.effects.asked:
            raise errors.StagingError(
                diagnostic(
                    here(),
                    f"`__subclasses__` of {cls.__name__!r} is called after a staged branch or "
                    "loop derived a class from it: that happened once, at trace time",
                    "Derive the classes before the branch or loop.",
                )
            )
        return callee()

    return derive


def each_content(callee: Any) -> Any:
    """``callee``, called once for each variant of the objects among its arguments that have
    variants; what containers only store is stored as a proxy."""
    keeps = type(getattr(callee, "__self__", None)) in KEEPING and callee.__name__ in _KEEPS

    def call(*args: Any, **kwargs: Any) -> Any:
        if keeps:
            return callee(*map(proxy_of, args), **kwargs)
        return variant_proxies.perform(callee, *args, **kwargs)

    return call


def without_waiting(method: types.MethodType) -> Callable:
    """A method of a queue, which fails where it would wait for what no other thread does while a
    function is traced."""
    held, name = method.__self__, method.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        waits = held.empty() if name == "get" else held.full()
        if not waits:
            return method(*args, **kwargs)
        try:
            return getattr(held, f"{name}_nowait")(*args[:1])
        except Exception as e:
            conditional.mark_raised(e)
            raise

    return call


LAZY = frozenset({enumerate, zip, reversed, map, filter})  # iterate over arguments later


def over_elements(callee: Any, n_functions: int = 0) -> Any:
    """``callee``, which iterates over its arguments, except the first ``n_functions`` of them,
    which it calls."""

    def call(*args: Any, **kwargs: Any) -> Any:
        called = [hooks.callee(f) if is_proxy(f) else f for f in args[:n_functions]]
        return callee(*called, *map(opened, args[n_functions:]), **kwargs)

    return call


def spread(value: Any) -> Any:
    """``value`` in ``f(*value)`` and ``(*value,)``."""
    tensor_lists.refuse_grown(value)
    return conditional.rows(value) if is_staged(value) else collected(value)


def spread_in_list(value: Any) -> Any:
    """``value`` in ``[*value]``, which is a list that the graph grows where ``value`` is one."""
    return value if type(value) is list and is_grown(value) else spread(value)


def spread_in_set(value: Any) -> Any:
    """``value`` in ``{*value}``, whose length Python does not ask for."""
    tensor_lists.refuse_grown(value)
    return iterated(value)
