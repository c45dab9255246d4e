"""``__array_namespace__`` of tensors: the module with the standard's functions."""

from __future__ import annotations

import sys
from typing import Any

from ..values.errors import shown

__all__ = ["namespace"]

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def namespace(api_version: str | None = None) -> Any:
    """The public module of the namespace.

    Raises:
      ValueError: for a version of the standard that it does not follow.
    """
    if api_version is not None and api_version not in _VERSIONS:
        known = ", ".join(_VERSIONS)
        raise ValueError(f"api_version must be None or one of {known}, got {shown(api_version)}")
    return sys.modules[__name__.partition(".")[0]].array_api
