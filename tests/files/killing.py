"""Processes that are killed while they write, and how often that is tried."""

import os
import signal
import time

N_KILLS = int(os.environ.get("FERROGRAPH_KILLS", "30"))


def killed(write, delay):
    """What a process reported that was killed a while after its first report."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write(theirs)
        finally:
            os._exit(1)
    os.close(theirs)
    with os.fdopen(ours) as lines:
        first = lines.readline()
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [tuple(map(int, line.split())) for line in [first, *lines]]
