"""Training: checkpoints, and the objects whose values they hold."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from typing import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.checkpoint.checkpoint import Checkpoint
    from ._src.checkpoint.manager import CheckpointManager
    from ._src.checkpoint.options import CheckpointOptions
    from ._src.checkpoint.reader import (
        checkpoints_iterator,
        list_variables,
        load_checkpoint,
        load_variable,
    )
    from ._src.checkpoint.state import get_checkpoint_state, latest_checkpoint
    from ._src.checkpoint.views import CheckpointView, TrackableView

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "TrackableView",
    "checkpoints_iterator",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

if not TYPE_CHECKING:
    _LAZY = {
        "Checkpoint": "checkpoint.checkpoint:Checkpoint",
        "CheckpointManager": "checkpoint.manager:CheckpointManager",
        "CheckpointOptions": "checkpoint.options:CheckpointOptions",
        "CheckpointView": "checkpoint.views:CheckpointView",
        "TrackableView": "checkpoint.views:TrackableView",
        "checkpoints_iterator": "checkpoint.reader:checkpoints_iterator",
        "get_checkpoint_state": "checkpoint.state:get_checkpoint_state",
        "latest_checkpoint": "checkpoint.state:latest_checkpoint",
        "list_variables": "checkpoint.reader:list_variables",
        "load_checkpoint": "checkpoint.reader:load_checkpoint",
        "load_variable": "checkpoint.reader:load_variable",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
