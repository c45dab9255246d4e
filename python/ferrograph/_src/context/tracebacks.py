"""Tracebacks that show the user's frames: those of this package are left out.

``FERROGRAPH_TRACEBACK=full`` in the environment, or ``debugging.disable_traceback_filtering``,
shows all.
"""

from __future__ import annotations

import contextlib
import os
import sys
import types
import weakref

from .. import later
from ..hints import TYPE_CHECKING, Any
from ..native import FG, _core
from ..values.errors import OperatorNotAllowedInGraphError
from ..values.public import public
from . import sources
from .ownership import OPERATORS, PACKAGE_FOLDER, is_library_file, is_own_file

__all__ = [
    "add_note",
    "disable_traceback_filtering",
    "enable_traceback_filtering",
    "filter_uncaught",
    "is_filtering",
    "set_filtering",
    "show_users_frames",
    "tell_notes",
]

if TYPE_CHECKING:
    from . import error_help, other_names
else:
    error_help, other_names = later(__package__, "error_help", "other_names")

_HAS_NOTES = hasattr(BaseException, "add_note")
_state = {"filtering": os.environ.get("FERROGRAPH_TRACEBACK") != "full"}

# Where AutoGraph's code is.
_LAYERS = ("autograph", "heap", "staging", "symbolic")
_STAGING = tuple(f"{PACKAGE_FOLDER}_src/{name}/" for name in _LAYERS)

# Code objects made of a part of a function, as the body of a loop: their frames are shown as its
# frame.
parts: weakref.WeakSet[types.CodeType] = weakref.WeakSet()

# Code objects of fast paths: the frame of the full form follows theirs, where they called it.
lean: weakref.WeakSet[types.CodeType] = weakref.WeakSet()

# By the ids of their code, functions that trace others: frames above theirs belong to the trace.
tracing: set[int] = set()

# Ids of the code of operators that perform augmented assignments of user code.
augmenting: set[int] = set()

# Code objects that AutoGraph could not convert, and why.
unconverted: weakref.WeakKeyDictionary[types.CodeType, str] = weakref.WeakKeyDictionary()


@public("debugging.is_traceback_filtering_enabled")
def is_filtering() -> bool:
    """Whether frames of this package are left out of tracebacks.

    >>> fg.debugging.is_traceback_filtering_enabled()
    True
    """
    return _state["filtering"]


def set_filtering(filtering: bool) -> None:
    """Leave frames of this package out of tracebacks, or show them."""
    _state["filtering"] = bool(filtering)


@public("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Leave this package's frames out of tracebacks, which is the default.

    >>> fg.debugging.enable_traceback_filtering()
    >>> fg.debugging.is_traceback_filtering_enabled()
    True
    """
    set_filtering(True)


@public("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Show this package's frames in tracebacks, as ``FERROGRAPH_TRACEBACK=full`` does.

    >>> fg.debugging.disable_traceback_filtering()
    >>> fg.debugging.is_traceback_filtering_enabled()
    False
    >>> fg.debugging.enable_traceback_filtering()
    """
    set_filtering(False)


def show_users_frames(error: BaseException) -> None:
    """Take this package's frames out of the traceback of ``error`` and of those it came from."""
    if not _state["filtering"] or type(error).__name__ == "InternalError":
        return
    _explain(error)
    _say_place(error)
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        _filter(one)
        pending += [one.__cause__, one.__context__]


def _explain(error: BaseException) -> None:
    """Say in an error about a tensor's missing value why the code was not converted."""
    if isinstance(error, AttributeError):
        _explain_attribute(error)
    if isinstance(error.__cause__, OperatorNotAllowedInGraphError) and error.args == (_SEQUENCE,):
        error.args = (f"{_SEQUENCE}: {_no_element()}",)
    if not isinstance(error, OperatorNotAllowedInGraphError) or not error.args:
        return
    traceback, reason, frame = error.__traceback__, None, None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_own_file(code.co_filename):
            frame = traceback
            reason = unconverted.get(code)
            if reason is None and _is_called_by_python(code):
                reason = (
                    f"Python itself calls {code.co_name}, as a property, an operator or by an "
                    "iteration; call a method or a function in its place"
                )
        traceback = traceback.tb_next
    if frame is not None and (name := _called_of_math(frame)):
        error.args = (f"{error.args[0]}: `{FG}.math.{name}` in place of `math.{name}`",)
        return
    if reason is not None:
        text = f"{error.args[0]}\nAutoGraph did not convert the code: {reason}."
        error.args = (text, *error.args[1:])


def _called_of_math(traceback: types.TracebackType) -> str | None:
    """The function of the module ``math`` that a line calls, where there is one for tensors."""
    line = sources.line(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
    math = traceback.tb_frame.f_globals.get("math")
    if math is None or math is not sys.modules.get("math"):
        return None
    import re

    found = re.search(r"\bmath\.(\w+)\(", line)
    tensors = sys.modules["ferrograph"].math
    return found[1] if found is not None and hasattr(tensors, found[1]) else None


def _say_place(error: BaseException) -> None:
    """Add to an error of this package the line of user code where it was raised, unless it has
    one."""
    said = isinstance(error, (TypeError, ValueError, NotImplementedError)) and len(error.args) == 1
    place = _user_place(error) if said and str(error) == error.args[0] else None
    if place is None or f"{place[0]}:" in error.args[0]:
        return
    file, line = place
    text = sources.line(file, line).strip()
    shown = [f"  {file}:{line}", f"    {text}", f"    {'^' * len(text)}"]
    error.args = ("\n".join([error.args[0], *shown[: 3 if text else 1]]),)


def _user_place(error: BaseException) -> tuple[str, int] | None:
    """Where the user's code was that led to an error of this package; None for other errors.

    AutoGraph's own say it already, and the rest of what it raises are Python's errors.
    """
    traceback, place = error.__traceback__, None
    is_own = isinstance(error, (OperatorNotAllowedInGraphError, NotImplementedError)) and (
        " symbolic tensor " in str(error)
    )
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not is_library_file(file):
            place = file, traceback.tb_lineno
        is_own = is_own or (traceback.tb_next is None and _is_raised_at(traceback))
        traceback = traceback.tb_next
    return place if is_own else None


def _is_raised_at(traceback: types.TracebackType) -> bool:
    """Whether a ``raise`` of this package is what a traceback ends at, outside of AutoGraph."""
    code = traceback.tb_frame.f_code
    if not is_own_file(code.co_filename) or code.co_filename.startswith(_STAGING):
        return False
    import opcode

    return opcode.opname[code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS"


_SEQUENCE = "setting an array element with a sequence."  # as NumPy says it
_VALUE = frozenset({"numpy", "eval"})  # what gives the value of a tensor


def _no_element() -> str:
    return (
        "an element of a NumPy array cannot be a tensor that has no value while the function is "
        f"traced. Collect the tensors in a list for `{FG}.stack`, or write "
        f"`{FG}.tensor_scatter_nd_update`."
    )


def _explain_attribute(error: AttributeError) -> None:
    """Say what to write in place of an attribute that a symbolic tensor does not have."""
    tensor, name = getattr(error, "obj", None), getattr(error, "name", None)
    if not isinstance(tensor, _core.Tensor) or not error.args or "\n" in str(error.args[0]):
        return
    if name in other_names.METHODS:
        cure = f": write `{other_names.METHODS[name].format(FG=FG)}`"
        error.args = (error.args[0].removesuffix(cure) + cure,)
        return
    if not _core.is_symbolic(tensor):
        return
    lines = [f"{error.args[0]}: this tensor has no value while the function is traced"]
    traceback = error.__traceback__
    while traceback is not None:
        file, line = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        if not is_own_file(file):
            import linecache

            shown = linecache.getline(file, line).strip()
            lines[1:] = [f"  {file}:{line}"]
            lines += [f"    {shown}", f"    {'^' * len(shown)}"] if shown else []
        traceback = traceback.tb_next
    if name in _VALUE:
        cure = (
            f"Return the tensor and call `.{name}()` on what the traced function gives; inside it "
            f"use operations of ferrograph, or `{FG}.numpy_function` around Python that needs "
            "values."
        )
    else:
        cure = (
            f"Use an operation of ferrograph in place of `.{name}`. A Python or NumPy value that "
            "staged branches or loops choose becomes a tensor: keep what needs "
            f"`.{name}` out of them."
        )
    error.args = ("\n".join([*lines, cure]),)


def _is_called_by_python(code: types.CodeType) -> bool:
    """Whether user code of a class runs as it was written, with others converted around it."""
    plain = OPERATORS not in (*code.co_freevars, *code.co_cellvars)
    return plain and code.co_varnames[:1] == ("self",) and code.co_argcount > 0


def _filter(error: BaseException) -> None:
    """Leave this package's frames out of the traceback of an error, and mark it where there were
    any."""
    shown = _filtered(error.__traceback__)
    if _length(shown) != _length(error.__traceback__):
        with contextlib.suppress(AttributeError):  # not every class takes attributes
            error._ferrograph_hides_frames = True  # type: ignore[attr-defined]
    error.__traceback__ = shown


def _length(traceback: types.TracebackType | None) -> int:
    n = 0
    while traceback is not None:
        n, traceback = n + 1, traceback.tb_next
    return n


def _filtered(traceback: types.TracebackType | None) -> types.TracebackType | None:
    kept: list[types.TracebackType] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_own_file(code.co_filename):
            if kept and _stands_for(code, kept[-1].tb_frame.f_code):
                kept.pop()
            if not (kept and _repeats(traceback, kept[-1])):
                kept.append(traceback)
        traceback = traceback.tb_next
    made: types.TracebackType | None = None
    for entry in reversed(kept):
        made = types.TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


def _stands_for(inner: types.CodeType, outer: types.CodeType) -> bool:
    """Whether the frame of ``inner`` shows more closely where that of ``outer`` is."""
    same = inner.co_filename == outer.co_filename and inner.co_name == outer.co_name
    is_whole = outer in lean and inner not in lean and _begins_alike(inner, outer)
    return same and (inner in parts or is_whole)


def _begins_alike(inner: types.CodeType, outer: types.CodeType) -> bool:
    """Whether two codes may be of one function."""
    return inner.co_firstlineno == outer.co_firstlineno and inner.co_argcount == outer.co_argcount


def _repeats(inner: types.TracebackType, outer: types.TracebackType) -> bool:
    """Whether a frame is that of an operand on the line that the frame around it shows."""
    code = inner.tb_frame.f_code
    operand = code.co_name == "<lambda>" and not code.co_argcount
    place = code.co_filename, inner.tb_lineno
    return operand and place == (outer.tb_frame.f_code.co_filename, outer.tb_lineno)


def add_note(exception: BaseException, text: str) -> None:
    """Let the traceback of an exception end with a text."""
    if _HAS_NOTES:
        exception.add_note(text)
        return
    with contextlib.suppress(AttributeError):  # not every class takes attributes
        exception.__notes__ = [*getattr(exception, "__notes__", ()), text]


def tell_notes(exception: Exception) -> Exception:
    """An exception that leaves a trace. Before Python 3.11 tracebacks show no notes: they go to the
    end of its message."""
    notes = [] if _HAS_NOTES else getattr(exception, "__notes__", [])
    if notes:
        *others, last = exception.args or ("",)
        exception.args = (*others, "\n".join([str(last), *notes]))
        exception.__notes__ = []
    return exception


_FOOTER = "(Frames of ferrograph are left out; FERROGRAPH_TRACEBACK=full shows them.)"


def filter_uncaught() -> None:
    """Have errors that nobody catches shown without this package's frames: by Python, on other
    threads, and by IPython. What the program has set to show them shows them still."""
    show = sys.excepthook

    def excepthook(kind: type[Any], error: BaseException, traceback: Any) -> None:
        show(kind, error, _users_part(error, traceback))
        _tell_more(error)

    sys.excepthook = excepthook
    if (threading := sys.modules.get("threading")) is not None:
        _filter_threads(threading)
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _show_in_shell)


def _filter_threads(threading: Any) -> None:
    show = threading.excepthook

    def excepthook(found: Any) -> None:
        if found.exc_value is None:
            show(found)
            return
        part = _users_part(found.exc_value, found.exc_traceback)
        show(type(found)((found.exc_type, found.exc_value, part, found.thread)))
        _tell_more(found.exc_value)

    threading.excepthook = excepthook


def _show_in_shell(
    shell: Any, kind: type[Any], error: BaseException, traceback: Any, tb_offset: Any = None
) -> None:
    part = _users_part(error, traceback)
    shell.showtraceback((kind, error, part), tb_offset=tb_offset)
    _tell_more(error)


def _users_part(error: BaseException, traceback: Any) -> Any:
    """The traceback of an error as the program's own frames make it."""
    if not _comes_from_here(error):
        return traceback
    show_users_frames(error)
    return error.__traceback__


def _comes_from_here(error: BaseException) -> bool:
    """Whether the traceback of an error has frames of this package, or its text may be made
    clearer."""
    if isinstance(error, AttributeError):
        return True
    traceback = error.__traceback__
    while traceback is not None:
        if is_own_file(traceback.tb_frame.f_code.co_filename):
            return True
        traceback = traceback.tb_next
    return False


def _tell_more(error: BaseException) -> None:
    """Print what follows the traceback: that frames are left out, and where the error is
    explained."""
    if sys.stderr is None:
        return
    if getattr(error, "_ferrograph_hides_frames", False):
        print(_FOOTER, file=sys.stderr)
    line = error_help.help_line(error)
    if line is not None:
        print(line, file=sys.stderr)
