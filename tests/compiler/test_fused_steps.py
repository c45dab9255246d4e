"""Elementwise steps that a plan runs as one give the bits that they give one by one."""

import random

import ferrograph as fg
import numpy as np
import pytest
from ferrograph import _core

UNARY = [
    fg.negative, fg.abs, fg.sign, fg.square, fg.sqrt, fg.math.rsqrt, fg.math.reciprocal, fg.exp,
    fg.math.expm1, fg.math.log, fg.math.log1p, fg.sin, fg.cos, fg.tan, fg.tanh, fg.sigmoid,
    fg.math.erf, fg.nn.relu, fg.floor, fg.math.ceil, fg.round,
]  # fmt: skip
BINARY = [
    fg.add, fg.subtract, fg.multiply, fg.divide, fg.maximum, fg.minimum,
    fg.math.squared_difference, fg.pow,
]  # fmt: skip
SIZE = 5000  # more than one tile, and no multiple of one


def data(dtype, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(SIZE) * 10.0 ** rng.integers(-3, 3, SIZE)
    values[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5]
    return fg.constant(values.astype(dtype))


def same(a, b):
    return a.numpy().tobytes() == b.numpy().tobytes() or np.array_equal(
        a.numpy(), b.numpy(), equal_nan=True
    )


def checked(function, *args):
    """The traced function against itself eagerly and against its plan of single steps; the text of
    the plan that calls run."""
    eager = fg.nest.flatten(function(*args))
    traced = fg.function(function)
    concrete = traced.get_concrete_function(*args)
    single = _core.run_planned(concrete, list(args))
    for _ in range(3):  # the third run of few elements goes by vector code
        called = fg.nest.flatten(traced(*args))
        for a, b, c in zip(eager, called, single, strict=True):
            assert same(a, b), "eager and traced differ"
            assert same(b, c), "fused and single steps differ"
    return _core.plan_text(concrete, list(args))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.__name__)
def test_each_function_is_fused(op, dtype):
    text = checked(lambda x: op(x) + 1.0, data(dtype, 0))
    assert "of 2 operations" in text, text


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
def test_each_function_of_two_is_fused(op, dtype):
    def f(x, y, one):
        return op(-x, y) + op(x, one) * op(one, y) - op(x, x)

    text = checked(f, data(dtype, 1), data(dtype, 2), fg.constant(0.7, dtype))
    assert "operations" in text, text


def test_what_others_read_is_there():
    def f(x):
        y = x * 2.0
        z = fg.exp(-y)
        return fg.reduce_sum(z), y, z + y, fg.reverse(y, [0])

    assert "operations" in checked(f, data("float32", 3))


def test_branches_and_loops_fuse_their_own_steps():
    def f(x):
        y = x
        for _ in fg.range(3):
            if fg.reduce_max(fg.where(fg.math.is_finite(y), y, 0.0)) > 1.0:
                y = fg.tanh(y * 0.5 + x)
            else:
                y = fg.sin(y) - x
        return y

    assert checked(f, data("float32", 4)).count("operations") >= 2


@pytest.mark.parametrize("activation", [fg.nn.relu, fg.tanh, fg.sigmoid])
def test_gradients_are_fused(activation):
    def f(x, y):
        with fg.GradientTape() as tape:
            tape.watch([x, y])
            z = fg.reduce_sum(activation(x * y + 1.0) * x)
        return tape.gradient(z, [x, y])

    assert "operations" in checked(f, data("float32", 5), data("float32", 6))


def test_variables_are_read_before_they_are_changed():
    v = fg.Variable(fg.ones([SIZE]))

    @fg.function
    def step(x):
        old = v * 2.0 + x
        v.assign(old - 1.0)
        return old + v * 3.0

    assert np.all(step(fg.ones([SIZE])).numpy() == 3.0 + 2.0 * 3.0)
    assert np.all(v.numpy() == 2.0)


def backwards(x):
    return fg.reverse(fg.reshape(x, [-1]), [0])


def running(x):
    return fg.cumsum(fg.reshape(x, [-1]))


def random_graph(seed):
    """A function of three tensors and a scalar: steps over what is there, some of them results."""
    choice = random.Random(seed)
    steps = []
    for n in range(choice.randint(3, 14)):
        op = choice.choice(UNARY + 2 * BINARY + [backwards, running])
        arity = 2 if op in BINARY else 1
        steps.append((op, [choice.randrange(n + 4) for _ in range(arity)], choice.random() < 0.3))

    def f(*values):
        values, results = list(values), []
        for op, places, is_result in steps:
            values.append(op(*[values[p] for p in places]))
            if is_result:
                results.append(values[-1])
        return [*results, values[-1]]

    return f


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed):
    dtype = ["float32", "float64"][seed % 2]
    tensors = [data(dtype, seed + k) for k in range(3)]
    checked(random_graph(seed), fg.constant(1.3, dtype), *tensors)
