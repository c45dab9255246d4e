"""The probe of the grammar: each construct, in each place, on tensors, Python values and both.

A program gives what it gives eagerly, or fails with an error at its own line. Those constructs that
are refused anywhere say so in their heading; no other may be.
"""

import os

import pytest
from grammar_programs import IN_LOOPS, KINDS, PLACES, constructs, run

EVERYTHING = bool(os.environ.get("FERROGRAPH_FULL_PROBE"))


def programs(number, construct):
    """The places and kinds of values to try: all on tensors, the others in turn."""
    places = [p for p in PLACES if p in IN_LOOPS or not construct.loops_only]
    for i, place in enumerate(places):
        for j, kind in enumerate(KINDS):
            if EVERYTHING or kind == "tensor" or (number + i) % len(places) == j:
                yield place, kind


@pytest.mark.parametrize(
    ("number", "construct"), list(enumerate(constructs())), ids=[c.name for c in constructs()]
)
def test_construct(number, construct):
    allowed = {"equal", "refused"} if construct.refused else {"equal"}
    found = {pair: run(construct, *pair) for pair in programs(number, construct)}
    wrong = {pair: outcome for pair, outcome in found.items() if outcome[0] not in allowed}
    assert not wrong


def test_the_probe_sees_what_is_wrong():
    """A function that does something else while it is traced is reported."""
    from grammar_programs import Construct

    lines = ["if fg.executing_eagerly():", "    r = r + 1"]
    assert run(Construct("mode", lines), "plain", "tensor")[0] == "differs"
