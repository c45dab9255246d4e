"""Hashable references to tensors and variables."""

from __future__ import annotations

from ..hints import Any

__all__ = ["Reference"]


class Reference:
    """A hashable reference to a tensor or variable; ``deref()`` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: Any):
        self._value = value

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._value

    def __hash__(self) -> int:
        return id(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and other._value is self._value

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._value!r}>"
