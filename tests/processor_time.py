"""Programs in processes of their own, and whether one hangs: judged by processor time.

A busy machine makes everything slower by the clock, and changes little in what a program computes.
So a process is given up

- once it and its descendants have computed for longer than they may, or
- once none of their threads has wanted the processor for as long: all of them wait for one another.
"""

import collections
import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_WAITING = "SI"  # states of threads that do not want the processor
_EVERY = 0.5  # seconds between two looks
_IS_KNOWN = Path("/proc/self/stat").exists()
# Where the system does not tell: as many seconds by the clock for one of the processor.
_BUSY_MACHINE = 20


def _fields(path):
    """The state, the parent and the processor time of what a ``stat`` file describes."""
    try:
        fields = path.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # Its own time and that of its children which have ended.
    return fields[0], int(fields[1]), sum(map(int, fields[11:15])) / _TICKS


def _family(pid):
    """The process and its descendants that live: their processor times."""
    children, seconds = collections.defaultdict(list), {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (found := _fields(Path("/proc", entry, "stat"))):
            children[found[1]].append(int(entry))
            seconds[int(entry)] = found[2]
    family, due = {}, [pid]
    while due:
        one = due.pop()
        if one in seconds:
            family[one] = seconds[one]
            due += children[one]
    return family


def _is_waiting(pid):
    """Whether no thread of the process wants the processor, or the process has ended."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return True
    states = [_fields(Path(f"/proc/{pid}/task", thread, "stat")) for thread in threads]
    return all(state is None or state[0] in _WAITING + "ZX" for state in states)


class Stopwatch:
    """How long something took: by the clock or by the processor, whichever is less.

    An idle machine tells by the clock, a busy one by the processor.
    """

    def __init__(self):
        self._clock, self._processor = time.monotonic(), time.process_time()

    def seconds(self):
        """Seconds since the stopwatch was made."""
        return min(time.monotonic() - self._clock, time.process_time() - self._processor)


class Limit:
    """What a process may take without a word: ``seconds`` of the processor, and as many of waiting.

    ``begin`` is called when it starts and at each sign of life.
    """

    def __init__(self, pid, seconds, waiting=None):
        self._pid, self._seconds = pid, seconds
        self._may_wait = seconds if waiting is None else waiting
        self.begin()

    def begin(self, grace=0.0):
        """Count from now on, with ``grace`` more seconds."""
        self._began = self._last_busy = time.monotonic() + grace
        self._grace = grace
        self._used_before = self._used = self._seconds_used()

    def _seconds_used(self):
        self._members = _family(self._pid) if _IS_KNOWN else {}
        return sum(self._members.values())

    def is_exceeded(self):
        """Whether the process has computed, or has only waited, for too long."""
        now = time.monotonic()
        if not _IS_KNOWN:
            return now - self._began > self._seconds * _BUSY_MACHINE
        used = self._seconds_used()
        if used != self._used or not all(map(_is_waiting, self._members)):
            self._used, self._last_busy = used, max(self._last_busy, now)
        computed = used - self._used_before - self._grace
        return computed > self._seconds or now - self._last_busy > self._may_wait

    def why(self):
        """One line on what was exceeded."""
        computed = self._seconds_used() - self._used_before
        waited = time.monotonic() - self._last_busy
        return f"hang: {computed:.1f} s of the processor, then {waited:.1f} s of waiting"


def join(*threads, seconds=60):
    """Wait for threads of this process; an AssertionError once one hangs.

    A thread may compute for so many seconds, and wait for as many.
    """
    for thread in threads:
        began = time.monotonic()
        first = used = _thread_seconds(thread)
        while thread.is_alive():
            thread.join(_EVERY)
            now = _thread_seconds(thread)
            if now != used:
                began, used = time.monotonic(), now
            assert used - first < seconds, f"{thread.name} computes for more than {seconds} s"
            assert time.monotonic() - began < seconds, f"{thread.name} waits for {seconds} s"


def _thread_seconds(thread):
    """A thread's processor time, with a growing number where it wants the processor."""
    found = _IS_KNOWN and _fields(Path(f"/proc/self/task/{thread.native_id}/stat"))
    if not found:
        return 0.0
    return found[2] + (1e-9 * time.monotonic() if found[0] not in _WAITING else 0.0)


def run(command, *, seconds=60, waiting=None, **options):
    """``subprocess.run`` of a program that may compute for so many seconds, and wait for as many.

    Raises ``subprocess.TimeoutExpired``, with what the program wrote, where it takes longer; the
    program is asked for a traceback (SIGABRT) before it is killed.
    """
    for stream in ("stdout", "stderr"):
        if options.get("capture_output") or options.get(stream) == subprocess.PIPE:
            options[stream] = subprocess.PIPE
    options.pop("capture_output", None)
    check = options.pop("check", False)
    text = options.pop("input", None)
    if text is not None:
        options["stdin"] = subprocess.PIPE
    with subprocess.Popen(command, **options) as process:
        limit, written = Limit(process.pid, seconds, waiting), None
        while written is None:
            try:
                written = process.communicate(text, timeout=_EVERY)
            except subprocess.TimeoutExpired:
                text = None
                if not limit.is_exceeded():
                    continue
                why = limit.why()
                written = _end(process)
                raise subprocess.TimeoutExpired([why, command], seconds, *written) from None
    done = subprocess.CompletedProcess(command, process.returncode, *written)
    if check:
        done.check_returncode()
    return done


def _end(process):
    """End a process and its descendants; what it wrote, its traceback with it."""
    family = list(_family(process.pid)) if _IS_KNOWN else [process.pid]
    process.send_signal(signal.SIGABRT)
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
    for pid in family[1:]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return process.communicate()
