"""Models that are made, trained and evaluated one after the other are not reported as retraced."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import processor_time
import pytest

PROGRAM = Path(__file__).with_name("keras_in_a_row.py")


@pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="Keras is not installed")
def test_models_in_a_row_cause_no_warning(tmp_path):
    kept = {k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "PYTHONPATH")}
    done = processor_time.run(
        [sys.executable, str(PROGRAM)],
        capture_output=True,
        text=True,
        seconds=120,
        cwd=tmp_path,
        env={**kept, "KERAS_HOME": str(tmp_path / "home")},
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    found = json.loads(done.stdout)
    assert (found["n"], found["models"], done.stderr) == (26, [], "")
    # A function of the program that is made anew as often is reported.
    (said,) = found["again"]
    assert "double" in said and "is made and traced anew again and again" in said
