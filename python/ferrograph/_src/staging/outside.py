"""What regions did to objects that can be seen from outside the traced function.

Python effects happen once, while tracing: that is documented, and stands as long as nobody reads
them. A number that a region changes is followed by the graph until the trace ends; then the place
holds the number that Python left there. What the graph cannot follow becomes *stale*: whatever
refers to the object refers to a ``Stale`` instead, until the trace ends, which takes what only
writes and refuses all else at the line that reads.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..context import ownership
from ..native import _core
from ..values import errors
from . import kinds
from .facets import Slots, Whole
from .journal import thread as _thread
from .places import here, say
from .snapshot import Walk, label_of
from .state import (
    UNDEFINED,
    Attribute,
    Container,
    Place,
    attribute_place,
    cell_place,
    global_place,
    item_place,
)

_NUMBERS = (bool, int, float, complex)
_WRITES = frozenset(
    {"append", "appendleft", "extend", "extendleft", "add", "update", "discard", "insert", "write"}
    | {"__setitem__", "put", "put_nowait", "fill"}
)


class Stale:
    """What stands for an object that a region changed, where the graph cannot follow."""

    def __init__(self, target: Any, label: str, changed: str):
        self._ferrograph_parts = target, label, changed

    def _ferrograph_refuse(self, *args: Any, **kwargs: Any) -> Any:
        _, label, changed = self._ferrograph_parts
        raise errors.StagingError(
            say(
                here(),
                f"{label!r} is read here, but a branch or a loop of the graph changed it before, "
                f"at {changed}: that happened once, while tracing, whatever the graph does",
                "Keep what the graph changes in tensors, in a `Variable`, or in objects that the "
                "function makes itself.",
            )
        )

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_ferrograph_"):
            return object.__getattribute__(self, name)
        if name in _WRITES:
            return getattr(self._ferrograph_parts[0], name)
        return self._ferrograph_refuse()

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_ferrograph_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._ferrograph_parts[0], name, value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._ferrograph_parts[0][key] = value

    __bool__ = __len__ = __iter__ = __getitem__ = __call__ = __int__ = __float__ = (
        _ferrograph_refuse
    )
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _ferrograph_refuse
    __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __neg__ = __abs__ = _ferrograph_refuse
    __rfloordiv__ = __rmod__ = __rpow__ = __index__ = __round__ = __complex__ = _ferrograph_refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __contains__ = _ferrograph_refuse
    __format__ = __str__ = __repr__ = __bytes__ = __next__ = __reversed__ = _ferrograph_refuse
    __matmul__ = __rmatmul__ = __and__ = __or__ = __xor__ = __invert__ = _ferrograph_refuse
    __rand__ = __ror__ = __rxor__ = __lshift__ = __rshift__ = __enter__ = _ferrograph_refuse
    __iadd__ = __isub__ = __imul__ = __ior__ = __iand__ = __delitem__ = _ferrograph_refuse
    __array__ = __tf_tensor__ = __hash__ = _ferrograph_refuse
    __exit__ = __copy__ = __deepcopy__ = __reduce_ex__ = __delattr__ = _ferrograph_refuse


def behind(value: Any) -> Any:
    """``value``, or what a stale one stands for."""
    return value._ferrograph_parts[0] if type(value) is Stale else value


def can_follow(place: Place, old: Any, new: Any) -> bool:
    """Whether what a place holds are numbers before and after."""
    if isinstance(place, Container):
        return _same_size(old, new) and all(
            a is b or _are_numbers(a, b) for a, b in zip(_values(old), _values(new), strict=True)
        )
    if isinstance(place, Attribute) and kinds.is_library_class(type(place.owner)):
        return isinstance(place.owner, type) and _are_numbers(old, new)
    return _are_numbers(old, new)


def _same_size(old: Any, new: Any) -> bool:
    if isinstance(old, dict):
        return isinstance(new, dict) and list(old) == list(new)
    return isinstance(old, list) and isinstance(new, list) and len(old) == len(new)


def _values(held: Any) -> Any:
    return held.values() if isinstance(held, dict) else held


def _are_numbers(old: Any, new: Any) -> bool:
    return type(old) in _NUMBERS and type(new) in _NUMBERS


def follow(place: Place, old: Any, new: Any) -> None:
    """Note what places hold when the trace ends, of which the graph knows more until then."""
    found = {place.key: (place, new)}
    if isinstance(place, Container):
        keys = list(old) if isinstance(old, dict) else range(len(old))
        found = {}
        for key in keys:
            if old[key] is not new[key]:
                inner = item_place(place.label, place.owner, key)
                found[inner.key] = inner, new[key]
    _thread.journals[0].numbers.update(found)


def is_lazily_made(old: Any, new: Any) -> bool:
    """Whether a region made a variable that was not there."""
    return isinstance(new, _core.VariableBase) and not isinstance(old, _core.VariableBase)


def spoil(place: Place, anchors: tuple) -> bool:
    """Make stale what a region changed; whether it was not so already."""
    root = _thread.journals[0]
    whole = isinstance(place, (Container, Whole))
    target = place.owner if whole else place.get()
    known = root.stale.get(id(target) if whole else place.key)
    if known is not None:
        if not whole:
            place.put(Stale(behind(target), place.label, here()))
        return False
    label = label_of(place.owner, anchors) if whole else place.label
    made = Stale(target, label, here())
    if whole:
        _refuse_running(target, made)
        root.stale[id(target)] = made
        apply()
    else:
        root.stale[place.key] = made
        place.put(made)
    return True


def apply() -> None:
    """Let whatever refers to what is stale refer to what stands for it."""
    stale = {id(behind(s)): s for k, s in _thread.journals[0].stale.items() if type(k) is int}
    if stale:
        for place, value in _references(lambda value: id(value) in stale):
            place.put(stale[id(value)])


def restore() -> None:
    """At the end of a trace: all places hold what Python left in them."""
    root = _thread.journals[0]
    for place, value in root.numbers.values():
        if isinstance(place.get(), _core.Tensor):
            place.put(value)
    if root.stale:
        for place, value in _references(lambda value: type(value) is Stale):
            place.put(behind(value))


def _references(wanted: Callable[[Any], bool]) -> Iterator[tuple[Place, Any]]:
    """The places that can be reached from the trace whose values are ``wanted``."""
    walk = Walk()
    walk.run(_functions(), [_thread.roots])
    found = []
    for facet, owner, held in walk.entries:
        if facet is kinds.CELL:
            pairs = [(None, held[0])]
        elif isinstance(held, dict):
            pairs = list(held.items())
        elif isinstance(held, list):
            pairs = list(enumerate(held))
        else:
            continue
        for key, value in pairs:
            if wanted(value):
                found.append((_place(facet, owner, key), value))
    return iter(found)


def _functions() -> tuple:
    """The functions of the regions that are being traced."""
    return tuple(
        a for j in _thread.journals[1:] if j.snapshot is not None for a in j.snapshot.anchors
    )


def _place(facet: Any, owner: Any, key: Any) -> Place:
    if facet is kinds.CELL:
        return cell_place("a name", owner)
    if facet is kinds.NAMES:
        return global_place(key, owner)
    if isinstance(owner, (dict, list)) and not _is_field(facet):
        return item_place("an item", owner, key)
    return attribute_place(key, owner, key)


def _is_field(facet: Any) -> bool:
    return facet is kinds.FIELDS or facet is kinds.CLASS or isinstance(facet, Slots)


def _refuse_running(target: Any, made: Stale) -> None:
    """Refuse where a name that nothing can be put into still refers to ``target``."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != _TRACER:
        code = frame.f_code
        for name in code.co_varnames:
            held = frame.f_locals.get(name, UNDEFINED) is target and _is_users(code)
            if held and _is_read_later(frame, name):
                made._ferrograph_refuse()
        frame = frame.f_back  # type: ignore[assignment]


_TRACER = "_trace_once"  # the function below which all frames belong to the trace


def _is_users(code: types.CodeType) -> bool:
    return not ownership.is_library_file(code.co_filename)


def _is_read_later(frame: types.FrameType, name: str) -> bool:
    """Whether what is left of a frame's code may load a name of its own."""
    read = loops = False
    for instruction in dis.get_instructions(frame.f_code):
        loads = instruction.opname.startswith("LOAD_FAST") and instruction.argval == name
        later = instruction.offset > frame.f_lasti
        read |= loads and later
        loops |= later and "JUMP_BACKWARD" in instruction.opname
    return read or loops
