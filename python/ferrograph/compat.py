"""Strings as bytes and as text."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.interfaces.compat import as_bytes, as_str_any, as_text, path_to_str
    from ._src.interfaces.compat import as_text as as_str

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "path_to_str",
]

if not TYPE_CHECKING:
    _LAZY = {
        "as_bytes": "interfaces.compat:as_bytes",
        "as_str": "interfaces.compat:as_text",
        "as_str_any": "interfaces.compat:as_str_any",
        "as_text": "interfaces.compat:as_text",
        "path_to_str": "interfaces.compat:path_to_str",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
