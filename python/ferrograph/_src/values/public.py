"""Declarations of public functions: their names, and how they take composite values.

``make generate`` reads the declarations from the sources and writes the public modules, so that a
name appears in the API by standing in one ``@public`` line. A constant or native object is declared
by an entry of a module's ``PUBLIC`` dict: its public names by its name in that module.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from types import FunctionType

from ..hints import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["Facts", "block", "facts", "functions_like", "public"]

T = TypeVar("T")


class Facts:
    """How a function meant for tensors works on composites.

    ``ragged``: ``"flat"`` on the flat values of the first argument, ``"pair"`` on those of two
    aligned arguments. ``sparse``: ``"zero"`` on the stored values, as it leaves zeros zero.
    """

    __slots__ = ("ragged", "sparse")

    def __init__(
        self,
        ragged: Literal["flat", "pair"] | None = None,
        sparse: Literal["zero"] | None = None,
    ):
        self.ragged, self.sparse = ragged, sparse


_PACKAGE = __name__.partition(".")[0]
_NONE = Facts()
_facts: dict[Any, Facts] = {}


def public(
    *names: str,
    ragged: Literal["flat", "pair"] | None = None,
    sparse: Literal["zero"] | None = None,
) -> Callable[[T], T]:
    """Declare the public names of a function or class, below the package: ``math.erf``, ``erf``.

    The name that ends in its own and is the shortest in dots says where users find it: its
    ``__module__``, of equal ones the first. That module is there wherever the object is, since
    what pickles by reference asks whether it has been imported.
    """

    def declare(value: T) -> T:
        if isinstance(value, (FunctionType, type)):
            _place(value, names)
        if ragged or sparse:
            _facts[value] = Facts(ragged, sparse)
        return value

    return declare


def _place(value: FunctionType | type[Any], names: tuple[str, ...]) -> None:
    home = None
    for name in names:
        space, _, last = name.rpartition(".")
        if last != value.__name__:
            continue
        if not space:
            value.__module__ = _PACKAGE
            return
        if home is None or space.count(".") < home.count("."):
            home = space
    if home is not None:
        value.__module__ = f"{_PACKAGE}.{home}"


def block(generator: Callable[[Any], Iterator[Any]]) -> Any:
    """A ``with`` block out of a generator function of one parameter, which ``inspect`` tells."""
    made = contextlib.contextmanager(generator)

    def opened(given: Any) -> Any:
        return made(given)

    functools.update_wrapper(opened, generator)
    opened.__code__ = opened.__code__.replace(co_varnames=generator.__code__.co_varnames[:1])
    return opened


def functions_like(ragged: str) -> list[Any]:
    """The functions that work so on composites: ``"flat"`` or ``"pair"``."""
    return [function for function, known in _facts.items() if known.ragged == ragged]


def facts(function: Any) -> Facts:
    """What was declared of how a function works on composites."""
    return _facts.get(function, _NONE)
