"""Feature specifications grouped by class, as the parsing operations take them."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..native import _core
from ..values.dtypes import as_dtype, int64
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from .features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)

__all__ = ["Wanted"]


class Wanted:
    """The features that are asked for, by their kinds.

    Attributes:
      features: what was asked for.
      sparse: dtypes of the sparse features by name.
      dense: shapes, dtypes and defaults of the dense ones.
      ragged: dtypes of the ragged ones, and of their row splits.
      optional: the dense ones that may be missing.
    """

    def __init__(self, features: dict[str, Any] | None, kinds: tuple[Any, ...]):
        self.features = dict(features or {})
        self.sparse: dict[str, Any] = {}
        self.dense: dict[str, tuple[Any, ...]] = {}
        self.ragged: dict[str, tuple[Any, ...]] = {}
        self.optional: set[str] = set()
        for key in sorted(self.features):
            feature = self.features[key]
            if not isinstance(feature, kinds):
                kind = type(feature).__name__
                raise ValueError(f"Unsupported {kind} {feature} for key {shown(key)}")
            self._add(key, feature)
        shared = set(self.dense) & set(self.sparse)
        if shared:
            raise ValueError(
                "Dense and sparse keys must not intersect; "
                f"dense_keys: {list(self.dense)}, sparse_keys: {list(self.sparse)}, "
                f"intersection: {shared}"
            )

    def _add(self, key: str, feature: Any) -> None:
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            for index in index_keys(feature):
                self._add_sparse(index, int64)
            self._add_sparse(feature.value_key, feature.dtype)
        elif isinstance(feature, FixedLenFeature):
            self._add_fixed(key, feature)
        elif isinstance(feature, FixedLenSequenceFeature):
            self._add_steps(key, feature)
        else:
            self._add_ragged(key, feature)

    def _add_sparse(self, key: str, dtype: Any) -> None:
        dtype = as_dtype(dtype)
        before = self.sparse.setdefault(key, dtype)
        if before != dtype:
            raise ValueError(f"Conflicting type {before!r} vs {dtype!r} for feature {key}.")

    def _add_fixed(self, key: str, feature: FixedLenFeature) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = TensorShape(feature.shape)
        sizes = shape.as_list()
        if sizes and sizes[0] is None:
            raise ValueError(
                f"First dimension of shape for feature {key} unknown. "
                f"Consider using FixedLenSequenceFeature. Received feature={feature}."
            )
        if None in sizes:
            raise ValueError(
                f"All dimensions of shape for feature {key} need to be known but received {sizes}."
            )
        self.dense[key] = shape, as_dtype(feature.dtype), feature.default_value

    def _add_steps(self, key: str, feature: FixedLenSequenceFeature) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = TensorShape(feature.shape)
        self.dense[key] = shape, as_dtype(feature.dtype), feature.default_value
        if feature.allow_missing:
            self.optional.add(key)

    def _add_ragged(self, key: str, feature: RaggedFeature) -> None:
        splits = as_dtype(feature.row_splits_dtype)
        name = key if feature.value_key is None else feature.value_key
        self._add_row(name, as_dtype(feature.dtype), splits)
        for part in feature.partitions:
            if not isinstance(part, UniformRowLength):
                self._add_row(part.key, int64, splits)

    def _add_row(self, key: str, dtype: Any, splits: Any) -> None:
        before, before_splits = self.ragged.get(key, (dtype, splits))
        if before != dtype:
            raise ValueError(f"Conflicting type {before!r} vs {dtype!r} for feature {key}.")
        self.ragged[key] = dtype, max(splits, before_splits, key=lambda d: d.size)

    def as_sequences(self) -> None:
        """Let dense features that may be missing be lists of any length."""
        for key, feature in self.features.items():
            if isinstance(feature, FixedLenSequenceFeature):
                if not feature.allow_missing:
                    raise ValueError(
                        "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                    )
                shape, dtype, default = self.dense[key]
                self.dense[key] = TensorShape([None]).concatenate(shape), dtype, default

    def defaults(self) -> list[Any]:
        """The default of each dense feature, empty where there is none."""
        return [self._default(*self.dense[key]) for key in self.dense]

    @staticmethod
    def _default(shape: Any, dtype: Any, default: Any) -> Any:
        if default is None:
            return ops.zeros([0], dtype)
        value = _core.convert_to_tensor(default, dtype)
        return ops.reshape(value, shape if shape.is_fully_defined() else [])


def index_keys(feature: SparseFeature) -> list[str]:
    """The names of the features of coordinates, one for each axis."""
    keys = feature.index_key
    return [keys] if isinstance(keys, str) else list(keys)
