"""The conversion of one function: one module a construct, applied here in order.

1. ``normalize``: forms that depend on their place are written out.
2. ``jumps``: break, continue and return become flags.
3. ``conditionals``, ``loops``: statements become functions and a call that chooses, inside out.
4. ``logical``, ``calls``, ``unpacking``, ``asserts``, ``raises``: expressions.

Functions nested in the converted one go through the same steps, unless something else decides how
they run: decorated functions, generators and coroutines stay as they are and are converted when
they are called.
"""

from __future__ import annotations

import ast
from typing import Any

from .. import analysis, build
from . import (
    asserts,
    calls,
    conditionals,
    jumps,
    logical,
    loops,
    normalize,
    raises,
    unpacking,
)
from .context import Context


def convert_function(
    node: ast.FunctionDef | ast.Lambda, class_name: str | None
) -> ast.FunctionDef | ast.Lambda:
    """Convert ``node`` in place; ``class_name`` owns the private names in it."""
    normalize.mangle(node, class_name)
    if isinstance(node, ast.Lambda):
        _lambda(node)
    else:
        _function(node)
    return node


def is_left_alone(node: ast.FunctionDef) -> bool:
    """Whether a nested function keeps its text: what decorates or drives it may rely on it."""
    return bool(node.decorator_list) or _yields(node.body)


def _function(node: ast.FunctionDef) -> None:
    normalize.normalize(node)
    analysis.Liveness(node.body)
    jumps.lower(node)
    analysis.Liveness(node.body)
    context = Context(node)
    first = node.body[0]
    node.body = _Statements(context).block(node.body)
    declarations = [s for s in node.body if isinstance(s, (ast.Global, ast.Nonlocal))]
    rest = [s for s in node.body if not isinstance(s, (ast.Global, ast.Nonlocal))]
    at = 1 if rest and jumps.is_docstring(rest[0]) else 0
    node.body = rest[:at] + declarations + context.binding(first) + rest[at:]


def _lambda(node: ast.Lambda) -> None:
    if not _binds(node):
        node.body = _Expressions().visit(node.body)


def _binds(node: ast.Lambda) -> bool:
    """Whether a lambda binds names of its own by a walrus; its operands must then stay in it."""
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.body))


def _yields(body: list[ast.stmt]) -> bool:
    """Whether the function of ``body`` is a generator."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
    return False


class _Expressions(ast.NodeTransformer):
    """Converts the expressions of one statement, inside out."""

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        return logical.convert_bool_op(self.generic_visit(node))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return logical.convert_not(node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        return logical.convert_compare(self.generic_visit(node))

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return logical.convert_if_exp(self.generic_visit(node))

    def visit_Call(self, node: ast.Call) -> Any:
        if build.is_operator_call(node):
            return self.generic_visit(node)
        return calls.convert(self.generic_visit(node))

    def _comprehension(self, node: Any) -> Any:
        self.generic_visit(node)
        unpacking.convert_generators(node.generators)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node if _binds(node) else self.generic_visit(node)


class _Statements(_Expressions):
    """Converts the statements of one function, the inner ones first."""

    def __init__(self, context: Context):
        self._context = context

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for statement in body:
            converted = self.visit(statement)
            out.extend(converted if isinstance(converted, list) else [converted])
        return out

    def visit_If(self, node: ast.If) -> Any:
        if getattr(node, "ag_plain", False):
            return node
        facts = conditionals.prepare(node, self._context)
        self._parts(node)
        return conditionals.convert(node, facts, self._context)

    def visit_While(self, node: ast.While) -> Any:
        facts = loops.prepare(node, self._context)
        self._parts(node)
        return loops.convert_while(node, facts, self._context)

    def visit_For(self, node: ast.For) -> Any:
        facts = loops.prepare(node, self._context)
        self._parts(node)
        return loops.convert_for(node, facts, self._context)

    def _parts(self, node: ast.stmt) -> None:
        for part, value in ast.iter_fields(node):
            if part in ("body", "orelse"):
                setattr(node, part, self.block(value))
            elif isinstance(value, ast.AST):
                setattr(node, part, self.visit(value))

    def visit_Assign(self, node: ast.Assign) -> Any:
        return unpacking.convert_assign(self.generic_visit(node))

    def visit_Raise(self, node: ast.Raise) -> Any:
        return raises.convert(self.generic_visit(node))

    def visit_Assert(self, node: ast.Assert) -> Any:
        return asserts.convert(self.generic_visit(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if not is_left_alone(node):
            self._defaults(node)
            _function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node  # its methods are converted when they are called

    def _defaults(self, node: ast.FunctionDef) -> None:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
