"""Products of matrices at the places of a sparse tensor."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops.matrices import matrix_transpose
from ..values.dtypes import dtype_or, float32
from ..values.errors import shown
from ..values.public import public

__all__ = ["sampled_addmm"]


@public("sparse.sampled_addmm")
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = float32,
) -> tuple[Any, ...]:
    """``alpha * (mat1 @ mat2) + beta * values`` at coordinates alone.

    >>> found = fg.sparse.sampled_addmm(
    ...     [[0, 0], [1, 1]], [1.0, 2.0], [2, 2], [[1.0], [2.0]], [[3.0, 4.0]], beta=10.0
    ... )
    >>> found[1].numpy().tolist()
    [13.0, 28.0]

    Args:
      indices: rows and columns, the last axis of integers; axes before the last two are a batch.
      values: a number for each place.
      dense_shape: the shape of the product.
      mat1: matrices of floats.
      mat2: likewise.
      beta: what ``values`` are multiplied by.
      alpha: what the product is multiplied by.
      output_type: the dtype of the numbers that are computed.

    Returns:
      ``indices``, the numbers, ``dense_shape``.

    Raises:
      ValueError: where ``dense_shape`` is not that of the product.
    """
    dtype = dtype_or(output_type, float32)
    indices, dense_shape = _core.convert_to_tensor(indices), _core.convert_to_tensor(dense_shape)
    mat1, mat2, values = (ops.cast(v, dtype) for v in (mat1, mat2, values))
    known = dense_shape._constant_value()
    _expect_shape(None if known is None else known.numpy().tolist(), mat1.shape, mat2.shape)
    outer = indices.shape.rank - 2 if indices.shape.rank is not None else 0
    rows = ops.gather(mat1, indices[..., 0], axis=-2, batch_dims=outer)
    columns = ops.gather(matrix_transpose(mat2), indices[..., 1], axis=-2, batch_dims=outer)
    product = ops.reduce_sum(rows * columns, -1)
    alpha, beta = (_core.convert_to_tensor(v, dtype) for v in (alpha, beta))
    return indices, alpha * product + beta * values, dense_shape


def _expect_shape(wanted: list[Any] | None, first: Any, second: Any) -> None:
    """ValueError where the product of two matrices is known not to have the sizes wanted."""
    if wanted is None or first.rank is None or second.rank is None:
        return
    made = [first[-2], second[-1]]
    pairs = zip(made, wanted[-2:], strict=False)
    if len(wanted) < 2 or any(one not in (None, size) for one, size in pairs):
        raise ValueError(
            f"dense_shape must end in {made}, the shape of the product, got {shown(wanted)}"
        )
