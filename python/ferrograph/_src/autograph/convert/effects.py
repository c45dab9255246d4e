"""What a function reads and calls, where its source shows that it has no side effects."""

from __future__ import annotations

import _ast as ast
import types
from typing import NamedTuple

from ...heap.source_location import ConversionError
from . import build, shapes
from .parse import parse

_NUMBERS = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare)
_ACTING = (
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.With, ast.AsyncWith, ast.Delete,
    ast.Yield, ast.YieldFrom, ast.Await, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef,
    ast.Lambda, ast.AsyncFor,
)  # fmt: skip


class Reads(NamedTuple):
    """What a function that sets nothing reads and calls, by name."""

    names: set[str]
    called: set[str]
    attributes: set[str]
    methods: set[str]


def reads_of(function: types.FunctionType) -> Reads | None:
    """What a function reads; None where it may do something else, or its source is missing."""
    try:
        node = parse(function).node
    except ConversionError:
        return None
    nodes = list(build.walk(*build.body_of(node)))
    numbers = _numbers(nodes)
    reads = Reads(set(), set(), set(), set())
    return reads if all(_note(inner, numbers, reads) for inner in nodes) else None


def _note(node: ast.AST, numbers: set[str], reads: Reads) -> bool:
    """Note what a node reads and calls; whether it does nothing else."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            reads.names.add(name)
        case ast.Attribute(attr=name, ctx=ast.Load()):
            reads.attributes.add(name)
        case ast.Call(func=ast.Attribute(attr=name)):
            reads.methods.add(name)
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr" as name),
            args=[_, ast.Constant(value=str() as attribute), *_],
        ):
            reads.called.add(name)
            reads.attributes.add(attribute)
        case ast.Call(func=ast.Name(id=name)) if name not in ("getattr", "hasattr"):
            reads.called.add(name)
        case ast.AugAssign(target=ast.Name(id=name)):  # which may change an object
            return name in numbers
        case ast.Subscript():
            return shapes.is_loaded(node)
        case ast.Call() | ast.Attribute() | ast.AugAssign():
            return False
        case _:
            return not isinstance(node, _ACTING)
    return True


def _numbers(nodes: list[ast.AST]) -> set[str]:
    """The names of a function to which it assigns new values alone."""
    given: dict[str, list[bool]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            value = node.value
            is_new = isinstance(value, _NUMBERS) or shapes.called_name(value) in ("hash", "int")
            for target in filter(shapes.is_name, node.targets):
                given.setdefault(target.id, []).append(is_new)
    return {name for name, are_new in given.items() if all(are_new)}
