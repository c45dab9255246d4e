"""Numbers at the edges of their dtypes against recorded and true values."""

import json
import pathlib

import ferrograph as fg
import pytest
from recorded import compare
from recorded.exceptions import EXCEPTIONS
from recorded.signs import CASES

RECORD = json.loads((pathlib.Path(__file__).parent / "recorded" / "edges.json").read_text())
# The exceptions that a difference met.
MET = set()


def test_every_record_has_its_case():
    """Cases without a record are those of kernels that are not there."""
    assert set(RECORD) <= set(CASES)
    assert len(RECORD) > 3500


@pytest.mark.parametrize("key", sorted(RECORD))
def test_edge(key):
    case = CASES[key]
    ours = compare.outcome(fg, case)
    shown = []
    for difference in compare.differences(ours, RECORD[key]):
        covered = [e for e in EXCEPTIONS if e.covers(case, difference)]
        MET.update(covered)
        if not covered:
            at, a, b = difference
            shown.append(f"{case.arguments(at)}: {a}, recorded or true is {b}")
    assert not shown, "\n".join(shown[:20])


def test_every_exception_is_met():
    """Run with the others: an exception that no difference meets must go."""
    if MET:
        assert [e.reason for e in EXCEPTIONS if e not in MET] == []
