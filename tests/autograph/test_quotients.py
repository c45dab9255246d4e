"""Quotients of Python numbers that the graph chose: where Python fails, the graph does."""

import ferrograph as fg
import pytest


def staged(f):
    return fg.function(f)


def by_branch(t):
    n = 2 if t > 0 else 0
    return 10 / n


def by_float(t):
    x = 2.0 if t > 0 else 0.0
    return 3.0 / x


def rounded_down(t):
    x = 2.0 if t > 0 else 0.0
    return 7.0 // x


def remainder(t):
    x = 2.0 if t > 0 else 0.0
    return 7.0 % x


def assigned(t):
    x, y = 4.0, 2.0
    if t < 0:
        y = 0.0
    x /= y
    return x


def by_counter(t):
    n = 0
    for v in fg.stack([t, t]):
        if v > 0:
            n += 1
    return 1 / n


def of_sums(t):
    total, n = 0.0, 0
    for v in fg.stack([t, t]):
        if v > 0:
            total += 2.0
            n += 1
    return total / n


def in_a_loop(t):
    x = 1.0
    for v in fg.stack([t, t]):
        x = 1.0 / x
        if v < 0:
            x = 0.0
    return x


def made_of_both(t):
    n = 3 if t > 0 else 1
    return 10 / (n - 1)


def to_a_negative_power(t):
    x = 2.0 if t > 0 else 0.0
    return x**-1


def root(t):
    x = 2.0 if t > 0 else -2.0
    return x**0.5


def fractional(t):
    e = 0.5 if t < 0 else 2.0
    return (-3.0) ** e


def of_one_side(t):
    x = 0.0 if t < 0 else t
    return 3.0 / x


def by_a_number_that_iterations_make_a_tensor(t):
    x, y = 2.0, 0.0
    if t < 0:
        x = 0.0
    for v in fg.stack([t, t]):
        y = 3.0 / x
        x = x + v
    return y


def within_a_branch_of_a_loop(t):
    x, y = 2.0 if t > 0 else 0.0, 0.0
    for v in fg.stack([t, t]):
        if v < 5:
            y = 3.0 / x
        x = x + v
    return y


def by_a_tensor_that_iterations_make_a_number(t):
    x, y = t, 0.0
    for v in fg.stack([t, t]):
        y = y + 3.0 / x
        x = 2.0 if v > 0 else 0.0
    return y


def by_a_number_that_no_iteration_makes_a_tensor(t):
    x = 2.0 if t > 0 else 0.0
    for v in fg.range(fg.cast(t + 1.0, fg.int32)):
        x = x + fg.cast(v, fg.float32)
    return 3.0 / x


FAILING = [by_a_number_that_iterations_make_a_tensor, within_a_branch_of_a_loop]
FAILING += [by_a_tensor_that_iterations_make_a_number, by_a_number_that_no_iteration_makes_a_tensor]
FAILING += [by_branch, by_float, rounded_down, remainder, assigned, by_counter, of_sums, in_a_loop]
FAILING += [of_one_side]
FAILING += [made_of_both, to_a_negative_power, root, fractional]


@pytest.mark.parametrize("f", FAILING, ids=lambda f: f.__name__)
def test_where_python_fails_the_graph_does(f):
    good, bad = fg.constant(1.0), fg.constant(-1.0)
    assert float(staged(f)(good)) == pytest.approx(float(f(good)))
    try:
        eager = f(bad)
    except ZeroDivisionError:
        eager = None
    assert eager is None or type(eager) is complex
    with pytest.raises(fg.errors.InvalidArgumentError, match="Python number from a staged branch"):
        staged(f)(bad)


def by_tensors(t):
    x = 2.0 if t > 0 else 0.0
    return fg.constant(3.0) / x


def of_tensors(t):
    total, n = 0.0, 0
    for v in fg.stack([t, t]):
        total = total + v
        if v > 0:
            n += 1
    return total / n


def of_the_other_side(t):
    x = 2.0 if t > 0 else t + 1.0
    return 3.0 / x


def asked_before(t):
    n = 2 if t > 0 else 0
    return 10.0 / n if n != 0 else -1.0


def guarded(t):
    n = 2 if t > 0 else 0
    return n != 0 and 10.0 / n > 1.0


def to_all_powers(t):
    x = 2.0 if t > 0 else 0.5
    return x ** float("inf") + 10**20 / x + True / x


def in_a_condition(t):
    n = 4 if t > 0 else 2
    while 8 / n > 1.0:
        n = n * 2
    return n


def by_a_tensor_of_later_iterations(t):
    x, y = 1.0, 0.0
    for v in fg.stack([t, t, t]):
        y = 3.0 / x
        x = x * v * 0.0
    return y


def by_a_tensor_of_the_first_iteration(t):
    x, y = t * 0.0, 0.0
    for _ in fg.range(2):
        y = y + 3.0 / x
        x = 2.0
    return y


def by_what_an_iteration_made_a_tensor(t):
    x = 0.0
    for v in fg.range(fg.cast(t * t, fg.int32)):
        x = x + fg.cast(v, fg.float32)
    return 3.0 / x


def squares(t):
    x = 2.0 if t > 0 else -2.0
    return x**2 + 2.0 ** (x * 0.5)


@pytest.mark.parametrize(
    "f",
    [
        by_a_tensor_of_later_iterations,
        by_a_tensor_of_the_first_iteration,
        by_what_an_iteration_made_a_tensor,
        by_tensors,
        of_tensors,
        of_the_other_side,
        asked_before,
        guarded,
        squares,
        to_all_powers,
        in_a_condition,
    ],
)
def test_what_does_not_fail_is_the_same(f):
    for t in (fg.constant(1.0), fg.constant(-1.0)):
        assert float(staged(f)(t)) == pytest.approx(float(f(t)), nan_ok=True)


def test_the_line_is_said():
    with pytest.raises(fg.errors.InvalidArgumentError) as info:
        staged(by_float)(fg.constant(-1.0))
    assert "return 3.0 / x" in str(info.value)
    assert "ZeroDivisionError" in str(info.value)


def test_gradients_pass_the_check():
    @fg.function
    def f(t):
        x = 2.0 if t > 0 else 4.0
        y = 8.0 / x
        return t * y

    t = fg.constant(1.0)
    with fg.GradientTape() as tape:
        tape.watch(t)
        y = f(t)
    assert float(tape.gradient(y, t)) == 4.0
