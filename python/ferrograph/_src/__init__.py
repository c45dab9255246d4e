"""What ferrograph is made of. Private: public names are in the namespaces beside this folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy(package: str, where: dict[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose modules are imported when their names are first used.

    ``where`` gives the module of each name, relative to the package.
    """

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find
