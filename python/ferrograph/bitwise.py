"""Operations on the bits of integers."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.ops.arithmetic import bitwise_and, bitwise_or, bitwise_xor, left_shift, right_shift
from ._src.ops.elementwise import invert
from ._src import door as _door

__all__ = [
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "invert",
    "left_shift",
    "right_shift",
]

if not TYPE_CHECKING:
    __getattr__ = _door(__name__)

    def __dir__():
        return __all__
