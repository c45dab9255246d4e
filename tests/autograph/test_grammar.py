"""The probe of the grammar: each construct, in each place, on tensors, Python values and both.

A program gives what it gives eagerly, or is refused with an error at its own line; what is refused
is listed by place and kind. Each construct stands in a fifth of its places; where FERROGRAPH_ATTACK
is set in all of them, and succeeds in some, eagerly and traced.
"""

import pytest
from grammar_programs import REFUSALS, Construct, constructs, listed, refusals, run

LISTED = refusals()
AGAIN = f"`python {REFUSALS.with_name('grammar_programs.py')}` writes the list anew"


CONSTRUCTS = {construct.name: construct for construct in constructs()}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_construct(name, share):
    construct = CONSTRUCTS[name]
    chosen = share(construct.pairs(), 5, list(CONSTRUCTS).index(name))
    verdicts = construct.verdicts(chosen)
    assert {pair: v for pair, v in verdicts.items() if v[0] in ("wrong line", "differs")} == {}
    refused = {pair for pair, verdict in verdicts.items() if verdict[0] == "refused"}
    assert len(chosen) < len(construct.pairs()) or "equal" in {
        kind for kind, _ in verdicts.values()
    }
    listed_so = LISTED.get(name, set()) & set(chosen)
    assert {pair: verdicts[pair] for pair in refused - listed_so} == {}, "refused, and not listed"
    assert listed_so - refused == set(), f"listed, and runs: {AGAIN}"


def test_the_list_names_constructs():
    assert set(LISTED) <= set(CONSTRUCTS)
    assert REFUSALS.read_text() == "".join(listed(*item) for item in LISTED.items())


def test_the_probe_sees_what_is_wrong():
    """A function that does something else while it is traced is reported, and one that fails."""
    lines = ["if fg.executing_eagerly():", "    r = r + 1"]
    assert run(Construct("mode", lines), "plain", "tensor")[0] == "differs"
    lines = ["r = r + nothing_of_that_name"]
    assert run(Construct("name", lines), "plain", "tensor")[0] == "fails eagerly"
    lines = ["r = r + len({v for v in (1, 2) if v > x})"]
    assert run(Construct("filter", lines), "plain", "tensor")[0] == "refused"
