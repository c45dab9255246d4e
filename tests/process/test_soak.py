"""A short run of the soak; ``python tests/process/soak.py`` is the long one."""

import json
from pathlib import Path

SOAK = Path(__file__).parent / "soak.py"


def test_many_calls_from_many_threads(run_python):
    program = SOAK.read_text().replace("default=1_000_000", "default=60_000")
    program = program.replace("default=10_000", "default=2_000").replace("default=64", "default=32")
    figures = json.loads(run_python(program, timeout=300).stdout)
    assert figures["calls"] == 60_000 and figures["signatures"] > 1500
    assert figures["traces"] == 32 and figures["evictions"] > 1000
