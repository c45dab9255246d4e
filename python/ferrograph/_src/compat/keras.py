"""``fg.keras``: the installed Keras, on this backend."""

from __future__ import annotations

import importlib
from types import ModuleType

from .dynamic import accept_dynamic
from .install import install
from .installed import check_keras
from .legacy import legacy_module

__all__ = ["load"]


def load() -> ModuleType:
    """The installed Keras, whose TensorFlow backend runs on ferrograph, and whose layers and models
    take ``dynamic=True``; with the names of before Keras 3, as ``tf.keras`` has them.

    ModuleNotFoundError where Keras is not installed; ImportError where it is set to another
    backend, RuntimeError where TensorFlow itself is loaded.
    """
    check_keras()
    install()
    keras = importlib.import_module("keras")
    accept_dynamic(keras)
    return legacy_module("keras")
