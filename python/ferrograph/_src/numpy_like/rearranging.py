"""Rotation, transposition, repetition and padding of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import _core
from ..ops._base import contains_tensor, static_value
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..values.errors import shown
from ..values.public import public
from .any_rank import reordered
from .arrangement import _numbers, at_least
from .promotion import array

__all__: list[str] = []


@public("experimental.numpy.swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """The array with two axes exchanged.

    >>> fg.experimental.numpy.swapaxes([[1, 2]], 0, 1).numpy().tolist()
    [[1], [2]]

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      axis1, axis2: ints.

    Returns:
      A tensor of the dtype of a.

    Raises:
      ValueError: for an axis out of range.
    """
    a = array(a)
    if a.shape.rank is None:
        return a if axis1 == axis2 else reordered(a, [axis1, axis2], [axis2, axis1])
    order = list(range(a.shape.rank))
    one, other = _numbers((axis1, axis2), a.shape.rank)
    order[one], order[other] = other, one
    return ops.transpose(a, order)


@public("experimental.numpy.flipud")
def flipud(m: Any) -> Any:
    """The rows in reverse order.

    >>> fg.experimental.numpy.flipud([1, 2]).numpy()
    array([2, 1])

    Args:
      m: a tensor of any dtype, or what converts to one; of rank 1 or more.

    Returns:
      A tensor of the dtype and the shape of m.

    Raises:
      InvalidArgumentError: for a scalar.
    """
    return ops.reverse(array(m), [0])


@public("experimental.numpy.fliplr")
def fliplr(m: Any) -> Any:
    """The columns in reverse order.

    >>> fg.experimental.numpy.fliplr([[1, 2]]).numpy()
    array([[2, 1]])

    Args:
      m: a tensor of any dtype, or what converts to one; of rank 2 or more.

    Returns:
      A tensor of the dtype and the shape of m.

    Raises:
      InvalidArgumentError: for a lower rank.
    """
    return ops.reverse(array(m), [1])


@public("experimental.numpy.rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """The array turned ``k`` times by a quarter, from the first of two axes towards the second.

    >>> fg.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy()
    array([[2, 4],
           [1, 3]])

    Args:
      m: a tensor of any dtype, or what converts to one; of rank 2 or more.
      k: an int, how often it is turned; 1 by default.
      axes: a pair of ints, the axes; the first two by default.

    Returns:
      A tensor of the dtype of m.

    Raises:
      ValueError: for an axis out of range.
      TypeError: where k is no integer.
    """
    m = array(m)
    k = whole(k, "rot90: k")
    one, other = axes if m.shape.rank is None else _numbers(axes, m.shape.rank)
    if k % 4 == 0:
        return m
    if k % 4 == 2:
        return ops.reverse(m, [one, other])
    turned = swapaxes(m, one, other)
    return ops.reverse(turned, [one] if k % 4 == 1 else [other])


@public("experimental.numpy.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along axes, those beyond the end to the beginning.

    >>> fg.experimental.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      shift: an int or a list of ints, by how many places.
      axis: an int or a list of ints, which broadcasts with shift; None, the default, for all
        elements in a row.

    Returns:
      A tensor of the dtype and the shape of a.

    Raises:
      InvalidArgumentError: for an axis out of range, and a shift that is no integer.
    """
    a = array(a)
    if axis is None:
        return ops.reshape(ops.roll(ops.reshape(a, [-1]), shift, 0), ops.shape(a))
    if isinstance(shift, _core.Tensor) or isinstance(axis, _core.Tensor):
        shift, axis = (ops.cast(array(n), np.int32) for n in (shift, axis))
        flat = [ops.reshape(n, [-1]) for n in (shift + axis * 0, axis + shift * 0)]
        return ops.roll(a, flat[0], flat[1])
    shifts, axes = np.broadcast_arrays(np.asarray(shift), np.asarray(axis))
    return ops.roll(a, shifts.ravel().tolist(), axes.ravel().tolist())


@public("experimental.numpy.repeat")
@told
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element so often, one after the other, along an axis.

    >>> fg.experimental.numpy.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      repeats: an integer scalar, or a vector with a number for each place of the axis.
      axis: an int; None, the default, for all elements in a row.

    Returns:
      A tensor of the dtype of a; a vector without an axis.

    Raises:
      ValueError: for another number of repeats, and an axis out of range.
      InvalidArgumentError: for a negative number.
    """
    a = array(a)
    if axis is None:
        a, axis = ops.reshape(a, [-1]), 0
    return ops.repeat(a, repeats, axis)


@public("experimental.numpy.tile")
def tile(a: Any, reps: Any) -> Any:
    """The whole array so often along each axis.

    >>> fg.experimental.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      reps: an int or a list of ints; for fewer than there are axes the first ones are not repeated,
        for more a gets axes before its own.

    Returns:
      A tensor of the dtype of a.

    Raises:
      TypeError: for reps that are no integers.
      InvalidArgumentError: for a negative number.
    """
    times = _whole_numbers(reps, "tile: reps")
    a = at_least(array(a), len(times))
    if a.shape.rank is None:
        before = ops.ones([ops.rank(a) - len(times)], np.int32)
        return ops.tile(a, ops.concat([before, times], 0))
    return ops.tile(a, [1] * (a.shape.rank - len(times)) + times)


def _whole_numbers(values: Any, what: str) -> list[Any]:
    """A number, or a vector of numbers, as a list of them, which may be tensors."""
    known = static_value(values)
    if known is not None:
        values = known
        if values.dtype.kind not in "iub":
            raise TypeError(f"{what} must be integers, got {shown(values.tolist())}")
        return values.ravel().tolist()
    if not values.dtype.is_integer:
        raise TypeError(f"{what} must be integers, got {values.dtype.name}")
    if values.shape.num_elements() is None:
        raise ValueError(f"{what} need a known shape, got {values.shape}")
    return ops.unstack(ops.cast(ops.reshape(values, [-1]), np.int32))


@public("experimental.numpy.pad")
def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    """The array with more elements before and behind along each axis.

    >>> fg.experimental.numpy.pad([1, 2], [[1, 1]], "constant", constant_values=9).numpy()
    array([9, 1, 2, 9])

    Args:
      array: what to pad.
      pad_width: a pair of counts for each axis, one pair or one count for all.
      mode: "constant", "reflect" or "symmetric".
      **kwargs: ``constant_values``, a number, for the mode "constant".

    Raises:
      ValueError: for another mode.
    """
    modes = {"constant": "CONSTANT", "reflect": "REFLECT", "symmetric": "SYMMETRIC"}
    if not isinstance(mode, str) or mode not in modes:
        raise ValueError(f"pad: mode must be one of {sorted(modes)}, got {shown(mode)}")
    array = _array(array)
    filler = ops.cast(_array(kwargs.get("constant_values", 0)), array.dtype)
    return ops.pad(array, _widths(pad_width, array), modes[mode], filler)


_array = array


def _widths(pad_width: Any, array: Any) -> Any:
    """A pair of counts for each axis of the array."""
    if isinstance(pad_width, _core.Tensor) and pad_width.shape.rank == 2:
        return pad_width
    rank = array.shape.rank
    if rank is None:
        return ops.broadcast_to(_array(pad_width), ops.stack([ops.rank(array), 2]))
    if contains_tensor(pad_width):
        return ops.broadcast_to(_array(pad_width), [rank, 2])
    counts = np.asarray(pad_width)
    if counts.dtype.kind not in "iufb":
        raise TypeError(f"pad: pad_width must be integers, got {shown(pad_width)}")
    return np.broadcast_to(counts, (rank, 2)).tolist()
