"""Reference substitution: every reference of the traced code to an object with variants is replaced
by a proxy, and put back when the trace ends.
"""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable, Iterable, Iterator

from ..context import ownership
from ..context.locals import locals_of
from ..hints import Any
from ..values import errors
from . import frames, liveness, references
from .adapters import registry
from .adapters.base import Through, cell_contents, referents
from .adapters.builtin_classes import ASSIGNABLE, is_function
from .frames import read_later, values_in
from .location import Location, Record, held_by, variants_of
from .reachable import Walk
from .source_location import diagnostic, here
from .structure import is_array
from .trace_context import Proxy, really
from .trace_context import thread as _thread

_SEEN_THROUGH = (types.FunctionType, types.BuiltinFunctionType, types.CellType, types.ModuleType)


def replace(place: Location, proxy_of: Callable[[Any], Any]) -> None:
    """Replace all references to the object of a location by ``proxy_of`` of it until the trace
    ends, and those to objects of builtin classes that hold it likewise."""
    root = _thread.trace
    if restore not in root.effects.at_end:
        root.effects.at_end.append(restore)
    walk, targets = _checked(place)
    proxies = {id(target): proxy_of(target) for target in targets}
    defaults = list(references.defaults(walk, lambda value: id(value) in proxies))
    for found, value in (*_references(walk, proxies), *defaults):
        found.put(proxies[id(value)])


def substitute_again() -> None:
    """Replace references again in what a loop restores from before it."""
    root = _thread.trace
    fronts = {
        key: front
        for key, front in (root.variants.proxies or {}).items()
        if front._ferrograph_open()
    }
    if not fronts:
        return
    running = list(frames.frames())
    walk = _walk(running, [cell for frame in running for cell in _cells(frame)])
    for place, value in _references(walk, fronts):
        place.put(fronts[id(value)])


def can_substitute(place: Location) -> bool:
    """Whether every reference to the object of a location can be replaced."""
    try:
        _checked(place)
    except errors.StagingError:
        return False
    return True


def is_alone(value: Any) -> bool:
    """Whether one location at most refers to an object."""
    running = list(frames.frames())
    cells = [cell for frame in running for cell in _cells(frame)]
    walk = _walk(running, cells)
    front = (_thread.trace.variants.proxies or {}).get(id(value))
    wanted = {id(one): one for one in (value, front) if one is not None}
    found = {place.key for place, _ in _references(walk, wanted, everywhere=True)}
    if any(references.defaults(walk, lambda one: id(one) in wanted)):
        return False
    try:
        for held in walk.seen.values():
            _refuse_keeper(held, set(wanted), value, "")
        for frame in running:
            _refuse_names(frame, cells, set(wanted), value, "")
    except errors.StagingError:
        return False
    return len(found) <= 1


def _checked(place: Location) -> tuple[Walk, list]:
    """What user code reaches, and the objects of it that get proxies."""
    running = list(frames.frames())
    cells = [cell for frame in running for cell in _cells(frame)]
    walk = _walk(running, cells)
    targets = _targets(place.owner, walk)
    ids = {id(target) for target in targets}
    for value in walk.seen.values():
        _refuse_keeper(value, ids, place.owner, place.label)
    for frame in running:
        _refuse_names(frame, cells, ids, place.owner, place.label)
    _refuse_views(place, walk, running)
    if liveness.is_in_library_module(place.owner):
        raise _refused(place.owner, place.label, "a module of a library")
    if liveness.is_held_unseen(targets, walk.seen):
        raise _refused(place.owner, place.label, "an active expression or statement")
    return walk, targets


def _refuse_views(place: Location, walk: Walk, running: list) -> None:
    """Refuse where code reads the memory of an array by another array, or the state of a generator
    by another one, which knows nothing of the proxy of the first one. An array that only its views
    hold has no reader of its own.
    """
    beside = {id(v): v for v in references.sharing(place.owner, walk.seen.values())}
    if not beside:
        return
    held = {id(v) for frame in running for v in locals_of(frame).values()}
    both = {**beside, id(place.owner): place.owner}
    referred = {id(value) for _, value in _references(walk, both, everywhere=True)}
    if id(place.owner) not in referred | held:
        return
    for frame in running:
        _refuse_names(frame, [], set(beside), place.owner, place.label)
    for value in walk.seen.values():
        _refuse_keeper(value, set(beside), place.owner, place.label)
    if not referred.isdisjoint(beside):
        what = (
            "array that shows the same memory" if is_array(place.owner) else "object of its state"
        )
        raise _refused(place.owner, place.label, f"another {what}")


def restore() -> None:
    """At the end of a trace: objects get back what Python left in them, and proxies are removed."""
    root = _thread.trace
    for record in root.variants.records.values():
        if record.versions is not None:
            _put_back(record)
    walk = Walk()
    walk.run((), [_thread.roots])
    fronts = {id(front): front for front in root.variants.proxies.values()}
    defaults = list(references.defaults(walk, lambda value: id(value) in fronts))
    for place, value in (*_references(walk, fronts), *defaults):
        place.put(really(value))


def _put_back(record: Record) -> None:
    """Leave in an object what Python left in it."""
    assert record.versions is not None
    try:
        record.place.put(record.versions.contents[-1])
    except BufferError as e:
        raise _view_in_use(record.owner, record.began_at) from e


def _view_in_use(owner: Any, where: str) -> Exception:
    """The refusal of another length for something of which there are views."""
    return errors.StagingError(
        diagnostic(
            where,
            f"the length of a `{type(owner).__name__}` changes in a staged branch or loop, "
            "and a view of it, such as a `memoryview`, is still in use",
            "Release the view before, or keep the length.",
        )
    )


def _cells(frame: types.FrameType) -> Iterator[types.CellType]:
    """The cells of names of a frame, as far as functions that it has made hold them."""
    for value in values_in(frame):
        if is_function(value):
            yield from value.__closure__ or ()


def _walk(running: list, cells: list) -> Walk:
    walk = Walk()
    values = [v for frame in running for v in values_in(frame)]
    walk.run((), [*cells, *values, _thread.roots])
    return walk


def _targets(owner: Any, walk: Walk) -> list:
    """An object, and the objects of builtin classes that hold it."""
    found: dict[int, Any] = {}
    pending = [owner]
    inside = _library_containers(walk)
    while pending:
        target = pending.pop()
        if id(target) not in found:
            found[id(target)] = target
            pending += _holders(walk, target, inside)
    return list(found.values())


def _library_containers(walk: Walk) -> set[int]:
    """The ids of the containers inside objects of builtin classes."""
    return {
        id(value)
        for adapter, owner, held in walk.entries
        if _is_library(adapter, owner)
        for value in held.values()
        if type(value) in ASSIGNABLE
    }


def _is_library(adapter: Any, owner: Any) -> bool:
    return adapter.is_of_attributes and registry.has_library_fields(type(owner))


def _holders(walk: Walk, target: Any, inside: set[int]) -> list:
    return [
        owner
        for adapter, owner, held in walk.entries
        if (_is_library(adapter, owner) or id(owner) in inside)
        and any(really(value) is target for value in _held(adapter, owner, held))
    ]


def _held(adapter: Any, owner: Any, held: Any) -> list:
    several = variants_of(owner) if adapter.is_content else None
    if several is not None:
        return [v for content in several.contents for v in held_by(content)]
    if isinstance(held, dict):
        return list(held.values())
    return list(held) if isinstance(held, (list, tuple)) else []


def _references(
    walk: Walk, wanted: dict[int, Any], everywhere: bool = False
) -> list[tuple[Location, Any]]:
    """The locations with wanted values, except those inside objects of builtin classes."""
    inside = _library_containers(walk)

    def is_passed(adapter: Any, owner: Any) -> bool:
        return not everywhere and (_is_library(adapter, owner) or id(owner) in inside)

    return references.references_in(walk, lambda value: id(value) in wanted, is_passed)


def _refuse_keeper(value: Any, targets: set[int], owner: Any, label: str) -> None:
    """Refuse where something refers to an object in which nothing else can be put."""
    if any(id(v) in targets for v in _kept(value)):
        raise _refused(owner, label, f"a {type(value).__name__}")


def _kept(value: Any) -> list:
    """What something refers to, itself or by methods, where nothing else can be put in it."""
    kind = type(value)
    if kind is types.FunctionType and ownership.is_library_file(value.__code__.co_filename):
        return _bound(map(cell_contents, value.__closure__ or ()))  # to be called by the library
    if issubclass(kind, collections.defaultdict):
        return liveness.given_to(value.default_factory)
    if kind in _SEEN_THROUGH or issubclass(kind, (Proxy, type, *ASSIGNABLE)):
        return []
    adapters = registry.adapters_of(kind)
    parts = [v for f in adapters if isinstance(f, Through) for v in f.parts(value, None)]
    if kind is functools.partial:
        return _bound(parts)
    if not any(f.is_content or f.is_of_attributes for f in adapters):
        parts += referents(value)
    return [*parts, *_bound(parts)]


def _bound(parts: Iterable) -> list:
    """The objects of methods among some values."""
    return [v.__self__ for v in parts if type(v) is types.BuiltinMethodType]


def _refuse_names(frame: Any, cells: list, targets: set[int], owner: Any, label: str) -> None:
    of_others = {id(cell_contents(cell)) for cell in cells}
    own = _cells_by_name(frame)
    for name, value in list(locals_of(frame).items()):
        if id(value) not in targets:
            continue
        is_free = name in frame.f_code.co_freevars
        if (is_free and id(value) in of_others) or cell_contents(own.get(name, _NONE)) is value:
            continue
        if name in read_later(frame):
            raise _refused(owner, label, f"the name {name!r} of a function that is running")


_NONE = types.CellType(None)


def _cells_by_name(frame: types.FrameType) -> dict[str, types.CellType]:
    """The cells of a frame's names that functions hold which it has made."""
    found: dict[str, types.CellType] = {}
    for value in values_in(frame):
        if is_function(value):
            names = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
            found.update((n, cell) for n, cell in names if n in frame.f_code.co_cellvars)
    return found


def _refused(owner: Any, label: str, keeper: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            f"the {type(owner).__name__} {label!r} has several variants after this staged branch "
            f"or loop, and {keeper} refers to it, too",
            "Give it the same members in both branches, or change it where nothing else refers to "
            "it.",
        )
    )
