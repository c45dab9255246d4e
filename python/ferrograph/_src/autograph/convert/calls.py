"""Calls: ``f(x)`` becomes ``ag__.fn(f)(x)``: the call stays, what it calls is converted."""

from __future__ import annotations

import _ast as ast

from . import build, operator_methods
from . import inline_caches as short_ways
from .inline_caches import Sites

_NAMING = {"locals", "vars", "dir"}  # which give the names of the frame where they take nothing


_RUNNING = {"eval", "exec"}  # which run a text with the names of the frame


def convert(
    node: ast.Call,
    sites: Sites | None = None,
    names: bool = False,
    repeats: bool = False,
    grows: bool = False,
) -> ast.expr:
    """``node`` calling what ``ag__.fn`` makes of its function, unless that looks at the frame.

    ``sites`` where a loop calls it; ``names`` says that names may be bound there, ``repeats`` that
    it runs more than once, ``grows`` that its arguments ``may_grow``.
    """
    if _looks_at_frame(node.func):
        if node.func.id in _NAMING and not node.args and not node.keywords:
            return build.locate(build.call("own_names", node), node)
        if node.func.id == "vars" and len(node.args) == 1:
            node.args = [build.locate(build.call("asked", node.args[0]), node.args[0])]
        if node.func.id in _RUNNING:
            node.func = build.locate(build.call("fn", node.func), node.func)
        return node
    called: ast.expr
    operator = "fn_later" if grows else "fn"
    is_method = isinstance(node.func, ast.Attribute)
    if is_method and short_ways.is_made(node.func.value):
        called = build.call(operator, node.func)  # which keeps the object no longer than the call
    elif sites is not None and (isinstance(node.func, ast.Name) or names):
        if isinstance(node.func, ast.Attribute) and (short := short_ways.method_call(node, sites)):
            return build.locate(short, node)
        called = short_ways.callee(node.func, sites, grows=grows)
    else:
        called = build.call(operator, node.func)
    if repeats and (short := _short(node, called, names)) is not None:
        return build.locate(short, node)
    node.func = build.locate(called, node.func)
    return node


def _looks_at_frame(called: ast.expr) -> bool:
    if not isinstance(called, ast.Name) or called.id not in operator_methods.OF_THE_FRAME:
        return False
    return operator_methods.is_builtin(called.id)


def _short(node: ast.Call, called: ast.expr, names: bool) -> ast.expr | None:
    """The call by Python alone where it is of its own, else of what is ``called``."""
    if isinstance(node.func, ast.Name):
        return short_ways.builtin_call(node, called, names)
    if isinstance(node.func, ast.Attribute) and names:
        return short_ways.of_container(node)
    return None
