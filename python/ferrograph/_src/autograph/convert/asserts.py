"""``assert test, message`` becomes ``ag__.assert_stmt(test, lambda: message)``; a comparison that
is true as a plain bool skips the call."""

from __future__ import annotations

import _ast as ast

from . import build
from .logical import deferred


def convert(node: ast.Assert, is_compared: bool) -> ast.stmt:
    """``node``, whose parts are converted; the test may be a comparison that gets a name."""
    message = build.constant(None) if node.msg is None else deferred(node.msg, node.test)
    line = build.constant(node.lineno)
    test = node.test
    if is_compared:
        name = f"ag__assert_{node.lineno}_{node.col_offset}"
        test = build.name(name)
    check: ast.expr = build.call("assert_stmt", test, message, line=line)
    if is_compared:
        found = ast.NamedExpr(build.store(name), node.test)
        is_true = ast.Compare(found, [ast.Is()], [build.constant(True)])
        check = ast.BoolOp(ast.Or(), [is_true, check])
    return build.locate(ast.Expr(value=check), node, node.test)
