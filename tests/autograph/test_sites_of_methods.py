"""Methods that are called again and again take short ways: those of the same object alone."""

import ferrograph as fg
import pytest
from ferrograph._src.autograph.convert import specials


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    """What other programs say of attributes is unknown."""
    monkeypatch.setattr(specials, "_world", specials._World())


def traced(f, *args):
    """What ``f`` gives when a traced function calls it with Python arguments."""
    found = []

    @fg.function
    def run():
        found.append(f(*args))
        return fg.constant(0)

    run()
    return found[0]


class Counter:
    def __init__(self, step=1):
        self.step, self.n = step, 0

    def add(self, by):
        self.n += by * self.step
        return self.n

    def sign(self, v):
        if v > 0:
            return self.step
        return -self.step if v < 0 else 0

    def of(self, other):
        return other.step + self.n

    def both(self, v):
        return self.sign(v) + self.add(v)

    def given(self, v, w=3):
        if w > 2:
            return v
        return w

    def noted(self, v):
        return v


class Doubling(Counter):
    def add(self, by):
        return 2 * super().add(by)


def one_object(n):
    counter, out = Counter(2), []
    for i in range(n):
        out += [counter.add(i), counter.sign(i - 2), counter.both(i), counter.of(counter)]
    return out


def objects_that_take_turns(n):
    counters, out = [Counter(1), Doubling(2), Counter(3)], []
    for i in range(n):
        counter = counters[i % 3]
        out += [counter.add(i), counter.sign(i - 2), counter.of(counters[(i + 1) % 3])]
    return out


def defaults_and_arguments(n):
    counter = Counter()
    return [(counter.given(i), counter.given(i, i)) for i in range(n)]


def a_method_that_is_replaced(n):
    counter, out = Counter(), []
    for i in range(n):
        out.append(counter.noted(i))
        if i == 2:
            counter.noted = lambda v: -v
        if i == 4:
            del counter.noted
    return out


@pytest.mark.parametrize(
    "program",
    [one_object, objects_that_take_turns, defaults_and_arguments, a_method_that_is_replaced],
)
def test_the_results_are_those_of_python(program):
    assert traced(program, 9) == program(9)


def test_a_tensor_among_plain_arguments_is_staged():
    counter = Counter(2)

    @fg.function
    def f(x):
        out = []
        for v in (1, -1, 0, x, 3):
            out.append(counter.sign(v))
        return fg.stack(out)

    assert f(fg.constant(-5)).numpy().tolist() == [2, -2, 0, -2, 2]


def test_what_a_method_reads_guards_the_trace():
    counter, other = Counter(2), Counter(5)
    traces = []

    def summed():
        return [counter.sign(1) + counter.of(other) + other.of(counter) for _ in range(3)][-1]

    @fg.function
    def f():
        traces.append(1)
        total = 0
        for _ in range(3):
            total = summed() + other.sign(1)
        return fg.constant(total)

    def eager():
        return summed() + other.sign(1)

    assert int(f()) == eager()
    other.step = 7
    assert int(f()) == eager()
    counter.n = 4
    assert int(f()) == eager()
    assert int(f()) == eager()
    assert len(traces) == 3


def test_a_method_that_was_short_is_followed_in_a_branch():
    counter = Counter()

    def called(n):
        for i in range(n):
            counter.add(i)

    @fg.function
    def f(x):
        counter.n = 0
        called(4)
        if x > 0:
            called(3)
        return x + counter.n

    assert [int(f(fg.constant(x))) for x in (1, -1)] == [10, 5]


def test_a_name_that_some_text_sets_has_no_short_way():
    assert specials.is_only_called("_add"[1:])
    traced(a_method_that_is_replaced, 3)
    assert not specials.is_only_called("noted")
    assert specials.is_only_called("_both"[1:])
