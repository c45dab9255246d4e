"""Arrangement of elements: shapes, joins, orders, triangles, products by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..native import FG, _core
from ..ops._dispatch import told
from ..ops._numbers import whole, wholes
from ..values.errors import shown
from ..values.public import public
from .any_rank import reordered
from .promotion import array, joined, promoted

__all__: list[str] = []


@public("experimental.numpy.reshape")
@told
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """The elements in another shape; a size of -1 is inferred.

    >>> fg.experimental.numpy.reshape([1, 2, 3, 4], [2, -1]).shape
    TensorShape([2, 2])

    Args:
      a: a tensor.
      newshape: a size, or a sequence of them.
      order: "C" to read and place elements with the last index changing fastest, "F" with the
        first.

    Raises:
      ValueError: for another order.
    """
    shape = [newshape] if isinstance(newshape, int) else newshape
    if order == "F":
        turned = ops.reshape(ops.transpose(array(a)), ops.reverse(shape, [0]))
        return ops.transpose(turned)
    if order != "C":
        raise ValueError(f"elements are read in the order 'C' or 'F', got {shown(order)}")
    return ops.reshape(array(a), shape)


@public("experimental.numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """The axes in another order.

    >>> fg.experimental.numpy.transpose([[1, 2]]).numpy()
    array([[1],
           [2]])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      axes: a permutation of the axes, a list of ints; the reverse order by default.

    Returns:
      A tensor of the dtype of a.

    Raises:
      InvalidArgumentError: where axes is no permutation.
    """
    return ops.transpose(array(a), axes)


@public("experimental.numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Axes at other places, the rest in order.

    >>> fg.experimental.numpy.moveaxis(fg.zeros([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      source, destination: an int or a list of ints, the axes and the places that they get; as many
        of both.

    Returns:
      A tensor of the dtype of a.

    Raises:
      ValueError: for an axis out of range, an axis that is named twice, and where there are not as
        many of both.
    """
    a = array(a)
    rank = a.shape.rank
    if rank is None:
        return reordered(a, source, destination)
    sources, places = _numbers(source, rank), _numbers(destination, rank)
    if len(sources) != len(places) or len({*sources}) + len({*places}) != 2 * len(places):
        raise ValueError(f"axes {source} cannot move to {destination}")
    order = [i for i in range(rank) if i not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return ops.transpose(a, order)


def _numbers(axes: Any, rank: int | None) -> list[int]:
    if rank is None:
        raise ValueError(
            f"axis {axes} needs a tensor of known rank; give it with {FG}.ensure_shape"
        )
    if isinstance(axes, _core.Tensor) and axes.ndim:
        axes = wholes(axes, "axis")
    several = isinstance(axes, (list, tuple, range)) or getattr(axes, "ndim", 0) > 0
    listed = []
    for axis in axes if several else [axes]:  # of which there may be any number
        number = whole(axis, "axis")
        if not -rank <= number < rank:
            raise ValueError(f"axis {number} is out of range for rank {rank}")
        listed.append(number % rank)
    return listed


@public("experimental.numpy.expand_dims")
def expand_dims(a: Any, axis: int) -> Any:
    """Another axis of size 1.

    >>> fg.experimental.numpy.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      axis: an int, where the new axis is; a negative one counts from the end.

    Returns:
      A tensor of the dtype of a, of one axis more.

    Raises:
      InvalidArgumentError: for an axis out of range.
    """
    return ops.expand_dims(array(a), axis)


@public("experimental.numpy.flip")
def flip(m: Any, axis: Any = None) -> Any:
    """The elements along axes in reverse order.

    >>> fg.experimental.numpy.flip([[1, 2], [3, 4]], 0).numpy()
    array([[3, 4],
           [1, 2]])

    Args:
      m: a tensor of any dtype, or what converts to one; of any shape.
      axis: an int or a tuple of ints; None, the default, for all axes.

    Returns:
      A tensor of the dtype and the shape of m.

    Raises:
      ValueError: for an axis out of range.
    """
    m = array(m)
    if m.shape.rank is None:
        listed = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        return ops.reverse(m, ops.range(ops.rank(m)) if axis is None else listed)
    axes = range(m.shape.rank) if axis is None else axis
    return ops.reverse(m, _numbers(axes, m.shape.rank))


@public("experimental.numpy.concatenate")
@told
def concatenate(arys: Any, axis: int | None = 0) -> Any:
    """The arrays one behind the other along an axis.

    >>> fg.experimental.numpy.concatenate([[1], [2.5]]).numpy()
    array([1. , 2.5])

    Args:
      arys: a list of tensors of one rank, or of what converts to such; one at least. Other sizes
        agree.
      axis: an int, 0 by default; None for all elements in a row.

    Returns:
      A tensor of the dtype that NumPy gives them together.

    Raises:
      InvalidArgumentError: where other sizes or ranks differ, there are no arrays, or the axis is
        out of range.
    """
    made = joined(*(arys if isinstance(arys, (list, tuple)) else [arys]))
    if axis is None:
        made, axis = [ops.reshape(m, [-1]) for m in made], 0
    return ops.concat(made, axis)


@public("experimental.numpy.stack")
@told
def stack(arrays: Any, axis: int = 0) -> Any:
    """The arrays, all of one shape, along a new axis.

    >>> fg.experimental.numpy.stack([[1, 2], [3, 4]], 1).numpy()
    array([[1, 3],
           [2, 4]])

    Args:
      arrays: a list of tensors, or of what converts to such; a tensor counts as its rows.
      axis: an int, where the new axis is; 0 by default.

    Returns:
      A tensor of the dtype that NumPy gives them together.

    Raises:
      InvalidArgumentError: where shapes differ.
      ValueError: for an axis out of range.
    """
    if isinstance(arrays, _core.Tensor):
        return arrays if axis == 0 else moveaxis(arrays, 0, axis)
    return ops.stack(joined(*arrays), axis)


@public("experimental.numpy.vstack")
@told
def vstack(tup: Any) -> Any:
    """The arrays as rows, one below the other.

    >>> fg.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [3, 4]])

    Args:
      tup: a list of tensors, or of what converts to such; vectors count as rows. Sizes agree but
        for the first.

    Returns:
      A tensor of the dtype that NumPy gives them together, of rank 2 or more.

    Raises:
      TypeError: for what is no list of arrays.
      InvalidArgumentError: where other sizes differ, or there are no arrays.
    """
    return ops.concat([at_least(m, 2) for m in joined(*_listed(tup, "vstack"))], 0)


@public("experimental.numpy.hstack")
@told
def hstack(tup: Any) -> Any:
    """The arrays side by side: along the second axis, vectors along their own.

    >>> fg.experimental.numpy.hstack([[1, 2], [3]]).numpy()
    array([1, 2, 3])

    Args:
      tup: a list of tensors, or of what converts to such; scalars count as vectors. Other sizes
        agree.

    Returns:
      A tensor of the dtype that NumPy gives them together.

    Raises:
      TypeError: for what is no list of arrays.
      InvalidArgumentError: where other sizes differ.
    """
    made = [at_least(m, 1) for m in joined(*_listed(tup, "hstack"))]
    if made[0].shape.rank is None:
        return ops.concat(made, ops.minimum(ops.rank(made[0]) - 1, 1))
    return ops.concat(made, 0 if made[0].shape.rank == 1 else 1)


def _listed(arrays: Any, function: str) -> Any:
    """The arrays of an argument that is a list of them, or the rows of a tensor."""
    if isinstance(arrays, (str, bytes)) or not hasattr(arrays, "__iter__"):
        raise TypeError(f"{function} takes a list of arrays, got {shown(arrays)}")
    if getattr(getattr(arrays, "shape", None), "rank", 1) == 0:
        raise TypeError(f"{function} takes a list of arrays, got one of shape []")
    return arrays


def at_least(value: Any, rank: int) -> Any:
    if value.shape.rank is None:
        sizes = ops.shape(value)
        new = ops.ones([ops.maximum(rank - ops.size(sizes), 0)], sizes.dtype)
        return ops.reshape(value, ops.concat([new, sizes], 0))
    while value.shape.rank < rank:
        value = ops.expand_dims(value, 0)
    return value


@public("experimental.numpy.sort")
@told
def sort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """The elements along an axis in order.

    >>> fg.experimental.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])

    Args:
      a: a tensor of real numbers, or what converts to one; of any shape.
      axis: an int, the last one by default; None for all elements in a row.
      kind: a string or None; of no effect.
      order: None alone: tensors have no fields.

    Returns:
      A tensor of the dtype and the shape of a; a vector without an axis.

    Raises:
      ValueError: where order is given.
      TypeError: where kind is no string.
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    a, axis = _row(a, axis, kind, order)
    return ops.sort(a, axis)


@public("experimental.numpy.argsort")
@told
def argsort(a: Any, axis: int | None = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """The places of the elements along an axis in their order; equal ones as they stand.

    >>> fg.experimental.numpy.argsort([3, 1, 2]).numpy()
    array([1, 2, 0])

    Args:
      a: a tensor of real numbers, or what converts to one; of any shape.
      axis: an int, the last one by default; None for all elements in a row.
      kind: a string or None; of no effect.
      order: None alone: tensors have no fields.

    Returns:
      An int64 tensor of the shape of a; a vector without an axis.

    Raises:
      ValueError: where order is given.
      TypeError: where kind is no string.
      InvalidArgumentError: for another dtype, and an axis out of range.
    """
    a, axis = _row(a, axis, kind, order)
    return ops.cast(ops.argsort(a, axis, stable=True), np.int64)


def _row(a: Any, axis: int | None, kind: Any, order: Any) -> tuple[Any, int]:
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"kind must be the name of an algorithm, got {shown(kind)}")
    if order is not None:
        raise ValueError("`order` names fields, which tensors do not have")
    a = array(a)
    return (ops.reshape(a, [-1]), -1) if axis is None else (a, axis)


@public("experimental.numpy.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: int) -> Any:
    """The elements along an axis at the places that the indices say.

    >>> fg.experimental.numpy.take_along_axis([[5, 6]], [[1, 0]], 1).numpy()
    array([[6, 5]])

    Args:
      arr: a tensor of any dtype, or what converts to one; of any shape.
      indices: a tensor of integers, or what converts to one; of as many axes, which broadcast but
        for that one. A negative one counts from the end.
      axis: an int.

    Returns:
      A tensor of the dtype of arr, of the size of indices along the axis.

    Raises:
      TypeError: for indices that are no integers.
      InvalidArgumentError: for an index out of range, and sizes that do not broadcast.
      ValueError: for an axis out of range.
    """
    arr, indices = moveaxis(arr, axis, -1), moveaxis(indices, axis, -1)
    outer = ops.broadcast_dynamic_shape(ops.shape(arr)[:-1], ops.shape(indices)[:-1])
    arr, indices = (ops.broadcast_to(a, _with_row(outer, a)) for a in (arr, indices))
    if not indices.dtype.is_integer:
        raise TypeError(f"take_along_axis: indices must be integers, got {indices.dtype.name}")
    size = ops.cast(ops.shape(arr)[-1], indices.dtype)
    indices = ops.where(indices < 0, indices + size, indices)
    rows, places = (
        ops.reshape(a, ops.stack([ops.reduce_prod(outer), ops.shape(a)[-1]]))
        for a in (arr, indices)
    )
    taken = ops.reshape(ops.gather(rows, places, batch_dims=1), ops.shape(indices))
    taken.set_shape(indices.shape)
    return moveaxis(taken, -1, axis)


def _with_row(outer: Any, a: Any) -> Any:
    return ops.concat([outer, ops.shape(a)[-1:]], 0)


@public("experimental.numpy.diff")
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """The differences of neighbours along an axis; of bools, whether they differ.

    >>> fg.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])

    Args:
      a: a tensor of numbers or bools, or what converts to one; of known rank, 1 or more.
      n: an int, how often they are taken; 1 by default.
      axis: an int, the last one by default.

    Returns:
      A tensor of the dtype of a, shorter by n along the axis, or empty.

    Raises:
      ValueError: for an axis out of range, and an unknown rank.
      TypeError: where n is no integer.
      InvalidArgumentError: for strings.
    """
    a = array(a)
    (axis,) = _numbers(axis, a.shape.rank)
    before = (slice(None),) * axis
    for _ in range(_times(whole(n, "diff: n"), a.shape[axis])):
        later, earlier = a[(*before, slice(1, None))], a[(*before, slice(None, -1))]
        a = ops.not_equal(later, earlier) if a.dtype.is_bool else later - earlier
    return a


# Differences of differences that are taken of an axis whose length is not known.
_MOST_TIMES = 1000


def _times(n: int, length: int | None) -> int:
    """How often differences are taken: behind as many as an axis has elements nothing is left."""
    if length is None and n > _MOST_TIMES:
        raise ValueError(
            f"diff: n = {n} along an axis of unknown length would be as many operations, "
            f"at most {_MOST_TIMES} are made"
        )
    return n if length is None else min(n, length)


@public("experimental.numpy.tril")
def tril(m: Any, k: int = 0) -> Any:
    """Matrices with zeros above the ``k``-th diagonal.

    >>> fg.experimental.numpy.tril([[1, 2], [3, 4]]).numpy()
    array([[1, 0],
           [3, 4]])

    Args:
      m: a tensor of any dtype, or what converts to one; of rank 2 or more.
      k: an int; a positive one is above the main diagonal. 0 by default.

    Returns:
      A tensor of the dtype and the shape of m.

    Raises:
      InvalidArgumentError: for a lower rank.
    """
    m = array(m)
    return ops.where(_offsets(m) <= k, m, ops.zeros_like(m))


@public("experimental.numpy.triu")
def triu(m: Any, k: int = 0) -> Any:
    """Matrices with zeros below the ``k``-th diagonal.

    >>> fg.experimental.numpy.triu([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [0, 4]])

    Args:
      m: a tensor of any dtype, or what converts to one; of rank 2 or more.
      k: an int; a positive one is above the main diagonal. 0 by default.

    Returns:
      A tensor of the dtype and the shape of m.

    Raises:
      InvalidArgumentError: for a lower rank.
    """
    m = array(m)
    return ops.where(_offsets(m) >= k, m, ops.zeros_like(m))


def _offsets(m: Any) -> Any:
    """The diagonal that each element of matrices lies on."""
    sizes = ops.shape(m)
    return ops.range(sizes[-1])[None, :] - ops.range(sizes[-2])[:, None]


@public("experimental.numpy.outer")
def outer(a: Any, b: Any) -> Any:
    """The products of each element of one with each of the other, a matrix.

    >>> fg.experimental.numpy.outer([1, 2], [3, 4]).numpy()
    array([[3, 4],
           [6, 8]])

    Args:
      a, b: tensors of numbers or bools, or what converts to such; of any shape.

    Returns:
      A matrix of the dtype that NumPy gives both together.

    Raises:
      InvalidArgumentError: for strings.
    """
    a, b = promoted(a, b)
    return ops.reshape(a, [-1, 1]) * ops.reshape(b, [1, -1])


@public("experimental.numpy.matmul")
def matmul(x1: Any, x2: Any) -> Any:
    """The product of matrices, of which vectors count as rows before and columns behind.

    >>> int(fg.experimental.numpy.matmul([1, 2], [3, 4]))
    11

    Args:
      x1, x2: tensors of numbers, or what converts to such; of rank 1 or more, with axes before the
        last two that broadcast.

    Returns:
      A tensor of the dtype that NumPy gives both together; the axis that a vector is given goes
        again.

    Raises:
      ValueError: for a scalar.
      InvalidArgumentError: for another dtype, and sizes that do not fit.
    """
    x1, x2 = joined(x1, x2)
    ranks = x1.shape.rank, x2.shape.rank
    if 0 in ranks:
        shapes = f"{x1.shape} and {x2.shape}"
        raise ValueError(f"matmul needs a vector or matrices on either side, got shapes {shapes}")
    if None in ranks:
        return _matmul_of_any_rank(x1, x2)
    row, column = ranks[0] == 1, ranks[1] == 1
    x1 = ops.expand_dims(x1, 0) if row else x1
    x2 = ops.expand_dims(x2, -1) if column else x2
    made, added = ops.matmul(x1, x2), [-2] * row + [-1] * column
    return ops.squeeze(made, added) if added else made


def _matmul_of_any_rank(x1: Any, x2: Any) -> Any:
    """The product whose vectors become matrices, and whose axes for them go, when it runs."""
    row, column = (ops.cast(ops.equal(ops.rank(x), 1), np.int32) for x in (x1, x2))
    x1 = ops.reshape(x1, ops.concat([ops.ones([row], np.int32), ops.shape(x1)], 0))
    x2 = ops.reshape(x2, ops.concat([ops.shape(x2), ops.ones([column], np.int32)], 0))
    made = ops.matmul(x1, x2)
    sizes = ops.shape(made)
    kept = [sizes[:-2], sizes[-2:-1][row:], sizes[-1:][column:]]
    return ops.reshape(made, ops.concat(kept, 0))


@public("experimental.numpy.kron")
def kron(a: Any, b: Any) -> Any:
    """Each element of ``a`` times all of ``b``, in its place.

    >>> fg.experimental.numpy.kron([1, 10], [1, 2]).numpy()
    array([ 1,  2, 10, 20])

    Args:
      a, b: tensors of numbers or bools, or what converts to such; of any shape.

    Returns:
      A tensor of the dtype that NumPy gives both together, each size the product of those of both.

    Raises:
      InvalidArgumentError: for strings.
    """
    a, b = joined(a, b)
    if a.shape.rank is None or b.shape.rank is None:
        return _kron_of_any_rank(a, b)
    rank = max(a.shape.rank, b.shape.rank)
    a, b = at_least(a, rank), at_least(b, rank)
    sizes = ops.shape(a) * ops.shape(b)
    for axis in range(rank):
        a, b = ops.expand_dims(a, 2 * axis + 1), ops.expand_dims(b, 2 * axis)
    return ops.reshape(a * b, sizes)


def _kron_of_any_rank(a: Any, b: Any) -> Any:
    """As ``kron``: the axes of ``a`` and ``b`` alternate in what is multiplied."""
    sizes, others = ops.shape(a), ops.shape(b)
    missing = ops.size(others) - ops.size(sizes)
    sizes = ops.concat([ops.ones([ops.maximum(missing, 0)], np.int32), sizes], 0)
    others = ops.concat([ops.ones([ops.maximum(-missing, 0)], np.int32), others], 0)
    apart = (
        ops.stack([sizes, ops.ones_like(sizes)], 1),
        ops.stack([ops.ones_like(others), others], 1),
    )
    a, b = (ops.reshape(x, ops.reshape(s, [-1])) for x, s in zip((a, b), apart, strict=True))
    return ops.reshape(a * b, sizes * others)
