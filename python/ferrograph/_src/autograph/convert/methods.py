"""Operators and attributes that user-defined classes may overload become calls of the runtime.

``a + b`` becomes ``ag__.binary("add", a, b)``, ``a.name`` becomes ``ag__.attribute_of(a, "name")``:
only where ``operator_methods`` knows a class that overloads them.
"""

from __future__ import annotations

import _ast as ast

from . import build, operator_methods, shapes

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_OF_INTEGERS = frozenset({"lshift", "rshift"})  # which tensors have no operators for
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_NO_LISTS = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr)
_EQUALITIES, _ORDERS = ("__eq__", "__ne__"), ("__lt__", "__le__", "__gt__", "__ge__")


def convert_binary(node: ast.BinOp, grows: bool) -> ast.expr:
    """A binary operation whose operands are converted, and run user code where it ``grows``; the
    left one of a remainder may be a format string."""
    name = _BINARY[type(node.op)]
    made: ast.expr = build.call("binary", build.constant(name), node.left, node.right)
    if not operator_methods.has(f"__{name}__", f"__r{name}__"):
        is_format = name == "mod" and not shapes.is_constant(node.right)
        if shapes.is_constant(node.left) or not (name in _OF_INTEGERS or is_format):
            return node
        made = made if grows else ast.IfExp(_chosen(), made, node)
    return build.locate(made, node)


def is_special(node: ast.BinOp | ast.UnaryOp | ast.Compare) -> bool:
    """Whether user-defined methods may decide the result of an operation or of one comparison."""
    match node:
        case ast.BinOp(op=op):
            name = _BINARY[type(op)]
            return operator_methods.has(f"__{name}__", f"__r{name}__")
        case ast.UnaryOp(op=sign):
            return type(sign) in _UNARY and operator_methods.has(f"__{_UNARY[type(sign)]}__")
        case ast.Compare(ops=[link, *_]):
            return type(link) in COMPARISONS and _is_compared(link)
    return False


def _is_compared(operator: ast.cmpop) -> bool:
    """Whether user-defined methods may decide the result of a comparison."""
    is_equality = isinstance(operator, (ast.Eq, ast.NotEq))
    return operator_methods.has(*(_EQUALITIES if is_equality else _ORDERS))


def augments(node: ast.AugAssign) -> bool:
    """Whether user-defined methods may decide what an augmented assignment does."""
    name = _BINARY[type(node.op)]
    return operator_methods.has(f"__i{name}__", f"__{name}__", f"__r{name}__")


def _chosen() -> ast.expr:
    """The set ``ag__.chosen``, which is empty while no trace has symbolic Python scalars."""
    return ast.Attribute(build.name(build.OPERATORS), "chosen", ast.Load())


def convert_unary(node: ast.UnaryOp) -> ast.expr:
    """``-a``, ``+a`` and ``~a``."""
    name = _UNARY[type(node.op)]
    if shapes.is_constant(node.operand) or not operator_methods.has(f"__{name}__"):
        return node
    return build.locate(build.call("unary", build.constant(name), node.operand), node)


def convert_comparison(node: ast.Compare, grows: bool) -> ast.expr:
    """One comparison of two operands, which may be lists that have just grown; by identity and
    ``in`` it is not for here."""
    name = COMPARISONS.get(type(node.ops[0]))
    if name is None:
        return node
    sides = node.left, node.comparators[0]
    made = build.call("compared", build.constant(name), *sides)
    if _is_compared(node.ops[0]) or any(map(_is_made_here, sides)):
        return build.locate(made, node)
    if not any(isinstance(side, _NO_LISTS) for side in sides):
        return build.locate(made if grows else ast.IfExp(build.is_loud(), made, node), node)
    return node


def _is_made_here(side: ast.expr) -> bool:
    """Whether a side is written as a container, in which there are more than constants."""
    match side:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return not all(map(shapes.is_constant, parts))
    return False


def convert_item(node: ast.Subscript) -> ast.expr:
    """``a[key]`` where it is read."""
    if not operator_methods.has("__getitem__", "__missing__"):
        return node
    return build.locate(build.call("item_of", node.value, key_of(node.slice)), node)


def key_of(key: ast.expr) -> ast.expr:
    """What a subscript hands to ``__getitem__``."""
    match key:
        case ast.Slice():
            return slice_of(key)
        case ast.Tuple(elts=parts):
            return build.tuple_of(map(key_of, parts))
    return key


def slice_of(key: ast.Slice) -> ast.Call:
    """``slice(a, b, c)`` of ``a:b:c``."""
    parts = [part or build.constant(None) for part in (key.lower, key.upper, key.step)]
    return ast.Call(func=build.name("slice"), args=parts, keywords=[])


_ASKED = frozenset({"__class__", "__dict__"})  # of which any object is asked


def convert_attribute(node: ast.Attribute) -> ast.expr:
    """``a.name`` where it is read."""
    if node.attr not in _ASKED and not operator_methods.has_attribute(node.attr):
        return node
    return build.locate(build.call("attribute_of", node.value, build.constant(node.attr)), node)


def convert_with(node: ast.With) -> ast.With:
    """``with a:``."""
    for item in node.items:
        context = build.call("managed", item.context_expr)
        item.context_expr = build.locate(context, item.context_expr)
    return node


def convert_augmented(node: ast.AugAssign, number: int) -> list[ast.stmt]:
    """``a += b``, whose parts are converted, with the object and the key evaluated once."""
    name = _BINARY[type(node.op)]
    if not operator_methods.has(f"__i{name}__", f"__{name}__", f"__r{name}__"):
        return [node]
    target, kept = _target(node.target, number)
    old = _loaded(build.locate(target, node))
    value = build.call("augment", build.constant(name), old, node.value)
    store = ast.Assign(targets=[target], value=value, lineno=0)
    return [build.locate(s, node, node) for s in (*kept, store)]


def _target(
    target: ast.Name | ast.Attribute | ast.Subscript, number: int
) -> tuple[ast.expr, list[ast.stmt]]:
    """A target whose parts are names, and the statements that set these."""
    base, key = f"ag__base_{number}", f"ag__key_{number}"
    match target:
        case ast.Attribute(value=owner, attr=attribute):
            named: ast.expr = ast.Attribute(build.name(base), attribute, ast.Store())
            return named, [build.assign(base, owner)]
        case ast.Subscript(value=owner, slice=index):
            named = ast.Subscript(build.name(base), build.name(key), ast.Store())
            return named, [build.assign(base, owner), build.assign(key, key_of(index))]
    return target, []


def _loaded(target: ast.expr) -> ast.expr:
    """What a target holds."""
    match build.locate(build.loaded(target), target):
        case ast.Attribute() as found:
            return convert_attribute(found)
        case ast.Subscript() as found:
            return convert_item(found)
        case found:
            return found
