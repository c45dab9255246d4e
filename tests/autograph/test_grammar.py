"""The probe of the grammar: each construct, in each place, on tensors, Python values and both.

A program gives what it gives eagerly, or fails with an error at its own line. Those constructs that
are refused anywhere say so in their heading; no other may be.
"""

import pytest
from grammar_programs import IN_LOOPS, KINDS, PLACES, constructs, run


@pytest.mark.parametrize("construct", constructs(), ids=lambda construct: construct.name)
def test_construct(construct):
    allowed = {"equal", "refused"} if construct.refused else {"equal"}
    places = [p for p in PLACES if p in IN_LOOPS or not construct.loops_only]
    found = {(p, kind): run(construct, p, kind) for p in places for kind in KINDS}
    wrong = {pair: outcome for pair, outcome in found.items() if outcome[0] not in allowed}
    assert not wrong


def test_the_probe_sees_what_is_wrong():
    """A function that does something else while it is traced is reported."""
    from grammar_programs import Construct

    lines = ["if fg.executing_eagerly():", "    r = r + 1"]
    assert run(Construct("mode", lines), "plain", "tensor")[0] == "differs"
