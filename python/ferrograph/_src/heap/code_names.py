"""The names in code: of globals and attributes, and of the modules that it imports."""

from __future__ import annotations

import opcode
import types
from collections.abc import Iterator

# What takes the name of an attribute as a text: operators of converted code, and Python's own.
_BY_TEXT = frozenset(
    {"attribute_of", "getattr", "setattr", "delattr", "attrgetter", "methodcaller"}
    | {"__getattribute__", "__setattr__", "__delattr__"}
)
IMPORTS = "import "  # how words begin that say that code imports, and what
_IMPORT_NAME = opcode.opmap["IMPORT_NAME"]
_words: dict[int, tuple[types.CodeType, frozenset[str]]] = {}
_MOST_CODES = 8192


def words_of(code: types.CodeType) -> frozenset[str]:
    """The names of globals and attributes in a code object and those in it."""
    known = _words.get(id(code))
    if known is not None:
        return known[1]
    inner = [words_of(c) for c in code.co_consts if type(c) is types.CodeType]
    found = frozenset(code.co_names).union(*inner)
    if _IMPORT_NAME in code.co_code[::2]:
        found |= {IMPORTS, *(IMPORTS + name for name in imported_by(code))}
    if not _BY_TEXT.isdisjoint(code.co_names):
        found = found.union(c for c in code.co_consts if type(c) is str and c.isidentifier())
    if len(_words) >= _MOST_CODES:
        _words.clear()
    _words[id(code)] = code, found
    return found


def imported_by(code: types.CodeType) -> Iterator[str]:
    """The names of the modules that a code object imports."""
    high, text = 0, code.co_code
    for i in range(0, len(text), 2):
        arg = text[i + 1] | high
        high = arg << 8 if text[i] == opcode.EXTENDED_ARG else 0
        if text[i] == _IMPORT_NAME:
            yield code.co_names[arg]
