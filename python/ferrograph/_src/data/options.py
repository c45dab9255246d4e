"""Options of datasets."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from ..values.errors import shown
from ..values.public import public

__all__ = ["Options", "ThreadingOptions"]


@public("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """How a dataset is split among workers. There is one, which has all of it.

    >>> options = fg.data.Options()
    >>> options.experimental_distribute.auto_shard_policy = fg.data.experimental.AutoShardPolicy.OFF
    >>> options.experimental_distribute.auto_shard_policy.name
    'OFF'
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@public("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """What to say of state outside a pipeline that is sent elsewhere. None is sent.

    >>> fg.data.experimental.ExternalStatePolicy.IGNORE.value
    1
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


@public("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """How what may be tuned is tuned. Accepted.

    >>> fg.data.experimental.AutotuneAlgorithm.HILL_CLIMB.value
    1
    """

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Settings:
    """Named settings, None where nothing was said."""

    _names: tuple[str, ...] = ()

    def __init__(self) -> None:
        for name in self._names:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._names:
            raise AttributeError(f"{type(self).__name__} has no option {shown(name)}")
        object.__setattr__(self, name, value)

    def _merge(self, other: Any) -> None:
        for name in self._names:
            own, theirs = getattr(self, name), getattr(other, name)
            if isinstance(own, _Settings):
                own._merge(theirs)
            elif theirs is not None:
                setattr(self, name, theirs)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        said = (f"{n}={getattr(self, n)!r}" for n in self._names if getattr(self, n) is not None)
        return f"{type(self).__name__}({', '.join(said)})"


@public("data.experimental.ThreadingOptions", "data.ThreadingOptions")
class ThreadingOptions(_Settings):
    """How many threads iterating may take. The pool of the process serves all; accepted.

    >>> options = fg.data.Options()
    >>> options.threading.private_threadpool_size = 2
    >>> options.threading.private_threadpool_size
    2
    """

    _names = ("max_intra_op_parallelism", "private_threadpool_size")


@public("data.experimental.AutotuneOptions")
class AutotuneOptions(_Settings):
    """What may be tuned while iterating. Accepted.

    >>> options = fg.data.Options()
    >>> options.autotune.enabled = True
    >>> options.autotune.enabled
    True
    """

    _names = (
        "enabled",
        "cpu_budget",
        "ram_budget",
        "autotune_algorithm",
        "initial_parallelism",
        "min_parallelism",
    )


@public("data.experimental.OptimizationOptions")
class OptimizationOptions(_Settings):
    """Which rewritings of a pipeline are allowed. Accepted.

    >>> options = fg.data.Options()
    >>> options.experimental_optimization.map_fusion = True
    >>> options.experimental_optimization.map_fusion
    True
    """

    _names = (
        "apply_default_optimizations",
        "filter_fusion",
        "filter_parallelization",
        "inject_prefetch",
        "map_and_batch_fusion",
        "map_and_filter_fusion",
        "map_fusion",
        "map_parallelization",
        "noop_elimination",
        "parallel_batch",
        "seq_interleave_prefetch",
        "shuffle_and_repeat_fusion",
        "warm_start",
    )


@public("data.experimental.DistributeOptions")
class DistributeOptions(_Settings):
    """How a dataset is split among workers. There is one; accepted.

    >>> options = fg.data.Options()
    >>> options.experimental_distribute.num_devices = 1
    >>> options.experimental_distribute.num_devices
    1
    """

    _names = ("auto_shard_policy", "num_devices")


@public("data.experimental.ServiceOptions")
class ServiceOptions(_Settings):
    """Options of datasets that other processes compute. There are none; accepted.

    >>> options = fg.data.Options()
    >>> options.experimental_service.pinned = True
    >>> options.experimental_service.pinned
    True
    """

    _names = ("pinned",)


@public("data.Options")
class Options(_Settings):
    """Options of a dataset, which those made from it inherit.

    The elements come in order and are the same whatever is set: ``deterministic`` and the numbers
    of threads are carried along for programs that read them.

    >>> options = fg.data.Options()
    >>> options.deterministic = True
    >>> fg.data.Dataset.range(3).with_options(options).batch(2).options().deterministic
    True
    """

    _names = (
        "autotune",
        "dataset_name",
        "deterministic",
        "experimental_deterministic",
        "experimental_distribute",
        "experimental_external_state_policy",
        "experimental_optimization",
        "experimental_service",
        "experimental_slack",
        "experimental_symbolic_checkpoint",
        "experimental_threading",
        "experimental_warm_start",
        "framework_type",
        "service",
        "threading",
    )

    def __init__(self) -> None:
        super().__init__()
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_service = ServiceOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options: Options) -> Options:
        """Options with those of both; where both say something, the given ones count."""
        return Options.merged([self, options])

    @staticmethod
    def merged(all_options: Iterable[Options]) -> Options:
        """The options of several datasets together; later ones count."""
        found = Options()
        for options in all_options:
            found._merge(options)
        return found
