"""``Strategy`` with one replica, and its scopes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .. import ops
from ..context import thread
from ..context.hooks import hooks
from ..native import _core
from ..state.variable import variable_creator_scope
from ..values import nest
from ..values.public import public
from .values import InputContext, ReduceOp, ValueContext, mirrored

__all__ = [
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "OneDeviceStrategy",
    "ReplicaContext",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


class _Thread(threading.local):
    """The scopes that a thread is in: each a strategy, and the replica where it is in one."""

    def __init__(self) -> None:
        self.scopes: list[tuple[Strategy, ReplicaContext | None]] = []


_thread = _Thread()


@public("distribute.StrategyExtended")
class StrategyExtended:
    """What libraries ask of a strategy: where variables are made and how they are updated.

    >>> v = fg.Variable(1.0)
    >>> extended = fg.distribute.get_strategy().extended
    >>> _ = extended.update(v, lambda variable, by: variable.assign_add(by), args=(2.0,))
    >>> float(v)
    3.0
    """

    def __init__(self, strategy: Strategy, device: str = _CPU):
        self._strategy, self._device = strategy, device

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices that compute."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices that hold variables."""
        return (self._device,)

    @property
    def num_hosts(self) -> int:
        """One."""
        return 1

    @property
    def num_replicas_per_host(self) -> int:
        """One."""
        return 1

    @property
    def experimental_require_static_shapes(self) -> bool:
        """False: shapes need not be known."""
        return False

    def _in_multi_worker_mode(self) -> bool:
        return False

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A scope whose variables are made where that one is: there is one place."""
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to this strategy: every one does."""
        return True

    def value_container(self, value: Any) -> Any:
        """What a replica's value is a part of: it itself."""
        return value

    def call_for_each_replica(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[Any, Any] | None = None,
    ) -> Any:
        """What ``fn`` gives in each replica."""
        return self._strategy.run(fn, args, kwargs)

    def reduce_to(
        self, reduce_op: Any, value: Any, destinations: Any = None, options: Any = None
    ) -> Any:
        """The values of all replicas brought together: that of the one."""
        ReduceOp.of(reduce_op)
        return value

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """``reduce_to`` of many."""
        return [self.reduce_to(reduce_op, value) for value, _ in value_destination_pairs]

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[Any, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Change a variable: ``fn(var, *args, **kwargs)``, which says how."""
        found = fn(var, *args, **(kwargs or {}))
        return found if group else (found,)


@public("distribute.Strategy")
class Strategy:
    """How a computation is spread over replicas: here all of it in one.

    >>> strategy = fg.distribute.OneDeviceStrategy("/cpu:0")
    >>> with strategy.scope():
    ...     v = fg.Variable(2.0)
    >>> float(strategy.run(lambda x: v * x, args=(3.0,)))
    6.0
    """

    def __init__(self, extended: StrategyExtended | None = None):
        self._extended = extended or StrategyExtended(self)

    @property
    def extended(self) -> StrategyExtended:
        """What libraries ask of it."""
        return self._extended

    @property
    def cluster_resolver(self) -> None:
        """None: there are no other processes."""
        return None

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas share a gradient: one."""
        return 1

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A block in which this is the strategy, outside its replicas."""
        with _entered(self, None):
            yield self

    def run(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[Any, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """What ``fn(*args, **kwargs)`` gives in the replica. TypeError for what is no function."""
        if not callable(fn):
            raise TypeError(f"`fn` must be a function, got {type(fn).__name__}")
        called = hooks.converted_callback(fn)
        with self.scope(), _entered(self, ReplicaContext(self)):
            return called(*args, **(kwargs or {}))

    def reduce(self, reduce_op: Any, value: Any, axis: int | None = None) -> Any:
        """The values of all replicas brought together, and along ``axis`` where one is given.

        ValueError for another way than a ``ReduceOp``, or its name.
        """
        way = ReduceOp.of(reduce_op)
        if axis is None:
            return value
        along = ops.reduce_sum if way is ReduceOp.SUM else ops.reduce_mean
        return nest.map_structure(lambda v: along(v, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, one after the other along ``axis``: that of the one."""
        return value

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of this process' replicas."""
        return (value,)

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The values of this process' replicas, by the older name."""
        return self.experimental_local_results(value)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset whose batches are split among the replicas: it itself."""
        return dataset

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """The dataset that a function of an ``InputContext`` makes for the one pipeline."""
        return dataset_fn(InputContext())

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """The value that a function of a ``ValueContext`` makes for the one replica."""
        return value_fn(ValueContext())

    def __deepcopy__(self, memo: dict[Any, Any]) -> Strategy:
        return self


@public("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """One replica on a device.

    >>> fg.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str):
        with thread.device(device):
            super().__init__(StrategyExtended(self, str(device)))


@public("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """A replica on each of this machine's devices: it has one.

    ValueError for several devices.

    >>> fg.distribute.MirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None):
        devices = list(devices) if devices else [_CPU]
        if len(devices) > 1:
            raise ValueError(
                f"a strategy of {len(devices)} devices was asked for, where one process on one "
                "device computes: name one device"
            )
        with thread.device(devices[0]):
            super().__init__(StrategyExtended(self, str(devices[0])))

    @contextlib.contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A block in which this is the strategy, and variables have ``values``, of each replica."""
        with super().scope(), variable_creator_scope(mirrored):
            yield self


class _Elsewhere(Strategy):
    """A strategy that needs what is not there."""

    _needs = ""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(
            f"distribute.{type(self).__name__} needs {self._needs}, where one process on one "
            "device computes. Use distribute.OneDeviceStrategy, or none"
        )


@public("distribute.MultiWorkerMirroredStrategy")
class MultiWorkerMirroredStrategy(_Elsewhere):
    """Replicas in several processes: NotImplementedError, as there is one.

    >>> issubclass(fg.distribute.MultiWorkerMirroredStrategy, fg.distribute.Strategy)
    True
    """

    _needs = "several processes"


@public("distribute.TPUStrategy")
class TPUStrategy(_Elsewhere):
    """Replicas on TPUs: NotImplementedError, as there are none.

    >>> issubclass(fg.distribute.TPUStrategy, fg.distribute.Strategy)
    True
    """

    _needs = "TPUs"


@public("distribute.ReplicaContext")
class ReplicaContext:
    """Where a function is that ``run`` calls: in which replica, of which strategy.

    >>> context = fg.distribute.get_replica_context()
    >>> float(context.all_reduce('SUM', fg.constant(2.0)))
    2.0
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0):
        self._strategy, self._replica = strategy, replica_id_in_sync_group

    @property
    def strategy(self) -> Strategy:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are: one."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """Which of them this is."""
        return self._replica

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the replica."""
        return self._strategy.extended.worker_devices

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[Any, Any] | None = None,
    ) -> Any:
        """What ``merge_fn(strategy, *args, **kwargs)`` gives outside the replicas."""
        with _entered(self._strategy, None):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas brought together: that of the one."""
        ReduceOp.of(reduce_op)
        return value

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas along ``axis``: that of the one."""
        return value

    def __enter__(self) -> ReplicaContext:
        _thread.scopes.append((self._strategy, self))
        return self

    def __exit__(self, *exception: Any) -> None:
        _thread.scopes.pop()


@contextlib.contextmanager
def _entered(strategy: Strategy, replica: ReplicaContext | None) -> Iterator[None]:
    scopes = _thread.scopes
    scopes.append((strategy, replica))
    try:
        yield
    finally:
        scopes.pop()


_DEFAULT = Strategy()
_REPLICA = ReplicaContext(_DEFAULT)
# What `experimental_set_strategy` chose: the strategy outside all scopes.
_chosen: list[Strategy] = []


def _place() -> tuple[Strategy, ReplicaContext | None]:
    if _thread.scopes:
        return _thread.scopes[-1]
    return (_chosen[-1], None) if _chosen else (_DEFAULT, _REPLICA)


@public("distribute.get_strategy")
def get_strategy() -> Strategy:
    """The strategy whose scope the program is in; the default one outside of all.

    >>> fg.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return _place()[0]


@public("distribute.has_strategy")
def has_strategy() -> bool:
    """Whether the program is in the scope of a strategy that it made.

    >>> with fg.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     fg.distribute.has_strategy()
    True
    """
    return get_strategy() is not _DEFAULT


@public("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """In which replica the program is; None in a strategy's scope outside its replicas.

    >>> fg.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    return _place()[1]


@public("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Whether the program is in a strategy's scope, outside its replicas.

    >>> with fg.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     fg.distribute.in_cross_replica_context()
    True
    """
    return get_replica_context() is None


@public("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Have a strategy outside of all scopes.

    >>> fg.distribute.experimental_set_strategy(None)

    Args:
      strategy: a ``Strategy``, or None for the default one.

    Raises:
      RuntimeError: in the scope of a strategy.
      TypeError: for what is no strategy.
    """
    if _thread.scopes:
        raise RuntimeError("a strategy cannot be set inside the scope of one")
    if strategy is not None and not isinstance(strategy, Strategy):
        text = f"strategy must be a Strategy, got {_core.described(strategy)}"
        raise _core.about_argument(strategy, TypeError(text))
    _chosen[:] = [] if strategy is None else [strategy]
