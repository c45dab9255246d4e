"""The names of the namespace's modules, as their public modules ask for them."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["table"]

_PACKAGE = __name__.partition(".")[0]


def table(
    public: str, *modules: ModuleType
) -> tuple[Callable[[], list[str]], Callable[[str], Any]]:
    """What lists the names that modules have, and what finds the value of one, None for others.

    Functions and classes say that they are in the public module.
    """
    values = {name: vars(module)[name] for module in modules for name in module.__all__}
    for value in values.values():
        if isinstance(value, FunctionType) and value.__module__.startswith(f"{_PACKAGE}._src"):
            value.__module__ = f"{_PACKAGE}.{public}"
    return lambda: sorted(values), values.get
