"""What converted code says of objects before it changes them, for the logs of the regions.

Every converted function calls these, in a trace of plain Python too: this module imports nothing of
what staging takes.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterable

from ..context import ownership
from ..heap import attribute_order, attribute_presence, setters, walk
from ..heap.invalidated import behind
from ..heap.location import (
    UNDEFINED,
    Attribute,
    Container,
    Location,
    attribute_location,
    cell_location,
    global_location,
    name_locations,
)
from ..heap.region_log import CONTAINERS, augmented, held, note_default, touch
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import has_lists, is_proxy, loud, proxy_of, traces
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import errors
from . import contents, side_effects, tensor_lists


def touch_carried(places: Iterable[Location]) -> None:
    """Note what attributes and items hold, in which a loop is about to put its variables."""
    for place in places:
        note_default(place, place.get())
        whole = issubclass(type(place.owner), CONTAINERS) and not place.is_module
        touch(Container(place.label, place.owner) if whole else place)


def owner(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is set next."""
    if traces.n:
        decided = setters.decided.get(id(type(target)))
        if decided is not None and name not in decided and not loud:
            return target
        trace = _thread.trace
        if trace is None:
            return target
        if issubclass(type(target), _core.Tensor):
            _check_sets_tensor(target, name)
        is_class = issubclass(type(target), type)
        if is_class and trace.attributes.defaults is not None and not trace.logs:
            attribute_presence.check_set(target, name)
        setter = setters.of_attribute(target, name)
        if setter is not None:
            return setter
        if trace.logs:
            changed = walk.proxied(target)
            if not walk.is_field(changed, name):
                touch(attribute_location(label, changed, name))
        if trace.aliases.sets is not None:
            trace.aliases.sets.written(target)
    return target


def losing(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is deleted next."""
    trace = _thread.trace
    if trace is not None and trace.attributes.defaults is not None:
        attribute_presence.refuse_look(target, name)
    if trace is not None and trace.logs:
        place = attribute_location(label, walk.proxied(target), name)
        around = [made for made in trace.logs if id(place.owner) not in made.born]
        if around and any(made.repeats for made in around) and place.inherited is not UNDEFINED:
            raise attribute_presence.unsure(place)
        note_default(place, place.get(), place.inherited)
    return owner(target, name, label)


def check_own(places: Iterable[Location]) -> None:
    """Refuse that an iteration deletes attributes that it began with, which classes have, too."""
    for place in places:
        if isinstance(place, Attribute) and place.inherited is not UNDEFINED and place.is_missing():
            raise attribute_presence.unsure(place)


def asked(target: Any) -> Any:
    """``target``, of which is asked next which attributes it has of its own."""
    if _thread.trace is not None and _thread.trace.attributes.defaults is not None:
        attribute_presence.refuse_look(target)
    if _thread.trace is not None and _thread.trace.attributes.unordered is not None:
        attribute_order.refuse_look(target)
    return target


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
    raise errors.StagingError(diagnostic(here(), why, cure))


def container(target: Any, label: str, key: Any = None) -> Any:
    """``target``, whose items are set next, under ``key`` where that is known already."""
    if not traces.n:
        return target
    trace = _thread.trace
    if trace is None:
        return target
    is_plain = type(target) is dict or type(key) is int and type(target) is list
    if trace.variants.records:
        target = proxy_of(target)
    elif is_plain and not trace.logs and not trace.containers.are_grown:
        return target
    target = walk.proxied(behind(target))
    if trace.aliases.sets is not None:
        trace.aliases.sets.written(target)
    if issubclass(type(target), CONTAINERS):
        if trace.logs:
            is_module = type(target) is dict and "__builtins__" in target
            if not is_module:
                touch(Container(label, target))
            elif type(key) is str:
                touch(global_location(key, target))
        setter = setters.of_items(target) if type(target) not in CONTAINERS else target
        if setter is not target:
            return setter
        if isinstance(target, list) and (type(key) is not int or has_lists()):
            return tensor_lists.Setter(target)
        return target
    if is_proxy(target):
        return target._ferrograph_items()
    if trace.logs:
        side_effects.refuse_opaque(target, "__setitem__")
    return setters.of_items(target)


def cells(names: Callable[[], Any]) -> None:
    """Note the names in the closure of ``names``, which the function that runs may set."""
    if _thread.logs:
        for place in name_locations(names):
            touch(place)


def names_of_module(*places: Location) -> None:
    """Note names of a module, which the function that runs may set."""
    for place in places:
        touch(place)


def bound(cell: types.CellType, name: str) -> None:
    """Note a name that is set through its cell."""
    if _thread.logs:
        touch(cell_location(name, cell))


def advanced(iterator: Any) -> None:
    """Note that an iterator is read from; those over datasets are read when the graph runs."""
    if ownership.is_own_module(type(iterator).__module__):
        return
    for made in _thread.logs:
        if id(iterator) not in made.born:
            made.iterators[id(iterator)] = held(iterator, made.iterators) or iterator


def changing(target: Any, name: str) -> None:
    """Note that an augmented assignment may change in place what an object keeps as an attribute:
    no code of its class runs."""
    if _notes_changes():
        augmented(attribute_location(name, walk.proxied(target), name).get())


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
    trace = _thread.trace
    return trace is not None and (bool(trace.logs) or trace.aliases.sets is not None)


_INDEXED = frozenset(
    {list, dict, collections.deque, collections.OrderedDict, collections.defaultdict}
)
