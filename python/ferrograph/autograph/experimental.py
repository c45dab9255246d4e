"""Functions of AutoGraph that steer the conversion."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.autograph.api import Feature, do_not_convert
from .._src.autograph.inspection import set_loop_options
from .._src import door as _door

__all__ = [
    "Feature",
    "do_not_convert",
    "set_loop_options",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
