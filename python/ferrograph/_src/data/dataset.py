"""``Dataset``: a pipeline of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..context.hooks import hooks
from ..native import _core
from ..values import nest
from ..values.composite import CompositeTensor
from ..values.dtypes import as_dtype, int64
from ..values.errors import shown
from ..values.markers import DatasetV2
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from . import structure, traced
from .iterator import Iterator, NumpyIterator
from .options import Options
from .specs import DatasetSpec
from .structure import scalar

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2
_LARGEST = 2**63 - 1


class _Late:
    """What methods of ``Dataset`` call that itself makes datasets; ``methods`` fills it in."""

    batch: Callable[..., Any]
    bucket_by_sequence_length: Callable[..., Any]
    window: Callable[..., Any]
    cache: Callable[..., Any]
    chosen: Callable[..., Any]
    generated: Callable[..., Any]
    group_by_window: Callable[..., Any]
    interleave: Callable[..., Any]
    list_files: Callable[..., Any]
    load: Callable[..., Any]
    padded_batch: Callable[..., Any]
    parallel_map: Callable[..., Any]
    ragged_batch: Callable[..., Any]
    random_numbers: Callable[..., Any]
    rebatch: Callable[..., Any]
    reduce: Callable[..., Any]
    rejection_resample: Callable[..., Any]
    sampled: Callable[..., Any]
    save: Callable[..., Any]
    scan: Callable[..., Any]
    seeds: Callable[..., Any]
    slices: Callable[..., Any]
    snapshot: Callable[..., Any]
    sparse_batch: Callable[..., Any]
    unbatch: Callable[..., Any]
    zipped: Callable[..., Any]


late = _Late()


def made(variant: Any, element_spec: Any, name: str = "Dataset", *inputs: Dataset) -> Dataset:
    """The dataset that a variant tensor holds; it inherits the options of ``inputs``."""
    dataset = object.__new__(Dataset)
    dataset._set(variant, element_spec, name, Options.merged([i._options for i in inputs]))
    return dataset


def emitted(
    op: str, inputs: list[Any], element_spec: Any, *datasets: Dataset, **attrs: Any
) -> Dataset:
    """A dataset from the operation that makes it."""
    variant = _core.emit(op, inputs, {**attrs, **structure.attributes(element_spec)})
    return made(variant, element_spec, op, *datasets)


@public("data.Dataset")
class Dataset(CompositeTensor, DatasetV2):
    """Elements one after the other, computed when they are asked for.

    An element is a tensor, or a nested structure (tuples, dicts, namedtuples) of them. Iterate with
    ``for``, take an iterator with ``iter``, or fold with ``reduce``. While a function is traced a
    ``for`` statement over a dataset becomes a staged loop. Functions that methods take are
    traced once, with AutoGraph.

    >>> squares = fg.data.Dataset.range(5).map(lambda x: x * x)
    >>> [int(x) for x in squares]
    [0, 1, 4, 9, 16]
    >>> [x.numpy().tolist() for x in squares.batch(2)]
    [[0, 1], [4, 9], [16]]
    """

    _variant_tensor: Any
    _element_spec: Any

    def __init__(self, variant_tensor: Any, element_spec: Any = None):
        if element_spec is None:
            raise TypeError(
                "a Dataset is made by its static methods, such as Dataset.from_tensor_slices"
            )
        self._set(variant_tensor, element_spec, "Dataset", Options())

    def _set(self, variant: Any, element_spec: Any, name: str, options: Options) -> None:
        self._variant_tensor, self._element_spec = variant, element_spec
        self._op_name, self._options = name, options

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    def _staged_elements(self) -> Iterator:
        return iter(self)

    # Looking at it.

    @property
    def element_spec(self) -> Any:
        """The type of an element: its structure with a ``TypeSpec`` for each component."""
        return self._element_spec

    def __iter__(self) -> Iterator:
        attrs = structure.attributes(self._element_spec)
        handle = _core.emit("AnonymousIteratorV3", (), attrs)
        _core.emit("MakeIterator", (self._variant_tensor, handle))
        return Iterator(handle, self._element_spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements with NumPy arrays for tensors.

        TypeError for elements that are no arrays, RuntimeError while a function is traced.
        """
        if not _core.executing_eagerly():
            raise RuntimeError("as_numpy_iterator() is not there while a function is traced")
        for spec in nest.flatten(self._element_spec):
            if isinstance(spec, DatasetSpec):
                raise TypeError(f"as_numpy_iterator() does not make arrays of {spec}")
        return NumpyIterator(self)

    def cardinality(self, name: str | None = None) -> Any:
        """The number of elements, a scalar int64 tensor: -1 for no end, -2 where it is unknown."""
        return _core.emit("DatasetCardinality", (self._variant_tensor,), None, name)

    def __len__(self) -> int:
        count = self.cardinality()._constant_value() if not _core.executing_eagerly() else None
        if _core.executing_eagerly():
            count = self.cardinality().numpy()
        if count is None:
            raise TypeError("the length of this dataset is known only when the graph runs")
        if count < 0:
            kind = "infinite" if count == INFINITE_CARDINALITY else "unknown"
            raise TypeError(f"the dataset has an {kind} number of elements, so it has no len()")
        return int(count)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<_{self._op_name} element_spec={self._element_spec!r}>"

    def options(self) -> Options:
        """The options of the dataset and of those that it is made from."""
        return self._options

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The dataset with these options beside its own. ValueError where they contradict it."""
        dataset = made(self._variant_tensor, self._element_spec, "OptionsDataset")
        dataset._options = Options.merged([self._options, options])
        return dataset

    # Sources.

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of one element, which is the structure given."""
        value = structure.normalized(tensors)
        spec = structure.type_of(value)
        return emitted("TensorDataset", structure.tensors_of(value), spec)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The rows of the tensors in a structure, one element for each.

        ValueError for a scalar, and where the numbers of rows differ.
        """
        return late.slices(tensors)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """What a Python generator yields; each iteration calls ``generator`` anew.

        ``output_signature`` is the type of an element; ``output_types`` and ``output_shapes`` are
        the older way to give it. ``args`` are passed as NumPy arrays. TypeError for what is no
        function; iterating raises InvalidArgumentError where an element has another type.
        """
        return late.generated(generator, output_types, output_shapes, args, output_signature)

    @staticmethod
    def range(*args: Any, output_type: Any = int64, name: str | None = None) -> Dataset:
        """The numbers that ``range`` gives for the same arguments, as scalars.

        InvalidArgumentError where the step is 0.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"range takes one to three bounds, got {len(args)}")
        bounds = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        inputs = [scalar(bound) for bound in bounds]
        return emitted("RangeDataset", inputs, TensorSpec([], as_dtype(output_type)))

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: Any = None, name: str | None = None
    ) -> Dataset:
        """Random int64 numbers in [0, 2**32), without end.

        The same in each iteration unless ``rerandomize_each_iteration`` is set.

        >>> numbers = fg.data.Dataset.random(seed=1).take(3)
        >>> [int(x) for x in numbers] == [int(x) for x in numbers]
        True
        """
        return late.random_numbers(seed, bool(rerandomize_each_iteration))

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Any:
        """The numbers from ``start`` in steps, without end.

        >>> [int(x) for x in fg.data.Dataset.counter(2, 3).take(3)]
        [2, 5, 8]
        """
        first = _core.convert_to_tensor(start, dtype)
        step = _core.convert_to_tensor(step, dtype)
        forever = Dataset.from_tensors(0).repeat()
        return forever.scan(first, lambda number, _: (number + step, number))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that fit a pattern, or one of several.

        They come in random order, another one in each iteration, unless ``shuffle`` is False: then
        they are sorted. InvalidArgumentError where nothing fits.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     open(os.path.join(folder, "a.txt"), "w").close()
        ...     [os.path.basename(f.numpy()) for f in fg.data.Dataset.list_files(folder + "/*.txt")]
        [b'a.txt']
        """
        return late.list_files(file_pattern, shuffle, seed)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """The elements of several datasets side by side, as many as the shortest has.

        Takes datasets, or one structure of them, which becomes the structure of the elements.
        TypeError for anything else.
        """
        return late.zipped(args, datasets)

    @staticmethod
    def choose_from_datasets(
        datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Elements of ``datasets``, each from the one whose number ``choice_dataset`` gives.

        >>> parts = [fg.data.Dataset.range(2), fg.data.Dataset.range(10, 12)]
        >>> choice = fg.data.Dataset.range(2).repeat()
        >>> [int(x) for x in fg.data.Dataset.choose_from_datasets(parts, choice)]
        [0, 10, 1, 11]
        """
        return late.chosen(datasets, choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Any,
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: Any = None,
    ) -> Dataset:
        """Elements of ``datasets`` drawn at random, by ``weights`` or each as likely.

        >>> parts = [fg.data.Dataset.range(3), fg.data.Dataset.range(10, 13)]
        >>> sorted(int(x) for x in fg.data.Dataset.sample_from_datasets(parts, seed=1))
        [0, 1, 2, 10, 11, 12]
        """
        rerandomize = bool(rerandomize_each_iteration)
        return late.sampled(datasets, weights, seed, stop_on_empty_dataset, rerandomize)

    # Functions of elements.

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        synchronous: Any = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """``map_func`` of each element; the parts of a tuple are arguments of their own.

        With ``num_parallel_calls`` other threads compute up to so many elements before they are
        asked for (``AUTOTUNE``: as many as serve the machine). The order is kept unless
        ``deterministic`` is False. A function that draws random numbers from a stream, prints, or
        changes variables or tables is called for one element after the other all the same, so
        that it does what it does without; functions of Python (``py_function``) may be called by
        several threads.

        >>> squares = fg.data.Dataset.range(4).map(lambda x: x * x, num_parallel_calls=2)
        >>> [int(x) for x in squares]
        [0, 1, 4, 9]
        """
        f = traced.Traced(map_func, traced.element_arguments(self._element_spec), "map")
        if num_parallel_calls is None:
            return self._applied("MapDataset", f, f.type, f=f.graph)
        return late.parallel_map(self, f, num_parallel_calls, deterministic)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements that ``predicate`` holds for. ValueError where it gives no scalar bool."""
        f = traced.predicate(predicate, self._element_spec, "filter")
        return self._applied("FilterDataset", f, self._element_spec, predicate=f.graph)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first that ``predicate`` does not hold for."""
        f = traced.predicate(predicate, self._element_spec, "take_while")
        return self._applied("TakeWhileDataset", f, self._element_spec, predicate=f.graph)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that ``map_func`` gives, one dataset after the other."""
        arguments = traced.element_arguments(self._element_spec)
        f = traced.into_dataset(map_func, arguments, "flat_map")
        return self._applied("FlatMapDataset", f, f.type.element_spec, f=f.graph)

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets that ``map_func`` gives, by turns.

        ``cycle_length`` datasets are open at a time (as many as there are processors where it is
        not given), and ``block_length`` elements are taken from one before the next has its turn.
        With ``num_parallel_calls`` so many threads at most compute elements of datasets whose turn
        comes (``AUTOTUNE``: as many as serve the machine), in the same order. They leave alone
        datasets that draw random numbers, shuffle, cache, or run Python generators.
        """
        return late.interleave(
            self, map_func, cycle_length, block_length, num_parallel_calls, deterministic
        )

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Pairs of a class and an element, some left out so that classes are as often as asked for.

        ``class_func`` gives the class of an element, an integer scalar; ``target_dist`` is the
        vector of the classes' probabilities. ``initial_dist`` has those of the elements as they
        are, estimated on the way where it is not given.
        """
        return late.rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Dataset:
        """What ``scan_func(state, element)`` gives beside the next state, for each element."""
        return late.scan(self, initial_state, scan_func)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """``reduce_func(state, element)`` for each element in turn: the state after the last.

        Gradients flow to the initial state and to what the function uses from outside.
        TypeError where the function changes the structure or a dtype of the state.
        """
        return late.reduce(self, initial_state, reduce_func)

    def apply(self, transformation_func: Callable[..., Any]) -> Dataset:
        """What a function of datasets makes of this one. TypeError where that is no dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"the function of apply must give a Dataset, gives {shown(dataset)}")
        return dataset

    def _applied(self, op: str, by: traced.Traced, element_spec: Any, **attrs: Any) -> Dataset:
        inputs = [self._variant_tensor, *by.captured]
        return emitted(op, inputs, element_spec, self, **attrs)

    # By number.

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first ``count`` elements; all of them for -1."""
        return self._counted("TakeDataset", count)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """What comes after the first ``count`` elements; nothing for -1."""
        return self._counted("SkipDataset", count)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """All elements ``count`` times; without end for None or -1."""
        return self._counted("RepeatDataset", -1 if count is None else count)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every ``num_shards``-th element, from number ``index`` on."""
        return self._counted("ShardDataset", num_shards, index)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The same elements. They are computed when they are asked for."""
        return self._counted("PrefetchDataset", buffer_size)

    def _counted(self, op: str, *counts: Any) -> Dataset:
        inputs = [self._variant_tensor, *(scalar(count) for count in counts)]
        return emitted(op, inputs, self._element_spec, self)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from ``start`` on, and an element."""
        return Dataset.zip((Dataset.range(start, _LARGEST), self))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another. TypeError where the types differ."""
        structure.same_kind(self._element_spec, dataset._element_spec, "concatenate")
        spec = structure.generalised(self._element_spec, dataset._element_spec)
        inputs = [self._variant_tensor, dataset._variant_tensor]
        return emitted("ConcatenateDataset", inputs, spec, self, dataset)

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order: each is drawn from a buffer of the next ``buffer_size``.

        Each iteration gets another order unless ``reshuffle_each_iteration`` is False.
        """
        again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        inputs = [self._variant_tensor, scalar(buffer_size), *late.seeds(seed)]
        attrs = {"reshuffle_each_iteration": again}
        return emitted("ShuffleDatasetV3", inputs, self._element_spec, self, **attrs)

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The same elements, computed by the first iteration that reaches the end.

        They are kept in memory; with ``filename`` in a file of that name (behind which stand
        ``.data-00000-of-00001`` and, once it is whole, ``.index``), where later iterations find
        them, those of other programs too. What an iteration did not bring to its end does not
        count.
        """
        if isinstance(filename, str) and not filename:
            return self._counted("CacheDatasetV2")
        return late.cache(self, filename)

    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The same elements, which the first iteration that reaches the end leaves in a folder.

        Later iterations, those of other programs too, read them there. ``shard_func(*element)`` is
        the number of the file that an element goes to; ``reader_func`` makes a dataset of a dataset
        with a dataset for each file.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     numbers = fg.data.Dataset.range(3).shuffle(3).snapshot(folder)
        ...     [int(x) for x in numbers] == [int(x) for x in numbers]
        True
        """
        return late.snapshot(self, path, compression, reader_func, shard_func)

    def save(
        self,
        path: Any,
        compression: Any = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, from which ``Dataset.load`` reads them.

        What the folder held before counts until the new elements are whole. TensorFlow 2.21 reads
        it too. ``compression`` is None, ``"GZIP"`` or ``"SNAPPY"``; ``shard_func(*element)`` is the
        number of the file that an element goes to.

        With ``checkpoint_args``, what a `train.CheckpointManager` takes besides its checkpoint, a
        program that is stopped while it saves goes on where it was when it saves again: elements
        are written in parts of ``checkpoint_interval``, one each where there is none, below the
        ``directory``, with the position of the iterator; at the end they are put together in
        ``path``. ``step_counter`` counts the elements. What is saved already is not saved again.

        ValueError for ``checkpoint_args`` with a ``checkpoint`` or without a ``directory``.
        """
        if checkpoint_args:
            hooks.saved_with_checkpoints(self, path, compression, shard_func, checkpoint_args)
        else:
            late.save(self, path, compression, shard_func)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: Callable[..., Any] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """The elements that ``Dataset.save`` wrote into a folder, here or in TensorFlow 2.21.

        ``element_spec`` is needed where the folder does not tell the type, and ``compression``,
        that of ``save``, where TensorFlow wrote it. ``reader_func`` makes a dataset of a dataset
        with a dataset for each file; without it they come one after the other. NotFoundError where
        nothing whole is there, unless ``wait`` is set: then it waits until another thread or
        program is done with saving. Iterating raises DataLossError for a damaged file.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fg.data.Dataset.range(3).save(folder)
        ...     [int(x) for x in fg.data.Dataset.load(folder)]
        [0, 1, 2]
        """
        return late.load(path, element_spec, compression, reader_func, wait)

    def unique(self, name: str | None = None) -> Dataset:
        """Each element once, where it comes first."""
        return self._counted("UniqueDataset")

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be computed; those that fail are left out."""
        return self._counted("IgnoreErrorsDataset")

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; InvalidArgumentError where there are none or several."""
        attrs = structure.attributes(self._element_spec)
        found = _core.emit_detached("DatasetToSingleElement", [self._variant_tensor], attrs)
        return structure.packed(self._element_spec, found)

    # Several elements as one.

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """``batch_size`` elements as one, stacked along a new first axis.

        The last may have fewer unless ``drop_remainder`` is set. Iterating raises
        InvalidArgumentError where shapes differ.
        """
        return late.batch(self, batch_size, drop_remainder)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """``batch_size`` elements as one, padded at their ends to one shape and stacked.

        A dimension that is None or -1 in ``padded_shapes`` (all unknown ones where it is not given)
        is that of the longest element in the batch. The padding is 0, or an empty string. Iterating
        raises DataLossError for an element longer than its padded shape.
        """
        return late.padded_batch(self, batch_size, padded_shapes, padding_values, drop_remainder)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = int64,
        name: str | None = None,
    ) -> Dataset:
        """``batch_size`` elements as one; tensors of unknown shape become ragged tensors."""
        return late.ragged_batch(self, batch_size, drop_remainder, as_dtype(row_splits_dtype))

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """``batch_size`` tensors as the rows of a sparse tensor, which holds all their elements.

        A row has the shape ``row_shape``; a dimension of it that is None is that of the largest of
        the tensors. Iterating raises InvalidArgumentError for a tensor of another rank, or one
        that is larger than a row.
        """
        return late.sparse_batch(self, batch_size, row_shape)

    def unbatch(self, name: str | None = None) -> Dataset:
        """The rows of the elements, one after the other."""
        return late.unbatch(self)

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: Any = None) -> Dataset:
        """The rows of batches in batches of another size.

        ``batch_size`` may be a list of sizes: the batches have them in turn, from the first again.
        A size of 0 gives an empty batch at its place, in which sizes that no type tells are 0.
        The last batch may be shorter unless ``drop_remainder`` is set; none follows a shorter one.
        """
        return late.rebatch(self, batch_size, drop_remainder)

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of ``size`` elements each, which begin ``shift`` (``size``) elements apart.

        Within one the elements are ``stride`` apart. An element of several components gives a
        structure of datasets, one for each component.
        """
        return late.window(self, size, shift, stride, drop_remainder)

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of what ``reduce_func(key, dataset)`` makes of windows of equal keys.

        A window has ``window_size`` elements, or as many as ``window_size_func(key)`` says; what is
        left at the end follows in the order of the keys.
        """
        return late.group_by_window(self, key_func, reduce_func, window_size, window_size_func)

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], *args: Any, **keywords: Any
    ) -> Any:
        """Padded batches of elements of similar length.

        Arguments after the function that gives the length of an element: ``bucket_boundaries``, the
        upper ends of the buckets but the last; ``bucket_batch_sizes``, one more; ``padded_shapes``,
        ``padding_values``, ``pad_to_bucket_boundary``, ``no_padding``, ``drop_remainder``.
        """
        return late.bucket_by_sequence_length(self, element_length_func, *args, **keywords)


DatasetSpec._value_class = Dataset
DatasetSpec._made = staticmethod(made)

# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "AUTOTUNE": ("data.experimental.AUTOTUNE", "data.AUTOTUNE"),
    "INFINITE_CARDINALITY": ("data.experimental.INFINITE_CARDINALITY", "data.INFINITE_CARDINALITY"),
    "UNKNOWN_CARDINALITY": ("data.experimental.UNKNOWN_CARDINALITY", "data.UNKNOWN_CARDINALITY"),
}
