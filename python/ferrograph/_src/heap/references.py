"""References of user code to objects in whose place others stand until the trace ends.

A Python side effect happens once, at trace time. A number that a region changes is symbolic until
the trace ends; then its location gets back the value that Python left there. An object that the
graph cannot follow is *invalidated*: every reference to it is replaced by an ``Invalidated``, which
accepts writes and refuses reads at their line. An object with variants is replaced by a proxy, and
so are objects of builtin classes that hold it. Where an immutable object, such as a tuple, a bound
method, a partial, a view or an iterator, refers to what is invalidated, that object is replaced by
a copy or by an ``Invalidated``; one that refers to an object with variants is refused.
"""

from __future__ import annotations

import collections
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ..context import ownership
from ..context.locals import locals_of
from ..hints import Any
from ..native import _core
from ..values import errors
from . import location
from .adapters import ASSIGNABLE, NUMBERS, is_function, registry
from .adapters.base import Position, Through, Whole, cell_contents, referents
from .frames import frames, read_later, values_in
from .invalidated import Invalidated, behind, is_named_by
from .liveness import (
    given_to,
    holders_of_data,
    is_held_unseen,
    is_in_library_module,
    refuse_running,
)
from .location import Attribute, Container, Location, Record, held_by, item_location, variants_of
from .reachable import Walk, label_of
from .source_location import SourceLocation, here, refusal
from .structure import is_array, memory_of
from .trace_context import Proxy, loud, original, really, region_functions
from .trace_context import thread as _thread

_Test = Callable[[Any], bool]
_Other = Callable[[Any], Any]
_Passed = Callable[[Any, Any], bool]  # of an adapter and an owner


# Numbers, which the graph follows.


def can_follow(place: Location, old: Any, new: Any) -> bool:
    """Whether what a location holds are numbers before and after."""
    if isinstance(place, Container):
        keys = _replaced(old, new)
        return keys is not None and all(_are_numbers(old[k], new[k]) for k in keys)
    is_foreign = isinstance(place, Attribute) and ownership.is_library_class(type(place.owner))
    return _are_numbers(old, new) and (not is_foreign or isinstance(place.owner, type))


def _replaced(old: Any, new: Any) -> list | None:
    """The keys under which two lists of one length, or dicts of the same keys, hold different
    objects; None of others."""
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        return [key for key in old if old[key] is not new[key]]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [i for i in range(len(old)) if old[i] is not new[i]]
    return None


def _are_numbers(old: Any, new: Any) -> bool:
    return type(old) in NUMBERS and type(new) in NUMBERS


def follow(place: Location, old: Any, new: Any) -> None:
    """Note what locations hold when the trace ends, of which the graph knows more until then."""
    found = [(place, new)]
    if isinstance(place, Container):
        keys = _replaced(old, new) or ()
        found = [(item_location(place.label, place.owner, k), new[k]) for k in keys]
    _thread.trace.effects.numbers.update((inner.key, (inner, held)) for inner, held in found)


def is_lazily_made(old: Any, new: Any) -> bool:
    """Whether a region made a variable that was not there."""
    return isinstance(new, _core.VariableBase) and not isinstance(old, _core.VariableBase)


# References, found by a walk over what traced code reaches.


def _walk(functions: tuple = (), values: Iterable = ()) -> Walk:
    walk = Walk()
    walk.run(functions, [*values, _thread.roots])
    return walk


def _running() -> tuple[list, list, Walk]:
    """The frames of user code, the cells of functions that these have, and what they reach."""
    running = list(frames())
    values = [v for frame in running for v in values_in(frame)]
    cells = [cell for v in values if is_function(v) for cell in v.__closure__ or ()]
    return running, cells, _walk((), [*cells, *values])


def _references(
    walk: Walk, wanted: _Test, is_passed: _Passed | None = None
) -> list[tuple[Location, Any]]:
    """The locations in what a walk has found whose values are ``wanted``, but for those of adapters
    and owners that are passed over."""
    found: list[tuple[Location, Any]] = []
    for adapter, owner, held in walk.entries:
        if is_passed is not None and is_passed(adapter, owner):
            continue
        several = variants_of(owner) if adapter.is_content else None
        if several is not None:
            contents = [content for content in several.contents if isinstance(content, ASSIGNABLE)]
            found += [place for content in contents for place in _items(content, wanted)]
            continue
        pairs = adapter.references(owner, held)
        found += [(adapter.reference(owner, key), value) for key, value in pairs if wanted(value)]
    return found


def _items(content: Any, wanted: _Test, label: str = "an item") -> Iterator[tuple[Location, Any]]:
    pairs = content.items() if isinstance(content, dict) else enumerate(content)
    return ((item_location(label, content, k), v) for k, v in list(pairs) if wanted(v))


def _defaults(walk: Walk, wanted: _Test) -> Iterator[tuple[Location, Any]]:
    """The locations of functions' parameters whose default values are ``wanted``."""
    for function in walk.seen.values():
        if is_function(function) and _is_users(function.__code__):
            for i, value in enumerate(function.__defaults__ or ()):
                if wanted(value):
                    yield _default(function, i), value
            yield from _items(function.__kwdefaults__ or {}, wanted, "a default value")


def _default(function: types.FunctionType, i: int) -> Location:
    def put(value: Any) -> None:
        held = list(function.__defaults__ or ())
        held[i] = value
        function.__defaults__ = tuple(held)

    return Location("a default value", lambda: (function.__defaults__ or ())[i], put, function)


def _replace(walk: Walk, other: _Other, is_passed: _Passed | None = None) -> None:
    """Put the ``other`` of each value in its place."""

    def wanted(value: Any) -> bool:
        return other(value) is not value

    for place, value in [*_references(walk, wanted, is_passed), *_defaults(walk, wanted)]:
        place.put(other(value))


def _is_users(code: types.CodeType) -> bool:
    return not ownership.is_library_file(code.co_filename)


def restore() -> None:
    """At the end of a trace: all locations get back what Python left in them, and the objects that
    were replaced."""
    root = _thread.trace
    for place, value in root.effects.numbers.values():
        if isinstance(place.get(), _core.Tensor):
            place.put(value)
    records = root.variants.records or {}
    for record in records.values():
        if record.versions is not None:
            _put_back(record)
    if records or root.effects.stale:
        _replace(_walk(region_functions()), restored)


def restored(value: Any) -> Any:
    """A value with the original objects in place of all replacements."""
    value = original(behind(really(value)))
    if isinstance(value, tuple) and any(restored(item) is not item for item in value):
        return tuple.__new__(type(value), map(restored, value))
    return value


def _put_back(record: Record) -> None:
    """Leave in an object what Python left in it."""
    assert record.versions is not None
    try:
        record.place.put(record.versions.contents[-1])
    except BufferError as e:
        raise refusal(
            f"the length of a `{type(record.owner).__name__}` changes in a staged branch or loop, "
            "and a view of it, such as a `memoryview`, is still in use",
            "Release the view before, or keep the length.",
            record.began_at,
        ) from e


# Invalidated objects.


class Replacements:
    """The replacements of objects that are invalidated, or hold such objects immutably."""

    def __init__(self, stale: dict[int, Invalidated]):
        self._found: dict[int, Any] = dict(stale)
        self._kept: list[Any] = []  # so that no id is that of another object
        self._memory = {id(memory_of(behind(s))[-1]): s for s in stale.values()}

    def of(self, value: Any) -> Any:
        """What is to stand in place of ``value``: itself where that holds nothing stale."""
        if id(value) in self._found:
            return self._found[id(value)]
        kind = type(value)
        if issubclass(kind, (Proxy, Invalidated)):
            return value
        is_tuple = issubclass(kind, tuple)
        parts = list(tuple.__iter__(value)) if is_tuple else _held_for_good(value)
        if not (parts or is_tuple):
            known = self._memory.get(id(memory_of(value)[-1]))
            return value if known is None else Invalidated(value, *known._ferrograph_parts[1:])
        self._found[id(value)] = value
        self._kept.append(value)
        made = [self.of(part) for part in parts]
        if any(part is not other for part, other in zip(parts, made, strict=True)):
            is_plain = is_tuple and not hasattr(value, "__dict__")
            found = _rebuilt(value, made) if is_plain else Invalidated(value, *_first_stale(made))
            self._found[id(value)] = found
        return self._found[id(value)]

    def has(self, value: Any) -> bool:
        """Whether another is to stand in place of ``value``."""
        return self.of(value) is not value


def _held_for_good(value: Any) -> list:
    """What an object that is no tuple holds for good."""
    kind = type(value)
    if kind is types.BuiltinMethodType:
        return [value.__self__]
    if kind is functools.partial:
        return [value.func, *value.args, *value.keywords.values()]
    return _kept(value) if registry.adapters_of(kind) else []


def _first_stale(parts: Iterable) -> tuple:
    """How the first that is invalidated among some parts is called, and where it changed."""
    for part in parts:
        found = _first_stale(part) if isinstance(part, tuple) else ()
        if type(part) is Invalidated or found:
            return found or part._ferrograph_parts[1:]
    return ()


def _rebuilt(value: tuple, items: list) -> tuple:
    """A tuple like another one, noted as such."""
    made = tuple.__new__(type(value), items)
    location.VariantRecords.of_trace().rebuilt[id(made)] = made, original(value)
    return made


def _replacements() -> Replacements | None:
    """The replacements of invalidated objects; None where no object is invalidated as a whole."""
    stale = {id(behind(s)): s for k, s in _thread.trace.effects.stale.items() if type(k) is int}
    return Replacements(stale) if stale else None


def substitute_invalidated() -> None:
    """Replace all references to invalidated objects."""
    replacements = _replacements()
    if replacements is not None:
        _replace(_walk(region_functions()), replacements.of)


def standing(values: list) -> list:
    """Values for the rest of the trace, with invalidated objects in them replaced."""
    replacements = _replacements()
    if replacements is None:
        return values
    walk = Walk()
    walk.run((), values)
    _replace(walk, replacements.of)
    return list(map(replacements.of, values))


def invalidate(place: Location, anchors: tuple, began: int) -> bool:
    """Make stale what a region changed; whether it was not so when ``began`` were."""
    root = _thread.trace
    whole = isinstance(place, (Container, Whole))
    if isinstance(place, Attribute) and not place.takes_any:
        raise refusal(
            f"side effect on {place.label!r} in a staged branch or loop, which can be seen from "
            "outside the function: it would run once, at trace time",
            "Pass what changes as an argument.",
        )
    target = _around(place.owner) if whole else place.get()
    known = root.effects.stale.get(id(target) if whole else place.key)
    if known is not None:
        if not whole:
            place.put(Invalidated(behind(target), place.label, here()))
        return any(known is late for late in list(root.effects.stale.values())[began:])
    loud[id(root)] = root
    label = label_of(target, anchors) if whole else place.label
    made = Invalidated(target, label, here())
    if whole:
        refuse_running(target)
        root.effects.stale[id(target)] = made
        replacements = Replacements({id(target): made})
        for frame in frames():
            _refuse_names(frame, replacements.has, lambda name: made._ferrograph_error(here()))
        root.callees.known.clear()  # whose callees take arguments as they are
        substitute_invalidated()
    else:
        root.effects.stale[place.key] = made
        place.put(made)
    return True


def _around(owner: Any) -> Any:
    """The object to replace as a whole: for the dict inside a weak collection that collection,
    whose callbacks need the dict itself."""
    if type(owner) not in (dict, set):
        return owner
    return next(holders_of_data(owner, _WEAK), owner)


_WEAK = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)


def explain(exception: Exception) -> None:
    """Raise an error of native code that got an ``Invalidated`` as an error of this package."""
    if not isinstance(exception, (TypeError, AttributeError)) or not is_named_by(exception):
        return
    line, traceback = "", exception.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if _is_users(code):
            line = SourceLocation(code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    made = next(iter(_thread.trace.effects.stale.values()))
    raise made._ferrograph_error(line) from exception


# Objects with variants.


def substitute(place: Location, proxy_of: Callable[[Any], Any]) -> None:
    """Replace all references to the object of a location by ``proxy_of`` of it until the trace
    ends, and those to objects of builtin classes that hold it likewise."""
    root = _thread.trace
    if restore not in root.effects.at_end:
        root.effects.at_end.append(restore)
    walk, targets = _checked(place)
    proxies = {id(target): proxy_of(target) for target in targets}
    _replace(walk, lambda value: proxies.get(id(value), value), _of_library(walk))


def substitute_again() -> None:
    """Replace references again in what a loop restores from before it."""
    proxies = (_thread.trace.variants.proxies or {}).items()
    fronts = {key: front for key, front in proxies if front._ferrograph_open()}
    if fronts:
        *_, walk = _running()
        _replace(walk, lambda value: fronts.get(id(value), value), _of_library(walk))


def can_substitute(place: Location) -> bool:
    """Whether every reference to the object of a location can be replaced."""
    try:
        _checked(place)
    except errors.StagingError:
        return False
    return True


def is_alone(value: Any) -> bool:
    """Whether one location at most refers to an object."""
    running, cells, walk = _running()
    front = (_thread.trace.variants.proxies or {}).get(id(value))
    ids = {id(one) for one in (value, front) if one is not None}
    found = {place.key for place, _ in _references(walk, lambda v: id(v) in ids)}
    if len(found) > 1 or any(_defaults(walk, lambda v: id(v) in ids)):
        return False
    try:
        _refuse_others(running, cells, walk, ids, Container("", value))
    except errors.StagingError:
        return False
    return True


def _checked(place: Location) -> tuple[Walk, list]:
    """What user code reaches, and the objects of it that get proxies."""
    running, cells, walk = _running()
    targets = _targets(place.owner, walk)
    _refuse_others(running, cells, walk, set(map(id, targets)), place)
    _refuse_views(place, walk, running)
    if is_in_library_module(place.owner):
        raise _refused(place, "a module of a library")
    if is_held_unseen(targets, walk.seen):
        raise _refused(place, "an active expression or statement")
    return walk, targets


def _refuse_others(running: list, cells: list, walk: Walk, ids: set[int], place: Location) -> None:
    """Refuse where something refers to an object in which nothing else can be put."""
    for value in walk.seen.values():
        if any(id(v) in ids for v in _kept(value)):
            raise _refused(place, f"a {type(value).__name__}")
    for frame in running:
        _refuse_names(
            frame,
            lambda value: id(value) in ids,
            lambda name: _refused(place, f"the name {name!r} of a function that is running"),
            cells,
        )


def _refuse_views(place: Location, walk: Walk, running: list) -> None:
    """Refuse where code reads the memory of an array by another array, or the state of a generator
    by another one, which knows nothing of the proxy of the first one. An array that only its views
    hold has no reader of its own.
    """
    beside = set(map(id, sharing(place.owner, walk.seen.values())))
    if not beside:
        return
    held = {id(v) for frame in running for v in locals_of(frame).values()}
    both = {*beside, id(place.owner)}
    referred = {id(v) for _, v in _references(walk, lambda v: id(v) in both)}
    if id(place.owner) not in referred | held:
        return
    _refuse_others(running, [], walk, beside, place)
    if not referred.isdisjoint(beside):
        is_memory = is_array(place.owner)
        what = "array that shows the same memory" if is_memory else "object of its state"
        raise _refused(place, f"another {what}")


def sharing(owner: Any, values: Iterable) -> list:
    """Those of some values that may share memory with a NumPy array, or the state with a NumPy
    random generator."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return []
    others = [v for v in values if v is not owner]
    if isinstance(owner, numpy.ndarray):
        arrays = [v for v in others if isinstance(v, numpy.ndarray)]
        return [v for v in arrays if numpy.may_share_memory(owner, v)]
    state = _bits(owner)
    return [v for v in others if state is not None and (v is state or _bits(v) is state)]


def _bits(value: Any) -> Any:
    """The bit generator of a NumPy random generator, which has its state."""
    random = sys.modules.get("numpy.random")
    if random is None or not isinstance(value, (random.Generator, random.RandomState)):
        return None
    return value._bit_generator


def _targets(owner: Any, walk: Walk) -> list:
    """An object, and the objects of builtin classes that hold it."""
    found: dict[int, Any] = {}
    is_library = _of_library(walk)
    inside = [entry for entry in walk.entries if is_library(*entry[:2])]
    pending = [owner]
    while pending:
        target = pending.pop()
        if id(target) not in found:
            found[id(target)] = target
            pending += [e[1] for e in inside if any(really(v) is target for v in _held(*e))]
    return list(found.values())


def _of_library(walk: Walk) -> _Passed:
    """Whether an adapter is of an object of a builtin class, or of a container inside of one."""

    def has_fields(adapter: Any, owner: Any) -> bool:
        return adapter.is_of_attributes and registry.has_library_fields(type(owner))

    fields = [held.values() for adapter, owner, held in walk.entries if has_fields(adapter, owner)]
    inside = {id(value) for held in fields for value in held if type(value) in ASSIGNABLE}
    return lambda adapter, owner: id(owner) in inside or has_fields(adapter, owner)


def _held(adapter: Any, owner: Any, held: Any) -> list:
    several = variants_of(owner) if adapter.is_content else None
    if several is not None:
        return [v for content in several.contents for v in held_by(content)]
    if isinstance(held, dict):
        return list(held.values())
    return list(held) if isinstance(held, (list, tuple)) else []


_HOLDING = (Through, Position)
_SEEN_THROUGH = (types.FunctionType, types.BuiltinFunctionType, types.CellType, types.ModuleType)


def _kept(value: Any) -> list:
    """What something refers to, itself or by methods, where nothing else can be put in it."""
    kind = type(value)
    if kind is types.FunctionType and ownership.is_library_file(value.__code__.co_filename):
        return _bound(map(cell_contents, value.__closure__ or ()))  # to be called by the library
    if issubclass(kind, collections.defaultdict):
        return given_to(value.default_factory)
    if kind in _SEEN_THROUGH or issubclass(kind, (Proxy, type, *ASSIGNABLE)):
        return []
    if issubclass(kind, set):
        return list(set.__iter__(value))
    adapters = registry.adapters_of(kind)
    parts = [v for f in adapters if isinstance(f, _HOLDING) for v in f.parts(value, None)]
    if kind is functools.partial:
        return _bound(parts)
    if not any(f.is_content or f.is_of_attributes for f in adapters):
        parts += referents(value)
    return [*parts, *_bound(parts)]


def _bound(parts: Iterable) -> list:
    """The objects of methods among some values."""
    return [v.__self__ for v in parts if type(v) is types.BuiltinMethodType]


def _refuse_names(
    frame: types.FrameType,
    wanted: _Test,
    refusal: Callable[[str], Exception],
    cells: list | None = None,
) -> None:
    """Refuse where a name of a frame that is read later refers to what is ``wanted``, and nothing
    else can be put into it: into the ``cells`` of functions something can."""
    code = frame.f_code
    own: dict[str, types.CellType] = {}
    others: set[int] = set()
    if cells is not None:
        own, others = _cells_by_name(frame), {id(cell_contents(cell)) for cell in cells}
    for name, value in locals_of(frame).items():
        if cells is None:
            can_be_put = name not in code.co_varnames
        else:
            is_free = name in code.co_freevars and id(value) in others
            can_be_put = is_free or (name in own and cell_contents(own[name]) is value)
        if not can_be_put and wanted(value) and name in read_later(frame):
            raise refusal(name)


def _cells_by_name(frame: types.FrameType) -> dict[str, types.CellType]:
    """The cells of a frame's names that functions hold which it has made."""
    found: dict[str, types.CellType] = {}
    for value in values_in(frame):
        if is_function(value):
            names = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
            found.update((n, cell) for n, cell in names if n in frame.f_code.co_cellvars)
    return found


def _refused(place: Location, keeper: str) -> Exception:
    return refusal(
        f"the {type(place.owner).__name__} {place.label!r} has several variants after this staged "
        f"branch or loop, and {keeper} refers to it, too",
        "Give it the same members in both branches, or change it where nothing else refers to it.",
    )
