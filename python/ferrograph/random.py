"""Random numbers."""

from ._src.ops.random_ops import (
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

__all__ = [
    "categorical",
    "fold_in",
    "normal",
    "set_seed",
    "shuffle",
    "split",
    "stateless_categorical",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
