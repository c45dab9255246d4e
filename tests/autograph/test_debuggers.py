"""Debuggers, coverage and profilers see decorated functions as the user wrote them."""

# ruff: noqa: RET505, SIM108 - the functions under test return as users' functions do

import bdb
import cProfile
import inspect
import linecache
import pstats
import sys
import trace

import coverage
import ferrograph as fg
import pytest


def helper(value):
    if value > 2:
        return value - 1
    return value


def program(x, n):
    total = x * 0
    for i in fg.range(n):
        if i % 2 == 0:
            total = total + i
        else:
            total = total - 1
    for k in range(2):
        total = total + helper(k)
    while total > 10:
        total = total - helper(x)
    try:
        total = total + {"a": 1}["b"]
    except KeyError:
        total = total + 5
    return total


FIRST = inspect.getsourcelines(program)[1]
LAST = FIRST + len(inspect.getsourcelines(program)[0]) - 1


def line_of(text):
    lines = inspect.getsourcelines(program)[0]
    return FIRST + next(i for i, line in enumerate(lines) if text in line)


def call():
    return fg.function(program)(fg.constant(3), fg.constant(5))


class Debugger(bdb.Bdb):
    """Goes on at each stop, and notes where it was and what it could read there."""

    def __init__(self):
        super().__init__()
        self.stops = []

    def user_line(self, frame):
        if self.break_here(frame):
            names = {**frame.f_locals}
            self.stops.append((frame.f_lineno, frame.f_code.co_name, "total" in names))
        self.set_continue()


@pytest.mark.parametrize(
    "text",
    ["total = x * 0", "total = total + i", "total = total - 1", "+ helper(k)", "total + 5"],
)
def test_a_breakpoint_stops_in_a_decorated_function(text):
    bdb.Breakpoint.clearBreakpoints()
    debugger = Debugger()
    assert debugger.set_break(__file__, line_of(text)) is None
    debugger.runcall(call)
    assert debugger.stops
    assert {(line, name) for line, name, _ in debugger.stops} == {(line_of(text), "program")}
    if text != "total = x * 0":
        assert all(readable for _, _, readable in debugger.stops)


def own_lines(code):
    """The lines of a code object and of those in it that have instructions."""
    found = {line for _, _, line in code.co_lines() if line}
    for constant in code.co_consts:
        if inspect.iscode(constant):
            found |= own_lines(constant)
    return found


def test_line_tracing_reports_the_lines():
    seen = set()

    def watch(frame, event, _):
        if frame.f_code.co_filename != __file__:
            return None
        if event == "line" and frame.f_code.co_name in ("program", "helper"):
            seen.add(frame.f_lineno)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        call()
    finally:
        sys.settrace(before)
    expected = own_lines(program.__code__) - {FIRST}
    assert {line for line in seen if FIRST <= line <= LAST} == expected


def test_the_trace_module_counts_them():
    tracer = trace.Trace(count=1, trace=0)
    tracer.runfunc(call)
    counted = {line for (name, line) in tracer.results().counts if name == __file__}
    assert own_lines(program.__code__) - {FIRST} <= counted


def test_the_coverage_package_reports_them(tmp_path):
    measured = coverage.Coverage(data_file=str(tmp_path / "data"), include=[__file__])
    measured.start()
    try:
        call()
    finally:
        measured.stop()
    lines = set(measured.get_data().lines(__file__))
    assert own_lines(program.__code__) - {FIRST} <= lines


def test_profilers_name_the_functions():
    profile = cProfile.Profile()
    profile.runcall(call)
    names = {(file, name) for file, _, name in pstats.Stats(profile).stats if file == __file__}
    assert {(__file__, "program"), (__file__, "helper")} <= names
    assert not any(name.startswith("ag__") for _, name in names)


def executed(text, filename="<cell 1>", known=True):
    namespace = {"fg": fg}
    if known:
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    return namespace


def test_source_of_cells_and_of_exec():
    text = "@fg.function\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"
    f = executed(text)["f"]
    assert [int(f(fg.constant(v))) for v in (3, -3)] == [3, 3]


def test_lambdas_of_one_line_in_a_cell():
    lambdas = "lambda x: 1 if x > 0 else 2, lambda x: x if x > 0 else 0"
    text = f"f, g = [fg.function(h) for h in ({lambdas})]\n"
    cell = executed(text, "<cell 2>")
    assert [int(cell[k](fg.constant(v))) for k in "fg" for v in (3, -3)] == [1, 2, 3, 0]


def test_missing_source_is_named_where_it_matters():
    cell = executed("def f(x):\n    return x * 2\n", "<gone 1>", known=False)
    assert int(fg.function(cell["f"])(fg.constant(2))) == 4
    cell = executed("def f(x):\n    return x if x > 0 else -x\n", "<gone 2>", known=False)
    with pytest.raises(
        fg.errors.OperatorNotAllowedInGraphError, match="source of f is not availab"
    ):
        fg.function(cell["f"])(fg.constant(2))


def asks_of_each(x, y):
    return 1 if any(v > 2 for v in [x, y]) else 0


@pytest.mark.parametrize("steps", [False, True])
def test_a_debugger_holds_no_iterators(steps):
    """Before Python 3.11 a trace function refers to what the names of functions hold."""

    def trace(*_):
        return trace if steps else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found = fg.function(asks_of_each)(fg.constant(3), fg.constant(1))
    finally:
        sys.settrace(before)
    assert int(found) == 1
