"""Programs of the guides of ragged tensors and extension types give what tensorflow 2.21.0 does."""

import json
import pathlib
import sys

import ferrograph as fg
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import guide_programs

RECORD = json.loads(
    (pathlib.Path(__file__).parent / "recorded" / "guide_programs.json").read_text()
)
# Errors of other classes: known before the graph runs here, and only then there.
CLASSES = {"InvalidArgumentError": (fg.errors.InvalidArgumentError, ValueError)}


def agree(ours, theirs):
    if isinstance(theirs, dict) and "holds" in theirs:
        known = all(
            b is None or a == b for a, b in zip(ours["shape"], theirs["shape"], strict=True)
        )
        return known and agree(ours["holds"], theirs["holds"]) and ours["kind"] == theirs["kind"]
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(agree(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if isinstance(theirs, float):
        return ours == pytest.approx(theirs, rel=1e-4)
    return ours == theirs


@pytest.mark.parametrize("function", guide_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_program(function):
    wanted = RECORD[function.__name__]
    if isinstance(wanted, dict) and "raises" in wanted:
        kinds = CLASSES.get(wanted["raises"]) or __builtins__[wanted["raises"]]
        with pytest.raises(kinds):
            function(fg)
        return
    ours = guide_programs.plain(function(fg))
    if isinstance(wanted, list):
        pairs = enumerate(zip(ours, wanted, strict=True))
        wrong = [f"{i}: {a}, recorded is {b}" for i, (a, b) in pairs if not agree(a, b)]
        assert not wrong, "\n".join(wrong)
    assert agree(ours, wanted)
