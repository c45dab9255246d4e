"""Plain forms of statements, which run at Python's speed where the test is a plain value.

A small statement is written out twice: as the user wrote it, for plain values, and as functions,
for all others. Both share their syntax trees; statements inside have their plain forms in the first
alone.
"""

from __future__ import annotations

import _ast as ast
import contextlib
import threading
from collections.abc import Iterator

from . import build, shapes

_IS, _OR = ast.Is(), ast.Or()
MAX_WEIGHT = 16  # statements in what is written out twice


class _Thread(threading.local):
    def __init__(self) -> None:
        self.allowed = True
        self.once = False  # whether what is converted runs once where it runs at all


_thread = _Thread()


@contextlib.contextmanager
def left_out() -> Iterator[None]:
    """A block that converts without such forms, which makes shorter code."""
    _thread.allowed = False
    try:
        yield
    finally:
        _thread.allowed = True


@contextlib.contextmanager
def run_once(once: bool) -> Iterator[None]:
    """A block that converts a function which, if ``once``, runs once in a trace: outside of its
    loops plain forms would cost more than they spare."""
    before, _thread.once = _thread.once, once
    try:
        yield
    finally:
        _thread.once = before


def is_run_once() -> bool:
    """Whether the function that is converted runs once in a trace."""
    return _thread.once


def is_allowed(size: int = 0) -> bool:
    """Whether so many statements may be written out twice."""
    return _thread.allowed and size <= MAX_WEIGHT


def weight(body: list[ast.stmt]) -> int:
    """How many statements ``body`` has, with those written out twice counted twice."""
    return sum(getattr(statement, "ag_weight", 1) for statement in body)


def is_plain(name: str) -> ast.expr:
    """Whether Python alone may test the value of a name."""
    return is_plain_value(build.name(name))


def is_plain_value(value: ast.expr, again: ast.expr | None = None) -> ast.expr:
    """The same of a value, which ``again`` gives once more."""
    again = build.name(value.id) if shapes.is_name(value) else again
    is_true = ast.Compare(value, [_IS], [build.constant(True)])
    is_false = ast.Compare(again, [_IS], [build.constant(False)])
    return ast.BoolOp(_OR, [is_true, is_false, build.is_among(again, "ag__plain")])


def choose(
    test: ast.expr, plain: list[ast.stmt], general: list[ast.stmt], like: ast.stmt, end: ast.expr
) -> ast.stmt:
    """``if test: plain else: general`` at the head of ``like``."""
    node = ast.If(test=test, body=plain, orelse=general)
    node.ag_weight = weight(plain) + weight(general)
    node.ag_general = general
    return build.locate(node, like, end)


def general(body: list[ast.stmt]) -> list[ast.stmt]:
    """``body`` in a general form that has a plain form as well: that one has the plain forms of its
    statements, and one of each is enough."""
    found: list[ast.stmt] = []
    for statement in body:
        found += getattr(statement, "ag_general", (statement,))
    return found


def stop(flag: str, rest: list[ast.stmt]) -> ast.stmt:
    """The statements that leave a plain loop whose flag is set; ``rest`` continues where the flag
    is a tensor."""
    unset = ast.Compare(
        left=build.name(flag), ops=[ast.IsNot()], comparators=[build.constant(False)]
    )
    odd = ast.If(test=unset, body=[*rest, ast.Break()], orelse=[])
    is_set = ast.Compare(left=build.name(flag), ops=[ast.Is()], comparators=[build.constant(True)])
    return ast.If(test=is_set, body=[ast.Break()], orelse=[odd])
