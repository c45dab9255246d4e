"""Retraces of regions, with what earlier traces have found out.

The first trace of the body of a loop may show that the loop carries more variables, or variables of
other dtypes or shapes; then the body is traced again. In a nest, an inner loop starts with what
earlier traces of it have found out. What Python prints in a body is printed when the trace of the
outermost loop is final.

A region that makes variables, as layers do at their first call, is traced again, too: a change that
the second trace makes as well happens each time, such as a count of calls; a change that only the
first one made stays as Python left it.
"""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ..context.thread import Undetermined, variables_made
from ..heap import aliasing, snapshot
from ..heap.adapters.registry import is_opaque
from ..heap.location import Location
from ..heap.source_location import LoopShapeError, refusal
from ..heap.trace_context import RegionLog
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..symbolic.abstract_value import WIDENINGS
from ..symbolic.values import has_symbol

Name = tuple[str, int]  # the label of a variable of a loop, and which leaf of the value it is


class RetraceLoop(BaseException):
    """A trace of an iteration shows that the loop carries more than was known, or other dtypes."""

    def __init__(
        self,
        places: Sequence[Location] = (),
        promoted: dict | None = None,
        split: Iterable[str] = (),
        **widened: Iterable[Name],
    ):
        super().__init__()
        self.places, self.split = list(places), set(split)
        self.promoted, self.widened = promoted or {}, widened


class RetraceForVariables(RetraceLoop):
    """A region has to be traced again, since it made variables, or did so before: ``building``."""


def unset(problem: str, rewrite: str, place: str) -> Exception:
    """The refusal of a name or a location that may be unset, or None, in the first iteration of a
    loop alone: where that is known to run, the loop can be traced without it."""
    error = refusal(problem, rewrite, place, kind=ValueError)
    error._ferrograph_unset = True
    return error


def is_unset(error: BaseException) -> bool:
    """Whether an error is one of those."""
    return getattr(error, "_ferrograph_unset", False)


@contextmanager
def first_iteration() -> Iterator[None]:
    """A block traces the first iteration of a loop by itself, in the graph around the loop: where
    a test is known by then, such as ``i == 0``, one branch is traced and the other never runs."""
    before, retraces.is_first = retraces.is_first, True
    try:
        yield
    finally:
        retraces.is_first = before


class Memory:
    """What the traces of a loop, at one location of the loop around it, have found out."""

    def __init__(self) -> None:
        self.places: list[Location] = []
        self.promoted: dict[Name, Any] = {}  # dtypes that Python numbers start with
        self.widened: dict[str, set[Name]] = {what: set() for what in WIDENINGS}
        self.split: set[str] = set()  # places whose objects iterations make several of one
        self.relaxed: dict[int, list | None] = {}  # shapes of variables that change them
        self._inner: dict[Any, Memory] = {}
        self._n_met: dict[Any, int] = {}

    def learn(self, again: RetraceLoop) -> None:
        """Keep what a trace has shown."""
        known = {p.key for p in self.places}
        self.places += [p for p in again.places if p.key not in known]
        self.promoted.update(again.promoted)
        self.split |= again.split
        for what, names in again.widened.items():
            self.widened[what] |= set(names)

    def known_places(self, anchors: Sequence[Any]) -> list[Location]:
        """The locations that it has changed, of objects that ``anchors`` reach this time."""
        owners = [place.owner for place in self.places]
        there = snapshot.reached(list(anchors), owners) if owners else set()
        return [p for p in self.places if id(p.owner) in there or p.is_shared or p.is_module]

    def start(self) -> None:
        """An iteration is traced from its beginning."""
        self._n_met = {}

    def inner(self, key: Any) -> Memory:
        """The memory of an inner loop, each time that an iteration reaches it."""
        n = self._n_met[key] = self._n_met.get(key, 0) + 1
        return self._inner.setdefault((key, n), Memory())


class _Thread(threading.local):
    def __init__(self) -> None:
        self.depth = 0  # how many loops' bodies are traced, one in another
        self.memory: Memory | None = None  # of the loop whose body is traced
        self.said: list | None = None  # what Python has printed in that body
        self.is_first = False  # whether a block of ``first_iteration`` runs


retraces = _Thread()


def memory_of(loop: Any) -> Memory:
    """What is known of a loop that is staged now."""
    around = retraces.memory
    return Memory() if around is None else around.inner((loop.anchors[-1].__code__, loop.line))


def in_loop() -> bool:
    """Whether the body of a staged loop is being traced on this thread."""
    return retraces.memory is not None


def in_nest() -> bool:
    """Whether the body of a loop in another staged loop is being traced."""
    return retraces.depth > 1


@contextmanager
def attempt(memory: Memory) -> Iterator[None]:
    """A block traces an iteration; what it prints is said unless the trace is thrown away."""
    before = retraces.memory, retraces.said
    known = aliasing.known_sets()
    said: list = []
    retraces.memory, retraces.said = memory, said
    memory.start()
    retraces.depth += 1
    try:
        yield
    except (RetraceLoop, LoopShapeError, Undetermined):
        said.clear()
        aliasing.restore_sets(known)
        raise
    finally:
        retraces.memory, retraces.said = before
        retraces.depth -= 1
        for text, file, flush in said:
            _say(text, file, flush)


def printed(*values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False):
    """Python's ``print``: in the body of a staged loop once, however often that is traced.

    What is printed into an object of the function's own is a change of that like any other.
    """
    target = sys.stdout if file is None else file
    if retraces.said is None or not _is_said(target):
        print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    text = io.StringIO()
    print(*values, sep=sep, end=end, file=text)
    _say(text.getvalue(), file, flush)


def _is_said(target: Any) -> bool:
    """Whether what is printed into ``target`` leaves the program: it was there when the trace
    began, or it is a file."""
    known = (target,) if _thread.trace is None else _thread.trace.effects.listeners
    return is_opaque(type(target)) or any(target is listener for listener in known)


def _say(text: str, file: Any, flush: Any) -> None:
    if retraces.said is None:
        print(text, end="", file=file, flush=flush)
    else:
        retraces.said.append((text, file, flush))


_MAX_TRACES = 8  # of a region that makes variables: several constructs in it may do so


def check_lazy_variables(
    made: RegionLog, own: Iterable[Location], so_far: list[tuple[Location, Any]]
) -> None:
    """Have a region that has ended traced again where it made variables, or where it changes what
    the trace changed that made them. ``own`` are locations that the construct puts back; ``so_far``
    is what the region changed, with what was there before.

    ValueError where it makes variables each time.
    """
    known, depth = _thread.trace.effects, len(_thread.logs)
    if known.built is None:
        known.built = {}
    skipped = {place.key for place in own}
    changed = {p.key: (p, old) for p, old in so_far if p.key not in skipped}
    if made.n_variables != variables_made.n:
        n, held = known.built.get(depth, (0, {}))
        for place, old in reversed(changed.values()):
            if has_symbol(place.get()):
                place.put(old)
        if n == _MAX_TRACES:
            raise ValueError(
                f"the Variable at {variables_made.line} is made each time the branch or loop "
                "around it is traced. Create it once, outside the function or behind a guard as "
                "`if self.v is None: self.v = Variable(...)`"
            )
        known.built[depth] = n + 1, {**changed, **held}
        raise RetraceForVariables
    _, held = known.built.pop(depth, (0, {}))
    each_time = [held[key] for key in held if key in changed]
    for place, old in reversed(each_time):
        place.put(old)
    if each_time:
        raise RetraceForVariables
