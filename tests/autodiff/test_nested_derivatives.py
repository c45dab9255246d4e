"""Derivatives of derivatives, in every way of nesting: the same eagerly and in functions."""

import itertools

import ferrograph as fg
import numpy as np
import pytest


def straight(x):
    return x * x * x * x


def loop(x):
    _, y = fg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [fg.constant(0), x])
    return y


def statement(x):
    y = x
    for _ in fg.range(3):
        y = y * x
    return y


def branch(x):
    return fg.cond(x > 1.0, lambda: x * x * x * x, lambda: x)


def call(x):
    return fg.function(straight)(x)


def call_of_loop(x):
    return fg.function(statement)(x)


def mapped(x):
    return fg.reduce_sum(fg.map_fn(lambda e: e * x * x * x, fg.stack([x])))


def looked_up(x):
    return fg.gather(fg.stack([x, x]), [1])[0] * x * x * x


BODIES = [straight, loop, statement, branch, call, call_of_loop, mapped, looked_up]


def reverse(f):
    def derivative(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return derivative


def forward(f):
    def derivative(x):
        with fg.autodiff.ForwardAccumulator(x, fg.constant(1.0)) as acc:
            y = f(x)
        return acc.jvp(y)

    return derivative


# The derivatives of the fourth power, at 2.
EXACT = [16.0, 32.0, 48.0, 48.0]
WAYS = [way for n in (1, 2, 3) for way in itertools.product((reverse, forward), repeat=n)]


@pytest.mark.parametrize("body", BODIES, ids=lambda b: b.__name__)
@pytest.mark.parametrize("way", WAYS, ids=lambda w: "-".join(f.__name__ for f in w))
def test_derivatives_nest(way, body):
    f = body
    for step in way:
        f = step(f)
    x = fg.constant(2.0)
    in_function = fg.function(lambda: f(fg.constant(2.0)))
    found = [f(x), fg.function(f)(x), in_function()]
    assert [float(v) for v in found] == [EXACT[len(way)]] * 3


@pytest.mark.parametrize("inner, outer", list(itertools.product((reverse, forward), repeat=2)))
def test_derivatives_in_bodies_of_loops_are_seen_outside(inner, outer):
    def total(x):
        acc, i = fg.constant(0.0), fg.constant(0)
        while i < 3:
            acc = acc + inner(straight)(x)
            i += 1
        return acc

    f = outer(total)
    assert float(f(fg.constant(2.0))) == 3 * 48.0
    assert float(fg.function(lambda: f(fg.constant(2.0)))()) == 3 * 48.0


@pytest.mark.parametrize("pick, expected", [(max, [None, 1.0]), (min, [1.0, None])])
def test_a_variable_as_target_is_what_it_holds(pick, expected):
    v, w = fg.Variable(1.0), fg.Variable(2.0)
    with fg.GradientTape() as tape:
        y = pick([v, w])
    found = tape.gradient(y, [v, w])
    assert [g if g is None else float(g) for g in found] == expected


def test_forward_mode_passes_lookups():
    x, direction = fg.constant([1.0, 2.0]), fg.constant([3.0, 5.0])
    table = fg.Variable([[1.0], [2.0]])
    with fg.autodiff.ForwardAccumulator(x, direction) as acc:
        y, z = fg.gather(x, [1, 0]), fg.gather(x, [1, 1, 0]) ** 2.0
    assert acc.jvp(y).numpy().tolist() == [5.0, 3.0]
    assert acc.jvp(z).numpy().tolist() == [20.0, 20.0, 6.0]
    with fg.autodiff.ForwardAccumulator(table, fg.constant([[3.0], [5.0]])) as acc:
        y = fg.nn.embedding_lookup(table, [1, 0])
    assert acc.jvp(y).numpy().tolist() == [[5.0], [3.0]]


def test_a_custom_gradient_runs_where_a_gradient_flows_and_nowhere_else():
    ran = []

    @fg.custom_gradient
    def double(x):
        def grad_fn(upstream):
            ran.append(1)
            return upstream * 7.0

        return x * 2.0, grad_fn

    def slope(f):
        def run(x):
            with fg.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, x)

        return run

    x = fg.constant(1.0)
    stopped = [
        lambda x: double(fg.stop_gradient(x)) + x,
        lambda x: double(fg.constant(2.0)) + x,
        lambda x: x + double(fg.cast(fg.cast(x, fg.int32), fg.float32)),
    ]
    for f in stopped:
        assert float(slope(f)(x)) == float(fg.function(slope(f))(x)) == 1.0
    assert not ran
    double(x)
    assert not ran
    assert float(slope(double)(x)) == float(fg.function(slope(double))(x)) == 7.0
    assert ran


def test_a_function_s_custom_gradient_is_there_for_tapes_outside():
    @fg.custom_gradient
    def double(x):
        return x * 2.0, lambda upstream: upstream * 7.0

    f, x = fg.function(lambda x: double(x * 1.0)), fg.constant(1.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 7.0


@pytest.mark.parametrize(
    "value, expected",
    [
        (3.0, [[6.0]]),
        ([1.0, 3.0], [[2.0, 0.0], [0.0, 6.0]]),
        (fg.constant([1.0 + 1.0j], fg.complex128), [[2.0, -2.0], [2.0, 2.0]]),
        (fg.zeros([0]), []),
    ],
)
def test_differences_agree_with_gradients(value, expected):
    computed, measured = fg.test.compute_gradient(lambda x: x * x, [value])
    assert computed[0].tolist() == expected
    assert abs(computed[0] - measured[0]).max(initial=0.0) < 1e-3
    assert computed[0].dtype == measured[0].dtype


def test_differences_of_bfloat16_and_between_kinds_of_numbers():
    computed, _ = fg.test.compute_gradient(lambda x: x * x, [fg.constant([1.0, 3.0], fg.bfloat16)])
    assert computed[0].astype(float).tolist() == [[2.0, 0.0], [0.0, 6.0]]
    computed, measured = fg.test.compute_gradient(lambda x: fg.complex(x, 2.0 * x), [[1.0]])
    assert computed[0].tolist() == [[1.0], [2.0]]
    assert abs(computed[0] - measured[0]).max() < 1e-3
    with pytest.raises(TypeError, match="argument 0 is int32"):
        fg.test.compute_gradient(lambda x: x, [fg.constant([1])])
    with pytest.raises(ValueError, match="one tensor"):
        fg.test.compute_gradient(lambda x: (x, x), [1.0])


# Functions whose slope has steps: its derivative is zero, and it is there.
def pooled(rank):
    pool = getattr(fg.nn, f"max_pool{rank}d")
    return lambda x: pool(fg.reshape(x, [1, -1] + [1] * rank), 2, 1, "SAME")


STEPS = {
    "relu": fg.nn.relu,
    "relu6": fg.nn.relu6,
    "leaky_relu": fg.nn.leaky_relu,
    "crelu": fg.nn.crelu,
    "max_pool1d": pooled(1),
    "max_pool2d": pooled(2),
    "max_pool3d": pooled(3),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_derivatives_of_steps_are_zeros(name, traced):
    def second(x):
        return reverse(reverse(STEPS[name]))(x)

    found = (fg.function(second) if traced else second)(fg.constant([-2.0, 0.5, 3.0, 7.0]))
    assert found is not None and found.numpy().tolist() == [0.0] * 4


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("outer", [False, True])
def test_tapes_of_all_kinds_differentiate_a_gradient_through_a_loop(persistent, outer):
    @fg.function
    def slope(n, x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in fg.range(n):
                y = fg.sin(y) * x if i % 2 == 0 else y + x * x
        return tape.gradient(y, x)

    x, n = fg.constant([0.5, -2.0]), fg.constant(4)
    with fg.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        if outer:
            with fg.GradientTape() as inner:
                inner.watch(x)
                found = slope(n, x)
        else:
            found = slope(n, x)
    # Second differences in float64 agree.
    wanted = fg.constant([6.0712857, -19.021088])
    np.testing.assert_allclose(tape.gradient(found, x), wanted, rtol=1e-5)


def test_accumulators_follow_derivatives_asked_for_after_their_blocks():
    def third(p):
        one = fg.ones_like(p)
        along = fg.autodiff.ForwardAccumulator
        with along(p, one) as outer, along(p, one) as middle, along(p, one) as inner:
            y = p**4.0
        first = inner.jvp(y)
        second = middle.jvp(first)
        return first, second, outer.jvp(second)

    for f in (third, fg.function(third)):
        assert [round(float(v), 3) for v in f(fg.constant(2.0))] == [32.0, 48.0, 48.0]
