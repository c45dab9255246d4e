"""The cases of ``keras_cases``, which one process runs: to load Keras takes longer than each."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import processor_time
import pytest

FOLDER = Path(__file__).parent / "keras_cases"
CASES = [
    f"{path.stem}.{name}"
    for path in sorted(FOLDER.glob("*.py"))
    for name in re.findall(r"^def (case_\w+)", path.read_text(), re.M)
]
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("keras") is None, reason="Keras is not installed"
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    kept = {k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "PYTHONPATH")}
    home = tmp_path_factory.mktemp("home")
    done = processor_time.run(
        [sys.executable, str(FOLDER / "run.py")],
        capture_output=True,
        text=True,
        seconds=300,
        cwd=home,
        env={**kept, "KERAS_HOME": str(home)},
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("case", CASES)
def test_case(case, outcomes):
    assert outcomes[case] == "", outcomes[case]
