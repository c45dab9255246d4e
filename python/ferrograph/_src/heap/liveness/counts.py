"""Reference counts of objects, as the interpreter has them.

The count of an object without other references differs between Python versions: it is measured
once, by code of the same form as the code that asks.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Iterable
from typing import Any

from ...context.locals import untraced

# The references to a value, with that of the call: no Python function, whose frame would hold the
# value, too, under a debugger.
count = sys.getrefcount


def referrers(*values: Any) -> list:
    """The objects that hold some values, as far as the collector follows them."""
    return gc.get_referrers(*values)


@functools.cache
def of_name() -> int:
    """How many references a function has of an argument: before Python 3.11 its caller, too, holds
    it meanwhile."""

    def within(one: Any) -> int:
        return count(one)

    def around(one: Any) -> int:
        return within(one)

    def of_one() -> int:
        one = iter(())
        return around(one) - within(one)

    n: int = untraced(of_one)
    return n


@functools.cache
def of_one_name() -> int:
    """The count of an object that has one name, without that name."""

    def alone() -> int:
        one = iter(())
        return count(one) - 1

    n: int = untraced(alone)
    return n


@functools.cache
def of_argument() -> int:
    """The count of an argument within the called function, where the caller has one name for it."""

    def asks(one: Any) -> int:
        return count(one)

    def alone() -> int:
        one: list = []
        return asks(one)

    n: int = untraced(alone)
    return n


@functools.cache
def of_item() -> int:
    """The count of an object that one tuple holds."""

    def alone() -> int:
        pair = None, iter(())
        return count(pair[1])

    n: int = untraced(alone)
    return n


class _Object:
    pass


@functools.cache
def of_fields() -> int:
    """The count of the ``__dict__`` of an object where one name has it, too."""

    def alone() -> int:
        one = _Object()
        held = object.__getattribute__(one, "__dict__")
        return count(held)

    n: int = untraced(alone)
    return n


def are_held(fields: dict) -> bool:
    """Whether the program holds the ``__dict__`` of an object, which one name has here."""
    return count(fields) > of_fields() + of_name()


def holders_of_data(owner: Any, kinds: tuple[type, ...]) -> Iterable[Any]:
    """Objects of some classes that keep a dict or a set as their ``data``."""
    holders = referrers(owner)
    holders += [held for h in holders if type(h) is dict for held in referrers(h)]
    return (h for h in holders if isinstance(h, kinds) and h.__dict__.get("data") is owner)
