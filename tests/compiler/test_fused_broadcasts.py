"""Operands of fused steps whose rows, or the elements of them, are broadcast."""

import itertools
import random

import ferrograph as fg
import numpy as np
import pytest
from test_fused_rows import data, fits, fuses, step
from test_fused_steps import checked

SHAPE = [3, 30, 70, 16]
# Every set of axes along which an operand repeats.
MARKS = list(itertools.product([True, False], repeat=4))


@pytest.mark.parametrize("marks", MARKS, ids=lambda m: "".join("k1"[x] for x in m))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
def test_operands_that_repeat_along_any_axes(marks, dtype):
    def f(x, b):
        return (x + b) * x - b

    b = [1 if repeats else n for n, repeats in zip(SHAPE, marks, strict=True)]
    checked(f, data(SHAPE, dtype, 0), data(b, dtype, 1))


@pytest.mark.parametrize(
    "b", [[3, 1, 1, 16], [3, 1, 1, 1], [30, 1, 1], [30, 1, 16], [3, 30, 1, 16], [70, 16], [70, 1]]
)
def test_patterns_that_tiles_follow(b):
    def f(x, b):
        return fg.tanh(x * b) + b

    fuses(checked(f, data(SHAPE, "float32", 0), data(b, "float32", 1)), 3)


@pytest.mark.parametrize("groups", [1, 2, 4, 16])
def test_normalised_groups(groups):
    def f(x, scale):
        parts = fg.reshape(x, [3, 30 * 70, groups, 16 // groups])
        mean = fg.reduce_mean(parts, [1, 3], keepdims=True)
        apart = parts - mean
        variance = fg.reduce_mean(fg.square(apart), [1, 3], keepdims=True)
        return fg.reshape(apart * fg.math.rsqrt(variance + 1e-5), SHAPE) * scale

    checked(f, data(SHAPE, "float32", 0), data([16], "float32", 1))


@pytest.mark.parametrize("axis", [-1, 0, [0, 1, 2], [0, 1, 2, 3]])
def test_reductions_of_what_is_broadcast(axis):
    def f(x, b, c):
        y = (x - b) * c
        return fg.reduce_sum(y, axis), fg.reduce_max(y + 1.0, axis)

    b, c = data([3, 1, 1, 16], "float32", 1), data([30, 1, 1], "float32", 2)
    checked(f, data(SHAPE, "float32", 0), b, c)


def test_masks_of_attention():
    def f(scores, mask, keys):
        kept = fg.where(keys, scores / 4.0 + mask, -1e9)
        return fg.nn.softmax(kept)

    scores, mask = data([4, 2, 70, 60], "float32", 0), data([70, 60], "float32", 1)
    fuses(checked(f, scores, mask, data([4, 1, 1, 60], "bool", 2)), 4)


def test_variables_that_change_by_what_is_broadcast():
    start = data(SHAPE, "float32", 0)
    scale = data([3, 1, 1, 16], "float32", 1)

    def changed(run):
        v = fg.Variable(start)

        def change(x):
            v.assign_sub(0.1 * (x * scale))
            return v * scale

        change = run(change)
        return [change(start * k).numpy() for k in range(1, 6)] + [v.numpy()]

    for eager, traced in zip(changed(lambda f: f), changed(fg.function), strict=True):
        np.testing.assert_array_equal(eager, traced)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs(seed):
    choice = random.Random(seed)
    full = [choice.choice([1, 2, 3]), choice.choice([8, 16]), choice.choice([20, 33]), 24]
    shapes = [[n if choice.random() < 0.5 else 1 for n in full] for _ in range(4)]

    def f(*given):
        choice, values, results = random.Random(seed), list(given), []
        for _ in range(choice.randint(4, 14)):
            made = step(choice, values)
            if fits(made, values):
                values.append(made)
            if choice.random() < 0.3:
                results.append(made)
        return [*results, values[-1]]

    checked(f, *[data(shape, "float32", seed + k) for k, shape in enumerate([full, *shapes])])
