"""Tensors from and to DLPack capsules."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.values.dlpack import from_dlpack, to_dlpack
from .._src import door as _door

__all__ = [
    "from_dlpack",
    "to_dlpack",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
