"""Records of traces: the cause of each, its cost, what was done, and how to avoid it.

The tracer keeps a ``Miss`` for every call that finds no trace; records are made of these when asked
for. ``differences`` finds what differs.
"""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass
from typing import Any

from ...context import sources
from ...context.ownership import is_library_file
from ...values.public import public
from . import differences
from .differences import Cause
from .report import Report

__all__ = ["Cause", "TraceRecord", "explain", "record_of", "records_of"]
__all__ += ["say_frozen", "speak"]

_HISTORY = 8
_MANY_VALUES = 5


@public("TraceRecord")
@dataclass(frozen=True)
class TraceRecord:
    """Why a call of a function was traced.

    ``causes`` lists all that differs from the nearest trace there was, None for a first trace;
    ``path``, ``facet``, ``old``, ``new`` and ``fix`` are those of the first cause.

    >>> f = fg.function(lambda x: x + 1)
    >>> _ = f(fg.constant(1)), f(fg.constant(2.0))
    >>> why = f.trace_records()[-1]
    >>> why.path, why.facet, why.old, why.new
    ('x', 'dtype', 'int32', 'float32')
    """

    function: str
    definition: str
    call_site: str
    index: int
    kind: str
    nearest: int | None
    n_cached: int
    causes: tuple[Cause, ...]
    action: str
    seconds: float

    @property
    def _first(self) -> Cause:
        return self.causes[0] if self.causes else Cause("", "", None, None)

    @property
    def path(self) -> str:
        """Where the first difference is, in the names of the function: ``batch['x'][0]``."""
        return self._first.path

    @property
    def facet(self) -> str:
        """What of it differs: ``shape``, ``dtype``, ``value``, …"""
        return self._first.facet

    @property
    def old(self) -> Any:
        """What the nearest trace has there."""
        return self._first.old

    @property
    def new(self) -> Any:
        """What the call has there."""
        return self._first.new

    @property
    def fix(self) -> str:
        """What to change so that such calls need no trace of their own; empty where nothing is to
        be done."""
        return self._first.fix

    def __str__(self) -> str:
        head = f"{self.kind} #{self.index} of {self.function} ({self.definition})"
        lines = [f"{head}, called at {self.call_site}; {_duration(self.seconds)}"]
        lines += [f"  {cause}" for cause in self.causes]
        lines.append(f"  -> {self.action}")
        lines += [f"  fix: {fix}" for fix in dict.fromkeys(c.fix for c in self.causes) if fix]
        return "\n".join(lines)


def _duration(seconds: float) -> str:
    if seconds < 0.0995:
        return f"{seconds * 1e3:.2g} ms"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def records_of(function: Any) -> list[TraceRecord]:
    """The records of a function's latest misses, oldest first."""
    with function._lock:
        return [record_of(function, miss) for miss in function._log.misses]


def record_of(function: Any, miss: Any) -> TraceRecord:
    """The record of one miss; those before it are made first, for the history."""
    if miss.record is None:
        for earlier in list(function._log.misses):
            if earlier is miss:
                break
            if earlier.record is None:
                earlier.record = _make(function, earlier)
        miss.record = _make(function, miss)
        miss.forget()
    return miss.record


def _make(function: Any, miss: Any) -> TraceRecord:
    kind, causes = _causes(function, miss)
    return TraceRecord(
        function=function.name,
        definition=_definition(function),
        call_site=_place(miss.site),
        index=miss.index,
        kind=kind,
        nearest=miss.nearest_index,
        n_cached=miss.n_cached,
        causes=tuple(causes),
        action=_action(function, miss),
        seconds=miss.seconds,
    )


def _causes(function: Any, miss: Any) -> tuple[str, list[Cause]]:
    if miss.nearest is None:
        if miss.n_traced == 0:
            return "first trace", _new_function(function, miss)
        return "retrace", [Cause("", "dropped", None, None, (), _dropped(function))]
    found = differences.differences(function, miss.nearest, miss.wanted)
    found += [_captured(*stale) for stale in miss.stale]
    if not found and miss.gone_index is None:
        found = [Cause("", "dropped", None, None, (), _dropped(function))]
    if miss.gone_index is not None:
        fix = f"raise max_traces, which is {miss.limit}"
        found.insert(0, Cause("", "evicted", f"trace #{miss.gone_index}", None, (), fix))
    return "retrace", [_with_history(function, miss, cause) for cause in found]


def _dropped(function: Any) -> str:
    return "the traces were dropped: the cache was cleared, or the objects they were for are gone"


def _new_function(function: Any, miss: Any) -> list[Cause]:
    n = miss.n_functions
    if n < 2:
        return []
    fix = "make the function once, outside the loop or function that makes it anew"
    return [Cause(function.name, "function identity", n - 1, n, (), fix)]


def _captured(guard: tuple[Any, ...], now: Any) -> Cause:
    owner, name, label, value = guard
    is_module = isinstance(owner, dict) and "__name__" in owner
    kind = "global" if is_module else "attribute"
    facet = "captured closure" if name is None else f"captured {kind}"
    fix = (
        f"pass {_own_name(label)} as an argument, keep it in a Variable, or freeze it with "
        "function(freshness='ignore')"
    )
    return Cause(label, facet, _in_short(value), _in_short(now), (), fix)


def _in_short(value: Any) -> Any:
    """A value as a record keeps it: of objects a name, so that it holds none."""
    plain = (bool, int, float, complex, str, bytes, type(None))
    if type(value) in plain or isinstance(value, type):
        return value
    if type(value) in (list, tuple) and all(type(part) in plain for part in value):
        return value
    return f"{getattr(value, '__qualname__', type(value).__qualname__)} at {id(value):#x}"


def _own_name(label: str) -> str:
    """What a label ends with: the last name in it, with the keys behind it; what is asked of such
    a value as it is."""
    if label.startswith(("len(", "bool(", "list(", "type(")) or " in " in label:
        return label
    name, bracket, keys = label.partition("[")
    return name.rpartition(".")[2] + bracket + keys


def _with_history(function: Any, miss: Any, cause: Cause) -> Cause:
    """The cause with the values seen at its place so far."""
    key = (cause.path, cause.facet)
    if key not in function._log.history and len(function._log.history) >= 256:
        return cause
    seen = function._log.history.setdefault(key, deque(maxlen=_HISTORY))
    for value in (cause.old, cause.new):
        if value not in seen:
            seen.append(value)
    fix = "" if cause.facet == "shape" and miss.is_relaxed() else cause.fix
    return Cause(cause.path, cause.facet, cause.old, cause.new, tuple(seen), fix)


def _action(function: Any, miss: Any) -> str:
    if miss.refused:
        done = "refused: retraces are errors here"
    elif miss.error:
        done = f"tracing failed: {miss.error}"
    elif miss.is_relaxed():
        open_axes = differences.relaxed_axes(function, miss.traced, miss.wanted)
        done = f"relaxed {', '.join(open_axes)}: other sizes there need no trace"
    elif miss.relaxing_failed:
        done = f"traced at the exact shapes; with them relaxed: {miss.relaxing_failed}"
    else:
        done = "traced"
    if miss.evicted is not None:
        done += f"; trace #{miss.evicted} made room, the least recently used"
    return done


def _definition(function: Any) -> str:
    file, line, _ = sources.definition(function)
    return f"{file}:{line}"


def _place(site: tuple[Any, ...] | None) -> str:
    """``file:line:column`` of a call, without the column where Python does not keep it."""
    if site is None:
        return "<unknown>"
    code, instruction, line = site
    text = f"{code.co_filename}:{line}"
    if hasattr(code, "co_positions"):
        for i, position in enumerate(code.co_positions()):
            if i == instruction // 2:
                return text if position[2] is None else f"{text}:{position[2] + 1}"
    return text


# Saying it.


def explain(function: Any) -> str:
    """All records of a function as text."""
    found = records_of(function)
    n, hits, misses, _, _ = function._cache_stats()
    head = (
        f"{function.name} ({_definition(function)}): {n} traces kept, {hits} calls served by one, "
        f"{misses} not"
    )
    return Report("\n".join([head, *map(str, found)]))


def speak(function: Any, miss: Any, aloud: bool) -> None:
    """After a trace: print the record if every one is asked for, and warn once of traces that go on
    and on."""
    if aloud:
        print(record_of(function, miss), file=sys.stderr, flush=True)
    if function._log.warned:
        return
    text = _trouble(function, miss)
    if text is not None:
        import logging

        function._log.warned = True
        logging.getLogger("ferrograph").warning("%s", text)


def say_frozen(function: Any, label: str, reason: str) -> None:
    """Say that traces do not notice how a value changes that they have read."""
    import logging

    logging.getLogger("ferrograph").warning(
        "%s (%s) does not notice when %s changes: its traces keep what they have read (%s). Pass "
        "it as an argument, keep it in a Variable, or say function(freshness='ignore')",
        function.name,
        _definition(function),
        label,
        reason,
    )


def _trouble(function: Any, miss: Any) -> str | None:
    """What is wrong where tracing does not come to an end by itself."""
    if miss.n_traced == 0:
        file, _, _ = sources.definition(function)
        if not miss.is_tenth_again() or is_library_file(file):
            return None
        return (
            f"{function.name} ({_definition(function)}) is made and traced anew again and again, "
            f"{miss.n_functions} times so far: make it once, outside the loop"
        )
    for cause in record_of(function, miss).causes:
        if cause.path == "self" and cause.facet == "identity":
            continue  # a method has its traces for each instance
        if cause.fix and len(cause.history) >= _MANY_VALUES:
            return f"{function.name} is traced again and again.\n{record_of(function, miss)}"
    return None
