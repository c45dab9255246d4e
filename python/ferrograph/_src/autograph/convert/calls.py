"""Calls: ``f(x)`` becomes ``ag__.fn(f)(x)``: the call stays, its callee is converted."""

from __future__ import annotations

import _ast as ast

from . import build, operator_methods, shapes
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
    name = shapes.called_name(node)
    if name in operator_methods.OF_THE_FRAME and operator_methods.is_builtin(name):
        return _looking_at_frame(node, name)
    called: ast.expr
    operator = "fn_later" if grows else "fn"
    is_method = isinstance(node.func, ast.Attribute)
    if is_method and short_ways.is_made(node.func.value):
        called = build.call(operator, node.func)  # which keeps the object no longer than the call
    elif sites is not None and (name or names):
        if is_method and (short := short_ways.method_call(node, sites)):
            return build.locate(short, node)
        called = short_ways.callee(node.func, sites, grows=grows)
    else:
        called = build.call(operator, node.func)
    short = None
    if repeats and name:
        short = short_ways.builtin_call(node, called, names)
    elif repeats and names and is_method:
        short = short_ways.of_container(node)
    if short is not None:
        return build.locate(short, node)
    node.func = build.locate(called, node.func)
    return node


def _looking_at_frame(node: ast.Call, name: str) -> ast.expr:
    """The call of a builtin that looks at the frame it is called in."""
    if name in _NAMING and not node.args and not node.keywords:
        return build.locate(build.call("own_names", node), node)
    if name == "vars" and len(node.args) == 1:
        node.args = [build.locate(build.call("asked", node.args[0]), node.args[0])]
    if name in _RUNNING:
        node.func = build.locate(build.call("fn", node.func), node.func)
    return node
