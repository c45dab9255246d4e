"""The time to trace a program grows with its length, not with the square of it."""

import gc
import linecache
import sys
import time

import ferrograph as fg
import pytest

pytestmark = pytest.mark.alone

OBJECT = "class Part:\n    def __init__(self):\n        self.value = fg.constant(0.0)\n"


def lines(n):
    return (
        "def f(x):\n" + "".join(f"    x = x * 0.5 + {i}.0\n" for i in range(n)) + "    return x\n"
    )


def names(n):
    body = "".join(f"    x{i + 1} = x{i} * 0.5 + {i}.0\n" for i in range(n))
    return f"def f(x0):\n{body}    return x{n}\n"


def literal(n):
    items = ", ".join(f"x * {i}.0" for i in range(n))
    return f"def f(x):\n    return [{items}][-1]\n"


def operands(n):
    return "def f(x):\n    return " + " and ".join(f"x > -{i}.0" for i in range(1, n)) + "\n"


def terms(n):
    return "def f(x):\n    return " + " + ".join(f"x * {i}.0" for i in range(n)) + "\n"


def branch_per_key(n):
    each = "    if x > {0}.0:\n        d['k{0}'] = x\n    else:\n        d['k{0}'] = -x\n"
    return "def f(x):\n    d = {}\n" + "".join(map(each.format, range(n))) + "    return d['k0']\n"


def objects(n):
    return (
        f"{OBJECT}def f(x):\n    parts = [Part() for _ in range({n})]\n    if x > 0.0:\n"
        "        for part in parts:\n            part.value = part.value + x\n"
        "    return parts[-1].value\n"
    )


def loop_objects(n):
    return (
        f"{OBJECT}def f(x):\n    parts = [Part() for _ in range({n})]\n    while x > 0.0:\n"
        "        for part in parts:\n            part.value = part.value + x\n        x = x - 1.0\n"
        "    return parts[-1].value\n"
    )


def nested_calls(n):
    """Functions that call the one before; every ninth calls none, which bounds the depth."""
    called = ["x" if i % 9 == 0 else f"g{i - 1}(x)" for i in range(n)]
    made = "".join(f"def g{i}(x):\n    return {c} * 0.5\n" for i, c in enumerate(called))
    used = "".join(f"    x = g{i}(x)\n" for i in range(n))
    return f"{made}def f(x):\n{used}    return x\n"


def inner_functions(n):
    each = "    def g{0}(y):\n        return y + {0}.0\n    x = g{0}(x)\n"
    return "def f(x):\n" + "".join(map(each.format, range(n))) + "    return x\n"


def seconds(program, n):
    text, name = program(n), f"<{program.__name__} {n}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"fg": fg}
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)  # Python 3.12 and earlier need it to compile 4,000 terms
    try:
        exec(compile(text, name, "exec"), scope)
    finally:
        sys.setrecursionlimit(limit)
    f = fg.function(scope["f"])
    gc.collect()
    gc.disable()  # whose passes fall where they fall
    try:
        start = time.process_time()
        f.get_concrete_function(fg.constant(1.0))
        return time.process_time() - start
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("program", "n"),
    [
        (lines, 2000),
        (names, 2000),
        (literal, 2000),
        (operands, 500),
        (terms, 1000),
        (branch_per_key, 60),
        (objects, 500),
        (loop_objects, 100),
        (nested_calls, 100),
        (inner_functions, 100),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_four_times_the_program_takes_about_four_times_as_long(program, n):
    seconds(program, 20)  # imports what is needed
    least, most = 1e9, 1e9
    for _ in range(25):  # what else runs makes both larger, never smaller
        least, most = min(least, seconds(program, n)), min(most, seconds(program, 4 * n))
        if most < 4.8 * least:
            return
    pytest.fail(f"{n} take {least:.3f} s, {4 * n} take {most:.3f} s")
