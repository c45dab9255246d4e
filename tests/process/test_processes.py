"""A forked child can go on calling, whatever the parent has done before."""

import pytest

pytestmark = pytest.mark.alone

FORK = """
import os, signal, time
import ferrograph as fg


@fg.function
def f(x, y):
    return fg.matmul(x, y) + 1.0


{parent}
child = os.fork()
if child == 0:
    {child}
    os._exit(0 if right else 1)
_, status = os.waitpid(child, 0)
spent = os.times().children_user + os.times().children_system
assert status == 0, f"the child ended with {{status}}"
assert spent < 2.0, f"the child computed for {{spent:.2f}} s"
"""

SMALL = "float(f(fg.ones([2, 2]), fg.ones([2, 2])).numpy()[0, 0])"
LARGE = "float(f(fg.ones([512, 512]), fg.ones([512, 512])).numpy()[0, 0])"


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("", f"right = {SMALL} == 3"),
        (f"assert {SMALL} == 3", f"right = {SMALL} == 3"),
        (f"assert {LARGE} == 513", f"right = {SMALL} == 3"),
        (f"assert {LARGE} == 513", f"right = {LARGE} == 513"),
    ],
    ids=["child-first", "small", "after-a-large-one", "both-large"],
)
def test_fork(run_python, parent, child):
    run_python(FORK.format(parent=parent, child=child))


def test_fork_while_another_thread_computes(run_python):
    parent = """
import threading

stop = threading.Event()
big = fg.ones([512, 512])


def busy():
    while not stop.is_set():
        f(big, big)


thread = threading.Thread(target=busy, daemon=True)
thread.start()
time.sleep(0.2)
"""
    program = FORK.format(parent=parent, child=f"right = {LARGE} == 513")
    run_python(program + "stop.set()\nthread.join()\n")


def test_spawned_processes(run_python):
    run_python(
        """
        import multiprocessing
        import ferrograph as fg


        @fg.function
        def square(x):
            return x * x


        def work(n):
            return int(square(fg.constant(n)).numpy())


        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            with context.Pool(2) as pool:
                assert pool.map(work, range(8)) == [n * n for n in range(8)]
        """
    )


BUSY = """
import os, signal, threading, time
import ferrograph as fg

large = fg.ones([400, 400])
total = fg.Variable(fg.zeros([400, 400]))
stop = threading.Event()


@fg.function
def step(x):
    total.assign_add(x)
    return fg.reduce_sum(fg.matmul(x, x)) + fg.reduce_sum(total)


@fg.function(max_traces=8)
def scale(x, k):
    for i in fg.range(2):
        x = x * float(k)
    return x


def compute():
    while not stop.is_set():
        step(large)


def trace():
    k = 0
    while not stop.is_set():
        k += 1
        scale(large, k)


threads = [threading.Thread(target=work) for work in (compute, compute, trace, trace)]
for thread in threads:
    thread.start()
time.sleep(0.2)
"""


def test_forks_while_others_compute_update_and_trace(run_python):
    children = """
try:
    for n in range(10):
        child = os.fork()
        if child == 0:
            right = float(scale(large, -n)[0, 0]) == n * n
            step(large)
            os._exit(0 if right else 1)
        _, status = os.waitpid(child, 0)
        assert status == 0, f"child {n} ended with {status}"
finally:
    stop.set()
    for thread in threads:
        thread.join()
"""
    run_python(BUSY + children, timeout=300)


def test_a_process_pool_while_others_compute_and_trace(run_python):
    children = """
import multiprocessing


def work(n):
    return float(scale(large, n)[0, 0])


try:
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(work, range(12)) == [float(n * n) for n in range(12)]
finally:
    stop.set()
    for thread in threads:
        thread.join()
"""
    run_python(BUSY + children, timeout=300)


def test_spawned_while_others_compute(run_python):
    run_python(
        """
        import multiprocessing
        import threading
        import ferrograph as fg

        stop = threading.Event()


        @fg.function
        def square(x):
            return x * x


        @fg.function
        def heavy(x):
            return fg.matmul(x, x)


        def work(n):
            return int(square(fg.constant(n)).numpy())


        def busy():
            large = fg.ones([400, 400])
            while not stop.is_set():
                heavy(large)


        if __name__ == "__main__":
            thread = threading.Thread(target=busy)
            thread.start()
            try:
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    assert pool.map(work, range(8)) == [n * n for n in range(8)]
            finally:
                stop.set()
                thread.join()
        """,
        timeout=300,
    )


def test_a_fork_from_within_a_call(run_python):
    run_python(
        """
        import os, signal
        import ferrograph as fg

        large = fg.ones([300, 300])


        def fork_here(x):
            child = os.fork()
            if child == 0:
                os._exit(0 if float(double(large)[0, 0]) == 600.0 else 1)
            _, status = os.waitpid(child, 0)
            assert status == 0
            return x


        @fg.function
        def double(x):
            return fg.matmul(x, x) + fg.matmul(x, x)


        @fg.function
        def f(x):
            return fg.py_function(fork_here, [fg.matmul(x, x)], fg.float32)


        double(large)
        assert float(f(large)[0, 0]) == 300.0
        """
    )


HELD = """
import os
import signal

import ferrograph as fg
from ferrograph._src.heap import trace_context

with trace_context.loud._lock, trace_context.traces._lock:
    child = os.fork()
    if child == 0:

        @fg.function
        def f(x):
            if x > 0:
                x = x * 2.0
            return x

        os._exit(int(float(f(fg.constant(1.5))) != 3.0))
    print(os.waitpid(child, 0)[1])
"""


def test_a_child_waits_for_no_lock_that_a_trace_held(run_python):
    assert run_python(HELD).stdout.split() == ["0"]
