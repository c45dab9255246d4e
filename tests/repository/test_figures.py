"""The figures of README.md are those of docs/performance.md."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MEASURED = (ROOT / "docs" / "performance.md").read_text().split("\n## ")
WORKLOADS = next(section for section in MEASURED if section.startswith("Workloads"))

PACKAGES = ["ferrograph", "TensorFlow", "JAX", "PyTorch", "NumPy"]
UNITS = "ns|µs|us|ms|s|seconds?|minutes?|kB|MB|GB|KiB|MiB|GiB|bytes|million|%|times"
WITH_UNIT = re.compile(rf"(?<![\w.^])\d[\d,.]*(?: to \d[\d,.]*)? ?(?:{UNITS})(?!\w)")


def rows(text):
    """The rows of the tables of workloads: the name, and the figure of each package."""
    header = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells
        elif "workload" in header and not cells[0].startswith("---"):
            row = dict(zip(header, cells, strict=True))
            yield row["workload"].strip("`"), {package: row[package] for package in PACKAGES}


def test_rows_of_the_readme_are_those_measured():
    measured, told = dict(rows(WORKLOADS)), dict(rows(README))
    assert len(measured) > 30
    assert len(told) > 5
    assert {name: row for name, row in told.items() if measured.get(name) != row} == {}


def test_numbers_with_a_unit_are_measured_ones():
    prose = re.sub(r"```.*?```", "", README, flags=re.S)
    text = " ".join("\n".join(MEASURED).split())
    assert [number for number in WITH_UNIT.findall(prose) if number not in text] == []


def test_units_are_found():
    found = WITH_UNIT.findall(
        "0.6 µs, 1.0 s, 10 to 12 ms, 99 %, 200x200, 10^6 numbers, Python 3.11"
    )
    assert found == ["0.6 µs", "1.0 s", "10 to 12 ms", "99 %"]
