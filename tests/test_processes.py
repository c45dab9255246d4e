"""A forked child can go on calling, whatever the parent has done before."""

import pytest

FORK = """
import os, signal, time
import ferrograph as fg


@fg.function
def f(x, y):
    return fg.matmul(x, y) + 1.0


{parent}
start = time.monotonic()
child = os.fork()
if child == 0:
    signal.alarm(20)
    {child}
    os._exit(0 if right else 1)
_, status = os.waitpid(child, 0)
took = time.monotonic() - start
assert status == 0, f"the child ended with {{status}}"
assert took < 1.0, f"the child took {{took:.2f}} s"
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
