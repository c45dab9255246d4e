"""Generators: a statement that yields stays in the generator's frame and is never staged.

An ``if`` both of whose branches end by yielding yields after the statement instead, so that a
tensor may decide which value.
"""

from __future__ import annotations

import _ast as ast

from ...hints import Any
from . import build, inline, jumps

_VALUE, _TEST = "ag__yielded", "ag__test"


def hoist(function: ast.FunctionDef) -> None:
    """Move the yields that end both branches of an ``if`` behind it."""
    function.body = _Hoisting().block(function.body)


class _Hoisting(build.Transformer):
    def visit_If(self, node: ast.If) -> Any:
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        match node.body, node.orelse:
            case [*then, ast.Expr(ast.Yield()) as last], [*other, ast.Expr(ast.Yield())]:
                if jumps.yields([node.test, *then, *other]):
                    return node
            case _:
                return node
        for body in (node.body, node.orelse):
            value = body[-1].value.value or build.constant(None)
            body[-1] = build.locate(build.assign(_VALUE, value), body[-1])
        again = ast.Expr(value=ast.Yield(value=build.name(_VALUE)))
        return [node, build.locate(again, last)]

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave


def plain_if(node: ast.If) -> ast.stmt:
    """An ``if`` that Python decides; on a tensor it is refused."""
    node.test = certain(node.test, "an `if`")
    return node


def plain_while(node: ast.While) -> ast.stmt:
    """A ``while`` that Python runs."""
    node.test = certain(node.test, "a `while`")
    node.body += _stops(node)
    return node


def plain_for(node: ast.For) -> ast.stmt:
    """A ``for`` that Python runs."""
    node.iter = build.locate(build.call("elements", node.iter), node.iter)
    node.body += _stops(node)
    return node


def certain(test: ast.expr, what: str) -> ast.expr:
    """A test that Python decides; on a tensor it is refused."""
    text = build.constant(f"{what} around a `yield`")
    if not inline.is_allowed():
        return build.locate(build.call("certain", test, text), test)
    named = ast.NamedExpr(target=build.store(_TEST), value=test)
    plain = inline.is_plain_value(named, build.name(_TEST))
    asked = build.call("certain", build.name(_TEST), text)
    return build.locate(ast.IfExp(plain, build.name(_TEST), asked), test)


def _stops(node: ast.While | ast.For) -> list[ast.stmt]:
    """What leaves the loop where its flags say so."""
    what = build.constant("a jump out of a loop around a `yield`")
    found = []
    for flag in (node.ag_broke, node.ag_returned):
        if flag:
            test = build.call("certain", build.name(flag), what)
            left = ast.If(test=test, body=[ast.Break()], orelse=[])
            found.append(build.locate(left, node.body[-1]))
    return found
