"""Loops over Python values that are left on the value of a tensor.

The right value is what plain Python gives for the same function called eagerly. TensorFlow 2.21
refuses such loops (NotImplementedError).
"""

import itertools

import ferrograph as fg
import numpy as np
import pytest


class Layers:
    def __init__(self):
        self.factors = [2, 3, 5, 7]
        self.used = 0


def while_true(x):
    while True:
        x = x * 2
        if x > 10:
            break
    return x


def while_true_returns(x):
    while True:
        x = x + 3
        if x > 20:
            return x * 10


def while_true_counts(x):
    n = 0
    while True:
        n += 1
        if x > 50:
            break
        x = x * 3
    return x, n


def while_true_continues(x):
    total = x * 0
    while True:
        x = x + 1
        if x % 2 == 0:
            continue
        total = total + x
        if x > 9:
            break
    return total


def while_true_else_free(x):
    y = x
    while 1:
        if y >= 7:
            break
        y = y + 2
    return y - x


def bounded_while(x):
    n = 0
    while n < 5:
        n += 1
        if x > 10:
            break
        x = x * 2
    return x, n


def bounded_while_with_else(x):
    n, found = 0, 0
    while n < 4:
        n += 1
        x = x * 2
        if x > 12:
            found = n
            break
    else:
        found = -1
    return found


def over_a_range(x):
    for i in range(5):
        if x > 10:
            break
        x = x * 2 + i
    return x


def over_a_list_of_functions(x):
    for f in [lambda v: v + 1, lambda v: v * 3, lambda v: v - 2, lambda v: v * v]:
        x = f(x)
        if x > 9:
            break
    return x


def over_a_tuple_with_else(x):
    y = 0
    for k in (1, 2, 3):
        if x == k:
            y = x * 100
            break
    else:
        y = x - 1000
    return y


def over_a_dict(x):
    for name, value in {"a": 1, "bc": 4, "def": 9}.items():
        x = x + value + len(name)
        if x > 8:
            break
    return x


def over_enumerate(x):
    last = -1
    for i, k in enumerate([3, 1, 4, 1, 5]):
        last = i
        x = x - k
        if x < 0:
            break
    return x, last


def over_zip(x):
    for a, b in zip([1, 2, 3], [10, 20, 30], strict=False):
        x = x + a * b
        if x > 45:
            break
    return x


def over_a_generator(x):
    for k in (n * n for n in range(6)):
        x = x + k
        if x > 6:
            break
    return x


def over_an_iterator_that_goes_on(x):
    for k in itertools.chain([1, 2], [3], range(4, 6)):
        if x > k * 2:
            break
        x = x + 1
    return x


def breaks_twice(x):
    for i in range(4):
        x = x + i
        if x > 8:
            break
        x = x * 2
        if x == 4:
            break
    return x


def nested(x):
    n = 0
    for _ in range(3):
        for _ in range(3):
            x = x + 2
            n += 1
            if x > 9:
                break
        if x > 11:
            break
    return x, n


def inside_a_branch(x):
    if x > 0:
        for i in range(4):
            x = x + i
            if x > 3:
                break
    return x


def inside_a_staged_loop(x):
    for _ in fg.range(3):
        for i in range(3):
            if x > 10:
                break
            x = x * 2 + i
        while True:
            x = x - 3
            if x < 5:
                break
    return x


def attributes(x):
    layers = Layers()
    for k in layers.factors:
        layers.used += 1
        x = x * k
        if x > 20:
            break
    return x, layers.used


def returns_from_range(x):
    for i in range(5):
        if x < i:
            return x * 10 + i
    return x


def long_range(x):
    n = 0
    for i in range(40):
        if x * i > 60:
            break
        n = n + i
    return n


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__
            and not isinstance(f, type) and callable(f)]  # fmt: skip
STARTS = [-3, 0, 1, 2, 3, 6, 11, 25]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_loop_left_by_a_tensor_is_as_in_plain_python(program):
    traced = fg.function(program)
    starts = [s for s in STARTS if s > 0] if program.__name__ in NEED_POSITIVE else STARTS
    for start in starts:
        wanted = program(start)
        found = traced(fg.constant(start))
        flat = lambda v: [int(p) for p in (v if isinstance(v, tuple) else (v,))]  # noqa: E731
        assert flat(found) == flat(wanted), start


NEED_POSITIVE = {"while_true", "while_true_counts"}  # which would never end


def test_endless_iterators_are_refused_with_the_line():
    @fg.function
    def f(x):
        for i in itertools.count():
            x = x + i
            if x > 10:
                break
        return x

    with pytest.raises(fg.autograph.errors.UnstageableLoopError, match="for i in itertools.count"):
        f(fg.constant(1))


def test_gradients_flow_through_a_loop_that_a_tensor_leaves():
    def f(x):
        for k in (2.0, 3.0, 5.0):
            x = x * k
            if x > 10.0:
                break
        return x

    for start, slope in ((1.0, 30.0), (2.0, 6.0), (6.0, 2.0)):
        x = fg.constant(start)
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.function(f)(x)
        assert float(tape.gradient(y, x)) == slope
        np.testing.assert_allclose(float(y), f(start))
