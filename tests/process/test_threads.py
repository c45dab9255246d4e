"""Many threads may call one function."""

import threading

import ferrograph as fg
import numpy as np
import processor_time

N_THREADS = 8


def together(work):
    """Run `work(k)` in each of the threads, all starting at once; their results in order."""
    barrier = threading.Barrier(N_THREADS)
    results = [None] * N_THREADS

    def run(k):
        barrier.wait()
        try:
            results[k] = work(k)
        except BaseException as error:
            results[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(N_THREADS)]
    for thread in threads:
        thread.start()
    processor_time.join(*threads)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def test_the_first_calls_trace_once():
    traced = []

    @fg.function
    def f(x):
        traced.append(threading.get_ident())
        total = fg.constant(0.0)
        for i in fg.range(10):
            total += x * fg.cast(i, fg.float32)
        return total

    results = together(lambda k: f(fg.constant(float(k))).numpy())
    assert results == [45.0 * k for k in range(N_THREADS)]
    assert len(traced) == 1
    assert f.experimental_get_tracing_count() == 1


def test_warm_calls():
    @fg.function
    def f(x, w):
        return fg.reduce_sum(fg.matmul(x, w))

    w = fg.ones([64, 64])

    def work(k):
        x = fg.fill([64, 64], float(k))
        return [float(f(x, w).numpy()) for _ in range(200)]

    for k, values in enumerate(together(work)):
        assert values == [k * 64.0**3] * 200


def test_threads_trace_different_signatures():
    @fg.function
    def f(x):
        return x + x

    dtypes = [fg.float32, fg.float64, fg.int32, fg.int64]
    results = together(lambda k: f(fg.constant([k], dtypes[k % 4])).numpy())
    for k, result in enumerate(results):
        assert result.dtype == dtypes[k % 4].as_numpy_dtype
        np.testing.assert_array_equal(result, [2 * k])
    assert f.experimental_get_tracing_count() == 4


def test_updates_of_a_variable_are_not_lost():
    v = fg.Variable(0)

    @fg.function
    def bump():
        v.assign_add(1)

    def work(_):
        for _ in range(500):
            bump()

    together(work)
    assert v.numpy() == 500 * N_THREADS


def test_each_thread_has_its_own_tape():
    @fg.function
    def f(x):
        return x * x

    def work(k):
        x = fg.constant(float(k))
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x).numpy()

    assert together(work) == [2.0 * k for k in range(N_THREADS)]
