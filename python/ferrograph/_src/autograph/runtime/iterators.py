"""Functions of ``itertools`` whose numeric arguments cannot be tensors."""

from __future__ import annotations

import itertools

from ...heap import trace_context
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import loud
from ...hints import Any
from ...native import FG
from ...symbolic.values import is_staged
from ...values import errors
from . import unconverted_calls

__all__ = ["islice"]


def islice(iterable: Any, *numbers: Any) -> Any:
    """``itertools.islice``, which has an error of values for what is no integer."""
    if any(map(is_staged, numbers)):
        raise errors.OperatorNotAllowedInGraphError(
            diagnostic(
                here(),
                "the limits of `islice` are tensors, which have no value while the function is "
                "traced",
                f"Write `for i in {FG}.range(n):`, or slice a tensor.",
            )
        )
    args = (
        unconverted_calls.given(itertools.islice, (iterable, *numbers))
        if loud
        else (iterable, *numbers)
    )
    return trace_context.fresh(itertools.islice(*args))
