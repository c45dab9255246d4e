"""``tf.keras``: the modules of Keras with the names that they had before Keras 3, too.

Keras has these modules below ``keras._tf_keras.keras``, which is what ``tf.keras`` is. Some names
of today are missing there (``losses.mean_squared_error``): the modules of Keras itself have them.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["legacy_module"]

_LEGACY = "keras._tf_keras."


def legacy_module(name: str) -> ModuleType:
    """The module that ``tf.NAME`` is, for ``keras`` or a module below it.

    ModuleNotFoundError where Keras has no such module.
    """
    for parent in _parents(_LEGACY + name):
        if importlib.util.find_spec(parent) is None:
            return importlib.import_module(name)
    found = importlib.import_module(_LEGACY + name)
    for full_name, module in list(sys.modules.items()):
        if full_name.startswith(_LEGACY) and "__getattr__" not in vars(module):
            own_name = full_name.removeprefix(_LEGACY)
            module.__getattr__ = _with_names_of(own_name)  # type: ignore[method-assign]
    return found


def _parents(name: str) -> list[str]:
    """The packages of a module, outermost first, and itself."""
    parts = name.split(".")
    return [".".join(parts[: n + 1]) for n in range(len(parts))]


def _with_names_of(name: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module of before: what it lacks is Keras' own of that name."""

    def find(wanted: str) -> Any:
        is_special = wanted.startswith("__") and wanted.endswith("__")
        own = None if is_special else importlib.util.find_spec(name)
        if own is None:
            raise AttributeError(f"module {_LEGACY + name!r} has no attribute {wanted!r}")
        return getattr(importlib.import_module(name), wanted)

    return find
