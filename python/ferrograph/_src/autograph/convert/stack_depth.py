"""A higher recursion limit for sources whose expressions nest deeper than the default allows.

The passes walk a tree recursively. A sum of 600 terms is a tree of 600 levels, which Python
compiles, so the limit is raised while it is converted. Before Python 3.11, where Python calls use
the C stack, less can be allowed, and deeper sources are refused.
"""

from __future__ import annotations

import _ast as ast
import contextlib
import sys
import types
from collections.abc import Callable, Iterator

from ...heap.source_location import SourceLocation, diagnostic
from ...hints import Any, TypeVar
from ...values import errors
from . import build
from .parse import parse

_DEEPEST = 60_000 if sys.version_info >= (3, 11) else 12_000

T = TypeVar("T")


def with_room(function: types.FunctionType, work: Callable[[], T]) -> T:
    """``work``, which converts a function and has run out of stack."""
    with _room():
        try:
            return work()
        except RecursionError:
            line = _deepest_line(function)
    raise errors.StagingError(
        diagnostic(
            SourceLocation(function.__code__.co_filename, line),
            "this statement nests more expressions than can be converted",
            "Write it as several statements, with names for its parts.",
        )
    ) from None


@contextlib.contextmanager
def _room() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _deepest_line(function: types.FunctionType) -> int:
    """The line of the statement that nests the most."""
    deepest, line = 0, function.__code__.co_firstlineno
    pending: list[tuple[Any, int, int]] = [(parse(function).node, 0, line)]
    while pending:
        node, depth, at = pending.pop()
        if hasattr(node, "lineno") and not isinstance(node, ast.expr):
            depth, at = 0, node.lineno
        if depth > deepest:
            deepest, line = depth, at
        pending.extend((child, depth + 1, at) for child in build.children(node))
    return line
