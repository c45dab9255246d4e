"""The version of the package, and of the public API that it follows."""

from __future__ import annotations

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]

# The version of the public API that programs find here.
VERSION = "2.21.0"
GIT_VERSION = "unknown"
COMPILER_VERSION = "rustc"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

PUBLIC = {
    "COMPILER_VERSION": ("version.COMPILER_VERSION",),
    "GIT_VERSION": ("version.GIT_VERSION",),
    "GRAPH_DEF_VERSION": ("version.GRAPH_DEF_VERSION",),
    "GRAPH_DEF_VERSION_MIN_CONSUMER": ("version.GRAPH_DEF_VERSION_MIN_CONSUMER",),
    "GRAPH_DEF_VERSION_MIN_PRODUCER": ("version.GRAPH_DEF_VERSION_MIN_PRODUCER",),
    "VERSION": ("version.VERSION",),
}
