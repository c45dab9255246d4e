"""AutoGraph: Python's control flow on tensors becomes control flow of the graph."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.autograph.api import convert, tf_convert, trace
from .._src.autograph.inspection import to_code, to_graph
from .._src.autograph.status import control_status_ctx, set_verbosity
from .._src import door as _door

if TYPE_CHECKING:
    from . import errors, experimental

__all__ = [
    "control_status_ctx",
    "convert",
    "errors",
    "experimental",
    "set_verbosity",
    "tf_convert",
    "to_code",
    "to_graph",
    "trace",
]

if not TYPE_CHECKING:
    _LAZY = {}
    _MODULES = ("errors", "experimental")
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
