"""The names of ``typing`` that modules need as they are imported.

``typing`` and what it imports would take a sixth of the time of the import and of the first call
of a function; where a program has it already, its own names are these.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING or "typing" in sys.modules:
    from typing import Any, TypeVar, cast
else:

    class Any:
        """Any value at all, in annotations."""

    class TypeVar:
        """A type that several annotations share."""

        def __init__(self, name: str, *constraints: object, bound: object = None):
            self.__name__ = name

    def cast(kind: object, value: object) -> object:
        """``value``, taken to be of a kind."""
        return value


if TYPE_CHECKING:
    from typing import Generic, ParamSpec, overload
else:

    class Generic:
        """A base of classes with type parameters: nothing but ``object`` where programs run."""

        def __class_getitem__(cls, parameters: object) -> type[Any]:
            return object

    def ParamSpec(name: str) -> None:
        """The parameters of a function, which several annotations share."""

    def overload(function: object) -> object:
        """``function``, one of the signatures of the function of that name that follows."""
        return function


__all__ = ["TYPE_CHECKING", "Any", "Generic", "ParamSpec", "TypeVar", "cast", "overload"]
