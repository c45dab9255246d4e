"""Numbers at the edges of their dtypes against recorded and true values."""

import json
import pathlib

import ferrograph as fg
import pytest
from recorded import compare
from recorded.calls import CASES

RECORD = json.loads((pathlib.Path(__file__).parent / "recorded" / "edges.json").read_text())


def test_every_case_is_recorded():
    assert sorted(CASES) == sorted(RECORD)


@pytest.mark.parametrize("key", sorted(CASES))
def test_edge(key):
    ours = compare.outcome(fg, CASES[key])
    faults = compare.differences(ours, RECORD[key])
    shown = [f"{CASES[key].arguments(at)}: {a} for {b}" for at, a, b in faults]
    assert not shown, "\n".join(shown[:20])
