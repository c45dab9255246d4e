"""Which attributes code reads of what it is given, and whether they are plain to read.

``self.rate``, ``model.head.scale`` and ``settings.limit`` are chains: a name that code reads, and
attributes of it, one behind the other. They are found in the instructions; what becomes of a value
in a variable between them is not followed.
"""

from __future__ import annotations

import opcode
import sys
import types
from functools import lru_cache
from typing import Any

from ...context.ownership import is_library_file, is_own_module

__all__ = ["MISSING", "attribute", "chains"]

MISSING = object()
_MOST = 8  # attributes in a chain


# Where a chain begins (``local``, ``global``, ``free``), the name there, the attributes.
Chain = tuple[str, str, tuple[str, ...]]


@lru_cache(maxsize=4096)
def chains(code: types.CodeType) -> tuple[Chain, ...]:
    """The chains that code reads, and functions inside it as far as they read what is outside."""
    found = dict.fromkeys(_own(code))
    parameters = set(code.co_varnames[: _n_parameters(code)])
    for nested in code.co_consts:
        if type(nested) is types.CodeType:
            for chain in chains(nested):
                scope, name, attributes = chain
                if scope == "free" and name in parameters:
                    found["local", name, attributes] = None
                elif scope != "local":
                    found[chain] = None
    return tuple(found)


def _n_parameters(code: types.CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount


_LOCAL = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW"}
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME"}
_FREE = {"LOAD_DEREF", "LOAD_CLASSDEREF"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_STORES = {"STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF"}
_SILENT = {"CACHE", "EXTENDED_ARG", "NOP", "PRECALL"}


def _own(code: types.CodeType) -> list[Chain]:
    """The chains in the instructions of code itself."""
    found: list[Chain] = []
    stored: set[str] = set()
    start: tuple[str, str] | None = None
    names: list[str] = []
    high, text = 0, code.co_code
    for i in range(0, len(text), 2):
        operation, arg = opcode.opname[text[i]], text[i + 1] | high
        high = arg << 8 if operation == "EXTENDED_ARG" else 0
        if operation in _SILENT:
            continue
        if operation in _ATTRIBUTE and start is not None and len(names) < _MOST:
            names.append(code.co_names[_attribute_index(operation, arg)])
            continue
        if start is not None and names:
            found.append((*start, tuple(names)))
        names = []
        start = _start(code, operation, arg)
        if operation in _STORES:
            stored.add(_local_name(code, arg))
    return [c for c in found if c[0] == "global" or c[1] not in stored]


def _start(code: types.CodeType, operation: str, arg: int) -> tuple[str, str] | None:
    if operation in _GLOBAL:
        wide = operation == "LOAD_GLOBAL" and sys.version_info >= (3, 11)
        return "global", code.co_names[arg >> 1 if wide else arg]
    if operation in _LOCAL:
        name = _local_name(code, arg)
    elif operation in _FREE:
        name = _local_name(code, arg if hasattr(code, "_varname_from_oparg") else -1 - arg)
    else:
        return None
    return ("free" if name in code.co_freevars else "local"), name


def _attribute_index(operation: str, arg: int) -> int:
    return arg >> 1 if operation == "LOAD_ATTR" and sys.version_info >= (3, 12) else arg


def _local_name(code: types.CodeType, arg: int) -> str:
    if hasattr(code, "_varname_from_oparg"):
        return code._varname_from_oparg(arg)
    return code.co_varnames[arg] if arg >= 0 else (code.co_cellvars + code.co_freevars)[-1 - arg]


def attribute(owner: Any, name: str) -> Any:
    """What an attribute holds where reading it runs no code of the program; a property as it is.

    ``MISSING`` where there is none, or where it is not that plain.
    """
    kind = type(owner)
    if kind is types.ModuleType:
        plain = not is_library_file(getattr(owner, "__file__", None) or "<frozen")
        return vars(owner).get(name, MISSING) if plain else MISSING
    if isinstance(owner, type):
        return MISSING if is_own_module(owner.__module__) else _in_class(owner, name)
    if is_own_module(kind.__module__) or kind.__getattribute__ is not object.__getattribute__:
        return MISSING
    shared = _in_class(kind, name)
    if isinstance(shared, (property, types.MemberDescriptorType)):
        return shared if type(shared) is property else getattr(owner, name, MISSING)
    if hasattr(type(shared), "__set__") and shared is not MISSING:
        return MISSING
    held = getattr(owner, "__dict__", None)
    return held.get(name, shared) if type(held) is dict else shared


def _in_class(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING
