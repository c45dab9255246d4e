"""``and``, ``or``, ``not``, comparisons that need it, and conditional expressions.

Operands that Python evaluates only sometimes become lambdas. A walrus in such an operand binds its
name through a cell, as an assignment expression in a lambda would bind a name of the lambda.
"""

from __future__ import annotations

import _ast as ast

from ...hints import Any
from . import build, inline, methods, shapes

_CONNECTIVES = {ast.And: "and_", ast.Or: "or_"}
_COMPARISONS = methods.COMPARISONS | {
    ast.Is: "is_", ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in",
}  # fmt: skip
_MAX_OPERANDS = 4  # of what is written out a second time for plain values


def convert_bool_op(node: ast.BoolOp, inlines: bool = True) -> ast.expr:
    first, *rest = node.values
    operator = _CONNECTIVES[type(node.op)]
    if not inlines or len(rest) >= _MAX_OPERANDS:
        operands = [deferred(operand, first) for operand in rest]
        return build.locate(build.call(operator, first, *operands), first)
    further = ast.BoolOp(op=node.op, values=rest)
    other = convert_bool_op(further) if len(rest) > 1 else rest[0]
    return _and_or(node.op, first, other)


def _and_or(op: ast.boolop, first: ast.expr, other: ast.expr) -> ast.expr:
    """``first and other`` by Python where ``first`` is a plain value."""
    taken = _temporary(first)
    general = build.call(_CONNECTIVES[type(op)], build.name(taken), deferred(other, first))
    plain = ast.BoolOp(op=op, values=[build.name(taken), other])
    return build.locate(_chosen(taken, first, plain, general), first)


def _temporary(node: ast.expr) -> str:
    return f"ag__v_{node.lineno}_{node.col_offset}_{node.end_col_offset}"


def _chosen(taken: str, value: ast.expr, plain: ast.expr, general: ast.expr) -> ast.expr:
    named = ast.NamedExpr(target=build.store(taken), value=value)
    is_plain = inline.is_plain_value(named, build.name(taken))
    return ast.IfExp(test=is_plain, body=plain, orelse=general)


def convert_not(node: ast.UnaryOp, inlines: bool = True) -> ast.expr:
    if not inlines:
        return build.locate(build.call("not_", node.operand), node)
    taken = _temporary(node)
    plain = ast.UnaryOp(op=ast.Not(), operand=build.name(taken))
    general = build.call("not_", build.name(taken))
    return build.locate(_chosen(taken, node.operand, plain, general), node)


def convert_compare(node: ast.Compare, inlines: bool, grows: bool) -> ast.expr:
    """A chain is an ``and`` of its links; ``in`` asks the operators; one plain comparison stays,
    unless what it compares ``grows`` on the way."""
    match node.ops:
        case [ast.Is() | ast.IsNot()]:
            return build.locate(_convert_identity(node), node)
        case [ast.In() | ast.NotIn()]:
            return build.locate(_convert_lookup(node), node)
        case [_]:
            return methods.convert_comparison(node, grows)
        case [_, _] if inlines and all(type(op) in methods.COMPARISONS for op in node.ops):
            return _convert_pair(node, grows)
    links = []
    for op, operand in zip(node.ops, node.comparators, strict=True):
        links += [build.constant(_COMPARISONS[type(op)]), deferred(operand, node.left)]
    return build.locate(build.call("compare", node.left, *links), node.left)


def _convert_pair(node: ast.Compare, grows: bool) -> ast.expr:
    """``a < b < c``, by Python where the first comparison gives a plain value."""
    middle, last = node.comparators
    named = f"ag__m_{middle.lineno}_{middle.col_offset}_{middle.end_col_offset}"
    kept = ast.NamedExpr(target=build.store(named), value=middle)
    first = build.locate(ast.Compare(node.left, node.ops[:1], [kept]), node)
    other = build.locate(ast.Compare(build.name(named), node.ops[1:], [last]), node.left)
    sides = [methods.convert_comparison(link, grows) for link in (first, other)]
    return _and_or(ast.And(), *sides)


def _convert_lookup(node: ast.Compare) -> ast.expr:
    """``a in b``: by Python alone where a name or a constant is looked for in a dict or a set, or
    among constants."""
    value, (operator,), (container,) = node.left, node.ops, node.comparators
    asked = build.call("contained", build.constant(_COMPARISONS[type(operator)]), value, container)
    if not shapes.is_atom(value):
        return asked
    tests: list[ast.expr] = []
    if shapes.is_name(value):
        tests.append(build.is_among(value, "ag__simple"))
    match container:
        case ast.Name():
            tests.append(build.is_among(container, "ag__hashed"))
        case ast.Tuple(elts=parts) if all(map(shapes.is_constant, parts)):
            pass
        case _:
            return asked
    calm = ast.UnaryOp(ast.Not(), build.is_loud())
    return ast.IfExp(
        ast.BoolOp(ast.And(), [*tests, calm]), ast.Compare(value, node.ops, [container]), asked
    )


def _convert_identity(node: ast.Compare) -> ast.expr:
    """``a is b`` of two objects, of which staging may have made another, or of a number that it may
    have made a tensor of."""
    parts = [node.left, *node.comparators]
    same: ast.expr = build.call("same", *parts)
    if isinstance(node.ops[0], ast.IsNot):
        same = ast.UnaryOp(op=ast.Not(), operand=same)
    if any(shapes.is_constant(p) and not shapes.is_number(p) for p in parts):
        same = ast.IfExp(build.is_loud(), same, node)  # such as None, which is one object
    return same


def convert_if_exp(node: ast.IfExp, inlines: bool = True) -> ast.expr:
    test, line = node.test, build.constant(node.lineno)
    if not inlines:
        sides = deferred(node.body, test), deferred(node.orelse, test)
        return build.locate(build.call("if_exp", test, *sides, line=line), test)
    taken = _temporary(node)
    sides = deferred(node.body, test), deferred(node.orelse, test)
    general = build.call("if_exp", build.name(taken), *sides, line=line)
    plain = ast.IfExp(test=build.name(taken), body=node.body, orelse=node.orelse)
    return build.locate(_chosen(taken, test, plain, general), test)


def deferred(operand: ast.expr, place: ast.expr) -> ast.Lambda:
    """``operand`` to be evaluated later. Until then only the line of ``place`` runs."""
    return build.locate(build.thunk(_Walrus().visit(operand)), place)


class _Walrus(build.Transformer):
    """Turns ``(n := value)`` into ``ag__.bind(lambda: n, value)``."""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        self.generic_visit(node)
        if node.target.id.startswith("ag__"):
            return node  # read where it is set
        cell = build.thunk(build.name(node.target.id))
        return build.locate(build.call("bind", cell, node.value), node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node  # what it binds is its own
