"""Builtins that read the frame of their caller, under any name: ``eval``, ``exec``, ``locals``,
``sys._getframe``.

A part of a function that is a separate function in converted code, such as a branch, has a frame
with only the names in its source. Reading other names is refused.
"""

from __future__ import annotations
import __future__

import builtins
import sys
import types
from collections.abc import Callable

from ...context import tracebacks
from ...context.ownership import is_own_file
from ...heap import frames, trace_context
from ...heap.frames import words_of
from ...heap.source_location import diagnostic, here
from ...hints import Any
from ...staging import write_barriers
from ...values import errors
from . import names, unconverted_calls

__all__ = ["dir_", "eval_", "exec_", "frame_at", "locals_", "vars_"]

_FLAGS = [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
_READ_ALL = frozenset({"locals", "vars", "dir", "eval", "exec"})
_OF_FRAMES = frozenset({"f_locals", "f_back"})


def eval_(source: Any, globals_: Any = None, locals_: Any = None, /) -> Any:
    """``eval``."""
    return _run(builtins.eval, source, globals_, locals_)


def exec_(source: Any, globals_: Any = None, locals_: Any = None, /, **keywords: Any) -> None:
    """``exec``."""
    _run(builtins.exec, source, globals_, locals_, **keywords)


def _run(python: Callable, source: Any, given: Any, locals_: Any, **keywords: Any) -> Any:
    frame = _users_frame()
    code = _compiled(python.__name__, source, frame)
    if given is not None:
        return python(code, given, locals_, **keywords)
    if locals_ is not None:
        return python(code, frame.f_globals, locals_, **keywords)
    around = _around(frame)
    if around is frame:
        if trace_context.has_regions() and _READ_ALL.isdisjoint(words_of(frame.f_code)):
            raise _by_another_name(python.__name__)
        return python(code, frame.f_globals, names.with_unset(frame), **keywords)
    held = dict(frame.f_locals)
    if frame.f_code in tracebacks.parts and not trace_context.in_region():
        held = {**around.f_locals, **held}
    elif isinstance(code, types.CodeType):
        _refuse_hidden(python.__name__, words_of(code), frame, around)
    made = dict(held)
    found = python(code, frame.f_globals, made, **keywords)
    if any(held.get(name, held) is not value for name, value in made.items()):
        raise _refused(f"`{python.__name__}` sets names of the function that calls it", _GIVE)
    return found


_GIVE = "Give it names of its own, `{}(text, globals(), {{'n': n}})`."


def _compiled(mode: str, source: Any, frame: types.FrameType) -> Any:
    """What a text says, as code that is compiled as the frame's is."""
    if not isinstance(source, (str, bytes, bytearray)):
        return source
    if mode == "eval":
        source = source.lstrip(" \t" if isinstance(source, str) else b" \t")
    flags = frame.f_code.co_flags & sum(_FLAGS)
    return compile(source, "<string>", mode, flags, dont_inherit=True)


def _users_frame() -> types.FrameType:
    """The innermost frame of the program."""
    frame: Any = sys._getframe(1)
    while is_own_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _around(frame: types.FrameType) -> types.FrameType:
    """The frame of the function that a frame is a part of, or may be; of others itself."""
    found: Any = frame
    while found is not None:
        code = found.f_code
        is_part = code in tracebacks.parts or code.co_name == "<lambda>"
        if not (is_part or is_own_file(code.co_filename)):
            return found if found is frame or _is_within(frame.f_code, code) else frame
        found = found.f_back
    return frame


def _is_within(code: types.CodeType, around: types.CodeType) -> bool:
    """Whether a code object may be of a part of another one's function."""
    if code.co_filename != around.co_filename or code.co_firstlineno < around.co_firstlineno:
        return False
    own = getattr(code, "co_qualname", None)
    return code in tracebacks.parts or own is None or own.startswith(f"{around.co_qualname}.")


def _refuse_hidden(use: str, read: frozenset[str], frame: Any, around: Any) -> None:
    """Refuse to read names of a function that a part of it does not have."""
    code, own = around.f_code, {*frame.f_locals, *frame.f_code.co_varnames}
    hidden = {*around.f_locals, *code.co_varnames, *code.co_cellvars} - own
    found = sorted(read & (hidden | _READ_ALL))
    if found:
        why = f"`{use}` reads {found[0]!r} in a branch, a loop or an expression of a function"
        raise _refused(f"{why}, which need not have the names of the function", _GIVE.format(use))


def _refused(why: str, cure: str) -> Exception:
    return errors.StagingError(diagnostic(here(), why, cure))


def locals_() -> Any:
    """``locals``."""
    return _names("locals")


def vars_(*args: Any) -> Any:
    """``vars``."""
    if args:
        return builtins.vars(
            *map(write_barriers.asked, unconverted_calls.given(builtins.vars, args, True))
        )
    return _names("vars")


def dir_(*args: Any) -> Any:
    """``dir``."""
    if args:
        return builtins.dir(*unconverted_calls.given(builtins.dir, args, True))
    return sorted(_names("dir"))


def _names(use: str) -> dict:
    frame = _users_frame()
    if _around(frame) is not frame or trace_context.has_regions():
        raise _by_another_name(use)
    return {name: held for name, held in frame.f_locals.items() if not name.startswith("ag__")}


def _by_another_name(use: str) -> Exception:
    return _refused(
        f"`{use}` is called here by another name, and a staged branch or loop may set "
        "names of the function",
        f"Call it by its own name, `{use}(...)`, in a statement of the function.",
    )


def frame_at(depth: Any = 0, /) -> Any:
    """``sys._getframe`` and ``inspect.currentframe``: frames of this package are not counted."""
    frame: Any = _users_frame()
    for _ in range(depth):
        frame = _around(frame).f_back
        while frame is not None and is_own_file(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            raise ValueError("call stack is not deep enough")
    is_unsure = _around(frame) is not frame or trace_context.has_regions()
    if is_unsure and not _OF_FRAMES.isdisjoint(frames.words_in_reach()):
        raise _refused(
            "the names of a frame (`f_locals`), or the frame that called it, are asked for, and a "
            "staged branch or loop, or a part of a function, has names of its own",
            "Ask before the branch or loop, or pass what is read as an argument.",
        )
    return frame
