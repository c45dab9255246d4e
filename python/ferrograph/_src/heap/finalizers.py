"""Objects whose end is seen: by weak references to them, by methods that run when they end, and by
what cannot change its length while they show it.

While a region is traced nothing ends, since what it changes is put back. That a region takes away
the last reference to such an object, which would end there, is refused.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Iterable, Iterator

from ..context import ownership
from ..context.locals import locals_of
from ..hints import Any
from ..native import _core
from ..values import errors
from . import parts
from .adapters import registry
from .invalidated import Invalidated
from .liveness import frames
from .location import Container, Location, Variants
from .reachable import Walk
from .snapshot import Snapshot
from .source_location import diagnostic, here
from .trace_context import Proxy

_NEVER = (
    type, types.FunctionType, types.ModuleType, _core.Tensor, _core.VariableBase, Proxy,
    Invalidated,
)  # fmt: skip


def refuse(changes: Iterable[tuple[Location, Any]]) -> None:
    """Refuse that a region ends objects: of places that it changed, and what they held before."""
    lost = [value for place, old in changes for value in _lost(place, old)]
    if not lost:
        return
    ending = {id(value): value for value in _walk(lost).seen.values() if _is_seen(value)}
    if not ending:
        return
    weak = [reference for value in ending.values() for reference in weakref.getweakrefs(value)]
    kept = _walk(_held_now(), weak).seen
    known = _walk(_held_now()).seen
    lost = [value for key, value in ending.items() if key not in kept]
    gone = next((value for value in lost if _is_watched(value, known)), None)
    if gone is not None:
        raise _refused(gone)


def refuse_left(noted: Iterable[Any], snapshot: Snapshot) -> None:
    """Refuse that an iteration leaves objects whose ends run code, and which were not there before:
    the graph runs none where the next iteration lets go of them."""
    left = [one() for one in noted if type(one) is weakref.ref]
    made = (value for value in left if _runs_code_at_its_end(value) and not snapshot.knows(value))
    found = next(made, None)
    if found is not None:
        ends = "`finally` or `with`" if type(found) is types.GeneratorType else "`__del__`"
        raise errors.StagingError(
            diagnostic(
                here(),
                f"an iteration of this loop leaves an object of the class {type(found).__name__!r} "
                f"that it made, whose {ends} runs where the next one lets go of it: iterations "
                "are traced once",
                "Let go of it in the iteration that makes it (`del` of the name), or make it "
                "before the loop.",
            )
        )


def _runs_code_at_its_end(value: Any) -> bool:
    if type(value) is not types.GeneratorType:
        return hasattr(type(value), "__del__")
    import inspect

    is_begun = inspect.getgeneratorstate(value) == inspect.GEN_SUSPENDED
    return is_begun and frames.has_handlers(value.gi_code)


def _lost(place: Location, old: Any) -> Iterator[Any]:
    """The objects that a place held and holds no more."""
    left = {id(value) for value in _values(place, place.get())}
    for value in _values(place, old):
        is_lost = id(value) not in left and not isinstance(value, _NEVER)
        if is_lost and registry.adapters_of(type(value)):
            yield value


def _values(place: Location, held: Any) -> Iterable[Any]:
    if not isinstance(place, Container):
        return (held,)
    if isinstance(held, dict):
        return (*held, *held.values())
    return () if type(held) is Variants else held


def _walk(values: Iterable[Any], weak: Iterable[Any] = ()) -> Walk:
    """What is reached from values, but for these weak references."""
    walk = Walk()
    walk.seen.update({id(reference): reference for reference in weak})
    walk.run((), list(values))
    return walk


def _is_seen(value: Any) -> bool:
    """Whether code may see that an object ends."""
    kind = type(value)
    if isinstance(value, _NEVER) or ownership.is_own_module(kind.__module__):
        return False
    if not ownership.is_library_class(kind) and hasattr(kind, "__del__"):
        return True
    return weakref.getweakrefcount(value) > 0 or _kept_in_length(value) is not None


def _is_watched(value: Any, known: dict[int, Any]) -> bool:
    """Whether what watches an object is the program's: this package has weak references, too."""
    if hasattr(type(value), "__del__") or id(_kept_in_length(value)) in known:
        return True
    return any(
        type(r) is not weakref.ref or _calls_back(r) or id(r) in known
        for r in weakref.getweakrefs(value)
    )


def _calls_back(reference: weakref.ref) -> bool:
    """Whether a weak reference calls code that is not of this package."""
    code = getattr(reference.__callback__, "__code__", None)
    if code is not None and ownership.is_own_file(code.co_filename):
        return False
    return reference.__callback__ is not None


def _kept_in_length(value: Any) -> Any:
    """What a view keeps from changing its length; None of other objects."""
    if not (isinstance(value, memoryview) or parts.is_array(value)):
        return None
    shown = parts.memory_of(value)[-1]
    return shown if registry.has_views(type(shown)) else None


def _held_now() -> Iterator[Any]:
    """What the program's code that runs refers to: names of functions, and of their modules."""
    frame: Any = sys._getframe(0)
    modules: dict[int, dict] = {}
    while frame is not None:
        if not ownership.is_library_file(frame.f_code.co_filename):
            yield from list(locals_of(frame).values())
            modules[id(frame.f_globals)] = frame.f_globals
        frame = frame.f_back
    for names in modules.values():
        yield from list(names.values())


def _refused(value: Any) -> Exception:
    shown = _kept_in_length(value)
    watch = "weak references or a `__del__` watch"
    if shown is not None:
        watch = f"keeps a `{type(shown).__name__}` from changing its length"
    return errors.StagingError(
        diagnostic(
            here(),
            "a branch or a loop of the graph takes away the last reference to an object of the "
            f"class {type(value).__name__!r}, which {watch}: whether it ends there is known only "
            "when the graph runs",
            "Keep the object under another name for as long as the function runs.",
        )
    )
