"""Reductions of all rows are fused with what computes the rows, with the bits of their kernels; so
are other shapes of a value and values that are repeated."""

import random

import ferrograph as fg
import pytest
from test_fused_rows import REDUCTIONS, data
from test_fused_steps import checked, random_graph

TOTALS = [op for op in REDUCTIONS if op is not fg.reduce_prod]


def steps(text):
    """The lines of a plan's text that are fused steps, and how many others compute."""
    lines = text.splitlines()
    fused = [line for line in lines if " operations over " in line]
    return fused, sum(" kernel(" in line for line in lines) - len(fused)


def one_step(text, *names):
    fused, others = steps(text)
    assert len(fused) == 1 and others == 0, text
    assert all(name in fused[0].partition("fusing")[2] for name in names), text


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("size", [4097, 100_003, 2048 * 64])
@pytest.mark.parametrize("op", TOTALS, ids=lambda op: op.__name__)
def test_one_number_of_a_chain(op, size, dtype):
    x, y = data([size], dtype, 0), data([size], dtype, 1)
    one_step(checked(lambda x, y: op(x * y + x), x, y), "AddV2")


@pytest.mark.parametrize("shape", [[300, 37], [260, 512], [4, 65, 40], [64, 100]])
@pytest.mark.parametrize("op", TOTALS, ids=lambda op: op.__name__)
def test_columns_of_a_chain(op, shape):
    def f(x):
        y = fg.tanh(x) * 3.0
        return op(y, list(range(len(shape) - 1))), y

    one_step(checked(f, data(shape, "float32", 0)), "Tanh")


@pytest.mark.parametrize("width", [8, 90, 768, 1000])
def test_rows_columns_and_all_of_one_value(width):
    def f(x):
        y = x - fg.reduce_mean(x, -1, keepdims=True)
        return fg.reduce_sum(y * y), fg.reduce_max(y, 0), fg.reduce_sum(y, -1)

    checked(f, data([1030, width], "float32", 0))


def test_truths_of_all():
    def f(x):
        return fg.reduce_all(x > -50.0), fg.reduce_any(x > 50.0), fg.reduce_any(x > 2.0, 0)

    checked(f, data([500, 40], "float32", 0))


def test_what_needs_a_total_waits_for_it():
    def f(x):
        y = x * 2.0
        centred = y - fg.reduce_mean(y)
        square = centred * centred
        return square / fg.reduce_sum(square, 0), y

    fused, _ = steps(checked(f, data([300, 200], "float32", 0)))
    assert len(fused) == 2, fused


def test_as_many_columns_as_rows():
    def f(x):
        y = fg.exp(x)
        return y * fg.reduce_sum(y, 0), y - fg.expand_dims(fg.reduce_max(y, 0), 1)

    checked(f, data([96, 96], "float32", 0))


def test_other_shapes_of_what_rows_give():
    def f(x):
        total = fg.reduce_sum(x * x, -1)
        scale = fg.reshape(total, [200, 1])
        return x / scale, fg.reshape(scale, [1, 200]), scale

    checked(f, data([200, 40], "float32", 0))


def test_values_that_are_repeated():
    def f(x, b):
        wide = fg.broadcast_to(fg.reduce_max(x, -1, keepdims=True), [200, 40])
        return fg.add_n([wide, x, fg.broadcast_to(b, [200, 40])])

    one_step(checked(f, data([200, 40], "float32", 0), data([40], "float32", 1)), "BroadcastTo")


@pytest.mark.parametrize("width", [64, 96])
def test_the_gradient_of_a_layer_norm_is_one_step(width):
    def f(x, g, b):
        with fg.GradientTape() as tape:
            tape.watch([x, g, b])
            mean = fg.reduce_mean(x, -1, keepdims=True)
            variance = fg.reduce_mean(fg.math.squared_difference(x, mean), -1, keepdims=True)
            y = (x - mean) * fg.math.rsqrt(variance + 1e-5) * g + b
            loss = fg.reduce_sum(y * y * y)
        return tape.gradient(loss, [x, g, b])

    x = data([640, width], "float32", 0)
    g, b = data([width], "float32", 1), data([width], "float32", 2)
    fused, _ = steps(checked(f, x, g, b))
    assert len(fused) == 1, fused


def test_totals_beside_variables_in_place():
    w = fg.Variable(data([128, 50], "float32", 0))
    plain = fg.Variable(w)

    def update(w, x):
        step = 0.1 * (w - x)
        w.assign_sub(step)
        size = fg.reduce_sum(fg.reshape(fg.reduce_sum(step * step, -1), [128, 1]) * w)
        return size, fg.reduce_max(w, 0)

    x = data([128, 50], "float32", 1)
    traced = fg.function(update)
    for _ in range(3):
        for a, b in zip(traced(w, x), update(plain, x), strict=True):
            assert a.numpy().tobytes() == b.numpy().tobytes()
    assert w.numpy().tobytes() == plain.numpy().tobytes()


@pytest.mark.parametrize("seed", range(60))
def test_sums_of_random_chains(seed):
    """Whole blocks, whole turns of a loop, and neither.

    What is summed is a result, too, now and then, and there may be several sums.
    """
    choice = random.Random(seed)
    size = choice.choice([2048, 4096, 81920, 6208, 4128, 122_885, 70_001])
    dtype = choice.choice(["float32", "float64"])
    graph = random_graph(seed)
    sums = [fg.reduce_sum, fg.reduce_mean]

    def f(*values):
        *results, last = graph(*values)
        summed = [op(r) for op, r in zip(sums, [last, *results], strict=False)]
        return summed + (results if seed % 3 == 0 else [])

    tensors = [data([size], dtype, seed + k) for k in range(3)]
    checked(f, fg.constant(1.3, dtype), *tensors)
