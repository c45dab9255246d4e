"""The step of summaries, and parts of them."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from .._src.files.summary_state import get_step, set_step, summary_scope, write_raw_pb

__all__ = [
    "get_step",
    "set_step",
    "summary_scope",
    "write_raw_pb",
]

if not TYPE_CHECKING:
    _LAZY = {
        "get_step": "files.summary_state:get_step",
        "set_step": "files.summary_state:set_step",
        "summary_scope": "files.summary_state:summary_scope",
        "write_raw_pb": "files.summary_state:write_raw_pb",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
