"""The base class of tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..native import _core
from ..values.composite import CompositeTensor
from ..values.dtypes import DType
from ..values.markers import Trackable
from ..values.tensor_shape import TensorShape

__all__ = ["SCALAR", "Lookup", "Table", "constant", "each_value", "expect_dtype"]

SCALAR = TensorShape([])


def each_value(keys: Any, find: Callable[[Any], Any]) -> Any:
    """What ``find`` gives for the values of a tensor, sparse tensor or ragged tensor."""
    is_composite = isinstance(keys, CompositeTensor)
    if is_composite and hasattr(keys, "with_flat_values"):
        return keys.with_flat_values(find(keys.flat_values))
    if is_composite and hasattr(keys, "with_values"):
        return keys.with_values(find(keys.values))
    return find(_core.convert_to_tensor(keys) if is_composite else keys)


def expect_dtype(keys: Any, dtype: DType) -> None:
    """TypeError where keys have another dtype."""
    if keys.dtype != dtype:
        raise TypeError(
            f"Dtype of argument `keys` must be {dtype!r}, received: {keys.dtype!r}: the table has "
            f"{dtype.name} keys"
        )


def constant(value: Any, dtype: DType) -> Any:
    """A tensor that outlives the trace that goes on, where its value is known."""
    value = _core.convert_to_tensor(value, dtype)
    known = value._constant_value()
    return value if known is None else known


class Lookup(Trackable):
    """What finds values by keys, written ``table[keys]`` too."""

    _name: str | None
    _key_dtype: DType
    _value_dtype: DType

    @property
    def name(self) -> str | None:
        """The name that the table was given."""
        return self._name

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


class Table(Lookup):
    """A hash table: a resource of the core."""

    _handle: Any
    # What filled it, where that is a file.
    _filler: Any = None
    _key_shape = SCALAR
    _value_shape = SCALAR

    @property
    def resource_handle(self) -> Any:
        """The tensor that refers to the table."""
        return self._handle

    def _create(self) -> Any:
        """The handle of a fresh table like this one, without keys."""
        raise NotImplementedError

    def _fill(self, keys: Any, values: Any) -> None:
        """Make keys and values as ``export`` gives them all that the table holds."""
        self._import(keys, values)

    def size(self, name: str | None = None) -> Any:
        """How many keys there are, a scalar of int64."""
        return _core.emit("LookupTableSizeV2", (self._handle,), None, name)

    def export(self, name: str | None = None) -> tuple[Any, ...]:
        """All keys, and their values: two tensors, in no order that is promised."""
        attrs = {
            "Tkeys": self._key_dtype,
            "Tvalues": self._value_dtype,
            "_keys_shape": self._exported(self._key_shape),
            "_values_shape": self._exported(self._value_shape),
        }
        return tuple(_core.emit("LookupTableExportV2", (self._handle,), attrs, name))

    def _exported(self, shape: TensorShape) -> TensorShape:
        """The shape of all keys or values together, of one by one."""
        return TensorShape([None, *shape])

    def _found(self, keys: Any, default: Any, name: str | None) -> Any:
        attrs = {"_key_rank": len(self._key_shape), "_value_shape": self._value_shape}
        return _core.emit("LookupTableFindV2", (self._handle, keys, default), attrs, name)

    def _import(self, keys: Any, values: Any) -> None:
        """Make keys with their values all that the table holds."""
        _core.emit("LookupTableImportV2", (self._handle, keys, values))
