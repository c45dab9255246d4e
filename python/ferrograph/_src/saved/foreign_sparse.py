"""Rules for operations on the parts of sparse and ragged tensors: see ``foreign``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ragged import build as ragged_build
from ..ragged.tensor import RaggedTensor
from ..sparse import arithmetic, build, distances, sets
from ..sparse.tensor import SparseTensor
from ..values.dtypes import int64

__all__ = ["RULES"]

# So many results an operation has at most.
_MOST_PARTS = 1 << 12

Tensors = list[Any]
Attributes = dict[str, Any]


def _parts(sparse: SparseTensor) -> tuple[Any, ...]:
    return sparse.indices, sparse.values, sparse.dense_shape


def _concat(x: Tensors, a: Attributes) -> Any:
    n = len(x) // 3
    parts = zip(x[:n], x[n : 2 * n], x[2 * n :], strict=True)
    return _parts(build.concat(a["concat_dim"], [SparseTensor(*p) for p in parts]))


def _split(x: Tensors, a: Attributes) -> Any:
    axis = int(_known(x[0], "split_dim"))
    if a["num_split"] > _MOST_PARTS:
        raise NotImplementedError(f"a tensor of {a['num_split']} parts")
    made = [_parts(s) for s in build.split(SparseTensor(*x[1:]), a["num_split"], axis)]
    return tuple([part[i] for part in made] for i in range(3))


def _known(value: Any, what: str) -> Any:
    """The value of a constant. NotImplementedError where it is computed."""
    found = value._constant_value()
    if found is None:
        raise NotImplementedError(f"{what} is computed")
    return found.numpy()


def _reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(x: Tensors, a: Attributes) -> Any:
        axes = [int(i) for i in _known(x[3], "reduction_axes").reshape(-1)]
        return function(SparseTensor(*x[:3]), axes, a.get("keep_dims", False))

    return rule


def _filled(x: Tensors, a: Attributes) -> Any:
    filled, is_empty = build.fill_empty_rows(SparseTensor(*x[:3]), x[3])
    rows = x[0][:, 0]
    # What stands in row i is behind the rows before it that had nothing.
    before = ops.cumsum(ops.cast(is_empty, int64))
    places = ops.range(ops.shape(rows, int64)[0]) + ops.gather(before, rows)
    return filled.indices, filled.values, is_empty, places


def _sliced(x: Tensors, a: Attributes) -> Any:
    return _parts(build.slice(SparseTensor(*x[:3]), x[3], x[4]))


def _softmax(x: Tensors, a: Attributes) -> Any:
    return arithmetic.softmax(SparseTensor(*x)).values


def _reordered(x: Tensors, a: Attributes) -> Any:
    return _parts(build.reorder(SparseTensor(*x)))[:2]


def _reshaped(x: Tensors, a: Attributes) -> Any:
    zeros = ops.zeros([ops.shape(x[0])[0]])
    made = build.reshape(SparseTensor(x[0], zeros, x[1]), x[2])
    return made.indices, made.dense_shape


def _dense(x: Tensors, a: Attributes) -> Any:
    places, shape, values, default = x
    if places.shape.rank is None or values.shape.rank is None:
        raise NotImplementedError("places whose rank is not known")
    if places.shape.rank < 2:
        places = ops.reshape(places, [-1, 1])
    if values.shape.rank == 0:
        values = ops.fill([ops.shape(places)[0]], values)
    sparse = SparseTensor(ops.cast(places, int64), values, ops.cast(shape, int64))
    return build.to_dense(sparse, default, a.get("validate_indices", True))


def _added(x: Tensors, a: Attributes) -> Any:
    return _parts(arithmetic.add(SparseTensor(*x[:3]), SparseTensor(*x[3:6]), x[6]))


def _added_densely(x: Tensors, a: Attributes) -> Any:
    return arithmetic.add(SparseTensor(*x[:3]), x[3])


def _joined(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(x: Tensors, a: Attributes) -> Any:
        return _parts(function(SparseTensor(*x[:3]), SparseTensor(*x[3:])))[:2]

    return rule


def _segments(function: Callable[..., Any], is_counted: bool) -> Callable[..., Any]:
    def rule(x: Tensors, a: Attributes) -> Any:
        return function(x[0], x[1], x[2], num_segments=x[3] if is_counted else None)

    return rule


def _set_operation(n_sparse: int) -> Callable[..., Any]:
    """A rule for two sets of which the last ones are sparse."""

    def rule(x: Tensors, a: Attributes) -> Any:
        values = list(x[: 2 - n_sparse])
        rest = x[2 - n_sparse :]
        values += [SparseTensor(*rest[i : i + 3]) for i in range(0, len(rest), 3)]
        kind = a["set_operation"]
        if kind in ("a-b", "b-a"):
            return _parts(sets.difference(values[0], values[1], kind == "a-b"))
        return _parts({"intersection": sets.intersection, "union": sets.union}[kind](*values))

    return rule


def _set_size(x: Tensors, a: Attributes) -> Any:
    return sets.size(SparseTensor(*x))


def _edits(x: Tensors, a: Attributes) -> Any:
    both = SparseTensor(*x[:3]), SparseTensor(*x[3:])
    return distances.edit_distance(*both, normalize=a.get("normalize", True))


def _ragged(values: Any, splits: Tensors) -> Any:
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def _taken_apart(x: Any, rank: int) -> tuple[Any, ...]:
    splits = []
    for _ in range(rank):
        if not isinstance(x, RaggedTensor):
            raise NotImplementedError("rows of one length among ragged ones")
        splits.append(x.row_splits)
        x = x.values
    return splits, x


def _ragged_to_dense(x: Tensors, a: Attributes) -> Any:
    shape, values, default, *partitions = x
    kinds = list(a["row_partition_types"])
    count, splits = None, []
    for kind, partition in zip(kinds, partitions, strict=True):
        if kind == "FIRST_DIM_SIZE":
            count = partition
        elif kind == "ROW_SPLITS":
            splits.append(partition)
            count = partition[-1]
        else:
            rows = RaggedTensor.from_value_rowids(partition, partition, count, validate=False)
            splits.append(rows.row_splits)
            count = ops.shape(partition, partition.dtype)[0]
    sizes = [None if n < 0 else int(n) for n in _known(shape, "shape").reshape(-1)]
    wanted = None if shape.shape.rank == 0 else sizes
    return _ragged(values, splits).to_tensor(default, shape=wanted)


def _ragged_to_sparse(x: Tensors, a: Attributes) -> Any:
    return _parts(_ragged(x[-1], x[:-1]).to_sparse())


def _ragged_gather(x: Tensors, a: Attributes) -> Any:
    *splits, values, indices = x
    rank = a.get("OUTPUT_RAGGED_RANK", len(splits) + (indices.shape.rank or 1) - 1)
    rows = ops.gather(_ragged(values, splits), ops.reshape(indices, [-1]))
    inner, values = _taken_apart(rows, len(splits))
    outer = []
    for i in range(1, indices.shape.rank or 1):
        sizes = ops.shape(indices, int64)
        n, length = ops.reduce_prod(sizes[:i]), sizes[i]
        outer.append(ops.cast(ops.range(n + 1) * length, inner[0].dtype))
    made = [*outer, *inner]
    if len(made) != rank:
        raise NotImplementedError(f"a gather of ragged rank {rank}")
    return made, values


def _ragged_range(x: Tensors, a: Attributes) -> Any:
    made = ragged_build.range(x[0], x[1], x[2], row_splits_dtype=a.get("Tsplits", int64))
    return made.row_splits, made.values


_SEGMENTS = {
    "Sum": arithmetic.segment_sum,
    "Mean": arithmetic.segment_mean,
    "SqrtN": arithmetic.segment_sqrt_n,
}
_SPARSE = "output_indices output_values output_shape"
_SET = "result_indices result_values result_shape"

RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    "DenseToDenseSetOperation": (_SET, _set_operation(0)),
    "DenseToSparseSetOperation": (_SET, _set_operation(1)),
    "EditDistance": ("output", _edits),
    "RaggedGather": ("output_nested_splits output_dense_values", _ragged_gather),
    "RaggedRange": ("rt_nested_splits rt_dense_values", _ragged_range),
    "RaggedTensorToSparse": (
        "sparse_indices sparse_values sparse_dense_shape",
        _ragged_to_sparse,
    ),
    "RaggedTensorToTensor": ("result", _ragged_to_dense),
    "SetSize": ("size", _set_size),
    "SparseAdd": ("sum_indices sum_values sum_shape", _added),
    "SparseConcat": (_SPARSE, _concat),
    "SparseFillEmptyRows": (
        "output_indices output_values empty_row_indicator reverse_index_map",
        _filled,
    ),
    "SparseReduceMax": ("output", _reduced(arithmetic.reduce_max)),
    "SparseReduceSum": ("output", _reduced(arithmetic.reduce_sum)),
    "SparseReorder": ("output_indices output_values", _reordered),
    "SparseReshape": ("output_indices output_shape", _reshaped),
    **{
        f"SparseSegment{kind}": ("output", _segments(function, False))
        for kind, function in _SEGMENTS.items()
    },
    **{
        f"SparseSegment{kind}WithNumSegments": ("output", _segments(function, True))
        for kind, function in _SEGMENTS.items()
    },
    "SparseSlice": (_SPARSE, _sliced),
    "SparseSoftmax": ("output", _softmax),
    "SparseSparseMaximum": ("output_indices output_values", _joined(arithmetic.maximum)),
    "SparseSparseMinimum": ("output_indices output_values", _joined(arithmetic.minimum)),
    "SparseSplit": (_SPARSE, _split),
    "SparseTensorDenseAdd": ("output", _added_densely),
    "SparseToDense": ("dense", _dense),
    "SparseToSparseSetOperation": (_SET, _set_operation(2)),
}
