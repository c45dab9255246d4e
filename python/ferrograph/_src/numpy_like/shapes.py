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
    """The number of axes, a Python integer where it is known.

    >>> fg.experimental.numpy.ndim([[1, 2]])
    2
    """
    a = array(a)
    return ops.rank(a) if a.shape.rank is None else a.shape.rank


@public("experimental.numpy.shape")
def shape(a: Any) -> Any:
    """The sizes of the axes: a shape where they are known, else a tensor.

    >>> fg.experimental.numpy.shape([[1, 2]])
    TensorShape([1, 2])
    """
    a = array(a)
    return a.shape if a.shape.is_fully_defined() else ops.shape(a)


@public("experimental.numpy.size")
@told
def size(x: Any, axis: Any = None) -> Any:
    """The number of elements: a number of NumPy where it is known, else a tensor.

    >>> int(fg.experimental.numpy.size([[1, 2]]))
    2

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
    """The arrays, scalars as vectors; one array by itself, several in a list.

    >>> fg.experimental.numpy.atleast_1d(3).numpy()
    array([3])
    """
    return _each(arys, lambda a: at_least(a, 1))


@public("experimental.numpy.atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    """The arrays with axes of size 1 before the others, up to two; several in a list.

    >>> fg.experimental.numpy.atleast_2d([1, 2]).numpy()
    array([[1, 2]])
    """
    return _each(arys, lambda a: at_least(a, 2))


@public("experimental.numpy.atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """The arrays with three axes: vectors as ``(1, n, 1)``, matrices as ``(m, n, 1)``.

    >>> fg.experimental.numpy.atleast_3d([1, 2]).shape
    TensorShape([1, 2, 1])
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
    """
    return ops.broadcast_to(_array(array), sizes_of(shape))


_array = array


@public("experimental.numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Any]:
    """The arrays in the shape that they have together.

    >>> [a.numpy().tolist() for a in fg.experimental.numpy.broadcast_arrays([1, 2], [[3]])]
    [[[1, 2]], [[3, 3]]]

    Raises:
      ValueError: for an argument by keyword but ``subok=False``.
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
    """
    return ops.concat([_in_depth(m) for m in joined(*_listed(tup, "dstack"))], 2)


@public("experimental.numpy.append")
@told
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """The values behind those of ``arr`` along an axis; None for all elements in a row.

    >>> fg.experimental.numpy.append([1, 2], 3).numpy()
    array([1, 2, 3])
    """
    made = joined(array(arr), array(values))
    if axis is None:
        made, axis = [ops.reshape(m, [-1]) for m in made], 0
    return ops.concat(made, axis)


@public("experimental.numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts of one size, or parts that end before these places of an axis.

    >>> [p.numpy().tolist() for p in fg.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]

    Raises:
      ValueError: where the axis does not split into so many parts of one size.
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
    """
    return split(ary, indices_or_sections, 0)


@public("experimental.numpy.hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """The parts of ``split`` along the second axis, those of a vector along its own.

    >>> [p.numpy().tolist() for p in fg.experimental.numpy.hsplit([1, 2], 2)]
    [[1], [2]]
    """
    ary = array(ary)
    return split(ary, indices_or_sections, 0 if ary.shape.rank == 1 else 1)


@public("experimental.numpy.dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """The parts of ``split`` along the third axis.

    >>> len(fg.experimental.numpy.dsplit([[[1, 2]]], 2))
    2
    """
    return split(ary, indices_or_sections, 2)


@public("experimental.numpy.ravel")
def ravel(a: Any) -> Any:
    """All elements in a row.

    >>> fg.experimental.numpy.ravel([[1], [2]]).numpy()
    array([1, 2])
    """
    return ops.reshape(array(a), [-1])


@public("experimental.numpy.flatten")
@told
def flatten(a: Any, order: str = "C") -> Any:
    """All elements in a row, row by row; column by column in the order "F".

    >>> fg.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy()
    array([1, 3, 2, 4])

    Raises:
      ValueError: for another order.
    """
    if order not in ("C", "A", "K", "F"):
        raise ValueError(f"order must be 'C', 'A', 'K' or 'F', got {shown(order)}")
    a = array(a)
    return ops.reshape(ops.transpose(a) if order == "F" else a, [-1])


@public("experimental.numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """The array without axes of size 1, or without these of them.

    >>> fg.experimental.numpy.squeeze([[1], [2]]).numpy()
    array([1, 2])
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
    """The parts along an axis where the condition holds; None for all elements in a row.

    A condition that is shorter than the axis does not hold behind its end.

    >>> fg.experimental.numpy.compress([True, False, True], [1, 2, 3]).numpy()
    array([1, 3])
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
    """The places of the elements other than zero: a vector of indices for each axis.

    >>> [i.numpy().tolist() for i in fg.experimental.numpy.nonzero([[0, 1], [2, 0]])]
    [[0, 1], [1, 0]]
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

    Bools select the places where they are true.

    >>> [i.numpy().tolist() for i in fg.experimental.numpy.ix_([0, 1], [2])]
    [[[0], [1]], [[2]]]

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

    Raises:
      ValueError: where there are not as many conditions as choices.
    """
    condlist = several(condlist, "select: condlist")
    choicelist = several(choicelist, "select: choicelist")
    if len(condlist) != len(choicelist):
        raise ValueError(f"{len(condlist)} conditions stand beside {len(choicelist)} choices")
    *choices, made = promoted(*choicelist, default)
    for condition, choice in builtins.reversed(list(zip(condlist, choices, strict=True))):
        made = selection.where(as_bools(condition), choice, made)
    return made
