"""No size ends the process: too much memory is a ResourceExhaustedError, however it comes about.

Every row of the table of operations is called with hostile numbers in the places of its own ones,
in a child that may not use much memory. A part of the calls is made by default, all of them where
FERROGRAPH_ATTACK is set, which takes many minutes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SWEEP, EXHAUSTED = HERE / "sweep.py", HERE / "exhausted.py"
PATH = os.pathsep.join([str(HERE), str(HERE.parent / "ops")])
ALL = bool(os.environ.get("FERROGRAPH_ATTACK"))
STEP = {"sizes": 1 if ALL else 1000, "ranks": 1 if ALL else 50, "empty": 1 if ALL else 60}


def run(program, *args):
    return subprocess.run(
        [sys.executable, str(program), *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": PATH},
    )


def faults(kind, log):
    """What is wrong with the calls of a kind, a line each, with those that end their process."""
    begin, lines = 0, []
    while True:
        done = run(SWEEP, kind, STEP[kind], log, begin)
        lines += done.stdout.splitlines()
        if lines and lines[-1] == "done":
            return lines[:-1]
        assert log.exists(), done.stderr
        number, name = json.loads(log.read_text())
        assert number >= begin, done.stderr
        lines.append(f"{name}: ends the process with {done.returncode}: {done.stderr[-200:]}")
        begin = number + 1


@pytest.mark.parametrize("kind", STEP)
def test_hostile_numbers(kind, tmp_path):
    found = faults(kind, tmp_path / "log")
    assert not found, "\n".join(found[:40])


@pytest.mark.parametrize("way", ["eager", "traced"])
def test_what_does_not_fit_is_refused(way):
    done = run(EXHAUSTED, way)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
