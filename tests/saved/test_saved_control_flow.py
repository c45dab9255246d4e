"""Branches by number, loops that record and functions that call themselves, in saved models."""

import ferrograph as fg
import numpy as np
import pytest

F32, I32 = fg.float32, fg.int32


def spec(*shape, dtype=F32):
    return fg.TensorSpec(list(shape), dtype)


def saved(tmp_path, **functions):
    """The module that comes back of one with these functions."""
    made = fg.Module()
    for name, function in functions.items():
        setattr(made, name, function)
    fg.saved_model.save(made, tmp_path / "m")
    return fg.saved_model.load(tmp_path / "m")


def same(found, want):
    found, want = fg.nest.flatten(found), fg.nest.flatten(want)
    assert len(found) == len(want)
    for a, b in zip(found, want, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_a_branch_takes_its_own_condition(tmp_path):
    @fg.function(input_signature=[spec(dtype=fg.bool), spec()])
    def f(c, x):
        return fg.cond(c, lambda: fg.cast(c, F32) + x, lambda: fg.where(c, x, -x))

    loaded = saved(tmp_path, f=f)
    for c in (True, False):
        same(loaded.f(c, 2.0), f(c, 2.0))


def test_many_branches_by_number(tmp_path):
    w = fg.Variable(1.0)

    @fg.function(input_signature=[spec(dtype=I32), spec()])
    def f(i, x):
        branches = [lambda k=k: x * float(k) for k in range(20)]
        return fg.switch_case(i, [*branches, lambda: w.assign_add(x)], default=lambda: x - 1.0)

    made = fg.Module()
    made.f, made.w = f, w
    fg.saved_model.save(made, tmp_path / "m")
    loaded = fg.saved_model.load(tmp_path / "m")
    for i in (-3, 0, 1, 7, 19, 20, 21, 100):
        same(loaded.f(i, 3.0), f(i, 3.0))
    assert float(loaded.w) == float(w) == 4.0


@fg.function(input_signature=[spec(dtype=I32), spec(2)])
def slopes(n, x):
    """First and second derivatives through a loop with a branch in it."""
    with fg.GradientTape() as outer:
        outer.watch(x)
        with fg.GradientTape() as inner:
            inner.watch(x)
            y = x
            for i in fg.range(n):
                y = fg.sin(y) * x if i % 2 == 0 else y + x * x
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


def test_loops_that_record_for_their_gradient(tmp_path):
    loaded = saved(tmp_path, slopes=slopes)
    x = fg.constant([0.5, -2.0])
    for n in (0, 1, 5):
        same(loaded.slopes(n, x), slopes(n, x))
    slopes_of_slopes = []
    for function in (loaded.slopes, slopes):
        with fg.GradientTape() as tape:
            tape.watch(x)
            first, _ = function(4, x)
        slopes_of_slopes.append(tape.gradient(first, x))
    np.testing.assert_allclose(*slopes_of_slopes, rtol=1e-6)
    twice = saved(tmp_path / "again", slopes=loaded.slopes)
    same(twice.slopes(5, x), slopes(5, x))


def test_recorded_values_may_have_unknown_shapes_and_ranks(tmp_path):
    @fg.function(input_signature=[spec(dtype=I32), spec(None)])
    def f(n, x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y, rows = x, x
            for _ in fg.range(n):
                fg.autograph.experimental.set_loop_options(
                    shape_invariants=[(rows, fg.TensorShape([None]))]
                )
                rows = fg.concat([rows, y], 0)
                y = y * fg.reduce_mean(rows)
            total = fg.reduce_sum(y)
        return tape.gradient(total, x)

    loaded = saved(tmp_path, f=f)
    for n in (0, 3):
        same(loaded.f(n, [1.0, 2.0, 0.5]), f(n, [1.0, 2.0, 0.5]))


@fg.function(input_signature=[spec(dtype=I32)])
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


@fg.function(input_signature=[spec(dtype=I32), spec(), spec()])
def pair(n, x, y):
    """Two results, so that their order counts."""
    if n <= 0:
        return x, y
    a, b = pair(n - 1, y, x + 1.0)
    return b * 2.0, a


@fg.function(input_signature=[spec(dtype=I32)])
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@fg.function(input_signature=[spec(dtype=I32)])
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def test_functions_that_call_themselves(tmp_path):
    loaded = saved(tmp_path, factorial=factorial, pair=pair)
    for n in (0, 1, 2, 7):
        same(loaded.factorial(n), factorial(n))
        same(loaded.pair(n, 1.0, 5.0), pair(n, 1.0, 5.0))
    twice = saved(tmp_path / "again", pair=loaded.pair)
    same(twice.pair(6, 1.0, 5.0), pair(6, 1.0, 5.0))


def test_functions_that_call_one_another(tmp_path):
    loaded = saved(tmp_path, is_even=is_even, is_odd=is_odd)
    for n in range(6):
        assert bool(loaded.is_even(n)) == (n % 2 == 0) != bool(loaded.is_odd(n))
    del loaded.is_even
    assert bool(loaded.is_odd(5))


def test_a_recursion_that_captured_and_changes_a_variable(tmp_path):
    made = fg.Module()
    made.calls = fg.Variable(0)

    @fg.function(input_signature=[spec(dtype=I32)])
    def f(n):
        made.calls.assign_add(1)
        return made.calls.read_value() if n <= 0 else f(n - 1)

    made.f = f
    fg.saved_model.save(made, tmp_path / "m")
    loaded = fg.saved_model.load(tmp_path / "m")
    assert int(loaded.f(4)) == int(f(4)) == 5
    assert int(loaded.calls) == 5


@fg.function(input_signature=[spec(dtype=I32), spec(2)])
def power(n, x):
    return fg.ones_like(x) if n <= 0 else fg.sin(x) * power(n - 1, x)


@fg.function(input_signature=[spec(dtype=I32), spec(2)])
def power_slope(n, x):
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = power(n, x)
    return tape.gradient(y, x)


def test_gradients_of_recursions(tmp_path):
    loaded = saved(tmp_path, power=power, slope=power_slope)
    x = fg.constant([0.5, 1.5])
    for n in (0, 1, 4):
        same(loaded.slope(n, x), power_slope(n, x))
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = loaded.power(n, x)
        same(tape.gradient(y, x, unconnected_gradients="zero"), power_slope(n, x))


def test_a_recursion_without_an_end_is_an_error(tmp_path):
    @fg.function(input_signature=[spec(dtype=I32)])
    def f(n):
        return n if n == 0 else f(n + 1)

    loaded = saved(tmp_path, f=f)
    with pytest.raises(fg.errors.ResourceExhaustedError, match="limit of recursion"):
        loaded.f(1)


def test_a_critical_section_is_named(tmp_path):
    section, total = fg.CriticalSection(), fg.Variable(0.0)

    @fg.function(input_signature=[spec()])
    def add(x):
        return section.execute(lambda: total.assign_add(x))

    made = fg.Module()
    made.add, made.total = add, total
    with pytest.raises(fg.errors.UnimplementedError, match=r"CriticalSection(.|\n)*in add"):
        fg.saved_model.save(made, tmp_path / "m")
