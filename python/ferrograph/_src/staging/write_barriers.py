"""Write barriers, which converted code calls before it changes objects, for the region logs; and
how an object is formatted as a string.

Every converted function calls these, also in a trace of plain Python: this module imports nothing
else of staging.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable

from ..context import ownership
from ..heap import own_attributes, walk
from ..heap.adapters import INDEXED_CONTAINERS, MUTABLE, ORDERED, is_class
from ..heap.invalidated import behind
from ..heap.location import (
    UNDEFINED,
    Attribute,
    Container,
    Location,
    Name,
    augmented,
    global_location,
    name_locations,
)
from ..heap.source_location import refusal
from ..heap.trace_context import has_lists, held, is_proxy, loud, proxy_of, touch, traces
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..symbolic import python_scalars, values
from . import conditional, side_effects, tensor_lists


def refuse_chosen(value: Any, use: str) -> None:
    """Refuse to format a value that holds symbolic numbers or strings, or grown lists."""
    for part in walk.walked(value, _held):
        tensor_lists.refuse_grown(part)
        if values.is_symbolic(part):
            python_scalars.refuse_number(part, use)
            python_scalars.refuse_string(part)


def _held(value: Any) -> list:
    kind = type(value)
    if issubclass(kind, dict):
        return [*value, *value.values()]
    if issubclass(kind, (*ORDERED, set, frozenset)):
        return list(value)
    if issubclass(kind, type) or ownership.is_own_module(kind.__module__):
        return []
    return walk.fields(value)


def check_set(tensor: Any, name: str) -> None:
    """Raise the error of plain Python where an attribute is set on a symbolic number or string;
    refuse it where the tensor is one depending on the graph."""
    if python_scalars.is_symbolic_string(tensor):
        raise _not_set("str", name)
    if python_scalars.is_symbolic_number(tensor):
        if python_scalars.standing(tensor) is not True:
            refuse_set(tensor)
        raise _not_set("number", name)


def refuse_set(tensor: Any) -> None:
    """Refuse to set an attribute on a tensor that may be a symbolic number or NumPy value."""
    python_scalars.refuse_number(tensor, "the setting of an attribute")


def _not_set(kind: str, name: str) -> AttributeError:
    made = AttributeError(f"{kind!r} object has no attribute {name!r} that can be set")
    conditional.mark_raised(made)
    return made


def touch_carried(places: Iterable[Location]) -> None:
    """Note what attributes and items hold, in which a loop is about to put its variables."""
    for place in places:
        own_attributes.note_default(place, place.get())
        whole = issubclass(type(place.owner), MUTABLE) and not place.is_module
        touch(Container(place.label, place.owner) if whole else place)


def owner(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is set next."""
    if traces.n:
        decided = own_attributes.decided.get(id(type(target)))
        if decided is not None and name not in decided and not loud:
            return target
        trace = _thread.trace
        if trace is None:
            return target
        if issubclass(type(target), _core.Tensor):
            _check_sets_tensor(target, name)
        if is_class(target) and trace.attributes.defaults is not None and not trace.logs:
            own_attributes.check_class_attribute(target, name)
        setter = own_attributes.attribute_setter(target, name)
        if setter is not None:
            return setter
        if trace.logs:
            changed = walk.proxied(target)
            if not walk.is_field(changed, name):
                touch(Attribute(label, changed, name))
        if trace.aliases.sets is not None:
            trace.aliases.sets.written(target)
    return target


def losing(target: Any, name: str, label: str) -> Any:
    """``target``, whose attribute ``name`` is deleted next."""
    trace = _thread.trace
    if trace is not None and trace.attributes.defaults is not None:
        own_attributes.refuse_presence(target, name)
    if trace is not None and trace.logs:
        place = Attribute(label, walk.proxied(target), name)
        around = [made for made in trace.logs if id(place.owner) not in made.born]
        if around and any(made.repeats for made in around) and place.inherited is not UNDEFINED:
            raise own_attributes.unsure(place)
        own_attributes.note_default(place, place.get(), place.inherited)
    return owner(target, name, label)


def check_own(places: Iterable[Location]) -> None:
    """Refuse that an iteration deletes attributes that it began with, which classes have, too."""
    for place in places:
        if isinstance(place, Attribute) and place.inherited is not UNDEFINED and place.is_missing():
            raise own_attributes.unsure(place)


def asked(target: Any) -> Any:
    """``target``, of which is asked next which attributes it has of its own."""
    if _thread.trace is not None and _thread.trace.attributes.defaults is not None:
        own_attributes.refuse_presence(target)
    return target


# The attributes that programs may set on arrays and tensors do not have: a tensor may be a symbolic
# array.
_ARRAYS_SET = frozenset(("data", "flat", "imag", "real", "strides"))


def _stands_for_another(tensor: Any) -> bool:
    """Whether a graph is given the value of a symbolic tensor, or the tensor's own is finished."""
    try:
        return tensor.op.type == "Placeholder"
    except AttributeError:
        return True


def _check_sets_tensor(tensor: Any, name: str) -> None:
    """Refuse an attribute that no program may set, or that is lost with what it is set on."""
    check_set(tensor, name)
    if name in _ARRAYS_SET or hasattr(type(tensor), name):
        why = (
            f"the attribute {name!r} of a tensor is set, which cannot be set: an array that a "
            "staged branch or loop sets is a tensor from then on"
        )
        cure = (
            f"Use an operation that makes another tensor, such as `{FG}.reshape`, or change the "
            "array "
            "before the branch or loop."
        )
    elif values.is_symbolic(tensor) and _stands_for_another(tensor):
        why = (
            f"the attribute {name!r} is set on an argument of a function or a variable of a loop, "
            "which is a placeholder while tracing, and is lost with it"
        )
        cure = "Return the value, or set the attribute on a tensor that is computed here."
    else:
        refuse_set(tensor)
        return
    raise refusal(
        why,
        cure,
    )


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
    if issubclass(type(target), MUTABLE):
        if trace.logs:
            is_module = type(target) is dict and "__builtins__" in target
            if not is_module:
                touch(Container(label, target))
            elif type(key) is str:
                touch(global_location(key, target))
        setter = own_attributes.item_setter(target) if type(target) not in MUTABLE else target
        if setter is not target:
            return setter
        if isinstance(target, list) and (type(key) is not int or has_lists()):
            return tensor_lists.Setter(target)
        return target
    if is_proxy(target):
        return target._ferrograph_items()
    if trace.logs:
        side_effects.refuse_opaque(target, "__setitem__")
    return own_attributes.item_setter(target)


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
        touch(Name(name, cell))


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
        augmented(Attribute(name, walk.proxied(target), name).get())


def changing_item(target: Any, key: Any) -> None:
    """The same for an item of a builtin container."""
    if _notes_changes() and type(target) in INDEXED_CONTAINERS:
        try:
            held = dict.get(target, key) if isinstance(target, dict) else target[key]
        except (IndexError, TypeError):
            return  # which the assignment says itself
        augmented(held)


def _notes_changes() -> bool:
    """Whether it matters what an augmented assignment changes."""
    trace = _thread.trace
    return trace is not None and (bool(trace.logs) or trace.aliases.sets is not None)
