"""Debuggers and coverage see converted code run the user's lines, and no others."""

import sys
import traceback

import pytest
from ferrograph.autograph import convert


def lines_run(fn, *args):
    """The lines of this file, relative to ``fn``, that a call runs."""
    first = fn.__code__.co_firstlineno
    seen = set()

    def trace(frame, event, arg):
        if frame.f_code.co_filename != __file__:
            return None
        if event == "line":
            seen.add(frame.f_lineno - first)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        fn(*args)
    finally:
        sys.settrace(before)
    return sorted(seen)


def program(n, stop):
    total = 0
    for i in range(n):
        if i == stop:
            total = -total
            break
        if i % 2:
            continue
        total += i
    else:
        total = 100
    while total > 3:
        total -= 1
        if total == stop:
            return total
    return (
        total
        if n > 0 and stop > 0
        else -1
    )  # fmt: skip


@pytest.mark.parametrize("args", [(5, 3), (5, 9), (0, 0), (3, 7)])
def test_the_same_lines_run(args):
    assert lines_run(convert(program), *args) == lines_run(program, *args)


def test_tracebacks_point_into_the_expression():
    def f(items, k):
        out = []
        for item in items:
            if k:
                out.append(item + 1)
            else:
                out.append(
                    item
                    / k
                )  # fmt: skip
        return out

    def place(fn, *args):
        with pytest.raises((TypeError, ZeroDivisionError)) as info:
            fn(*args)
        frames = [x for x in traceback.extract_tb(info.tb) if x.filename == __file__]
        last = frames[-1]
        columns = (last.colno, last.end_colno) if sys.version_info >= (3, 11) else ()
        return last.lineno, last.name, columns

    for args in (([1, "a"], 1), ([1], 0)):
        assert place(convert(f), *args) == place(f, *args)
