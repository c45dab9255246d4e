"""What regions did to objects that can be seen from outside the traced function.

Python effects happen once, while tracing: that is documented, and stands as long as nobody reads
them. A number that a region changes is followed by the graph until the trace ends; then the place
holds the number that Python left there. What the graph cannot follow becomes *stale*: whatever
refers to the object refers to a ``Stale`` instead, until the trace ends, which takes what only
writes and refuses all else at the line that reads.
"""

from __future__ import annotations

import collections
import gc
import sys
import types
import weakref
from collections.abc import Callable, Iterator

from ..context import bytecode, ownership
from ..context.locals import locals_of
from ..hints import Any
from ..native import _core
from ..values import errors
from . import kinds
from .facets import Fields, Names, Slots, Whole
from .frames import AT_ONCE, has_begun_anew
from .journal import loud
from .journal import thread as _thread
from .keepers import Replacements, restored
from .places import Spot, here, say
from .running import refuse_running
from .snapshot import Walk, label_of
from .stale import Stale, behind
from .state import (
    UNDEFINED,
    Attribute,
    Container,
    Place,
    attribute_place,
    cell_place,
    global_place,
    item_place,
    versions_of,
)

_NUMBERS = (bool, int, float, complex)
KEEPERS = (list, dict, collections.deque)  # in which something can be put in place of another


def can_follow(place: Place, old: Any, new: Any) -> bool:
    """Whether what a place holds are numbers before and after."""
    if isinstance(place, Container):
        return _same_size(old, new) and all(
            a is b or _are_numbers(a, b) for a, b in zip(_values(old), _values(new), strict=True)
        )
    if isinstance(place, Attribute) and ownership.is_library_class(type(place.owner)):
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


def spoil(place: Place, anchors: tuple, began: int) -> bool:
    """Make stale what a region changed; whether it was not so when ``began`` were."""
    root = _thread.journals[0]
    whole = isinstance(place, (Container, Whole))
    if isinstance(place, Attribute) and not place.takes_any:
        raise _seen_from_outside(place)
    target = _around(place.owner) if whole else place.get()
    known = root.stale.get(id(target) if whole else place.key)
    if known is not None:
        if not whole:
            place.put(Stale(behind(target), place.label, here()))
        return any(known is late for late in list(root.stale.values())[began:])
    loud[id(root)] = root
    label = label_of(target, anchors) if whole else place.label
    made = Stale(target, label, here())
    if whole:
        refuse_running(target)
        root.stale[id(target)] = made
        _refuse_running(Replacements({id(target): made}), made)
        root.known.clear()  # whose callees take arguments as they are
        apply()
    else:
        root.stale[place.key] = made
        place.put(made)
    return True


def takes_no_choice(label: str) -> Exception:
    """The refusal of an attribute that Python keeps for values of one class, such as the name of a
    function, where the graph would choose what it is."""
    return errors.StagingError(
        say(
            here(),
            f"{label!r} changes in a branch or a loop of the graph, and takes nothing that the "
            "graph chooses",
            "Choose between two functions or classes that are made before.",
        )
    )


def _seen_from_outside(place: Place) -> Exception:
    """The refusal of such an attribute of what can be seen from outside the function."""
    return errors.StagingError(
        say(
            here(),
            f"{place.label!r} changes in a branch or a loop of the graph, and can be seen from "
            "outside the function: that would happen once, while tracing",
            "Pass what changes as an argument.",
        )
    )


def _around(owner: Any) -> Any:
    """What stands for all of an object: of the dict in a collection of weak references that
    collection, whose own callbacks need the dict as it is."""
    if type(owner) not in (dict, set):
        return owner
    holders = gc.get_referrers(owner)
    holders += [held for h in holders if type(h) is dict for held in gc.get_referrers(h)]
    found = (h for h in holders if isinstance(h, _WEAK) and h.__dict__.get("data") is owner)
    return next(found, owner)


_WEAK = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)


def apply() -> None:
    """Let whatever refers to what is stale refer to what stands for it."""
    replacements = _replacements()
    if replacements is not None:
        for place, value in _references(replacements.has):
            place.put(replacements.of(value))


def standing(values: list) -> list:
    """Values that the trace goes on with, with what stands for what is stale in them."""
    replacements = _replacements()
    if replacements is None:
        return values
    walk = Walk()
    walk.run((), values)
    for place, value in _in_walk(walk, replacements.has):
        place.put(replacements.of(value))
    return list(map(replacements.of, values))


def _replacements() -> Replacements | None:
    """What is to stand in place of objects; None where nothing is stale as a whole."""
    stale = {id(behind(s)): s for k, s in _thread.journals[0].stale.items() if type(k) is int}
    return Replacements(stale) if stale else None


def restore() -> None:
    """At the end of a trace: all places hold what Python left in them."""
    root = _thread.journals[0]
    for place, value in root.numbers.values():
        if isinstance(place.get(), _core.Tensor):
            place.put(value)
    if root.stale:
        for place, value in _references(lambda value: restored(value) is not value):
            place.put(restored(value))


def explain(exception: Exception) -> None:
    """Raise an error of C code that got what stands for a stale object as one of ours."""
    if not isinstance(exception, (TypeError, AttributeError)) or "Stale" not in str(exception):
        return
    line, traceback = "", exception.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if _is_users(code):
            line = Spot(code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    made = next(iter(_thread.journals[0].stale.values()))
    raise made._ferrograph_error(line) from exception


def _references(wanted: Callable[[Any], bool]) -> Iterator[tuple[Place, Any]]:
    """The places that can be reached from the trace whose values are ``wanted``."""
    walk = Walk()
    walk.run(functions(), [_thread.roots])
    return iter([*_in_walk(walk, wanted), *defaults(walk, wanted)])


def _in_walk(walk: Walk, wanted: Callable[[Any], bool]) -> list[tuple[Place, Any]]:
    """The places in what a walk has found whose values are ``wanted``."""
    found: list[tuple[Place, Any]] = []
    for facet, owner, held in walk.entries:
        several = versions_of(owner) if facet.is_content else None
        if several is not None:
            found += in_contents(several.contents, wanted)
            continue
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
                found.append((place_of(facet, owner, key), value))
    return found


def in_contents(contents: list, wanted: Callable[[Any], bool]) -> Iterator[tuple[Place, Any]]:
    """The places in contents of an object among which the graph chooses."""
    for content in contents:
        if isinstance(content, KEEPERS):
            pairs = content.items() if isinstance(content, dict) else enumerate(content)
            yield from ((item_place("an item", content, k), v) for k, v in pairs if wanted(v))


def defaults(walk: Walk, wanted: Callable[[Any], bool]) -> Iterator[tuple[Place, Any]]:
    """The places of functions' parameters whose default values are ``wanted``."""
    for function in walk.seen.values():
        if type(function) is types.FunctionType and _is_users(function.__code__):
            for i, value in enumerate(function.__defaults__ or ()):
                if wanted(value):
                    yield _default(function, i), value
            named = function.__kwdefaults__ or {}
            pairs = [(k, v) for k, v in named.items() if wanted(v)]
            yield from ((item_place("a default value", named, k), v) for k, v in pairs)


def _default(function: types.FunctionType, i: int) -> Place:
    def put(value: Any) -> None:
        held = list(function.__defaults__ or ())
        held[i] = value
        function.__defaults__ = tuple(held)

    return Place("a default value", lambda: (function.__defaults__ or ())[i], put, function)


def functions() -> tuple:
    """The functions of the regions that are being traced, and of those in which others were."""
    regions = [j.snapshot for j in _thread.journals[1:] if j.snapshot is not None]
    return (*_thread.journals[0].tracing, *(a for region in regions for a in region.anchors))


def place_of(facet: Any, owner: Any, key: Any) -> Place:
    """The place in which ``owner`` holds something, as a facet of it has it under ``key``."""
    if facet is kinds.CELL:
        return cell_place("a name", owner)
    if isinstance(facet, Names):
        return global_place(key, owner)
    if issubclass(type(owner), KEEPERS) and not _is_field(facet):
        return item_place("an item", owner, key)
    return attribute_place(key, owner, key)


def _is_field(facet: Any) -> bool:
    return facet is kinds.CLASS or isinstance(facet, (Fields, Slots))


def _refuse_running(replacements: Replacements, made: Stale) -> None:
    """Refuse where a name that nothing can be put into still refers to what is stale."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != _TRACER:
        code, names = frame.f_code, locals_of(frame)
        for name in code.co_varnames:
            if name in AT_ONCE:
                continue
            held = replacements.has(names.get(name, UNDEFINED))
            if held and _is_users(code) and _is_read_later(frame, name):
                made._ferrograph_refuse()
        frame = frame.f_back  # type: ignore[assignment]


_TRACER = "_trace_once"  # the function below which all frames belong to the trace


def _is_users(code: types.CodeType) -> bool:
    return not ownership.is_library_file(code.co_filename)


def _is_read_later(frame: types.FrameType, name: str) -> bool:
    """Whether what is left of a frame's code may load a name of its own."""
    if has_begun_anew(frame):
        return False
    read = loops = False
    for instruction in bytecode.instructions(frame.f_code):
        loads = instruction.opname.startswith("LOAD_") and instruction.argval == name
        later = instruction.offset > frame.f_lasti
        read |= loads and later
        loops |= later and bytecode.jumps_back(instruction)
    return read or loops
