"""Attributes that the standard asks of arrays, and tensors have for nothing else."""

from __future__ import annotations

from typing import Any

from ..numpy_like import arrangement, shapes
from ..ops import matrices
from ..values.errors import shown
from .arrays import check_device

__all__ = ["count", "matrices_transposed", "moved", "transposed"]


def transposed(tensor: Any) -> Any:
    """The axes in reverse order."""
    return arrangement.transpose(tensor)


def matrices_transposed(tensor: Any) -> Any:
    """The last two axes exchanged.

    Raises:
      ValueError: for a tensor of less than two axes.
    """
    return matrices.matrix_transpose(tensor)


def count(tensor: Any) -> Any:
    """How many elements there are: a number where that is known, else a tensor."""
    known = tensor.shape.num_elements()
    return shapes.size(tensor) if known is None else known


def moved(tensor: Any, device: Any, stream: Any = None) -> Any:
    """The tensor on a device.

    Raises:
      ValueError: for another device than the CPU, and where there is a stream.
    """
    check_device(device)
    if stream is not None:
        raise ValueError(f"to_device: tensors on the CPU have no stream, got {shown(stream)}")
    return tensor
