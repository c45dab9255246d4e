"""Lists that ``sorted`` made of a tensor: a traced function returns them as tensors."""

from __future__ import annotations

from typing import Any

from ... import ops
from ...staging import tensor_lists

__all__ = ["as_tensor"]


def as_tensor(items: list[Any]) -> Any:
    """The tensor of such a list, a tuple where its elements do not fit any more."""
    whole = tensor_lists.as_tensors(items)
    try:
        return ops.stack(whole) if type(whole) is list else whole
    except (TypeError, ValueError):
        return tuple(items)
