"""Errors of operators that met a tensor in place of a number or a text of Python's.

What branches and loops of the graph choose among numbers and texts is a tensor while a function is
traced, which not every operator takes that takes the number or text. Such an error is a refusal.
"""

from __future__ import annotations

import types

from ..context import bytecode, tracebacks
from ..context.locals import locals_of
from ..context.ownership import is_library_class, is_library_file
from ..heap.source_location import SourceLocation, diagnostic, is_diagnostic, said_by
from ..heap.trace_context import thread as _thread
from ..heap.walk import fields
from ..hints import Any
from ..native import _core
from . import python_numbers, python_strings

_OPERATORS = (
    *("BINARY_", "COMPARE_", "INPLACE_", "UNARY_", "CONTAINS_", "STORE_SUBSCR"),
    *("BUILD_", "MAP_ADD", "SET_ADD"),  # of what hashes its members
)


def operator_of(exception: BaseException) -> SourceLocation | None:
    """Where an operator raised an error in a trace with such numbers or texts, which may be why."""
    found = _met(exception)
    return found[0] if found is not None else None


def _met(exception: BaseException) -> tuple[SourceLocation, Any] | None:
    """Where that was, and the frame."""
    root = _thread.trace
    if root is None or not (root.scalars.numbers or root.scalars.strings or root.scalars.of_numpy):
        return None
    text = _said(exception)
    is_of_tensors = type(exception) is ValueError and "tensor" in text
    if type(exception) is not TypeError and not is_of_tensors:
        return None
    spot, frame, at = None, None, 0
    traceback = exception.__traceback__
    while traceback is not None:
        if not is_library_file(traceback.tb_frame.f_code.co_filename):
            frame, at = traceback.tb_frame, traceback.tb_lasti
            spot = SourceLocation(frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    if frame is None or spot is None:
        return None
    name = bytecode.name_at(frame.f_code, at)
    is_call = "CALL" in name and ("Tensor" in text or _has_chosen(frame))
    return (spot, frame) if is_call or name.startswith(_OPERATORS) else None


def _said(exception: BaseException) -> str:
    """The text of an error of Python's own; no method of the program's is asked."""
    return " ".join(said_by(exception))


def _has_chosen(frame: types.FrameType) -> bool:
    """Whether a name of a frame holds a chosen value, or an object of a library's class that has
    one: before Python 3.11 not every error in C says what it met."""
    held = list(locals_of(frame).values())
    return any(map(_is_chosen, held)) or any(
        is_library_class(type(v)) and any(map(_is_chosen, fields(v))) for v in held
    )


def _is_chosen(value: Any) -> bool:
    if python_numbers.is_chosen(value) or python_strings.is_chosen(value):
        return True
    return type(value) is _core.SymbolicTensor and python_numbers.is_foreign(value)


def explain(exception: Exception) -> None:
    """Say in the error of an operator of a trace with such numbers or texts what it may have
    met."""
    met = None if is_diagnostic(exception) else _met(exception)
    if met is None:
        return
    spot, frame = met
    is_text = any(map(python_strings.is_chosen, locals_of(frame).values()))
    if not _thread.trace.scalars.numbers or is_text:
        tracebacks.add_note(exception, diagnostic(spot, *_OF_TEXTS))
    else:
        tracebacks.add_note(exception, diagnostic(spot, *_OF_NUMBERS))


_OF_NUMBERS = (
    "Python numbers that a branch or a loop of the graph chose are tensors while the function is "
    "traced, of int32, or of int64 where one of them needs that, and operators take numbers of "
    "that dtype alone, and what tensors have operators for",
    "Start with tensors of one dtype, for example `fg.constant(0, fg.int64)`, and use operations "
    "such as `fg.bitwise.left_shift` and `fg.cast`.",
)
_OF_TEXTS = (
    "texts that a branch or a loop of the graph chose are string tensors while the function is "
    "traced: they take `+`, `==` and f-strings, and have neither items nor an order nor a hash",
    "Use the functions of `fg.strings`, or choose a number and look the text up afterwards.",
)
