"""Invalidated objects: a region changed them, and the graph cannot follow the change.

An ``Invalidated`` accepts writes, and refuses reads at their line.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator

from ..hints import Any
from .source_location import here, refusal

_WRITES = frozenset(
    {"append", "appendleft", "extend", "extendleft", "add", "update", "discard", "insert", "write"}
    | {"__setitem__", "put", "put_nowait", "fill"}
)


def is_named_by(exception: Exception) -> bool:
    """Whether the message of native code names the class of proxies of invalidated objects."""
    text = exception.args[0] if exception.args else ""
    return isinstance(text, str) and Invalidated.__name__ in text


class Invalidated:
    """Replaces an object whose changes by a region the graph cannot follow."""

    def __init__(self, target: Any, label: str, changed: str):
        self._ferrograph_parts = target, label, changed

    def _ferrograph_refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise self._ferrograph_error(here())

    def _ferrograph_error(self, line: str) -> Exception:
        _, label, changed = self._ferrograph_parts
        return refusal(
            f"{label!r} is read here, but a staged branch or loop changed it before, at {changed}: "
            "that happened once, at trace time, whatever the graph does",
            "Keep what the graph changes in tensors, in a `Variable`, or in objects that the "
            "function makes itself.",
            line,
        )

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_ferrograph_") or name == "__class__":
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

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        target = self._ferrograph_parts[0]
        if type(target) is types.BuiltinMethodType and target.__name__ in _WRITES:
            return target(*args, **kwargs)
        return self._ferrograph_refuse()

    __bool__ = __len__ = __iter__ = __getitem__ = __int__ = __float__ = _ferrograph_refuse
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


def refuse_identity(known: dict, *compared: Any) -> None:
    """Refuse a comparison by identity of the object in a location that a region changed, of those
    ``known``: an object that was itself changed is still the same."""
    for value in compared:
        if type(value) is Invalidated and id(behind(value)) not in known:
            value._ferrograph_refuse()


def refuse_look(value: Any) -> None:
    """Refuse to look at what is stale."""
    if type(value) is Invalidated:
        value._ferrograph_refuse()


def only_writes(method: str) -> bool:
    """Whether a method of a container or a stream changes it without a look at it."""
    return method in _WRITES


def behind(value: Any) -> Any:
    """``value``, or the object that an ``Invalidated`` replaces."""
    return value._ferrograph_parts[0] if type(value) is Invalidated else value


class Left:
    """The locations that traces within loops changed and that are stale for the trace around
    them."""

    def __init__(self) -> None:
        self.places: dict = {}

    def add(self, place: Any) -> None:
        self.places[place.key] = place

    @contextlib.contextmanager
    def lifted(self) -> Iterator[None]:
        """A block in which they hold what Python left in them."""
        held = [(p, v) for p in self.places.values() if type(v := p.get()) is Invalidated]
        for place, stale in held:
            place.put(behind(stale))
        try:
            yield
        finally:
            for place, stale in held:
                now = place.get()
                _, label, changed = stale._ferrograph_parts
                place.put(stale if now is behind(stale) else Invalidated(now, label, changed))
