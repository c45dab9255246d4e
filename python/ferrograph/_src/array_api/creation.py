"""Arrays made of numbers, shapes, other arrays and memory of other libraries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from ..native import _core
from ..numpy_like import arrangement, creation
from ..numpy_like import shapes as numpy_shapes
from ..numpy_like.any_rank import sizes_of
from ..values import nest
from ..values.dtypes import complex128, float64, int64
from ..values.errors import shown
from . import arrays
from .arrays import check_device, dtype_given, number, promoted

__all__ = [
    *("arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like"),
    *("linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"),
]


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """An array of an array, numbers, or nested lists of such.

    Arrays do not change, so that a copy of one is the array itself.

    Raises:
      ValueError: where ``copy`` is False and the elements have to be copied.
    """
    check_device(device)
    dtype = dtype_given(dtype)
    if isinstance(obj, _core.Tensor):
        if dtype is None or obj.dtype == dtype:
            return obj
        if copy is False:
            raise ValueError(f"asarray: {obj.dtype.name} is not {dtype.name} without a copy")
        return ops.cast(obj, dtype)
    if copy is False:
        raise ValueError(f"asarray: {shown(obj)} becomes an array by a copy alone")
    if _is_plain(obj):
        obj = np.asarray(obj, None if dtype is None else dtype.as_numpy_dtype)
    made = arrays.array(obj)
    return made if dtype is None or made.dtype == dtype else ops.cast(made, dtype)


def _is_plain(obj: Any) -> bool:
    """Whether it is a Python number, or nested lists of such."""
    return not hasattr(obj, "dtype") and not any(hasattr(v, "dtype") for v in nest.flatten(obj))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """The array of an object with a ``__dlpack__`` method; its memory is shared unless copied.

    Raises:
      ValueError: where ``copy`` is False and the memory cannot be shared.
    """
    check_device(device)
    if isinstance(x, _core.Tensor):
        return x
    if copy:
        return _core.convert_to_tensor(x)
    if copy is False:
        seen = np.from_dlpack(x)
        if seen.dtype == np.bool_ or not seen.flags.c_contiguous or not seen.flags.aligned:
            raise ValueError("from_dlpack: bools, and elements that are apart, need a copy")
    return _core.from_dlpack(x)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Zeros in this shape."""
    check_device(device)
    return ops.zeros(sizes_of(shape), dtype_given(dtype, float64))


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Ones in this shape."""
    check_device(device)
    return ops.ones(sizes_of(shape), dtype_given(dtype, float64))


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of this shape: zeros."""
    return zeros(shape, dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """One value in this shape."""
    check_device(device)
    return ops.fill(sizes_of(shape), asarray(fill_value, dtype=dtype))


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Zeros in the shape of an array."""
    check_device(device)
    return ops.zeros_like(arrays.array(x), dtype_given(dtype))


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Ones in the shape of an array."""
    check_device(device)
    return ops.ones_like(arrays.array(x), dtype_given(dtype))


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of the shape of another one: zeros."""
    return zeros_like(x, dtype=dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """One value in the shape of an array."""
    check_device(device)
    x = arrays.array(x)
    return ops.fill(arrays.sizes(x), asarray(fill_value, dtype=dtype_given(dtype, x.dtype)))


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """The numbers from ``start``, 0 where it alone is given, up to ``stop``, which is left out.

    Raises:
      ValueError: where ``step`` is 0.
    """
    check_device(device)
    if stop is None:
        start, stop = 0, start
    if any(isinstance(v, _core.Tensor) for v in (start, stop, step)):
        return creation.arange(start, stop, step, dtype)
    if step == 0:
        raise ValueError("arange: step must not be 0")
    whole = all(isinstance(v, (int, np.integer)) for v in (start, stop, step))
    dtype = dtype_given(dtype, int64 if whole else float64)
    if whole:
        count, wide = max(-((start - stop) // step), 0), int64
    else:
        count, wide = max(math.ceil((stop - start) / step), 0), float64
    if whole and not -(2**63) <= start < 2**63:  # of uint64: its bits
        start -= 2**64
    places = ops.cast(ops.range(number(count, int64)), wide)
    return ops.cast(places * number(step, wide) + number(start, wide), dtype)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Any:
    """``num`` numbers in even steps from ``start`` to ``stop``."""
    check_device(device)
    start, stop = promoted(start, stop)
    wide = complex128 if start.dtype.is_complex else float64
    start, stop = ops.cast(start, wide), ops.cast(stop, wide)
    part = ops.cast(ops.range(num), wide) / number(max(1, num - 1 if endpoint else num), wide)
    near = start + part * (stop - start)
    made = ops.where(ops.equal(part, 1), stop, near)  # exactly where it ends
    return ops.cast(made, dtype_given(dtype, wide))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """Ones on the ``k``-th diagonal of a matrix, zeros elsewhere."""
    check_device(device)
    k = max(-n_rows, min(k, n_rows if n_cols is None else n_cols))  # beyond is nothing
    return creation.eye(n_rows, n_cols, k, dtype_given(dtype, float64))


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """The coordinates of a grid, of vectors along its axes: an array for each."""
    return tuple(numpy_shapes.meshgrid(*arrays, indexing=indexing))


def tril(x: Any, /, *, k: int = 0) -> Any:
    """Matrices with zeros above the ``k``-th diagonal."""
    return arrangement.tril(x, k)


def triu(x: Any, /, *, k: int = 0) -> Any:
    """Matrices with zeros below the ``k``-th diagonal."""
    return arrangement.triu(x, k)
