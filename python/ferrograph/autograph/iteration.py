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
    """The integers of a range whose step is known: the position is the element."""

    def __init__(self, start: Any, limit: Any, step: int):
        self._limit = limit
        self._step = step
        self.start = start

    def has_more(self, position: Any) -> Any:
        compare = fg.less if self._step > 0 else fg.greater
        return compare(position, self._limit)

    def element(self, position: Any) -> Any:
        return position

    def following(self, position: Any) -> Any:
        return position + self._step


def source_of(iterable: Any, place: str) -> Rows | Counting:
    """How to run over a tensor."""
    counted = _last_range.counting(iterable)
    return counted or Rows(fg.convert_to_tensor(iterable), place)


class _LastRange(threading.local):
    """The range that the thread made last: a loop over it need not read it."""

    def __init__(self) -> None:
        self.made: Any = None
        self.arguments: tuple = ()

    def counting(self, iterable: Any) -> Counting | None:
        """The integers of ``iterable`` where it is that range and its step is known."""
        made, arguments = self.made, self.arguments
        self.made, self.arguments = None, ()
        if iterable is not made or not iterable.dtype.is_integer:
            return None
        start, limit, step = arguments
        known = _known(step)
        if not known:
            return None
        dtype = iterable.dtype
        return Counting(fg.cast(start, dtype), fg.cast(limit, dtype), known)


def _known(step: Any) -> int | None:
    if isinstance(step, int):
        return step
    constant = step._constant_value() if values.is_tensor(step) else None
    return None if constant is None else int(constant)


_last_range = _LastRange()


def tensor_range(start: Any, limit: Any = None, delta: Any = 1, *args: Any, **keywords: Any) -> Any:
    """``fg.range``, remembered for the loop that may follow."""
    given = (start, limit) if limit is not None else (0, start)
    made = fg.range(start, limit, delta, *args, **keywords)
    _last_range.made, _last_range.arguments = made, (*given, delta)
    return made
