"""Training: checkpoints, the objects whose values they hold, and examples as messages."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.state.moving_average import ExponentialMovingAverage
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental
    from .._src.checkpoint.checkpoint import Checkpoint
    from .._src.checkpoint.manager import CheckpointManager
    from .._src.checkpoint.options import CheckpointOptions
    from .._src.checkpoint.reader import (
        checkpoints_iterator,
        list_variables,
        load_checkpoint,
        load_variable,
    )
    from .._src.checkpoint.state import get_checkpoint_state, latest_checkpoint
    from .._src.checkpoint.views import CheckpointView, TrackableView
    from .._src.files.examples import (
        BytesList,
        Example,
        Feature,
        FeatureList,
        FeatureLists,
        Features,
        FloatList,
        Int64List,
        SequenceExample,
    )

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
    "TrackableView",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

if not TYPE_CHECKING:
    _LAZY = {
        "BytesList": "files.examples:BytesList",
        "Checkpoint": "checkpoint.checkpoint:Checkpoint",
        "CheckpointManager": "checkpoint.manager:CheckpointManager",
        "CheckpointOptions": "checkpoint.options:CheckpointOptions",
        "CheckpointView": "checkpoint.views:CheckpointView",
        "Example": "files.examples:Example",
        "Feature": "files.examples:Feature",
        "FeatureList": "files.examples:FeatureList",
        "FeatureLists": "files.examples:FeatureLists",
        "Features": "files.examples:Features",
        "FloatList": "files.examples:FloatList",
        "Int64List": "files.examples:Int64List",
        "SequenceExample": "files.examples:SequenceExample",
        "TrackableView": "checkpoint.views:TrackableView",
        "checkpoints_iterator": "checkpoint.reader:checkpoints_iterator",
        "get_checkpoint_state": "checkpoint.state:get_checkpoint_state",
        "latest_checkpoint": "checkpoint.state:latest_checkpoint",
        "list_variables": "checkpoint.reader:list_variables",
        "load_checkpoint": "checkpoint.reader:load_checkpoint",
        "load_variable": "checkpoint.reader:load_variable",
    }
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
