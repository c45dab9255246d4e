"""Local names of user code that operators bind or report."""

from __future__ import annotations

import sys
import types

from ...context import tracebacks
from ...context.locals import namespace_of
from ...context.ownership import is_own_file
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import thread
from ...hints import Any
from ...staging.write_barriers import bound
from ...values import errors
from .logic import Thunk

__all__ = ["bind", "own_names", "raise_as_local"]


def bind(cell: Thunk, value: Any) -> Any:
    """``(name := value)`` where ``cell`` is ``lambda: name``."""
    if cell.__closure__:
        bound(cell.__closure__[0], cell.__code__.co_freevars[0])
        cell.__closure__[0].cell_contents = value
    else:
        cell.__globals__[cell.__code__.co_names[0]] = value
    return value


def raise_as_local(e: NameError) -> None:
    """Raise ``e`` as an UnboundLocalError where the name belongs to the operator's caller."""
    name = getattr(e, "name", None)
    if type(e) is not NameError or name not in sys._getframe(2).f_code.co_cellvars:
        return
    if sys.version_info >= (3, 11):
        text = f"cannot access local variable {name!r} where it is not associated with a value"
    else:
        text = f"local variable {name!r} referenced before assignment"
    made = UnboundLocalError(text)
    vars(made).update(vars(e))  # its notes, and whether it left a staged branch or loop
    raise made.with_traceback(e.__traceback__) from None


class _Names(dict):
    """The names of a function of which the graph says whether some, the ``unset``, are set."""

    unset: tuple[str, ...] = ()

    def _refuse(self, *args: Any, **keywords: Any) -> Any:
        raise _unknown(self.unset[0])

    def __missing__(self, name: str) -> Any:
        if name in self.unset:
            raise _unknown(name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return self.get(name, self) is not self

    def get(self, name: Any, default: Any = None) -> Any:
        if name in self.unset:
            raise _unknown(name)
        return dict.get(self, name, default)

    __iter__ = __len__ = __repr__ = __eq__ = keys = values = items = copy = _refuse
    __hash__ = None


def _unknown(name: str) -> errors.StagingError:
    return errors.StagingError(
        diagnostic(
            here(),
            "the names of a function are read (`locals()`, `vars()`, `dir()`, `eval`), and a "
            f"staged branch or loop may have set {name!r}",
            f"Set {name!r} before the branch or loop.",
        )
    )


def _unset(code: types.CodeType, found: Any) -> list[str]:
    """The names of a function of which the graph says whether they are set."""
    unset = thread.trace.effects.unset if thread.trace is not None else ()
    own = (*code.co_varnames, *code.co_cellvars)
    own += code.co_freevars if code in tracebacks.parts else ()
    return sorted(name for name in unset if name in own and name not in found)


def with_unset(frame: types.FrameType) -> Any:
    """The names of a function with what they hold, for code that is given as a text; a read of one
    of which the graph says whether it is set is refused."""
    held = namespace_of(frame)
    unset = _unset(frame.f_code, held)
    if not unset:
        return held
    told = _Names(held)
    told.unset = tuple(unset)
    return told


def own_names(found: Any) -> Any:
    """What ``locals()``, ``vars()`` or ``dir()`` gives, without names that conversion adds: in a
    branch or a loop those of the function that it is a part of."""
    frame: Any = sys._getframe(1)
    if frame.f_code.co_name in ("<lambda>", "<genexpr>"):
        raise errors.StagingError(
            diagnostic(
                here(),
                "the names of a function are read (`locals()`, `vars()`, `dir()`) within an "
                "expression that is a separate function in converted code",
                "Read them before, in a statement of the function itself.",
            )
        )
    unset = _unset(frame.f_code, found)
    if frame.f_code in tracebacks.parts and type(found) in (dict, list):
        while frame.f_code in tracebacks.parts or is_own_file(frame.f_code.co_filename):
            frame = frame.f_back
        found = dict(frame.f_locals) if type(found) is dict else sorted(frame.f_locals)
        outer = _unset(frame.f_code, found)
        unset = sorted({*outer, *(name for name in unset if name not in found)})
    if type(found) is dict:
        told = {name: value for name, value in found.items() if not name.startswith("ag__")}
        if unset:
            told = _Names(told)
            told.unset = tuple(unset)
        return told
    if unset and type(found) is list:
        raise _unknown(unset[0])
    return [name for name in found if not name.startswith("ag__")] if type(found) is list else found
