"""Products of vectors and matrices, and diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..context.hooks import hooks
from ..ops import matrices, numeric
from ..ops._base import known_size
from ..ops._dispatch import told
from ..ops._numbers import whole
from ..ops._ranks import of_rank
from ..values.public import public
from .any_rank import count_of
from .arrangement import at_least, moveaxis
from .promotion import array, dtype_of, joined, promoted

__all__: list[str] = []


@public("experimental.numpy.dot")
def dot(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of ``a`` and the last but one of ``b``.

    A vector has one axis for both; with a scalar it gives the products of all elements.

    >>> fg.experimental.numpy.dot([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])

    Args:
      a, b: tensors of numbers, or what converts to such; of any shape, whose sizes there agree.

    Returns:
      A tensor of the dtype that NumPy gives both together.

    Raises:
      InvalidArgumentError: for another dtype, and sizes that do not fit.
    """
    a, b = promoted(a, b)

    def of_others() -> Any:
        rank = b.shape.rank
        if rank is not None:
            return ops.tensordot(a, b, [[-1], [max(rank - 2, 0)]])
        is_vector = ops.equal(ops.rank(b), 1)
        return hooks.cond(
            is_vector,
            lambda: ops.tensordot(a, of_rank(b, 1), [[-1], [0]]),
            lambda: ops.tensordot(a, b, [[-1], [-2]]),
        )

    return _unless_scalar(a, b, of_others)


def _unless_scalar(a: Any, b: Any, function: Any) -> Any:
    """The product of all elements where one is a scalar, else what the function gives."""
    ranks = a.shape.rank, b.shape.rank
    if 0 in ranks:
        return a * b
    unknown = [ops.equal(ops.rank(x), 0) for x in (a, b) if x.shape.rank is None]
    if not unknown:
        return function()
    return hooks.cond(ops.reduce_any(ops.stack(unknown)), lambda: a * b, function)


@public("experimental.numpy.inner")
def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axes; with a scalar the products of all elements.

    >>> int(fg.experimental.numpy.inner([1, 2], [3, 4]))
    11

    Args:
      a, b: tensors of numbers, or what converts to such; of any shape, whose last sizes agree.

    Returns:
      A tensor of the dtype that NumPy gives both together.

    Raises:
      InvalidArgumentError: for another dtype, and sizes that do not fit.
    """
    a, b = promoted(a, b)
    return _unless_scalar(a, b, lambda: ops.tensordot(a, b, [[-1], [-1]]))


@public("experimental.numpy.vdot")
def vdot(a: Any, b: Any) -> Any:
    """The sum of products of all elements, those of ``a`` conjugated.

    >>> int(fg.experimental.numpy.vdot([[1, 2]], [[3, 4]]))
    11

    Args:
      a, b: tensors of numbers, or what converts to such; of as many elements.

    Returns:
      A scalar of the dtype that NumPy gives both together.

    Raises:
      InvalidArgumentError: for another dtype, and sizes that do not fit.
    """
    a, b = joined(a, b)
    a, b = ops.reshape(a, [-1]), ops.reshape(b, [-1])
    return ops.reduce_sum((numeric.conj(a) if a.dtype.is_complex else a) * b)


@public("experimental.numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sum of products over axes of both.

    >>> int(fg.experimental.numpy.tensordot([1, 2], [3, 4], 1))
    11

    Args:
      a, b: tensors of numbers, or what converts to such; of any shape, whose sizes along these axes
        agree.
      axes: an int, how many of the last axes of a and the first ones of b; or a pair of lists of
        axes. 2 by default.

    Returns:
      A tensor of the dtype that NumPy gives both together.

    Raises:
      ValueError: for more axes than there are.
      InvalidArgumentError: for another dtype, and sizes that do not fit.
    """
    a, b = promoted(a, b)
    return ops.tensordot(a, b, axes)


@public("experimental.numpy.einsum")
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Sums of products over the axes that a letter names.

    >>> int(fg.experimental.numpy.einsum("i,i", [1, 2], [3, 4]))
    11

    Args:
      subscripts: a string such as ``"ij,jk->ik"``.
      *operands: tensors of numbers, or what converts to such, one for each term of subscripts.
      **kwargs: ``casting`` and ``optimize``, of no effect.

    Returns:
      A tensor of the dtype that NumPy gives the operands together.

    Raises:
      ValueError: for another keyword, and for subscripts without meaning.
      InvalidArgumentError: where a letter has two sizes.
    """
    unknown = kwargs.keys() - {"casting", "optimize"}
    if unknown:
        raise ValueError(f"einsum knows no keyword {sorted(unknown)}")
    return ops.einsum(subscripts, *joined(*operands))


@public("experimental.numpy.cross")
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """The vector product of vectors of 2 or 3 numbers along an axis.

    Of two vectors of 2 numbers it is the third number alone.

    >>> fg.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])

    Args:
      a, b: tensors of numbers, or what converts to such, whose other sizes broadcast.
      axisa, axisb: ints, the axis of the vectors of a and of b; the last one by default.
      axisc: an int, the axis of the vectors of the result; the last one by default.
      axis: an int for all three; None by default.

    Returns:
      A tensor of the dtype that NumPy gives both together.

    Raises:
      ValueError: where vectors have other sizes, and for an axis out of range.
      InvalidArgumentError: for another dtype, and sizes that do not broadcast.
    """
    a, b = promoted(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    sizes = known_size(a, -1), known_size(b, -1)
    if None in sizes:
        return _cross_of_any_size(a, b, axisc)
    if not {*sizes} <= {2, 3}:
        raise ValueError(f"cross takes vectors of 2 or 3 numbers, got {sizes[0]} and {sizes[1]}")
    a_parts, b_parts = _three(a), _three(b)
    third = a_parts[0] * b_parts[1] - a_parts[1] * b_parts[0]
    if sizes == (2, 2):
        return third
    first = a_parts[1] * b_parts[2] - a_parts[2] * b_parts[1]
    second = a_parts[2] * b_parts[0] - a_parts[0] * b_parts[2]
    return moveaxis(ops.stack([first, second, third], -1), -1, axisc)


def _cross_of_any_size(a: Any, b: Any, axis: int) -> Any:
    """The product of vectors whose sizes, and so the rank of it, are known when it runs."""
    sizes = [ops.shape(v)[-1] for v in (a, b)]
    for size in sizes:
        fits = ops.logical_or(ops.equal(size, 2), ops.equal(size, 3))
        ops.Assert(fits, ["cross takes vectors of 2 or 3 numbers, got", *sizes])
    is_flat = ops.logical_and(ops.equal(sizes[0], 2), ops.equal(sizes[1], 2))
    (x, y, z), (u, v, w) = (_padded(vectors) for vectors in (a, b))
    third = x * v - y * u

    def whole_vectors() -> Any:
        return moveaxis(ops.stack([y * w - z * v, z * u - x * w, third], -1), -1, axis)

    return hooks.cond(is_flat, lambda: third, whole_vectors)


def _padded(vectors: Any) -> list[Any]:
    """The three numbers of vectors, the last one 0 where there are two."""
    zero = ops.zeros_like(vectors[..., :1])
    return ops.unstack(ops.concat([vectors, zero], -1)[..., :3], 3, axis=-1)


def _three(vectors: Any) -> list[Any]:
    parts = ops.unstack(vectors, axis=-1)
    return parts if len(parts) == 3 else [*parts, ops.zeros_like(parts[0])]


@public("experimental.numpy.diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The ``offset``-th diagonals over two axes, along a new last axis.

    >>> fg.experimental.numpy.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])

    Args:
      a: a tensor of numbers or bools, or what converts to one; of rank 2 or more.
      offset: an int; a positive one is above the main diagonal. 0 by default.
      axis1, axis2: ints, the axes of the rows and of the columns; 0 and 1 by default.

    Returns:
      A tensor of the dtype of a, of one axis less.

    Raises:
      ValueError: for an axis out of range.
      TypeError: where offset is no integer.
    """
    offset = whole(offset, "diagonal: offset")
    a = moveaxis(array(a), (axis1, axis2), (-2, -1))
    rows, columns = known_size(a, -2), known_size(a, -1)
    if rows is None or columns is None:
        return _diagonal_of_any_size(a, offset)
    if not -rows < offset < columns:
        return ops.reduce_sum(a[..., :0], -2)
    return matrices.diag_part(a, k=offset)


def _diagonal_of_any_size(a: Any, offset: int) -> Any:
    """The diagonal of matrices that may be too small to have it, as places of their elements."""
    sizes = ops.shape(a)
    rows, columns = sizes[-2], sizes[-1]
    row, column = max(-offset, 0), max(offset, 0)
    steps = ops.range(ops.maximum(ops.minimum(rows - row, columns - column), 0))
    flat = ops.reshape(a, ops.concat([sizes[:-2], [rows * columns]], 0))
    return ops.gather(flat, (steps + row) * columns + steps + column, axis=-1)


@public("experimental.numpy.trace")
@told
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sums of the ``offset``-th diagonals over two axes.

    >>> int(fg.experimental.numpy.trace([[1, 2], [3, 4]]))
    5

    Args:
      a: a tensor of numbers, or what converts to one; of rank 2 or more.
      offset: an int; a positive one is above the main diagonal. 0 by default.
      axis1, axis2: ints, the axes of the rows and of the columns; 0 and 1 by default.
      dtype: the dtype that elements are cast to first; by default that of a.

    Returns:
      A tensor of that dtype, of two axes less than a.

    Raises:
      ValueError: for an axis out of range.
      TypeError: where offset is no integer.
      InvalidArgumentError: for bools.
    """
    found = diagonal(a, offset, axis1, axis2)
    return ops.reduce_sum(found if dtype is None else array(found, dtype_of(dtype)), -1)


@public("experimental.numpy.diag")
def diag(v: Any, k: int = 0) -> Any:
    """The matrix with a vector on its ``k``-th diagonal, or that diagonal of a matrix.

    >>> fg.experimental.numpy.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]])

    Args:
      v: a tensor of numbers or bools, or what converts to one; a vector or a matrix.
      k: an int; a positive one is above the main diagonal. 0 by default.

    Returns:
      A tensor of the dtype of v, a matrix for a vector and a vector for a matrix.

    Raises:
      ValueError: for another rank.
      TypeError: where k is no integer.
    """
    v, k = array(v), whole(k, "diag: k")
    if v.shape.rank is None:
        return hooks.cond(
            ops.equal(ops.rank(v), 1),
            lambda: matrices.diag(of_rank(v, 1), k=k),
            lambda: diagonal(of_rank(v, 2), k),
        )
    if v.shape.rank == 1:
        return matrices.diag(v, k=k)
    if v.shape.rank != 2:
        raise ValueError(f"diag takes a vector or a matrix, got shape {v.shape}")
    return diagonal(v, k)


@public("experimental.numpy.diagflat")
def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix with all elements on its ``k``-th diagonal.

    >>> fg.experimental.numpy.diagflat([[1], [2]]).numpy()
    array([[1, 0],
           [0, 2]])

    Args:
      v: a tensor of numbers or bools, or what converts to one; of any shape.
      k: an int; a positive one is above the main diagonal. 0 by default.

    Returns:
      A matrix of the dtype of v.

    Raises:
      TypeError: where k is no integer.
    """
    return diag(ops.reshape(array(v), [-1]), k)


@public("experimental.numpy.diag_indices")
def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """The indices of the main diagonal of an array whose axes have one size.

    >>> [i.numpy().tolist() for i in fg.experimental.numpy.diag_indices(2)]
    [[0, 1], [0, 1]]

    Args:
      n: an int, the size.
      ndim: an int, the number of axes; 2 by default.

    Returns:
      A tuple of int32 vectors, one for each axis.

    Raises:
      ValueError: where a number is negative.
      TypeError: where one is no integer.
    """
    n, ndim = whole(n, "diag_indices: n"), whole(ndim, "diag_indices: ndim")
    if n < 0 or ndim < 0:
        raise ValueError(f"diag_indices needs numbers that are not negative, got {n} and {ndim}")
    return (ops.range(n),) * ndim


@public("experimental.numpy.tri")
@told
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on the ``k``-th diagonal and below, zeros above.

    >>> fg.experimental.numpy.tri(2).numpy()
    array([[1., 0.],
           [1., 1.]])

    Args:
      N: an int, the number of rows.
      M: an int, the number of columns; as many as rows by default.
      k: an int; a positive one is above the main diagonal. 0 by default.
      dtype: the dtype, float64 by default.

    Returns:
      A matrix of that dtype.

    Raises:
      InvalidArgumentError: for a negative size.
      TypeError: for what is no dtype.
    """
    rows, columns = count_of(N), count_of(N if M is None else M)
    rows, columns = ops.range(rows)[:, None], ops.range(columns)[None, :]
    return ops.cast(columns - rows <= k, dtype_of(float if dtype is None else dtype))


@public("experimental.numpy.polyval")
@told
def polyval(p: Any, x: Any) -> Any:
    """The value of a polynomial.

    >>> int(fg.experimental.numpy.polyval([1, 2], 3))
    5

    Args:
      p: a vector of numbers, or what converts to one: the coefficients, the highest power first,
        one at least.
      x: a tensor of numbers, or what converts to one; of any shape.

    Returns:
      A tensor of the dtype that NumPy gives both together and the shape of x.

    Raises:
      ValueError: where there are no coefficients.
    """
    p, x = promoted(p, x)
    first, *others = ops.unstack(at_least(p, 1))
    made = ops.zeros_like(x) + first
    for coefficient in others:
        made = made * x + coefficient
    return made


@public("experimental.numpy.vander")
@told
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of each number in a row.

    >>> fg.experimental.numpy.vander([2, 3]).numpy()
    array([[2, 1],
           [3, 1]])

    Args:
      x: a vector of numbers, or what converts to one.
      N: an int, how many powers; by default as many as there are numbers.
      increasing: a bool, whether powers go up from 0; False, the default, has them go down to 0.

    Returns:
      A matrix of the dtype of x.

    Raises:
      ValueError: for what is no vector, or a negative N.
    """
    x = array(x)
    count = x.shape[0] if N is None else N
    if x.shape.rank != 1 or count is None or count < 0:
        raise ValueError(f"vander takes a vector and N of 0 or more, got {x.shape} and {N}")
    powers = ops.range(count) if increasing else ops.range(count - 1, -1, -1)
    return ops.pow(ops.expand_dims(x, 1), ops.cast(powers, x.dtype))


@public("experimental.numpy.angle")
def angle(z: Any, deg: bool = False) -> Any:
    """The angles of complex numbers.

    >>> fg.experimental.numpy.angle([1j], deg=True).numpy()
    array([90.])

    Args:
      z: a tensor of numbers or bools, or what converts to one; of any shape.
      deg: a bool, whether they are in degrees; False, the default, gives radians.

    Returns:
      A tensor of the shape of z, of float64 for complex128, else of float32.

    Raises:
      UnimplementedError: for strings.
    """
    z = array(z)
    made = numeric.angle(z if z.dtype.is_complex else ops.cast(z, np.float32))
    return made * (180 / np.pi) if deg else made
