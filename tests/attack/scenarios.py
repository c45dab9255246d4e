"""Programs under pressure: threads, forks, signals, shutdown, injected exceptions, small stacks.

Each function is one scenario, run by ``python scenarios.py NAME`` in a process of its own that has
to end well, within its time: an assertion, a crash or a hang fails it.
"""

import _thread
import ctypes
import gc
import importlib
import os
import pickle
import pkgutil
import random
import re
import signal
import sys
import threading
import time
from pathlib import Path

import ferrograph as fg
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from processor_time import Stopwatch, join  # noqa: E402


def in_threads(n, work):
    """Run ``work(i)`` in n threads at once; raises what one of them raised."""
    failed, barrier = [], threading.Barrier(n)

    def run(i):
        try:
            barrier.wait()
            work(i)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    join(*threads)
    if failed:
        raise failed[0]


def in_child(work):
    """Run ``work`` in a forked process, which has to end well."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as e:
            print(repr(e), file=sys.stderr, flush=True)
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


# What opens the installed Keras, which need not be there.
_NEEDS_KERAS = re.compile(r"ferrograph\.(keras|_src\.face\.keras_parts)")


def import_all():
    """Import what is imported late.

    A handler cannot use a module that is half imported, and what it raises while Python drops the
    lock of an import goes no further (a weak reference's callback, which has no caller).
    """
    for found in pkgutil.walk_packages(fg.__path__, "ferrograph."):
        if not _NEEDS_KERAS.fullmatch(found.name):
            importlib.import_module(found.name)
    importlib.import_module("numpy.random")


def interrupted(work, after=0.2, within=1.0):
    """SIGINT while ``work`` runs in the main thread: it ends with KeyboardInterrupt soon."""
    import_all()
    began = []

    def interrupt():
        time.sleep(after)
        began.append(Stopwatch())
        os.kill(os.getpid(), signal.SIGINT)

    try:
        threading.Thread(target=interrupt, daemon=True).start()
        work()
    except KeyboardInterrupt:
        late = began[0].seconds()
        assert late < within, f"the interrupt took {late:.2f} s"
        return
    raise AssertionError("nothing was interrupted")


@fg.function
def power(x):
    y = x
    for _ in fg.range(5):
        y = y * x
    return y


# Threads.


def thread_first_calls():
    f = fg.function(lambda x: x + 1.0)
    in_threads(8, lambda i: [f(fg.ones([i % 3 + 1, k])) for k in range(1, 30)])


def thread_same_function_by_shape():
    in_threads(6, lambda i: [power(fg.fill([i + 1], 1.5)) for _ in range(200)])


def thread_variable_updates():
    v = fg.Variable(0)
    in_threads(8, lambda i: [v.assign_add(1) for _ in range(500)])
    assert int(v) == 4000


def thread_tapes():
    v = fg.Variable(2.0)

    def work(i):
        for _ in range(100):
            with fg.GradientTape() as tape:
                y = power(v)
            assert float(tape.gradient(y, v)) == 6 * 32.0

    in_threads(6, work)


def thread_one_iterator():
    iterator = iter(fg.data.Dataset.range(2000))
    seen = []
    in_threads(6, lambda i: seen.extend(int(x) for x in iterator))
    assert sorted(seen) == list(range(2000))


def thread_prefetching_iterators():
    data = fg.data.Dataset.range(200).map(lambda x: x + 1).prefetch(4)
    in_threads(6, lambda i: [None for _ in range(3) if len(list(data)) != 200 and 1 / 0])


def thread_tracing_while_collecting():
    def work(i):
        for k in range(40):
            fg.function(lambda x, k=k: x * k + i)(fg.constant(1.0))
            gc.collect(0)

    in_threads(4, work)


def thread_cache_clear_while_calling():
    f = fg.function(lambda x: x * 2.0)

    def work(i):
        for k in range(200):
            if i == 0:
                f.cache_clear()
            assert f(fg.ones([k % 5 + 1])).shape[0] == k % 5 + 1

    in_threads(4, work)


def thread_callbacks():
    f = fg.function(lambda x: fg.py_function(lambda v: v * 2.0, [x], fg.float32))
    in_threads(6, lambda i: [f(fg.constant(float(i))) for _ in range(100)])


def thread_random():
    in_threads(6, lambda i: [fg.random.normal([100]) for _ in range(200)])


def thread_nested_functions():
    inner = fg.function(lambda x: x * x)
    outer = fg.function(lambda x: inner(x) + inner(x + 1.0))
    in_threads(6, lambda i: [outer(fg.ones([i + 1, k + 1])) for k in range(20)])


def thread_pickles():
    f = power.get_concrete_function(fg.TensorSpec([None]))
    in_threads(4, lambda i: [pickle.loads(pickle.dumps(f))(fg.ones([2])) for _ in range(20)])


def thread_settings():
    def work(i):
        for _ in range(100):
            with fg.device("/CPU:0"), fg.name_scope(f"s{i}"):
                fg.function(lambda x: x + 1)(fg.constant(i))

    in_threads(6, work)


def thread_small_stacks():
    threading.stack_size(256 * 1024)
    in_threads(4, lambda i: [power(fg.ones([3])) for _ in range(20)])


def thread_small_stacks_trace():
    threading.stack_size(512 * 1024)

    def nested(x, depth):
        return x if depth == 0 else fg.cond(x > 0.0, lambda: nested(x, depth - 1), lambda: x)

    in_threads(2, lambda i: fg.function(lambda x: nested(x, 6))(fg.constant(1.0)))


# Forks.


def fork_idle():
    power(fg.constant(1.0))
    in_child(lambda: power(fg.constant(2.0)))


def fork_then_trace():
    in_child(lambda: fg.function(lambda x: fg.matmul(x, x))(fg.ones([300, 300])))


def fork_while_computing():
    x, stop = fg.ones([400, 400]), []
    threads = [
        threading.Thread(target=lambda: [fg.matmul(x, x) for _ in iter(lambda: not stop, False)])
        for _ in range(2)
    ]
    for t in threads:
        t.start()
    for _ in range(5):
        in_child(lambda: fg.matmul(x, x))
    stop.append(1)
    for t in threads:
        t.join()


def fork_while_tracing():
    stop = []

    def trace():
        while not stop:
            fg.function(lambda x: x + 1.0)(fg.constant(1.0))

    t = threading.Thread(target=trace)
    t.start()
    for _ in range(5):
        in_child(lambda: fg.function(lambda x: x * 2.0)(fg.constant(1.0)))
    stop.append(1)
    t.join()


def fork_with_a_prefetching_iterator():
    data = fg.data.Dataset.range(1000).map(lambda x: x + 1).prefetch(3)
    iterator = iter(data)
    next(iterator)

    def child():
        assert len(list(data)) == 1000
        try:
            next(iterator)
        except fg.errors.FailedPreconditionError:
            return
        raise AssertionError("the thread is not here")

    in_child(child)
    assert int(next(iterator)) == 2


def fork_with_variables_and_tapes():
    v = fg.Variable(1.0)
    with fg.GradientTape() as tape:
        y = power(v)
    in_child(lambda: (v.assign(5.0), tape.gradient(y, v)))
    assert float(v) == 1.0


def fork_in_a_callback():
    def fork(x):
        in_child(lambda: fg.constant(1.0) + 1.0)
        return x

    fg.function(lambda x: fg.py_function(fork, [x], fg.float32))(fg.constant(1.0))


def fork_twice():
    in_child(lambda: in_child(lambda: power(fg.constant(1.0))))


def spawned_processes():
    import multiprocessing

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(abs, [fg.constant(-1.0).numpy()]) == [1.0]


# Signals and other exceptions from outside.


def interrupt_a_staged_loop():
    @fg.function
    def endless(x):
        while x < 1.0:
            x = x * 1.0
        return x

    interrupted(lambda: endless(fg.constant(0.5)))
    assert float(power(fg.constant(1.0))) == 1.0


def interrupt_a_dataset():
    interrupted(lambda: [None for _ in fg.data.Dataset.range(1).repeat()])


def interrupt_a_filter_that_drops_all():
    data = fg.data.Dataset.range(1).repeat().filter(lambda x: x < 0)
    interrupted(lambda: next(iter(data)))


def interrupt_a_wait_for_a_producer():
    def slow():
        time.sleep(30)
        yield 1

    data = fg.data.Dataset.from_generator(slow, output_signature=fg.TensorSpec([], fg.int32))
    interrupted(lambda: next(iter(data.prefetch(1))))
    os._exit(0)  # the producer sleeps on


def interrupt_tracing():
    def body(x):
        while True:
            x = x + 1.0

    interrupted(lambda: fg.function(body, autograph=False)(fg.constant(1.0)))
    assert fg.executing_eagerly() and not fg.inside_function()


def interrupt_a_callback():
    def forever(x):
        while True:
            time.sleep(0.01)

    interrupted(lambda: fg.function(lambda x: fg.py_function(forever, [x], fg.float32))(1.0))
    assert fg.executing_eagerly()


def interrupt_many_times():
    @fg.function
    def endless(x):
        while x < 1.0:
            x = x * 1.0
        return x

    endless(fg.constant(1.0))
    for _ in range(5):
        interrupted(lambda: endless(fg.constant(0.5)), after=0.05)


def signals_at_random():
    hits = []
    signal.signal(signal.SIGALRM, lambda *_: hits.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    for k in range(100):
        fg.function(lambda x, k=k: power(x) + k)(fg.constant(1.0))
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert hits


def a_handler_that_computes():
    values = []
    import_all()

    # The next signal comes after the handler: handlers within handlers would end the stack.
    def handle(*_):
        with fg.init_scope():
            values.append(power(fg.constant(2.0)))
        signal.setitimer(signal.ITIMER_REAL, 0.002)

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    for k in range(60):
        fg.function(lambda x, k=k: power(x) + k)(fg.ones([k + 1]))
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    assert {float(v) for v in values} <= {64.0}


def _inject(thread_id, kind):
    """Raise ``kind`` in a thread, where it looks for such the next time."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(kind))


def _traced_and_differentiated():
    f = fg.function(lambda x: power(x) + fg.reduce_sum(fg.ones([3])))
    with fg.GradientTape() as tape:
        tape.watch(x := fg.constant(1.5))
        y = f(x)
    tape.gradient(y, x)
    list(fg.data.Dataset.range(5).map(lambda x: x + 1))


def _taken(tokens):
    """Whether there was a token, which is gone now."""
    try:
        tokens.pop()
    except IndexError:
        return False
    return True


def exceptions_injected():
    class Injected(Exception):
        pass

    import_all()  # compiled modules that are stopped while they are imported raise what they like
    # Who takes the token says what comes: the exception, within the `try`, or none.
    main, stop, tokens = _thread.get_ident(), [], []

    def inject():
        rng = random.Random(0)
        while not stop:
            time.sleep(rng.random() * 0.003)
            if _taken(tokens):
                _inject(main, Injected)

    t = threading.Thread(target=inject, daemon=True)
    t.start()
    n_hits, end = 0, time.monotonic() + 5
    while time.monotonic() < end:
        try:
            tokens.append(1)
            _traced_and_differentiated()
            if not _taken(tokens):
                # A finalizer may have swallowed it.
                for _ in range(100):
                    time.sleep(0.01)
        except Injected:
            n_hits += 1
    stop.append(1)
    t.join()
    assert n_hits > 10
    assert fg.executing_eagerly() and not fg.inside_function()
    assert float(fg.function(lambda x: x + 1.0)(fg.constant(1.0))) == 2.0


def memory_errors_injected():
    main = _thread.get_ident()
    for k in range(200):
        timer = threading.Timer(0.001 + 0.0002 * (k % 20), _inject, (main, MemoryError))
        try:
            timer.start()
            fg.function(lambda x: fg.einsum("ij,jk->ik", x, x))(np.ones((4, 4), np.float32))
            timer.join()
            time.sleep(0)
        except MemoryError:
            continue
    assert fg.executing_eagerly()


def exceptions_from_callbacks():
    class Own(Exception):
        pass

    def fail(x):
        raise Own("own")

    f = fg.function(lambda x: fg.py_function(fail, [x], fg.float32))
    for _ in range(50):
        try:
            f(fg.constant(1.0))
        except (Own, fg.errors.OpError):
            continue
        raise AssertionError("nothing was raised")


def system_exit_from_a_callback():
    def leave(x):
        raise SystemExit(0)

    try:
        fg.function(lambda x: fg.py_function(leave, [x], fg.float32))(fg.constant(1.0))
    except BaseException:
        return
    raise AssertionError("nothing was raised")


# Stacks.


def recursion_while_tracing():
    def endless(x):
        return endless(x + 1.0)

    for staged in (True, False):
        try:
            fg.function(endless, autograph=staged)(fg.constant(1.0))
        except RecursionError:
            continue
        raise AssertionError("no RecursionError")
    assert float(power(fg.constant(1.0))) == 1.0


def recursion_in_evil_methods():
    class Own:
        def __array__(self, dtype=None, copy=None):
            return np.asarray(fg.constant(self))

        def __len__(self):
            return len(fg.constant(self))

    try:
        fg.constant(Own())
    except (RecursionError, TypeError, ValueError):
        return
    raise AssertionError("no error")


def high_recursion_limit():
    sys.setrecursionlimit(10**6)
    threading.stack_size(64 << 20)
    deep = []
    for _ in range(50_000):
        deep = [deep]

    def work(i):
        for call in (fg.constant, fg.function(lambda x: x), fg.nest.flatten):
            try:
                call(deep)
            except (RecursionError, ValueError, TypeError):
                continue

    in_threads(1, work)


def deep_graphs():
    @fg.function
    def deep(x):
        for _ in range(20_000):
            x = x + 1.0
        return x

    v = fg.Variable(0.0)
    with fg.GradientTape() as tape:
        y = deep(v)
    assert float(y) == 20_000.0 and float(tape.gradient(y, v)) == 1.0


def deep_regions():
    def nested(x, depth):
        return x if depth == 0 else fg.cond(x > 0.0, lambda: nested(x, depth - 1), lambda: x)

    f = fg.function(lambda x: nested(x, 60), autograph=False)
    assert float(f(fg.constant(1.0))) == 1.0


def many_tapes():
    x = fg.constant(2.0)
    tapes = [fg.GradientTape(persistent=True) for _ in range(200)]
    for tape in tapes:
        tape.__enter__()
        tape.watch(x)
    y = x * x
    for tape in reversed(tapes):
        tape.__exit__(None, None, None)
    assert {float(t.gradient(y, x)) for t in tapes} == {4.0}


# Shutdown: what goes on when the interpreter ends.


def exit_while_a_daemon_computes():
    x = fg.ones([500, 500])
    threading.Thread(target=lambda: [fg.matmul(x, x) for _ in range(10**6)], daemon=True).start()
    time.sleep(0.2)


def exit_while_a_daemon_traces():
    def trace():
        while True:
            fg.function(lambda x: x + 1.0)(fg.constant(1.0))

    for _ in range(2):
        threading.Thread(target=trace, daemon=True).start()
    time.sleep(0.3)


def exit_while_a_daemon_runs_callbacks():
    f = fg.function(lambda x: fg.py_function(lambda v: v + 1.0, [x], fg.float32))

    def run():
        while True:
            f(fg.constant(1.0))

    threading.Thread(target=run, daemon=True).start()
    time.sleep(0.3)


def exit_while_prefetching():
    data = fg.data.Dataset.range(10**9).map(lambda x: x + 1).prefetch(8)
    globals()["kept"] = iterator = iter(data)
    next(iterator)


def exit_while_prefetching_from_python():
    def numbers():
        n = 0
        while True:
            n += 1
            yield n

    data = fg.data.Dataset.from_generator(numbers, output_signature=fg.TensorSpec([], fg.int32))
    globals()["kept"] = iterator = iter(data.prefetch(8))
    next(iterator)


def exit_while_a_daemon_iterates():
    def run():
        while True:
            for _ in fg.data.Dataset.range(100).map(lambda x: x + 1).prefetch(2):
                pass

    threading.Thread(target=run, daemon=True).start()
    time.sleep(0.3)


def exit_in_atexit():
    import atexit

    atexit.register(lambda: power(fg.constant(2.0)))
    atexit.register(lambda: list(fg.data.Dataset.range(3).prefetch(1)))


def exit_with_a_tape_open():
    tape = fg.GradientTape()
    tape.__enter__()
    power(fg.Variable(1.0))
    globals()["kept"] = tape


def exit_inside_a_trace():
    def leave(x):
        sys.exit(0)

    fg.function(leave, autograph=False)(fg.constant(1.0))


def exit_with_values_in_cycles():
    class Own:
        def __del__(self):
            self.value + 1.0
            power(self.value)

    own = Own()
    own.value, own.self = fg.constant(1.0), own
    globals()["kept"] = own


def exit_within_tenth_of_a_second_of_import():
    threading.Thread(target=lambda: fg.data.Dataset.range(3), daemon=True).start()


# Damage.


def damaged_pickles():
    source = pickle.dumps(power.get_concrete_function(fg.TensorSpec([None])))
    rng = random.Random(0)
    for _ in range(400):
        data = bytearray(source)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            pickle.loads(bytes(data))(fg.ones([2]))
        except Exception as e:
            assert not isinstance(e, fg.errors.InternalError), e
            assert type(e).__name__ != "PanicException"


def cut_pickles():
    source = pickle.dumps([fg.constant([1.0, 2.0]), fg.Variable(["a"]), power])
    for end in range(0, len(source), 7):
        try:
            pickle.loads(source[:end])
        except Exception as e:
            assert not isinstance(e, fg.errors.InternalError), e


def names():
    """All scenarios, in the order of this file."""
    helpers = {"in_threads", "in_child", "interrupted", "names"}
    own = [
        (v.__code__.co_firstlineno, n)
        for n, v in globals().items()
        if hasattr(v, "__code__") and v.__module__ == __name__
    ]
    return [n for _, n in sorted(own) if n not in helpers and not n.startswith("_")]


if __name__ == "__main__":
    # A shell that starts the attack in its background would have it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    globals()[sys.argv[1]]()
