"""The modules of Keras that stand at the top level, too."""

from __future__ import annotations

from .keras import load

__all__ = ["initializers", "losses", "metrics", "optimizers"]

_keras = load()
initializers = _keras.initializers
losses = _keras.losses
metrics = _keras.metrics
optimizers = _keras.optimizers
