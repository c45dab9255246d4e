"""Members of fused steps that are vector code give the bits of their kernels."""

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
        return fg.sin(x * 0.5 + 1.0) * 2.0 - x, fg.reduce_sum(fg.abs(x) * 0.25)

    x = data("float32", 2)
    traced = fg.function(f)
    for a, b in zip(f(x), traced(x), strict=True):
        assert bits(a) == bits(b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "function",
    [
        fg.exp,
        fg.math.expm1,
        fg.math.log,
        fg.math.log1p,
        fg.tanh,
        fg.sigmoid,
        fg.math.softplus,
        fg.math.erf,
        lambda x: x**3,
        lambda x: x**0.5,
        lambda x: fg.tanh(0.8 * (x + 0.04 * x**3)) * fg.sigmoid(fg.exp(x)) - fg.math.log1p(x),
    ],
)
def test_functions_have_the_bits_of_their_kernels(function, dtype):
    def f(x):
        y = function(x * 0.5)
        return y, fg.where(y > x, y, -x) + function(y)

    x = data(dtype, 2)
    near = fg.constant(np.linspace(-120, 120, SIZE).astype(dtype))
    traced, plain = fg.function(f), fg.function(f, jit_compile=False)
    for argument in (x, near, near * 0.01, near * 7):
        for eager, vector, kernels in zip(
            f(argument), traced(argument), plain(argument), strict=True
        ):
            assert bits(eager) == bits(vector)
            assert bits(eager) == bits(kernels)


def test_what_functions_stand_in_is_one_loop():
    def gelu(x):
        return 0.5 * x * (1.0 + fg.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    x = data("float32", 3)
    plan = str(fg.function(gelu).explain_plan(x))
    if "vector loop" in plan:
        assert plan.count("vector loop") == 1


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
@pytest.mark.parametrize(
    "shape", [(301, 200), (64, 513), (20, 3, 129), (2000, 50), (3001, 3), (777, 16), (4099, 1)]
)
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


@pytest.mark.parametrize("width", [2, 5, 8, 31, 64, 191])
def test_short_rows_repeat_truths_and_numbers(width):
    rng = np.random.default_rng(6)
    x = fg.constant(rng.standard_normal((5003, width)).astype("float32"))
    row = fg.constant(rng.standard_normal(width).astype("float32"))
    column = fg.constant(rng.standard_normal((5003, 1)).astype("float32"))

    def f(x, row, column):
        inside = fg.logical_or(row > 0.3, column < 0.1)
        y = fg.where(inside, fg.exp(x - column) * row, fg.tanh(x) + column)
        return y, fg.reduce_sum(y * row, axis=1), fg.logical_and(y > row, inside)

    traced = fg.function(f)
    for _ in range(3):
        for a, b in zip(f(x, row, column), traced(x, row, column), strict=True):
            assert bits(a) == bits(b)


def test_a_layer_of_few_units_is_in_loops():
    def f(x, scale, shift):
        mean = fg.reduce_mean(x, axis=-1, keepdims=True)
        spread = fg.reduce_mean(fg.math.squared_difference(x, mean), axis=-1, keepdims=True)
        return fg.nn.relu((x - mean) * fg.math.rsqrt(spread + 1e-3) * scale + shift)

    rng = np.random.default_rng(7)
    x, scale, shift = (
        fg.constant(rng.standard_normal(s).astype("float32")) for s in ((4000, 48), (48,), (48,))
    )
    traced = fg.function(f)
    assert bits(f(x, scale, shift)) == bits(traced(x, scale, shift))
    plan = str(traced.explain_plan(x, scale, shift))
    if "vector loop" in str(fg.function(lambda x: x * x + 1.0).explain_plan(x)):
        assert "vector loop" in plan


def whole(dtype, seed):
    rng = np.random.default_rng(seed)
    ends = np.iinfo(dtype)
    values = rng.integers(ends.min, ends.max, SIZE, dtype=dtype, endpoint=True)
    values[::3] = rng.integers(-50, 50, values[::3].size)
    values[::97] = np.resize([0, 1, -1, ends.min, ends.max], values[::97].size)
    return fg.constant(values)


def agree(f, *args, loops=None):
    traced, plain = fg.function(f), fg.function(f, jit_compile=False)
    nest = fg.nest.flatten
    for eager, vector, kernels in zip(
        nest(f(*args)), nest(traced(*args)), nest(plain(*args)), strict=True
    ):
        assert bits(eager) == bits(vector)
        assert bits(eager) == bits(kernels)
    text = str(traced.explain_plan(*args))
    if loops is not None and "vector loop" in text:  # not on machines without such vectors
        assert text.count("vector loop") == loops, text


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_a_chain_of_integers_is_one_loop(dtype):
    def f(x, y):
        mixed = fg.bitwise.bitwise_xor(x * 3 + y, fg.bitwise.left_shift(y, 7))
        kept = fg.bitwise.bitwise_and(fg.bitwise.invert(mixed), fg.bitwise.bitwise_or(x, 5))
        large = fg.logical_or(kept > y, fg.equal(x % 8, 3))
        z = fg.where(large, fg.maximum(kept, x), fg.minimum(y, mixed)) - fg.square(x)
        return z, fg.cast(large, x.dtype) + z, fg.clip_by_value(z, -100, 1000), fg.nn.relu(-z)

    agree(f, whole(dtype, 0), whole(dtype, 1), loops=1)


@pytest.mark.parametrize("by", [1, -1, 2, 3, 7, -13, 97, 1024, 2**31 - 1, -(2**31)])
def test_quotients_by_constants(by):
    def f(x):
        return x // by, x % by, fg.truncatediv(x, by), fg.truncatemod(x, by), fg.abs(x) // by

    agree(f, whole("int32", 2))


def test_integers_beside_numbers():
    def f(x, y):
        z = fg.cast(x, fg.float32) * 0.5 - y
        n = fg.cast(y * 10.0, fg.int32)
        steps = fg.bitwise.right_shift(x, 3) + n + fg.cast(z < y, fg.int32)
        return z, steps, fg.cast(steps, fg.bool), fg.sign(x) * n

    agree(f, whole("int32", 3), data("float32", 4), loops=1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bounds_are_in_the_loop(dtype):
    def f(x):
        y = fg.clip_by_value(x * 3.0, -1.0, 2.5)
        return y + 1.0, x * fg.nn.relu6(x + 3.0) / 6.0

    agree(f, data(dtype, 5), loops=1)


def test_division_by_zero_is_refused_behind_a_chain():
    @fg.function
    def f(x, by):
        return (x * 2 + 1) // by

    with pytest.raises(fg.errors.InvalidArgumentError, match="division by zero"):
        f(whole("int32", 6), fg.constant(0))
