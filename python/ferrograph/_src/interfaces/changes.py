"""Temporary changes of attributes of classes and modules."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["Changes"]

_ABSENT = object()
_PACKAGE = __name__.partition(".")[0]


class Changes:
    """What was changed, with what was there before."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []
        self._functions: dict[int, tuple[Any, Any]] = {}

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Give a class or module an attribute."""
        self._before.append((owner, name, vars(owner).get(name, _ABSENT)))
        setattr(owner, name, value)

    def replace(self, made: dict[Any, Any]) -> None:
        """Put functions in the place of others, under every name that a module has for these.

        The modules of the implementation keep what they have.
        """
        self._functions |= {id(new): (new, old) for old, new in made.items()}
        _renamed({id(old): (old, new) for old, new in made.items()})

    def undo(self) -> None:
        """Put everything back."""
        while self._before:
            owner, name, value = self._before.pop()
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
        _renamed(self._functions)
        self._functions = {}


def _renamed(functions: dict[int, tuple[Any, Any]]) -> None:
    """Give modules other functions where they name these, by identity."""
    for name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or name.startswith(f"{_PACKAGE}._src"):
            continue
        # Not by `vars`: a module that is loaded once it is asked for stays as it is.
        names = object.__getattribute__(module, "__dict__")
        for attribute, value in list(names.items()):
            if id(value) in functions:
                names[attribute] = functions[id(value)][1]
