"""Objects whose attributes come in an order that the graph decides.

Branches and loops that set attributes for the first time, or anew, may leave them in different
orders. The graph cannot tell which: code that asks for the attributes of such an object is refused.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..hints import Any
from ..values import errors
from . import attribute_presence
from .adapters.base import fields_of
from .liveness import counts
from .location import Attribute
from .source_location import diagnostic, here
from .trace_context import thread as _thread


class _Noted(NamedTuple):
    owner: Callable[[], Any]
    label: str


def note(owner: Any, label: str) -> None:
    """Note that the attributes of an object come in an order that is not known; refused where the
    program holds its ``__dict__``, which shows it."""
    root = _thread.trace
    held: Callable[[], Any]
    try:
        held = weakref.ref(owner)
    except TypeError:  # nothing refers weakly to it
        held = functools.partial(_itself, owner)
    attribute_presence.of_trace().unordered = {
        **(root.attributes.unordered or {}),
        id(owner): _Noted(held, label),
    }
    if issubclass(type(owner), type):
        return
    fields = fields_of(owner)
    if counts.are_held(fields):
        raise _unsure(label)


def _itself(value: Any) -> Any:
    return value


def note_new(sides: Iterable[Iterable]) -> None:
    """Note objects to which the two sides of a conditional give attributes in different orders, by
    the changes that they make."""
    first, second = map(_new, sides)
    for key in first.keys() & second.keys():
        names = [[p.key[2] for p in side[key]] for side in (first, second)]
        common = [[n for n in own if n in other] for own, other in (names, names[::-1])]
        if common[0] != common[1]:
            note(first[key][0].owner, first[key][0].label.rpartition(".")[0])


def _new(changes: Iterable) -> dict[int, list[Attribute]]:
    """The attributes that their owners did not have, by the ids of these."""
    found: dict[int, list[Attribute]] = {}
    for place, *_ in changes:
        if isinstance(place, Attribute) and not place.was_own:
            found.setdefault(id(place.owner), []).append(place)
    return found


def refuse_look(owner: Any) -> None:
    """Refuse to tell the attributes of an object whose order is not known."""
    noted = _thread.trace.attributes.unordered.get(id(owner))
    if noted is not None and noted.owner() is owner:
        raise _unsure(noted.label)


def _unsure(label: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            f"the attributes of {label!r} are asked for (`vars`, `__dict__`), in an order that is "
            "known only when the graph runs: a branch or a loop of the graph sets them in another "
            "one",
            "Give the object its attributes before the branch or loop, or set them in one order.",
        )
    )
