"""Static hash tables, which are filled once."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..context.thread import init_scope
from ..native import _core
from ..ops.texts import to_hash_bucket_fast
from ..values.dtypes import DType, as_dtype, int64, string
from ..values.errors import shown
from ..values.public import public
from .initializers import KeyValueTensorInitializer, TableInitializer
from .table import Lookup, Table, constant, each_value, expect_dtype

__all__ = ["StaticHashTable", "StaticVocabularyTable"]


def _as_tensor(keys: Any, dtype: DType) -> Any:
    """Keys as they are, or as a tensor of that dtype."""
    return keys if hasattr(keys, "dtype") else _core.convert_to_tensor(keys, dtype)


@public("lookup.StaticHashTable")
class StaticHashTable(Table):
    """A table from keys to values that is filled when it is made, and does not change.

    A table that a traced function makes is made once, and filled then where keys and values are
    known then; otherwise the graph fills it, with the same contents at every call.

    >>> init = fg.lookup.KeyValueTensorInitializer(["emerson", "lake", "palmer"], [0, 1, 2])
    >>> table = fg.lookup.StaticHashTable(init, default_value=-1)
    >>> table.lookup(fg.constant(["palmer", "nobody"])).numpy()
    array([ 2, -1], dtype=int32)
    >>> table[fg.ragged.constant([["lake"], []])]
    <fg.RaggedTensor [[1], []]>

    Args:
      initializer: what it is filled with; see ``KeyValueTensorInitializer`` and
        ``TextFileInitializer``.
      default_value: a scalar, the value of keys that are not there.
      name: of the table.
      experimental_is_anonymous: changes nothing: tables are never shared by name.

    Raises:
      FailedPreconditionError: where one key has two values.
      InvalidArgumentError: where there are not as many values as keys.
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):
        self._name = name
        self._key_dtype = as_dtype(initializer.key_dtype)
        self._value_dtype = as_dtype(initializer.value_dtype)
        self._default_value = constant(default_value, self._value_dtype)
        if self._default_value.shape.rank not in (None, 0):
            raise ValueError(
                f"the default value must be a scalar, got shape {self._default_value.shape}"
            )
        with init_scope():
            self._handle = self._create()
        initializer.initialize(self)
        # Kept for saving the table: with its file it is made from the file again, without it from
        # its contents.
        if initializer.file() is not None:
            self._filler = initializer

    def _create(self) -> Any:
        attrs = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        return _core.emit("HashTableV2", (), attrs)

    @property
    def default_value(self) -> Any:
        """The value of keys that are not there."""
        return self._default_value

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys: a tensor, sparse tensor or ragged tensor like these.

        TypeError for keys of another dtype than the table's.
        """
        keys = _as_tensor(keys, self._key_dtype)
        expect_dtype(keys, self._key_dtype)
        return each_value(keys, lambda flat: self._found(flat, self._default_value, name))

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), *self.export(), self._default_value, self._name)


def _rebuilt(cls: Any, keys: Any, values: Any, default: Any, name: str | None) -> StaticHashTable:
    return cls(KeyValueTensorInitializer(keys, values), default, name)


@public("lookup.StaticVocabularyTable")
class StaticVocabularyTable(Lookup):
    """A table that numbers words, and hashes others into buckets behind them.

    Words that the initializer has get the ids that it gives them. The id of another one is the size
    of the vocabulary plus its bucket: FarmHash's fingerprint modulo ``num_oov_buckets``, for an
    integer that of its decimal digits.

    >>> init = fg.lookup.KeyValueTensorInitializer(["a", "b"], fg.constant([0, 1], fg.int64))
    >>> table = fg.lookup.StaticVocabularyTable(init, num_oov_buckets=4)
    >>> table.lookup(fg.constant(["b", "x", "y"])).numpy()
    array([1, 4, 3])

    Args:
      initializer: of keys that are int64 or strings, with int64 values; or None, for a table of
        buckets alone.
      num_oov_buckets: how many buckets there are.
      lookup_key_dtype: the dtype of the keys that are looked up, where it is not the initializer's:
        another integer's.
      name: of the table.
      experimental_is_anonymous: changes nothing.

    Raises:
      ValueError: where there is no bucket.
      TypeError: for keys or values of another dtype.
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._num_oov_buckets = int(num_oov_buckets)
        self._value_dtype = int64
        self._name = name
        self._table: StaticHashTable | None = None
        if initializer is None:
            self._name = name or "hash_bucket"
            self._key_dtype = string
            return
        _check_vocabulary(initializer)
        key_dtype = initializer.key_dtype if lookup_key_dtype is None else lookup_key_dtype
        self._key_dtype = as_dtype(key_dtype)
        if self._key_dtype.is_integer != initializer.key_dtype.is_integer:
            kind = "integer" if self._key_dtype.is_integer else "string"
            raise TypeError(
                f"Invalid `key_dtype`, expected {kind} but got {shown(initializer.key_dtype)}."
            )
        self._table = StaticHashTable(initializer, -1, name)

    @property
    def resource_handle(self) -> Any:
        """The tensor that refers to the table of words; None where there is none."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """How many ids there are: words and buckets, a scalar of int64."""
        buckets = _core.convert_to_tensor(self._num_oov_buckets, int64)
        return buckets if self._table is None else self._table.size(name) + buckets

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of keys: a tensor, sparse tensor or ragged tensor like these, of int64.

        TypeError for keys of another dtype than the table's.
        """
        keys = _as_tensor(keys, self._key_dtype)
        expect_dtype(keys, self._key_dtype)
        return each_value(keys, lambda flat: self._ids(flat, name))

    def _ids(self, keys: Any, name: str | None) -> Any:
        words = ops.as_string(keys) if keys.dtype.is_integer else keys
        buckets = to_hash_bucket_fast(words, self._num_oov_buckets)
        if self._table is None:
            return buckets
        known = ops.cast(keys, self._table.key_dtype) if keys.dtype.is_integer else keys
        ids = self._table.lookup(known, name)
        return ops.where(ids == -1, buckets + self._table.size(), ids)


def _check_vocabulary(initializer: TableInitializer) -> None:
    """TypeError for keys that are no words or numbers, or values that are no ids."""
    if initializer.key_dtype not in (int64, string):
        raise TypeError(
            "Invalid `key_dtype`, expected one of (int64, string), but got "
            f"{shown(initializer.key_dtype)}."
        )
    if initializer.value_dtype != int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {int64!r} but got {initializer.value_dtype!r}."
        )
