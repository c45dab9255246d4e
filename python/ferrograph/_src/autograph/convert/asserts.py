"""``assert test, message`` becomes ``ag__.assert_stmt(test, lambda: message)``."""

from __future__ import annotations

import _ast as ast

from . import build
from .logical import deferred


def convert(node: ast.Assert) -> ast.stmt:
    message = build.constant(None) if node.msg is None else deferred(node.msg, node.test)
    line = build.constant(node.lineno)
    check = build.call("assert_stmt", node.test, message, line=line)
    return build.locate(ast.Expr(value=check), node, node.test)
