"""What sets attributes and items announces it: the journals of staged regions keep what was there.

``a.b = x`` becomes ``ag__.owner(a, "b", "a.b").b = x``, ``a[k] = x`` becomes
``ag__.container(a, "a")[k] = x``; lists, dicts and sets that an assignment makes go through
``ag__.fresh``.
"""

from __future__ import annotations

import ast

from . import build
from . import sites as short_ways
from .sites import Sites

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_NUMERIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.JoinedStr)


def convert_attribute(node: ast.Attribute, text: str, sites: Sites | None = None) -> ast.Attribute:
    """An attribute that is set or deleted."""
    if sites is not None:
        short = short_ways.owner(node.value, node.attr, text, sites)
        node.value = build.locate(short, node.value)
        return node
    place = build.constant(node.attr), build.constant(text)
    node.value = build.locate(build.call("owner", node.value, *place), node.value)
    return node


def convert_subscript(node: ast.Subscript, text: str, sites: Sites | None = None) -> ast.Subscript:
    """An item that is set or deleted."""
    short = short_ways.container(node, text, sites) if sites is not None else None
    if short is not None:
        node.value = build.locate(short, node.value)
        return node
    key = node.slice
    keys = [build.loaded(key)] if isinstance(key, (ast.Name, ast.Constant)) else []
    target = build.call("container", node.value, build.constant(text), *keys)
    node.value = build.locate(target, node.value)
    return node


def convert_value(value: ast.expr) -> ast.expr:
    """The value of an assignment."""
    if isinstance(value, _DISPLAYS):
        return build.locate(build.call("fresh", value), value)
    return value


def changed_in_place(node: ast.AugAssign, parameters: frozenset[str]) -> ast.expr | None:
    """What an augmented assignment may change in place beside the name that it sets."""
    target = node.target
    if isinstance(target, ast.Name):
        if isinstance(node.value, _DISPLAYS) or (
            target.id in parameters and not isinstance(node.value, _NUMERIC)
        ):
            return build.name(target.id)
        return None
    if isinstance(node.value, _NUMERIC):
        return None
    return build.loaded(target)


def extension(node: ast.AugAssign, general: list[ast.stmt]) -> ast.stmt:
    """``name += [...]``, which leaves a list where it is, as a call of its method.

    ``general`` are the statements for what is no list.
    """
    name = build.name(node.target.id)
    method = ast.Attribute(value=name, attr="extend", ctx=ast.Load())
    call = ast.Call(func=build.call("fn", method), args=[node.value], keywords=[])
    test = build.call("is_list", name)
    plain = ast.Expr(value=call)
    return build.locate(ast.If(test=test, body=[plain], orelse=general), node, node)


def announcement(value: ast.expr, like: ast.stmt) -> ast.stmt:
    """A statement that announces a change of ``value`` in place."""
    return build.locate(ast.Expr(value=build.call("augmented", value)), like, like)
