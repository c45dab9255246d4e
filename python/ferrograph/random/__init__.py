"""Random numbers."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

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
from .._src.ops.truncated import stateless_parameterized_truncated_normal
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental
    from .._src.ops.candidates import (
        all_candidate_sampler,
        fixed_unigram_candidate_sampler,
        log_uniform_candidate_sampler,
        uniform_candidate_sampler,
    )
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
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "log_uniform_candidate_sampler",
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
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]

if not TYPE_CHECKING:
    _LAZY = {
        "Algorithm": "state.generator:Algorithm",
        "Generator": "state.generator:Generator",
        "all_candidate_sampler": "ops.candidates:all_candidate_sampler",
        "create_rng_state": "state.generator:create_rng_state",
        "fixed_unigram_candidate_sampler": "ops.candidates:fixed_unigram_candidate_sampler",
        "gamma": "ops.distributions:gamma",
        "get_global_generator": "state.generator:get_global_generator",
        "log_uniform_candidate_sampler": "ops.candidates:log_uniform_candidate_sampler",
        "poisson": "ops.distributions:poisson",
        "set_global_generator": "state.generator:set_global_generator",
        "stateless_binomial": "ops.distributions:stateless_binomial",
        "stateless_gamma": "ops.distributions:stateless_gamma",
        "stateless_poisson": "ops.distributions:stateless_poisson",
        "uniform_candidate_sampler": "ops.candidates:uniform_candidate_sampler",
    }
    _MODULES = ("experimental",)
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
