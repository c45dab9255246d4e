"""What a function reads and calls, where its text says that it does nothing else."""

from __future__ import annotations

import _ast as ast
import types
from typing import NamedTuple

from ...heap.source_location import ConversionError
from . import build
from .parse import parse

_NUMBERS = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare)
_ACTING = (
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.With, ast.AsyncWith, ast.Delete,
    ast.Yield, ast.YieldFrom, ast.Await, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef,
    ast.Lambda, ast.AsyncFor,
)  # fmt: skip
_BY_TEXT = ("getattr", "hasattr")


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
    body = node.body if isinstance(node.body, list) else [node.body]
    nodes = [inner for statement in body for inner in build.walk(statement)]
    numbers = _numbers(nodes)
    reads = Reads(set(), set(), set(), set())
    for inner in nodes:
        if isinstance(inner, _ACTING) or not _sets_names(inner, numbers):
            return None
        if type(inner) is ast.Name and type(inner.ctx) is ast.Load:
            reads.names.add(inner.id)
        elif type(inner) is ast.Attribute:
            reads.attributes.add(inner.attr)
        elif type(inner) is ast.Call and not _note_call(inner, reads):
            return None
    return reads


def _note_call(node: ast.Call, reads: Reads) -> bool:
    """Note what is called; whether that is known by its name."""
    if type(node.func) is ast.Attribute:
        reads.methods.add(node.func.attr)
        return True
    if type(node.func) is not ast.Name:
        return False
    reads.called.add(node.func.id)
    if node.func.id in _BY_TEXT:
        name = getattr(node.args[1] if len(node.args) > 1 else None, "value", None)
        reads.attributes.add(str(name))
        return type(name) is str
    return True


def _sets_names(node: ast.AST, numbers: set[str]) -> bool:
    """Whether a statement sets nothing but names of the function's own."""
    if type(node) is ast.AugAssign:
        return type(node.target) is ast.Name and node.target.id in numbers
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return type(node.ctx) is ast.Load
    return True


def _numbers(nodes: list[ast.AST]) -> set[str]:
    """The names of a function to which it assigns new values alone."""
    given: dict[str, list[bool]] = {}
    for node in nodes:
        if type(node) is ast.Assign:
            value = node.value
            is_hash = type(value) is ast.Call and getattr(value.func, "id", "") in ("hash", "int")
            for target in node.targets:
                if type(target) is ast.Name:
                    given.setdefault(target.id, []).append(isinstance(value, _NUMBERS) or is_hash)
    return {name for name, are_new in given.items() if all(are_new)}
