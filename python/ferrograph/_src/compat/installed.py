"""Which Keras is installed, and which backend it uses."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

from ..native import FG

__all__ = ["check_keras"]

_BACKEND = "tensorflow"


def check_keras() -> None:
    """ModuleNotFoundError where Keras is not installed; ImportError where it is set to another
    backend.
    """
    if importlib.util.find_spec("keras") is None:
        raise ModuleNotFoundError(
            f"{FG}.keras is the installed Keras, and there is none: pip install 'ferrograph[keras]'"
        )
    name, place = _chosen()
    if name != _BACKEND:
        raise ImportError(
            f"{FG}.keras runs on Keras' {_BACKEND} backend, but {place} names {name!r}: set it to "
            f"{_BACKEND!r}, or unset it"
        )


def _chosen() -> tuple[str, str]:
    """The backend that Keras takes, and what says so."""
    loaded = sys.modules.get("keras.src.backend.config")
    if loaded is not None:
        return loaded.backend(), "the Keras that is loaded"
    if os.environ.get("KERAS_BACKEND"):
        return os.environ["KERAS_BACKEND"], "KERAS_BACKEND"
    home = os.environ.get("KERAS_HOME")
    path = (Path(home) if home else Path.home() / ".keras") / "keras.json"
    try:
        settings = json.loads(path.read_text())
    except (OSError, ValueError):  # Keras takes its own default then, too
        return _BACKEND, ""
    return settings.get("backend", _BACKEND), str(path)
