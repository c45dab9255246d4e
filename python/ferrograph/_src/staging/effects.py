"""What staged code does to objects: a journal of the places that it sets, wherever the text is.

Converted code announces each attribute, item, element and shared name before it sets it. While a
region is traced a ``Journal`` keeps, for each such place, what it held before: so that a branch can
be undone before the other one is traced, and what differs becomes a result of the region.

Objects made inside the region are its own: nothing of theirs is undone. Objects that can be reached
from outside the traced function keep what Python does to them while tracing, as long as no tensor
is concerned: such effects happen once for each trace.
"""

from __future__ import annotations

import builtins
import collections
import gc
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..context import ownership
from ..context.hooks import hooks
from ..native import _core
from ..values import errors
from .journal import Journal, has_lists, traces
from .journal import thread as _thread
from .places import here, say
from .state import (
    UNDEFINED,
    Attributes,
    Container,
    Place,
    attribute_place,
    cell_place,
    name_places,
)

_CONTAINERS = (list, dict, set, collections.deque, bytearray)


class _Late:
    """What ``lists`` lends: something whose items can be set where those of a list cannot."""

    setter: Callable[[list], Any]


late = _Late()


class Change(NamedTuple):
    """A place, what it held before a region, and what the region left in it."""

    place: Place
    old: Any
    new: Any


@contextmanager
def journal() -> Iterator[Journal]:
    """A block that traces a region; what it sets is in the journal afterwards."""
    made = Journal()
    _thread.journals.append(made)
    try:
        yield made
    finally:
        _thread.journals.pop()


def active() -> bool:
    """Whether a function is being traced on this thread."""
    return bool(_thread.journals)


def in_region() -> bool:
    """Whether a branch or a loop is being traced on this thread."""
    return len(_thread.journals) > 1


def note_lists() -> None:
    """From now on the trace has lists that the graph grows."""
    if _thread.journals:
        _thread.journals[0].lists = True
        _thread.journals[0].known.clear()


def fresh(value: Any) -> Any:
    """``value``, which has just been made."""
    if traces.n:
        for made in _thread.journals:
            made.born[id(value)] = value
    return value


def touch(place: Place) -> None:
    """Note what ``place`` holds, since it is about to change."""
    for made in _thread.journals[1:]:
        if place.key not in made.touched and id(place.owner) not in made.born:
            made.touched[place.key] = place, place.get()


def touch_carried(places: Iterable[Place]) -> None:
    """Note what attributes and items hold, in which a loop is about to put its variables."""
    for place in places:
        if isinstance(place.owner, _CONTAINERS):
            touch(Container(place.label, place.owner))
        else:
            touch(place)


def owner(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is set next."""
    if traces.n and _thread.journals:
        setter = getattr(type(target), name, None)
        if type(setter) is property:
            return _PropertySetter(target, setter)
        if len(_thread.journals) > 1:
            touch(attribute_place(label, target, name))
    return target


def container(target: Any, label: str, key: Any = None) -> Any:
    """``target``, whose items are set next, under ``key`` where that is known already."""
    if not traces.n or not _thread.journals:
        return target
    if isinstance(target, _CONTAINERS):
        if len(_thread.journals) > 1:
            touch(Container(label, target))
        if isinstance(target, list) and (type(key) is not int or has_lists()):
            return late.setter(target)
        return target
    method = getattr(type(target), "__setitem__", None)
    return _ItemSetter(target) if type(method) is types.FunctionType else target


def in_place(value: Any) -> Any:
    """``value``, which an augmented assignment may change."""
    if traces.n and len(_thread.journals) > 1 and isinstance(value, _CONTAINERS):
        touch(Container(f"a {type(value).__name__}", value))
    return value


def cells(names: Callable[[], Any]) -> None:
    """Note the names in the closure of ``names``, which the function that runs may set."""
    if len(_thread.journals) > 1:
        for place in name_places(names):
            touch(place)


def names_of_module(*places: Place) -> None:
    """Note names of a module, which the function that runs may set."""
    for place in places:
        touch(place)


def bound(cell: types.CellType, name: str) -> None:
    """Note a name that is set through its cell."""
    if len(_thread.journals) > 1:
        touch(cell_place(name, cell))


_MAX_WATCHED = 200
_HEAP_TYPE = 1 << 9  # of the flags of a class: made by a ``class`` statement


def watch(anchors: Iterable[Any]) -> None:
    """Note what the objects hold that the functions of a region name.

    Code that is not converted may change them: operators of classes, context managers, iterators.
    """
    pending = [(f, 0) for f in anchors if type(f) is types.FunctionType]
    seen: set[int] = set()
    while pending and len(seen) < _MAX_WATCHED:
        value, depth = pending.pop()
        if id(value) in seen or depth > 3 or isinstance(value, _ATOMS):
            continue
        seen.add(id(value))
        kind = type(value)
        if kind is types.ModuleType and ownership.is_library_file(
            getattr(value, "__file__", None) or "<frozen"
        ):
            continue
        if kind is types.FunctionType:
            cells = value.__closure__ or ()
            pending += [(v, depth + 1) for v in map(_contents, cells) if v is not UNDEFINED]
        elif kind is types.MethodType:
            pending += [(value.__self__, depth), (value.__func__, depth)]
        elif kind in (list, tuple) and len(value) < _MAX_WATCHED:
            pending += [(v, depth + 1) for v in value]
        elif kind is dict and len(value) < _MAX_WATCHED:
            pending += [(v, depth + 1) for v in value.values()]
        elif isinstance(getattr(value, "__dict__", None), dict) and not _is_library_class(kind):
            held = vars(value)
            touch(Attributes(value, held))
            pending += [(v, depth + 1) for v in held.values()]


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNDEFINED


def advanced(iterator: Any) -> None:
    """Note that an iterator is read from; those over datasets are read when the graph runs."""
    if ownership.is_own_module(type(iterator).__module__):
        return
    for made in _thread.journals[1:]:
        if id(iterator) not in made.born:
            made.iterators[id(iterator)] = iterator


class _PropertySetter:
    """Sets an attribute through its property, converted."""

    def __init__(self, target: Any, setter: property):
        object.__setattr__(self, "_parts", (target, setter))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parts[0], name)

    def __setattr__(self, name: str, value: Any) -> None:
        target, setter = self._parts
        if setter.fset is None:
            setattr(target, name, value)
        else:
            hooks.callee(setter.fset)(target, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._parts[0], name)


class _ItemSetter:
    """Sets items through a class's own method, converted."""

    def __init__(self, target: Any):
        self._target = target

    def __getitem__(self, key: Any) -> Any:
        return self._target[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        hooks.callee(type(self._target).__setitem__)(self._target, key, value)

    def __delitem__(self, key: Any) -> None:
        del self._target[key]


def changes(
    made: Journal,
    anchors: Iterable[Any],
    direct: frozenset = frozenset(),
    skipped: frozenset = frozenset(),
    left: dict[Any, Any] | None = None,
) -> list[Change]:
    """What the region of ``made`` did to places that outlive it; these are put back.

    ``anchors`` are the functions of the region: what they reach was there before. ``direct`` are
    the keys of places that the text of the construct itself sets; ``skipped`` those that others
    look after. ``left`` are the contents of places where those were put back already.
    """
    found = []
    for place, old in _without_known(made):
        if place.key in skipped:
            continue
        new = left[place.key] if left and place.key in left else place.get()
        if not same(old, new):
            found.append(Change(place, old, new))
    if not found and not made.iterators:
        return found
    for change in reversed(found):
        change.place.put(change.old)
    owners = [change.place.owner for change in found] + list(made.iterators.values())
    known = reached(list(anchors), owners)
    _refuse_iterators(made, known)
    outside = reached([_thread.roots], [c.place.owner for c in found])
    kept = []
    for change in found:
        there = id(change.place.owner) in known or change.place.is_shared
        outer = id(change.place.owner) in outside or change.place.is_module
        if there and (not outer or change.place.key in direct or _is_state(change)):
            kept.append(change)
        else:
            change.place.put(change.new)
    return kept


def contents(made: Journal) -> dict[Any, Any]:
    """What the lists, dicts and sets of a journal hold now, by the keys of their places."""
    touched = [place for place, _ in made.touched.values()]
    return {p.key: p.get() for p in touched if isinstance(p, Container)}


def _without_known(made: Journal) -> Iterator[tuple[Place, Any]]:
    """The places of a journal; of watched objects the attributes without a place of their own."""
    for place, old in list(made.touched.values()):
        if not isinstance(place, Attributes):
            yield place, old
            continue
        for name in {**old, **place.owner_dict}:
            key = ("attribute", id(place.owner), name)
            before, after = old.get(name, UNDEFINED), place.owner_dict.get(name, UNDEFINED)
            if key not in made.touched and not same(before, after):
                yield (
                    attribute_place(f"{type(place.owner).__name__}.{name}", place.owner, name),
                    before,
                )


def _is_state(change: Change) -> bool:
    """Whether a change of something that is seen from outside belongs to the graph."""
    old, new = change.old, change.new
    if isinstance(old, list) and isinstance(change.place, Container):
        return len(old) == len(new) and has_tensor([old, new])
    return has_tensor([old, new])


def has_tensor(value: Any) -> bool:
    """Whether there is a tensor in a value, or in the containers in it."""
    if isinstance(value, (list, tuple, set, collections.deque)):
        return any(has_tensor(v) for v in value)
    if isinstance(value, dict):
        return any(has_tensor(v) for v in value.values())
    return isinstance(value, _core.Tensor) or hasattr(type(value), "_component_list")


def same(old: Any, new: Any) -> bool:
    """Whether two values of a place are the same objects, one by one."""
    if old is new:
        return True
    if type(old) is not type(new):
        return False
    if isinstance(old, (list, collections.deque)):
        return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(v is new[k] for k, v in old.items())
    return isinstance(old, (set, bytearray, int, float, str)) and old == new


def _refuse_iterators(made: Journal, known: set[int]) -> None:
    for iterator in made.iterators.values():
        if id(iterator) in known:
            raise errors.StagingError(
                say(
                    here(),
                    f"a Python iterator ({type(iterator).__name__}) from outside this branch or "
                    "loop of the graph is advanced inside it: that would happen once, while "
                    "tracing",
                    "Take its elements before, or iterate over a tensor.",
                )
            )


_ATOMS = (
    int, float, complex, str, bytes, bool, type(None), type(Ellipsis), _core.Tensor,
    _core.VariableBase, types.CodeType, types.BuiltinFunctionType, types.GetSetDescriptorType,
)  # fmt: skip


def reached(roots: list, wanted: list) -> set[int]:
    """The ids of those ``wanted`` objects that can be reached from ``roots``."""
    ids = {id(w) for w in wanted}
    found: set[int] = set()
    seen: set[int] = set()
    pending: collections.deque = collections.deque(roots)
    later: list[Any] = []
    while ids and (pending or later):
        if not pending:
            pending.append(later.pop())
        value = pending.popleft()
        if id(value) in ids:
            found.add(id(value))
            ids.discard(id(value))
        if isinstance(value, _ATOMS) or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is types.FunctionType:
            pending.extend(value.__closure__ or ())
            pending.extend([value.__defaults__, value.__kwdefaults__, value.__dict__])
            if not ownership.is_library_file(value.__code__.co_filename):
                later.append(value.__globals__)
        elif type(value) is dict:
            pending.extend(value.values())
        elif isinstance(value, types.ModuleType):
            if not ownership.is_library_file(getattr(value, "__file__", None) or "<frozen"):
                later.append(vars(value))
        elif isinstance(value, type):
            if not _is_library_class(value):
                pending.extend(vars(value).values())
                pending.extend(value.__bases__)
        else:
            pending.extend(gc.get_referents(value))
    return found


def _is_library_class(cls: type) -> bool:
    if not cls.__flags__ & _HEAP_TYPE or issubclass(cls, types.ModuleType):
        return True
    if ownership.is_own_module(cls.__module__):
        return True
    module = sys.modules.get(cls.__module__)
    if module is None:
        return False
    file = getattr(module, "__file__", None)
    if file is not None:
        return ownership.is_library_file(file)
    if cls.__module__ == "builtins":  # also said of classes that ``exec`` makes
        return getattr(builtins, cls.__name__, None) is cls
    return cls.__module__ in sys.stdlib_module_names and cls.__module__ != "__main__"
