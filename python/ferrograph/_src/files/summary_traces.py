"""Traces in summaries: the graphs of the functions that ran, and the times of their steps."""

from __future__ import annotations

import gzip
import os
import socket
import time
import warnings
from typing import Any

from ..context import thread
from ..function import concrete
from ..function.explain.profile import profile
from ..native import FG, _core
from ..values import errors, wire
from ..values.dtypes import string
from ..values.public import public
from .summary_state import summary_scope, write

__all__ = ["trace_export", "trace_off", "trace_on"]

# Fields of messages: of the nodes of a graph, of a run's record, of what is kept of a function.
_NODE, _NAME, _OP, _INPUT = 1, 1, 2, 3
_FUNCTION_GRAPHS, _BEFORE_PASSES = 4, 2
_PLUGIN, _PLUGIN_NAME, _PLUGIN_CONTENT = 1, 1, 2


class _Trace:
    """What is recorded from ``trace_on`` to ``trace_export``."""

    def __init__(self, graph: bool, profiler: bool, folder: Any):
        self.graph, self.profiler, self.folder = graph, profiler, folder
        self._made: list[Any] = []  # functions traced meanwhile, which may be gone at the end
        self._taken = profile()

    def begin(self) -> None:
        concrete.keepers.append(self._made)
        self._taken.__enter__()

    def end(self) -> None:
        """Record no more. Idempotent."""
        if any(kept is self._made for kept in concrete.keepers):
            concrete.keepers[:] = [k for k in concrete.keepers if k is not self._made]
            self._taken.__exit__(None, None, None)

    def functions(self) -> list[Any]:
        """The functions that were called, in the order of their first calls; not those that others
        called."""
        steps, runs, _ = self._taken._data()
        spans = [(t, start, start + took, step) for step, t, start, took, _ in runs]
        calls = sorted(span for span in spans if steps[span[3]][2] == "call")
        ends: dict[int, int] = {}
        first: dict[str, int] = {}
        for on, start, end, step in calls:
            if start >= ends.get(on, -1):
                ends[on] = end
                name = steps[step][0]
                first[name] = min(start, first.get(name, start))
        names = sorted(first, key=lambda name: first[name])
        found = [concrete.by_name(name) for name in names]
        return [function for function in found if function is not None]

    def write_profile(self, folder: Any) -> None:
        """Leave the line of time where TensorBoard looks for profiles."""
        run = time.strftime("%Y_%m_%d_%H_%M_%S")
        place = os.path.join(os.fspath(folder), "plugins", "profile", run)
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, f"{socket.gethostname()}.trace.json.gz")
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.write(self._taken.to_chrome_trace())


_current: list[_Trace] = []


def _is_refused(what: str) -> bool:
    """Whether a function is being traced, where traces are neither begun nor ended; says so."""
    if not thread.inside_function():
        return False
    warnings.warn(f"Cannot {what} trace inside a {FG}.function.", stacklevel=3)
    return True


@public("summary.trace_on")
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Begins to record which functions run; ``trace_export`` writes what was recorded.

    Every traced function that is called from now on, on any thread, is recorded with its graph. A
    warning where a trace is active already, and while a function is traced; neither begins one.

    >>> import tempfile
    >>> f = fg.function(lambda x: 2.0 * x)
    >>> with fg.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     fg.summary.trace_on()
    ...     y = f(fg.constant(1.0))
    ...     fg.summary.trace_export("call", step=0)

    Args:
      graph: whether the graphs are written.
      profiler: whether the times of the steps are written, too.
      profiler_outdir: the folder that they are written to.
    """
    if _is_refused("enable"):
        return
    if _current:
        warnings.warn("Trace already enabled", stacklevel=2)
        return
    if profiler and profiler_outdir is None:
        warnings.warn(
            "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.", stacklevel=2
        )
        profiler = False
    begun = _Trace(graph, profiler, profiler_outdir)
    begun.begin()
    _current.append(begun)


@public("summary.trace_off")
def trace_off() -> None:
    """Ends a trace without writing it; of no effect where there is none.

    >>> fg.summary.trace_on()
    >>> fg.summary.trace_off()
    """
    if not _is_refused("stop") and _current:
        _current.pop().end()


@public("summary.trace_export")
def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Ends a trace and writes what it recorded under a name, which TensorBoard's graphs show.

    Args:
      name: the tag of the summary.
      step: the step; the default step where None.
      profiler_outdir: the folder of the times of the steps; that of ``trace_on`` where None.

    Raises:
      ValueError: without ``trace_on``, or without a step.

    >>> fg.summary.trace_export("nothing", step=0)
    Traceback (most recent call last):
        ...
    ValueError: Must enable trace before export through fg.summary.trace_on.
    """
    if _is_refused("export"):
        return
    if not _current:
        raise ValueError(f"Must enable trace before export through {FG}.summary.trace_on.")
    trace = _current[-1]
    whole = trace.graph and not trace.profiler
    plugin = "graph_run_metadata_graph" if whole else "graph_run_metadata"
    own = wire.part(_PLUGIN_NAME, plugin.encode()) + wire.part(_PLUGIN_CONTENT, b"1")

    def record() -> Any:
        return _core.convert_to_tensor(_run_metadata(trace), string)

    with summary_scope(name, f"{plugin}_summary") as (tag, _):
        write(tag, record, step, wire.part(_PLUGIN, own))
    trace_off()
    folder = trace.folder if profiler_outdir is None else profiler_outdir
    if trace.profiler:
        trace.write_profile(folder)


def _run_metadata(trace: _Trace) -> bytes:
    """The record of a run, with the graphs of its functions."""
    if not trace.graph:
        return b""
    graphs = (_graph_def(function) for function in trace.functions())
    return b"".join(wire.part(_FUNCTION_GRAPHS, wire.part(_BEFORE_PASSES, g)) for g in graphs)


def _graph_def(function: Any) -> bytes:
    """The graph of a function as a message; names and inputs alone where an operation has no public
    form, as calls of Python functions."""
    message = function.graph.as_graph_def()
    try:
        return message.SerializeToString()
    except errors.UnimplementedError:
        return b"".join(wire.part(_NODE, _node(node)) for node in message.node)


def _node(node: Any) -> bytes:
    inputs = b"".join(wire.part(_INPUT, name.encode()) for name in node.input)
    return wire.part(_NAME, node.name.encode()) + wire.part(_OP, node.op.encode()) + inputs
