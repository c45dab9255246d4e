"""Messages repeat at most 200 characters of a value: held for each argument of a call that
succeeds of every public function. Names of files stand in whole.
"""

import re

import ferrograph as fg
import pytest
from ferrograph._src.values.errors import shortened, shown
from valid_calls import calls

LONG = {
    "a word": "q" * 3000,
    "words": "qq " * 2000,
    "bytes": b"q" * 3000,
    "a list": [77] * 3000,
    "a dict": {"q" * 3000: 1},
    "lists": [["q" * 20]] * 400,
}
REPEATED = re.compile(r"q{201}|(qq ){70}|(77(\.0)?, ?){70}|(\['q+'\], ?){12}")
FILES = re.compile(r"too long|find directory|[Pp]ath|No such file")


def repeating():
    for name, call in calls().items():
        for parameter in call.parameters:
            for kind, value in LONG.items():
                try:
                    call.run(**{parameter.name: value})
                except Exception as e:
                    text = str(e)
                    repeats = len(text) > 2000 or REPEATED.search(text)
                    if repeats and not FILES.search(text):
                        yield f"{name} {parameter.name} as {kind}: {len(text)}: {text[:100]}"


def test_messages_are_short():
    found = list(repeating())
    assert not found, "\n".join(found)


def test_what_is_shown_of_values():
    assert shown("a" * 198) == repr("a" * 198)
    assert shown("a" * 3000) == "'" + "a" * 198 + "…"
    assert shortened("got 'a' or [1, 2]") == "got 'a' or [1, 2]"
    for text in ("'%s'" % ("a b " * 100), "[%s]" % ("1, " * 100), "a" * 500):
        cut = shortened(f"got {text} and more")
        assert cut == f"got {text[:198]}…{text[-1]} and more"


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_errors_of_running_operations_are_short(value):
    with pytest.raises((fg.errors.OpError, TypeError, ValueError)) as caught:
        fg.nn.conv2d(fg.ones([1, 4, 4, 1]), fg.ones([2, 2, 1, 1]), 1, padding=value)
    assert len(str(caught.value)) < 1000


def test_the_data_of_an_assertion_is_shown_in_whole():
    reason = "what has to hold: " + "x, " * 200
    with pytest.raises(fg.errors.InvalidArgumentError, match=reason):
        fg.debugging.Assert(fg.constant(False), [reason])
