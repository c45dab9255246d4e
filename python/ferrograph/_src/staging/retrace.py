"""Regions that are left before their end: retraced, with what earlier traces have found out, or by
exceptions, which handlers may catch or not.

The first trace of the body of a loop may show that the loop carries more variables, or variables of
other dtypes or shapes; then the body is traced again. In a nest, an inner loop starts with what
earlier traces of it have found out. What Python prints in a body is printed when the trace of the
outermost loop is final.

A region that makes variables, as layers do at their first call, is traced again, too: a change that
the second trace makes as well happens each time, such as a count of calls; a change that only the
first one made stays as Python left it.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence

from ..context import tracebacks
from ..context.thread import Undetermined, variables_made
from ..heap import aliasing, snapshot
from ..heap.adapters.registry import is_opaque
from ..heap.location import Location
from ..heap.source_location import (
    LoopShapeError,
    SourceLocation,
    diagnostic,
    here,
    is_diagnostic,
    refusal,
    said_by,
)
from ..heap.trace_context import RegionLog
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..symbolic import python_scalars, values
from ..symbolic.abstract_value import WIDENINGS
from ..values import errors

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


@contextlib.contextmanager
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


@contextlib.contextmanager
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


def printed(*said: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False):
    """Python's ``print``: in the body of a staged loop once, however often that is traced.

    What is printed into an object of the function's own is a change of that like any other.
    """
    target = sys.stdout if file is None else file
    if retraces.said is None or not _is_said(target):
        print(*said, sep=sep, end=end, file=file, flush=flush)
        return
    text = io.StringIO()
    print(*said, sep=sep, end=end, file=text)
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
    skipped = {place.key for place in own}
    changed = {p.key: (p, old) for p, old in so_far if p.key not in skipped}
    if made.n_variables != variables_made.n:
        n, held = known.built.get(depth, (0, {}))
        for place, old in reversed(changed.values()):
            if values.has_symbol(place.get()):
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


# Exceptions that leave regions.


def mark_left(exception: BaseException) -> None:
    """Mark an exception that leaves a staged branch or loop, and add a note to a builtin one. One
    that ends an iteration in Python is refused."""
    if isinstance(exception, (StopIteration, StopAsyncIteration)):
        raise refusal(
            "an iterator ends in a staged branch or loop (`StopIteration`), which happens "
            "while tracing, whatever the graph decides, also where plain Python would not come to "
            "that line",
            "Take the elements before the branch or loop, or give `next` a default.",
        ) from exception
    is_pythons = type(exception).__module__ == "builtins" and not is_diagnostic(exception)
    if is_pythons and not left_region(exception):
        tracebacks.add_note(exception, _note_of_region(exception))
    with contextlib.suppress(AttributeError):  # not every class takes attributes
        exception._ferrograph_left_region = True
        exception._ferrograph_said = None


def _note_of_region(exception: BaseException) -> str:
    """What to say of an error that a branch or loop raises while it is traced. A name that is not
    there and an operation that does not fit are mistakes wherever they are."""
    if type(exception) is NameError or any("[Op:" in said for said in said_by(exception)):
        return f"raised while the branch or loop at {here()} was traced, which may never run"
    return diagnostic(
        here(),
        "raised while a staged branch or loop was traced, which happens whatever the graph "
        "decides, also where plain Python would not come to that line",
        "Test with a Python value whether it may run, or let it work for all that the graph may "
        "decide.",
    )


def left_region(exception: BaseException | None) -> bool:
    """Whether an exception comes out of a staged branch or loop, whose code may never run."""
    return getattr(exception, "_ferrograph_left_region", False)


def may_handle(kinds: Any, exception: BaseException | None) -> bool:
    """Whether an ``except`` clause for some classes may catch an exception in a trace: nothing that
    left a staged branch or loop, and no refusal, which plain Python has not, unless the clause
    names that."""
    if left_region(exception):
        return False
    if _thread.trace is None or not _is_refusal(exception):
        return True
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(isinstance(k, type) and issubclass(k, _REFUSALS) for k in named)


def _is_refusal(exception: BaseException | None) -> bool:
    if isinstance(exception, _REFUSALS) or _unset_name(exception):
        return True
    if isinstance(exception, AttributeError):
        return _is_of_eager_tensors(exception)
    if type(exception) not in (TypeError, ValueError, NotImplementedError):
        return False
    is_said = is_diagnostic(exception) or _names_symbolic(exception)
    return is_said or python_scalars.operator_of(exception) is not None


def _unset_name(exception: BaseException | None) -> str:
    """The name that is not set while tracing, of which only the graph knows whether a branch or a
    loop sets it; "" where an exception is about something else."""
    if not isinstance(exception, NameError):
        return ""
    import re

    found = re.search("'(.+?)'", str(exception))
    name: str = getattr(exception, "name", None) or (found[1] if found else "")
    return name if name in _thread.trace.effects.unset else ""


def explain_unset(exception: Exception) -> None:
    """Say in an error about such a name why it is not set."""
    name = _unset_name(exception)
    if name and not is_diagnostic(exception):
        met = python_scalars.met_in(exception)
        spot = SourceLocation(met.tb_frame.f_code.co_filename, met.tb_lineno) if met else ""
        tracebacks.add_note(
            exception,
            diagnostic(
                spot,
                f"a staged branch or loop may set {name!r}, and a function reads it after "
                "that: while tracing it is not set, whatever the graph decides",
                f"Set {name!r} before the branch or loop.",
            ),
        )


def _names_symbolic(exception: BaseException) -> bool:
    """Whether the message of an error names a symbolic tensor."""
    said = said_by(exception)
    return any("SymbolicTensor" in text or "symbolic tensor" in text for text in said)


def _is_of_eager_tensors(exception: AttributeError) -> bool:
    """Whether a symbolic tensor has been asked for what plain Python has in its place."""
    tensor = getattr(exception, "obj", None)
    if not values.is_symbolic(tensor):
        return False
    name = getattr(exception, "name", None) or ""
    is_chosen = python_scalars.is_symbolic_number(tensor) or python_scalars.is_symbolic_string(
        tensor
    )
    return is_chosen or hasattr(_core.EagerTensor, name)


_REFUSALS = (
    errors.StagingError,
    errors.OperatorNotAllowedInGraphError,
    errors.InaccessibleTensorError,
)
