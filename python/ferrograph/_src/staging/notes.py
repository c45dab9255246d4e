"""What converted code says of objects before it changes them, for the journals of the regions.

Every converted function calls these, in a trace of plain Python too: this module imports nothing of
what staging takes.
"""

from __future__ import annotations

import collections
import types
import weakref
from collections.abc import Callable, Iterable

from .. import staging
from ..context import ownership
from ..hints import Any
from ..native import _core
from ..values import errors
from . import setters
from .journal import front_of, has_lists, is_front, loud, traces
from .journal import thread as _thread
from .late import contents, fronts, lists, orders, presence, walking
from .places import here, say
from .stale import behind
from .state import (
    UNDEFINED,
    Attribute,
    Container,
    Place,
    attribute_place,
    cell_place,
    global_place,
    name_places,
)

_CONTAINERS = (list, dict, set, collections.deque, bytearray)


def active() -> bool:
    """Whether a function is being traced on this thread."""
    return bool(_thread.journals)


def in_region() -> bool:
    """Whether a branch or a loop is being traced on this thread."""
    return len(_thread.journals) > 1


def has_regions() -> bool:
    """Whether the trace has, or had, branches or loops of the graph."""
    return in_region() or (active() and _thread.journals[0].has_chosen)


def has_unsure() -> bool:
    """Whether the trace has objects of which the graph says which attributes they have."""
    return bool(_thread.journals) and _thread.journals[0].defaults is not None


def has_stale() -> bool:
    """Whether a region of the trace changed something that the graph cannot follow."""
    return bool(_thread.journals) and bool(_thread.journals[0].stale)


def note_lists() -> None:
    """From now on the trace has lists that the graph grows."""
    if _thread.journals:
        _thread.journals[0].watch()


def fresh(value: Any, let_go: None = None) -> Any:
    """``value``, which has just been made; an argument may ``let_go`` of what it was made from."""
    if loud and type(value) is not memoryview:  # which keeps what it views from growing
        for made in _thread.journals[1:]:
            made.born[id(value)] = _held(value, made.born)
    return value


def _held(value: Any, among: dict[int, Any]) -> Any:
    """What notes an object by its id and does not keep it: a reference, which leaves ``among``
    others with it, where its end runs code of the program's. An object that gets the id of another
    one, which has ended, is as new. A class is kept: when it ends is up to the collector."""
    if issubclass(type(value), type):
        return value
    if not _has_end(type(value)):
        return None
    key = id(value)
    try:
        return weakref.ref(value, lambda _: among.pop(key, None))
    except TypeError:
        return None


def _has_end(kind: type) -> bool:
    """Whether the end of an object runs code of the program's."""
    return kind is types.GeneratorType or getattr(kind, "__del__", None) is not None


def outlived(made: Any) -> None:
    """Have what a region leaves, and whose end runs code of the program's, end with the trace."""
    for held in (*made.born.values(), *made.iterators.values()):
        if type(held) is weakref.ref:
            _thread.journals[0].at_last.append(held())


def filled(items: list) -> list:
    """``items``, to which a comprehension adds elements: the graph holds them where it decides."""
    if _thread.journals:
        root = _thread.journals[0]
        root.filled = {**(root.filled or {}), id(items): items}
    return fresh(items)


def is_filled(items: list) -> bool:
    """Whether a comprehension adds elements to a list."""
    return bool(_thread.journals) and id(items) in (_thread.journals[0].filled or ())


def touch(place: Place) -> None:
    """Note what ``place`` holds, since it is about to change."""
    for made in _thread.journals[1:]:
        if place.key not in made.touched and id(place.owner) not in made.born:
            made.touched[place.key] = place, place.get()


def touch_carried(places: Iterable[Place]) -> None:
    """Note what attributes and items hold, in which a loop is about to put its variables."""
    for place in places:
        note_default(place, place.get())
        whole = issubclass(type(place.owner), _CONTAINERS) and not place.is_module
        touch(Container(place.label, place.owner) if whole else place)


def owner(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is set next."""
    if traces.n:
        decided = setters.decided.get(id(type(target)))
        if decided is not None and name not in decided and not loud:
            return target
        journals = _thread.journals
        if not journals:
            return target
        if issubclass(type(target), _core.Tensor):
            _check_sets_tensor(target, name)
        is_class = issubclass(type(target), type)
        if is_class and journals[0].defaults is not None and len(journals) < 2:
            presence.check_set(target, name)
        setter = setters.of_attribute(target, name)
        if setter is not None:
            return setter
        if len(journals) > 1:
            changed = walking.proxied(target)
            if not walking.is_field(changed, name):
                touch(attribute_place(label, changed, name))
        if journals[0].families is not None:
            journals[0].families.written(target)
    return target


def losing(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is deleted next."""
    journals = _thread.journals
    if journals and journals[0].defaults is not None:
        presence.refuse_look(target, name)
    if len(journals) > 1:
        place = attribute_place(label, walking.proxied(target), name)
        around = [made for made in journals[1:] if id(place.owner) not in made.born]
        if around and any(made.repeats for made in around) and place.inherited is not UNDEFINED:
            raise presence.unsure(place)
        note_default(place, place.get(), place.inherited)
    return owner(target, name, label)


def check_own(places: Iterable[Place]) -> None:
    """Refuse that an iteration deletes attributes that it began with, which classes have, too."""
    for place in places:
        if isinstance(place, Attribute) and place.inherited is not UNDEFINED and place.is_missing():
            raise presence.unsure(place)


def asked(target: Any) -> Any:
    """``target``, of which is asked next which attributes it has of its own."""
    if _thread.journals and _thread.journals[0].defaults is not None:
        presence.refuse_look(target)
    if _thread.journals and _thread.journals[0].unordered is not None:
        orders.refuse_look(target)
    return target


def note_default(place: Place, old: Any, new: Any = UNDEFINED) -> None:
    """Note an attribute that an object has of its own in some branches or iterations, and in
    others as its class has it: see ``presence``."""
    if not isinstance(place, Attribute) or (default := place.inherited) is UNDEFINED:
        return
    if new is default if place.was_own else old is default or new is default:
        presence.note(place)


# What arrays let programs set, beside what tensors have as well: a tensor may stand for an array.
_ARRAYS_SET = frozenset(("data", "flat", "imag", "real", "strides"))


def _stands_for_another(tensor: Any) -> bool:
    """Whether a graph is given the value of a symbolic tensor, or the tensor's own is finished."""
    try:
        return tensor.op.type == "Placeholder"
    except AttributeError:
        return True


def _check_sets_tensor(tensor: Any, name: str) -> None:
    """Refuse an attribute that no program may set, or that is lost with what it is set on."""
    contents.check_set(tensor, name)
    if name in _ARRAYS_SET or hasattr(type(tensor), name):
        why = (
            f"the attribute {name!r} of a tensor is set, which cannot be set: where branches "
            "or loops of the graph set an array, a tensor stands for it from then on"
        )
        cure = (
            "Use an operation that makes another tensor, such as `fg.reshape`, or change the array "
            "before the branch or loop."
        )
    elif isinstance(tensor, _core.SymbolicTensor) and _stands_for_another(tensor):
        why = (
            f"the attribute {name!r} is set on an argument of a function or a variable of a loop, "
            "for which a tensor stands that nobody else sees"
        )
        cure = "Return the value, or set the attribute on a tensor that is computed here."
    else:
        contents.refuse_set(tensor)
        return
    raise errors.StagingError(say(here(), why, cure))


def container(target: Any, label: str, key: Any = None) -> Any:
    """``target``, whose items are set next, under ``key`` where that is known already."""
    if not traces.n:
        return target
    journals = _thread.journals
    if not journals:
        return target
    is_plain = type(target) is dict or type(key) is int and type(target) is list
    if journals[0].versions:
        target = front_of(target)
    elif is_plain and len(journals) < 2 and not journals[0].lists:
        return target
    target = walking.proxied(behind(target))
    if journals[0].families is not None:
        journals[0].families.written(target)
    if issubclass(type(target), _CONTAINERS):
        if len(journals) > 1:
            is_module = type(target) is dict and "__builtins__" in target
            if not is_module:
                touch(Container(label, target))
            elif type(key) is str:
                touch(global_place(key, target))
        setter = setters.of_items(target) if type(target) not in _CONTAINERS else target
        if setter is not target:
            return setter
        if isinstance(target, list) and (type(key) is not int or has_lists()):
            return lists.Setter(target)
        return target
    if is_front(target):
        return fronts.Items(target)
    if len(journals) > 1:
        staging.refuse_opaque(target, "__setitem__")
    return setters.of_items(target)


def in_place(value: Any) -> Any:
    """``value``, which an augmented assignment may change."""
    if traces.n and len(_thread.journals) > 1 and isinstance(value, _CONTAINERS):
        touch(Container(f"a {type(value).__name__}", value))
    return value


def augmented(value: Any) -> None:
    """Note that a statement of the user's may change ``value`` in place."""
    if traces.n and _thread.journals:
        in_place(value)
        if _thread.journals[0].families is not None:
            _thread.journals[0].families.written(value)


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


def advanced(iterator: Any) -> None:
    """Note that an iterator is read from; those over datasets are read when the graph runs."""
    if ownership.is_own_module(type(iterator).__module__):
        return
    for made in _thread.journals[1:]:
        if id(iterator) not in made.born:
            made.iterators[id(iterator)] = _held(iterator, made.iterators) or iterator


def changing(target: Any, name: str) -> None:
    """Note that an augmented assignment may change in place what an object keeps as an attribute:
    no code of its class runs."""
    if _notes_changes():
        augmented(attribute_place(name, walking.proxied(target), name).get())


def changing_item(target: Any, key: Any) -> None:
    """The same for an item of a container of Python's own."""
    if _notes_changes() and type(target) in _INDEXED:
        try:
            held = dict.get(target, key) if isinstance(target, dict) else target[key]
        except (IndexError, TypeError):
            return  # which the assignment says itself
        augmented(held)


def _notes_changes() -> bool:
    """Whether it matters what an augmented assignment changes."""
    journals = _thread.journals
    return len(journals) > 1 or (bool(journals) and journals[0].families is not None)


_INDEXED = frozenset(
    {list, dict, collections.deque, collections.OrderedDict, collections.defaultdict}
)
