"""How the tensors of a checkpoint are spread over data files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..values.errors import shown
from ..values.public import public

__all__ = [
    "MaxShardSizePolicy",
    "ShardByTaskPolicy",
    "ShardableTensor",
    "ShardingCallback",
    "sharded",
]


@public("train.experimental.ShardableTensor")
class ShardableTensor(NamedTuple):
    """A tensor of a checkpoint, as a `ShardingCallback` sees it.

    >>> fg.train.experimental.ShardableTensor._fields[:2]
    ('tensor', 'dtype')
    """

    #: The tensor.
    tensor: Any
    #: Its dtype.
    dtype: Any
    #: The device that holds it.
    device: str
    #: Its name in the checkpoint.
    name: str
    #: Its shape.
    shape: Any
    #: Which part of a larger tensor it is: always whole, an empty string.
    slice_spec: str
    #: Its name in the checkpoint.
    checkpoint_key: str
    #: The object that it belongs to; None.
    trackable: Any = None


@public("train.experimental.ShardingCallback")
class ShardingCallback:
    """Says which tensors of a checkpoint go together into one data file.

    A subclass has a ``description`` and is called with the `ShardableTensor` objects in the order
    of their names. It gives a list of the files, each a dictionary of dictionaries:
    ``{checkpoint_key: {slice_spec: tensor}}``. Every tensor must be in one of them, as it came.

    >>> class OneEach(fg.train.experimental.ShardingCallback):
    ...     @property
    ...     def description(self):
    ...         return "A file for each tensor."
    ...     def __call__(self, shardable_tensors):
    ...         return [{t.checkpoint_key: {t.slice_spec: t.tensor}} for t in shardable_tensors]
    >>> OneEach().description
    'A file for each tensor.'
    """

    @property
    def description(self) -> str:
        """What it does, for people."""
        raise NotImplementedError(f"{type(self).__name__} has no description")

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[Any, Any]]:
        """The files."""
        raise NotImplementedError(f"{type(self).__name__} can't be called")


def _alone(tensor: ShardableTensor) -> dict[str, dict[str, Any]]:
    return {tensor.checkpoint_key: {tensor.slice_spec: tensor.tensor}}


@public("train.experimental.ShardByTaskPolicy")
class ShardByTaskPolicy(ShardingCallback):
    """A data file for each task that holds tensors: one, since one process computes.

    >>> fg.train.experimental.ShardByTaskPolicy().description
    'Split tensors into shards based on their device spec task.'
    """

    @property
    def description(self) -> str:
        """What it does, for people."""
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[Any, Any]]:
        """The one file."""
        return [{key: part for t in shardable_tensors for key, part in _alone(t).items()}]


@public("train.experimental.MaxShardSizePolicy")
class MaxShardSizePolicy(ShardingCallback):
    """Data files of at most so many bytes.

    Tensors stay whole, in the order of their names: where the next one does not fit, a new file
    begins. A tensor that is larger than a file may be has one of its own. The graph of the objects,
    which comes with every checkpoint, counts as nothing, and strings count by their bytes.

    >>> step, w = fg.Variable(1), fg.Variable(fg.zeros([1000]))
    >>> policy = fg.train.experimental.MaxShardSizePolicy(max_shard_size=2000)
    >>> options = fg.train.CheckpointOptions(experimental_sharding_callback=policy)
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = fg.train.Checkpoint(step=step, w=w).write(folder + "/c", options)
    ...     sorted(os.listdir(folder))
    ['c.data-00000-of-00002', 'c.data-00001-of-00002', 'c.index']

    Args:
      max_shard_size: the bytes of tensors in a file.

    Raises:
      ValueError: where that is not positive.
    """

    def __init__(self, max_shard_size: int):
        if max_shard_size <= 0:
            raise ValueError(f"max_shard_size must be positive, got {shown(max_shard_size)}")
        self.max_shard_size = max_shard_size

    @property
    def description(self) -> str:
        """What it does, for people."""
        return "Split tensors into shards with a max shard size."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Mapping[Any, Any]]:
        """The files."""
        shards: list[dict[Any, Any]] = []
        large: list[dict[Any, Any]] = []
        free = 0
        for tensor in shardable_tensors:
            size = _n_bytes(tensor)
            if size > self.max_shard_size:
                large.append(_alone(tensor))
                continue
            if size > free or not shards:
                shards.append({})
                free = self.max_shard_size
            shards[-1].update(_alone(tensor))
            free -= size
        return shards + large


# The name of the graph of the objects, which is not counted.
_UNCOUNTED = "_CHECKPOINTABLE_OBJECT_GRAPH"


def _n_bytes(tensor: ShardableTensor) -> int:
    if tensor.checkpoint_key == _UNCOUNTED:
        return 0
    if tensor.dtype.name == "string":
        numpy = getattr(tensor.tensor, "numpy", None)
        if numpy is None:
            return 0
        found = numpy()
        return sum(map(len, found.ravel())) if hasattr(found, "ravel") else len(found)
    n_elements = tensor.shape.num_elements()
    return 0 if n_elements is None else n_elements * tensor.dtype.size


def sharded(tensors: dict[str, Any], callback: Any) -> list[int]:
    """The number of the data file of each tensor, in the order of their names.

    ValueError where the callback leaves a tensor out, gives one twice, or changes one.
    """
    names = sorted(tensors)
    given = [
        ShardableTensor(t, t.dtype, t.device, name, t.shape, "", name)
        for name, t in ((name, tensors[name]) for name in names)
    ]
    found: dict[str, int] = {}
    shards = [shard for shard in callback(given) if shard]
    for number, shard in enumerate(shards):
        for name, parts in shard.items():
            _check(name, parts, tensors, found, callback)
            found[name] = number
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"{_named(callback)} left out the tensors {missing}")
    return [found[name] for name in names]


def _named(callback: Any) -> str:
    return f"the sharding callback {type(callback).__name__}"


def _check(
    name: str, parts: Any, tensors: dict[Any, Any], found: dict[Any, Any], callback: Any
) -> None:
    """ValueError for what a callback may not give under a name."""
    if name not in tensors:
        raise ValueError(f"{_named(callback)} gave a tensor {name!r} that it was not given")
    if name in found:
        raise ValueError(f"{_named(callback)} gave {name!r} twice")
    if list(parts) != [""]:
        raise ValueError(
            f"{_named(callback)} gave slices of {name!r}, {list(parts)}: tensors stay whole, under "
            "the slice_spec that they came with"
        )
    was, now = tensors[name], parts[""]
    if now is not was and (now.dtype != was.dtype or now.shape != was.shape):
        raise ValueError(
            f"{_named(callback)} changed {name!r}: a {was.dtype.name} of shape {was.shape} came "
            f"back as a {now.dtype.name} of shape {now.shape}"
        )
