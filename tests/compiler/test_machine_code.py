"""Scalar programs run step by step and as machine code: equal bits, errors of the same lines."""

import functools
import gc
import os
import random
import signal
import struct
import threading
import time

import ferrograph as fg
import processor_time
import pytest
from ferrograph import _core

INTEGERS = [fg.int8, fg.int16, fg.int32, fg.int64, fg.uint8, fg.uint16, fg.uint32, fg.uint64]
FLOATS = [fg.float32, fg.float64]
MODES = {"steps": False, "code": True}


def outcome(function, args, jit_compile):
    """The bits of the results, or the error's class and text without the addresses of graphs."""
    staged = fg.function(function, jit_compile=jit_compile)
    try:
        results = staged(*args)
    except Exception as e:
        return type(e).__name__, str(e)
    results = results if isinstance(results, (tuple, list)) else [results]
    return [(r.dtype.name, tuple(r.shape), r.numpy().tobytes()) for r in results]


def agree(function, *args):
    steps, code = (outcome(function, args, MODES[mode]) for mode in ("steps", "code"))
    assert steps == code
    return code


def plan_text(function, *args):
    concrete = fg.function(function).get_concrete_function(*args)
    return _core.plan_text(concrete, list(args))


def test_a_sum_in_a_loop():
    def total(n):
        i, s = fg.constant(0), fg.constant(0.0)
        while i < n:
            s = s + fg.cast(i, fg.float32)
            i = i + 1
        return s

    for n in (0, 1, 10, 10000):
        agree(total, fg.constant(n))
    assert float(fg.function(total, jit_compile=True)(fg.constant(100))) == 4950.0


def test_collatz():
    def steps(n):
        count = fg.constant(0)
        while n != 1:
            if n % 2 == 0:  # noqa: SIM108 - a branch is what is tested
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    for n in (1, 2, 27, 97):
        agree(steps, fg.constant(n))
    assert int(fg.function(steps, jit_compile=True)(fg.constant(27))) == 111


def test_newton():
    def root(a):
        x = a
        while fg.abs(x * x - a) > 1e-4:
            x = 0.5 * (x + a / x)
        return x

    agree(root, fg.constant(1234.5))
    agree(root, fg.constant(1234.5, fg.float64))


def test_a_chain():
    def chain(x):
        for k in range(300):
            x = x * 0.999 + 0.001 * k
        return x, x - 1.0

    agree(chain, fg.constant(1.5))
    agree(chain, fg.constant([1.5, -2.0, 3.0]))


def test_nested_loops_and_branches():
    def f(n, x):
        s = fg.zeros([], fg.float64)
        for i in fg.range(n):
            for j in fg.range(i):
                if (i + j) % 3 == 0:
                    s += x * fg.cast(j, fg.float64)
                elif j > 4:
                    s -= fg.cast(i * j, fg.float64)
                    if s < -100.0:
                        break
        return s

    for n in (0, 1, 5, 30):
        agree(f, fg.constant(n), fg.constant(0.3, fg.float64))


def test_small_vectors():
    def f(v, m):
        k = fg.constant(0)
        while k < 20:
            v = fg.where(v > m, v * 0.5, v + m[:1])
            k += 1
        return v, fg.reduce_sum(v)

    agree(f, fg.constant([1.0, 5.0, -3.0, 0.25]), fg.constant([2.0, 1.0, 0.0, 3.0]))


def test_kernels_that_are_no_functions_of_scalars():
    def f(x):
        k = fg.constant(0)
        while k < 30:
            x = fg.exp(-x) + fg.sin(x) * fg.atan2(x, 2.0) + fg.pow(fg.abs(x), 1.25) % 0.7
            k += 1
        return x

    agree(f, fg.constant(0.3))
    agree(f, fg.constant(0.3, fg.float64))


def test_loops_that_look_up_elements_of_large_tensors():
    def f(table, n):
        i, s = fg.constant(0), fg.constant(0.0)
        while i < n:
            k = (i * 7 + 3) % 100
            if k % 2 == 0:
                s = s * 0.5 + table[k]
            i += 1
        return s, i

    table = fg.range(100.0)
    agree(f, table, fg.constant(50))
    assert agree(f, table[:40], fg.constant(50))[0] == "InvalidArgumentError"


def test_gradients_through_loops():
    def f(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y, i = x, fg.constant(0)
            while i < 10:
                if y > 1.0:  # noqa: SIM108 - a branch is what is tested
                    y = fg.sin(y) * x
                else:
                    y = y * y + 0.3
                i += 1
        return tape.gradient(y, x), y

    agree(f, fg.constant(0.7))
    agree(f, fg.constant(1.7, fg.float64))


@pytest.mark.parametrize("dtype", [fg.int8, fg.int16, fg.int32, fg.int64], ids=lambda d: d.name)
def test_divisions_by_zero_name_the_line(dtype):
    def f(n):
        total = n
        while n > -1:
            total += 7 // n
            n -= 1
        return total

    one, code = (outcome(f, [fg.constant(5, dtype)], MODES[mode]) for mode in ("steps", "code"))
    assert one == code
    assert one[0] == "InvalidArgumentError"
    line = f.__code__.co_firstlineno + 3
    assert f"test_machine_code.py:{line}" in one[1]


def test_lists_are_written_and_read():
    def f(x, n):
        a = fg.TensorArray(fg.float32, n)
        for i in fg.range(n):
            x = x * 0.75 + 1.0
            a = a.write(i, x)
        s = fg.constant(0.0)
        for i in fg.range(n):
            if i % 3 > 0:
                s += a.read(i) * fg.cast(i, fg.float32)
        return a.stack(), s

    for n in (0, 1, 7):
        agree(f, fg.constant(1.0), fg.constant(n))


def test_loops_of_small_and_large_values():
    def f(x, s):
        for i in fg.range(6):
            for k in fg.range(5):
                s = s * 0.5 + fg.cast(k * i, fg.float32)
                if k % 2 == 0:
                    s = s + x[k]
            if i % 2 == 0:
                x = fg.sin(x) + s
        return x, s

    args = fg.ones([100]), fg.constant(2.0)
    agree(f, *args)
    assert "machine code steps" in plan_text(f, *args)


def test_the_plan_says_why_a_loop_stays_steps():
    def f(x):
        n = fg.constant(0, fg.int64)
        for _ in fg.range(3):
            n += fg.size(fg.where(x > 0.0), fg.int64)
            x = x - 1.0
        return n

    x = fg.constant([1.0, 2.0, 0.0])
    agree(f, x)
    assert "no machine code loop 0: Where computes on tensors" in plan_text(f, x)


UNARY = [fg.abs, fg.negative, fg.sign, fg.square]
UNARY_FLOAT = [fg.sqrt, fg.math.rsqrt, fg.floor, fg.math.ceil, fg.round, fg.math.reciprocal]
UNARY_FLOAT += [fg.exp, fg.tanh, fg.sigmoid, fg.nn.relu, fg.math.log1p]
BINARY = [fg.add, fg.subtract, fg.multiply, fg.maximum, fg.minimum, fg.math.squared_difference]
QUOTIENTS = [fg.math.floordiv, fg.math.floormod]
COMPARISONS = [fg.less, fg.less_equal, fg.greater, fg.greater_equal, fg.equal, fg.not_equal]


def bits_of(rng, dtype):
    """A number of any kind, by its bits where that is a float."""
    if dtype in FLOATS:
        size, code = (4, "f") if dtype == fg.float32 else (8, "d")
        number = rng.choice([0.0, -0.0, 1.0, -1.5, 3.0, float("inf"), float("nan"), 1e-40, None])
        if number is None:
            number = struct.unpack(code, rng.randbytes(size))[0]
        return fg.constant(number, dtype)
    low, high = dtype.min, dtype.max
    edges = [low, high, 0, 1, 2, 3, high - 1, rng.randint(low, high), rng.randint(0, 100)]
    return fg.constant(rng.choice(edges), dtype)


def program(seed):
    """A function of four scalars: a loop of random steps and branches over a few variables."""

    def draw(rng, values):
        kind = rng.random()
        x = rng.choice(values)
        alike = [v for v in values if v.dtype == x.dtype]
        y = rng.choice(alike)
        if kind < 0.15:
            return fg.cast(x, rng.choice(INTEGERS + FLOATS))
        if kind < 0.3:
            c = rng.choice(COMPARISONS)(x, y)
            return fg.where(c, x, rng.choice(alike))
        if kind < 0.45 and x.dtype in FLOATS:
            return rng.choice(UNARY_FLOAT)(x)
        if kind < 0.55 and x.dtype not in INTEGERS[4:]:
            return rng.choice(UNARY)(x)
        if kind < 0.65:
            divisor = y if x.dtype in FLOATS else fg.where(fg.equal(y, 0), fg.ones_like(y), y)
            return rng.choice(QUOTIENTS)(x, divisor)
        return rng.choice(BINARY)(x, y)

    def f(n, a, b, c, d):
        rng = random.Random(seed)
        plan = [rng.random() for _ in range(3)]

        def body(i, *values):
            rng = random.Random(seed + 1)
            values = list(values)
            for _ in range(6):
                at = rng.randrange(4)
                made = draw(rng, values)
                if rng.random() < 0.3:
                    x, y = values[at], fg.cast(made, values[at].dtype)
                    above = functools.partial(fg.maximum, x, y)
                    made = fg.cond(fg.less(i % 3, 1), lambda y=y: y, above)
                values[at] = fg.cast(made, values[at].dtype)
            return (i + 1, *values)

        values = [a, b, c, d]
        if plan[0] < 0.8:
            values = fg.while_loop(lambda i, *_: i < n, body, [fg.constant(0), *values])[1:]
        for _ in range(10):
            made = draw(rng, list(values))
            values = [*values[1:], made]
        return list(values)

    return f


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    rng = random.Random(seed)
    dtypes = [rng.choice(INTEGERS), rng.choice(FLOATS), rng.choice(FLOATS), rng.choice(INTEGERS)]
    function = program(seed)
    args = [fg.constant(rng.randint(0, 12)), *(bits_of(rng, d) for d in dtypes)]
    agree(function, *args)


def is_one_program(function, *args):
    """Whether all loops become machine code."""
    text = plan_text(function, *args)
    return "no machine code" not in text and "machine code" in text


def test_elements_that_move():
    def f(v, n):
        for _ in fg.range(n):
            a, b, c = v[0], v[1], v[2]
            m = fg.reshape(fg.concat([v, v[::-1]], 0), [2, 3])
            p, q = fg.unstack(fg.transpose(m)[1:, :], axis=1)
            left, right = fg.split(fg.stack([b, c, a, p[0]]), 2)
            v = fg.stack([10.0 * (b - a), a * (2.0 - c) - b, left[1] * right[0]]) * 0.01
            v += fg.reverse(fg.broadcast_to(q[:1], [3]), [0]) + m[1]
        return v

    v = fg.constant([1.0, 2.0, 3.0])
    for n in (0, 1, 7):
        agree(f, v, fg.constant(n))
    agree(f, fg.cast(v, fg.float64), fg.constant(3))
    assert is_one_program(f, v, fg.constant(3))


@pytest.mark.parametrize("dtype", [fg.int32, fg.int64])
def test_elements_that_an_index_names(dtype):
    def f(x, w, first, n):
        s, best = fg.zeros([4]), fg.constant(-1.0)
        k = first
        while k < n:
            s += x[k] * fg.gather(w, k) + fg.gather(x, k, axis=1)[0] + x[:, -k - 1][:4]
            best = fg.maximum(best, x[k, 3 - k] + x[1, k])
            w = fg.concat([w[1:], fg.reshape(best, [1])], 0)
            k += 1
        return s, best, w

    x = fg.reshape(fg.range(16.0), [4, 4])
    w = fg.constant([0.5, 2.0, -1.0, 3.0])
    for first, n in [(0, 4), (0, 0), (2, 3), (3, 4)]:
        agree(f, x, w, fg.constant(first, dtype), fg.constant(n, dtype))
    assert is_one_program(f, x, w, fg.constant(0, dtype), fg.constant(4, dtype))
    beyond = agree(f, x, w, fg.constant(2, dtype), fg.constant(6, dtype))
    assert "slice index 4 of axis 0 is out of bounds for size 4" in beyond[1]


def test_an_index_into_what_is_large():
    def f(x, n):
        s, i = fg.constant(0), fg.constant(0)
        while i < n:
            s += x[i] * x[-i] - x[i, ...]
            i += 1
        return s

    x = fg.range(1000) % 37
    agree(f, x, fg.constant(1000))
    assert is_one_program(f, x, fg.constant(5))
    error = agree(f, x, fg.constant(2000))
    assert "1000" in error[1]


def test_assertions():
    def f(x, n):
        i = fg.constant(0)
        while i < n:
            fg.debugging.Assert(x < 100.0, ["x is", x, "at", i])
            assert i < 50, "too far"
            x = x * 1.5
            i += 1
        return x

    x = fg.constant(1.0)
    for n in (0, 3, 11):
        agree(f, x, fg.constant(n))
    assert is_one_program(f, x, fg.constant(3))
    error = agree(f, x, fg.constant(20))
    assert error[0] == "InvalidArgumentError" and "x is" in error[1]
    error = agree(f, fg.constant(0.0), fg.constant(60))
    assert "too far" in error[1]


def repeated(draw, seed, steps):
    """A loop whose iterations change some vectors, one after the other, as ``draw`` says; it is
    given the vector, another one and what does not change."""

    def f(n, fixed, *vectors):
        i = fg.constant(0)
        while i < n:
            rng = random.Random(seed)
            vectors = list(vectors)
            for _ in range(steps):
                at = rng.randrange(len(vectors))
                vectors[at] = draw(rng, i, vectors[at], rng.choice(vectors), fixed)
            i += 1
        return list(vectors)

    return f


def vector_program(seed):
    """A function of small vectors: a loop of random movements, indices and arithmetic."""

    def draw(rng, i, x, _, fixed):
        y, n = x, int(x.shape[0])
        return rng.choice([
            lambda: x[::-1] + 1,
            lambda: fg.concat([x[1:], x[:1]], 0),
            lambda: fg.stack([x[(k * 3) % n] for k in range(n)]),
            lambda: fg.fill([n], 0) + x[i % n],
            lambda: fg.reshape(fg.transpose(fg.stack([x, y[:1] + x])), [-1])[:n],
            lambda: fg.concat(fg.split(x, [1, n - 1])[::-1], 0),
            lambda: fg.where(x > x[-1], x, fg.gather(x, i % n)),
            lambda: fg.tile(x[:1], [n]) - x,
            lambda: fg.reverse(x, [0]) * 3,
            lambda: fg.unstack(fg.stack([x, x + 2], 1), axis=1)[1],
        ])()  # fmt: skip

    return repeated(draw, seed, 5)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_of_small_vectors(seed):
    rng = random.Random(seed)
    vectors = [fg.constant([rng.randrange(9) for _ in range(rng.randint(2, 8))]) for _ in range(3)]
    agree(vector_program(seed), fg.constant(rng.randint(0, 6)), (), *vectors)


FUNCTIONS = [
    fg.exp,
    fg.sin,
    fg.cos,
    fg.tanh,
    fg.sigmoid,
    fg.math.erf,
    fg.math.softplus,
    fg.math.expm1,
]


def float_vector_program(seed):
    """A function of a matrix and vectors of floats: a loop of arithmetic, functions, movements."""

    def draw(rng, i, x, y, square):
        n = int(x.shape[0])
        function, other = rng.choice(FUNCTIONS), rng.choice(FUNCTIONS)
        return rng.choice([
            lambda: function(x) - 0.25 * y,
            lambda: fg.where(i % 2 < 1, other(y), x),
            lambda: fg.where(x > y, x, function(y)),
            lambda: fg.cast(x > y, x.dtype) * y - fg.where((x <= y) & (i % 3 > 0), x, 0.5 * y),
            lambda: fg.linalg.matvec(square, x) / (1.0 + fg.abs(y)),
            lambda: fg.matmul(x[None], square, transpose_b=rng.random() < 0.5)[0] * 0.5,
            lambda: fg.matmul(x[:, None], y[None])[0] + fg.cast(i, x.dtype),
            lambda: fg.concat([x[1:], function(x[:1])], 0),
            lambda: x[::-1] * x[n - 1] + y,
            lambda: fg.clip_by_value(x, y, 2.0 * fg.abs(y)),
            lambda: fg.minimum(fg.maximum(x, -y), fg.math.rsqrt(1.0 + x * x)),
            lambda: fg.round(x * 3.0) * 0.25 + fg.sign(y) * fg.floor(x),
            lambda: fg.math.log(fg.abs(x) + 0.5) + fg.math.log1p(fg.abs(y)),
            lambda: fg.nn.relu(x) - fg.nn.relu6(-y),
        ])()  # fmt: skip

    return repeated(draw, seed, 6)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_of_small_vectors_of_floats(seed):
    rng = random.Random(seed)
    n, dtype = rng.randint(1, 16), rng.choice(FLOATS)

    def numbers(count):
        kinds = [0.0, -0.0, 1.5, -3.0, 1e-40, 4e8, -1e30]
        return [rng.choice(kinds) if rng.random() < 0.15 else rng.gauss(0, 1) for _ in range(count)]

    side = n if n <= 4 else 4
    vectors = [fg.constant(numbers(side if seed % 2 else n), dtype) for _ in range(3)]
    n = int(vectors[0].shape[0])
    square = fg.reshape(fg.constant(numbers(n * n), dtype), [n, n])
    agree(float_vector_program(seed), fg.constant(rng.randint(0, 5)), square, *vectors)


def test_angles_far_from_zero():
    def f(n, x):
        for _ in fg.range(n):
            x = fg.sin(x) * 3e8 + fg.cos(x)
        return x

    for n in (1, 2, 4, 7):
        numbers = [1e9, 0.5, float("inf"), -0.0, float("nan"), -3e8, 2.0][:n]
        assert is_one_program(f, fg.constant(5), fg.constant(numbers))
        agree(f, fg.constant(5), fg.constant(numbers))


@pytest.mark.parametrize("dtype", [fg.float32, fg.float64, fg.int32])
def test_small_products(dtype):
    def f(n, a, b):
        for _ in fg.range(n):
            a, b = fg.matmul(a, b, transpose_a=True), fg.matmul(a, b, transpose_b=True)
        return a, b

    rng = random.Random(3)
    for n in (1, 2, 3, 4):
        a, b = ([[rng.choice([-0.0, -2, 1, 3]) for _ in range(n)] for _ in range(n)] for _ in "ab")
        a, b = fg.cast(fg.constant(a), dtype), fg.cast(fg.constant(b), dtype)
        assert is_one_program(f, fg.constant(4), a, b)
        agree(f, fg.constant(4), a, b)

    def columns(n, a, x):
        for _ in fg.range(n):
            x = fg.matmul(a, x) - x
        return x, fg.matmul(x, x, transpose_a=True), fg.matmul(x, x, transpose_b=True)

    a = fg.cast(fg.constant([[1, -2, 0], [0, 1, 1], [2, 0, -1]]), dtype)
    agree(columns, fg.constant(5), a, fg.cast(fg.constant([[1], [-2], [0]]), dtype))


@pytest.mark.alone
def test_an_endless_loop_is_interrupted():
    @fg.function(jit_compile=True)
    def endless(n):
        i = fg.constant(0)
        while n > 0:
            i += 1
        return i

    endless(fg.constant(0))
    gc.collect()  # a collection that the interrupt meets would lose it
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    watch = processor_time.Stopwatch()
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        endless(fg.constant(1))
    assert watch.seconds() < 2.0


def test_it_becomes_code_once_it_ran_for_a_while():
    def count(n):
        i = fg.constant(0, fg.int64)
        while i < n:
            i += 1
        return i

    warm, steps = fg.function(count), fg.function(count, jit_compile=False)
    n = fg.constant(200_000, fg.int64)
    times = []
    for f in (warm, steps):
        f(n)
        begin = time.process_time()
        assert int(f(n)) == 200_000
        times.append(time.process_time() - begin)
    assert times[0] < times[1] / 2


def test_memory_of_dropped_functions_is_given_back():
    def resident():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def once():
        @fg.function(jit_compile=True)
        def f(x):
            return fg.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 0.5), [0, x])[1]

        assert float(f(fg.constant(8.0))) == 1.0

    for _ in range(100):
        once()
    before = resident()
    for _ in range(400):
        once()
    assert resident() - before < 8 << 20
