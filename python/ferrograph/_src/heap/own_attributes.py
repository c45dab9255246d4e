"""Attributes of objects: whether an object itself has them after a merge, their order, and what
sets them.

The graph merges the values that an object has under a name. Whether the object itself has the
attribute or inherits it from its class, and the order of attributes that branches set, are known
only when the graph runs: code that reads these is refused, and so is a change of the class. A
property, a descriptor or a method of the class that sets an attribute or an item is converted like
a call.
"""

from __future__ import annotations

import copy
import functools
import operator
import types
import weakref
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..context import ownership
from ..context.by_class import ByClass
from ..context.hooks import hooks
from ..hints import Any
from ..native import _core
from . import liveness
from .adapters import is_class, is_function
from .adapters.base import fields_of
from .location import UNDEFINED, Attribute, Location
from .source_location import here, refusal
from .trace_context import TracePart
from .trace_context import thread as _thread
from .walk import of_bases

_COPIES = frozenset({"copy", "deepcopy"})


class Attributes(TracePart):
    """What the graph decides of the attributes that objects of a trace have."""

    slot = "attributes"

    defaults: Any = None  # those that classes have, too


def note_default(place: Location, old: Any, new: Any = UNDEFINED) -> None:
    """Note an attribute that an object has of its own in some branches or iterations, and in
    others as its class has it."""
    if not isinstance(place, Attribute) or (default := place.inherited) is UNDEFINED:
        return
    if new is default if place.was_own else old is default or new is default:
        note_presence(place)


def note_presence(place: Attribute) -> None:
    """Note an attribute for which its class has a default; the object may end."""
    if all(other.key != place.key for other, _ in _noted()):
        name, bases = place.key[2], _bases_of(place.owner)
        default = of_bases(bases, name, UNDEFINED)
        new = _Default(_reference(place.owner), place.label, name, here(), bases, default)
        known = Attributes.of_trace()
        known.defaults = [*(known.defaults or ()), new]
    refuse_held_dict(place)


class _Default(NamedTuple):
    """An attribute, the line that left it so, and what the class and its bases had for it then."""

    owner: Callable[[], Any]
    label: str
    name: str
    where: str
    bases: tuple[type, ...]
    default: Any


def _reference(owner: Any) -> Callable[[], Any]:
    """What gives an object while it is there; weak where it can be."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return lambda: owner


def _bases_of(owner: Any) -> tuple[type, ...]:
    return owner.__mro__[1:] if is_class(owner) else type(owner).__mro__


def _noted() -> list[tuple[Attribute, _Default]]:
    """Those of objects that live."""
    noted: list[_Default] = Attributes.of_trace().defaults or []
    living = [(owner, one) for one in noted if (owner := one.owner()) is not None]
    return [(Attribute(one.label, owner, one.name), one) for owner, one in living]


def check_class_attribute(cls: type, name: str) -> None:
    """Refuse to set in a class what an object may show of it."""
    for place, _ in _noted():
        if place.key[2] == name and cls in _bases_of(place.owner):
            raise _changed_class(place.label, here())


def check_classes() -> None:
    """Refuse that a class has another value by now under a name that was noted."""
    noted: list[_Default] = Attributes.of_trace().defaults
    for one in noted:
        if of_bases(one.bases, one.name, UNDEFINED) is not one.default:
            raise _changed_class(one.label, one.where)


def _changed_class(label: str, where: str) -> Exception:
    return refusal(
        f"a class changes the attribute {label!r}, which one of its objects may have itself or "
        "inherit: after a staged branch or loop that is known only when the graph runs",
        "Give the object the attribute before the branch or loop, or change the class before.",
        where,
    )


def refuse_presence(owner: Any, name: str | None = None) -> None:
    """Refuse to tell what an object has of its own, under a name or at all, where it is unsure."""
    for place, _ in _noted():
        if place.owner is owner and name in (None, place.key[2]) and _is_unsure(place):
            raise unsure(place)


def unsure(place: Attribute) -> Exception:
    """The refusal to tell, or to need to know, whether an object has an attribute of its own."""
    return refusal(
        f"whether an object itself has {place.label!r}, or inherits it from its class, is known "
        "only when the graph runs: a staged branch or loop sets or deletes it",
        "Give the object the attribute before the branch or loop, and keep it there.",
    )


def _is_unsure(place: Attribute) -> bool:
    """Whether what an object holds now may be what a branch or a loop left."""
    held = dict(vars(place.owner)).get(place.key[2], UNDEFINED)
    return held is UNDEFINED or held is place.inherited or type(held) is _core.SymbolicTensor


def is_copied(function: Any) -> bool:
    """Whether a library's function gives copies of objects."""
    return getattr(function, "__module__", None) == "copy" and function.__name__ in _COPIES


def copying(function: Callable) -> Callable:
    """A function of ``copy``, which refuses objects of which the graph says what they have."""

    def call(value: Any, *args: Any, **keywords: Any) -> Any:
        for place, _ in _noted():
            is_reached = function is not copy.copy or place.owner is value
            if is_reached and _is_unsure(place):
                raise unsure(place)
        return function(value, *args, **keywords)

    return call


def refuse_held_dict(place: Attribute) -> None:
    """Refuse an attribute that is unsure from now on of an object whose ``__dict__`` the program
    holds, where it would see it."""
    if is_class(place.owner):
        return
    held = fields_of(place.owner)
    if not liveness.are_held(held):
        return
    raise refusal(
        f"a staged branch or loop decides whether an object itself has {place.label!r}, and its "
        "`__dict__`, which shows that, is used by itself or has another name",
        "Give the object the attribute before the branch or loop, and keep it there.",
    )


def check_order(sides: Iterable[Iterable]) -> None:
    """Refuse that the two sides of a conditional give an object attributes in different orders, by
    the changes that they make."""
    first, second = map(_new, sides)
    for key in first.keys() & second.keys():
        names = [[p.key[2] for p in side[key]] for side in (first, second)]
        common = [[n for n in own if n in other] for own, other in (names, names[::-1])]
        if common[0] != common[1]:
            raise unsure_order(first[key][0].label.rpartition(".")[0])


def _new(changes: Iterable) -> dict[int, list[Attribute]]:
    """The attributes that their owners did not have, by the ids of these."""
    found: dict[int, list[Attribute]] = {}
    for place, *_ in changes:
        if isinstance(place, Attribute) and not place.was_own:
            found.setdefault(id(place.owner), []).append(place)
    return found


def unsure_order(label: str) -> Exception:
    """The refusal of an order of attributes that is known only when the graph runs."""
    return refusal(
        f"a staged branch or loop sets the attributes of {label!r} in another order: `vars` and "
        "`__dict__` show an order that is known only when the graph runs",
        "Give the object its attributes before the branch or loop, or set them in one order.",
    )


# The attributes of a function of which its converted form is made.
_MADE_OF = frozenset({"__code__", "__defaults__", "__kwdefaults__"})
_ASKED = (type, _core.Tensor)  # classes of whose instances it is asked for each store
_decided = ByClass()  # the names, None where a method decides
decided = _decided.found  # by the id of the class
_settable = ByClass(ownership.settable)  # those for which there are no such names


def attribute_setter(target: Any, name: str) -> Any:
    """What sets the attribute ``name`` of ``target``; None where that is ``target`` itself."""
    kind = type(target)
    key = id(kind)
    known = _decided.found[key] if key in _decided.found else _learn(kind)
    if known is None:
        own = [_function(kind, m) for m in ("__setattr__", "__delattr__")]
        return _Setter(
            functools.partial(getattr, target),
            _called(own[0], target) or functools.partial(setattr, target),
            _called(own[1], target) or functools.partial(delattr, target),
        )
    if name not in known:
        return None
    if kind is types.FunctionType:
        _thread.trace.ask_anew()
        return None
    held = of_bases(kind.__mro__, name)
    if type(held) is property:
        found = held.fget if is_function(held.fget) else None, held.fset, held.fdel
        get, put, remove = (_called(function, target) for function in found)
    else:
        own = [_function(type(held), f"__{m}__") for m in ("get", "set", "delete")]
        get, put, remove = (_called(function, held, target) for function in own)
        get = None if get is None else functools.partial(get, kind)
    return _Setter(
        lambda name: getattr(target, name) if get is None else get(),
        lambda name, value: setattr(target, name, value) if put is None else put(value),
        lambda name: delattr(target, name) if remove is None else remove(),
    )


def keeps_any(kind: type) -> bool:
    """Whether objects of a class store any attribute that is set, and no user code runs."""
    if id(kind) not in decided:
        _learn(kind)
    return id(kind) in ownership.settable


def _learn(kind: type) -> frozenset[str] | None:
    """The names whose setting runs user-defined functions, cached for the next store; not of
    metaclasses, since objects inherit what is set in a class, nor of tensors, which may be symbolic
    Python scalars."""
    if kind is types.FunctionType:
        return _decided.keep(kind, _MADE_OF)
    found = None
    if not (_function(kind, "__setattr__") or _function(kind, "__delattr__")):
        held = (item for base in kind.__mro__ for item in vars(base).items())
        found = frozenset(name for name, value in held if _is_setter(value))
        if not (found or issubclass(kind, _ASKED)):
            _settable.keep(kind, True)
    return found if issubclass(kind, _ASKED) else _decided.keep(kind, found)


def _is_setter(value: Any) -> bool:
    if type(value) is property:
        return True
    kind = type(value)
    return bool(_function(kind, "__set__") or _function(kind, "__delete__"))


def _function(kind: type, name: str) -> types.FunctionType | None:
    """A special method of a class that is a user-defined function."""
    found = getattr(kind, name, None)
    if not is_function(found):
        return None
    return None if ownership.is_library_file(found.__code__.co_filename) else found


def _called(function: Any, *given: Any) -> Callable | None:
    """Calls the converted form of a function; None where there is none."""
    if function is None:
        return None
    return lambda *others: hooks.callee(function)(*given, *others)


def item_setter(target: Any) -> Any:
    """The object that sets the items of ``target``: itself, unless user-defined methods do."""
    own = [_function(type(target), f"__{m}item__") for m in ("get", "set", "del")]
    if own[1] is None and own[2] is None:
        return target
    plain = operator.getitem, operator.setitem, operator.delitem
    pairs: Any = zip(own, plain, strict=True)
    return _Setter(*(_called(f, target) or functools.partial(p, target) for f, p in pairs))


class _Setter:
    """Sets attributes, or items, of an object by code of its class, which is converted like a
    call."""

    def __init__(self, get: Callable, put: Callable, remove: Callable):
        object.__setattr__(self, "_own", (get, put, remove))

    def __getattr__(self, name: str) -> Any:
        return self._own[0](name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._own[1](name, value)

    def __delattr__(self, name: str) -> None:
        self._own[2](name)

    def __getitem__(self, key: Any) -> Any:
        return self._own[0](key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._own[1](key, value)

    def __delitem__(self, key: Any) -> None:
        self._own[2](key)
