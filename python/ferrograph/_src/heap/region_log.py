"""The log of a region that is being traced: objects that it makes, and locations about to
change."""

from __future__ import annotations

import types
import weakref

from ..hints import Any
from . import own_attributes
from .adapters.builtin_classes import MUTABLE, is_class
from .location import UNDEFINED, Attribute, Container, Location
from .trace_context import loud, traces
from .trace_context import thread as _thread


def active() -> bool:
    """Whether a function is being traced on this thread."""
    return _thread.trace is not None


def in_region() -> bool:
    """Whether a branch or a loop is being traced on this thread."""
    return bool(_thread.logs)


def has_regions() -> bool:
    """Whether the trace has, or had, staged branches or loops."""
    return in_region() or (active() and _thread.trace.effects.has_merged)


def has_unsure() -> bool:
    """Whether the trace has objects of which the graph says which attributes they have."""
    return _thread.trace is not None and _thread.trace.attributes.defaults is not None


def has_stale() -> bool:
    """Whether a region of the trace changed something that the graph cannot follow."""
    return _thread.trace is not None and bool(_thread.trace.effects.stale)


def note_lists() -> None:
    """From now on the trace has lists that the graph grows."""
    if _thread.trace is not None:
        _thread.trace.watch()


def fresh(value: Any, let_go: None = None) -> Any:
    """``value``, which has just been made; an argument may ``let_go`` of what it was made from."""
    if loud and type(value) is not memoryview:  # which keeps what it views from growing
        for made in _thread.logs:
            made.born[id(value)] = held(value, made.born)
    return value


def current_snapshot() -> Any:
    """What the innermost region could reach when it began; None outside of regions."""
    return _thread.logs[-1].snapshot if _thread.logs else None


def held(value: Any, among: dict[int, Any]) -> Any:
    """A weak reference for noting an object by its id, where its finalizer runs user code; the note
    leaves ``among`` others when the object is freed. An object that gets the id of a freed one
    counts as new. A class is kept: when it is freed depends on the collector."""
    if is_class(value):
        return value
    if not _has_end(type(value)):
        return None
    key = id(value)
    try:
        return weakref.ref(value, lambda _: among.pop(key, None))
    except TypeError:
        return None


def _has_end(kind: type) -> bool:
    """Whether the finalizer of an object runs user code."""
    return kind is types.GeneratorType or getattr(kind, "__del__", None) is not None


def outlived(made: Any) -> None:
    """Keep objects that a region leaves, and whose finalizer runs user code, until the trace
    ends."""
    for held in (*made.born.values(), *made.iterators.values()):
        if type(held) is weakref.ref:
            _thread.trace.effects.at_last.append(held())


def filled(items: list) -> list:
    """``items``, to which a comprehension adds elements: the graph holds them where it decides."""
    if _thread.trace is not None:
        root = _thread.trace
        root.containers.filled = {**(root.containers.filled or {}), id(items): items}
    return fresh(items)


def is_filled(items: list) -> bool:
    """Whether a comprehension adds elements to a list."""
    return _thread.trace is not None and id(items) in (_thread.trace.containers.filled or ())


def touch(place: Location) -> None:
    """Note what ``place`` holds, since it is about to change."""
    for made in _thread.logs:
        if place.key not in made.touched and id(place.owner) not in made.born:
            made.touched[place.key] = place, place.get()


def in_place(value: Any) -> Any:
    """``value``, which an augmented assignment may change."""
    if traces.n and _thread.logs and isinstance(value, MUTABLE):
        touch(Container(f"a {type(value).__name__}", value))
    return value


def augmented(value: Any) -> None:
    """Note that a statement of user code may change ``value`` in place."""
    if traces.n and _thread.trace is not None:
        in_place(value)
        if _thread.trace.aliases.sets is not None:
            _thread.trace.aliases.sets.written(value)


def note_default(place: Location, old: Any, new: Any = UNDEFINED) -> None:
    """Note an attribute that an object has of its own in some branches or iterations, and in
    others as its class has it: see ``own_attributes``."""
    if not isinstance(place, Attribute) or (default := place.inherited) is UNDEFINED:
        return
    if new is default if place.was_own else old is default or new is default:
        own_attributes.note_presence(place)
