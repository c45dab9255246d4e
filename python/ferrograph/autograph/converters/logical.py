"""``and``, ``or``, ``not``, comparisons that need it, and conditional expressions.

Operands that Python evaluates only sometimes become lambdas. A walrus in such an operand binds its
name through a cell, as an assignment expression in a lambda would bind a name of the lambda.
"""

from __future__ import annotations

import ast
from typing import Any

from .. import build

_COMPARISONS = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
    ast.Is: "is_", ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in",
}  # fmt: skip
_STATIC = (ast.Is, ast.IsNot)


def convert_bool_op(node: ast.BoolOp) -> ast.expr:
    first, *rest = node.values
    operator = "and_" if isinstance(node.op, ast.And) else "or_"
    operands = [deferred(operand, first) for operand in rest]
    return build.locate(build.call(operator, first, *operands), first)


def convert_not(node: ast.UnaryOp) -> ast.expr:
    return build.locate(build.call("not_", node.operand), node)


def convert_compare(node: ast.Compare) -> ast.expr:
    """A chain is an ``and`` of its links; ``in`` asks the operators; one plain comparison stays."""
    if len(node.ops) == 1:
        operator = _COMPARISONS[type(node.ops[0])]
        if operator not in ("in", "not_in"):
            return node
        parts = [node.left, node.comparators[0]]
        return build.locate(build.call("contained", build.constant(operator), *parts), node)
    if all(isinstance(op, _STATIC) for op in node.ops):
        return node
    links = []
    for op, operand in zip(node.ops, node.comparators, strict=True):
        links += [build.constant(_COMPARISONS[type(op)]), deferred(operand, node.left)]
    return build.locate(build.call("compare", node.left, *links), node.left)


def convert_if_exp(node: ast.IfExp) -> ast.expr:
    test = node.test
    sides = deferred(node.body, test), deferred(node.orelse, test)
    line = build.constant(node.lineno)
    return build.locate(build.call("if_exp", test, *sides, line=line), test)


def deferred(operand: ast.expr, place: ast.expr) -> ast.Lambda:
    """``operand`` to be evaluated later. Until then only the line of ``place`` runs."""
    return build.locate(build.thunk(_Walrus().visit(operand)), place)


class _Walrus(ast.NodeTransformer):
    """Turns ``(n := value)`` into ``ag__.bind(lambda: n, value)``."""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        self.generic_visit(node)
        cell = build.thunk(build.name(node.target.id))
        return build.locate(build.call("bind", cell, node.value), node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node  # what it binds is its own
