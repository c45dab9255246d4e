"""Attributes that objects have of their own after some branches or iterations, and after others as
their class has them.

The graph chooses what an object shows. Whether it has the attribute itself is known only when the
graph runs: code that asks is refused, and so is a change of the class.
"""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable
from typing import NamedTuple

from ..hints import Any
from ..native import _core
from ..values import errors
from .adapters.base import fields_of
from .liveness import counts
from .location import UNDEFINED, Attribute, attribute_location
from .source_location import diagnostic, here
from .trace_context import NOTHING
from .trace_context import thread as _thread

_COPIES = frozenset({"copy", "deepcopy"})


class Attributes:
    """What the graph decides of the attributes that objects of a trace have."""

    defaults: Any = None  # those that classes have, too
    unordered: Any = None  # objects whose attributes may come in another order, by id


def of_trace() -> Attributes:
    """That of the trace on this thread."""
    trace = _thread.trace
    if trace.attributes is NOTHING:
        trace.attributes = Attributes()
    found: Attributes = trace.attributes
    return found


def note(place: Attribute) -> None:
    """Note an attribute for which its class has a default; the object may end."""
    owner: Callable[[], Any]
    try:
        owner = weakref.ref(place.owner)
    except TypeError:
        owner = functools.partial(_itself, place.owner)
    known = {p.key: n for p, n in _noted()}
    ended = [one for one in of_trace().defaults or () if one.owner() is None]
    name, bases = place.key[2], _bases_of(place.owner)
    new = _Noted(owner, place.label, name, here(), bases, _of_bases(bases, name))
    known.setdefault(place.key, new)
    of_trace().defaults = [*ended, *known.values()]
    refuse_held(place)


class _Noted(NamedTuple):
    """An attribute, the line that left it so, and what the class and its bases had for it then."""

    owner: Callable[[], Any]
    label: str
    name: str
    where: str
    bases: tuple[type, ...]
    default: Any


def _itself(value: Any) -> Any:
    return value


def _bases_of(owner: Any) -> tuple[type, ...]:
    is_class = issubclass(type(owner), type)
    return owner.__mro__[1:] if is_class else type(owner).__mro__


def _of_bases(bases: tuple[type, ...], name: str) -> Any:
    return next((vars(base)[name] for base in bases if name in vars(base)), UNDEFINED)


def _noted() -> list[tuple[Attribute, _Noted]]:
    """Those of objects that live."""
    noted: list[_Noted] = of_trace().defaults or []
    living = [(owner, one) for one in noted if (owner := one.owner()) is not None]
    return [(attribute_location(one.label, owner, one.name), one) for owner, one in living]


def check_set(cls: type, name: str) -> None:
    """Refuse to set in a class what an object may show of it."""
    for place, _ in _noted():
        if place.key[2] == name and cls in _bases_of(place.owner):
            raise _changed_class(place.label, here())


def check() -> None:
    """Refuse that a class has another value by now under a name that was noted."""
    noted: list[_Noted] = of_trace().defaults
    for one in noted:
        if _of_bases(one.bases, one.name) is not one.default:
            raise _changed_class(one.label, one.where)


def _changed_class(label: str, where: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            where,
            f"a class changes an attribute that {label!r} may show: after a branch or a loop "
            "of the graph it is known only when the graph runs whether the object has one of its "
            "own",
            "Give the object the attribute before the branch or loop, or change the class before.",
        )
    )


def refuse_look(owner: Any, name: str | None = None) -> None:
    """Refuse to tell what an object has of its own, under a name or at all, where it is unsure."""
    for place, _ in _noted():
        if place.owner is owner and name in (None, place.key[2]) and _is_unsure(place):
            raise unsure(place)


def unsure(place: Attribute) -> Exception:
    """The refusal to tell, or to need to know, whether an object has an attribute of its own."""
    return errors.StagingError(
        diagnostic(
            here(),
            f"whether an object has {place.label!r} of its own, or shows what its class has, is "
            "known only when the graph runs: a branch or a loop sets or deletes it",
            "Give the object the attribute before the branch or loop, and keep it there.",
        )
    )


def _is_unsure(place: Attribute) -> bool:
    """Whether what an object holds now may be what a branch or a loop left."""
    held = dict(vars(place.owner)).get(place.key[2], UNDEFINED)
    return held is UNDEFINED or held is place.inherited or type(held) is _core.SymbolicTensor


def is_copied(function: Any) -> bool:
    """Whether a library's function gives copies of objects."""
    return getattr(function, "__module__", None) == "copy" and function.__name__ in _COPIES


def copying(function: Callable) -> Callable:
    """A function of ``copy``: copies of objects are as unsure as these."""

    def call(value: Any, memo: dict | None = None, **keywords: Any) -> Any:
        if function is copy.copy:
            made = function(value)
            _take_over(value, made)
            return made
        memo = {} if memo is None else memo
        made = function(value, memo, **keywords)
        for place, _ in _noted():
            if id(place.owner) in memo:
                _take_over(place.owner, memo[id(place.owner)])
        return made

    return call


def _take_over(owner: Any, made: Any) -> None:
    for place, _ in _noted():
        if place.owner is owner and made is not owner and _is_unsure(place):
            note(attribute_location(place.label, made, place.key[2]))


def refuse_held(place: Attribute) -> None:
    """Refuse an attribute that is unsure from now on of an object whose ``__dict__`` the program
    holds, where it would see it."""
    if issubclass(type(place.owner), type):
        return
    held = fields_of(place.owner)
    if not counts.are_held(held):
        return
    raise errors.StagingError(
        diagnostic(
            here(),
            f"a branch or a loop of the graph decides whether an object has {place.label!r} of its "
            "own, and its `__dict__`, which shows that, is used by itself or has another name",
            "Give the object the attribute before the branch or loop, and keep it there.",
        )
    )
