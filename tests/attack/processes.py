"""Runs scenarios and leaks, each in a process of its own."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import leaks
import processor_time
import scenarios

HERE = Path(__file__).parent
SECONDS = 120


def everything():
    """The file and the name of each program."""
    found = [("scenarios.py", name) for name in scenarios.names()]
    return found + [("leaks.py", name) for name in leaks.names()]


def failure(program):
    """What went wrong in a program, None where it ended well."""
    file, name = program
    command = [sys.executable, "-X", "faulthandler", str(HERE / file), name]
    try:
        done = processor_time.run(
            command, capture_output=True, text=True, seconds=SECONDS, cwd=HERE
        )
    except subprocess.TimeoutExpired:
        return f"hangs for more than {SECONDS} s"
    if done.returncode == 0:
        return None
    return f"exit {done.returncode}: {done.stderr[-600:]}"


def failures(programs, processes=2):
    """Pairs of a program and what went wrong in it."""
    with ThreadPoolExecutor(processes) as pool:
        found = zip(programs, pool.map(failure, programs), strict=True)
        return [(" ".join(p), wrong) for p, wrong in found if wrong is not None]
