"""Of which version the package is."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.interfaces.version import (
        COMPILER_VERSION,
        GIT_VERSION,
        GRAPH_DEF_VERSION,
        GRAPH_DEF_VERSION_MIN_CONSUMER,
        GRAPH_DEF_VERSION_MIN_PRODUCER,
        VERSION,
    )

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]

if not TYPE_CHECKING:
    _LAZY = {
        "COMPILER_VERSION": "interfaces.version:COMPILER_VERSION",
        "GIT_VERSION": "interfaces.version:GIT_VERSION",
        "GRAPH_DEF_VERSION": "interfaces.version:GRAPH_DEF_VERSION",
        "GRAPH_DEF_VERSION_MIN_CONSUMER": "interfaces.version:GRAPH_DEF_VERSION_MIN_CONSUMER",
        "GRAPH_DEF_VERSION_MIN_PRODUCER": "interfaces.version:GRAPH_DEF_VERSION_MIN_PRODUCER",
        "VERSION": "interfaces.version:VERSION",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
