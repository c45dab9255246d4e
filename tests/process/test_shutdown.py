"""The interpreter ends in peace whatever daemon threads do, and interrupts reach the program."""

import pytest

PROGRAM = """
import threading, time
import ferrograph as fg

started = threading.Event()


def fresh(k):
    def g(x):
        for i in range(20):
            x = x + float(k)
        return x
    return fg.function(g)


def trace(k):
    fresh(k)(fg.ones([2]))


def gradient(k):
    x = fg.ones([2])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fresh(k)(x)
    tape.gradient(y, x)


def callback(k):
    f = fg.function(lambda x: fg.numpy_function(lambda x: x + k, [x], fg.float32))
    for _ in range(100):
        f(fg.ones([2]))


def dataset(k):
    def generate():
        for i in range(100):
            yield i
    spec = fg.TensorSpec([], fg.int64)
    for _ in fg.data.Dataset.from_generator(generate, output_signature=spec).map(lambda x: x + k):
        pass


def compute(k):
    x = fg.ones([300, 300])
    f = fg.function(lambda x: fg.matmul(x, x))
    for _ in range(10):
        f(x)


def work(k):
    while True:
        started.set()
        %s(k)


for k in range(4):
    threading.Thread(target=work, args=(k,), daemon=True).start()
started.wait()
time.sleep(0.3)
"""


@pytest.mark.parametrize("work", ["trace", "gradient", "callback", "dataset", "compute"])
def test_daemon_threads_do_not_abort_the_process(run_python, work):
    for _ in range(3):
        run_python(PROGRAM % work)


def test_an_exception_during_shutdown_is_the_programs_own(run_python):
    done = run_python(PROGRAM % "trace" + "raise SystemExit(3)\n", check=False)
    assert done.returncode == 3, done.stderr


@pytest.mark.parametrize("microseconds", [1, 10, 100, 1000, 10_000])
def test_an_interrupt_while_numpy_is_looked_up_is_raised(run_python, microseconds):
    run_python(
        f"""
        import signal
        import ferrograph as fg
        import numpy  # whose own import cannot be begun again where it is interrupted


        class Stop(BaseException):
            pass


        def stop(*_):
            raise Stop


        signal.signal(signal.SIGALRM, stop)
        x = fg.ones([2])
        try:
            signal.setitimer(signal.ITIMER_REAL, {microseconds}e-6)
            while True:
                x.numpy()
        except Stop:
            pass
        assert x.numpy().tolist() == [1.0, 1.0]
        """
    )
