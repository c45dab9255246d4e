"""What reads a list by code written in C, which knows nothing of what the graph makes of it:
iterators that are under way, and functions and methods in C that other objects of C call.

Nothing can be put in place of the list in them. They are found among what refers to the list, where
the trace has called something that makes such readers.
"""

from __future__ import annotations

import collections
import functools
import gc
import itertools
import types

from ...hints import Any
from ...values import errors
from ..adapters.base import TypeAdapter
from ..reachable import Walk
from ..source_location import diagnostic, here
from ..trace_context import region_functions
from ..trace_context import thread as _thread
from . import frames, hidden_references

_LISTS: list = []


class _ByNumber:
    def __getitem__(self, number: int) -> int:
        return number


# The classes of iterators over a list.
_OVER = frozenset(map(type, (iter(_LISTS), reversed(_LISTS), iter(_ByNumber()))))
_DEQUE: collections.deque = collections.deque()
_ORDERED: collections.OrderedDict = collections.OrderedDict()
_IN_STEP = frozenset(map(type, (iter(_DEQUE), reversed(_DEQUE), iter(_ORDERED))))
_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)
_IN_C = (*_METHODS, types.MethodDescriptorType, types.WrapperDescriptorType, type)
_BOUND = (types.MethodType, functools.partial)  # which call something with more arguments
# The classes of what calls a function by itself.
_CALLING = frozenset(
    {map, filter, type(iter(int, 0)), type(functools.lru_cache(int))}
    | {itertools.accumulate, itertools.dropwhile, itertools.filterfalse, itertools.groupby}
    | {itertools.starmap, itertools.takewhile}
)


def refuse(items: list) -> None:
    """Refuse that the graph decides from now on how many elements a list has that code in C goes
    on to read."""
    if not _thread.trace.iterators.has_native:
        return
    holders_ = gc.get_referrers(items)
    readers = [held for held in holders_ if type(held) in _OVER and _goes_on(held, items)]
    calls = _calls(items, holders_)
    del holders_
    if calls:
        readers += _callers(calls)
    if readers and _is_alive(readers):
        is_iterator = any(type(held) in _OVER for held in readers)
        raise _of_iterator() if is_iterator else _of_method(type(readers[0]).__name__)


def _goes_on(iterator: Any, items: list) -> bool:
    """Whether an iterator over a list has not ended; those that have may still refer to it."""
    return any(part is items for part in iterator.__reduce__()[1])


def refuse_iterated(owner: Any, label: str) -> None:
    """Refuse that a region changes which elements a deque or an ordered dict has, whose iterators
    fail from then on, while code goes on to read one of those."""
    if not _thread.trace.iterators.has_native:
        return
    iterators = [held for held in gc.get_referrers(owner) if type(held) in _IN_STEP]
    if iterators and _is_alive(iterators):
        raise errors.StagingError(
            diagnostic(
                here(),
                f"a branch or a loop of the graph changes which elements {label!r} has while an "
                "iterator over it is under way, which fails from then on, whatever the graph does",
                "Make the iterator after the branch or loop, or run over a copy, such as "
                "`list(items)`.",
            )
        )


def given(call: Any) -> list:
    """What a function in C gets whenever ``call``, which holds it, is called."""
    if type(call) in _METHODS:
        return [call.__self__]
    if type(call) is types.MethodType:
        return [call.__self__, *given(call.__func__)] if _runs_in_c(call) else []
    if type(call) is functools.partial and _runs_in_c(call):
        return [*call.args, *call.keywords.values(), *given(call.func)]
    return []


def _calls(items: list, referrers: list) -> list:
    """What calls functions in C with a list, its methods among them."""
    tuples = [h for h in referrers if type(h) is tuple and not _is_entry(h)]
    if tuples:  # which may be the arguments of a partial function
        referrers = [*referrers, *gc.get_referrers(*tuples)]
    return [h for h in referrers if any(value is items for value in given(h))]


def _is_entry(held: tuple) -> bool:
    """Whether a tuple is of a snapshot of this package's."""
    return bool(held) and isinstance(held[0], TypeAdapter)


def _runs_in_c(call: Any) -> bool:
    while type(call) in _BOUND:
        call = call.func if type(call) is functools.partial else call.__func__
    return type(call) in _IN_C


def _callers(calls: list) -> list:
    """The objects of C that call some functions by themselves."""
    found, known, pending = [], {id(call) for call in calls}, calls
    while pending:
        referrers, pending = gc.get_referrers(*pending), []
        for held in referrers:
            if type(held) in _BOUND and id(held) not in known and _runs_in_c(held):
                known.add(id(held))
                pending.append(held)
            elif type(held) in _CALLING or _makes_by(held, known):
                found.append(held)
    return found


def _makes_by(held: Any, known: set[int]) -> bool:
    """Whether a dict makes what it does not have by one of these."""
    return isinstance(held, collections.defaultdict) and id(held.default_factory) in known


def _is_alive(readers: list) -> bool:
    """Whether code that follows may read by one of these."""
    walk = Walk()
    walk.run(region_functions(), [_thread.roots, *frames.live_values()])
    if any(id(reader) in walk.seen for reader in readers):
        return True
    return hidden_references.is_held_unseen(readers, walk.seen)


def _of_iterator() -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            "a branch or a loop of the graph changes how many elements a list has while an "
            "iterator over the list is under way: it would not see what the graph does",
            "Make the iterator after the branch or loop, or run over a copy of the list, such as "
            "`list(items)`.",
        )
    )


def _of_method(kind: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            "a branch or a loop of the graph changes how many elements a list has, and a "
            f"`{kind}` calls a method of the list, or a function in C with it, by itself: that "
            "would not see what the graph does",
            "Write a function of your own for it, such as `lambda: len(items)`.",
        )
    )
