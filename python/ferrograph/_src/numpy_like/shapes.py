"""More on the arrangement of elements: sizes, splits, rotations, repetitions, selection by
index."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from .. import ops
from ..ops import arrays, selection
from ..ops._dispatch import told
from ..ops._numbers import several, whole
from ..ops._ranks import of_rank
from ..values.errors import shown
from ..values.public import public
from .any_rank import sizes_of
from .arrangement import _listed, _numbers, at_least
from .promotion import array, as_bools, joined, promoted

__all__: list[str] = []


@public("experimental.numpy.ndim")
def ndim(a: Any) -> Any:
    """The number of axes.

    >>> fg.experimental.numpy.ndim([[1, 2]])
    2

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      An int, or an int32 scalar where it is not known.
    """
    a = array(a)
    return ops.rank(a) if a.shape.rank is None else a.shape.rank


@public("experimental.numpy.shape")
def shape(a: Any) -> Any:
    """The sizes of the axes.

    >>> fg.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      A ``TensorShape``, or an int32 vector where they are not all known.
    """
    a = array(a)
    return a.shape if a.shape.is_fully_defined() else ops.shape(a)


@public("experimental.numpy.size")
@told
def size(x: Any, axis: Any = None) -> Any:
    """The number of elements.

    >>> int(fg.experimental.numpy.size([[1, 2]]))
    2

    Args:
      x: a tensor of any dtype, or what converts to one; of any shape.
      axis: None alone.

    Returns:
      A NumPy int64, or an int64 scalar where it is not known.

    Raises:
      NotImplementedError: where an axis is given.
    """
    if axis is not None:
        whole(axis, "size: axis")
        raise NotImplementedError("size counts all elements: leave `axis` out, or use shape")
    x = array(x)
    known = x.shape.num_elements()
    return ops.size(x, np.int64) if known is None else np.int64(known)


@public("experimental.numpy.atleast_1d")
def atleast_1d(*arys: Any) -> Any:
    """The arrays, scalars as vectors.

    >>> fg.experimental.numpy.atleast_1d(3).numpy()
    array([3])

    Args:
      *arys: tensors, or what converts to such; of any shape.

    Returns:
      A tensor for one array, a list of such for several.
    """
    return _each(arys, lambda a: at_least(a, 1))


@public("experimental.numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    """The arrays with axes of size 1 before the others, up to two.

    >>> fg.experimental.numpy.atleast_2d([1, 2]).numpy()
    array([[1, 2]])

    Args:
      *arys: tensors, or what converts to such; of any shape.

    Returns:
      A tensor for one array, a list of such for several.
    """
    return _each(arys, lambda a: at_least(a, 2))


@public("experimental.numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """The arrays with three axes: vectors as ``(1, n, 1)``, matrices as ``(m, n, 1)``.

    >>> fg.experimental.numpy.atleast_3d([1, 2]).shape
    TensorShape([1, 2, 1])

    Args:
      *arys: tensors, or what converts to such; of any shape.

    Returns:
      A tensor for one array, a list of such for several.
    """
    return _each(arys, _in_depth)


def _each(arys: tuple[Any, ...], function: Any) -> Any:
    made = [function(array(a)) for a in arys]
    return made[0] if len(made) == 1 else made


def _in_depth(value: Any) -> Any:
    value = at_least(value, 2)
    if value.shape.rank is None:
        sizes = ops.shape(value)
        behind = ops.ones([ops.maximum(3 - ops.size(sizes), 0)], sizes.dtype)
        return ops.reshape(value, ops.concat([sizes, behind], 0))
    return ops.expand_dims(value, -1) if value.shape.rank == 2 else value


@public("experimental.numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Any:
    """The elements, repeated along axes of size 1, in this shape.

    >>> fg.experimental.numpy.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]])

    Args:
      array: a tensor of any dtype, or what converts to one; of any shape.
      shape: an int or a list of ints.

    Returns:
      A tensor of the dtype of array and that shape.

    Raises:
      InvalidArgumentError: where the array does not broadcast.
    """
    return ops.broadcast_to(_array(array), sizes_of(shape))


_array = array


@public("experimental.numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Any]:
    """The arrays in the shape that they have together.

    >>> [a.numpy().tolist() for a in fg.experimental.numpy.broadcast_arrays([1, 2], [[3]])]
    [[[1, 2]], [[3, 3]]]

    Args:
      *args: tensors, or what converts to such, whose shapes broadcast; one at least.
      **kwargs: ``subok=False``, which changes nothing.

    Returns:
      A list of tensors of their dtypes.

    Raises:
      ValueError: for another keyword, and for ``subok=True``.
      InvalidArgumentError: for shapes that do not broadcast.
    """
    if kwargs.get("subok") or kwargs.keys() - {"subok"}:
        raise ValueError("broadcast_arrays knows no keyword but `subok=False`")
    made = [array(a) for a in args]
    whole = ops.shape(made[0])
    for other in made[1:]:
        whole = arrays.broadcast_dynamic_shape(whole, ops.shape(other))
    return [ops.broadcast_to(a, whole) for a in made]


@public("experimental.numpy.dstack")
@told
def dstack(tup: Any) -> Any:
    """The arrays one behind the other along the third axis.

    >>> fg.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy().tolist()
    [[[1, 3], [2, 4]]]

    Args:
      tup: a list of tensors, or of what converts to such, which get three axes as ``atleast_3d``
        does. Other sizes agree.

    Returns:
      A tensor of the dtype that NumPy gives them together, of rank 3 or more.

    Raises:
      TypeError: for what is no list of arrays.
      InvalidArgumentError: where other sizes differ, or there are no arrays.
    """
    return ops.concat([_in_depth(m) for m in joined(*_listed(tup, "dstack"))], 2)


@public("experimental.numpy.append")
@told
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """The values behind those of an array along an axis.

    >>> fg.experimental.numpy.append([1, 2], 3).numpy()
    array([1, 2, 3])

    Args:
      arr, values: tensors, or what converts to such; with an axis of one rank, and other sizes that
        agree.
      axis: an int; None, the default, for all elements in a row.

    Returns:
      A tensor of the dtype that NumPy gives both together; a vector without an axis.

    Raises:
      InvalidArgumentError: where ranks or other sizes differ, and for an axis out of range.
    """
    made = joined(array(arr), array(values))
    if axis is None:
        made, axis = [ops.reshape(m, [-1]) for m in made], 0
    return ops.concat(made, axis)


@public("experimental.numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """The parts of an array along an axis.

    >>> [p.numpy().tolist() for p in fg.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]

    Args:
      ary: a tensor of any dtype, or what converts to one; of rank 1 or more.
      indices_or_sections: an int, into how many parts of one size; or a list of ints, the places
        before which parts end.
      axis: an int, 0 by default.

    Returns:
      A list of tensors of the dtype of ary.

    Raises:
      InvalidArgumentError: where the axis does not split into so many parts of one size, and for an
        axis out of range.
      ValueError: for no parts, and an axis out of range with a list.
    """
    ary = array(ary)
    what = "split: indices_or_sections"
    if isinstance(indices_or_sections, int) or getattr(indices_or_sections, "ndim", 1) == 0:
        return ops.split(ary, whole(indices_or_sections, what), axis)
    ends = [whole(i, what) for i in several(indices_or_sections, what)]
    (number,) = _numbers(axis, ary.shape.rank)
    before = (slice(None),) * number
    bounds = zip([None, *ends], [*ends, None], strict=True)
    return [ary[(*before, slice(begin, end))] for begin, end in bounds]


@public("experimental.numpy.vsplit")
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """The parts of ``split`` along the first axis.

    >>> len(fg.experimental.numpy.vsplit([[1], [2]], 2))
    2

    Args:
      ary: a tensor of any dtype, or what converts to one; of rank 1 or more.
      indices_or_sections: an int, into how many parts of one size; or a list of ints, the places
        before which parts end.

    Returns:
      A list of tensors of the dtype of ary.

    Raises:
      InvalidArgumentError: where the axis does not split into so many parts of one size, and for a
        lower rank.
      ValueError: for no parts, and a lower rank with a list.
    """
    return split(ary, indices_or_sections, 0)


@public("experimental.numpy.hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """The parts of ``split`` along the second axis, those of a vector along its own.

    >>> [p.numpy().tolist() for p in fg.experimental.numpy.hsplit([1, 2], 2)]
    [[1], [2]]

    Args:
      ary: a tensor of any dtype, or what converts to one; of rank 1 or more.
      indices_or_sections: an int, into how many parts of one size; or a list of ints, the places
        before which parts end.

    Returns:
      A list of tensors of the dtype of ary.

    Raises:
      InvalidArgumentError: where the axis does not split into so many parts of one size, and for a
        lower rank.
      ValueError: for no parts, and a lower rank with a list.
    """
    ary = array(ary)
    return split(ary, indices_or_sections, 0 if ary.shape.rank == 1 else 1)


@public("experimental.numpy.dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """The parts of ``split`` along the third axis.

    >>> len(fg.experimental.numpy.dsplit([[[1, 2]]], 2))
    2

    Args:
      ary: a tensor of any dtype, or what converts to one; of rank 3 or more.
      indices_or_sections: an int, into how many parts of one size; or a list of ints, the places
        before which parts end.

    Returns:
      A list of tensors of the dtype of ary.

    Raises:
      InvalidArgumentError: where the axis does not split into so many parts of one size, and for a
        lower rank.
      ValueError: for no parts, and a lower rank with a list.
    """
    return split(ary, indices_or_sections, 2)


@public("experimental.numpy.ravel")
def ravel(a: Any) -> Any:
    """All elements in a row.

    >>> fg.experimental.numpy.ravel([[1], [2]]).numpy()
    array([1, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.

    Returns:
      A vector of the dtype of a.
    """
    return ops.reshape(array(a), [-1])


@public("experimental.numpy.flatten")
@told
def flatten(a: Any, order: str = "C") -> Any:
    """All elements in a row.

    >>> fg.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy()
    array([1, 3, 2, 4])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      order: ``"C"``, the default, ``"A"`` or ``"K"``, row by row; ``"F"``, column by column.

    Returns:
      A vector of the dtype of a.

    Raises:
      ValueError: for another order.
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError(f"order must be 'C', 'A', 'K' or 'F', got {shown(order)}")
    a = array(a)
    return ops.reshape(ops.transpose(a) if order == "F" else a, [-1])


@public("experimental.numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """The array without axes of size 1.

    >>> fg.experimental.numpy.squeeze([[1], [2]]).numpy()
    array([1, 2])

    Args:
      a: a tensor of any dtype, or what converts to one; of any shape.
      axis: an int or a tuple of ints, which of them; None, the default, for all.

    Returns:
      A tensor of the dtype of a.

    Raises:
      InvalidArgumentError: for an axis of another size, or out of range.
    """
    return ops.squeeze(array(a), list(axis) if isinstance(axis, tuple) else axis)


@public("experimental.numpy.take")
@told
def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "clip") -> Any:
    """The elements at these places along an axis; None for all elements in a row.

    >>> fg.experimental.numpy.take([[1, 2], [3, 4]], [0, 3]).numpy()
    array([1, 4])

    Args:
      a: the array.
      indices: integers; what is outside counts as the nearest end with the mode "clip", from the
        other end with "wrap".
      axis: the axis.
      out: None.
      mode: "clip" or "wrap".

    Raises:
      ValueError: for another mode, or where ``out`` is given.
    """
    if out is not None:
        raise ValueError("`out` cannot be filled: tensors do not change")
    if mode not in ("clip", "wrap"):
        raise ValueError(f"mode must be 'clip' or 'wrap', got {shown(mode)}")
    a, indices = array(a), array(indices)
    if axis is None:
        a, axis = ops.reshape(a, [-1]), 0
    count = ops.cast(ops.shape(a)[axis], indices.dtype)
    clipped = ops.minimum(ops.maximum(indices, 0), count - 1)
    return ops.gather(a, indices % count if mode == "wrap" else clipped, axis=axis)


@public("experimental.numpy.compress")
def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """The parts along an axis where a condition holds.

    >>> fg.experimental.numpy.compress([True, False, True], [1, 2, 3]).numpy()
    array([1, 3])

    Args:
      condition: a vector of bools or numbers, or what converts to one; where it is shorter than the
        axis it does not hold behind its end.
      a: a tensor of any dtype, or what converts to one; of any shape.
      axis: an int; None, the default, for all elements in a row.

    Returns:
      A tensor of the dtype of a.

    Raises:
      ValueError: where the condition is no vector.
      InvalidArgumentError: where it holds behind the end of the axis, and for an axis out of range.
    """
    a, condition = array(a), ops.cast(array(condition), "bool")
    if condition.shape.rank not in (1, None):
        raise ValueError(f"compress: condition must be a vector, got shape {condition.shape}")
    condition = of_rank(condition, 1)
    if axis is None:
        a, axis = ops.reshape(a, [-1]), 0
    places = ops.reshape(ops.where(condition), [-1])
    return ops.gather(a, places, axis=axis)


@public("experimental.numpy.nonzero")
def nonzero(a: Any) -> list[Any]:
    """The places of the elements other than zero.

    >>> [i.numpy().tolist() for i in fg.experimental.numpy.nonzero([[0, 1], [2, 0]])]
    [[0, 1], [1, 0]]

    Args:
      a: a tensor of any dtype, or what converts to one; of known rank. A scalar counts as a vector.

    Returns:
      A list of int64 vectors, one for each axis.
    """
    a = at_least(array(a), 1)
    places = ops.where(ops.not_equal(a, ops.zeros_like(a)))
    return ops.unstack(places, a.shape.rank, axis=1)


@public("experimental.numpy.meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> list[Any]:
    """The coordinates of a grid over these vectors, an array for each.

    >>> [g.numpy().tolist() for g in fg.experimental.numpy.meshgrid([1, 2], [3])]
    [[[1, 2]], [[3, 3]]]

    Args:
      *xi: vectors.
      **kwargs: ``indexing``: "xy" (the second vector along the first axis, the default) or "ij";
        ``sparse=False`` and ``copy=True`` alone are known of the others.

    Raises:
      ValueError: for another indexing, or other keywords.
    """
    if kwargs.pop("sparse", False) or not kwargs.pop("copy", True):
        raise ValueError("meshgrid makes whole arrays: leave `sparse` and `copy` out")
    indexing = kwargs.pop("indexing", "xy")
    if kwargs:
        raise ValueError(f"meshgrid knows no keyword {sorted(kwargs)}")
    return ops.meshgrid(*(array(x) for x in xi), indexing=indexing)


@public("experimental.numpy.ix_")
def ix_(*args: Any) -> list[Any]:
    """Vectors of indices along an axis each, so that they broadcast to a grid.

    >>> [i.numpy().tolist() for i in fg.experimental.numpy.ix_([0, 1], [2])]
    [[[0], [1]], [[2]]]

    Args:
      *args: vectors of integers, or of bools, which select the places where they are true; or what
        converts to such.

    Returns:
      A list of tensors of as many axes as there are vectors, of their dtypes, int64 for bools.

    Raises:
      ValueError: for what is no vector.
    """
    made = []
    for number, one in enumerate(args):
        one = array(one)
        if one.shape.rank != 1:
            raise ValueError(f"ix_ takes vectors, got shape {one.shape}")
        if one.dtype.is_bool:
            one = ops.reshape(ops.where(one), [-1])
        made.append(ops.reshape(one, [-1 if i == number else 1 for i in range(len(args))]))
    return made


@public("experimental.numpy.select")
@told
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Of each place the element of the first choice whose condition holds there.

    >>> fg.experimental.numpy.select([[True, False]], [[1, 2]], 9).numpy()
    array([1, 9])

    Args:
      condlist: a list of tensors of bools or numbers, or of what converts to such.
      choicelist: a list of as many tensors, or of what converts to such, which broadcast with the
        conditions.
      default: the element where no condition holds; 0 by default.

    Returns:
      A tensor of the dtype that NumPy gives the choices and the default together.

    Raises:
      ValueError: where there are not as many conditions as choices.
      TypeError: for what is no list.
    """
    condlist = several(condlist, "select: condlist")
    choicelist = several(choicelist, "select: choicelist")
    if len(condlist) != len(choicelist):
        raise ValueError(f"{len(condlist)} conditions stand beside {len(choicelist)} choices")
    *choices, made = promoted(*choicelist, default)
    for condition, choice in builtins.reversed(list(zip(condlist, choices, strict=True))):
        made = selection.where(as_bools(condition), choice, made)
    return made
