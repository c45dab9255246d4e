"""``raise e`` becomes ``raise ag__.raised(e)``: a staged branch that ends with it fails when the
graph runs it."""

from __future__ import annotations

import _ast as ast

from . import build


def convert(node: ast.Raise) -> ast.Raise:
    """``node`` with its exception marked; a bare ``raise`` passes on one that is."""
    if node.exc is not None:
        node.exc = build.locate(build.call("raised", node.exc), node.exc)
    return node
