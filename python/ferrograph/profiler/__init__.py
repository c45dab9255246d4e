"""Profiles, as programs ask for them; ``fg.profile`` makes them."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental

__all__ = [
    "experimental",
]

if not TYPE_CHECKING:
    _LAZY = {}
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
