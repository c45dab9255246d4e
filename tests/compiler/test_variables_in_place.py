"""Assignments that are fused with what is computed for them do what single steps do."""

import threading

import ferrograph as fg
import numpy as np
import pytest
from ferrograph import _core

SIZE = 5000


def numbers(seed, shape=(SIZE,)):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def adam(m, v, p, g):
    m.assign(0.9 * m + 0.1 * g)
    v.assign(0.999 * v + 0.001 * g * g)
    p.assign_sub(0.001 * m / (fg.sqrt(v) + 1e-7))
    return p[0]


def text(function, *args):
    concrete = function.get_concrete_function(*args)
    return _core.plan_text(concrete, list(args))


def bits(*variables):
    return [v.numpy().tobytes() for v in variables]


@pytest.mark.parametrize("shape", [(SIZE,), (50, 90)])
def test_adam_moves_every_byte_once(shape):
    names = range(3)
    eager, traced = ([fg.Variable(abs(numbers(k, shape))) for k in names] for _ in range(2))
    g = fg.constant(numbers(3, shape))
    step = fg.function(lambda g: adam(*traced, g))
    for _ in range(3):
        adam(*eager, g), step(g)
    assert bits(*eager) == bits(*traced)
    n = 4 * g.numpy().size
    plan = text(step, g)  # which reads five single numbers beside
    assert f"reads {4 * n + 20} writes {3 * n}" in plan, plan


def test_a_variable_that_nobody_holds_is_changed():
    v = fg.Variable(numbers(0))
    step = fg.function(lambda x: v.assign_add(fg.tanh(x)))
    x = fg.constant(numbers(1))
    before = v.numpy().copy()
    step(x)
    assert np.array_equal(v.numpy(), before + fg.tanh(x).numpy())


def test_values_that_were_read_stay_as_they_were():
    v = fg.Variable(numbers(0))
    held = [v.read_value(), v.numpy(), fg.identity(v)]
    copies = [np.array(h) for h in held]

    @fg.function
    def step(x):
        old = v.read_value()
        v.assign(old * 2.0 + x)
        now = v.read_value()
        v.assign_sub(x * 0.5)
        return old, now, old + now

    old, now, both = step(fg.ones([SIZE]))
    for h, copy in zip(held, copies, strict=True):
        assert np.array_equal(np.asarray(h), copy)
    assert np.array_equal(old.numpy(), copies[0])
    assert np.array_equal(now.numpy(), copies[0] * 2 + 1)
    assert np.array_equal(both.numpy(), old.numpy() + now.numpy())
    assert np.array_equal(v.numpy(), now.numpy() - 0.5)


def test_one_variable_under_two_names():
    @fg.function
    def step(a, b, x):
        before = a * 2.0
        b.assign(before + x)
        after = a + 1.0
        a.assign_add(after * b)
        b.assign_sub(x)
        return before + after

    x = fg.constant(numbers(1))
    one, other = fg.Variable(numbers(0)), fg.Variable(numbers(2))
    step(one, other, x)  # traced with two
    v, w = fg.Variable(numbers(0)), fg.Variable(numbers(0))
    got, want = step(v, v, x), step.python_function(w, w, x)
    assert bits(v) == bits(w)
    assert np.array_equal(got.numpy(), want.numpy())


def test_errors_come_where_the_program_stands():
    v = fg.Variable(numbers(0))
    late = fg.Variable(numbers(0), shape=fg.TensorShape(None))

    @fg.function
    def step(x):
        v.assign(v * 0.5 + x)
        late.assign_add(x * 2.0)
        v.assign_add(x)

    x = fg.ones([SIZE])
    step(x)
    late.assign(numbers(0, (7,)))
    before = v.numpy().copy()
    with pytest.raises(fg.errors.InvalidArgumentError):
        step(x)
    assert np.array_equal(v.numpy(), before * np.float32(0.5) + 1)


def test_what_was_written_before_an_error_stays_written():
    v = fg.Variable(numbers(0))

    @fg.function
    def step(x, i):
        v.assign(v * 0.5 + x)
        picked = fg.gather(x, i)
        v.assign_add(x * 2.0)
        return picked + fg.tanh(x)[0]

    before = v.numpy().copy()
    with pytest.raises(fg.errors.InvalidArgumentError):
        step(fg.ones([SIZE]), fg.constant(SIZE))
    assert np.array_equal(v.numpy(), before * np.float32(0.5) + 1)


def test_variables_change_in_branches_and_loops():
    v, w = fg.Variable(numbers(0)), fg.Variable(numbers(1))

    def step(x, n):
        for _ in fg.range(n):
            if fg.reduce_sum(v) > 0.0:
                v.assign(v * 0.5 - x)
            else:
                v.assign_add(fg.tanh(x) + w)
            w.assign_sub(v * 0.1)
        return v + w

    x, n = fg.constant(numbers(2)), fg.constant(5)
    start = v.numpy().copy(), w.numpy().copy()
    eager = step(x, n)
    end = bits(v, w)
    v.assign(start[0]), w.assign(start[1])
    assert fg.function(step)(x, n).numpy().tobytes() == eager.numpy().tobytes()
    assert bits(v, w) == end


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    start = [numbers(k) for k in range(3)]

    def program(variables, x, choice):
        values = [x, x * 0.5]
        for _ in range(choice.integers(3, 14)):
            v = variables[choice.integers(3)]
            a, b = (values[choice.integers(len(values))] for _ in range(2))
            match choice.integers(7):
                case 0:
                    v.assign(fg.tanh(a) + b * 0.5)
                case 1:
                    v.assign_add(a * 0.25)
                case 2:
                    v.assign_sub(b)
                case 3:
                    v.assign(a)
                case 4:
                    values.append(v.read_value())
                case 5:
                    values.append(v + fg.abs(a))
                case 6:
                    values.append(fg.maximum(a, b) * 0.75)
        return values[-2:]

    runs = []
    for traced in (False, True):
        variables = [fg.Variable(s) for s in start]
        if seed % 4 == 0:
            variables[2] = variables[0]

        def run(x, variables=variables):
            return program(variables, x, np.random.default_rng(seed))

        run = fg.function(run) if traced else run
        results = [t.numpy().tobytes() for _ in range(2) for t in run(fg.constant(numbers(9)))]
        runs.append(results + bits(*variables))
    assert runs[0] == runs[1]


def test_threads_lose_no_update():
    v, w = fg.Variable(fg.zeros([SIZE])), fg.Variable(fg.zeros([SIZE]))

    @fg.function
    def both(x):
        v.assign_add(x * 1.0)
        w.assign_sub(x * 1.0)

    def eagerly(x):
        w.assign_sub(x)
        v.assign_add(x)

    def work(step):
        x = fg.ones([SIZE])
        for _ in range(100):
            step(x)
            assert len(np.unique(v.numpy())) == 1

    threads = [threading.Thread(target=work, args=(s,)) for s in (both, eagerly, both)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.all(v.numpy() == 300.0)
    assert np.all(w.numpy() == -300.0)


@pytest.mark.parametrize(
    "divide", [fg.math.floordiv, fg.math.floormod, fg.truncatediv, fg.truncatemod]
)
def test_a_division_that_fails_leaves_variables_whole(divide):
    n = 100_000
    v = fg.Variable(np.arange(n, dtype=np.int32))

    @fg.function
    def f(a, b):
        c = (a + 1) * 2
        v.assign(v * 2 + c)
        return divide(c + 1, b) + a

    a = np.arange(n, dtype=np.int32)
    b = np.full(n, 3, np.int32)
    b[n // 2] = 0
    want = v.numpy()
    for _ in range(3):
        with pytest.raises(fg.errors.InvalidArgumentError, match="division by zero") as refused:
            f(a, b)
        assert "Op:AddV2" not in str(refused.value)
        want = want * 2 + (a + 1) * 2
        np.testing.assert_array_equal(v.numpy(), want)
    b[n // 2] = 7
    np.testing.assert_array_equal(f(a, b).numpy(), divide((a + 1) * 2 + 1, b).numpy() + a)
