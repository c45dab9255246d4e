"""What sets attributes and items announces it: the logs of staged regions keep what was there.

``a.b = x`` becomes ``ag__.owner(a, "b", "a.b").b = x``, ``a[k] = x`` becomes
``ag__.container(a, "a")[k] = x``; lists, dicts and sets that an assignment makes go through
``ag__.fresh``.
"""

from __future__ import annotations

import _ast as ast

from ...hints import Any
from . import build, operator_methods
from . import inline_caches as short_ways
from .inline_caches import Sites

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_NUMERIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.JoinedStr)


def convert_attribute(
    node: ast.Attribute, text: str, sites: Sites | None = None, repeats: bool = False
) -> ast.Attribute:
    """An attribute that is set or deleted, ``repeats`` where that may be often."""
    if isinstance(node.ctx, ast.Del):
        place = build.constant(node.attr), build.constant(text)
        node.value = build.locate(build.call("losing", node.value, *place), node.value)
        return node
    if sites is not None:
        short = short_ways.owner(node.value, node.attr, text, sites)
        node.value = build.locate(short, node.value)
        return node
    if repeats and isinstance(node.value, ast.Name):
        node.value = build.locate(short_ways.settable(node.value, node.attr, text), node.value)
        return node
    place = build.constant(node.attr), build.constant(text)
    node.value = build.locate(build.call("owner", node.value, *place), node.value)
    return node


def convert_subscript(node: ast.Subscript, text: str, repeats: bool = False) -> ast.Subscript:
    """An item that is set or deleted, ``repeats`` where that may be often."""
    short = short_ways.container(node, text) if repeats else None
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
    """The call that announces what an augmented assignment may change in place beside the name
    that it sets."""
    target = node.target
    if isinstance(target, ast.Name):
        if isinstance(node.value, _DISPLAYS) or (
            target.id in parameters and not isinstance(node.value, _NUMERIC)
        ):
            return build.call("augmented", build.name(target.id))
        return None
    if isinstance(node.value, _NUMERIC):
        return None
    if isinstance(target, ast.Attribute):
        return build.call("changing", build.loaded(target.value), build.constant(target.attr))
    if isinstance(target.slice, (ast.Slice, ast.Tuple)):
        return None
    return build.call("changing_item", build.loaded(target.value), build.loaded(target.slice))


# Calls that change no list or dict of the program's.
_HARMLESS = frozenset(
    {"abs", "bool", "float", "int", "len", "max", "min", "ord", "pow", "round", "str", "sum"}
)


def is_read_before(node: ast.AugAssign) -> bool:
    """Whether an item is changed by what a call gives that may change the object it is in: Python
    reads the item before the call, and sets it after that."""
    if not isinstance(node.target, ast.Subscript):
        return False
    if isinstance(node.target.slice, (ast.Slice, ast.Tuple)):
        return False
    calls = (n.func for n in build.walk(node.value) if isinstance(n, ast.Call))
    return any(not (isinstance(f, ast.Name) and f.id in _HARMLESS) for f in calls)


def in_steps(node: ast.AugAssign, number: int) -> list[ast.stmt]:
    """``a[k] += f()`` as what Python does one after the other."""
    target: Any = node.target
    old, found = f"ag__old_{number}", list[ast.stmt]()
    for part, name in (("value", f"ag__base_{number}"), ("slice", f"ag__key_{number}")):
        value = getattr(target, part)
        if not _runs_nothing(value):
            found.append(build.assign(name, value))
            setattr(target, part, build.locate(build.name(name), value))
    read = ast.Subscript(build.loaded(target.value), build.loaded(target.slice), ast.Load())
    found.append(build.assign(old, read))
    found.append(ast.AugAssign(target=build.store(old), op=node.op, value=node.value))
    target.ctx = ast.Store()
    found.append(ast.Assign(targets=[target], value=build.name(old), lineno=0))
    found.append(build.assign(old, build.constant(None)))
    return [build.locate(statement, node) for statement in found]


def name_parts(node: ast.AugAssign, number: int) -> list[ast.stmt]:
    """Statements that give names to the parts of a target whose evaluation may run code.

    The target, which is announced and set, then evaluates them once.
    """
    target = node.target
    if isinstance(target, ast.Name):
        return []
    target.ag_text = build.text_of(target)
    parts = {"value": f"ag__base_{number}"}
    if isinstance(target, ast.Subscript) and not isinstance(target.slice, (ast.Slice, ast.Tuple)):
        parts["slice"] = f"ag__key_{number}"
    found: list[ast.stmt] = []
    for part, name in parts.items():
        value = getattr(target, part)
        if not _runs_nothing(value):
            found.append(build.locate(build.assign(name, value), value))
            setattr(target, part, build.locate(build.name(name), value))
    return found


def released(named: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that let go of what calls have given to the names of ``name_parts``."""
    return [
        build.locate(build.assign(s.targets[0].id, build.constant(None)), s, s)
        for s in named
        if isinstance(s, ast.Assign) and short_ways.is_made(s.value)
    ]


def _runs_nothing(value: ast.expr) -> bool:
    """Whether evaluating an expression again gives the same object and runs no code."""
    if isinstance(value, ast.Attribute):
        return _runs_nothing(value.value) and not operator_methods.has_attribute(value.attr)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    return isinstance(value, (ast.Name, ast.Constant))


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


def announcement(call: ast.expr, like: ast.stmt) -> ast.stmt:
    """The statement that announces a change in place by a call, where that matters."""
    heard = ast.BoolOp(ast.And(), [build.is_loud(), call])
    return build.locate(ast.Expr(value=heard), like, like)
