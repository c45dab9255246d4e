"""Write barriers: stores to attributes and items call the runtime, which logs the old value.

``a.b = x`` becomes ``ag__.owner(a, "b", "a.b").b = x``, ``a[k] = x`` becomes
``ag__.container(a, "a")[k] = x``; lists, dicts and sets that an assignment makes go through
``ag__.fresh``.
"""

from __future__ import annotations

import _ast as ast

from ...hints import Any
from . import build, operator_methods, shapes
from . import inline_caches as short_ways
from .inline_caches import Sites

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_NUMERIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.JoinedStr)


def convert_attribute(
    node: ast.Attribute, text: str, sites: Sites | None = None, repeats: bool = False
) -> ast.Attribute:
    """An attribute that is set or deleted, ``repeats`` where that may be often."""
    owner, place = node.value, (build.constant(node.attr), build.constant(text))
    if isinstance(node.ctx, ast.Del):
        announced: ast.expr = build.call("losing", owner, *place)
    elif sites is not None:
        announced = short_ways.owner(owner, node.attr, text, sites)
    elif repeats and shapes.is_name(owner):
        announced = short_ways.settable(owner, node.attr, text)
    else:
        announced = build.call("owner", owner, *place)
    node.value = build.locate(announced, owner)
    return node


def convert_subscript(node: ast.Subscript, text: str, repeats: bool = False) -> ast.Subscript:
    """An item that is set or deleted, ``repeats`` where that may be often."""
    short = short_ways.container(node, text) if repeats else None
    if short is not None:
        node.value = build.locate(short, node.value)
        return node
    key = node.slice
    keys = [build.loaded(key)] if shapes.is_atom(key) else []
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
    if isinstance(node.value, _NUMERIC):
        return None
    match node.target:
        case ast.Name(id=name) if name in parameters or isinstance(node.value, _DISPLAYS):
            return build.call("augmented", build.name(name))
        case ast.Attribute(value=owner, attr=attribute):
            return build.call("changing", build.loaded(owner), build.constant(attribute))
        case ast.Subscript(value=owner, slice=key) if not shapes.is_slice(key):
            return build.call("changing_item", build.loaded(owner), build.loaded(key))
    return None


# Calls that change no list or dict of user code.
_HARMLESS = frozenset(
    {"abs", "bool", "float", "int", "len", "max", "min", "ord", "pow", "round", "str", "sum"}
)


def is_read_before(node: ast.AugAssign) -> bool:
    """Whether an item is changed by what a call gives that may change the object it is in: Python
    reads the item before the call, and sets it after that."""
    match node.target:
        case ast.Subscript(slice=key) if not shapes.is_slice(key):
            calls = build.find(ast.Call, node.value)
            return not all(shapes.called_name(call) in _HARMLESS for call in calls)
    return False


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
    if shapes.is_name(target):
        return []
    target.ag_text = build.text_of(target)
    parts = {"value": f"ag__base_{number}"}
    if isinstance(target, ast.Subscript) and not shapes.is_slice(target.slice):
        parts["slice"] = f"ag__key_{number}"
    found: list[ast.stmt] = []
    for part, name in parts.items():
        value = getattr(target, part)
        if not _runs_nothing(value):
            found.append(build.locate(build.assign(name, value), value))
            setattr(target, part, build.locate(build.name(name), value))
    return found


def released(named: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that release the results of calls that ``name_parts`` has bound to names."""
    return [
        build.locate(build.assign(s.targets[0].id, build.constant(None)), s, s)
        for s in named
        if isinstance(s, ast.Assign) and short_ways.is_made(s.value)
    ]


def _runs_nothing(value: ast.expr) -> bool:
    """Whether evaluating an expression again gives the same object and runs no code."""
    if isinstance(value, ast.Attribute):
        return _runs_nothing(value.value) and not operator_methods.has_attribute(value.attr)
    return shapes.is_name(value) or shapes.is_literal(value)


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
