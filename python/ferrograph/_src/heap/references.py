"""Escaping side effects: changes by regions of objects that code outside the traced function can
see.

A Python side effect happens once, at trace time. A number that a region changes is symbolic until
the trace ends; then its location gets back the value that Python left there. An object that the
graph cannot follow is *invalidated*: every reference to it is replaced by an ``Invalidated`` until
the trace ends, which accepts writes and refuses reads at their line. Where an immutable object,
such as a tuple, a bound method, a partial, a view or an iterator, refers to it, that object is
replaced by a copy or by an ``Invalidated``.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ..context import ownership, tracebacks
from ..context.by_class import ByClass
from ..context.locals import locals_of
from ..hints import Any
from ..native import _core
from ..values import errors
from . import location
from .active_iterators import refuse_running
from .adapters import registry
from .adapters.base import Members, Position, Through, Whole
from .adapters.builtin_classes import ASSIGNABLE, NUMBERS, is_function
from .invalidated import Invalidated, behind, is_named_by
from .liveness import counts
from .liveness.frames import AT_ONCE, read_later
from .location import (
    UNDEFINED,
    Attribute,
    Container,
    Location,
    item_location,
    variants_of,
)
from .reachable import Walk, label_of
from .source_location import SourceLocation, diagnostic, here
from .trace_context import Proxy, loud, original, region_functions
from .trace_context import thread as _thread

_holding = ByClass()  # the adapters of a class that hold something for good
_NOT_LOOKED_INTO = (types.FunctionType, types.ModuleType, type, Proxy, Invalidated)


class Replacements:
    """The replacements of objects that are invalidated, or hold such objects immutably."""

    def __init__(self, stale: dict[int, Invalidated]):
        self._found: dict[int, Any] = dict(stale)
        self._kept: list[Any] = []  # so that no id is that of another object
        arrays = [s for s in stale.values() if _is_memory(behind(s))]
        self._memory = {id(_memory(behind(s))): s for s in arrays}

    def of(self, value: Any) -> Any:
        """What is to stand in place of ``value``: itself where that holds nothing stale."""
        if id(value) in self._found:
            return self._found[id(value)]
        parts = _parts(value)
        if parts is None:
            known = self._memory.get(id(_memory(value))) if self._memory else None
            return value if known is None else Invalidated(value, *known._ferrograph_parts[1:])
        self._found[id(value)] = value
        self._kept.append(value)
        made = [(part, self.of(part)) for part in parts]
        if all(part is other for part, other in made):
            return value
        found = self._found[id(value)] = self._made(value, [other for _, other in made])
        return found

    def has(self, value: Any) -> bool:
        """Whether another is to stand in place of ``value``."""
        return self.of(value) is not value

    def _made(self, value: Any, parts: list) -> Any:
        if isinstance(value, tuple) and not hasattr(value, "__dict__"):
            return _rebuilt(value, parts)
        first = next(self._stale_in(parts))
        _, label, changed = first._ferrograph_parts
        return Invalidated(value, label, changed)

    def _stale_in(self, parts: Iterable) -> Any:
        for part in parts:
            if type(part) is Invalidated:
                yield part
            elif isinstance(part, tuple):
                yield from self._stale_in(part)


def _is_memory(value: Any) -> bool:
    """Whether other objects may show the memory of an object."""
    kind = type(value)
    is_array = hasattr(kind, "__array_interface__") or kind.__module__ == "array"
    return is_array or issubclass(kind, (bytearray, memoryview))


def _memory(value: Any) -> Any:
    """The object whose memory an array or a view of one shows; others themselves."""
    while True:
        if isinstance(value, memoryview):
            value = value.obj
        elif hasattr(type(value), "__array_interface__") and value.base is not None:
            value = value.base
        else:
            return value


def sharing(array: Any, values: Iterable) -> list:
    """Those of some values that may share memory with a NumPy array, or the state with a NumPy
    random generator."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return []
    if not isinstance(array, numpy.ndarray):
        state = _bits(array)
        others = values if state is not None else ()
        return [v for v in others if v is not array and (v is state or _bits(v) is state)]
    others = (v for v in values if isinstance(v, numpy.ndarray) and v is not array)
    return [other for other in others if numpy.may_share_memory(array, other)]


def _bits(value: Any) -> Any:
    """The bit generator of a NumPy random generator, which has its state."""
    random = sys.modules.get("numpy.random")
    if random is None or not isinstance(value, (random.Generator, random.RandomState)):
        return None
    return value._bit_generator if isinstance(value, random.RandomState) else value.bit_generator


def _parts(value: Any) -> Iterable | None:
    """What an object holds for good; None of one that holds nothing so."""
    kind = type(value)
    if issubclass(type(value), tuple):
        return list(tuple.__iter__(value))
    adapters = _holding.found.get(id(kind))
    if adapters is None:
        adapters = _holding.keep(kind, _facets_that_hold(kind))
    if not adapters:
        return None
    return [part for adapter in adapters for part in adapter.parts(value, adapter.hold(value))]


def _facets_that_hold(kind: type) -> tuple:
    if issubclass(kind, _NOT_LOOKED_INTO):
        return ()
    found = [f for f in registry.adapters_of(kind) if isinstance(f, (Through, Position, Members))]
    return tuple(f for f in found if f is not registry.BY_WORDS)


def _rebuilt(value: tuple, items: list) -> tuple:
    """A tuple like another one, noted as such."""
    made = tuple.__new__(type(value), items)
    root = _thread.trace
    if root.variants.rebuilt is None:
        location.VariantRecords.of_trace().rebuilt = {}
    location.VariantRecords.of_trace().rebuilt[id(made)] = made, original(value)
    return made


def restored(value: Any) -> Any:
    """A value with the original objects in place of all replacements."""
    value = original(behind(value))
    if isinstance(value, tuple) and any(restored(item) is not item for item in value):
        return tuple.__new__(type(value), map(restored, value))
    return value


def can_follow(place: Location, old: Any, new: Any) -> bool:
    """Whether what a location holds are numbers before and after."""
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
    return type(old) in NUMBERS and type(new) in NUMBERS


def follow(place: Location, old: Any, new: Any) -> None:
    """Note what locations hold when the trace ends, of which the graph knows more until then."""
    found = {place.key: (place, new)}
    if isinstance(place, Container):
        keys = list(old) if isinstance(old, dict) else range(len(old))
        found = {}
        for key in keys:
            if old[key] is not new[key]:
                inner = item_location(place.label, place.owner, key)
                found[inner.key] = inner, new[key]
    _thread.trace.effects.numbers.update(found)


def is_lazily_made(old: Any, new: Any) -> bool:
    """Whether a region made a variable that was not there."""
    return isinstance(new, _core.VariableBase) and not isinstance(old, _core.VariableBase)


def invalidate(place: Location, anchors: tuple, began: int) -> bool:
    """Make stale what a region changed; whether it was not so when ``began`` were."""
    root = _thread.trace
    whole = isinstance(place, (Container, Whole))
    if isinstance(place, Attribute) and not place.takes_any:
        raise _seen_from_outside(place)
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
        _refuse_running(Replacements({id(target): made}), made)
        root.callees.known.clear()  # whose callees take arguments as they are
        substitute_invalidated()
    else:
        root.effects.stale[place.key] = made
        place.put(made)
    return True


def _seen_from_outside(place: Location) -> Exception:
    """The refusal of such an attribute of what can be seen from outside the function."""
    return errors.StagingError(
        diagnostic(
            here(),
            f"side effect on {place.label!r} in a staged branch or loop, which can be seen from "
            "outside the function: it would run once, at trace time",
            "Pass what changes as an argument.",
        )
    )


def _around(owner: Any) -> Any:
    """The object to replace as a whole: for the dict inside a weak collection that collection,
    whose callbacks need the dict itself."""
    if type(owner) not in (dict, set):
        return owner
    return next(iter(counts.holders_of_data(owner, _WEAK)), owner)


_WEAK = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)


def substitute_invalidated() -> None:
    """Replace all references to invalidated objects."""
    replacements = _replacements()
    if replacements is not None:
        for place, value in _references(replacements.has):
            place.put(replacements.of(value))


def standing(values: list) -> list:
    """Values for the rest of the trace, with invalidated objects in them replaced."""
    replacements = _replacements()
    if replacements is None:
        return values
    walk = Walk()
    walk.run((), values)
    for place, value in references_in(walk, replacements.has, _in_partial):
        place.put(replacements.of(value))
    return list(map(replacements.of, values))


def _replacements() -> Replacements | None:
    """The replacements of invalidated objects; None where no object is invalidated as a whole."""
    stale = {id(behind(s)): s for k, s in _thread.trace.effects.stale.items() if type(k) is int}
    return Replacements(stale) if stale else None


def restore() -> None:
    """At the end of a trace: all locations get back what Python left in them."""
    root = _thread.trace
    for place, value in root.effects.numbers.values():
        if isinstance(place.get(), _core.Tensor):
            place.put(value)
    if root.effects.stale:
        for place, value in _references(lambda value: restored(value) is not value):
            place.put(restored(value))


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


def _references(wanted: Callable[[Any], bool]) -> Iterator[tuple[Location, Any]]:
    """The locations that can be reached from the trace whose values are ``wanted``."""
    walk = Walk()
    walk.run(region_functions(), [_thread.roots])
    return iter([*references_in(walk, wanted, _in_partial), *defaults(walk, wanted)])


def references_in(
    walk: Walk, wanted: Callable[[Any], bool], is_passed: Callable[[Any, Any], bool]
) -> list[tuple[Location, Any]]:
    """The locations in what a walk has found whose values are ``wanted``, but for those of adapters
    and owners that are passed over."""
    found: list[tuple[Location, Any]] = []
    for adapter, owner, held in walk.entries:
        if is_passed(adapter, owner):
            continue
        several = variants_of(owner) if adapter.is_content else None
        if several is not None:
            found += _in_contents(several.contents, wanted)
            continue
        pairs = adapter.references(owner, held)
        found += [(adapter.reference(owner, key), value) for key, value in pairs if wanted(value)]
    return found


def _in_partial(adapter: Any, owner: Any) -> bool:
    """Whether an adapter is of the arguments of a partial, which is replaced as a whole."""
    return adapter is registry.ARGUMENTS


def _in_contents(contents: list, wanted: Callable[[Any], bool]) -> Iterator[tuple[Location, Any]]:
    """The locations in the variants of an object."""
    for content in contents:
        if isinstance(content, ASSIGNABLE):
            pairs = content.items() if isinstance(content, dict) else enumerate(content)
            yield from ((item_location("an item", content, k), v) for k, v in pairs if wanted(v))


def defaults(walk: Walk, wanted: Callable[[Any], bool]) -> Iterator[tuple[Location, Any]]:
    """The locations of functions' parameters whose default values are ``wanted``."""
    for function in walk.seen.values():
        if is_function(function) and _is_users(function.__code__):
            for i, value in enumerate(function.__defaults__ or ()):
                if wanted(value):
                    yield _default(function, i), value
            named = function.__kwdefaults__ or {}
            pairs = [(k, v) for k, v in named.items() if wanted(v)]
            yield from ((item_location("a default value", named, k), v) for k, v in pairs)


def _default(function: types.FunctionType, i: int) -> Location:
    def put(value: Any) -> None:
        held = list(function.__defaults__ or ())
        held[i] = value
        function.__defaults__ = tuple(held)

    return Location("a default value", lambda: (function.__defaults__ or ())[i], put, function)


def _refuse_running(replacements: Replacements, made: Invalidated) -> None:
    """Refuse where a name that nothing can be put into still refers to what is stale."""
    frame = sys._getframe(1)
    while frame is not None and id(frame.f_code) not in tracebacks.tracing:
        code, names = frame.f_code, locals_of(frame)
        for name in code.co_varnames:
            if name in AT_ONCE:
                continue
            held = replacements.has(names.get(name, UNDEFINED))
            if held and _is_users(code) and name in read_later(frame):
                made._ferrograph_refuse()
        frame = frame.f_back  # type: ignore[assignment]


def _is_users(code: types.CodeType) -> bool:
    return not ownership.is_library_file(code.co_filename)
