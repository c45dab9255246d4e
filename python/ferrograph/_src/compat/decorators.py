"""Small helpers that libraries call."""

from __future__ import annotations

from typing import Any

__all__ = ["enabled", "unwrap"]


def unwrap(maybe_tf_decorator: Any) -> tuple[list[Any], Any]:
    """The decorators around a function, outermost first, and the function within."""
    found = []
    while hasattr(maybe_tf_decorator, "__wrapped__"):
        found.append(maybe_tf_decorator)
        maybe_tf_decorator = maybe_tf_decorator.__wrapped__
    return found, maybe_tf_decorator


def enabled() -> bool:
    """True: programs have the interface of TensorFlow 2."""
    return True
