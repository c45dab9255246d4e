"""Hangs are told by processor time: programs that compute for ever, or wait for ever."""

import subprocess
import sys
import threading
import time

import processor_time
import pytest


def started(program, **limits):
    return processor_time.run([sys.executable, "-c", program], capture_output=True, **limits)


def test_a_program_that_ends_gives_its_output_and_status():
    done = started("print('out'); import sys; sys.exit(3)", seconds=30)
    assert (done.returncode, done.stdout) == (3, b"out\n")


def test_input_reaches_the_program():
    program = "import sys, time; time.sleep(0.8); print(sys.stdin.read()[::-1])"
    done = processor_time.run(
        [sys.executable, "-c", program], seconds=30, input="abc", capture_output=True, text=True
    )
    assert done.stdout == "cba\n"


def test_a_program_that_computes_for_too_long_hangs():
    with pytest.raises(subprocess.TimeoutExpired, match="of the processor") as caught:
        started("print(1, flush=True)\nwhile True: pass", seconds=0.5)
    assert caught.value.output == b"1\n"


def test_computing_in_a_child_counts():
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    with pytest.raises(subprocess.TimeoutExpired):
        started(program, seconds=0.5, waiting=60)


def test_threads_that_wait_for_each_other_hang():
    program = """
import threading
first, second = threading.Lock(), threading.Lock()
first.acquire(), second.acquire()
threading.Thread(target=first.acquire).start()
second.acquire()
"""
    with pytest.raises(subprocess.TimeoutExpired, match="waiting"):
        started(program, seconds=30, waiting=1)


def test_a_program_that_wants_the_processor_is_not_waiting():
    # It computes for longer by the clock than it may wait.
    program = "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: pass"
    assert started(program, seconds=30, waiting=1).returncode == 0


def test_a_thread_that_waits_for_ever_hangs():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    with pytest.raises(AssertionError, match="waits"):
        processor_time.join(thread, seconds=1)
    stop.set()
    processor_time.join(thread)
    assert not thread.is_alive()


def test_a_stopwatch_tells_the_lesser_time():
    watch = processor_time.Stopwatch()
    time.sleep(0.3)
    assert watch.seconds() < 0.2
