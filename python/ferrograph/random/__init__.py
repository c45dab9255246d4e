"""Random numbers."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from typing import TYPE_CHECKING

from .._src.ops.random_ops import (
    categorical,
    fold_in,
    normal,
    set_seed,
    shuffle,
    split,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental
    from .._src.ops.distributions import (
        gamma,
        poisson,
        stateless_binomial,
        stateless_gamma,
        stateless_poisson,
    )
    from .._src.state.generator import (
        Algorithm,
        Generator,
        create_rng_state,
        get_global_generator,
        set_global_generator,
    )

__all__ = [
    "Algorithm",
    "Generator",
    "categorical",
    "create_rng_state",
    "experimental",
    "fold_in",
    "gamma",
    "get_global_generator",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]

if not TYPE_CHECKING:
    _LAZY = {
        "Algorithm": "state.generator:Algorithm",
        "Generator": "state.generator:Generator",
        "create_rng_state": "state.generator:create_rng_state",
        "gamma": "ops.distributions:gamma",
        "get_global_generator": "state.generator:get_global_generator",
        "poisson": "ops.distributions:poisson",
        "set_global_generator": "state.generator:set_global_generator",
        "stateless_binomial": "ops.distributions:stateless_binomial",
        "stateless_gamma": "ops.distributions:stateless_gamma",
        "stateless_poisson": "ops.distributions:stateless_poisson",
    }
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
