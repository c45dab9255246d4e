"""AutoGraph: Python's control flow on tensors becomes control flow of the graph.

A function is parsed, its constructs are rewritten one kind at a time, and the result is compiled
under the user's own file name and line numbers. What a construct does is decided while it runs, by
the value at hand: Python values are treated as Python treats them.
"""

from .._src.autograph.api import convert, tf_convert, trace
from .._src.autograph.inspection import to_code, to_graph
from .._src.autograph.status import control_status_ctx, set_verbosity
from . import experimental

__all__ = [
    "control_status_ctx",
    "convert",
    "experimental",
    "set_verbosity",
    "tf_convert",
    "to_code",
    "to_graph",
    "trace",
]
