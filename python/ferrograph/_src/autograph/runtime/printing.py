"""``fg.print`` of symbolic Python scalars and strings: they are formatted as Python formats
them."""

from __future__ import annotations

from ... import ops
from ...heap.trace_context import chosen, loud
from ...heap.walk import walked
from ...hints import Any
from ...native import _core
from ...ops import debug, string_ops
from ...staging import tensor_lists
from ...symbolic import merged_objects, python_scalars
from ...values import dtypes
from . import texts

__all__ = ["printed"]


def printed(*inputs: Any, **keywords: Any) -> Any:
    """``fg.print``: a symbolic Python scalar or string is printed as Python prints it."""
    if not (chosen or loud) or not any(map(_holds_written, inputs)):
        return ops.print(*inputs, **keywords)
    between, summarize = keywords.pop("sep", " "), keywords.pop("summarize", None)
    said = [_text(value, summarize) for value in inputs]
    return ops.print(string_ops.join(said, between), **keywords)


def _holds_written(value: Any) -> bool:
    """Whether a value is one that Python shows otherwise than as a tensor, or a container that
    shows such ones."""
    return any(_is_written(part) for part in walked(value, _shown_in))


def _is_written(value: Any) -> bool:
    tensor_lists.refuse_grown(value)
    if type(value) is not _core.SymbolicTensor:
        return False
    if python_scalars.is_foreign(value):
        python_scalars.refuse_number(value, "a text")
    if merged_objects.stands_for_array(value):
        merged_objects.refuse_array_text(value)
    if value.dtype == dtypes.string:
        return python_scalars.is_symbolic_string(value)
    return not value.dtype.is_integer and python_scalars.standing(value) is True


def _shown_in(value: Any) -> list:
    """What a container shows in its place."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []


def _text(value: Any, summarize: Any) -> Any:
    """What is printed of a value, as a string tensor."""
    if not _holds_written(value):
        return debug.shown((value,), summarize=summarize)
    if type(value) is _core.SymbolicTensor:
        return texts.written(value)
    if type(value) not in (list, tuple):
        texts.shown(value)
    first, last = ("[", "]") if type(value) is list else ("(", ",)" if len(value) == 1 else ")")
    said = [_inner(part, summarize) for part in _shown_in(value)]
    return string_ops.join([first, string_ops.join(said, ", "), last])


def _inner(value: Any, summarize: Any) -> Any:
    """What a container shows of a value in it."""
    python_scalars.refuse_string(value)
    return repr(value) if type(value) is str else _text(value, summarize)
