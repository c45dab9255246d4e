"""Sparse tensors made of features, and as bytes."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..ops._dispatch import told
from ..sparse import build
from ..sparse.tensor import SparseTensor
from ..values.dtypes import as_dtype, dtype_or, int64, string
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .wanted import index_keys

__all__ = ["deserialize_many_sparse", "merged", "serialize_many_sparse", "serialize_sparse"]


def merged(feature: Any, sparse: dict[str, SparseTensor]) -> SparseTensor:
    """The sparse tensor whose coordinates and values features hold."""
    keys = index_keys(feature)
    sizes = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
    if len(sizes) != len(keys):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    values = sparse[feature.value_key]
    columns = [values.indices[:, :-1]]
    columns += [ops.expand_dims(sparse[key].values, 1) for key in keys]
    indices = ops.concat(columns, 1)
    wanted = _core.convert_to_tensor([int(size) for size in sizes], int64)
    shape = ops.concat([values.dense_shape[:-1], wanted], 0)
    made = SparseTensor(indices, values.values, shape)
    return made if feature.already_sorted else build.reorder(made)


def _parts(sp_input: Any) -> tuple[Any, Any, Any]:
    if not isinstance(sp_input, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {shown(sp_input)}")
    return sp_input.indices, sp_input.values, sp_input.dense_shape


def _check_out(out_type: Any) -> None:
    if dtype_or(out_type, string) != string:
        raise ValueError(
            f"out_type must be string here, got {shown(out_type)}: variants hold no parts"
        )


@public("io.serialize_sparse")
@told
def serialize_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Any:
    """A sparse tensor as a vector of three strings: its coordinates, values and shape, serialised.

    >>> parts = fg.io.serialize_sparse(fg.sparse.from_dense([[0, 3]]))
    >>> fg.io.parse_tensor(parts[1], fg.int32).numpy()
    array([3], dtype=int32)

    Args:
      sp_input: a sparse tensor.
      out_type: string.
      name: a name for the operation.
    """
    _check_out(out_type)
    return _core.emit("SerializeSparse", _parts(sp_input), None, name)


@public("io.serialize_many_sparse")
@told
def serialize_many_sparse(sp_input: Any, out_type: Any = string, name: str | None = None) -> Any:
    """The rows of a sparse tensor as strings, three for each: ``[rows, 3]``.

    >>> fg.io.serialize_many_sparse(fg.sparse.from_dense([[0, 3], [1, 0]])).shape
    TensorShape([2, 3])

    Args:
      sp_input: a sparse tensor, whose coordinates are in order.
      out_type: string.
      name: a name for the operation.
    """
    _check_out(out_type)
    return _core.emit("SerializeManySparse", _parts(sp_input), None, name)


@public("io.deserialize_many_sparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor whose rows were serialised: the rows of one, or one tensor in each.

    >>> rows = fg.io.serialize_many_sparse(fg.sparse.from_dense([[0, 3], [1, 0]]))
    >>> fg.sparse.to_dense(fg.io.deserialize_many_sparse(rows, fg.int32)).numpy().tolist()
    [[0, 3], [1, 0]]

    Args:
      serialized_sparse: strings of shape ``[rows, 3]``.
      dtype: the dtype of the values.
      rank: the number of dimensions of the result, where it is known.
      name: a name for the operation.
    """
    inputs = (_core.convert_to_tensor(serialized_sparse, string),)
    attrs = {"dtype": as_dtype(dtype)}
    indices, values, shape = _core.emit("DeserializeManySparse", inputs, attrs, name)
    if rank is not None:
        indices = _of_rank(indices, [None, rank])
        shape = _of_rank(shape, [rank])
    return SparseTensor(indices, values, shape)


def _of_rank(tensor: Any, shape: list[int | None]) -> Any:
    if not tensor.shape.is_compatible_with(TensorShape(shape)):
        raise ValueError(
            f"Tensor's shape {tensor.shape} is not compatible with supplied shape {shape}."
        )
    return ops.ensure_shape(tensor, shape)
