"""Type adapters, type by type: what they see of changes, and what branches and loops make of them.

``docs/python-objects.md`` says what becomes of each; the right values are those of plain Python.
"""

import pytest
from python_objects import CASES, PAGE, in_a_branch, in_a_loop, seen


def said():
    """By type and change, the cells of the page."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {(kind, change): cells for kind, change, *cells in rows}


SAID = said()


def test_the_page_has_a_row_for_each_change():
    assert list(SAID) == CASES


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_adapters_see_a_change_and_put_it_back(kind, change):
    assert seen(kind, change) == SAID[kind, change][0] != "not seen"


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_a_branch_leaves_what_plain_python_leaves_or_refuses(kind, change):
    assert in_a_branch(kind, change) == SAID[kind, change][1]


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_a_loop_leaves_what_plain_python_leaves_or_refuses(kind, change):
    assert in_a_loop(kind, change) == SAID[kind, change][2]
