"""Tensors of several elements, of which Python asks no truth and makes no number."""

from __future__ import annotations

from .. import ops
from ..heap.source_location import diagnostic, here
from ..hints import Any

__all__ = ["refuse", "refuse_rows", "single"]


def refuse(shape: Any, use: str) -> None:
    """Refuse a truth of each tensor of a shape, where that is known to have several elements."""
    if (shape.num_elements() or 0) > 1:
        raise ValueError(
            diagnostic(
                here(),
                f"{use} asks tensors of shape {shape} whether they are true, which tensors of "
                "several elements are not",
                "Use `fg.reduce_any`, `fg.reduce_all`, `fg.reduce_max` and their like, which take "
                "an axis.",
            )
        )


def refuse_rows(tensor: Any, use: str, least: int = 1) -> None:
    """The same of the rows of a tensor that has at least so many, unless it is none of rows."""
    shape = tensor.shape
    if shape.rank is not None and shape.rank > 1 and (shape[0] is None or shape[0] >= least):
        refuse(shape[1:], use)


def single(tensor: Any, error: type[Exception]) -> Any:
    """The one element of a tensor, which Python makes a number or a truth of."""
    if tensor.shape.num_elements() not in (1, None):
        raise error(
            diagnostic(
                here(),
                f"a number or truth of Python's of a tensor of shape {tensor.shape}, which has not "
                "one element",
                "Reduce it, for example with `fg.reduce_sum` or `fg.reduce_any`.",
            )
        )
    return ops.reshape(tensor, [])
