"""What staged ``for`` loops run over: the first position, whether there is more, the element."""

from __future__ import annotations

import threading
from typing import Any

import ferrograph as fg

from . import values


class Rows:
    """The rows of a tensor; TypeError for a scalar."""

    def __init__(self, sequence: Any, place: str):
        shape = values.static_shape(sequence)
        if shape == []:
            raise TypeError(
                f"{place}: a scalar cannot be iterated over; to count to it use `fg.range(n)`"
            )
        known = shape[0] if shape else None
        self._sequence = sequence
        self._count = fg.constant(known) if known is not None else fg.shape(sequence)[0]
        self.start = fg.constant(0)

    def has_more(self, position: Any) -> Any:
        return fg.less(position, self._count)

    def element(self, position: Any) -> Any:
        return self._sequence[position]

    def following(self, position: Any) -> Any:
        return position + 1


class Counting:
    """The integers of a range: the position is the element, and the range itself is not read."""

    def __init__(self, start: Any, limit: Any, step: Any):
        self._limit = limit
        self._step = step
        self.start = start

    def has_more(self, position: Any) -> Any:
        below, above = fg.less(position, self._limit), fg.greater(position, self._limit)
        known = self._step if isinstance(self._step, int) else None
        if known is not None:
            return below if known > 0 else above
        rising, falling = fg.greater(self._step, 0), fg.less(self._step, 0)
        return fg.logical_or(fg.logical_and(rising, below), fg.logical_and(falling, above))

    def element(self, position: Any) -> Any:
        return position

    def following(self, position: Any) -> Any:
        return position + self._step


def source_of(iterable: Any, place: str) -> Rows | Counting:
    """How to run over a tensor."""
    counted = _last_range.counting(iterable)
    return counted or Rows(fg.convert_to_tensor(iterable), place)


class _LastRange(threading.local):
    """The range that the thread made last: a loop over it counts instead of reading it."""

    def __init__(self) -> None:
        self.made: Any = None
        self.arguments: tuple = ()

    def counting(self, iterable: Any) -> Counting | None:
        """The integers of ``iterable`` where it is that range."""
        made, arguments = self.made, self.arguments
        self.made, self.arguments = None, ()
        if iterable is not made or not iterable.dtype.is_integer:
            return None
        start, limit, step = arguments
        dtype = iterable.dtype
        if not isinstance(step, int):
            step = fg.cast(step, dtype)
            known = step._constant_value()
            step = step if known is None else int(known)
        if isinstance(step, int) and step == 0:
            return None
        return Counting(fg.cast(start, dtype), fg.cast(limit, dtype), step)


_last_range = _LastRange()


def tensor_range(start: Any, limit: Any = None, delta: Any = 1, *args: Any, **keywords: Any) -> Any:
    """``fg.range``, remembered for the loop that may follow."""
    given = (start, limit) if limit is not None else (0, start)
    made = fg.range(start, limit, delta, *args, **keywords)
    _last_range.made, _last_range.arguments = made, (*given, delta)
    return made
