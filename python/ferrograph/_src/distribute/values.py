"""Values under strategies: how they are reduced, and where they are."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from ..native import FG
from ..state.variable import Variable
from ..values.public import public

__all__ = [
    "CrossReplicaValues",
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "InputContext",
    "MirroredVariable",
    "ReduceOp",
    "RunOptions",
    "ValueContext",
    "mirrored",
]


@public("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    """How the values of several replicas become one.

    >>> fg.distribute.ReduceOp.MEAN.value
    'MEAN'
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def of(value: ReduceOp | str) -> ReduceOp:
        """The way of that name, in any case. ValueError for others."""
        return value if isinstance(value, ReduceOp) else ReduceOp(str(value).upper())


@public("distribute.DistributedValues")
class DistributedValues:
    """Values of several replicas under one name. One replica has plain values: none is made here.

    >>> strategy = fg.distribute.get_strategy()
    >>> isinstance(strategy.run(lambda: fg.constant(1)), fg.distribute.DistributedValues)
    False
    """


class CrossReplicaValues(DistributedValues):
    """The values of each replica, ``PerReplica`` in the documents."""


class MirroredVariable(Variable, DistributedValues):
    """A variable with a value for each replica: here it is that of the one."""

    @property
    def values(self) -> tuple[Variable, ...]:
        """The variable of each replica."""
        return (self,)

    @property
    def _values(self) -> tuple[Variable, ...]:
        return (self,)


def mirrored(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
    """A creator of variables in the scope of a strategy of several replicas."""
    made = next_creator(**kwargs)
    if type(made) is Variable:
        made.__class__ = MirroredVariable
    return made


@public("distribute.DistributedDataset")
class DistributedDataset:
    """A dataset of several replicas. One replica iterates over the dataset itself.

    >>> strategy = fg.distribute.get_strategy()
    >>> dataset = fg.data.Dataset.range(2)
    >>> strategy.experimental_distribute_dataset(dataset) is dataset
    True
    """


@public("distribute.DistributedIterator")
class DistributedIterator:
    """An iterator of several replicas. One replica has a ``data.Iterator``.

    >>> issubclass(fg.data.Iterator, fg.distribute.DistributedIterator)
    False
    """


@public("distribute.InputContext")
class InputContext:
    """For which of the input pipelines a dataset is made: the first of one.

    >>> fg.distribute.InputContext().get_per_replica_batch_size(32)
    32
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's part of a batch. ValueError where it does not divide."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"a batch of {global_batch_size} does not divide among "
                f"{self.num_replicas_in_sync} replicas"
            )
        return global_batch_size // self.num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"{FG}.distribute.InputContext(input pipeline id {self.input_pipeline_id}, "
            f"total: {self.num_input_pipelines})"
        )


@public("distribute.experimental.ValueContext")
class ValueContext:
    """For which of the replicas a value is made: the first of one.

    >>> strategy = fg.distribute.get_strategy()
    >>> strategy.experimental_distribute_values_from_function(
    ...     lambda context: context.replica_id_in_sync_group
    ... )
    0
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1):
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync

    def __repr__(self) -> str:
        return (
            f"{FG}.distribute.ValueContext(replica id {self.replica_id_in_sync_group}, "
            f"total replicas in sync: {self.num_replicas_in_sync})"
        )


@public("distribute.RunOptions")
class RunOptions:
    """Options of ``run``, which concern other hardware. Accepted.

    >>> fg.distribute.RunOptions().experimental_xla_options is None
    True
    """

    def __init__(
        self,
        experimental_enable_dynamic_batch_size: bool = True,
        experimental_bucketizing_dynamic_shape: bool = False,
        experimental_xla_options: Any = None,
    ):
        self.experimental_enable_dynamic_batch_size = experimental_enable_dynamic_batch_size
        self.experimental_bucketizing_dynamic_shape = experimental_bucketizing_dynamic_shape
        self.experimental_xla_options = experimental_xla_options
