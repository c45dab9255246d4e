"""Which exceptions a hostile call may end with."""

import re

import ferrograph as fg
from hostile import Wicked

# The documented classes, and what Python raises for the program's own mistakes.
_FINE = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,  # NotImplementedError and RecursionError are among these
    StopIteration,
    MemoryError,
    BufferError,
    ImportError,
    AssertionError,
    OSError,  # files that are not there
    Wicked,
)

# Classes of packages beside Python's own, by name: what `pickle` and messages from bytes raise.
_NAMED = ("PicklingError", "DecodeError")


def fault(error):
    """What is wrong with an exception, None where it is one that the documents allow."""
    if isinstance(error, fg.errors.InternalError):
        return f"InternalError: {error}"
    if not isinstance(error, Exception):
        return f"{type(error).__name__}: {error}"
    if isinstance(error, SystemError):
        return f"SystemError: {error}"
    if isinstance(error, (NameError, UnboundLocalError)):
        return f"{type(error).__name__}: {error}"
    if re.search(r"<locals>\.\w+\(\)", str(error)):
        return f"shows an inner name: {error}"
    if isinstance(error, (*_FINE, fg.errors.OpError)) or type(error).__name__ in _NAMED:
        return None
    return f"undocumented {type(error).__name__}: {error}"
