"""Graphs of other programs."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.saved.graph_def import import_graph_def

__all__ = [
    "import_graph_def",
]

if not TYPE_CHECKING:
    _LAZY = {
        "import_graph_def": "saved.graph_def:import_graph_def",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
