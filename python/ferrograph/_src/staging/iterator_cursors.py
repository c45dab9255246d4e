"""Iterators over lists and tuples whose position the graph may decide.

``iter(items)`` in traced code makes a ``Cursor``. Its position is an attribute like any other:
where a branch or a loop advances it, it becomes a tensor, and ``next`` and ``for`` go on there.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from .. import ops
from ..heap import active_iterators, region_log
from ..heap.adapters import registry
from ..heap.location import attribute_location, is_grown
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import is_proxy, proxy_of, refuse_stale
from ..hints import Any
from ..symbolic import values
from ..values import dtypes, errors
from . import iteration, tensor_indexing

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
        if is_grown(self._held) or is_proxy(proxy_of(self._held)):
            raise errors.StagingError(
                diagnostic(
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
        made = region_log.fresh(Cursor(items))
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
        taken = active_iterators.of_trace().taken
        _, n = taken.get(id(self), (self, 0))
        if n > len(self._items) + (_MOST_TRACED if region_log.in_region() else 0):
            raise errors.StagingError(
                diagnostic(
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
            return tensor_indexing.one_of(list(self._items), place)
        except errors.StagingError:
            raise
        except (TypeError, ValueError):
            return self._refuse()

    def _move(self, position: Any) -> None:
        region_log.touch(attribute_location("the position of an iterator", self, "_at"))
        self._at = position

    def _refuse(self) -> Any:
        raise errors.StagingError(
            diagnostic(
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


registry.register(Cursor, registry.FIELDS)
