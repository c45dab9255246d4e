"""f-strings: ``f"{x:.2f}!"`` becomes ``ag__.joined(ag__.formatted(x, ".2f"), "!")``.

A symbolic number without a format specification is formatted as a tensor; a symbolic Python string
is inserted when the graph runs. ``"..." % x`` refuses such a string.
"""

from __future__ import annotations

import _ast as ast

from . import build, operator_methods, shapes

_NO_CONVERSION = -1


def convert(node: ast.JoinedStr, grows: bool) -> ast.expr:
    """``node`` with its formatted values passed to the runtime, always where they run user code
    (``grows``).

    ``ag__loud`` is false and ``ag__.chosen`` empty while the trace has no symbolic Python scalar or
    string.
    """
    if all(map(shapes.is_constant, node.values)):
        return node
    made = build.locate(build.call("joined", *map(_part, node.values)), node)
    has_formats = any(getattr(v, "format_spec", None) for v in node.values)
    if grows or has_formats or operator_methods.has("__format__", "__str__", "__repr__"):
        return made
    chosen = ast.Attribute(build.name(build.OPERATORS), "chosen", ast.Load())
    test = ast.BoolOp(op=ast.Or(), values=[build.is_loud(), chosen])
    return build.locate(ast.IfExp(test=test, body=made, orelse=node), node)


def _part(value: ast.expr) -> ast.expr:
    if not isinstance(value, ast.FormattedValue):
        return value
    shown = value.value
    if value.conversion != _NO_CONVERSION:
        shown = build.call("shown", shown)
        plain = ast.FormattedValue(value=shown, conversion=value.conversion, format_spec=None)
        shown = ast.JoinedStr(values=[plain])
    spec = [value.format_spec] if value.format_spec is not None else []
    return build.locate(build.call("formatted", shown, *spec), value)


def convert_percent(node: ast.BinOp) -> None:
    """``"..." % value`` in place; other uses of ``%`` are left."""
    match node.left:
        case ast.Constant(value=str() | bytes()):
            node.right = build.locate(build.call("shown", node.right), node.right)
