"""Every row of docs/behaviour.md is complete and names a test that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "docs/behaviour.md").read_text().splitlines()
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in LINES[LINES.index("| --- | --- | --- | --- | --- |") + 1 :]
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_row_names_its_version_and_its_test(row):
    assert len(row) == 5 and all(row), row
    assert re.search(r"\d+\.\d+", row[2]), f"no version in {row[2]!r}"
    tests = re.findall(r"`(tests/[^`:]+?\.py)(?:::(\w+))?[^`]*`", row[4])
    assert tests, f"no test named in {row[4]!r}"
    for file, name in tests:
        text = (ROOT / file).read_text()
        assert not name or f"def {name}(" in text, f"{file} has no {name}"
