"""Records of trace cache misses, so that they can be explained later.

Recording costs microseconds on a call that is traced anyway; ``explain/records.py`` makes trace
records of them when asked for.
"""

from __future__ import annotations

import os
import sys
import time
import types
import weakref
from collections import deque

from .. import later
from ..context import sources, thread
from ..context.ownership import is_own_file
from ..hints import TYPE_CHECKING, Any
from ..values.errors import RetraceError

if TYPE_CHECKING:
    from . import explain
else:
    (explain,) = later(__package__, "explain")

__all__ = ["Log", "Miss", "in_short", "sites"]

_MAX_RECORDS, _MAX_REMEMBERED = 64, 256


class Site:
    """What the functions of one definition cost: a function made in a loop is many."""

    __slots__ = ("held", "latest", "n_again", "n_functions", "n_traces", "seconds")

    def __init__(self) -> None:
        self.n_functions = self.n_traces = 0
        self.n_again = 0  # of functions that one before them could have stood in for
        self.seconds = 0.0
        self.latest: Any = None
        self.held: list[weakref.ref[Any]] = []  # what the latest closes over

    def add(self, function: Any) -> None:
        """Count a function. One for other objects, such as another model, is needed."""
        held = _held(function.python_function)
        self.n_again += self.n_functions > 0 and _are_same(self.held, held)
        self.n_functions += 1
        self.latest, self.held = weakref.ref(function), held


def _held(function: Any) -> list[weakref.ref[Any]]:
    """The objects that a function closes over, without functions, numbers and strings."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            if not isinstance(cell.cell_contents, types.FunctionType):
                found.append(weakref.ref(cell.cell_contents))
        except (TypeError, ValueError):  # a plain value, or none yet
            continue
    return found


def _are_same(first: list[weakref.ref[Any]], second: list[weakref.ref[Any]]) -> bool:
    pairs = zip(first, second, strict=False)
    return len(first) == len(second) and all(a() is b() is not None for a, b in pairs)


_sites: dict[tuple[str, int, str, int], Site] = {}


def sites() -> dict[tuple[str, int, str, int], Site]:
    """File, line, name and column of the functions traced so far, with what they cost."""
    return dict(_sites)


class Miss:
    """A call for which there was no trace, and what was done about it."""

    __slots__ = (
        "error",
        "evicted",
        "gone_index",
        "index",
        "limit",
        "n_again",
        "n_cached",
        "n_functions",
        "n_traced",
        "nearest",
        "nearest_index",
        "record",
        "refused",
        "relaxing_failed",
        "seconds",
        "site",
        "stale",
        "started",
        "traced",
        "wanted",
    )

    def __init__(self, function: Any, wanted: Any, site: Site, gone_index: int | None):
        self.started = time.perf_counter()
        self.wanted, self.traced, self.seconds = wanted, None, 0.0
        self.site = _call_site()
        self.n_traced = function._n_traced
        self.n_functions, self.n_again = site.n_functions, site.n_again
        self.index = self.n_traced + 1
        self.n_cached, *_, self.limit = function._cache_stats()
        self.error = self.relaxing_failed = ""
        self.refused, self.record = False, None
        self.evicted: int | None = None
        self.gone_index = gone_index
        found = _nearest(function, wanted) if self.n_cached else None
        self.nearest, nearest, self.stale = found or (None, None, [])
        self.nearest_index = None if nearest is None else nearest._index

    def is_relaxed(self) -> bool:
        """Whether the trace made serves more shapes than the call has."""
        return self.traced is not None and self.traced != self.wanted

    def is_milestone(self) -> bool:
        """Whether to look if traces go on and on: at the fifth, and each time that their number has
        doubled; of functions that are made again, at the tenth."""
        if not self.n_traced:
            return self.is_tenth_again()
        return self.index == 5 or (self.index > 5 and self.index & self.n_traced == 0)

    def is_tenth_again(self) -> bool:
        """Whether this is the tenth function of one definition of which nothing is new."""
        return self.n_again == 9

    def forget(self) -> None:
        """Drop what the record, now made, has read."""
        self.wanted = self.traced = self.nearest = None
        self.stale = []


class Log:
    """The latest misses of one function."""

    __slots__ = ("evicted", "frozen", "history", "misses", "site", "warned")

    def __init__(self) -> None:
        self.misses: deque[Miss] = deque(maxlen=_MAX_RECORDS)
        self.evicted: dict[int, int] = {}
        self.frozen: set[str] = set()  # what was said to be frozen
        self.history: dict[tuple[str, str], deque[Any]] = {}
        self.site: Site | None = None
        self.warned = False

    def begin(self, function: Any, wanted: Any) -> Miss:
        """A call found no trace. ``RetraceError`` where that is not to happen."""
        if self.site is None:
            self.site = _sites.setdefault(sources.place(function), Site())
            self.site.add(function)
        gone_index = self.evicted.get(hash(wanted)) if self.evicted else None
        miss = Miss(function, wanted, self.site, gone_index)
        if miss.n_traced and thread.retracing_is_refused():
            miss.refused = True
            self.misses.append(miss)
            raise RetraceError(explain.record_of(function, miss))
        return miss

    def keep(self, function: Any, miss: Miss, signature: Any, concrete: Any) -> None:
        """Keep a trace that was made; another may make room for it."""
        concrete._index = miss.index
        gone = function._add(signature, concrete)
        miss.traced = signature
        if gone is not None:
            while len(self.evicted) >= _MAX_REMEMBERED:
                self.evicted.pop(next(iter(self.evicted)))
            miss.evicted = self.evicted[hash(gone[0])] = gone[1]._index

    def say_frozen(self, function: Any, found: dict[str, str]) -> None:
        """Say, once for each, what a trace has read that is not guarded, and why."""
        for label, reason in found.items():
            if label not in self.frozen:
                self.frozen.add(label)
                explain.say_frozen(function, label, reason)

    def end(self, function: Any, miss: Miss) -> None:
        """The call has its trace, or failed: count the cost and say what is to be said."""
        miss.seconds = time.perf_counter() - miss.started
        self.misses.append(miss)
        if self.site is not None:
            self.site.n_traces += 1
            self.site.seconds += miss.seconds
        aloud = os.environ.get("FERROGRAPH_EXPLAIN", "0") not in ("", "0")
        if aloud or (not self.warned and miss.is_milestone()):
            explain.speak(function, miss, aloud)


def _nearest(function: Any, wanted: Any) -> tuple[Any, ...] | None:
    """The nearest signature with its trace and what is stale of that; of several the newest of
    which the least is stale: what changed since it served."""
    found = function._nearest(wanted)
    if found is None:
        return None
    signature, trace = found
    least = trace, trace._stale_guards()
    if least[1]:
        pairs = zip(function._signatures(), function._traces(), strict=False)
        for other in reversed([trace for known, trace in pairs if known == signature]):
            stale = other._stale_guards()
            if stale and len(stale) < len(least[1]):
                least = other, stale
    return signature, *least


def in_short(error: BaseException) -> str:
    """The class and the first line of an error."""
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text[:200]}"


def _call_site() -> tuple[Any, ...] | None:
    """Code, instruction and line of the frame of user code."""
    frame = sys._getframe(3)
    while frame is not None and is_own_file(frame.f_code.co_filename):
        frame = frame.f_back  # type: ignore[assignment]
    return None if frame is None else (frame.f_code, frame.f_lasti, frame.f_lineno)


class InstanceCounts:
    """How many traces were made for each of the objects that a method was called on."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[weakref.ref[Any], int]] = {}

    def add(self, args: tuple[Any, ...]) -> None:
        """Count a trace for the object that is its first argument."""
        if not args:
            return
        key = id(args[0])
        try:
            ref = weakref.ref(args[0], lambda _: self._counts.pop(key, None))
        except TypeError:  # no object that methods are bound to for long
            return
        self._counts[key] = ref, self.of(args[0]) + 1

    def of(self, instance: Any) -> int:
        """The number for this object."""
        ref, count = self._counts.get(id(instance), (None, 0))
        return count if ref is not None and ref() is instance else 0
