"""How many threads compute."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from .._src.interfaces.device_settings import (
        get_inter_op_parallelism_threads,
        get_intra_op_parallelism_threads,
        set_inter_op_parallelism_threads,
        set_intra_op_parallelism_threads,
    )

__all__ = [
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]

if not TYPE_CHECKING:
    _LAZY = {
        "get_inter_op_parallelism_threads": "interfaces.device_settings:get_inter_op_parallelism_threads",  # noqa: E501
        "get_intra_op_parallelism_threads": "interfaces.device_settings:get_intra_op_parallelism_threads",  # noqa: E501
        "set_inter_op_parallelism_threads": "interfaces.device_settings:set_inter_op_parallelism_threads",  # noqa: E501
        "set_intra_op_parallelism_threads": "interfaces.device_settings:set_intra_op_parallelism_threads",  # noqa: E501
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
