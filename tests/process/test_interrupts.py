"""Ctrl-C ends long work soon, whatever the work is, and what comes after it computes as ever."""

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from processor_time import Stopwatch
"""
PROGRAM += """
import os, signal, threading, time
import ferrograph as fg
import numpy as np

rng = np.random.default_rng(0)


def floats(*shape):
    return fg.constant(rng.standard_normal(shape, np.float32))


def eager(call, *args):
    return lambda: call(*args)


def traced(call, *args):
    f = fg.function(call, autograph=False)
    return lambda: f(*args)


def endless():
    return fg.while_loop(lambda i: i >= 0, lambda i: i * 0, [fg.constant(0)])


def texts(n):
    return fg.constant([b"a long line of text, number %%d" %% i for i in range(n)])


def dataset():
    for _ in fg.data.Dataset.range(2**62).filter(lambda x: x < 0):
        pass


def keys(n, limit=2**40):
    return fg.constant(rng.integers(0, limit, n))


def updates():
    v, x = fg.Variable(fg.zeros([50_000_000])), fg.ones([50_000_000])
    while True:
        v.assign_add(x)


def callbacks():
    @fg.function
    def f(x):
        while x < 0.0:
            x = fg.ensure_shape(fg.py_function(lambda x: x, [x], fg.float32), [])
        return x

    f(fg.constant(-1.0))


empty = fg.data.Dataset.from_tensor_slices(fg.constant(np.zeros((2**40, 0), np.float32)))
ATTEMPTS = 4


WORK = {
    "matmul": lambda: eager(lambda x: x @ x, floats(5000, 5000)),
    "traced matmul": lambda: traced(lambda x: x @ x, floats(5000, 5000)),
    "einsum": lambda: eager(lambda x: fg.einsum("ij,kj->ik", x, x), floats(5000, 5000)),
    "sort": lambda: eager(fg.sort, floats(60_000_000)),
    "traced sort": lambda: traced(fg.sort, floats(60_000_000)),
    "unique": lambda: eager(fg.unique, keys(24_000_000)),
    "random": lambda: eager(fg.random.normal, [150_000_000]),
    "regex": lambda: eager(
        lambda x: fg.strings.regex_replace(x, "([a-z]+) ([a-z]+)", ""), texts(2_000_000)
    ),
    "one text": lambda: eager(
        lambda x: fg.strings.regex_replace(x, "b", "xy"), fg.constant(b"ab" * 40_000_000)
    ),
    "traced text": lambda: traced(
        lambda x: fg.strings.regex_replace(x, "b", "xy"), fg.constant(b"ab" * 40_000_000)
    ),
    "gather": lambda: eager(fg.gather, floats(10_000_000), keys(80_000_000, 10_000_000)),
    "scatter": lambda: eager(
        lambda i: fg.scatter_nd(i[:, None], fg.ones_like(i), fg.constant([10_000_000], fg.int64)),
        keys(60_000_000, 10_000_000),
    ),
    "cumsum": lambda: eager(
        lambda x: [fg.cumsum(x, axis) for axis in (0, 1, 0, 1)], floats(10_000, 10_000)
    ),
    "update of a variable": lambda: updates,
    "list": lambda: eager(fg.constant, [[0.5] * 10] * 6_000_000),
    "array of text": lambda: eager(fg.constant, np.full(6_000_000, "text")),
    "callbacks": lambda: callbacks,
    "elements": lambda: eager(lambda x: fg.map_fn(lambda e: e * 2.0, x), floats(1_000_000)),
    "rows": lambda: eager(list, floats(3_000_000)),
    "stack": lambda: eager(lambda x: [fg.stack(x) for _ in range(20)], list(floats(200_000))),
    "endless loop": lambda: endless,
    "traced endless loop": lambda: traced(endless),
    "dataset": lambda: dataset,
    "empty batches": lambda: eager(next, iter(empty.unbatch())),
    "interleave": lambda: eager(next, iter(empty.interleave(fg.data.Dataset.from_tensors).filter(
        lambda x: False))),
}
work = WORK[%r]()
asked = [0.0]


def ask():
    time.sleep(0.1)
    asked[0] = Stopwatch()
    os.kill(os.getpid(), signal.SIGINT)


late = []
for _ in range(ATTEMPTS):
    threading.Thread(target=ask).start()
    try:
        work()
    except KeyboardInterrupt:
        late.append(asked[0].seconds())
    else:
        raise SystemExit("the work is not long enough to be interrupted")
    if late[-1] < %f and len(late) > 1:
        break
print(min(late), late)
assert float(fg.reduce_sum(fg.matmul(fg.ones([300, 300]), fg.ones([300, 300])))) == 300.0**3
assert fg.sort([3, 1, 2]).numpy().tolist() == [1, 2, 3]
"""

# Of several attempts the best counts: a busy machine answers later now and then.
SOON = 0.2


@pytest.mark.parametrize(
    "work",
    [
        "matmul",
        "traced matmul",
        "einsum",
        "sort",
        "traced sort",
        "unique",
        "random",
        "regex",
        "one text",
        "traced text",
        "gather",
        "scatter",
        "cumsum",
        "update of a variable",
        "list",
        "array of text",
        "callbacks",
        "elements",
        "rows",
        "stack",
        "endless loop",
        "traced endless loop",
        "dataset",
        "empty batches",
        "interleave",
    ],
)
def test_long_work_heeds_it(run_python, work):
    best, *all_of_them = run_python(PROGRAM % (work, SOON), timeout=120).stdout.split()
    assert float(best) < SOON, all_of_them


HANDLER = """
import signal
import ferrograph as fg


class Late(Exception):
    pass


def late(*_):
    raise Late


signal.signal(signal.SIGALRM, late)
x = fg.ones([3000, 3000])
endless = fg.function(lambda n: fg.while_loop(lambda i: i < n, lambda i: i * 0, [0]))
endless(fg.constant(0))
for work in (lambda: [x @ x for _ in range(100)], lambda: endless(fg.constant(1))):
    for _ in range(3):
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            work()
        except Late as e:
            assert e.__cause__ is None
            print("late")
"""


def test_what_a_handler_raises_arrives_as_it_is(run_python):
    assert run_python(HANDLER).stdout.split() == ["late"] * 6


FOREIGN = """
import ctypes, os, signal, subprocess, sys, threading
import ferrograph as fg
from ferrograph._src.native import _core

x = fg.ones([500, 500])
x @ x  # which starts threads that Python does not know
known = {thread.native_id for thread in threading.enumerate()}
foreign = next(int(task) for task in os.listdir("/proc/self/task") if int(task) not in known)
endless = fg.function(lambda n: fg.data.Dataset.range(n).reduce(n, lambda total, i: total))
concrete = endless.get_concrete_function(fg.TensorSpec([], fg.int64))
wait = "import ctypes, sys, time; time.sleep(0.5); "
killer = wait + "ctypes.CDLL(None).tgkill(*map(int, sys.argv[1:]))"
ids = map(str, (os.getpid(), foreign, int(signal.SIGINT)))
child = subprocess.Popen([sys.executable, "-c", killer, *ids])
try:
    _core.run_planned(concrete, [fg.constant(2**62, fg.int64)])  # which holds the lock
except KeyboardInterrupt:
    print("ended")
child.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="signals are sent to one thread as there")
def test_a_signal_on_a_thread_that_python_does_not_know_ends_work(run_python):
    assert run_python(FOREIGN, timeout=60).stdout.split() == ["ended"]
