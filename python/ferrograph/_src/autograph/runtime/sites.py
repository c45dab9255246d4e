"""What is asked once where a loop does the same again; ``convert/sites.py`` says how.

Each gives what ``fn`` and ``owner`` give, and leaves it among the function's sites
where it stays so: while ``loud`` is empty, for an object that is the same.
"""

from __future__ import annotations

import types
from typing import Any

from ...staging.journal import loud
from ...staging.notes import owner
from .callees import PLAIN_FORM, fn

__all__ = ["called", "stored"]

# Callees that never change what is called in place of them.
_LASTING = {types.MethodType, types.BuiltinFunctionType, types.FunctionType, type}


def called(sites: list, place: int, callee: Any) -> Any:
    """``fn(callee)``."""
    found = fn(callee)
    if not loud and type(callee) in _LASTING:
        short = getattr(found, PLAIN_FORM, found) if type(found) is types.FunctionType else found
        sites[place], sites[place + 1] = callee, short
    return found


def stored(sites: list, place: int, target: Any, name: str, label: str) -> Any:
    """``owner(target, name, label)``."""
    found = owner(target, name, label)
    if found is target and not loud:
        sites[place] = target
    return found
