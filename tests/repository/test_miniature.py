"""``docs/miniature.py`` computes what ferrograph does, and stays small enough to be read."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest

FILE = Path(__file__).parents[2] / "docs" / "miniature.py"


@pytest.fixture(scope="module")
def small():
    spec = importlib.util.spec_from_file_location("miniature", FILE)
    module = sys.modules["miniature"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["miniature"]


# What `emit` is to ferrograph; the tests put the miniature's own in its place.
NAMES = {"sum": fg.reduce_sum, "exp": fg.exp}


def whole(x, y):
    z = x - y
    w = y
    if emit("sum", x) > 1.0:
        z = emit("exp", x * y) * (2.0 * 3.0)
        if emit("sum", y) > 0.5:
            w = y * x - 0.5
    return emit("sum", z * z) + emit("sum", w * x)


def emit(name, *args):
    return NAMES[name](*args)


VALUES = [([1.0, 0.5], [0.1, 0.2]), ([1.0, 0.5], [0.4, 0.3]), ([0.1, 0.2], [3.0, -1.0])]


@pytest.mark.parametrize("values", VALUES)
def test_values_and_gradients_are_those_of_ferrograph(small, monkeypatch, values):
    x, y = (fg.constant(v) for v in values)
    with fg.GradientTape() as tape:
        tape.watch([x, y])
        expected = fg.function(whole)(x, y)
    gradients = tape.gradient(expected, [x, y])
    monkeypatch.setitem(globals(), "emit", small.emit)
    assert np.allclose(small.Function(whole)(*values), expected)
    found = small.Function(whole, is_gradient=True)(*values)
    for one, other in zip(found, gradients, strict=True):
        assert np.allclose(one, other)


def broadcast(x, y):
    return emit("sum", (x + y) * x)


def test_gradients_sum_what_was_broadcast(small, monkeypatch):
    monkeypatch.setitem(globals(), "emit", small.emit)
    x, y = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6]])
    by_x, by_y = small.Function(broadcast, is_gradient=True)(x, y)
    assert by_x.tolist() == (2 * x + y).tolist()
    assert by_y.tolist() == x.sum(0, keepdims=True).tolist()


def folded(x):
    two = emit("exp", 0.0) + 1.0
    dead = x * 3.0  # noqa: F841 - what the pass drops
    return (x + two) * (x + two)


def test_the_pass_folds_joins_and_drops(small, monkeypatch):
    monkeypatch.setitem(globals(), "emit", small.emit)
    graph, plan = small.Function(folded).trace(np.float32([1.0]))
    assert [node.op for node in graph.nodes] == ["input", "constant", "add", "mul"]
    assert [in_place for *_, in_place in plan.steps] == [False, True]


def chain(x):
    y = x * 2.0
    z = y + 1.0
    return z * 3.0 + y


def test_constants_keep_their_slots(small):
    assert small.Function(chain)([1.0]).tolist() == [11.0]
    graph, plan = small.Function(chain).trace(np.float32([1.0]))
    assert plan.n_slots < len(graph.nodes)


def unset(x):
    if emit("sum", x) > 0.0:
        y = x
    return y  # noqa: F821 - what the test asks for


def unlike(x):
    y = x
    if emit("sum", x) > 0.0:
        y = emit("sum", x)
    return y


def test_branches_that_do_not_agree_are_refused(small, monkeypatch):
    monkeypatch.setitem(globals(), "emit", small.emit)
    with pytest.raises(NameError, match="line 2: 'y' is set in one branch only"):
        small.Function(unset)([1.0, 2.0])
    with pytest.raises(TypeError, match="line 3: 'y' has two shapes"):
        small.Function(unlike)([1.0, 2.0])


def test_it_is_traced_once_for_each_signature(small):
    function = small.Function(chain)
    for value in ([1.0], [2.0], [1.0, 2.0], [3.0]):
        function(value)
    assert len(function.traces) == 2


def test_the_file_is_short_and_shows_its_graph():
    assert len(FILE.read_text().splitlines()) <= 400
    shown = subprocess.run(
        [sys.executable, FILE], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert any("cond(" in line for line in shown)
    assert "steps over" in shown[-2]
