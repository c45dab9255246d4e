"""Calls and traces leave no memory behind.

Each measurement first runs the same work long enough for caches and allocators to settle, then
bounds what more of it adds to the resident memory of a process of its own.
"""

import pytest

MEASURE = """
import gc
import ferrograph as fg


def resident_kib():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4
"""


def growth(run_python, work, warm, timed):
    measure = f"""
work({warm})
before = resident_kib()
work({timed})
print(resident_kib() - before)
"""
    return int(run_python(MEASURE + work + measure, timeout=300).stdout)


def test_calls(run_python):
    work = """
@fg.function
def f(x, y):
    return x * y + 1.0

x = fg.ones([64])

def work(n):
    for _ in range(n):
        f(x, x)
"""
    # A leak of a single 64-element result in eight calls would show.
    assert growth(run_python, work, 10_000, 100_000) < 3000


def test_eager_gradients(run_python):
    work = """
v = fg.Variable(fg.ones([64]))

def work(n):
    for _ in range(n):
        with fg.GradientTape() as tape:
            y = fg.reduce_sum(v * v)
        tape.gradient(y, v)
"""
    assert growth(run_python, work, 3_000, 30_000) < 3000


def test_dropped_functions(run_python):
    work = """
def fresh(k):
    @fg.function
    def f(x):
        if x > k:
            x = x * 2.0
        return x + k
    return f

x = fg.constant(1.0)

def work(n):
    for k in range(n):
        fresh(float(k))(x)
"""
    # 2,000 traces kept alive take several times this.
    assert growth(run_python, work, 1_000, 2_000) < 4000


def test_dropped_variables(run_python):
    work = """
def work(n):
    for _ in range(n):
        v = fg.Variable(fg.zeros([256, 1024]))

        @fg.function
        def f():
            return v.assign_add(fg.ones([256, 1024]))

        f()
"""
    # One variable is a mebibyte.
    assert growth(run_python, work, 20, 100) < 20_000


GROWING = """
import numpy as np


def work(n):
    f = fg.function(lambda x: fg.reduce_sum(x * 2 + 1) * x, reduce_retracing=True)
    for i in range(1, n):
        f(fg.zeros([i]))
    {end}
"""


@pytest.mark.parametrize("end", ["f.cache_clear()", "del f"])
def test_growing_shapes(run_python, end):
    """What is kept for reuse is given back: a first round leaves little, others nothing."""
    rounds = """
before = resident_kib()
work(6_000)
first = resident_kib()
work(6_000)
print(first - before, resident_kib() - first)
"""
    program = MEASURE + GROWING.format(end=end) + "work(10)" + rounds
    left, more = map(int, run_python(program, timeout=300).stdout.split())
    assert left < 12_000
    assert more < 5_000
