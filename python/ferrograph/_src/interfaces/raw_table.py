"""``raw_ops``: where the keyword arguments of operations differ from their declarations."""

from __future__ import annotations

from typing import Any

from ..values import dtypes
from ..values.tensor_shape import TensorShape

__all__ = [
    "DEFAULTS",
    "ELSEWHERE",
    "HIDDEN",
    "IGNORED",
    "ONE_VALUE",
    "OWN",
    "RENAMED",
    "REQUIRED",
    "WHERE_EMPTY",
    "has_default",
]

# Operations without a public name, which only the front end calls.
_OWN = (
    "BandedMatMul BandedOuter BandedSolve BottomK CandidateSampler CustomGradient "
    "DistortedWindow "
    "ExtractImagePatchesGrad IgammaGradAA IteratorHasNext IteratorPosition LoadShardsDataset "
    "MergeRows OperationSeeds ReducedShape ReserveRandomBlocks ResizeAreaGrad SavedNote "
    "SetIteratorPosition StatelessRandomBinomialV2 StatelessRandomPoissonV2"
)
OWN = frozenset(_OWN.split())

# Operations that take other inputs here, and what to call in their place.
ELSEWHERE = {
    "CacheDatasetV2": "data.Dataset.cache",
    "Const": "constant",
    "GroupByWindowDataset": "data.Dataset.group_by_window",
    "LoadDataset": "data.Dataset.load",
    "PaddedBatchDatasetV2": "data.Dataset.padded_batch",
    "ParallelInterleaveDatasetV4": "data.Dataset.interleave",
    "RandomDatasetV2": "data.Dataset.random",
    "ReduceDataset": "data.Dataset.reduce",
    "SaveDatasetV2": "data.Dataset.save",
    "ScanDataset": "data.Dataset.scan",
    "ShuffleDatasetV3": "data.Dataset.shuffle",
    "SnapshotDataset": "data.Dataset.snapshot",
}

_ANYWHERE = {"reduction_indices": "axis", "split_dim": "axis", "squeeze_dims": "axis"}
_FEATURES = {"x": "features"}
_INPUT = {"x": "input"}
_GIVEN = {"x": "y", "y": "dy"}

# The public names of inputs and attributes, by those of the declaration.
RENAMED: dict[str, dict[str, str]] = {
    "": _ANYWHERE,
    "Angle": _INPUT,
    "Atan2": {"x": "y", "y": "x"},
    "Conj": _INPUT,
    "Elu": _FEATURES,
    "ExpandDims": {"dim": "axis"},
    "Imag": _INPUT,
    "NextAfter": {"x": "x1", "y": "x2"},
    "Polygamma": {"x": "a", "y": "x"},
    "Real": _INPUT,
    "Relu": _FEATURES,
    "Relu6": _FEATURES,
    "ReduceJoin": {"reduction_indices": "reduction_indices"},
    "ReluGrad": {"x": "gradients", "y": "features"},
    "Select": {"t": "x", "e": "y"},
    "Selu": _FEATURES,
    "SigmoidGrad": _GIVEN,
    "Softplus": _FEATURES,
    "Softsign": _FEATURES,
    "TanhGrad": _GIVEN,
    "Where": {"input": "condition"},
    "Zeta": {"y": "q"},
}

# Attributes of the declaration that are no arguments: they are inferred from the others. A function
# takes the inputs, a list, and the attributes given.
_UNKNOWN = TensorShape(None)


def _every_input(inputs: list[Any], given: dict[Any, Any]) -> list[int]:
    return list(range(len(inputs)))


def _dtypes_of(inputs: list[Any], given: dict[Any, Any]) -> list[Any]:
    return [x.dtype for x in inputs]


def _shapes_of_queue(inputs: list[Any], given: dict[Any, Any]) -> list[Any]:
    return [_UNKNOWN for _ in given["component_types"]]


def _shapes_of_loop(inputs: list[Any], given: dict[Any, Any]) -> list[Any]:
    return [_UNKNOWN for _ in inputs]


_LINES = {
    "output_types": lambda inputs, given: [dtypes.string],
    "output_shapes": lambda inputs, given: [TensorShape([])],
}
_BRANCHES = {
    "then_inputs": lambda inputs, given: _every_input(inputs, given)[1:],
    "else_inputs": lambda inputs, given: _every_input(inputs, given)[1:],
}
_LOOP = {
    "cond_inputs": _every_input,
    "body_inputs": _every_input,
    "recorded_types": None,
    "recorded_shapes": None,
}
_CALL = {"owner": None}
_QUEUE = {"_shapes": _shapes_of_queue}
_RANDOM = {"shared": None}

HIDDEN: dict[str, dict[str, Any]] = {
    "CSVDataset": {"output_types": lambda inputs, given: _dtypes_of(inputs[8:], given)},
    "CompositeTensorVariantToComponents": {
        "output_shapes": lambda inputs, given: [_UNKNOWN for _ in given["Tcomponents"]]
    },
    "FixedLengthRecordDatasetV2": _LINES,
    "If": _BRANCHES,
    "LookupTableExportV2": {"_keys_shape": None, "_values_shape": None},
    "LookupTableFindV2": {"_key_rank": None, "_value_shape": None},
    "MaxPoolGradGrad": {"explicit_paddings": None},
    "Multinomial": _RANDOM,
    "NonMaxSuppressionV4": {"covers_at_threshold": None},
    "PartitionedCall": _CALL,
    "QueueDequeueManyV2": _QUEUE,
    "QueueDequeueUpToV2": _QUEUE,
    "QueueDequeueV2": _QUEUE,
    "RandomShuffle": _RANDOM,
    "RandomStandardNormal": _RANDOM,
    "RandomUniform": _RANDOM,
    "RandomUniformInt": _RANDOM,
    "ReadVariableOp": {"shape": lambda inputs, given: _UNKNOWN},
    "ResizeArea": {"half_pixel_centers": None},
    "SaveV2": {"shards": None},
    "StatefulPartitionedCall": _CALL,
    "StatelessIf": _BRANCHES,
    "StatelessWhile": _LOOP,
    "TFRecordDataset": _LINES,
    "TensorDataset": {"output_types": _dtypes_of},
    "TensorListScatterIntoExistingList": {"add": None},
    "TensorSliceDataset": {"output_types": _dtypes_of},
    "TextLineDataset": _LINES,
    "TruncatedNormal": _RANDOM,
    "While": _LOOP,
}

# The meaning of an empty list, the default of these attributes: unknown shapes.
WHERE_EMPTY: dict[str, dict[str, Any]] = {
    **{op: {"shapes": _shapes_of_queue} for op in ("FIFOQueueV2", "RandomShuffleQueueV2")},
    **{op: {"output_shapes": _shapes_of_loop} for op in ("StatelessWhile", "While")},
}

_REAL = "Angle ComplexAbs Imag Real"
_SEEDED = "StatelessRandomNormal StatelessRandomUniform StatelessTruncatedNormal"

# Defaults that a declaration leaves to the front end; arguments that have none though it has one.
DEFAULTS: dict[str, dict[str, Any]] = {
    **{f"{op}{v}": {"dtype": dtypes.float32} for op in _SEEDED.split() for v in ("", "V2")},
    **{f"StatelessRandomUniformFullInt{v}": {"dtype": dtypes.uint64} for v in ("", "V2")},
    **{op: {"shapes": []} for op in ("FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2")},
    "Placeholder": {"shape": None},
    "PriorityQueueV2": {"component_types": []},
    "StatelessWhile": {"output_shapes": []},
    "While": {"output_shapes": []},
}
REQUIRED = {
    "CompositeTensorVariantFromComponents": ("metadata",),
    "CompositeTensorVariantToComponents": ("metadata",),
    "Eig": ("Tout",),
    "ResourceCountUpTo": ("T",),
}

_CALLS = "PartitionedCall StatefulPartitionedCall"
_TABLES = "HashTableV2 MutableDenseHashTableV2 MutableHashTableOfTensorsV2 MutableHashTableV2"
_QUEUES = "FIFOQueueV2 PaddingFIFOQueueV2 PriorityQueueV2 RandomShuffleQueueV2"
_NO_DEFAULT = object()


def _by_operation(rows: list[tuple[str, Any, str]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for attribute, default, operations in rows:
        for op in operations.split():
            found.setdefault(op, {})[attribute] = default
    return found


# Arguments that change nothing here: names, hints of speed, what the inputs tell by themselves.
IGNORED = _by_operation(
    [
        ("Tout", _NO_DEFAULT, f"If StatelessIf {_CALLS}"),
        ("buffer_size_min", 0, "PrefetchDataset"),
        ("cardinality_options", "", "DatasetCardinality"),
        ("config", "", _CALLS),
        ("config_proto", "", _CALLS),
        ("container", "", f"SummaryWriter {_TABLES} {_QUEUES}"),
        ("executor_type", "", _CALLS),
        ("force_synchronous", False, "MapDataset"),
        ("grad_a", False, "MatMul"),
        ("grad_b", False, "MatMul"),
        ("grad_x", False, "BatchMatMul BatchMatMulV2"),
        ("grad_y", False, "BatchMatMul BatchMatMulV2"),
        ("is_files", False, "TensorSliceDataset"),
        ("legacy_autotune", True, "PrefetchDataset"),
        ("log_warning", False, "IgnoreErrorsDataset"),
        (
            "metadata",
            "",
            "BatchDatasetV2 CacheDataset ConcatenateDataset DatasetToSingleElement FilterDataset "
            "FixedLengthRecordDatasetV2 FlatMapDataset InterleaveDataset MapDataset "
            "ParallelMapDatasetV2 PrefetchDataset RangeDataset RepeatDataset ShardDataset "
            "SkipDataset TFRecordDataset TakeDataset TakeWhileDataset TensorDataset "
            "TensorSliceDataset TextLineDataset UnbatchDataset UniqueDataset WindowDataset "
            "ZipDataset",
        ),
        ("output_shapes", [], "If StatelessIf"),
        ("parallel_copy", False, "BatchDatasetV2"),
        ("parallel_iterations", 10, "StatelessWhile While"),
        ("preserve_cardinality", False, "MapDataset ParallelMapDatasetV2"),
        ("replicate_on_split", False, "RangeDataset TensorSliceDataset"),
        ("slack_period", 0, "PrefetchDataset"),
        ("use_inter_op_parallelism", True, "MapDataset ParallelMapDatasetV2"),
        ("use_node_name_sharing", False, _TABLES),
        ("use_unbounded_threadpool", False, "ParallelMapDatasetV2"),
        ("validate_shape", False, "AssignVariableOp"),
    ]
)

# Arguments that must have the one value which is their default; ``Tout`` also says what comes out.
ONE_VALUE = _by_operation(
    [
        ("Tout", dtypes.complex64, "Complex"),
        ("Tout", dtypes.float32, _REAL),
        ("Truncate", False, "Cast"),
        (
            "bad_indices_policy",
            "",
            "GatherNd ScatterNd TensorScatterAdd TensorScatterMax TensorScatterMin "
            "TensorScatterSub TensorScatterUpdate",
        ),
        ("index_type", dtypes.int32, "TopKV2"),
        ("out_type", dtypes.string, "SerializeManySparse SerializeSparse"),
        ("require_non_empty", False, "ShardDataset"),
        ("shared_name", "", f"SummaryWriter {_TABLES} {_QUEUES}"),
        (
            "timeout_ms",
            -1,
            "QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeueV2 QueueEnqueueManyV2 "
            "QueueEnqueueV2",
        ),
    ]
)


def has_default(value: Any) -> bool:
    """Whether a value of ``IGNORED`` is a default, and the argument may be left out."""
    return value is not _NO_DEFAULT
