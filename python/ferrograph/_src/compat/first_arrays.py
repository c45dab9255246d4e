"""Functions of ``compat.v1`` on arrays and variables: the current ones with the old argument
order."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import random_ops
from ..ops.sorting import in_top_k as in_top_k_of
from ..sparse.build import concat
from ..values.dtypes import as_dtype, float32

__all__ = [
    "Dimension",
    "assign_add",
    "assign_sub",
    "boolean_mask",
    "gather",
    "gather_nd",
    "in_top_k",
    "pad",
    "random_normal_initializer",
    "random_uniform_initializer",
    "sparse_concat",
]


class Dimension:
    """A size of a static shape, or None. Shapes give plain numbers: nothing makes one."""

    def __init__(self, value: Any):
        self.value = None if value is None else int(value)

    def __index__(self) -> int:
        return int(self.value)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if isinstance(other, Dimension) else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Add to a variable; the variable."""
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: Any = None) -> Any:
    """Subtract from a variable; the variable."""
    return ref.assign_sub(value, name=name)


def boolean_mask(tensor: Any, mask: Any, name: Any = "boolean_mask", axis: Any = None) -> Any:
    """The slices of a tensor where the mask is True."""
    return ops.boolean_mask(tensor, mask, axis, name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """The slices of a tensor along an axis at these indices."""
    return ops.gather(params, indices, validate_indices, axis, batch_dims, name)


def gather_nd(params: Any, indices: Any, name: Any = None, batch_dims: int = 0) -> Any:
    """The slices of a tensor at coordinates."""
    return ops.gather_nd(params, indices, batch_dims, name)


def in_top_k(predictions: Any, targets: Any, k: Any, name: Any = None) -> Any:
    """Whether the class of each row is among its ``k`` largest predictions."""
    return in_top_k_of(targets, predictions, k, name)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: Any = None, constant_values: Any = 0
) -> Any:
    """A tensor with places added along each axis."""
    return ops.pad(tensor, paddings, mode, constant_values, name)


def sparse_concat(
    axis: int,
    sp_inputs: Any,
    name: Any = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> Any:
    """Sparse tensors joined along an axis."""
    expands = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    return concat(axis if concat_dim is None else concat_dim, sp_inputs, expands, name)


class _Drawing:
    """An initialiser that draws with the seed that operations have."""

    def __init__(self, first: Any, second: Any, seed: Any, dtype: Any):
        self._first, self._second, self._seed = first, second, seed
        self._dtype = as_dtype(dtype)

    def _draw(self, shape: Any, dtype: Any) -> Any:
        raise NotImplementedError

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Numbers of that shape."""
        return self._draw(shape, self._dtype if dtype is None else as_dtype(dtype))


class random_normal_initializer(_Drawing):
    """Draws from the normal distribution."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None, dtype: Any = float32
    ):
        super().__init__(mean, stddev, seed, dtype)

    def _draw(self, shape: Any, dtype: Any) -> Any:
        return random_ops.normal(shape, self._first, self._second, dtype, self._seed)


class random_uniform_initializer(_Drawing):
    """Draws evenly from ``minval`` up to ``maxval``."""

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = float32
    ):
        super().__init__(minval, maxval, seed, dtype)

    def _draw(self, shape: Any, dtype: Any) -> Any:
        return random_ops.uniform(shape, self._first, self._second, dtype, self._seed)
