"""Statements of hundreds of terms are converted, or refused with their line.

The right value is what plain Python gives for the same function called eagerly.
"""

import ast
import importlib
import linecache
import sys
import warnings

import ferrograph as fg
import pytest

N = 600
HEAD = "def f(x):\n    if x > 0:\n        x = x * 2\n"
TEXTS = {
    "sum": HEAD + "    return " + " + ".join(["x"] * N) + "\n",
    "products": HEAD + "    return " + " + ".join(f"x * {i % 3}" for i in range(N)) + "\n",
    "in a branch": "def f(x):\n    if x > 0:\n        y = " + " - ".join(["x"] * N)
    + "\n    else:\n        y = x\n    return y\n",
    "calls": "def g(v):\n    return v\n" + HEAD + "    return "
    + " + ".join("g(x)" for _ in range(N)) + "\n",
    "methods": "class C:\n    def __init__(self, v):\n        self.v = v\n    def a(self):\n"
    "        return C(self.v + 1)\n" + HEAD + "    return C(x)" + ".a()" * N + ".v\n",
    "and": "def f(x):\n    return x if " + " and ".join(f"x < {i + 5}" for i in range(N))
    + " else -x\n",
    "or": "def f(x):\n    return x if " + " or ".join(f"x == {i}" for i in range(N)) + " else -x\n",
    "not": HEAD + "    return fg.cast(" + "not " * N + "(x > 1), fg.int32)\n",
    "a list": HEAD + "    return fg.add_n([" + ", ".join("x" for _ in range(N)) + "])\n",
    "a text": HEAD + "    return x + len(" + " + ".join("'a'" for _ in range(N)) + ")\n",
    "elif": HEAD + "    n = 7\n    if n == 0:\n        y = 0\n"
    + "".join(f"    elif n == {i}:\n        y = {i}\n" for i in range(1, N))
    + "    else:\n        y = -1\n    return x + y\n",
}  # fmt: skip


def made(name, text):
    file = f"/of a test/{name}.py"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names = {"fg": fg}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def is_compiled(levels):
    """Whether Python compiles a tree of so many levels; Python 3.12.1 does to 1500."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20 * levels)
    try:
        compile(ast.parse("not " * levels + "x", mode="eval"), "levels", "eval")
    except RecursionError:
        return False
    finally:
        sys.setrecursionlimit(before)
    return True


def is_refused(f):
    """Whether a statement is refused for how deep it nests."""
    try:
        fg.function(f)(fg.constant(1))
    except fg.errors.StagingError as error:
        assert "nests more expressions" in str(error)
        return True
    return False


@pytest.mark.parametrize("name", TEXTS)
def test_a_long_statement_is_converted(name):
    f = made(name, TEXTS[name])
    if not is_compiled(5 * N) and is_refused(f):
        return
    limit = sys.getrecursionlimit()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced = fg.function(f)
        for start in (1, 3, -2):
            assert int(traced(fg.constant(start))) == int(f(fg.constant(start)))
        assert "def f(x)" in fg.autograph.to_code(f)
    assert sys.getrecursionlimit() == limit


def test_gradients_and_texts_of_a_long_statement():
    n = N if is_compiled(5 * N) else N // 4
    terms = " + ".join(f"fg.sin(x) ** 2 * {i}.5" for i in range(n))
    f = made("gradients", f"def f(x):\n    if x > 0:\n        x = x * 2.0\n    return {terms}\n")
    traced, x, slopes = fg.function(f), fg.constant(0.3), []
    for function in (f, traced):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        slopes.append(float(tape.gradient(y, x)))
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-4)
    graph = traced.get_concrete_function(x).graph
    assert len(graph.as_graph_def().node) > n
    assert len(str(graph)) > n


def test_what_needs_more_room_is_refused_with_its_line(monkeypatch):
    stack_depth = importlib.import_module("ferrograph._src.autograph.convert.stack_depth")
    monkeypatch.setattr(stack_depth, "_DEEPEST", 1)
    f = made("refused", TEXTS["sum"].replace("return", "y = 1\n    return"))
    with pytest.raises(fg.errors.StagingError, match="nests more expressions") as info:
        fg.function(f)(fg.constant(1))
    assert "refused.py:5:5" in str(info.value)
