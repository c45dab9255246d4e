"""What a ``functools.partial`` keeps for its calls, as places: an argument is put in place of
another in the object itself."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from ...hints import Any
from ..location import Location, item_location


def places(held: functools.partial) -> Iterator[tuple[Location, Any]]:
    """The arguments and keywords of a partial function, each with its place."""
    for i, value in enumerate(held.args):
        yield _argument(held, i), value
    for name, value in held.keywords.items():
        yield item_location("a keyword", held.keywords, name), value


def _argument(held: Any, i: int) -> Location:
    def put(value: Any) -> None:
        args = (*held.args[:i], value, *held.args[i + 1 :])
        held.__setstate__((held.func, args, held.keywords, vars(held)))

    return Location("an argument", lambda: held.args[i], put, held)
