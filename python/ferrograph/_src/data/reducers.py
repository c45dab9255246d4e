"""Elements reduced by key, and tables made of the elements of datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..native import _core
from ..ops._dispatch import told
from ..tables.initializers import KeyValueTensorInitializer
from ..tables.static import StaticHashTable, StaticVocabularyTable
from ..values import dtypes
from ..values.constants import constant
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from .dataset import Dataset

__all__ = ["Reducer", "group_by_reducer", "index_table_from_dataset", "table_from_dataset"]

_ALL = 2**63 - 1


@public("data.experimental.Reducer")
class Reducer:
    """The three functions that ``group_by_reducer`` reduces the elements of a key with.

    >>> count = fg.data.experimental.Reducer(lambda key: 0, lambda n, x: n + 1, lambda n: n)
    >>> count.reduce_func(2, "an element")
    3

    Args:
      init_func: the first state, of the key.
      reduce_func: the next state, of the state and an element.
      finalize_func: the result, of the last state.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ):
        self._init_func, self._reduce_func = init_func, reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function of a key that gives its first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function of a state and an element that gives the next state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function of the last state that gives the result."""
        return self._finalize_func


@public("data.experimental.group_by_reducer")
def group_by_reducer(
    key_func: Callable[..., Any], reducer: Reducer
) -> Callable[[Dataset], Dataset]:
    """A function for ``Dataset.apply``: one element for each key, in the order of the keys.

    >>> add = fg.data.experimental.Reducer(
    ...     lambda key: fg.constant(0, fg.int64), lambda total, x: total + x, lambda total: total)
    >>> sums = fg.data.experimental.group_by_reducer(lambda x: x % 2, add)
    >>> [int(x) for x in fg.data.Dataset.range(5).apply(sums)]
    [6, 4]

    Args:
      key_func: a function of an element that gives its key, an int64 scalar.
      reducer: a ``Reducer``, whose result for the elements of a key is the element that comes out.

    Returns:
      A function that makes a dataset of a dataset.
    """

    def reduced(key: Any, elements: Dataset) -> Dataset:
        state = elements.reduce(reducer.init_func(key), reducer.reduce_func)
        state = state if isinstance(state, tuple) else (state,)
        return Dataset.from_tensors(reducer.finalize_func(*state))

    return lambda dataset: dataset.group_by_window(key_func, reduced, window_size=_ALL)


@public("data.experimental.table_from_dataset")
@told
def table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """A table of the pairs of a key and a value that a dataset gives, read at once.

    >>> words = fg.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> table = fg.data.experimental.table_from_dataset(words, default_value=-1)
    >>> table.lookup(fg.constant(["b", "x"])).numpy()
    array([ 2, -1], dtype=int32)

    Args:
      dataset: of keys, integers or strings, and values.
      num_oov_buckets: how many ids behind the values other keys are hashed to; values are ids then.
      vocab_size: how many pairs are taken; all where not given.
      default_value: the value of other keys where there are no buckets.
      hasher_spec: None: keys are hashed by FarmHash's fingerprint.
      key_dtype: the dtype of keys that are looked up.
      name: of the table.

    Raises:
      ValueError: where the dataset gives no pairs of scalars, or ``hasher_spec`` is given.
    """
    key_dtype = dtypes.as_dtype(key_dtype)
    if hasher_spec is not None:
        raise ValueError("table_from_dataset hashes keys by their fingerprint; got a hasher_spec")
    spec = dataset.element_spec if dataset is not None else None
    if dataset is None or not _is_pair(spec):
        raise ValueError(f"table_from_dataset needs a dataset of keys and values, got {spec}")
    pairs = dataset if vocab_size is None else dataset.take(vocab_size)
    keys, values = _all_of(pairs)
    if num_oov_buckets > 0:
        ids = _core.convert_to_tensor(values)
        whole = KeyValueTensorInitializer(keys, ids)
        return StaticVocabularyTable(whole, num_oov_buckets, key_dtype, name)
    return StaticHashTable(KeyValueTensorInitializer(keys, values), default_value, name)


@public("data.experimental.index_table_from_dataset")
@told
def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """A table that numbers the elements of a dataset from 0 on, read at once.

    >>> words = fg.data.Dataset.from_tensor_slices(["emerson", "lake", "palmer"])
    >>> table = fg.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(fg.constant(["lake", "yes"])).numpy()
    array([ 1, -1])

    Args:
      dataset: a ``Dataset`` of keys, scalar integers or strings; it must be given.
      num_oov_buckets: an int, how many numbers after those of the keys other keys are hashed to; 0
        by default.
      vocab_size: an int, how many keys are taken; None, the default, takes all.
      default_value: the number of other keys where there are no buckets; -1 by default.
      hasher_spec: None alone: keys are hashed by their fingerprint.
      key_dtype: the dtype of keys that are looked up where there are buckets; string by default.
      name: a name for the table.

    Returns:
      A ``StaticHashTable``, with num_oov_buckets a ``StaticVocabularyTable``; its numbers are
        int64.

    Raises:
      ValueError: where dataset gives no keys, or hasher_spec is given.
      FailedPreconditionError: where a key comes twice.
    """
    if dataset is None or not isinstance(dataset.element_spec, TensorSpec):
        raise ValueError("index_table_from_dataset needs a dataset of keys")
    numbered = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        numbered, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )


def _is_pair(spec: Any) -> bool:
    return type(spec) is tuple and len(spec) == 2 and all(type(s) is TensorSpec for s in spec)


def _all_of(pairs: Dataset) -> tuple[Any, Any]:
    """All keys, and all values; none of them where the dataset is empty."""
    for both in pairs.batch(_ALL):
        return both
    key, value = pairs.element_spec
    return constant([], key.dtype), constant([], value.dtype)
