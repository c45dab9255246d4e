"""Exceptions in staged code: how they leave branches and loops, handlers, and assertions."""

from __future__ import annotations

import contextlib
import re
import types

from .. import ops
from ..context import tracebacks
from ..heap.adapters import COMPARABLE
from ..heap.source_location import SourceLocation, diagnostic, here, is_diagnostic, refusal, said_by
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..ops import string_ops
from ..symbolic import python_scalars, values
from ..values import dtypes, errors
from . import side_effects


def message(exception: Exception, suffix: str) -> list:
    """What ``Assert`` shows of an exception that a branch ends with, ``suffix`` behind it."""
    head, given = f"{type(exception).__name__}: ", exception.args
    own = isinstance(type(exception).__str__, types.FunctionType)
    if own or not any(values.is_staged(a) for a in given):
        return [f"{head}{exception}{suffix}"]
    if len(given) == 1 and values.is_tensor(given[0]) and given[0].dtype == dtypes.string:
        return [string_ops.join([head, given[0], suffix])]
    return [head.rstrip(), *shown(given), suffix.lstrip()]


def mark_left(exception: BaseException) -> None:
    """Mark an exception that leaves a staged branch or loop, and add a note to a builtin one. One
    that ends an iteration in Python is refused."""
    if isinstance(exception, (StopIteration, StopAsyncIteration)):
        raise refusal(
            "an iterator ends in a staged branch or loop (`StopIteration`), which happens "
            "while tracing, whatever the graph decides, also where plain Python would not come to "
            "that line",
            "Take the elements before the branch or loop, or give `next` a default.",
        ) from exception
    is_pythons = type(exception).__module__ == "builtins" and not is_diagnostic(exception)
    if is_pythons and not left_region(exception):
        tracebacks.add_note(exception, _note_of_region(exception))
    with contextlib.suppress(AttributeError):  # not every class takes attributes
        exception._ferrograph_left_region = True
        exception._ferrograph_said = None


def _note_of_region(exception: BaseException) -> str:
    """What to say of an error that a branch or loop raises while it is traced. A name that is not
    there and an operation that does not fit are mistakes wherever they are."""
    if type(exception) is NameError or any("[Op:" in said for said in said_by(exception)):
        return f"raised while the branch or loop at {here()} was traced, which may never run"
    return diagnostic(
        here(),
        "raised while a staged branch or loop was traced, which happens whatever the graph "
        "decides, also where plain Python would not come to that line",
        "Test with a Python value whether it may run, or let it work for all that the graph may "
        "decide.",
    )


def left_region(exception: BaseException | None) -> bool:
    """Whether an exception comes out of a staged branch or loop, whose code may never run."""
    return getattr(exception, "_ferrograph_left_region", False)


def may_handle(kinds: Any, exception: BaseException | None) -> bool:
    """Whether an ``except`` clause for some classes may catch an exception in a trace: nothing that
    left a staged branch or loop, and no refusal, which plain Python has not, unless the clause
    names that."""
    if left_region(exception):
        return False
    if _thread.trace is None or not _is_refusal(exception):
        return True
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(isinstance(k, type) and issubclass(k, _REFUSALS) for k in named)


def _is_refusal(exception: BaseException | None) -> bool:
    if isinstance(exception, _REFUSALS) or _unset_name(exception):
        return True
    if isinstance(exception, AttributeError):
        return _is_of_eager_tensors(exception)
    if type(exception) not in (TypeError, ValueError, NotImplementedError):
        return False
    is_said = is_diagnostic(exception) or _names_symbolic(exception)
    return is_said or python_scalars.operator_of(exception) is not None


def _unset_name(exception: BaseException | None) -> str:
    """The name that is not set while tracing, of which only the graph knows whether a branch or a
    loop sets it; "" where an exception is about something else."""
    if not isinstance(exception, NameError):
        return ""
    found = re.search("'(.+?)'", str(exception))
    name: str = getattr(exception, "name", None) or (found[1] if found else "")
    return name if name in _thread.trace.effects.unset else ""


def explain_unset(exception: Exception) -> None:
    """Say in an error about such a name why it is not set."""
    name = _unset_name(exception)
    if name and not is_diagnostic(exception):
        met = python_scalars.met_in(exception)
        spot = SourceLocation(met.tb_frame.f_code.co_filename, met.tb_lineno) if met else ""
        tracebacks.add_note(
            exception,
            diagnostic(
                spot,
                f"a staged branch or loop may set {name!r}, and a function reads it after "
                "that: while tracing it is not set, whatever the graph decides",
                f"Set {name!r} before the branch or loop.",
            ),
        )


def _names_symbolic(exception: BaseException) -> bool:
    """Whether the message of an error names a symbolic tensor."""
    said = said_by(exception)
    return any("SymbolicTensor" in text or "symbolic tensor" in text for text in said)


def _is_of_eager_tensors(exception: AttributeError) -> bool:
    """Whether a symbolic tensor has been asked for what plain Python has in its place."""
    tensor = getattr(exception, "obj", None)
    if not values.is_symbolic(tensor):
        return False
    name = getattr(exception, "name", None) or ""
    is_chosen = python_scalars.is_symbolic_number(tensor) or python_scalars.is_symbolic_string(
        tensor
    )
    return is_chosen or hasattr(_core.EagerTensor, name)


_REFUSALS = (
    errors.StagingError,
    errors.OperatorNotAllowedInGraphError,
    errors.InaccessibleTensorError,
)


def are_alike(first: Exception, second: Exception) -> bool:
    """Whether a handler cannot tell two exceptions apart."""
    if type(first) is not type(second) or len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    return all(
        a is b or (type(a) is type(b) and isinstance(a, COMPARABLE) and a == b) for a, b in pairs
    )


def note_said(exception: Exception, branch: Any) -> None:
    """Note that the graph of ``branch`` fails with ``exception`` already."""
    exception._ferrograph_said = branch


def is_said(exception: Exception, branch: Any) -> bool:
    """Whether the graph of ``branch`` fails with ``exception`` already."""
    return getattr(exception, "_ferrograph_said", None) is branch


def shown(value: Any) -> list:
    """The parts of the message of an ``assert``, or the arguments of an exception, as tensors."""
    if not isinstance(value, (list, tuple)):
        value = (value,)
    return [v if values.is_staged(v) or isinstance(v, str) else str(v) for v in value]


def check(test: Any, message: Any) -> None:
    """Fail when the graph runs and ``test`` is false; ``message`` gives what to show, if any: what
    that does beside is put back, since a program that continues has not done it."""
    if message is None:
        ops.Assert(test, ["assertion failed"])
        return
    with side_effects.region([message]) as made:
        said = shown(message())
    side_effects.undo(made)
    ops.Assert(test, said)
