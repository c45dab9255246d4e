"""The examples that stop and go on."""

import sys
from pathlib import Path

import processor_time

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_training_that_is_killed_ends_as_one_that_is_not():
    done = processor_time.run(
        [sys.executable, str(EXAMPLES / "resume.py")], capture_output=True, text=True, seconds=120
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert sum(line.startswith("killed behind step") for line in lines) == 10
    assert lines[-2].startswith("killed 10 times, and the weights are the same")
