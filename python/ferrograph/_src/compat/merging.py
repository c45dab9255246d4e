"""Variable updates by an optimizer within a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..distribute.strategy import Strategy

__all__ = ["maybe_merge_call", "strategy_supports_no_merge_call"]


def strategy_supports_no_merge_call() -> bool:
    """True: with one replica there is nothing to wait for before an update."""
    return True


def maybe_merge_call(fn: Callable[..., Any], strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """``fn(strategy, *args, **kwargs)``, where the program is."""
    return fn(strategy, *args, **kwargs)
