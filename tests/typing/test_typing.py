"""What a type checker makes of users' programs: mistakes are found, and nothing else is."""

import re
from pathlib import Path

import ferrograph
import pytest

api = pytest.importorskip("mypy.api")

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MISTAKES = HERE / "mistakes.py"


def reported(files, cache):
    """What mypy reports of these files, as triples of the file's name, the line, the code."""
    out, errors, status = api.run(
        ["--no-error-summary", "--ignore-missing-imports", "--cache-dir", str(cache)]
        + ["--config-file", "", "--follow-imports=silent", *map(str, files)]
    )
    assert status in (0, 1), out + errors
    found = re.findall(r"^(.*?):(\d+): error: .*\[([\w-]+)\]$", out, re.M)
    assert len(found) == out.count(" error: "), out
    return [(Path(file).name, int(line), code) for file, line, code in found]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    files = [*EXAMPLES, HERE / "correct.py", MISTAKES]
    return reported(files, tmp_path_factory.mktemp("mypy"))


def test_the_package_says_that_it_is_typed():
    assert (Path(ferrograph.__file__).parent / "py.typed").exists()


def test_a_users_mistakes_are_reported(report):
    wanted = [
        (MISTAKES.name, number, line.rpartition("# error: ")[2])
        for number, line in enumerate(MISTAKES.read_text().splitlines(), 1)
        if "# error: " in line and not line.startswith('"')
    ]
    assert [r for r in report if r[0] == MISTAKES.name] == wanted


def test_nothing_else_is_reported(report):
    assert [r for r in report if r[0] != MISTAKES.name] == []
