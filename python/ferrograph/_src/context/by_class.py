"""Weak caches of facts about classes."""

from __future__ import annotations

import weakref

from ..hints import Any

__all__ = ["ByClass"]


class ByClass:
    """Values by class. A class that is used no more takes its value along.

    ``found`` holds them by the ids of the classes: loops over many objects look there themselves.
    """

    def __init__(self, found: dict[int, Any] | None = None) -> None:
        self.found: dict[int, Any] = {} if found is None else found
        self._alive: dict[int, weakref.ref[Any]] = {}

    def keep(self, kind: type[Any], value: Any) -> Any:
        """Remember the value of a class; gives it."""
        key, found, alive = id(kind), self.found, self._alive

        def forget(_: Any) -> None:
            found.pop(key, None)
            alive.pop(key, None)

        alive[key] = weakref.ref(kind, forget)
        found[key] = value
        return value
