"""From a function object to the syntax tree of its source.

A ``def`` is read from the block of lines that starts where its code object says. A lambda stands
anywhere in an expression, so the whole file is parsed once and the lambda is found by the positions
of its instructions. Line and column numbers in the tree are those of the source file.
"""

from __future__ import annotations

import _ast as ast
import types
from collections.abc import Iterable

from ...context import sources
from ...heap.source_location import ConversionError
from . import build

_lambdas_of_file: dict[str, tuple[list[str], list[ast.Lambda]]] = {}
_MAX_FILES = 32
_VARARGS, _VARKEYWORDS = 0x04, 0x08  # flags of code


class Source:
    """The tree of one function, its source, and the class whose private names (``__x``) it uses."""

    __slots__ = ("class_name", "node", "text")

    def __init__(self, node: ast.FunctionDef | ast.Lambda, text: str, class_name: str | None):
        self.node, self.text, self.class_name = node, text, class_name


def parse(fn: types.FunctionType) -> Source:
    """A new tree of ``fn``; ConversionError where its source is missing or has changed."""
    code = fn.__code__
    lines = sources.lines(code.co_filename, fn.__globals__)
    if not lines or not _is_text_of(code, lines):
        raise ConversionError(f"the source of {fn.__qualname__} is not available")
    node: ast.FunctionDef | ast.Lambda
    if code.co_name == "<lambda>":
        node, text = _find_lambda(code, lines), ""
    else:
        node, text = _find_def(code, lines)
    if _argument_names(node.args) != _code_arguments(code):
        raise ConversionError(f"the source of {fn.__qualname__} has changed since it was loaded")
    return Source(node, text, _enclosing_class(fn))


def _is_text_of(code: types.CodeType, lines: list[str]) -> bool:
    """Whether lines that are kept under the name of a code's file may be its text.

    "<string>" names all code that `exec` runs, such as the methods of dataclasses; since Python
    3.13 the program of ``python -c`` is kept under it.
    """
    first = code.co_firstlineno - 1
    if first >= len(lines):
        return False
    if code.co_filename != "<string>" or code.co_name == "<lambda>":
        return True
    return lines[first].lstrip().startswith(("@", f"def {code.co_name}", "async def "))


def _find_def(code: types.CodeType, lines: list[str]) -> tuple[ast.FunctionDef, str]:
    first = code.co_firstlineno - 1
    try:
        block = _indented_block(lines, first)
        body = _parsed(block, first, code.co_filename)
    except SyntaxError:
        try:
            import inspect
            import tokenize

            block = inspect.getblock(lines[first:])
            body = _parsed(block, first, code.co_filename)
        except (SyntaxError, tokenize.TokenError) as e:
            said = e.msg if isinstance(e, SyntaxError) else e.args[0]
            raise ConversionError(f"the source of {code.co_name} does not parse: {said}") from e
    if isinstance(body[0], ast.If):
        body = body[0].body
    node = body[0]
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        raise ConversionError(f"line {code.co_firstlineno} does not define {code.co_name}")
    return node, "".join(block)


def _parsed(block: list[str], first: int, filename: str) -> list[ast.stmt]:
    """The statements of a block that starts behind ``first`` lines of the file."""
    text = "".join(block)
    if text[:1] in (" ", "\t"):
        return build.parsed("\n" * (first - 1) + "if 1:\n" + text, filename).body
    return build.parsed("\n" * first + text, filename).body


def _indented_block(lines: list[str], first: int) -> list[str]:
    """The lines of the ``def`` that starts at ``first``, as far as the indentation tells.

    What stands to the left inside of strings or brackets makes them too few: they do not parse.
    """
    margin = len(lines[first]) - len(lines[first].lstrip())
    begun = False
    for i in range(first, len(lines)):
        text = lines[i].lstrip()
        if not text or text[0] == "#" or len(lines[i]) - len(text) > margin:
            continue
        if begun and text[0] not in ")]}":
            return lines[first:i]
        begun = begun or text.startswith(("def ", "async def "))
    return lines[first:]


def _find_lambda(code: types.CodeType, lines: list[str]) -> ast.Lambda:
    found = [
        node
        for node in _lambdas(code.co_filename, lines)
        if node.lineno == code.co_firstlineno
        and _argument_names(node.args) == _code_arguments(code)
    ]
    if len(found) > 1:
        found = _by_position(code, found)
    if not found:
        raise ConversionError(f"no lambda found at {code.co_filename}:{code.co_firstlineno}")
    if len(found) > 1 and len(set(map(build.unparsed, found))) > 1:
        raise ConversionError(f"several lambdas at {code.co_filename}:{code.co_firstlineno}")
    return _copy(found[0])


def _lambdas(filename: str, lines: list[str]) -> list[ast.Lambda]:
    known = _lambdas_of_file.get(filename)
    if known is not None and known[0] is lines:
        return known[1]
    try:
        tree = build.parsed("".join(lines), filename)
    except SyntaxError as e:
        raise ConversionError(f"{filename} does not parse: {e.msg}") from e
    found = list(build.find(ast.Lambda, tree))
    if len(_lambdas_of_file) >= _MAX_FILES:
        _lambdas_of_file.clear()
    _lambdas_of_file[filename] = (lines, found)
    return found


def _by_position(code: types.CodeType, candidates: list[ast.Lambda]) -> list[ast.Lambda]:
    """Those candidates whose body holds the instructions of ``code``, innermost first."""
    spots = _spots(code)
    if not spots:
        return [node for node in candidates if _same_code(node, code)]
    holding = []
    for node in candidates:
        start, end = _span(node.body)
        if all(start <= a and b <= end for a, b in spots):
            holding.append(node)
    holding.sort(key=lambda node: _span(node.body)[0], reverse=True)
    return holding[:1]


def _spots(code: types.CodeType) -> list[tuple]:
    """Where the instructions of code stand in its text. Before Python 3.11 none says it, and in
    Python 3.12 none that returns a constant."""
    if not hasattr(code, "co_positions"):
        return []
    return [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in list(code.co_positions())[1:]
        if None not in (line, end_line, column, end_column) and (column, end_column) != (0, 0)
    ]


def _same_code(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether ``node`` compiles to the instructions of ``code``, given the same free names."""
    free = ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=n) for n in code.co_freevars], kwonlyargs=[],
        kw_defaults=[], defaults=[],
    )  # fmt: skip
    outer = ast.Expression(ast.Lambda(args=free, body=_copy(node)))
    compiled = compile(build.locate(outer, node), "<lambda>", "eval", dont_inherit=True)
    for _ in range(2):
        compiled = next(c for c in compiled.co_consts if isinstance(c, types.CodeType))
    return _essence(compiled) == _essence(code)


def _essence(code: types.CodeType) -> tuple:
    """What code does, without the names of the functions around it, which Python before 3.11 has
    among the constants."""
    inner = [_essence(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    constants = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
    constants = [c for c in constants if not (isinstance(c, str) and "<lambda>" in c)]
    return code.co_code, code.co_names, code.co_freevars, repr(constants), inner


def _span(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def _copy(node: ast.Lambda) -> ast.Lambda:
    import copy

    return copy.deepcopy(node)


def _argument_names(args: ast.arguments) -> tuple[str, ...]:
    return _unmangled(arg.arg for arg in build.parameters(args))


def _code_arguments(code: types.CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
    return _unmangled(code.co_varnames[:count])


def _unmangled(names: Iterable[str]) -> tuple[str, ...]:
    """Names to compare by: without what the private names of a class get in front."""
    return tuple(name.rsplit("__", 1)[-1] for name in names)


def _enclosing_class(fn: types.FunctionType) -> str | None:
    """The innermost class around the text of ``fn``, read off its qualified name."""
    parts = getattr(fn.__code__, "co_qualname", fn.__qualname__).split(".")
    for i in range(len(parts) - 2, -1, -1):
        if "<locals>" not in (parts[i], parts[i + 1]):
            return parts[i]
    return None
