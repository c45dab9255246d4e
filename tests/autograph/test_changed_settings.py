"""Settings of the interpreter and of libraries that a branch or a loop of the graph changes: there
is no tensor that could stand for one, so that the change is refused, and put back it is fine."""

import calendar
import csv
import decimal
import gc
import linecache
import os
import re
import sys
import warnings

import ferrograph as fg
import numpy as np
import pytest

# What changes a setting, what puts it back, and how the refusal calls it.
CHANGES = [
    ("sys", "sys.setrecursionlimit(4321)", "sys.setrecursionlimit(OLD)", "sys.getrecursionlimit()"),
    ("sys", "sys.setswitchinterval(0.25)", "sys.setswitchinterval(OLD)", "sys.getswitchinterval()"),
    ("os", "os.chdir(OTHER)", "os.chdir(OLD)", "os.getcwd()"),
    ("gc", "gc.disable()", "gc.enable()", "gc.isenabled()"),
    ("numpy as np", "np.seterr(over='ignore')", "np.seterr(over=OLD)", "numpy.geterr()"),
    (
        "numpy as np",
        "np.set_printoptions(precision=2)",
        "np.set_printoptions(precision=OLD)",
        "numpy.get_printoptions()",
    ),
    (
        "calendar",
        "calendar.setfirstweekday(3)",
        "calendar.setfirstweekday(OLD)",
        "calendar.firstweekday()",
    ),
    (
        "decimal",
        "decimal.setcontext(decimal.Context(prec=5))",
        "decimal.setcontext(OLD)",
        "decimal.getcontext()",
    ),
    (
        "warnings",
        "warnings.simplefilter('ignore', DeprecationWarning)",
        "warnings.filters[:] = OLD",
        "warnings.filters",
    ),
]
OLD = {
    "sys.getrecursionlimit()": sys.getrecursionlimit,
    "sys.getswitchinterval()": sys.getswitchinterval,
    "os.getcwd()": os.getcwd,
    "gc.isenabled()": gc.isenabled,
    "numpy.geterr()": lambda: np.geterr()["over"],
    "numpy.get_printoptions()": lambda: np.get_printoptions()["precision"],
    "calendar.firstweekday()": calendar.firstweekday,
    "decimal.getcontext()": decimal.getcontext,
    "warnings.filters": lambda: list(warnings.filters),
}
TEXT = """
import {module}

def change():
    {change}

def in_a_branch(x):
    if x > 0:
        {change}
    return x

def behind_a_call(x):
    while x > 0:
        change()
        x = x - 1
    return x

def put_back(x):
    if x > 0:
        {change}
        {back}
        x = x + 1
    return x
"""
ROWS = pytest.mark.parametrize(
    ("module", "change", "back", "label"), CHANGES, ids=[row[3] for row in CHANGES]
)


@pytest.fixture
def program(module, change, back, label, tmp_path):
    """The functions of a program, and what they change as it was when they are done with."""
    names = {"OLD": OLD[label](), "OTHER": str(tmp_path)}
    text, file = TEXT.format(module=module, change=change, back=back), f"<changes {label}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    yield names
    exec(back, names)


@ROWS
@pytest.mark.parametrize("function", ["in_a_branch", "behind_a_call"])
def test_a_change_is_refused(program, function, label):
    with pytest.raises(fg.errors.StagingError, match=re.escape(label)):
        fg.function(program[function])(fg.constant(2))


@ROWS
def test_what_is_put_back_is_no_change(program, label):
    traced = fg.function(program["put_back"])
    assert [int(traced(fg.constant(x))) for x in (2, -2)] == [3, -2]
    assert OLD[label]() == program["OLD"]


def test_a_function_by_its_own_name():
    from sys import getrecursionlimit, setrecursionlimit

    before = getrecursionlimit()

    @fg.function
    def changed(x):
        if x > 0:
            setrecursionlimit(before + 1)
        return x

    with pytest.raises(fg.errors.StagingError, match="recursionlimit"):
        changed(fg.constant(1))
    setrecursionlimit(before)


def test_what_no_function_tells_is_refused_before_it_is_set():
    @fg.function
    def changed(x):
        if x > 0:
            csv.register_dialect("of a test", delimiter=";")
            csv.unregister_dialect("of a test")
        return x

    with pytest.raises(fg.errors.StagingError, match="external effect of `register_dialect`"):
        changed(fg.constant(1))
    assert "of a test" not in csv.list_dialects()


def test_what_was_set_before_the_trace_is_no_change():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        @fg.function
        def warned(x):
            if x > 0:
                warnings.warn("said once, while tracing", stacklevel=1)
            return x

        assert int(warned(fg.constant(-1))) == -1
    assert len(caught) == 1
