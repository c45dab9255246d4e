"""Failures that are known, each with its reason; whoever mends one takes its line away."""

import re

# What of a call's text, and of what went wrong, says that it is one of these.
_SPECS = "a TensorSpec given to a call, or too few flat tensors, are counted by the core alone"
_RANKS = "axes and sizes of a wrong rank are found when a shape should be known"
_SIZES = "memory is asked for before the sizes are checked"
KNOWN: list[tuple[str, str, str]] = [
    (r"\(", r"InternalError: graph \S+ takes \d+ inputs, got", _SPECS),
    (r"\(", r"InternalError: operation \w+ left shape .* open", _RANKS),
    (r"ragged\.(segment_ids_to_row_splits|stack_dynamic_partitions)\(", r"CRASH", _SIZES),
]


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
