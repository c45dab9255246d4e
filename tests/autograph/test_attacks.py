"""Programs that were written to find a difference: each is equal eagerly and traced, or refused.

``attacks/*.txt`` hold them, a head line ``== name: verdict`` before each. A program that is refused
and comes to be staged is noted as ``equal``; the other way round is a loss. Where both happen,
since it depends on what the process has loaded or on Python's own library, it is noted as
``equal_or_refused``.
"""

import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from programs import kit, run

FILES = sorted(Path(__file__).with_name("attacks").glob("*.txt"))
HEAD = r"^== (\w+): (\w+)\n"
# NumPy 1 promotes by value, which is refused, and copies what NumPy 2 shares.
OF_NUMPY_2 = ("dtypes_that_numpy_gives", "generators_of_one_source")
IS_NUMPY_1 = np.__version__.startswith("1.")
NOTHING = "def reset():\n    pass\n"


def programs():
    for file in FILES:
        _, *parts = re.split(HEAD, file.read_text(), flags=re.MULTILINE)
        for name, verdict, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            if IS_NUMPY_1 and file.stem in OF_NUMPY_2:
                verdict = "equal_or_refused"
            text = text if "def reset" in text else NOTHING + text
            yield pytest.param(kit.Program(name, 0, text, True), verdict, id=f"{file.stem}-{name}")


# CPython 3.12.1 itself crashes at the end of this program, without ferrograph: seen nowhere else.
ENDS_PYTHON_3_12 = "buffer_of_a_file"


@pytest.mark.parametrize(("program", "verdict"), list(programs()))
def test_program(program, verdict):
    if program.family == ENDS_PYTHON_3_12 and sys.version_info[:2] == (3, 12):
        pytest.skip("CPython 3.12.1 crashes as it collects what this program leaves")
    if sys.version_info < (3, 11) and re.search(r"except ?\*", program.text):
        pytest.skip("`except*` came with Python 3.11")
    with tempfile.TemporaryDirectory() as folder, run.quiet():
        found = run.run(program, Path(folder, "printed"))
    assert found.kind in verdict.split("_or_"), found.why
