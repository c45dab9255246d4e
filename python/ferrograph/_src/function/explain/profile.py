"""The time of calls, per step of the plan, with the lines of the program."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ...native import _core
from ...values.public import public

__all__ = ["ProfiledStep", "profile"]

_HEADS = ("operation", "kind", "line", "count", "total", "own", "mean", "share", "bytes")


@dataclass(frozen=True)
class ProfiledStep:
    """What one step of a plan took in all the calls of a profile; times are seconds.

    ``kind`` says how it ran: ``kernel``, ``fused`` (several operations at once), ``machine code``,
    ``eval``, ``loop`` and others; ``call`` is the call of a whole plan. ``total`` counts the steps
    inside it, ``own`` does not: the own times of all steps add up to the time of the calls.
    """

    operation: str
    node: str | None
    kind: str
    file: str | None
    line: int | None
    function: str | None
    count: int
    total: float
    own: float
    bytes: int

    @property
    def mean(self) -> float:
        """Its time in one run, with the steps inside it."""
        return self.total / self.count

    @property
    def place(self) -> str:
        """The line of the program that it comes from, in words; empty where there is none."""
        return "" if self.file is None else f"{self.file}:{self.line} in {self.function}"


@public("profile")
class profile(_core.ProfileBase):
    """What the steps of functions take, recorded in a ``with`` block.

    Each call of a traced function that begins in the block, on any thread, is recorded step by
    step, with the lines of the program that the steps come from. The profile prints as a table,
    those that took most first; ``steps()`` gives them as records, ``to_chrome_trace()`` puts them
    on a line of time. A fused step, like machine code, is one step; what Python callbacks call is
    theirs. A recorded step takes some 100 ns more than one that is not; outside the block nothing
    does.

    >>> f = fg.function(lambda x: fg.reduce_sum(x @ x))
    >>> x = fg.ones([64, 64])
    >>> with fg.profile() as taken:
    ...     total = f(x)
    >>> sorted(step.operation for step in taken.steps() if step.kind == "kernel")
    ['MatMul', 'Sum']
    """

    def __enter__(self) -> profile:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    def steps(self) -> list[ProfiledStep]:
        """The steps that ran, those that took most by themselves first."""
        steps = [_step(*found) for found in self._data()[0]]
        return sorted(steps, key=lambda step: -step.own)

    def seconds(self) -> float:
        """The time of all calls; those within others count once, those of each thread by itself."""
        return sum(step.own for step in self.steps())

    def __str__(self) -> str:
        steps = self.steps()
        rows = [_HEADS, *_rows(steps)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADS))]
        lines = ("  ".join(_padded(row, widths)).rstrip() for row in rows)
        return "\n".join([_summary(steps), *lines])

    def __repr__(self) -> str:
        return f"<profile of {len(self._data()[0])} steps>"

    def _repr_html_(self) -> str:
        steps = self.steps()
        heads = "".join(f"<th>{head}</th>" for head in _HEADS)
        rows = "".join(f"<tr>{_cells(row)}</tr>" for row in _rows(steps))
        table = f"<table><tr>{heads}</tr>{rows}</table>"
        return f"<div><b>{html.escape(_summary(steps))}</b>{table}</div>"

    def to_chrome_trace(self, path: str | os.PathLike[str] | None = None) -> str:
        """Single runs on a line of time, as JSON that ``chrome://tracing`` and Perfetto load.

        Of each step the first runs are kept, a thousand, and a hundred thousand of all steps.

        Args:
          path: A file to write it to, beside returning it.
        """
        found, runs, threads = self._data()
        steps = [_step(*step) for step in found]
        events = [_thread_name(*thread) for thread in threads]
        events += [_event(steps[run[0]], *run[1:]) for run in runs]
        text = json.dumps({"displayTimeUnit": "ns", "traceEvents": events})
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text


def _step(
    operation: str,
    node: str | None,
    kind: str,
    place: tuple[str, int, str] | None,
    sums: tuple[int, int, int, int],
) -> ProfiledStep:
    file, line, function = place or (None, None, None)
    count, total, own, n_bytes = sums
    return ProfiledStep(
        operation, node, kind, file, line, function, count, total * 1e-9, own * 1e-9, n_bytes
    )


def _summary(steps: list[ProfiledStep]) -> str:
    n_runs = sum(step.count for step in steps if step.kind != "call")
    n_steps = sum(step.kind != "call" for step in steps)
    n_calls = sum(step.count for step in steps if step.kind == "call")
    seconds = sum(step.own for step in steps)
    return f"{_time(seconds)} in {n_calls} calls: {n_steps} steps, run {n_runs} times"


def _rows(steps: list[ProfiledStep]) -> list[tuple[str, ...]]:
    seconds = sum(step.own for step in steps) or 1.0
    return [
        (
            step.operation,
            step.kind,
            step.place,
            str(step.count),
            _time(step.total),
            _time(step.own),
            _time(step.mean),
            f"{100 * step.own / seconds:.1f} %",
            str(step.bytes),
        )
        for step in steps
    ]


def _padded(row: tuple[str, ...], widths: list[int]) -> list[str]:
    """The cells of a row: words to the left, numbers to the right."""
    pairs = list(zip(row, widths, strict=True))
    return [c.ljust(w) for c, w in pairs[:3]] + [c.rjust(w) for c, w in pairs[3:]]


def _cells(row: tuple[str, ...]) -> str:
    return "".join(f"<td>{html.escape(cell)}</td>" for cell in row)


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _event(step: ProfiledStep, thread: int, begin: int, took: int, n_bytes: int) -> dict[str, Any]:
    """A run in the form of the trace events of Chrome, whose times are microseconds."""
    shown = {"node": step.node, "line": step.place, "bytes": n_bytes}
    return {
        "name": step.operation,
        "cat": step.kind,
        "ph": "X",
        "ts": begin / 1e3,
        "dur": took / 1e3,
        "pid": 0,
        "tid": thread,
        "args": {name: value for name, value in shown.items() if value},
    }


def _thread_name(thread: int, name: str) -> dict[str, Any]:
    return {"name": "thread_name", "ph": "M", "pid": 0, "tid": thread, "args": {"name": name}}
