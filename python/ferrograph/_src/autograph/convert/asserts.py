"""``assert test, message`` becomes ``ag__.assert_stmt(test, lambda: message)``, which a comparison
that is true needs not be asked."""

from __future__ import annotations

import _ast as ast

from . import build
from .logical import deferred


def convert(node: ast.Assert, inlines: bool) -> ast.stmt:
    """``node``, whose parts are converted; ``inlines`` says that names may be bound there."""
    message = build.constant(None) if node.msg is None else deferred(node.msg, node.test)
    line = build.constant(node.lineno)
    test, is_compared = node.test, inlines and isinstance(node.test, ast.Compare)
    if is_compared:
        name = f"ag__assert_{node.lineno}_{node.col_offset}"
        test = build.name(name)
    check: ast.expr = build.call("assert_stmt", test, message, line=line)
    if is_compared:
        found = ast.NamedExpr(build.store(name), node.test)
        is_true = ast.Compare(found, [ast.Is()], [build.constant(True)])
        check = ast.BoolOp(ast.Or(), [is_true, check])
    return build.locate(ast.Expr(value=check), node, node.test)
