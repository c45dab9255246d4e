"""Fourier transforms of the array API standard."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING, Any as _Any

from .._src import door as _door, names_of as _names_of

__all__ = []

if TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...

else:
    __getattr__ = _door(__name__, others="array_api.fft")

    def __dir__():
        return sorted({*__all__, *_names_of("array_api.fft")})
