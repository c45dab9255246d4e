"""Patterns and rewrites beside tensorflow 2.21, which takes RE2 (recorded/record_patterns.py)."""

import json
import pathlib

import ferrograph as fg
import pytest

RECORD = json.loads((pathlib.Path(__file__).parent / "recorded" / "patterns.json").read_text())
TEXTS = fg.constant(RECORD["texts"])


def outcome(call):
    """Strings or bools; None for a pattern that is refused by its name and with a reason."""
    try:
        found = call().numpy().tolist()
    except fg.errors.InvalidArgumentError as error:
        assert "is no regular expression: " in str(error)
        return None
    return [x.decode("latin-1") if isinstance(x, bytes) else int(x) for x in found]


@pytest.mark.parametrize("row", RECORD["patterns"], ids=lambda row: row[0])
def test_pattern(row):
    pattern, whole, put = row
    assert outcome(lambda: fg.strings.regex_full_match(TEXTS, pattern)) == whole
    assert outcome(lambda: fg.strings.regex_replace(TEXTS, pattern, r"<\0>")) == put


@pytest.mark.parametrize("every", [True, False])
def test_rewrite(every):
    rows = [row for row in RECORD["rewrites"] if row[2] == every]
    assert len(rows) > 70
    for pattern, rewrite, _, put in rows:
        found = outcome(lambda p=pattern, r=rewrite: fg.strings.regex_replace(TEXTS, p, r, every))
        assert found == put, (pattern, rewrite)


def test_groups_that_nest_too_deep_are_refused():
    with pytest.raises(fg.errors.InvalidArgumentError, match="nest"):
        fg.strings.regex_full_match("a", "(" * 300 + "a" + ")" * 300)
