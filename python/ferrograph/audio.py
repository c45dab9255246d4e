"""Sound from and to the contents of files."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.ops.sound import decode_wav, encode_wav
from ._src import door as _door

__all__ = [
    "decode_wav",
    "encode_wav",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
