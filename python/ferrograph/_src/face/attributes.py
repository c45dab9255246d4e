"""Tensors that libraries hang things on: a mask, the logits behind a probability.

They lie beside the tensors, each as long as its tensor lives.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..native import _core

__all__ = ["allow_attributes"]

# What was set on a tensor, by its address, with what tells that it is gone.
_beside: dict[int, tuple[Any, dict[str, Any]]] = {}


def _get(self: Any, name: str) -> Any:
    found = _beside.get(id(self))
    if found is None or name not in found[1]:
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
        )
    return found[1][name]


def _set(self: Any, name: str, value: Any) -> None:
    if hasattr(type(self), name):
        object.__setattr__(self, name, value)
        return
    key = id(self)
    if key not in _beside:
        _beside[key] = weakref.ref(self, lambda _: _beside.pop(key, None)), {}
    _beside[key][1][name] = value


def _delete(self: Any, name: str) -> None:
    found = _beside.get(id(self))
    if found is None or name not in found[1]:
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
    del found[1][name]


def allow_attributes() -> None:
    """Let tensors take attributes, as objects of Python's own classes do."""
    cls: Any = _core.Tensor
    cls.__getattr__, cls.__setattr__, cls.__delattr__ = _get, _set, _delete
