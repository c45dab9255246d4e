"""Norms, diagonals, bands and other functions of matrices made of simpler operations."""

from __future__ import annotations

import builtins

from ..hints import Any
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    convert_pair,
    emit,
    known_size,
    rank_of,
    refined,
    refusal,
)
from ._numbers import flag, real, wholes
from ._ranks import of_one_shape
from .arithmetic import divide, equal, floormod, greater, logical_and, multiply, pow, subtract
from .arrays import concat, expand_dims, rank, reshape, roll, shape, stack, transpose
from .creation import range
from .elementwise import abs, sqrt
from .numeric import cast
from .reductions import reduce_all, reduce_max, reduce_sum


@public("linalg.norm", "norm")
def norm(
    tensor: TensorLike,
    ord: str = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
) -> Tensor:
    """The norm of vectors, of matrices, or of a whole tensor taken as one vector.

    >>> fg.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
    array([ 5., 10.], dtype=float32)

    Args:
      tensor: a tensor of floats or complex numbers.
      ord: for vectors "euclidean", 1, 2, any positive number p, or infinity; for matrices
        "euclidean",
        "fro" (the same), 1 (the largest column sum), 2 (the largest singular value) or infinity
        (the largest row sum).
      axis: an integer for vectors, two for matrices, None for the whole tensor.
      keepdims: whether reduced axes stay, with size 1.
      name: a name for the operation.

    Returns:
      a tensor of the dtype of ``tensor``; of complex numbers floats, unless the norm is the
      Euclidean one.

    Raises:
      ValueError: for another norm.
    """
    tensor, keepdims = convert(tensor), flag(keepdims, "norm: keepdims")
    if not isinstance(ord, str):
        ord = real(ord, "norm: ord", ValueError)
    if getattr(axis, "ndim", 0):
        axis = wholes(axis, "norm: axis")
    if isinstance(axis, (list, tuple)) and len(axis) == 2:
        return _matrix_norm(tensor, ord, list(axis), keepdims, name)
    if isinstance(axis, (list, tuple)):
        raise ValueError(f"axis must be None, an integer, or two of them, got {shown(axis)}")
    if ord in ("euclidean", 2):
        return _euclidean(tensor, axis, keepdims, name)
    size = abs(tensor)
    if ord == 1:
        return reduce_sum(size, axis, keepdims, name)
    if ord == float("inf"):
        return reduce_max(size, axis, keepdims, name)
    if isinstance(ord, str) or not ord > 0:
        raise ValueError(f"there is no vector norm {shown(ord)}")
    return pow(reduce_sum(pow(size, ord), axis, keepdims), 1.0 / ord, name)


def _euclidean(tensor: Any, axis: Any, keepdims: bool, name: Any) -> Tensor:
    """The root of the sum of squares, in the dtype of the tensor."""
    size = abs(tensor) if tensor.dtype.is_complex else tensor
    length = sqrt(reduce_sum(multiply(size, size), axis, keepdims), name)
    return cast(length, tensor.dtype) if tensor.dtype.is_complex else length


def _matrix_norm(tensor: Any, ord: Any, axis: Any, keepdims: Any, name: Any) -> Any:
    if ord in ("euclidean", "fro"):
        return _euclidean(tensor, axis, keepdims, name)
    if ord == 2:
        return _largest_singular_value(tensor, axis, keepdims, name)
    if ord not in (1, float("inf")):
        raise ValueError(f"there is no matrix norm {shown(ord)} here")
    added, compared = axis if ord == 1 else reversed(axis)
    out = reduce_max(reduce_sum(abs(tensor), added, True), compared, True)
    return out if keepdims else emit("Squeeze", (out,), {"squeeze_dims": axis}, name)


def _largest_singular_value(tensor: Any, axis: list[Any], keepdims: bool, name: Any) -> Any:
    """The spectral norm; another order of the two axes has the same."""
    count = tensor.ndim
    if count is None:
        raise ValueError("the matrix norm 2 needs a tensor of known rank")
    last = sorted(a % count for a in axis)
    others = [a for a in builtins.range(count) if a not in last]
    matrices = transpose(tensor, others + last)
    values, _, _ = emit("Svd", (matrices,), {"compute_uv": False, "full_matrices": False})
    largest = reduce_max(values, -1, name=name)
    if not keepdims:
        return largest
    for at in last:
        largest = expand_dims(largest, at)
    return largest


@public("linalg.normalize")
def normalize(
    tensor: TensorLike, ord: str = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    """A tensor divided by its norm, and the norm.

    >>> [t.numpy().tolist() for t in fg.linalg.normalize([3.0, 4.0])]
    [[0.6000000238418579, 0.800000011920929], [5.0]]

    Args:
      tensor: a tensor of floats or complex numbers, or what converts to one; of any shape.
      ord: which norm, a string or a number, as ``norm`` takes it; "euclidean" by default.
      axis: an int for vectors, two for matrices; the whole tensor as one vector unless told.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``tensor``, and the norm, whose reduced axes have size
        1.

    Raises:
      ValueError: for another norm.
      InvalidArgumentError: for another dtype.
    """
    tensor = convert(tensor)
    length = norm(tensor, ord, axis, keepdims=True)
    return divide(tensor, cast(length, tensor.dtype), name), length


@public("linalg.matrix_transpose")
def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Matrices with rows for columns: the last two axes exchanged.

    >>> fg.linalg.matrix_transpose([[[1, 2], [3, 4]]]).numpy().tolist()
    [[[1, 3], [2, 4]]]

    Args:
      a: a tensor of rank 2 or more, or what converts to one.
      name: a name for the operation, "matrix_transpose" by default.
      conjugate: whether to take complex conjugates as well, a bool; False by default.

    Returns:
      A tensor of the dtype of ``a``.

    Raises:
      ValueError: where the rank is below 2.
    """
    a = convert(a)
    axes = a.ndim
    if axes is None:
        count = rank(a)
        perm: Any = concat([range(count - 2), stack([count - 1, count - 2])], 0)
    elif axes < 2:
        raise ValueError(f"matrix_transpose needs rank 2 or more, got shape {a.shape}")
    else:
        perm = [*builtins.range(axes - 2), axes - 1, axes - 2]
    return transpose(a, perm, conjugate, name)


@public("linalg.adjoint")
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate transpose of the last two axes.

    >>> fg.linalg.adjoint([[1 + 1j, 2j]]).numpy()
    array([[1.-1.j],
           [0.-2.j]])

    Args:
      matrix: a tensor of rank 2 or more, or what converts to one.
      name: a name for the operation, "adjoint" unless told.

    Returns:
      A tensor of the dtype of ``matrix``.

    Raises:
      ValueError: where the rank is below 2.
    """
    return matrix_transpose(matrix, name or "adjoint", conjugate=True)


@public("linalg.band_part")
def band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """Matrices with what lies outside of a band about the diagonal set to zero.

    >>> fg.linalg.band_part([[1, 2], [3, 4]], 0, -1).numpy().tolist()
    [[1, 2], [0, 4]]

    Args:
      input: a tensor of rank 2 or more.
      num_lower: how many subdiagonals to keep, all of them if negative.
      num_upper: how many superdiagonals to keep, likewise.
      name: a name for the operation.
    """
    return emit("MatrixBandPart", (input, num_lower, num_upper), None, name)


@public("linalg.diag")
def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: Any = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the last axis of ``diagonal`` on diagonal ``k`` and ``padding_value``
    elsewhere.

    >>> fg.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]

    Args:
      diagonal: a tensor of rank 1 or more; with several diagonals the last two axes hold them as
        rows.
      name: a name for the operation.
      k: which diagonal: 0 the main one, positive above, negative below; or the lowest and the
        highest.
      num_rows: the number of rows; the least that hold the diagonals unless told.
      num_cols: the number of columns, likewise.
      padding_value: what stands elsewhere.
      align: on which side superdiagonals and subdiagonals stand in their rows.
    """
    diagonal = convert(diagonal)
    padding = cast(padding_value, diagonal.dtype)
    inputs = (diagonal, k, num_rows, num_cols, padding)
    return emit("MatrixDiagV3", inputs, {"align": align}, name)


@public("linalg.diag_part")
def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Diagonal ``k`` of the last two axes, or several as rows, the uppermost first.

    >>> fg.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)

    Args:
      input: a tensor of rank 2 or more.
      name: a name for the operation.
      k: which diagonal: 0 the main one, positive above, negative below; or the lowest and the
        highest.
      padding_value: what fills up shorter diagonals.
      align: on which side superdiagonals and subdiagonals stand in their rows.
    """
    input = convert(input)
    padding = cast(padding_value, input.dtype)
    return emit("MatrixDiagPartV3", (input, k, padding), {"align": align}, name)


@public("linalg.set_diag")
def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with diagonal ``k`` replaced.

    >>> fg.linalg.set_diag([[1, 2], [3, 4]], [8, 9]).numpy().tolist()
    [[8, 2], [3, 9]]

    Args:
      input: a tensor of rank 2 or more.
      diagonal: its new diagonals; several of them as rows, as ``diag_part`` gives them.
      name: a name for the operation.
      k: which diagonal: 0 the main one, positive above, negative below; or the lowest and the
        highest.
      align: on which side superdiagonals and subdiagonals stand in their rows.
    """
    input, diagonal = convert_pair(input, diagonal)
    return emit("MatrixSetDiagV3", (input, diagonal, k), {"align": align}, name)


@public("linalg.tensor_diag")
def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with ``diagonal`` where both halves of the coordinates agree,
    else 0.

    >>> fg.linalg.tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]

    Args:
      diagonal: a tensor of numbers or bools, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``diagonal``, of its shape twice over.

    Raises:
      UnimplementedError: for strings.
    """
    diagonal = convert(diagonal)
    matrix = diag(reshape(diagonal, [-1]))
    sizes = shape(diagonal)
    return reshape(matrix, concat([sizes, sizes], 0), name)


@public("linalg.tensor_diag_part")
def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """What ``tensor_diag`` was made of: the elements where both halves of the coordinates agree.

    >>> fg.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)

    Args:
      input: a tensor of numbers or bools, or what converts to one; of an even rank above 0, its
        first half of sizes repeated.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input`` and half its rank.

    Raises:
      ValueError: where the rank is odd, and while tracing where the sizes of both halves differ.
      InvalidArgumentError: where they differ when it runs.
      UnimplementedError: for strings.
    """
    input = convert(input)
    axes, sizes = rank_of(input), shape(input)
    _check_halves(input, axes, sizes)
    half = sizes[: axes // 2]
    side = emit("Prod", (half, [0]), None, None)
    part = reshape(diag_part(reshape(input, stack([side, side]))), half, name)
    if input.ndim is None:
        return part
    return refined(part, *(n if m is None else m for m, n in _halves(input)))


def _halves(input: Any) -> list[tuple[Any, ...]]:
    """The size of each axis of the first half, as far as it is known, with that of the second."""
    known = input.shape.as_list()
    half = len(known) // 2
    return list(zip(known[:half], known[half:], strict=True))


def _check_halves(input: Any, axes: Any, sizes: Any) -> None:
    """Whether the first half of the axes has the sizes of the second: now, or when it runs."""
    what = "tensor_diag_part takes an even rank, twice the same sizes"
    if axes is not input.ndim:
        even = logical_and(greater(axes, 0), equal(floormod(axes, 2), 0))
        emit("Assert", (even, convert(f"{what}, got the rank"), axes), {"summarize": 3}, None)
    elif not axes or axes % 2:
        raise ValueError(f"{what}, got shape {input.shape}")
    pairs = [] if input.ndim is None else _halves(input)
    if any(m != n and None not in (m, n) for m, n in pairs):
        raise refusal(f"{what}, got shape {input.shape}")
    if input.shape.is_fully_defined():
        return
    same = reduce_all(equal(sizes[: axes // 2], sizes[axes // 2 :]))
    emit("Assert", (same, convert(f"{what}, got"), sizes), {"summarize": 9}, None)


@public("linalg.trace")
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of the last two axes.

    >>> fg.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)

    Args:
      x: a tensor of numbers, or what converts to one; of rank 2 or more.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``x``, without the last two axes.

    Raises:
      InvalidArgumentError: for bools, and where the rank is below 2.
    """
    return reduce_sum(diag_part(x), -1, False, name)


def _of_three(vectors: Tensor) -> Tensor:
    """Vectors that have 3 elements when it runs."""
    if known_size(vectors, -1) == 3:
        return vectors
    return reshape(vectors, concat([shape(vectors)[:-1], [3]], 0))


@public("linalg.cross")
def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The vector product over the last axis, which has size 3. An operand of which a trace does not
    know the rank takes the shape of the other.

    >>> fg.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)

    Args:
      a: a tensor of numbers, or what converts to one; ``[..., 3]``.
      b: another one of the same dtype, whose shape broadcasts with that of ``a``.
      name: a name for the operation.

    Returns:
      A tensor of that dtype and of the shape that both broadcast to.

    Raises:
      InvalidArgumentError: where the last axis has another size, and for another dtype; ValueError
        while the size is traced.
    """
    a, b = of_one_shape(convert_pair(a, b))
    for operand in (a, b):
        if known_size(operand, -1) not in (3, None):
            raise refusal(f"a vector product needs vectors of 3, got shape {operand.shape}")
    a, b = (_of_three(operand) for operand in (a, b))
    left = multiply(roll(a, -1, -1), roll(b, -2, -1))
    return subtract(left, multiply(roll(a, -2, -1), roll(b, -1, -1)), name)
