"""Predicates on syntax tree nodes that several modules use."""

from __future__ import annotations

import _ast as ast

from ...context.ownership import OPERATORS
from ...hints import Any


def is_name(node: Any) -> bool:
    return isinstance(node, ast.Name)


def is_constant(node: Any) -> bool:
    return isinstance(node, ast.Constant)


def is_atom(node: Any) -> bool:
    """Whether a node is a name or a constant."""
    return isinstance(node, (ast.Name, ast.Constant))


def is_literal(node: Any) -> bool:
    """Whether a node is a constant, or a sign before one."""
    return is_constant(node.operand if isinstance(node, ast.UnaryOp) else node)


def is_none(node: Any) -> bool:
    return is_constant(node) and node.value is None


def is_number(node: Any) -> bool:
    return is_constant(node) and isinstance(node.value, (int, float, complex))


def is_loaded(node: Any) -> bool:
    """Whether a name, an attribute or an item is read: neither set nor deleted."""
    return isinstance(node.ctx, ast.Load)


def is_display(node: Any) -> bool:
    """Whether a node is a tuple or a list, as a value or as a target."""
    return isinstance(node, (ast.Tuple, ast.List))


def is_slice(key: ast.expr) -> bool:
    """Whether a key is a slice, or may be a tuple of some."""
    return isinstance(key, (ast.Slice, ast.Tuple))


def is_declaration(node: Any) -> bool:
    return isinstance(node, (ast.Global, ast.Nonlocal))


def is_exit(node: Any) -> bool:
    """Whether what stands behind a statement in its block does not run."""
    return isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue))


def ends_by_exit(body: list[ast.stmt]) -> bool:
    """Whether what stands behind a block does not run after it."""
    return bool(body) and is_exit(body[-1])


def is_lookup(operator: ast.cmpop) -> bool:
    return isinstance(operator, (ast.In, ast.NotIn))


def parts_of(target: ast.expr) -> list[ast.expr]:
    """The targets in a tuple, or the only one."""
    return target.elts if isinstance(target, ast.Tuple) else [target]


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is a string that stands alone."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def is_operator_call(node: ast.AST) -> bool:
    """Whether a node calls something of the operators."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name == OPERATORS
    return False


def called_name(node: Any) -> str:
    """``f`` of ``f(x)``, "" of other nodes."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def last_name(node: Any) -> str:
    """``c`` of ``a.b.c`` and of ``c``, "" of other nodes."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def root_name(node: Any) -> str:
    """``a`` of ``a.b.c`` and of ``a``, "" of other nodes."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
