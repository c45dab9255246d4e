"""Older names of generators and of seeds."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.ops.random_ops import fold_in as stateless_fold_in
from .._src.ops.random_ops import split as stateless_split
from .._src import door as _door

if TYPE_CHECKING:
    from .._src.ops.permutations import stateless_shuffle
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
    "create_rng_state",
    "get_global_generator",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]

if not TYPE_CHECKING:
    _LAZY = {
        "Algorithm": "state.generator:Algorithm",
        "Generator": "state.generator:Generator",
        "create_rng_state": "state.generator:create_rng_state",
        "get_global_generator": "state.generator:get_global_generator",
        "set_global_generator": "state.generator:set_global_generator",
        "stateless_shuffle": "ops.permutations:stateless_shuffle",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
