"""f-strings: ``f"{x:.2f}!"`` becomes ``ag__.joined(ag__.formatted(x, ".2f"), "!")``.

An f-string without a format specification stays: a symbolic tensor in it shows as what it is.
"""

from __future__ import annotations

import ast

from . import build, methods

_NO_CONVERSION = -1


def convert(node: ast.JoinedStr) -> ast.expr:
    """``node`` with what it formats given to the operators."""
    shows = any(isinstance(v, ast.FormattedValue) for v in node.values) and methods.has_text()
    if not shows and not any(getattr(v, "format_spec", None) for v in node.values):
        return node
    return build.locate(build.call("joined", *map(_part, node.values)), node)


def _part(value: ast.expr) -> ast.expr:
    if not isinstance(value, ast.FormattedValue):
        return value
    shown = value.value
    if value.format_spec is None or value.conversion != _NO_CONVERSION:
        plain = ast.FormattedValue(value=shown, conversion=value.conversion, format_spec=None)
        shown = ast.JoinedStr(values=[plain])
    if value.format_spec is None and value.conversion == _NO_CONVERSION and methods.has_text():
        return build.locate(build.call("formatted", value.value), value)
    if value.format_spec is None:
        return build.locate(shown, value)
    return build.locate(build.call("formatted", shown, value.format_spec), value)
