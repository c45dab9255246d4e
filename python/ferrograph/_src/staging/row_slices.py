"""Rows of larger tensors that two branches leave in different forms, made alike."""

from __future__ import annotations

from .. import ops
from ..hints import Any
from ..native import _core
from ..values import nest
from ..values.composite import IndexedSlices
from ..values.dtypes import int64


def made_alike(pair: list, branches: Any) -> bool:
    """Whether the ``IndexedSlices`` in two values, put into ``pair``, could be made alike.

    Indices of two dtypes become int64; a tensor beside slices becomes slices of all its rows.
    """
    if not any(_may_hold(value) for value in pair):
        return False
    first, second = (nest.flatten(value) for value in pair)
    if len(first) != len(second):
        return False
    sides, has_changed = (first, second), False
    for i, leaves in enumerate(zip(first, second, strict=True)):
        if not any(isinstance(leaf, IndexedSlices) for leaf in leaves):
            continue
        for leaf, other, side, branch in zip(leaves, leaves[::-1], sides, branches, strict=True):
            with branch:
                made = _like(leaf, other)
            has_changed |= made is not leaf
            side[i] = made
    if has_changed:
        pair[:] = [nest.pack_sequence_as(v, s) for v, s in zip(pair, sides, strict=True)]
    return has_changed


def _may_hold(value: Any) -> bool:
    """Whether a value is slices, or a container that has some: no sequence of a class of its own,
    whose elements may be such sequences without end."""
    if isinstance(value, (list, tuple)):
        return any(_may_hold(one) for one in value)
    if isinstance(value, dict):
        return any(_may_hold(one) for one in value.values())
    return isinstance(value, IndexedSlices)


def _like(leaf: Any, other: Any) -> Any:
    """One of two leaves in the form that both have, itself where it has it already."""
    if isinstance(leaf, IndexedSlices):
        if not isinstance(other, IndexedSlices) or leaf.indices.dtype == other.indices.dtype:
            return leaf
        return IndexedSlices(leaf.values, ops.cast(leaf.indices, int64), leaf.dense_shape)
    if not isinstance(leaf, _core.Tensor) or not isinstance(other, IndexedSlices):
        return leaf
    rows = ops.range(ops.shape(leaf, other.indices.dtype)[0], dtype=other.indices.dtype)
    known = other.dense_shape
    whole = None if known is None else ops.shape(leaf, known.dtype)
    return IndexedSlices(leaf, rows, whole)
