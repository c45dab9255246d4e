"""Types of elements as text, and back: what is written beside saved elements."""

from __future__ import annotations

import json
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

from ..ragged.spec import RaggedTensorSpec
from ..sparse.tensor import SparseTensorSpec
from ..values import errors
from ..values.dtypes import as_dtype
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec
from .structure import NoneTensorSpec


def text_of(spec: Any) -> str:
    """The text of a type; empty for one that has components of kinds that no text tells."""
    description = _described(spec)
    return "" if description is None else json.dumps(description)


def spec_of(text: bytes, path: Any) -> Any:
    """The type of a text. ValueError for an empty one, DataLossError for one that is no type's."""
    if not text:
        raise ValueError(
            f"the elements saved in {path!r} have a type that is not kept with them: pass it as "
            "element_spec"
        )
    try:
        return _spec(json.loads(text))
    except (ValueError, TypeError, KeyError, LookupError) as e:
        raise errors.DataLossError(None, None, f"{path}: the type of elements is damaged") from e


def _shape(shape: TensorShape) -> Any:
    return None if shape.rank is None else shape.as_list()


def _described(spec: Any) -> list | None:
    """A list of the kind and what belongs to it; None for a kind that is not told."""
    kind = type(spec)
    if kind is TensorSpec:
        return ["tensor", spec.dtype.name, _shape(spec.shape)]
    if kind is SparseTensorSpec:
        return ["sparse", spec.dtype.name, _shape(spec.shape)]
    if kind is RaggedTensorSpec:
        splits = spec.row_splits_dtype.name
        return ["ragged", spec.dtype.name, _shape(spec.shape), spec.ragged_rank, splits]
    if kind is NoneTensorSpec:
        return ["none"]
    if kind is tuple:
        return _with_parts(["tuple"], spec)
    if kind in (dict, OrderedDict):
        if all(type(key) is str for key in spec):
            return _with_parts(["dict", list(spec)], spec.values())
        return None
    if isinstance(spec, tuple) and hasattr(spec, "_fields"):
        return _with_parts(["namedtuple", kind.__name__, list(spec._fields)], spec)
    return None


def _with_parts(head: list, parts: Any) -> list | None:
    found = [_described(part) for part in parts]
    return None if None in found else [*head, found]


def _dict(keys: list, parts: list) -> dict:
    return dict(zip(keys, map(_spec, parts), strict=True))


def _named(name: str, fields: list, parts: list) -> Any:
    return namedtuple(name, fields)(*map(_spec, parts))  # noqa: PYI024 - its fields are data


_KINDS: dict[str, Callable] = {
    "tensor": lambda dtype, shape: TensorSpec(shape, as_dtype(dtype)),
    "sparse": lambda dtype, shape: SparseTensorSpec(shape, as_dtype(dtype)),
    "ragged": lambda dtype, shape, rank, splits: RaggedTensorSpec(
        shape, as_dtype(dtype), rank, as_dtype(splits)
    ),
    "none": NoneTensorSpec,
    "tuple": lambda parts: tuple(map(_spec, parts)),
    "dict": _dict,
    "namedtuple": _named,
}


def _spec(description: list) -> Any:
    kind, *rest = description
    return _KINDS[kind](*rest)
