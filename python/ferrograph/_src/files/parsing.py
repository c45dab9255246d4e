"""Examples read into tensors."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..ops._dispatch import told
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor
from ..values.dtypes import string
from ..values.public import public
from .features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from .partitions import divided
from .sparse_features import merged
from .wanted import Wanted

__all__ = [
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
]

_ALL = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
_CONTEXT = (VarLenFeature, FixedLenFeature, RaggedFeature)
_SEQUENCE = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


def _strings(names: Any) -> Any:
    """A vector of names."""
    return _core.convert_to_tensor([] if names is None else names, string)


def _keys(features: dict[str, Any]) -> Any:
    return _strings([key.encode() for key in features])


@public("io.parse_example")
@told
def parse_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of a batch of serialised ``Example`` messages, by name.

    >>> def example(*ids):
    ...     message = fg.train.Example()
    ...     message.features.feature["ids"].int64_list.value.extend(ids)
    ...     return message.SerializeToString()
    >>> wanted = {"ids": fg.io.RaggedFeature(fg.int64)}
    >>> fg.io.parse_example([example(1, 2), example(3)], wanted)["ids"].to_list()
    [[1, 2], [3]]

    Args:
      serialized: a vector of strings, or one.
      features: what is wanted by name: ``FixedLenFeature`` and ``FixedLenSequenceFeature`` give
        tensors, ``VarLenFeature`` and ``SparseFeature`` sparse ones, ``RaggedFeature`` ragged ones.
      example_names: names of the examples, for messages of errors.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where an example is damaged, lacks a feature that has no default, or
        holds other values than are wanted.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    wanted = Wanted(features, _ALL)
    wanted.as_sequences()
    serialized = _core.convert_to_tensor(serialized, string)
    attrs = {
        "num_sparse": len(wanted.sparse),
        "sparse_types": list(wanted.sparse.values()),
        "ragged_value_types": [dtype for dtype, _ in wanted.ragged.values()],
        "ragged_split_types": [splits for _, splits in wanted.ragged.values()],
        "dense_shapes": [shape for shape, _, _ in wanted.dense.values()],
    }
    inputs = (
        serialized,
        _strings(example_names),
        _keys(wanted.sparse),
        _keys(wanted.dense),
        _keys(wanted.ragged),
        *wanted.defaults(),
    )
    outputs = _Outputs(_core.emit("ParseExampleV2", inputs, attrs, name))
    return _context(wanted, outputs, serialized.shape.rank)


class _Outputs:
    """The outputs of an operation, taken list by list."""

    def __init__(self, outputs: Any):
        held = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        self._rest = list(held)

    def take(self, keys: Any) -> dict[str, Any]:
        """The next list, by name."""
        taken, self._rest = self._rest[: len(keys)], self._rest[len(keys) :]
        return dict(zip(keys, taken, strict=True))


def _context(wanted: Wanted, outputs: _Outputs, rank: int | None) -> dict[str, Any]:
    """The features of examples, made of the outputs for them."""
    indices, values, shapes = (outputs.take(wanted.sparse) for _ in range(3))
    dense, ragged = outputs.take(wanted.dense), outputs.take(wanted.ragged)
    splits = outputs.take(wanted.ragged)
    sparse = {key: SparseTensor(indices[key], values[key], shapes[key]) for key in wanted.sparse}
    if rank is None and ragged:
        raise ValueError("ragged features need serialised examples of known rank")
    rows = {key: ragged[key] if rank == 0 else _row(ragged[key], splits[key]) for key in ragged}
    return _results(wanted, sparse, dense, rows)


def _row(values: Any, splits: Any) -> RaggedTensor:
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _results(
    wanted: Wanted, sparse: dict[Any, Any], dense: dict[Any, Any], rows: dict[Any, Any]
) -> dict[str, Any]:
    """What was asked for, by name: sparse features first, then dense and ragged ones."""
    results: dict[str, Any] = {}
    for kinds in (VarLenFeature,), (FixedLenFeature, FixedLenSequenceFeature), (RaggedFeature,):
        for key in sorted(wanted.features):
            feature = wanted.features[key]
            if not isinstance(feature, kinds):
                continue
            if isinstance(feature, RaggedFeature):
                results[key] = _ragged(key, feature, rows)
            else:
                results[key] = (sparse if isinstance(feature, VarLenFeature) else dense)[key]
    for key in sorted(wanted.features):
        feature = wanted.features[key]
        if isinstance(feature, SparseFeature):
            results[key] = merged(feature, sparse)
    return results


def _ragged(key: str, feature: RaggedFeature, rows: dict[str, Any]) -> Any:
    """The values of a ragged feature, of one example or of a batch."""
    own = rows[key if feature.value_key is None else feature.value_key]
    if not feature.partitions:
        return own
    if isinstance(own, RaggedTensor):
        return divided(own, feature, rows)
    alone = {name: _alone(values, feature) for name, values in rows.items()}
    return divided(_alone(own, feature), feature, alone).values


def _alone(values: Any, feature: RaggedFeature) -> RaggedTensor:
    """The values of one example as the only row."""
    count = _core.emit("Shape", (values,), {"out_type": feature.row_splits_dtype})
    return RaggedTensor.from_row_lengths(values, count, validate=False)


@public("io.parse_single_example")
@told
def parse_single_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialised ``Example`` message, by name.

    ``parse_example`` reads a batch of them, which is faster.

    >>> example = fg.train.Example()
    >>> example.features.feature["xy"].float_list.value.extend([1.0, 2.0])
    >>> wanted = {"xy": fg.io.FixedLenFeature([2], fg.float32)}
    >>> fg.io.parse_single_example(example.SerializeToString(), wanted)["xy"].numpy()
    array([1., 2.], dtype=float32)

    Args:
      serialized: a scalar string.
      features: what is wanted by name, as of ``parse_example``.
      example_names: the name of the example, for messages of errors.
      name: a name for the operation.
    """
    if not features:
        raise ValueError(f"Invalid argument: features cannot be None or falsy. Got {features}")
    return parse_example(_scalar(serialized), features, example_names, name)


def _scalar(serialized: Any) -> Any:
    serialized = _core.convert_to_tensor(serialized, string)
    if serialized.shape.rank not in (0, None):
        raise ValueError("Input serialized must be a scalar")
    serialized.set_shape([])
    return serialized


@public("io.parse_sequence_example")
@told
def parse_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The features of a batch of serialised ``SequenceExample`` messages: those of the context, the
    lists of features, and the lengths of the lists that give tensors; each by name.

    >>> message = fg.train.SequenceExample()
    >>> for word in (b"so", b"far"):
    ...     step = message.feature_lists.feature_list["word"].feature.add()
    ...     step.bytes_list.value.append(word)
    >>> wanted = {"word": fg.io.FixedLenSequenceFeature([], fg.string)}
    >>> _, lists, lengths = fg.io.parse_sequence_example(
    ...     [message.SerializeToString()], sequence_features=wanted)
    >>> lists["word"].numpy().tolist(), lengths["word"].numpy().tolist()
    ([[b'so', b'far']], [2])

    Args:
      serialized: a vector of strings, or one.
      context_features: what is wanted of the context, by name: ``FixedLenFeature``,
        ``VarLenFeature`` or ``RaggedFeature``.
      sequence_features: which lists are wanted, by name: ``FixedLenSequenceFeature``,
        ``VarLenFeature`` or ``RaggedFeature``.
      example_names: names of the examples, for messages of errors.
      name: a name for the operation.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, "
            "but at least one should have values."
        )
    serialized = _core.convert_to_tensor(serialized, string)
    context = Wanted(context_features, _CONTEXT)
    lists = Wanted(sequence_features, _SEQUENCE)
    for key, (_, _, default) in lists.dense.items():
        if default is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    outputs = _Outputs(_emit_sequences(serialized, context, lists, example_names, name))
    rank = serialized.shape.rank
    first = _context(context, outputs, rank)
    return first, *_lists(lists, outputs, rank)


def _emit_sequences(serialized: Any, context: Wanted, lists: Wanted, names: Any, name: Any) -> Any:
    attrs = {
        "Ncontext_sparse": len(context.sparse),
        "context_sparse_types": list(context.sparse.values()),
        "context_ragged_value_types": [dtype for dtype, _ in context.ragged.values()],
        "context_ragged_split_types": [splits for _, splits in context.ragged.values()],
        "context_dense_shapes": [shape for shape, _, _ in context.dense.values()],
        "Nfeature_list_sparse": len(lists.sparse),
        "Nfeature_list_dense": len(lists.dense),
        "feature_list_dense_types": [dtype for _, dtype, _ in lists.dense.values()],
        "feature_list_sparse_types": list(lists.sparse.values()),
        "feature_list_ragged_value_types": [dtype for dtype, _ in lists.ragged.values()],
        "feature_list_ragged_split_types": [splits for _, splits in lists.ragged.values()],
        "feature_list_dense_shapes": [shape for shape, _, _ in lists.dense.values()],
    }
    keys = [_keys(w) for c in (context, lists) for w in (c.sparse, c.dense, c.ragged)]
    may_be_missing = [key in lists.optional for key in lists.dense]
    optional = _core.convert_to_tensor(may_be_missing, "bool")
    inputs = (serialized, _strings(names), *keys, optional, *context.defaults())
    return _core.emit("ParseSequenceExampleV2", inputs, attrs, name)


def _lists(
    wanted: Wanted, outputs: _Outputs, rank: int | None
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The lists of features, made of the outputs for them, and the lengths of dense ones."""
    indices, values, shapes = (outputs.take(wanted.sparse) for _ in range(3))
    dense, lengths = outputs.take(wanted.dense), outputs.take(wanted.dense)
    ragged, outer, inner = (outputs.take(wanted.ragged) for _ in range(3))
    sparse = {key: SparseTensor(indices[key], values[key], shapes[key]) for key in wanted.sparse}
    steps = {key: _row(ragged[key], inner[key]) for key in ragged}
    results = _results(wanted, sparse, dense, steps)
    if rank == 0:
        return results, lengths
    for key, feature in wanted.features.items():
        if isinstance(feature, RaggedFeature):
            name = key if feature.value_key is None else feature.value_key
            results[key] = _row(results[key], outer[name])
    return results, lengths


@public("io.parse_single_sequence_example")
@told
def parse_single_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialised ``SequenceExample`` message: those of the context, and the
    lists of features; each by name.

    >>> message = fg.train.SequenceExample()
    >>> message.context.feature["n"].int64_list.value.append(3)
    >>> context, _ = fg.io.parse_single_sequence_example(
    ...     message.SerializeToString(), {"n": fg.io.FixedLenFeature([], fg.int64)})
    >>> int(context["n"])
    3

    Args:
      serialized: a scalar string.
      context_features: what is wanted of the context, as of ``parse_sequence_example``.
      sequence_features: which lists are wanted, as of ``parse_sequence_example``.
      example_name: the name of the example, for messages of errors.
      name: a name for the operation.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, "
            "but at least one should have values."
        )
    return parse_sequence_example(
        _scalar(serialized), context_features, sequence_features, example_name, name
    )[:2]
