"""Random numbers with NumPy's names and dtypes."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ..._src.hints import TYPE_CHECKING

from ..._src import door as _door

if TYPE_CHECKING:
    from ..._src.numpy_like.random import (
        poisson,
        rand,
        randint,
        randn,
        random,
        seed,
        standard_normal,
        uniform,
    )

__all__ = [
    "poisson",
    "rand",
    "randint",
    "randn",
    "random",
    "seed",
    "standard_normal",
    "uniform",
]

if not TYPE_CHECKING:
    _LAZY = {
        "poisson": "numpy_like.random:poisson",
        "rand": "numpy_like.random:rand",
        "randint": "numpy_like.random:randint",
        "randn": "numpy_like.random:randn",
        "random": "numpy_like.random:random",
        "seed": "numpy_like.random:seed",
        "standard_normal": "numpy_like.random:standard_normal",
        "uniform": "numpy_like.random:uniform",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
