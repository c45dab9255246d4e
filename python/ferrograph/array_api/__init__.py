"""The Python array API standard: what ``__array_namespace__`` of tensors gives."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING, Any as _Any

from .._src.array_api.data_types import __array_api_version__, __array_namespace_info__, newaxis
from .._src import door as _door, names_of as _names_of

if TYPE_CHECKING:
    from . import fft, linalg

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "fft",
    "linalg",
    "newaxis",
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...

else:
    _LAZY = {}
    _MODULES = ("fft", "linalg")
    __getattr__ = _door(__name__, _LAZY, _MODULES, others="array_api.names")

    def __dir__():
        return sorted({*__all__, *_names_of("array_api.names")})
