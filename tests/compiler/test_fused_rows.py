"""Steps of several shapes and types that run as one give the bits that they give one by one."""

import random

import ferrograph as fg
import numpy as np
import pytest
from test_fused_steps import checked

ROWS, WIDTH = 70, 90  # no multiples of a tile


def data(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return fg.constant(rng.random(shape) < 0.5)
    if dtype.startswith(("int", "uint")):
        return fg.constant(rng.integers(0, 100, shape).astype(dtype))
    values = rng.standard_normal(shape) * 3.0
    return fg.constant(values.astype(dtype))


def fuses(text, n):
    assert f"of {n} operations" in text, text


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64", "uint8"])
def test_comparisons_choices_and_casts(dtype):
    def f(x, y):
        small = fg.logical_and(x < y, fg.not_equal(x, y))
        z = fg.where(small, x + y, x * y)
        return fg.cast(z, fg.float32) * 0.5, fg.logical_not(small)

    n = 8 if dtype == "float32" else 9
    fuses(checked(f, data([6000], dtype, 0), data([6000], dtype, 1)), n)


def test_sums_of_many():
    def f(x, y, z):
        return fg.tanh(fg.add_n([x, y * 2.0, z, x]))

    fuses(checked(f, *[data([ROWS, WIDTH], "float32", k) for k in range(3)]), 3)


@pytest.mark.parametrize("shape", [[WIDTH], [1, WIDTH], [ROWS, 1], [1, 1], [], [1]])
def test_operands_that_repeat(shape):
    def f(x, b):
        return fg.nn.relu(x * 2.0 + b) - b

    fuses(checked(f, data([ROWS, WIDTH], "float32", 0), data(shape, "float32", 1)), 4)


@pytest.mark.parametrize("shape", [[5, 1, 40], [30, 40], [5, 30, 1], [40], [30, 1], [1, 30, 1]])
def test_operands_that_repeat_over_three_axes(shape):
    def f(x, b):
        return fg.nn.relu(x * b) + 1.0

    checked(f, data([5, 30, 40], "float32", 0), data(shape, "float32", 1))


REDUCTIONS = [fg.reduce_sum, fg.reduce_mean, fg.reduce_max, fg.reduce_min, fg.reduce_prod]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, [1, 2], [0, 2], [0, 1], None])
@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda op: op.__name__)
def test_reductions_of_what_was_just_computed(op, axis, keepdims):
    def f(x):
        return op(fg.tanh(x) * 1.01, axis, keepdims) * 2.0

    checked(f, data([13, 30, 40], "float32", 0))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [3, 7, 90, 2500])
def test_rows_of_every_width(width, dtype):
    def f(x):
        mean = fg.reduce_mean(x, -1, keepdims=True)
        variance = fg.reduce_mean(fg.math.squared_difference(x, mean), -1, keepdims=True)
        return (x - mean) * fg.math.rsqrt(variance + 1e-5)

    fuses(checked(f, data([9000 // width + 3, width], dtype, 0)), 7)


def test_softmax_and_its_logarithm_written_out():
    def f(x):
        shifted = x - fg.reduce_max(x, -1, keepdims=True)
        powers = fg.exp(shifted)
        total = fg.reduce_sum(powers, -1, keepdims=True)
        return powers / total, fg.squeeze(fg.math.log(total), -1)

    checked(f, data([ROWS, WIDTH], "float32", 0))


def test_steps_between_do_not_part_a_group():
    def f(x, y):
        a = x * 2.0
        b = fg.reverse(y, [0])
        return fg.tanh(a) + 1.0, b

    fuses(checked(f, data([6000], "float32", 0), data([6000], "float32", 1)), 3)


def test_truths_are_reduced():
    def f(x):
        return fg.reduce_all(x > -5.0, -1), fg.reduce_any(x > 2.0, -1)

    checked(f, data([ROWS, WIDTH], "float32", 0))


@pytest.mark.parametrize("op", [lambda x, y: x // y, lambda x, y: x % y, fg.pow])
def test_what_may_fail_fails_where_it_stands(op):
    @fg.function
    def f(x, y):
        a = x + 1
        return op(a, y) * 2

    x, y = data([6000], "int32", 0), fg.zeros([6000], fg.int32) - 1
    assert np.array_equal(f(x, y + 2).numpy(), op(x.numpy() + 1, 1) * 2)
    if op is fg.pow:
        with pytest.raises(fg.errors.InvalidArgumentError):
            f(x, y)
    else:
        with pytest.raises(fg.errors.InvalidArgumentError):
            f(x, y + 1)


UNARY = [fg.tanh, fg.abs, fg.square, fg.nn.relu, fg.exp, fg.floor]
BINARY = [fg.add, fg.subtract, fg.multiply, fg.maximum, fg.math.squared_difference]


def step(choice, values):
    """A step over values that are there, which it adds to them."""
    a, b = choice.choice(values), choice.choice(values)
    kind = choice.random()
    if kind < 0.35:
        return choice.choice(UNARY)(a)
    if kind < 0.7:
        return choice.choice(BINARY)(a, b)
    if kind < 0.8:
        return fg.where(a < b, a, b * 0.5)
    if kind < 0.85:
        return fg.cast(fg.cast(a, fg.float64) * 0.3, a.dtype)
    if a.shape.rank == 0:
        return a * 0.5
    if kind < 0.9:
        return fg.broadcast_to(a, np.broadcast_shapes(a.shape.as_list(), b.shape.as_list()))
    axis = choice.choice([*range(a.shape.rank), None])
    made = choice.choice(REDUCTIONS[:4])(a, axis, keepdims=choice.random() < 0.7)
    if axis is None or choice.random() < 0.5:
        return made
    kept = [1 if i == axis else n for i, n in enumerate(a.shape.as_list())]
    return fg.reshape(made, kept)


def fits(a, values):
    try:
        for b in values:
            np.broadcast_shapes(a.shape.as_list(), b.shape.as_list())
    except ValueError:
        return False
    return a.shape.num_elements() <= 20_000


@pytest.mark.parametrize("seed", range(120))
def test_random_graphs(seed):
    shapes = [[ROWS, WIDTH], [WIDTH], [ROWS, 1], [], [ROWS, WIDTH]]
    if seed % 3 == 0:
        shapes = [[6, 20, 50], [20, 50], [6, 1, 50], [50], [6, 20, 1], []]

    def f(*given):
        choice = random.Random(seed)
        values, results = list(given), []
        for _ in range(choice.randint(4, 16)):
            made = step(choice, values)
            if fits(made, values):
                values.append(made)
            if choice.random() < 0.3:
                results.append(made)
        return [*results, values[-1]]

    dtype = ["float32", "float64"][seed % 2]
    checked(f, *[data(shape, dtype, seed + k) for k, shape in enumerate(shapes)])
