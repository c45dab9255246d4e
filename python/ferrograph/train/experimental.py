"""How checkpoints are spread over files."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from .._src.checkpoint.python_state import PythonState
    from .._src.checkpoint.sharding import (
        MaxShardSizePolicy,
        ShardableTensor,
        ShardByTaskPolicy,
        ShardingCallback,
    )

__all__ = [
    "MaxShardSizePolicy",
    "PythonState",
    "ShardableTensor",
    "ShardByTaskPolicy",
    "ShardingCallback",
]

if not TYPE_CHECKING:
    _LAZY = {
        "MaxShardSizePolicy": "checkpoint.sharding:MaxShardSizePolicy",
        "PythonState": "checkpoint.python_state:PythonState",
        "ShardByTaskPolicy": "checkpoint.sharding:ShardByTaskPolicy",
        "ShardableTensor": "checkpoint.sharding:ShardableTensor",
        "ShardingCallback": "checkpoint.sharding:ShardingCallback",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
