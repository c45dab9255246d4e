"""Assertions for tests of programs."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.interfaces.testing import assert_allclose, assert_equal

__all__ = [
    "assert_allclose",
    "assert_equal",
]

if not TYPE_CHECKING:
    _LAZY = {
        "assert_allclose": "interfaces.testing:assert_allclose",
        "assert_equal": "interfaces.testing:assert_equal",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
