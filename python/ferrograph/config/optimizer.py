"""Settings of the passes over graphs."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from .._src.interfaces.settings import (
        get_experimental_options,
        get_jit,
        set_experimental_options,
        set_jit,
    )

__all__ = [
    "get_experimental_options",
    "get_jit",
    "set_experimental_options",
    "set_jit",
]

if not TYPE_CHECKING:
    _LAZY = {
        "get_experimental_options": "interfaces.settings:get_experimental_options",
        "get_jit": "interfaces.settings:get_jit",
        "set_experimental_options": "interfaces.settings:set_experimental_options",
        "set_jit": "interfaces.settings:set_jit",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
