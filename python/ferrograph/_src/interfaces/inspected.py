"""What the inspector shows of a function, as a document: crates/ferrograph/src/inspector has its
schema.

Graphs and plans come from the core; here the names of files, the lines of the program, the records
of traces and a profile are added.
"""

from __future__ import annotations

import json
import os
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ..context import sources
from ..function.concrete import ConcreteFunction
from ..function.explain import TraceRecord, records_of
from ..function.explain.profile import profile as Profile
from ..native import _core
from ..values.tensor_spec import TensorSpec

__all__ = ["document"]

# Files up to this many lines are shown as a whole; of others what is near the lines in use.
_WHOLE_FILE = 200
_AROUND = 5
_CELL = re.compile(r"<ipython-input-(\d+)-")
_PLACE = re.compile(r"^(.*?):(\d+)((?::\d+)?)$", re.DOTALL)


def document(function: Any, traces: list[Any], taken: Profile | None) -> dict[str, Any]:
    """The document of a function with these traces, or of the trace alone, and of a profile."""
    is_trace = isinstance(function, ConcreteFunction)
    shown = [json.loads(_core.inspector_trace(t, *_head(t))) for t in traces]
    profile = None if taken is None else _profile(taken)
    places = list(_lines(shown, profile))
    used = [(file, number) for file, number, _ in places]
    if not is_trace:
        used.insert(0, sources.definition(function)[:2])
    for place in places:
        place[0] = _file(place[0])
    records = [] if is_trace else records_of(function)
    return {
        "schema": "ferrograph-inspector/1",
        "title": function._function_name if is_trace else function.name,
        "sources": list(_sources(used)),
        "traces": shown,
        "retraces": [_retrace(record) for record in records],
        "profile": profile,
    }


def _head(trace: ConcreteFunction) -> tuple[str, str]:
    """The name of a trace and what it was traced with."""
    given = (f"{name}: {_short(value)}" for name, _, value in trace._parameters())
    return trace._function_name, ", ".join(given)


def _short(value: Any) -> str:
    if not isinstance(value, TensorSpec):
        return reprlib.repr(value)
    dims = "?" if value.shape.rank is None else ",".join(map(_size, value.shape.as_list()))
    return f"{value.dtype.name}[{dims}]"


def _size(size: int | None) -> str:
    return "?" if size is None else str(size)


# Files and lines.


def _file(name: str) -> str:
    """A file as it is shown: of a notebook's cell the number, else the path from here."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    cells = getattr(getattr(shell, "compile", None), "_filename_map", None) or {}
    if name in cells:
        return f"In [{cells[name]}]"
    if cell := _CELL.match(name):
        return f"In [{cell[1]}]"
    return name.removeprefix(os.path.join(os.getcwd(), ""))


def _lines(traces: list[dict[str, Any]], profile: dict[str, Any] | None) -> Iterator[list[Any]]:
    """Every line in a document, as the list of file, number and function that stands there."""
    for trace in traces:
        for graph in trace["graphs"]:
            yield from (node["line"] for node in graph["nodes"] if node["line"])
        for step in (trace["plan"] or {}).get("steps", ()):
            yield from ([step["line"]] if step["line"] else [])
            members = step["fused"]["members"] if step["fused"] else ()
            yield from (line for _, _, line in members if line)
    if profile is not None:
        yield from (step["line"] for step in profile["steps"] if step["line"])


def _sources(used: Iterable[tuple[str, int]]) -> Iterator[dict[str, Any]]:
    """The lines of the program at and around those in use, by files, the first one first, and
    pieces of them."""
    numbers: dict[str, set[int]] = {}
    for file, number in used:
        numbers.setdefault(file, set()).add(number)
    for file, wanted in numbers.items():
        lines = [line.rstrip("\r\n") for line in sources.lines(file)]
        for first, last in _pieces(sorted(wanted), len(lines)):
            yield {"file": _file(file), "first": first, "lines": lines[first - 1 : last]}


def _pieces(wanted: list[int], n_lines: int) -> Iterator[tuple[int, int]]:
    """The first and last lines of what is shown of a file."""
    if n_lines <= _WHOLE_FILE:
        yield from [(1, n_lines)] if n_lines else []
        return
    first = last = 0
    for number in wanted:
        low, high = max(1, number - _AROUND), min(n_lines, number + _AROUND)
        if first and low > last + 1:
            yield first, last
            first = 0
        first, last = first or low, max(last, high)
    yield first, last


def _retrace(record: TraceRecord) -> dict[str, Any]:
    """A record of a trace."""
    return {
        "function": record.function,
        "definition": _place(record.definition),
        "call_site": _place(record.call_site),
        "kind": record.kind,
        "index": record.index,
        "nearest": record.nearest,
        "causes": [{"text": str(cause), "fix": cause.fix} for cause in record.causes],
        "action": record.action,
        "seconds": record.seconds,
    }


def _place(text: str) -> str:
    """``file:line:column`` with the file as it is shown."""
    found = _PLACE.match(text)
    return text if found is None else f"{_file(found[1])}:{found[2]}{found[3]}"


def _profile(taken: Profile) -> dict[str, Any]:
    """The steps of a profile, and single runs of them as events of a Chrome trace."""
    steps = [
        {
            "operation": step.operation,
            "node": step.node,
            "kind": step.kind,
            "line": None if step.file is None else [step.file, step.line, step.function],
            "count": step.count,
            "total": step.total,
            "own": step.own,
            "bytes": step.bytes,
        }
        for step in taken.steps()
    ]
    events = json.loads(taken.to_chrome_trace())["traceEvents"]
    for event in events:
        if line := event["args"].get("line"):
            place, _, function = line.rpartition(" in ")
            event["args"]["line"] = f"{_place(place)} in {function}"
    return {"steps": steps, "events": events}
