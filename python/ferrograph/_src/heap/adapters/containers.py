"""Type adapters of builtin containers: lists, deques, dicts, sets, what derives from them, and the
arguments of partials."""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterable

from ...hints import Any
from .. import user_hashing
from ..location import Container, Location, item_location
from ..trace_context import really
from .base import Found, State, TypeAdapter, same_objects


class Items(TypeAdapter):
    """A list, or a deque, and what derives from them."""

    is_content = True

    def __init__(self, base: type):
        self._iter = base.__iter__

    def hold(self, owner: Any) -> Any:
        return list(self._iter(owner))

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return enumerate(held)

    def reference(self, owner: Any, key: Any) -> Location:
        return item_location("an item", owner, key)

    def differs(self, owner: Any, held: Any) -> bool:
        new = list(self._iter(owner))
        return len(new) != len(held) or not same_objects(held, new)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        place = Container(label, owner)
        yield place, held if isinstance(owner, list) else collections.deque(held)


class PlainList(Items):
    """A list of the class ``list`` itself."""

    def __init__(self) -> None:
        super().__init__(list)

    def hold(self, owner: Any) -> Any:
        return owner[:]

    def differs(self, owner: Any, held: Any) -> bool:
        return len(owner) != len(held) or not same_objects(held, owner)


class Mapping(TypeAdapter):
    """A dict, and what derives from it."""

    is_content = True

    def __init__(self, base: type = dict):
        self._base = base

    def hold(self, owner: Any) -> Any:
        return user_hashing.copied(owner, self._base)

    def parts(self, owner: Any, held: Any) -> Iterable:
        return (*held.values(), *held)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return held.items()

    def reference(self, owner: Any, key: Any) -> Location:
        return item_location("an item", owner, key)

    def differs(self, owner: Any, held: Any) -> bool:
        return not (
            dict.__len__(owner) == len(held)
            and same_objects(held, self._base.__iter__(owner))
            and same_objects(held.values(), self._base.values(owner))
        )

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield Container(label, owner), held


class Members(TypeAdapter):
    """A set, and what derives from it."""

    is_content = True

    def hold(self, owner: Any) -> Any:
        return set(owner)  # by no method of its class, as Python takes a set

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held

    def differs(self, owner: Any, held: Any) -> bool:
        if len(held) != set.__len__(owner):
            return True
        return set(map(id, held)) != set(map(id, set.__iter__(owner)))

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield Container(label, owner), held


class Arguments(State):
    """What a ``functools.partial`` keeps for its calls."""

    def __init__(self) -> None:
        super().__init__(self._identities, None, "function or arguments")

    @staticmethod
    def _identities(held: functools.partial) -> tuple:
        named = ((k, id(really(v))) for k, v in held.keywords.items())
        return (id(really(held.func)), *(id(really(v)) for v in held.args), *named)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return (*enumerate(owner.args), *owner.keywords.items())

    def reference(self, owner: Any, key: Any) -> Location:
        if type(key) is str:
            return item_location("a keyword", owner.keywords, key)

        def put(value: Any) -> None:
            args = (*owner.args[:key], value, *owner.args[key + 1 :])
            owner.__setstate__((owner.func, args, owner.keywords, vars(owner)))

        return Location("an argument", lambda: owner.args[key], put, owner)


class _Step:
    """An iterator that fails once its container gains or loses elements."""

    def __init__(self, owner: Any):
        is_deque = isinstance(owner, collections.deque)
        self._begin = (collections.deque if is_deque else collections.OrderedDict).__iter__
        self._iterator = self._begin(owner)

    def is_out(self, owner: Any) -> bool:
        """Whether its owner has got or lost elements since it began."""
        try:
            next(self._iterator, None)
        except RuntimeError:
            return True
        self._iterator = self._begin(owner)
        return False


class Steps(TypeAdapter):
    """Whether a deque or an ordered dict got or lost elements, also where it holds the same again:
    its iterators fail from then on, which is refused where later code reads one."""

    ends_iterators = True

    def hold(self, owner: Any) -> Any:
        return _Step(owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return held.is_out(owner)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from ()


STEPS = Steps()
