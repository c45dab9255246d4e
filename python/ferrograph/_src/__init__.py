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


def door(
    namespace: str, places: dict[str, str] | None = None, modules: tuple[str, ...] = ()
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a public module: folders opened late, and what is known of the rest.

    Args:
      namespace: the module's full name.
      places: where the names are that are imported when they are first asked for, as
        ``"sparse.tensor:SparseTensor"``.
      modules: the public modules below it that are imported so.
    """
    places = places or {}

    def find(name: str) -> Any:
        if name in modules:
            return import_module(f"{namespace}.{name}")
        place = places.get(name)
        if place is None:
            raise _missing(namespace, name)
        module, _, attribute = place.partition(":")
        found = getattr(import_module(f"{__name__}.{module}"), attribute)
        setattr(sys.modules[namespace], name, found)
        return found

    return find


def _missing(namespace: str, name: str) -> AttributeError:
    """The exception for a name that a public module does not have: what is known of it."""
    text = f"module {namespace!r} has no attribute {name!r}"
    if not name.startswith("__"):
        coverage = import_module(f"{__name__}.context.coverage")
        text += coverage.hint(namespace.partition(".")[2], name, dir(sys.modules[namespace]))
    return AttributeError(text, name=name, obj=sys.modules[namespace])
