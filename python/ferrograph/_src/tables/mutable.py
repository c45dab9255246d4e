"""Mutable hash tables."""

from __future__ import annotations

from typing import Any

from ..context.thread import init_scope
from ..native import _core
from ..values.composite import CompositeTensor
from ..values.dtypes import as_dtype
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .table import Table, constant, each_value, expect_dtype

__all__ = ["DenseHashTable", "MutableHashTable"]


class _Mutable(Table):
    """A table that keys are added to and removed from."""

    _default_value: Any
    _checkpoint: bool
    # What checkpoints call it; the tensors add to the name.
    _saved_as = "table"

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What checkpoints hold of the table."""
        if not self._checkpoint:
            return {}
        keys, values = self.export()
        return {"-keys": keys, "-values": values}

    def _restore_from_tensors(self, tensors: dict[str, Any]) -> None:
        """Make these keys and values the contents of the table."""
        self._fill(tensors["-keys"], tensors["-values"])

    def _converted(self, keys: Any) -> Any:
        if isinstance(keys, CompositeTensor):
            return keys
        return _core.convert_to_tensor(keys, self._key_dtype)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Add keys with their values, or give those that are there other ones.

        Of a key that stands there twice the last value counts. InvalidArgumentError where there are
        not as many values as keys.
        """
        keys = _core.convert_to_tensor(keys, self._key_dtype)
        values = _core.convert_to_tensor(values, self._value_dtype)
        _core.emit("LookupTableInsertV2", (self._handle, keys, values), None, name)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take keys out; those that are not there are no error. TypeError for another dtype."""
        if not hasattr(keys, "dtype"):
            keys = _core.convert_to_tensor(keys, self._key_dtype)
        expect_dtype(keys, self._key_dtype)
        keys = _core.convert_to_tensor(keys, self._key_dtype)
        _core.emit("LookupTableRemoveV2", (self._handle, keys), None, name)

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self._options(), *self.export())

    def _options(self) -> dict[Any, Any]:
        """The arguments that make such a table."""
        raise NotImplementedError


def _rebuilt(cls: Any, options: dict[Any, Any], keys: Any, values: Any) -> Any:
    table = cls(**options)
    table._fill(keys, values)
    return table


@public("lookup.experimental.MutableHashTable")
class MutableHashTable(_Mutable):
    """A table from keys to values that changes while the program runs.

    Traced functions refer to the table, they do not copy it: what a call inserts is there for the
    next one. A table that a traced function makes is made once. Gradients do not flow through it.

    >>> counts = fg.lookup.experimental.MutableHashTable(fg.string, fg.int64, default_value=0)
    >>> @fg.function
    ... def count(words):
    ...     for word in words:
    ...         counts.insert(word, counts.lookup(word) + 1)
    ...     return counts.size()
    >>> int(count(fg.constant(["to", "be", "or", "not", "to", "be"])))
    4
    >>> counts[["to", "or", "that"]].numpy()
    array([2, 1, 0])

    Args:
      key_dtype: the dtype of the keys: an integer's, or string.
      value_dtype: the dtype of the values.
      default_value: the value of keys that are not there; a scalar, or a vector, as which then all
        values are.
      name: of the table.
      checkpoint: whether checkpoints hold its contents.
      experimental_is_anonymous: changes nothing: tables are never shared by name.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ):
        self._name = name
        self._checkpoint = bool(checkpoint)
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default_value = constant(default_value, self._value_dtype)
        self._value_shape = self._default_value.shape
        with init_scope():
            self._handle = self._create()

    def _create(self) -> Any:
        attrs: dict[str, Any] = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        op = "MutableHashTableV2"
        if self._value_shape.rank != 0:
            op = "MutableHashTableOfTensorsV2"
            attrs["value_shape"] = self._value_shape
        return _core.emit(op, (), attrs)

    def lookup(  # type: ignore[override]
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """The values of keys.

        ``dynamic_default_values`` takes the default value's place: one for all, or one for each
        key. ValueError or TypeError for keys of another dtype than the table's.
        """
        default = self._default_value
        if dynamic_default_values is not None:
            default = _core.convert_to_tensor(dynamic_default_values, self._value_dtype)
        keys = self._converted(keys)
        return each_value(keys, lambda flat: self._found(self._converted(flat), default, name))

    def _options(self) -> dict[Any, Any]:
        return {
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "default_value": self._default_value,
            "name": self._name,
            "checkpoint": self._checkpoint,
        }


@public("lookup.experimental.DenseHashTable")
class DenseHashTable(_Mutable):
    """As ``MutableHashTable``, with two keys that none may be; keys may be vectors, too.

    >>> table = fg.lookup.experimental.DenseHashTable(
    ...     fg.int64, fg.int64, default_value=-1, empty_key=0, deleted_key=-1
    ... )
    >>> table.insert([5, 6], [50, 60])
    >>> table.erase([5])
    >>> table.lookup([5, 6]).numpy(), int(table.size())
    (array([-1, 60]), 1)

    Args:
      key_dtype: the dtype of the keys: an integer's, or string.
      value_dtype: the dtype of the values.
      default_value: the value of keys that are not there; all values have its shape.
      empty_key: a key that none may be, of the shape that keys have: a scalar or a vector.
      deleted_key: another one.
      initial_num_buckets: for how many keys there is to be room: a power of two, 4 at least.
      name: of the table.
      checkpoint: whether checkpoints hold its contents.
      experimental_is_anonymous: changes nothing: tables are never shared by name.

    Raises:
      InvalidArgumentError: where the reserved keys are equal, or the number of buckets cannot be.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ):
        self._name = name
        self._checkpoint = bool(checkpoint)
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        self._default_value = constant(default_value, self._value_dtype)
        self._empty_key = constant(empty_key, self._key_dtype)
        self._deleted_key = constant(deleted_key, self._key_dtype)
        self._buckets = initial_num_buckets
        self._key_shape, self._value_shape = self._empty_key.shape, self._default_value.shape
        reserved = (self._empty_key, self._deleted_key)
        if any(key._constant_value() is None for key in reserved):
            raise ValueError("the reserved keys of a table must be known when it is made")
        with init_scope():
            self._handle = self._create()

    def _create(self) -> Any:
        attrs = {"value_dtype": self._value_dtype, "value_shape": self._value_shape}
        if self._buckets is not None:
            attrs["initial_num_buckets"] = int(self._buckets)
        reserved = (self._empty_key, self._deleted_key)
        return _core.emit("MutableDenseHashTableV2", reserved, attrs, self._name)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys.

        ValueError or TypeError for keys of another dtype, InvalidArgumentError for a reserved one.
        """
        keys = self._converted(keys)
        default = self._default_value
        return each_value(keys, lambda flat: self._found(self._converted(flat), default, name))

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> None:
        """As ``insert``."""
        self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """As ``remove``."""
        self.remove(keys, name)

    def export(self, name: str | None = None) -> tuple[Any, ...]:
        """All keys, and their values: two matrices, with a row for each, in no promised order."""
        return super().export(name)

    def _exported(self, shape: TensorShape) -> TensorShape:
        return TensorShape([None, shape.num_elements()])

    def _fill(self, keys: Any, values: Any) -> None:
        keys = _core.emit("Reshape", (keys, [-1, *self._key_shape.as_list()]))
        values = _core.emit("Reshape", (values, [-1, *self._value_shape.as_list()]))
        self._import(keys, values)

    def _options(self) -> dict[Any, Any]:
        return {
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "default_value": self._default_value,
            "empty_key": self._empty_key,
            "deleted_key": self._deleted_key,
            "initial_num_buckets": self._buckets,
            "name": self._name,
            "checkpoint": self._checkpoint,
        }
