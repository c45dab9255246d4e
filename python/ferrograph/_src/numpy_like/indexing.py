"""NumPy's advanced indexing: lists, arrays and tensors of indices, and masks, along any axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import FG, _core
from ..values.dtypes import int64

__all__ = ["is_advanced", "picked"]

_WHOLE = slice(None)


def is_advanced(key: Any) -> bool:
    """Whether a key has more than numbers, slices, ``...`` and ``None``: a tuple is a key, and one
    within it an array."""
    return any(map(_is_array, key)) if isinstance(key, tuple) else _is_array(key)


def _is_array(entry: Any) -> bool:
    if isinstance(entry, (list, tuple, np.ndarray)):
        return not isinstance(entry, np.ndarray) or entry.ndim > 0
    return isinstance(entry, _core.Tensor) and entry.shape.rank != 0


def picked(tensor: Any, key: Any) -> Any:
    """``tensor[key]`` for a key with arrays in it.

    Arrays broadcast together. The axes that they make stand where the arrays do, in front where
    something else stands between them.

    Raises:
      TypeError: for arrays that are neither integers nor bools.
      ValueError: for a tensor or mask of unknown rank, or too many entries.
    """
    entries = _entries(tensor, key if isinstance(key, tuple) else (key,))
    basic: list[Any] = []
    arrays: list[Any] = []
    places: list[int] = []  # of the arrays, among the axes that basic indexing leaves
    breaks: list[int] = []  # of the arrays, among the entries
    for number, entry in enumerate(entries):
        if isinstance(entry, slice) or entry is None:
            basic.append(entry)
            continue
        places.append(len(basic))
        breaks.append(number)
        arrays.append(ops.cast(entry, int64))
        basic.append(_WHOLE)
    left = tensor[tuple(basic)] if any(e != _WHOLE for e in basic) else tensor
    rank = len(basic)
    others = [axis for axis in range(rank) if axis not in places]
    front = ops.transpose(left, [*places, *others])
    sizes = ops.shape(front, int64)
    indices = _broadcast([ops.where(a < 0, a + sizes[i], a) for i, a in enumerate(arrays)])
    found = ops.gather_nd(front, ops.stack(indices, -1))
    if breaks[-1] - breaks[0] >= len(breaks):
        return found
    return _moved(found, places[0], indices[0].shape.rank)


def _entries(tensor: Any, key: tuple[Any, ...]) -> list[Any]:
    """The entries of a key, one for each axis: without ``...``, an index array for each axis of a
    mask."""
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"arrays of indices need a tensor of known rank; see {FG}.ensure_shape")
    found: list[Any] = []
    for entry in key:
        if entry is Ellipsis or entry is None or isinstance(entry, slice):
            found.append(entry)
        else:
            found += _indices(entry)
    n_axes = sum(entry is not None and entry is not Ellipsis for entry in found)
    if n_axes > rank:
        raise ValueError(f"too many indices: {n_axes} for a tensor of shape {tensor.shape}")
    missing = [_WHOLE] * (rank - n_axes)
    dots = [i for i, entry in enumerate(found) if entry is Ellipsis]
    at = dots[0] if dots else len(found)
    return found[:at] + missing + found[at + 1 :]


def _indices(entry: Any) -> list[Any]:
    """An array of indices as tensors: one, or for a mask one for each of its axes."""
    made = _core.convert_to_tensor(entry)
    if made.dtype.is_bool:
        if made.shape.rank is None:
            raise ValueError(f"a mask must have a known rank; see {FG}.ensure_shape")
        return ops.unstack(ops.where(made), made.shape.rank, axis=1)
    if isinstance(entry, (list, tuple)) and not entry:
        return [ops.zeros([0], int64)]
    if not made.dtype.is_integer:
        raise TypeError(f"indices must be integers or bools, got {made.dtype.name}")
    return [made]


def _broadcast(indices: list[Any]) -> list[Any]:
    shape = ops.shape(indices[0])
    for other in indices[1:]:
        shape = ops.broadcast_dynamic_shape(shape, ops.shape(other))
    return [i if len(indices) == 1 else ops.broadcast_to(i, shape) for i in indices]


def _moved(found: Any, place: int, n_axes: int) -> Any:
    """The first axes, so many, moved behind ``place`` others."""
    rank = found.shape.rank
    behind = list(range(n_axes, rank))
    return ops.transpose(found, [*behind[:place], *range(n_axes), *behind[place:]])
