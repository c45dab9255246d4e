"""What calls that are under way hold for their callees.

Before Python 3.11 a caller keeps the arguments of a call on the stack of its frame until the call
returns. Nothing reads them there, so that they are no references of the program's. The interpreter
is asked whether it does so, and where in the memory of a frame its stack is.
"""

from __future__ import annotations

import collections
import gc
import sys
import types

from ...context.locals import keeps_arguments
from ...hints import Any
from . import stacks

_WORD = 8
_HEAD = 3  # the words in front of what a frame refers to: counts and its class


def handed_down() -> collections.Counter:
    """By id, how many arguments of functions of Python's that are running objects are, where the
    stacks of callers keep them."""
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
    """By the code of the frames from ``frame`` on, the ids of what stands on a stack where that
    code is called: functions and methods, or the objects that these are bound to, which Python puts
    in their place."""
    found: dict[types.CodeType, set[int]] = {}
    while frame is not None:
        found[frame.f_code] = set()
        frame = frame.f_back
    functions = [f for f in gc.get_referrers(*found) if type(f) is types.FunctionType]
    for function in functions:
        if function.__code__ in found:
            found[function.__code__].add(id(function))
    for method in gc.get_referrers(*functions):
        if type(method) is types.MethodType and type(method.__func__) is types.FunctionType:
            callees = found.get(method.__func__.__code__, set())
            callees.update((id(method), id(method.__self__)))
    return found


def _arguments(frame: types.FrameType, callees: set[int] | frozenset[int]) -> list[int]:
    """The ids of the arguments on the stack of a frame that calls one of ``callees``."""
    name, n, depth = stacks.call_of(frame)
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
