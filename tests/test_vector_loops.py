"""Members of joined steps that are vector code give the bits of their kernels."""

import ferrograph as fg
import numpy as np
import pytest

SIZE = 100_003  # no multiple of a vector or a tile


def data(dtype, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(SIZE) * 10.0 ** rng.integers(-40, 38, SIZE)
    values[::97] = np.resize([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 1e-40], values[::97].size)
    return fg.constant(values.astype(dtype))


def bits(x):
    x = x.numpy()
    return np.where(np.isnan(x), np.nan, x).tobytes() if x.dtype.kind == "f" else x.tobytes()


def chain(x, y):
    inside = fg.logical_and(x > y, fg.logical_not(x * y < -2.0))
    z = fg.where(inside, fg.sqrt(fg.abs(x)) / (1.0 + y * y), fg.maximum(x, 0.5) - fg.minimum(y, x))
    return z, inside, fg.cast(inside, z.dtype) * z, fg.nn.relu(fg.floor(z) - fg.sign(y))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_chain_is_one_loop(dtype):
    x, y = data(dtype, 0), data(dtype, 1)
    traced = fg.function(chain)
    plain = fg.function(chain, jit_compile=False)
    for eager, vector, kernels in zip(chain(x, y), traced(x, y), plain(x, y), strict=True):
        assert bits(eager) == bits(vector)
        assert bits(eager) == bits(kernels)
    if "vector loop" in str(traced.explain_plan(x, y)):  # not on machines without such vectors
        assert str(traced.explain_plan(x, y)).count("vector loop") == 1
    assert "vector loop" not in str(plain.explain_plan(x, y))


def test_functions_without_an_instruction_split_a_chain():
    def f(x):
        return fg.exp(x * 0.5 + 1.0) * 2.0 - x, fg.reduce_sum(fg.abs(x) * 0.25)

    x = data("float32", 2)
    traced = fg.function(f)
    for a, b in zip(f(x), traced(x), strict=True):
        assert bits(a) == bits(b)


@pytest.mark.parametrize("size", [4096, 5001, 100_003])
def test_variables_change_in_order(size):
    start = np.linspace(-2, 3, size, dtype="float32")

    def step(a, b, g):
        a.assign(0.9 * a + 0.1 * g)
        b.assign_sub(a / (fg.sqrt(g * g) + 1e-3))
        a.assign_add(b * 0.5)
        return a - b

    def run(function, shared):
        a = fg.Variable(start)
        b = a if shared else fg.Variable(-start)
        outs = [function(a, b, fg.constant(start[::-1] + np.float32(i))) for i in range(5)]
        return [bits(x) for x in [*outs, a.read_value(), b.read_value()]]

    for shared in (False, True):
        assert run(step, shared) == run(fg.function(step), shared)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(301, 200), (64, 513), (20, 3, 129), (2000, 50)])
def test_rows_and_columns_repeat(shape, dtype):
    rng = np.random.default_rng(5)

    def f(x, row, column):
        y = (x - row) * column / (1.0 + x**2) + row * row
        z = fg.where(y > column, y, fg.minimum(x, row)) ** 2
        mean = fg.reduce_mean(z, axis=-1, keepdims=True)
        return (z - mean) * column - row, mean

    x, row, column = (
        fg.constant(rng.standard_normal(s).astype(dtype))
        for s in (shape, shape[-1:], (*shape[:-1], 1))
    )
    traced = fg.function(f)
    for _ in range(3):
        for a, b in zip(f(x, row, column), traced(x, row, column), strict=True):
            assert bits(a) == bits(b)
