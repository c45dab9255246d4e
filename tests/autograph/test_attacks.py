"""Programs that were written to find a difference: each is equal eagerly and traced, or refused.

``attacks/*.txt`` hold them, a head line ``== name: verdict`` before each. A program that is refused
and comes to be staged is noted as ``equal``; the other way round is a loss. Where both happen,
since it depends on what the process has loaded or on Python's own library, it is noted as
``equal_or_refused``.
"""

import functools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from programs import kit, run

FILES = sorted(Path(__file__).with_name("attacks").glob("*.txt"))
HEAD = r"^== (\w+): (\w+)\n"
NOTHING = "def reset():\n    pass\n"


def programs():
    for file in FILES:
        _, *parts = re.split(HEAD, file.read_text(), flags=re.MULTILINE)
        for name, verdict, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            text = text if "def reset" in text else NOTHING + text
            yield pytest.param(kit.Program(name, 0, text, True), verdict, id=f"{file.stem}-{name}")


# Whether Python lives through what a program leaves: 3.12.1 crashes as it collects such a file.
COLLECTED = {
    "buffer_of_a_file": "import gc, io; o = io.BytesIO(b'a'); l = [o, o.getbuffer()]; l.append(l); "
    "del o, l; gc.collect()"
}


@functools.lru_cache
def crashes(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True).returncode < 0


@pytest.mark.parametrize(("program", "verdict"), list(programs()))
def test_program(program, verdict):
    if program.family in COLLECTED and crashes(COLLECTED[program.family]):
        pytest.skip("this Python crashes as it collects what the program leaves")
    with tempfile.TemporaryDirectory() as folder, run.quiet():
        found = run.run(program, Path(folder, "printed"))
    assert found.kind in verdict.split("_or_"), found.why
