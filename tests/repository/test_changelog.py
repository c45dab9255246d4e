"""CHANGELOG.md is short entries under the headings of Keep a Changelog, grouped by area."""

import re
from pathlib import Path

import pytest

LINES = (Path(__file__).parents[2] / "CHANGELOG.md").read_text().splitlines()

KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Performance", "Security"]
AREAS = [
    "Functions and tracing",
    "Tracing and calls",
    "Fusion and machine code",
    "AutoGraph",
    "Operations",
    "Kernels",
    "Ragged and sparse tensors",
    "Gradients",
    "Datasets",
    "Datasets and files",
    "Files, checkpoints and saved models",
    "Keras and packages",
    "Errors",
    "Documentation and typing",
]
UNRELEASED, DEVELOPMENT = "[Unreleased]", "Development of 0.1.0"
MOST = 240  # characters of an entry, its dash and its continuation lines among them


def versions():
    """The sections of versions: what their headings say, and their lines."""
    starts = [i for i, line in enumerate(LINES) if line.startswith("## ")]
    for start, end in zip(starts, [*starts[1:], len(LINES)], strict=True):
        yield LINES[start].removeprefix("## "), LINES[start + 1 : end]


VERSIONS = dict(versions())


def entries(lines):
    """The entries, each with its continuation lines as one line."""
    text = "\n".join(lines)
    yield from (" ".join(e.split()) for e in re.findall(r"^- .*(?:\n {2}\S.*)*", text, flags=re.M))


def headings(lines, mark):
    return [line.removeprefix(mark) for line in lines if line.startswith(mark)]


def test_versions_are_named_once():
    names = headings(LINES, "## ")
    assert (names[0], names[-1]) == (UNRELEASED, DEVELOPMENT)
    assert sorted(names) == sorted(set(names))
    dated = r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d"
    latest, *earlier = names[1:-1]
    assert re.fullmatch(rf"{dated}|\[\d+\.\d+\.\d+\] - unreleased", latest)
    assert all(re.fullmatch(dated, name) for name in earlier)


def test_the_first_release_is_summed_up():
    """Its section is short enough to be read, and is about each area of the package."""
    (lines,) = (lines for name, lines in VERSIONS.items() if name.startswith("[0.1.0]"))
    assert 20 <= len(list(entries(lines))) <= 40
    assert {"Functions and tracing", "Operations", "Keras and packages"} <= set(
        headings(lines, "#### ")
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_headings_are_allowed_and_there_once(version):
    kinds = headings(VERSIONS[version], "### ")
    assert [kind for kind in KINDS if kind in kinds] == kinds, "unknown, repeated or out of order"
    for part in re.split(r"^### ", "\n".join(VERSIONS[version]), flags=re.M)[1:]:
        areas = headings(part.splitlines(), "#### ")
        assert set(areas) <= set(AREAS)
        assert len(areas) == len(set(areas))


@pytest.mark.parametrize("version", VERSIONS)
def test_entries_are_short(version):
    found = list(entries(VERSIONS[version]))
    assert found or version == UNRELEASED
    assert not [entry for entry in found if len(entry) > MOST]


@pytest.mark.parametrize("version", VERSIONS)
def test_sections_are_lists(version):
    """Each line is a heading, an entry, a continuation line, or blank before a heading."""
    lines = VERSIONS[version]
    shape = re.compile(r"#{3,4} \S|- \S| {2}\S|$")
    assert not [line for line in lines if not shape.match(line)]
    blank = [i for i, line in enumerate(lines[:-1]) if not line]
    assert all(lines[i + 1].startswith("#") for i in blank)
