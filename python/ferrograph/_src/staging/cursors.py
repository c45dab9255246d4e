"""Iterators over lists and tuples whose position the graph may decide.

``iter(items)`` in traced code makes a ``Cursor``. Its position is an attribute like any other:
where a branch or a loop advances it, it becomes a tensor, and ``next`` and ``for`` go on there.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from .. import ops
from ..hints import Any
from ..values import dtypes, errors
from . import iteration, kinds, notes, values
from .journal import front_of, is_front, refuse_stale
from .journal import thread as _thread
from .late import by_tensors
from .places import here, say
from .state import attribute_place, is_grown

_MOST_TRACED = 1000
_EXHAUSTED = 2**31 - 1  # the position of an iterator that has ended, whatever its list gains


class Cursor:
    """What ``iter`` gives of a list, a tuple or a range."""

    def __init__(self, items: Any):
        self._held = items
        self._at: Any = 0

    @property
    def _items(self) -> Any:
        """What it runs over; refused where only the graph knows what that holds."""
        refuse_stale(self._held)
        if is_grown(self._held) or is_front(front_of(self._held)):
            raise errors.StagingError(
                say(
                    here(),
                    "an iterator over a list is used here, and a branch or a loop of the graph "
                    "changed how many elements the list has since the iterator was made",
                    "Make the iterator after that, or run over a copy of the list.",
                )
            )
        return self._held

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if self.is_staged():
            self._refuse()
        if self._at >= len(self._items):
            self._move(_EXHAUSTED)
            raise StopIteration
        item = self._items[self._at]
        self._move(self._at + 1)
        return item

    def __length_hint__(self) -> int:
        if self.is_staged():
            self._refuse()
        return max(len(self._items) - self._at, 0)

    def __reduce__(self) -> Any:
        if self.is_staged():
            self._refuse()
        iterator = iter(self._items)
        for _ in range(min(self._at, len(self._items) + 1)):
            next(iterator, None)
        return iterator.__reduce__()

    def __setstate__(self, position: Any) -> None:
        if self.is_staged() or self._at != _EXHAUSTED:
            ended = len(self._items)
            self._move(min(max(operator.index(position), 0), ended))

    def __copy__(self) -> Cursor:
        return self._like(self._held)

    def __deepcopy__(self, memo: dict) -> Cursor:
        import copy

        return self._like(copy.deepcopy(self._held, memo))

    def _like(self, items: Any) -> Cursor:
        made = notes.fresh(Cursor(items))
        made._at = self._at
        return made

    def is_staged(self) -> bool:
        """Whether a tensor is the position."""
        return values.is_tensor(self._at)

    def has_next(self) -> Any:
        """Whether there is another element."""
        return self._at < len(self._items)

    def following(self) -> Any:
        """The next element, at a position that is a tensor; an error when the graph runs out."""
        self._refuse_endless()
        ops.Assert(self.has_next(), ["StopIteration: the iterator has no further element"])
        item = self.at(self._at)
        self._move(self._at + 1)
        return item

    def _refuse_endless(self) -> None:
        """Refuse to take more elements one by one than there are, or many more than that where a
        branch or a loop may take none: code that goes on until they end would never come to an
        end, since the graph alone sees that."""
        taken = _thread.journals[0].taken
        _, n = taken.get(id(self), (self, 0))
        if n > len(self._items) + (_MOST_TRACED if notes.in_region() else 0):
            raise errors.StagingError(
                say(
                    here(),
                    "an iterator that a branch or a loop of the graph advanced is asked for more "
                    "elements than there are: where it ends is known only when the graph runs",
                    "Take the elements before the branch or loop, or run over them with `for`.",
                )
            )
        taken[id(self)] = self, n + 1

    def at(self, index: Any) -> Any:
        """The element at a position that is a tensor."""
        place = ops.clip_by_value(ops.cast(index, dtypes.int32), 0, max(len(self._items) - 1, 0))
        try:
            return by_tensors.one_of(list(self._items), place)
        except errors.StagingError:
            raise
        except (TypeError, ValueError):
            return self._refuse()

    def _move(self, position: Any) -> None:
        notes.touch(attribute_place("the position of an iterator", self, "_at"))
        self._at = position

    def _refuse(self) -> Any:
        raise errors.StagingError(
            say(
                here(),
                "an iterator that a branch or a loop of the graph advanced is used here in a way "
                "that needs its position while tracing, or elements that are tensors alike",
                "Use `next(it)`, `next(it, default)` or `for`, over numbers or tensors of one "
                "dtype and shape; or take the elements before the branch or loop.",
            )
        )


def going_on(iterable: Any) -> Any:
    """What a loop over ``iterable`` runs over: of a cursor at a tensor the elements from there."""
    return _Rest(iterable) if type(iterable) is Cursor and iterable.is_staged() else iterable


class _Rest(iteration.Source):
    """The elements of a cursor from a position that is a tensor; taking one moves the cursor."""

    def __init__(self, cursor: Cursor):
        self._cursor, self._first = cursor, cursor._at
        self.anchors = (lambda: cursor,)
        self.count = ops.maximum(len(cursor._items) - cursor._at, 0)

    def at(self, index: Any) -> Any:
        item = self._cursor.at(self._first + index)
        self._cursor._move(self._first + index + 1)
        return item


kinds.register(Cursor, kinds.FIELDS)
