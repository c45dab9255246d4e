"""Recognises functions that conversion would not change, without parsing them.

A function runs straight through where its bytecode has no jump and calls nothing but this library:
then there is no control flow to stage, in it or in its callees. In doubt a function is converted.
This module imports nothing heavy, since every first trace needs it.
"""

from __future__ import annotations

import opcode
import sys
import types
from functools import cache, lru_cache

from ..context import bytecode
from ..context.ownership import OPERATORS, is_own_module
from ..hints import Any
from ..native import _core

__all__ = ["is_leaf", "is_straight_line", "sets_attributes_only"]

# What a function that needs no conversion may take.
_VALUES = (int, float, complex, str, bytes, type(None), _core.Tensor, _core.VariableBase)
_BY_TENSORS = frozenset({"sort", "insert", "pop"})  # methods that have a meaning on tensors

_JUMPS = "JUMP FOR_ITER SEND YIELD RAISE SETUP BEFORE_WITH LOAD_SPECIAL MATCH"
_TESTS = "UNARY_NOT CONTAINS_OP UNPACK EXTEND CALL_FUNCTION_EX FORMAT BUILD_STRING CONVERT_VALUE"
_STATE = "STORE_SUBSCR STORE_ATTR STORE_DEREF STORE_GLOBAL DELETE IMPORT MAKE_FUNCTION"
_SUSPECT_WORDS = f"{_JUMPS} {_TESTS} {_STATE}".split()


@cache
def _is_suspect(op: int) -> bool:
    """Whether control flow, or what conversion gives a meaning on tensors, may come with it."""
    if op in opcode.hasjrel or op in opcode.hasjabs:
        return True
    return any(map(opcode.opname[op].__contains__, _SUSPECT_WORDS))


def is_straight_line(function: Any, args: tuple, kwargs: dict) -> bool:
    """Whether a call of a Python function with these arguments runs the same converted or not."""
    if type(function) is not types.FunctionType:
        return False
    if not _runs_straight(function.__code__):
        return False
    return _all_plain([*args, *kwargs.values()]) and _reaches_library_only(function)


@lru_cache(maxsize=4096)
def _runs_straight(code: types.CodeType) -> bool:
    """Whether code has no jump and no function of its own, nor what has a meaning on tensors."""
    if any(type(c) is types.CodeType for c in code.co_consts):
        return False
    if _BY_TENSORS.intersection(code.co_names) or any(map(_is_suspect, set(code.co_code[::2]))):
        return False
    return not _asks_of_operands(code)


_REMAINDERS = frozenset({"BINARY_MODULO", "INPLACE_MODULO"})  # of Python 3.10
_REMAINDER_ARGS = (6, 19)  # of BINARY_OP, % and %=


_CONSTANTS = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
_OF_PLAIN_KEYS = _CONSTANTS | {"BUILD_SLICE", "BUILD_TUPLE"}  # which no list takes for a number
_SUBSCRIPT_ARG = 26  # of BINARY_OP from Python 3.14 on


def _asks_of_operands(code: types.CodeType) -> bool:
    """Whether there is a ``%`` whose right side is no constant: the left one may be a text; or an
    item under a key that is none: it may be a tensor, and what it is taken of a list."""
    before = ""
    for name, arg in bytecode.steps(code):
        takes = name in _REMAINDERS or (name == "BINARY_OP" and arg in _REMAINDER_ARGS)
        if takes and before not in _CONSTANTS:
            return True
        takes = name == "BINARY_SUBSCR" or (name == "BINARY_OP" and arg == _SUBSCRIPT_ARG)
        if takes and before not in _OF_PLAIN_KEYS:
            return True
        before = name
    return False


_SETTING = frozenset(
    {"RESUME", "NOP", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_CONST", "LOAD_SMALL_INT"}
    | {
        "SWAP",
        "ROT_TWO",
        "BUILD_LIST",
        "BUILD_TUPLE",
        "BUILD_MAP",
        "STORE_ATTR",
        "RETURN_VALUE",
        "RETURN_CONST",
    }
)


@lru_cache(maxsize=4096)
def sets_attributes_only(code: types.CodeType) -> bool:
    """Whether code does nothing but keep its arguments, constants and new containers as attributes
    of its first argument."""
    before = "", 0
    for name, arg in bytecode.steps(code):
        if name not in _SETTING:
            return False
        if name == "STORE_ATTR" and (not before[0].startswith("LOAD_FAST") or before[1] != 0):
            return False
        before = name, arg
    return True


_GENERATORS = 0x20 | 0x80 | 0x200  # flags of the code of generators and coroutines
_SILENT = frozenset({"NOP", "PUSH_NULL", "PRECALL"})
_LOUD_ONLY = frozenset({"changing", "fresh"})  # operators that do nothing while all is quiet


@lru_cache(maxsize=4096)
def is_leaf(code: types.CodeType) -> str:
    """What converted code asks the operators for while no region is traced and nothing is stale:
    "nothing", "own" where that is to set attributes of its first argument, else ""."""
    if code.co_flags & _GENERATORS or any(type(c) is types.CodeType for c in code.co_consts):
        return ""
    stores, names = "nothing", [s for s in bytecode.steps(code) if s[0] not in _SILENT]
    for i, (name, arg) in enumerate(names):
        if name in ("STORE_FAST", "DELETE_FAST") and arg == 0:
            return ""  # the first argument is another one from then on
        if not name.startswith("LOAD_") or _cell_name(code, name, arg) != OPERATORS:
            continue
        asked, index = names[i + 1]
        if asked not in ("LOAD_ATTR", "LOAD_METHOD"):
            return ""
        wide = asked == "LOAD_ATTR" and sys.version_info >= (3, 12)
        operator = code.co_names[index >> 1 if wide else index]
        if operator == "owner" and _is_first(*names[i + 2]):
            stores = "own"
        elif operator not in _LOUD_ONLY:
            return ""
    return stores


def _is_first(name: str, arg: int) -> bool:
    return name in ("LOAD_FAST", "LOAD_FAST_BORROW") and arg == 0


def _cell_name(code: types.CodeType, name: str, arg: int) -> str:
    """The name of the cell that an instruction reads; "" of others."""
    if name not in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"):
        return ""
    if hasattr(code, "_varname_from_oparg"):
        return code._varname_from_oparg(arg)
    return (code.co_cellvars + code.co_freevars)[arg]


def _all_plain(values: list) -> bool:
    """Whether arguments are tensors, variables and Python values, whose methods are known."""
    for value in values:
        kind = type(value)
        if kind in (list, tuple):
            if not _all_plain(list(value)):
                return False
        elif kind is dict:
            if not _all_plain(list(value.values())):
                return False
        elif not isinstance(value, _VALUES):
            return False
    return True


def _reaches_library_only(function: types.FunctionType) -> bool:
    """Whether the names that a function takes from outside are this library and plain values."""
    code = function.__code__
    outside: list[Any] = []
    for name in code.co_names:
        if name in function.__globals__:
            outside.append(function.__globals__[name])
        elif name in function.__builtins__:
            return False  # builtins such as len and range have a meaning on tensors
    for cell in function.__closure__ or ():
        try:
            outside.append(cell.cell_contents)
        except ValueError:  # not set yet
            return False
    return all(_is_library(value) or _all_plain([value]) for value in outside)


def _is_library(value: Any) -> bool:
    name = value.__name__ if type(value) is types.ModuleType else getattr(value, "__module__", None)
    if not isinstance(name, str) or not is_own_module(name):
        return False
    return value is sys.modules.get(name) or type(value) is types.FunctionType
