"""Reductions of transposed values read them as they lie, and have the bits of those that do not."""

import itertools

import ferrograph as fg
import pytest
from test_fused_rows import REDUCTIONS, data
from test_fused_steps import checked

SHAPE = [36, 20, 48]


def turns(function, *args):
    """Whether only a few elements change their places in the plan of a function."""
    text = checked(function, *args)
    return "Transpose" not in text or f"[{SHAPE[2]},{SHAPE[0]},{SHAPE[1]}]" not in text


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("op", REDUCTIONS, ids=lambda op: op.__name__)
def test_all_orders_and_axes(op, dtype, keepdims):
    x = data(SHAPE, dtype, 0)
    for perm in itertools.permutations(range(3)):
        for axes in [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]]:

            def f(x, perm=perm, axes=axes):
                return op(fg.transpose(x, perm) * 2 - 1, axes, keepdims=keepdims)

            checked(f, x)


@pytest.mark.parametrize("op", [fg.reduce_max, fg.reduce_sum, fg.reduce_mean])
def test_the_middle_of_what_was_last(op):
    assert turns(lambda x: op(fg.transpose(x, [2, 0, 1]) * 2.0 - 1.0, 1), data(SHAPE, "float32", 0))


def test_operands_that_repeat_beside_it():
    def f(x, b, c, d):
        y = (fg.transpose(x, [2, 0, 1]) + b) * c
        return fg.reduce_sum(fg.where(y > d, y, -y), 1)

    b, c = data([SHAPE[1]], "float32", 1), data([SHAPE[2], 1, 1], "float32", 2)
    assert turns(f, data(SHAPE, "float32", 0), b, c, fg.constant([[0.5]]))


def test_two_values_in_the_same_order():
    def f(x, y):
        return fg.reduce_sum(fg.transpose(x, [2, 0, 1]) * fg.transpose(y, [2, 0, 1]), 1)

    assert turns(f, data(SHAPE, "float32", 0), data(SHAPE, "float32", 1))


def test_values_in_two_orders_stay():
    def f(x, y):
        return fg.reduce_sum(fg.transpose(x, [2, 0, 1]) * fg.transpose(y, [0, 2, 1]), 1)

    checked(f, data([24, 24, 24], "float32", 0), data([24, 24, 24], "float32", 1))


def test_what_others_need_stays():
    def f(x):
        y = fg.transpose(x, [2, 0, 1]) * 2.0
        return fg.reduce_max(y, 1), y

    checked(f, data(SHAPE, "float32", 0))


def test_gradients_and_reductions_behind_one_another():
    def f(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.exp(fg.transpose(x, [2, 0, 1]) * 0.1)
            z = fg.transpose(fg.reduce_sum(y, 1), [1, 0])
            loss = fg.reduce_sum(fg.reduce_max(z * 3.0, 0))
        return loss, tape.gradient(loss, x)

    checked(f, data(SHAPE, "float32", 0))


@pytest.mark.parametrize("op", [op for op in REDUCTIONS if op is not fg.reduce_prod])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ([3, 70_000], 0), ([65, 2048 * 9], 0), ([200, 512], 0), ([129, 700], 0), ([7, 30_011], 0),
        ([6, 70, 300], 1), ([3, 64, 40, 33], 1), ([3, 8, 40, 257], [1, 2]), ([2, 300, 2053], 1),
    ],
)  # fmt: skip
def test_long_rows_are_reduced_in_pieces(op, shape, axis):
    def f(x):
        y = fg.tanh(x) * 3.0
        return op(y, axis), y

    text = checked(f, data(shape, "float32", 0))
    assert "of 3 operations" in text, text


def test_reductions_that_want_other_orders_share_no_step():
    def f(x, b):
        y = fg.tanh(x) * b
        rows = fg.reduce_sum(fg.square(y), -1)
        return fg.reduce_sum(y, 0), fg.reduce_max(y, [0, 1]), fg.reduce_sum(y, 1), rows

    checked(f, data([40, 30, 600], "float32", 0), data([600], "float32", 1))


def test_long_rows_beside_a_variable_in_place():
    v = fg.Variable(data([8, 40_000], "float32", 0))
    plain = fg.Variable(v)

    def update(v, x):
        v.assign_add(0.5 * x)
        return fg.reduce_sum(v * x, 0)

    x = data([8, 40_000], "float32", 1)
    traced = fg.function(update)
    for _ in range(3):
        assert traced(v, x).numpy().tobytes() == update(plain, x).numpy().tobytes()
    assert v.numpy().tobytes() == plain.numpy().tobytes()
