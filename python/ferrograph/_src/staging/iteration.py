"""Iteration of staged ``for`` loops: the first position, whether there is a next element, the
element; and iterators over lists and tuples with a symbolic position.

``iter(items)`` in traced code makes a ``Cursor``. Its position is an attribute like any other:
where a branch or a loop advances it, it becomes a tensor, and ``next`` and ``for`` continue there.
"""

from __future__ import annotations

import abc
import functools
import threading
from collections.abc import Iterator

from .. import ops
from ..context.hooks import hooks
from ..heap import liveness, trace_context
from ..heap.adapters import registry
from ..heap.location import Attribute, is_grown
from ..heap.source_location import refusal
from ..heap.trace_context import is_proxy, proxy_of, refuse_stale
from ..hints import Any
from ..native import FG, _core
from ..symbolic import python_scalars, ranges, values
from ..symbolic.ranges import constant
from ..values import constants, dtypes, errors
from . import tensor_indexing


def is_known(number: Any) -> bool:
    """Whether an integer is known while tracing."""
    return isinstance(number, int)


def _unless(stop: Any, more: Any) -> Any:
    return more if stop is None else ops.logical_and(more, ops.logical_not(stop))


class Source(abc.ABC):
    """Elements by number: of a tensor, of ``enumerate``, of ``zip``.

    ``count`` is a Python int where it is known; Python may iterate over such a source.
    """

    count: Any
    # Whether a loop over it lets the shapes of its variables change.
    relaxes = False
    anchors: tuple = ()  # functions that reach what taking an element changes

    @abc.abstractmethod
    def at(self, index: Any) -> Any:
        """The element of that number."""

    def __iter__(self) -> Iterator:
        if not is_known(self.count):
            raise refusal(
                "Python iterates over a tensor whose length is not known while tracing",
                "Use a `for` statement or a list comprehension, or an operation on the whole "
                f"tensor such as `{FG}.map_fn`.",
                kind=errors.OperatorNotAllowedInGraphError,
            )
        return (self.at(index) for index in range(self.count))

    @property
    def start(self) -> Any:
        return constants.constant(0)

    def has_more(self, position: Any, stop: Any = None) -> Any:
        """Whether there is more, unless ``stop``, a tensor, holds."""
        return _unless(stop, ops.less(position, self.count))

    def has_changed(self) -> bool:
        """Whether its container has other elements than when the iterator was made."""
        return False

    def is_counted(self) -> bool:
        """Whether a loop is not needed to tell if there are elements."""
        return self.count is not None

    def runs(self) -> Any:
        """Whether there are elements, as Python or as a tensor, of a source that is counted."""
        return self.count > 0 if is_known(self.count) else ops.greater(self.count, 0)

    def is_known_to_run(self) -> bool:
        """Whether it is known while tracing that there are elements."""
        return self.is_counted() and self.runs() is True

    def element(self, position: Any) -> Any:
        return self.at(position)

    def following(self, position: Any) -> Any:
        return position + 1

    def refuse_next(self) -> None:
        """Refuse to take its elements one by one."""
        raise refusal(
            "`next` takes an element of `reversed(items)`, `enumerate(items)` or `zip(items)`, and "
            "the items are those of a tensor, or a staged branch or loop changed their number: how "
            "many are left is known only when the graph runs",
            "Take one by its index, such as `items[-1]` or `list(items)[-1]`, or iterate over them "
            "with `for`.",
        )


class Backwards(Source):
    """The elements of a source, the last one first."""

    def __init__(self, inner: Source):
        self._inner, self.count = inner, inner.count

    def has_changed(self) -> bool:
        return self._inner.has_changed()

    def at(self, index: Any) -> Any:
        return self._inner.at(self.count - 1 - index)


class Elements(Source):
    """The elements of an iterator over a dataset, whatever the number asked for."""

    count = None
    relaxes = True

    def __init__(self, iterator: Any, dataset: Any = None):
        self._iterator, self._dataset = iterator, dataset

    def is_known_to_run(self) -> bool:
        known = None if self._dataset is None else hooks.on_datasets.known_length(self._dataset)
        return known is not None and known > 0

    def at(self, index: Any) -> Any:
        return self._iterator.get_next()

    def has_more(self, position: Any, stop: Any = None) -> Any:
        return self._iterator._has_next(False if stop is None else stop)

    def following(self, position: Any) -> Any:
        return position


class Rows(Source):
    """The rows of a tensor; TypeError for a scalar."""

    def __init__(self, tensor: Any, place: str = "iteration"):
        shape = values.static_shape(tensor_indexing.check_rows(tensor, place))
        known = shape[0] if shape else None
        self._tensor = tensor
        self.count = known if known is not None else ops.shape(tensor)[0]

    def at(self, index: Any) -> Any:
        return self._tensor[index]


class Numbers(Source):
    """The numbers of a Python range."""

    def __init__(self, numbers: range):
        self._numbers, self.count = numbers, len(numbers)

    def at(self, index: Any) -> Any:
        first, step = self._numbers.start, self._numbers.step
        large = any(map(ranges.is_large, (first, step, self._numbers.stop)))
        return python_scalars.mark_integer(index * step + first, large)


class Items(Source):
    """The elements of a Python list or tuple, which must be alike, by numbers that the graph
    has."""

    def __init__(self, items: Any):
        self._items, self.count = list(items), len(items)

    def at(self, index: Any) -> Any:
        return tensor_indexing.one_of(self._items, ops.minimum(index, self.count - 1))


class RaggedRows(Source):
    """The rows of a ragged tensor."""

    def __init__(self, value: Any):
        self._value = value
        known = value.shape[0]
        self.count = known if known is not None else value.nrows(dtypes.int32)

    def at(self, index: Any) -> Any:
        return self._value[index]


class Enumerated(Backwards):
    """``enumerate`` of a source."""

    def __init__(self, inner: Source, start: Any):
        super().__init__(inner)
        self._first, self.relaxes = start, inner.relaxes

    def has_more(self, position: Any, stop: Any = None) -> Any:
        return self._inner.has_more(position, stop)

    def at(self, index: Any) -> Any:
        first = self._first
        large = type(first) is not int or ranges.is_large(first)
        return python_scalars.mark_integer(index + first, large), self._inner.at(index)


class Zipped(Source):
    """``zip`` of sources: as long as the shortest."""

    def __init__(self, inner: list[Source]):
        self._inner = inner
        self.relaxes = any(source.relaxes for source in inner)
        counts = [source.count for source in inner]
        if any(count is None for count in counts):
            self.count = None
        else:
            known = all(map(is_known, counts))
            self.count = min(counts) if known else functools.reduce(ops.minimum, counts)

    def has_changed(self) -> bool:
        return any(source.has_changed() for source in self._inner)

    def has_more(self, position: Any, stop: Any = None) -> Any:
        if self.count is not None:
            return super().has_more(position, stop)
        # All are asked one after the other: behind one that has ended none computes an element.
        found = self._inner[0].has_more(position, stop)
        for source in self._inner[1:]:
            found = source.has_more(position, ops.logical_not(found))
        return found

    def at(self, index: Any) -> Any:
        return tuple(source.at(index) for source in self._inner)


def is_iterated_staged(iterable: Any) -> bool:
    """Whether a ``for`` over ``iterable`` belongs to the graph."""
    return _is_source(iterable) or values.is_staged(iterable)


def _is_source(value: Any) -> bool:
    """Whether ``value`` is a source, or one is made of it in a graph."""
    return isinstance(value, Source) or has_elements(value) or _is_staged_ragged(value)


def _is_staged_ragged(value: Any) -> bool:
    return hasattr(type(value), "row_splits") and not values.is_eager()


def has_elements(value: Any) -> bool:
    """Whether ``value`` is a dataset, or an iterator over one, in a graph."""
    return hasattr(type(value), "_staged_elements") and not values.is_eager()


def is_dataset(value: Any) -> bool:
    """Whether ``value`` is a dataset in a graph."""
    return hasattr(type(value), "as_numpy_iterator") and has_elements(value)


def as_source(iterable: Any) -> Source:
    """A staged iterable as elements by number."""
    if isinstance(iterable, Source):
        return iterable
    if has_elements(iterable):
        return Elements(iterable._staged_elements(), iterable if is_dataset(iterable) else None)
    if _is_staged_ragged(iterable):
        return RaggedRows(iterable)
    return Rows(_core.convert_to_tensor(iterable))


def staged_enumerate(iterable: Any, start: Any = 0) -> Any:
    """``enumerate``."""
    if is_dataset(iterable):
        return iterable.enumerate(start)
    if is_iterated_staged(iterable):
        return Enumerated(as_source(iterable), start)
    return enumerate(iterable, start)


def staged_zip(*iterables: Any, **keywords: Any) -> Any:
    """``zip``; of tensors and Python values together it is unrolled."""
    if not keywords.get("strict", True):
        keywords.pop("strict")
    if iterables and all(is_dataset(i) for i in iterables) and not keywords:
        return type(iterables[0]).zip(tuple(iterables))
    staged = [is_iterated_staged(iterable) for iterable in iterables]
    if iterables and all(staged) and not keywords:
        return Zipped([as_source(iterable) for iterable in iterables])
    pairs = zip(iterables, staged, strict=True)
    return zip(*(as_source(i) if s else i for i, s in pairs), **keywords)  # noqa: B905


def mixed_zip(iterables: list) -> Zipped | None:
    """``zip`` where the graph alone knows how long something staged is, and Python the rest:
    ranges, lists and tuples. None where Python iterates over all, or cannot iterate over some.

    An iterator over a dataset comes last, since Python takes an element of it that is lost where
    something behind it has ended.
    """
    staged = [is_iterated_staged(iterable) for iterable in iterables]
    kept = any(has_elements(i) and not is_dataset(i) for i in iterables[:-1])
    plain = [i for i, s in zip(iterables, staged, strict=True) if not s]
    # Over an empty one Python runs without asking the graph.
    are_counted = all(type(i) in (range, list, tuple) and len(i) for i in plain)
    if not any(staged) or kept or not are_counted:
        return None
    found = [
        as_source(i) if s else Numbers(i) if type(i) is range else Items(i)
        for i, s in zip(iterables, staged, strict=True)
    ]
    return None if all(is_known(source.count) for source in found) else Zipped(found)


class Counting(Source):
    """The integers of a range: the position is the element, and the range itself is not read."""

    start: Any = None

    def __init__(self, start: Any, limit: Any, step: Any, of_python: bool):
        self._limit = limit
        self._step = step
        self._of_python = of_python  # whether plain Python has integers of its own
        first = start._constant_value() if of_python else None
        by_one = is_known(step) and abs(step) == 1
        self._is_large = not by_one or first is None or ranges.is_large(int(first))
        self.start = start

    def is_counted(self) -> bool:
        return True

    def runs(self) -> Any:
        first, last = constant(self.start), constant(self._limit)
        if is_known(self._step) and first is not None and last is not None:
            return len(range(first, last, self._step)) > 0
        return self.has_more(self.start)

    def has_more(self, position: Any, stop: Any = None) -> Any:
        below, above = ops.less(position, self._limit), ops.greater(position, self._limit)
        if is_known(self._step):
            return _unless(stop, below if self._step > 0 else above)
        rising, falling = ops.greater(self._step, 0), ops.less(self._step, 0)
        found = ops.logical_or(ops.logical_and(rising, below), ops.logical_and(falling, above))
        return _unless(stop, found)

    def at(self, index: Any) -> Any:
        return python_scalars.mark_integer(index, self._is_large) if self._of_python else index

    def following(self, position: Any) -> Any:
        return position + self._step


def source_of(iterable: Any, place: str) -> Source:
    """How to iterate over a tensor or a source."""
    if _is_source(iterable):
        return as_source(iterable)
    counted = _last_range.counting(iterable)
    return counted or Rows(_core.convert_to_tensor(iterable), place)


class _LastRange(threading.local):
    """The range that the thread made last: a loop over it counts instead of reading it."""

    def __init__(self) -> None:
        self.made: Any = None
        self.arguments: tuple = ()
        self.of_python = False

    def counting(self, iterable: Any) -> Counting | None:
        """The integers of ``iterable`` where it is that range."""
        made, arguments = self.made, self.arguments
        self.made, self.arguments = None, ()
        if iterable is not made or not iterable.dtype.is_integer:
            return None
        start, limit, step = arguments
        dtype = iterable.dtype
        if not is_known(step):
            step = ops.cast(step, dtype)
            known = step._constant_value()
            step = step if known is None else int(known)
        if is_known(step) and step == 0:
            _check_step(step, self.of_python)
            return None
        start, limit = ops.cast(start, dtype), ops.cast(limit, dtype)
        if not is_known(step):
            _check_step(step, self.of_python)
        return Counting(start, limit, step, self.of_python)


_last_range = _LastRange()


def _check_step(step: Any, of_python: bool) -> None:
    """Let the graph fail where the steps of a range are zero, of which a loop that counts would
    take ever more."""
    said = "ValueError: range() arg 3 must not be zero" if of_python else "a range needs a delta"
    ops.Assert(ops.not_equal(step, 0), [said])


def tensor_range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    *args: Any,
    of_python: bool = False,
    **keywords: Any,
) -> Any:
    """``fg.range``, or Python's ``range``, remembered for the loop that may follow."""
    given = (start, limit) if limit is not None else (0, start)
    if of_python and type(delta) is int:  # whose ranges may have their limit before the start
        end = ops.maximum(given[1], given[0]) if delta > 0 else ops.minimum(given[1], given[0])
        made = ops.range(given[0], end, delta)
    else:
        made = ops.range(start, limit, delta, *args, **keywords)
    _last_range.made, _last_range.arguments = made, (*given, delta)
    _last_range.of_python = of_python
    return made


_MOST_TRACED = 1000
_EXHAUSTED = 2**31 - 1  # the position of an iterator that has ended, whatever its list gains


class Cursor:
    """What ``iter`` gives of a list, a tuple or a range."""

    def __init__(self, items: Any):
        self._held = items
        self._at: Any = 0

    @property
    def _items(self) -> Any:
        """Its container; refused where the elements are known only when the graph runs."""
        refuse_stale(self._held)
        if is_grown(self._held) or is_proxy(proxy_of(self._held)):
            raise refusal(
                "an iterator over a list is used here, and a staged branch or loop changed "
                "the length of the list since the iterator was made",
                "Make the iterator after that, or iterate over a copy of the list.",
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
        branch or a loop may take none: code that runs until they end would never stop, since only
        the graph knows the end."""
        taken = liveness.Iterators.of_trace().taken
        _, n = taken.get(id(self), (self, 0))
        if n > len(self._items) + (_MOST_TRACED if trace_context.in_region() else 0):
            raise refusal(
                "more elements are taken than there are from an iterator that a staged branch "
                "or loop advanced: where it ends is known only when the graph runs",
                "Take the elements before the branch or loop, or iterate over them with `for`.",
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
        trace_context.touch(Attribute("the position of an iterator", self, "_at"))
        self._at = position

    def _refuse(self, *args: Any) -> Any:
        raise refusal(
            "an iterator that a staged branch or loop may advance is used here in a way that "
            "needs its position while tracing, or elements that are tensors alike; or it is "
            "copied or pickled",
            "Use `next(it)`, `next(it, default)` or `for`, over numbers or tensors of one "
            "dtype and shape; or take the elements before the branch or loop.",
        )

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = __setstate__ = _refuse


def going_on(iterable: Any) -> Any:
    """What a loop over ``iterable`` iterates over: for a cursor with a symbolic position the
    elements from there."""
    return _Rest(iterable) if type(iterable) is Cursor and iterable.is_staged() else iterable


class _Rest(Source):
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
