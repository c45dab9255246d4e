"""Strategies of one replica, and where the program is in them."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.distribute.strategy import (
    MirroredStrategy,
    MultiWorkerMirroredStrategy,
    OneDeviceStrategy,
    ReplicaContext,
    Strategy,
    StrategyExtended,
    TPUStrategy,
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from .._src.distribute.values import (
    DistributedDataset,
    DistributedIterator,
    DistributedValues,
    InputContext,
    ReduceOp,
    RunOptions,
)
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental

__all__ = [
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "InputContext",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReplicaContext",
    "RunOptions",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "experimental",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

if not TYPE_CHECKING:
    _LAZY = {}
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
