"""Liveness of names: which names traced code still reads, from its frames and bytecode.

Also what code may do by its instructions and names, and the value stacks of frames: before Python
3.11 a caller keeps the arguments of a call on its stack until the call returns.
"""

from __future__ import annotations

import collections
import functools
import gc
import opcode
import sys
import types
from collections.abc import Callable, Iterator

from ..context import bytecode, ownership, tracebacks
from ..context.locals import keeps_arguments, locals_of
from ..hints import Any
from .adapters import is_function

# Functions that take the name of an attribute as a string: operators of converted code, and
# builtins.
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


def _runs(code: types.CodeType, test: Callable[[Any], bool]) -> bool:
    """Whether code, or code in it, has such an instruction."""
    if any(map(test, bytecode.instructions(code))):
        return True
    return any(_runs(c, test) for c in code.co_consts if type(c) is types.CodeType)


def sets(code: types.CodeType, name: str) -> bool:
    """Whether code, or code in it, sets an attribute of a name, or the items of what is there."""
    attributes, items = (
        ("STORE_ATTR", "DELETE_ATTR"),
        ("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR"),
    )
    return _runs(code, lambda i: i.opname in items or i.opname in attributes and i.argval == name)


_CHANGING = ("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "STORE_DEREF", "DELETE_")


def changes(code: types.CodeType) -> bool:
    """Whether code, or code in it, changes anything but its own local names."""
    return _runs(code, lambda i: i.opname.startswith(_CHANGING))


def calls(code: types.CodeType) -> bool:
    return any(name.startswith("CALL") for name, _ in bytecode.steps(code))


_LISTING = frozenset({"__dict__", "vars", "__getstate__", "delattr", "__delattr__"})


def lists_attributes(code: types.CodeType) -> bool:
    if not _LISTING.isdisjoint(words_of(code)):
        return True
    return _runs(code, lambda i: i.opname == "DELETE_ATTR")


_MACHINERY = ownership.MACHINERY
# Names that converted code reads in the statement that sets them.
AT_ONCE = frozenset({"ag__base", "ag__callee", "ag__key", "ag__owner"})


def live_values(setting: types.FrameType | None = None) -> list:
    """What the rest of the code of the trace may read under its names, and those of its modules;
    not under the name that the frame ``setting`` is about to set."""
    found = []
    for frame in frames():
        held, names = locals_of(frame), read_later(frame)
        if frame is setting:
            names = names - {stored_next(frame)}
        found += [held[name] for name in names if name in held]
        found += [v for n in words_of(frame.f_code) if (v := frame.f_globals.get(n)) is not None]
    return found


def words_in_reach() -> frozenset[str]:
    """The names in the code of the trace that is running, and in functions that it names."""
    found: frozenset[str] = frozenset()
    for frame in frames():
        words = words_of(frame.f_code)
        found |= words
        held = [*locals_of(frame).values(), *(frame.f_globals.get(word) for word in words)]
        found = found.union(*(words_of(v.__code__) for v in held if is_function(v)))
    return found


def frames() -> Iterator[types.FrameType]:
    """The user's frames in the trace, inner ones first."""
    frame: Any = sys._getframe(1)
    while frame is not None and id(frame.f_code) not in tracebacks.tracing:
        if not ownership.is_library_file(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def position(frame: types.FrameType) -> int:
    """Where in its code a frame is."""
    return frame.f_lasti


def values_in(frame: types.FrameType) -> list:
    """The values of the local names of user code in a frame."""
    held = locals_of(frame)
    return [v for name, v in held.items() if name not in AT_ONCE and name not in _MACHINERY]


def read_later(frame: types.FrameType) -> set[str]:
    """The names of its own that the rest of a frame's code loads."""
    if has_begun_anew(frame):
        return set()
    loads, jumps = _loads(frame.f_code)
    start = frame.f_lasti
    if frame.f_code in tracebacks.parts:
        start = -1  # the body of a loop may run again
    for at, target in jumps:
        if at > frame.f_lasti:
            start = min(start, target - 1)
    return {name for at, name in loads if at > start and not name.startswith("ag__")}


def has_begun_anew(frame: types.FrameType) -> bool:
    """Whether a frame of a fast path waits for its full form, and reads nothing after that."""
    if frame.f_code not in tracebacks.lean:
        return False
    return any(i.opname in ("RETURN_VALUE", "RETURN_CONST") for i in _rest(frame)[1:2])


def is_converted_code() -> bool:
    """Whether the code that called this package is converted."""
    frame: Any = sys._getframe(1)
    while frame is not None and ownership.is_own_file(frame.f_code.co_filename):
        frame = frame.f_back
    code = frame.f_code
    return ownership.OPERATORS in code.co_freevars or code in tracebacks.parts


def stored_next(frame: types.FrameType) -> str:
    """The name to which a frame assigns the result of what it calls; "" where it does not."""
    following = [i for i in _rest(frame)[1:2] if i.opname.startswith("STORE_")]
    return str(following[0].argval) if following else ""


def may_be_caught() -> bool:
    """Whether code of the trace that is running has handlers of exceptions."""
    return any(has_handlers(frame.f_code) for frame in frames())


@functools.lru_cache(maxsize=512)
def has_handlers(code: types.CodeType) -> bool:
    """Whether code handles exceptions, or has something to do where it is left."""
    found = {name for name, _ in bytecode.steps(code)}
    return not found.isdisjoint(("PUSH_EXC_INFO", "SETUP_FINALLY", "SETUP_WITH"))


@functools.lru_cache(maxsize=512)
def binds_outside(code: types.CodeType) -> bool:
    """Whether code sets names of the functions around it, or of its module."""
    return any(name in ("STORE_DEREF", "STORE_GLOBAL") for name, _ in bytecode.steps(code))


def is_discarded() -> bool:
    """Whether the program throws away the result of the call that it makes."""
    return any(i.opname == "POP_TOP" for i in _rest(next(frames(), None))[1:2])


def is_copied_from() -> bool:
    """Whether the program makes a dict or arguments of the mapping whose method it calls."""
    return any(i.opname in _MERGES for i in _rest(next(frames(), None))[:1])


_MERGES = ("DICT_UPDATE", "DICT_MERGE")


def _rest(frame: types.FrameType | None) -> list[Any]:
    """The instruction that a frame runs, and those after it."""
    found = [] if frame is None else bytecode.instructions(frame.f_code)
    at = sum(i.offset <= frame.f_lasti for i in found) - 1 if frame is not None else 0
    return found[at:]  # which may stand in the caches of that instruction


@functools.lru_cache(maxsize=512)
def _loads(code: types.CodeType) -> tuple[list[tuple[int, str]], list[tuple[int, int]]]:
    """Where a code object loads which names, and where it jumps back to."""
    loads, jumps = [], []
    for instruction in bytecode.instructions(code):
        name = instruction.opname
        if name.startswith("LOAD_") and isinstance(instruction.argval, str):
            loads.append((instruction.offset, instruction.argval))
        if bytecode.jumps_back(instruction):
            jumps.append((instruction.offset, _header(code, instruction.argval)))
    return loads, jumps


def _header(code: types.CodeType, target: int) -> int:
    """Where the line of a loop header begins: its iterable is loaded there."""
    lines = list(code.co_lines())
    at = next(i for i, (first, end, _) in enumerate(lines) if first <= target < end)
    while at > 0 and lines[at - 1][2] == lines[at][2]:
        at -= 1
    return lines[at][0]


def _adds_in_place(instruction: Any) -> bool:
    """Whether it is the operation of an augmented assignment, or what takes its place."""
    is_read = instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
    return is_read and instruction.argval == "augment" or bytecode.in_place(instruction)


def adds_in_place(frame: types.FrameType) -> bool:
    """Whether a frame is at the operation of an augmented assignment."""
    return any(map(_adds_in_place, _rest(frame)[:1]))


@functools.lru_cache(maxsize=512)
def augmented(code: types.CodeType) -> frozenset[str]:
    """The names and attributes that augmented assignments of a code object set, ``[]`` for an
    item."""
    found, pending = set(), False
    for instruction in bytecode.instructions(code):
        name = instruction.opname
        if _adds_in_place(instruction):
            pending = True
        elif pending and name.startswith("STORE_"):
            found.add("[]" if name == "STORE_SUBSCR" else str(instruction.argval))
            pending = False
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return frozenset(found).union(*map(augmented, inner))


# What is on a stack, the last one on top: whether it belongs to a block, as the iterator of a loop.
_Stack = tuple[bool, ...]
_ENDS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD"})
_JUMPS_BACK = ("JUMP_BACKWARD", "JUMP_ABSOLUTE")


def are_held() -> bool:
    """Whether code of the trace that is running has such values."""
    return any(map(_holds, frames()))


def _holds(frame: types.FrameType) -> bool:
    """Whether a frame has some below the result of the call that it makes; True where that is
    unknown."""
    stacks = _stacks(frame.f_code)
    at = max((offset for offset in stacks if offset <= frame.f_lasti), default=None)
    if at is None:
        return True
    instruction, before = stacks[at]
    return not all(_after(instruction, before, False)[:-1])


_CALLS = frozenset({"CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_KW"})


def call_of(frame: types.FrameType) -> tuple[str, int, int]:
    """The call that a frame makes, as Python before 3.11 writes calls: the instruction, its number
    of arguments and how much is on the stack; "" where it makes none."""
    instruction, before = _stacks(frame.f_code).get(frame.f_lasti, (None, ()))
    if instruction is None or instruction.opname not in _CALLS:
        return "", 0, 0
    return instruction.opname, instruction.arg, len(before)


@functools.lru_cache(maxsize=512)
def _stacks(code: types.CodeType) -> dict[int, tuple[Any, _Stack]]:
    """The instructions that are reached but for handlers of exceptions, with the stacks before
    them."""
    import dis

    found = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    following = {i.offset: n for i, n in zip(found, found[1:], strict=False)}
    by_offset = {i.offset: i for i in found}
    known: dict[int, tuple[Any, _Stack]] = {}
    pending: list[tuple[Any, _Stack]] = [(found[0], ())]
    while pending:
        instruction, before = pending.pop()
        if instruction.offset in known:
            continue
        known[instruction.offset] = instruction, before
        name, target = instruction.opname, instruction.argval
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            pending.append((by_offset[target], _after(instruction, before, True)))
        more = following.get(instruction.offset)
        if more is not None and name not in _ENDS and not name.startswith(_JUMPS_BACK):
            pending.append((more, _after(instruction, before, False)))
    return known


def _after(instruction: Any, before: _Stack, jumps: bool) -> _Stack:
    """The stack after an instruction."""
    import dis

    name = instruction.opname
    if name == "GET_ITER":
        return (*before[:-1], True)
    if name == "BEFORE_WITH":
        return (*before[:-1], True, False)
    has_argument = instruction.opcode >= dis.HAVE_ARGUMENT
    argument = instruction.arg if has_argument else None
    effect = dis.stack_effect(instruction.opcode, argument, jump=jumps)
    if effect < 0:
        return before[:effect]
    return before + (False,) * effect


_WORD = 8
_HEAD = 3  # the words in front of what a frame refers to: counts and its class


def handed_down() -> collections.Counter:
    """How often each object, by id, is an argument of a running Python function that is still on
    the stack of the caller."""
    found: collections.Counter = collections.Counter()
    if not keeps_arguments():
        return found
    frame: Any = sys._getframe(1)
    functions = _functions(frame)
    while frame.f_back is not None:
        found.update(_arguments(frame.f_back, functions.get(frame.f_code, frozenset())))
        frame = frame.f_back
    return found


def _functions(frame: Any) -> dict[types.CodeType, set[int]]:
    """By the code of the frames from ``frame`` on, the ids of the objects on the stack where that
    code is called: functions and methods, or the objects that these are bound to, by which Python
    replaces them."""
    found: dict[types.CodeType, set[int]] = {}
    while frame is not None:
        found[frame.f_code] = set()
        frame = frame.f_back
    functions = [f for f in gc.get_referrers(*found) if is_function(f)]
    for function in functions:
        if function.__code__ in found:
            found[function.__code__].add(id(function))
    for method in gc.get_referrers(*functions):
        if type(method) is types.MethodType and is_function(method.__func__):
            callees = found.get(method.__func__.__code__, set())
            callees.update((id(method), id(method.__self__)))
    return found


def _arguments(frame: types.FrameType, callees: set[int] | frozenset[int]) -> list[int]:
    """The ids of the arguments on the stack of a frame that calls one of ``callees``."""
    name, n, depth = call_of(frame)
    if not name:
        return []
    stack = _stack(frame, depth)
    if name == "CALL_FUNCTION_KW":
        stack.pop()  # the names
    if name == "CALL_METHOD" and stack[-n - 2 : -n - 1] != [0]:
        n += 1  # the object
    callee, *args = stack[-n - 1 :]
    return args if callee in callees else []


def _stack(frame: types.FrameType, depth: int) -> list[int]:
    """The addresses of what is on the stack of a frame."""
    import ctypes

    size = frame.__sizeof__() // _WORD
    words = (ctypes.c_size_t * size).from_address(id(frame))
    for word in words[_HEAD:]:  # the only one that points into the frame
        at = (word - id(frame)) // _WORD
        if 0 < at <= size:
            return words[at : at + depth]
    return []
