"""What the functions of the namespace share: their arguments as tensors, axes, devices, dtypes."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import FG, _core
from ..numpy_like.promotion import array, inexact, promoted
from ..values.dtypes import as_dtype
from ..values.errors import shown

__all__ = [
    "DEVICE",
    "array",
    "axes_of",
    "check_device",
    "dtype_given",
    "inexact",
    "is_inexact",
    "listed_axes",
    "number",
    "promoted",
    "rank_of",
    "real_dtype",
    "sizes",
]

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"  # as eager tensors say it


def check_device(device: Any) -> None:
    """ValueError for a device that is not the CPU: None, "cpu" and what tensors have are it."""
    if device is None or device == "":
        return
    if not isinstance(device, str) or device.lower().rpartition("device:")[2] not in _NAMES:
        raise ValueError(f"device must be 'cpu' or the device of a tensor, got {shown(device)}")


_NAMES = ("cpu", "cpu:0")


def dtype_given(dtype: Any, otherwise: Any = None) -> Any:
    """The dtype that an argument names, else another one."""
    return otherwise if dtype is None else as_dtype(dtype)


def is_inexact(dtype: Any) -> bool:
    """Whether numbers of a dtype have fractions."""
    return bool(dtype.is_floating or dtype.is_complex)


def real_dtype(dtype: Any) -> Any:
    """The dtype of the parts of complex numbers; of others that itself."""
    return dtype.real_dtype if dtype.is_complex else dtype


def rank_of(x: Any, function: str) -> int:
    """The rank of a tensor.

    Raises:
      ValueError: where it is unknown while a function is traced.
    """
    rank = x.shape.rank
    if rank is None:
        raise ValueError(f"{function} needs an array of known rank; give it with {FG}.ensure_shape")
    return int(rank)


def number(value: Any, dtype: Any) -> Any:
    """A Python number as a tensor of a dtype, with all its digits."""
    return _core.convert_to_tensor(value, dtype)


def axes_of(axis: Any) -> Any:
    """One axis, several as a list, or None for all of them."""
    return list(axis) if isinstance(axis, (tuple, list)) else axis


def listed_axes(axis: Any, rank: int, function: str) -> list[int]:
    """One axis or several as numbers from 0 on.

    Raises:
      IndexError: for an axis that there is not.
      ValueError: for one that is named twice.
    """
    named = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    found = [int(a) + rank if a < 0 else int(a) for a in named]
    if any(not 0 <= a < rank for a in found):
        raise IndexError(f"{function}: axis {shown(axis)} does not fit an array of rank {rank}")
    if len(set(found)) < len(found):
        raise ValueError(f"{function}: axis {shown(axis)} names one twice")
    return found


def sizes(x: Any) -> Any:
    """The shape of a tensor as a list of numbers where it is known, else as a vector."""
    return x.shape.as_list() if x.shape.is_fully_defined() else ops.shape(x)
