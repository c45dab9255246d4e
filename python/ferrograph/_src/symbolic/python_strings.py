"""Texts of Python among which the graph chooses: string tensors that code takes for texts.

A symbolic string tensor shows as what it is where Python formats it, as documented. Where it stands
for a text that the program wrote, and that a branch or a loop of the graph chose, that would be
another text than plain Python makes.
"""

from __future__ import annotations

from ..heap.source_location import diagnostic, here
from ..heap.trace_context import thread as _thread
from ..heap.trace_context import traces
from ..hints import Any
from ..native import _core
from ..values import dtypes, errors
from . import python_numbers
from .provenance import is_made_of, key_of

_MAKE_TEXTS = frozenset({"Const", "AsString"})


def is_text(leaf: Any) -> bool:
    """Whether a value is a text of Python's, or stands for one."""
    return type(leaf) is str or is_chosen(leaf)


def mark(tensor: Any) -> None:
    """Note that a tensor stands for a text."""
    if (
        _thread.trace is not None
        and isinstance(tensor, _core.Tensor)
        and tensor.dtype == dtypes.string
    ):
        root = _thread.trace
        python_numbers.of_trace().strings[key_of(tensor)] = tensor
        if not root.containers.are_grown:
            root.watch()


def is_chosen(value: Any) -> bool:
    """Whether a value is a string tensor that stands for a text, or is made of such ones."""
    if not traces.n or type(value) is not _core.SymbolicTensor or _thread.trace is None:
        return False
    known = _thread.trace.scalars.strings
    if not known or value.dtype != dtypes.string or is_made_of(value, known, _made_of) is None:
        return False
    known[key_of(value)] = value
    return True


def _made_of(tensor: Any) -> list | None:
    """The string tensors of which a tensor is made; None where it is no text of the program's."""
    made = _core.made_by(tensor)
    if made is None:
        return None
    if made[0] in _MAKE_TEXTS:
        return []
    return [t for t in made[1] if t.dtype == dtypes.string] or None


def refuse(value: Any) -> None:
    """Refuse a text that the graph chooses, where Python would format or look at it."""
    if is_chosen(value):
        raise errors.StagingError(
            diagnostic(
                here(),
                "a text that a branch or a loop of the graph chose is used here in a way that "
                "needs it while tracing: it is a string tensor",
                "Use f-strings, `+`, `==` and the functions of `fg.strings`, or choose a number "
                "and look the text up afterwards.",
            )
        )
