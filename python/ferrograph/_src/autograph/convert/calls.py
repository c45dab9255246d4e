"""Calls: ``f(x)`` becomes ``ag__.fn(f)(x)``: the call stays, what it calls is converted."""

from __future__ import annotations

import ast

from . import build

_OF_THE_FRAME = {"super", "locals", "globals", "vars", "dir", "eval", "exec"}


def convert(node: ast.Call) -> ast.expr:
    """``node`` calling what ``ag__.fn`` makes of its function, unless that looks at the frame."""
    if isinstance(node.func, ast.Name) and node.func.id in _OF_THE_FRAME:
        return node
    node.func = build.locate(build.call("fn", node.func), node.func)
    return node
