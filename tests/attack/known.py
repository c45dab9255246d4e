"""Failures that are known, each with its reason; whoever mends one takes its line away."""

import re

# What of an attempt's text, and of what went wrong, says that it is one of these, and why it stays.
KNOWN: list[tuple[str, str, str]] = []


def is_known(call, verdict):
    """Whether some line of the table says this failure."""
    return any(re.search(c, call) and re.search(v, verdict) for c, v, _ in KNOWN)


def unexpected(failures):
    """Those that are not known."""
    return [(call, verdict) for call, verdict in failures if not is_known(call, verdict)]


def unused(failures):
    """The lines of the table that say no failure of a whole attack."""
    return [
        (c, v)
        for c, v, _ in KNOWN
        if not any(re.search(c, call) and re.search(v, verdict) for call, verdict in failures)
    ]
