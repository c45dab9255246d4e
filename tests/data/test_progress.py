"""What a person sees who waits for a dataset at a terminal."""

import io
import sys
import time
import types

import ferrograph as fg
import pytest
from ferrograph._src.data import progress

D = fg.data.Dataset


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    made = Terminal()
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=made))
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setattr(progress, "PAUSE", 0.01)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    return made


def slow(n):
    def nap(x):
        time.sleep(0.01)
        return x

    def one(x):
        return fg.ensure_shape(fg.py_function(nap, [x], fg.int64), [])

    return D.range(n).map(one)


def add(total, x):
    return total + x


def zero():
    return fg.constant(0, fg.int64)


def test_a_line_tells_how_many_elements_there_were(terminal, tmp_path):
    assert int(slow(30).reduce(zero(), add)) == 435
    text = terminal.getvalue()
    assert "\rreduce: " in text and " of 30 elements, 0 s" in text
    assert text.endswith("\r")
    slow(30).save(str(tmp_path / "a"))
    assert "\rsave: " in terminal.getvalue()
    assert len(list(D.load(str(tmp_path / "a")))) == 30


def test_without_a_known_number_of_them(terminal):
    assert int(slow(30).filter(lambda x: x < 20).reduce(zero(), add)) == 190
    assert " of " not in terminal.getvalue() and " elements, 0 s" in terminal.getvalue()


def test_tuples_mappings_and_gradients_are_as_ever(terminal):
    w = fg.Variable(2.0)
    pairs = D.from_tensor_slices(({"a": [1.0, 2.0]}, [3.0, 4.0]))
    with fg.GradientTape() as tape:
        total = pairs.reduce(0.0, lambda s, x: s + w * x[0]["a"] * x[1])
    assert (float(total), float(tape.gradient(total, w))) == (22.0, 11.0)


def test_quick_work_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 60)
    assert int(slow(3).reduce(zero(), add)) == 3
    assert terminal.getvalue() == ""


def test_a_failure_takes_the_line_away(terminal):
    dataset = slow(30).map(lambda x: 1 // (x - 20))
    with pytest.raises(fg.errors.InvalidArgumentError):
        dataset.reduce(zero(), add)
    assert terminal.getvalue().endswith("\r")


def test_it_can_be_switched_off(terminal):
    fg.config.set_progress_bars(False)
    try:
        slow(30).reduce(zero(), add)
    finally:
        fg.config.set_progress_bars(True)
    assert terminal.getvalue() == ""


def test_elsewhere_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    stderr = io.StringIO()
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=stderr))
    slow(10).reduce(zero(), add)
    assert stderr.getvalue() == ""


def test_tqdm_shows_it_where_it_is_installed(terminal, monkeypatch):
    seen = []

    class Bar:
        def __init__(self, desc, total, file, leave):
            seen.append((desc, total, file, leave))
            self.n = 0

        def update(self, n):
            self.n += n

        def close(self):
            seen.append(self.n)

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    slow(30).reduce(zero(), add)
    assert seen == [("reduce", 30, terminal, False), 30]
