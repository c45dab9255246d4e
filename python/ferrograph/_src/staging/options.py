"""Options of a staged loop: ``set_loop_options`` records them while the loop collects."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class LoopOptions:
    """What ``set_loop_options`` was given."""

    def __init__(self) -> None:
        self.maximum_iterations: Any = None
        self.shape_invariants: list = []

    def shape_of(self, value: Any) -> Any:
        """The dimensions asked for a variable that starts as ``value``, () if nothing was."""
        for given, shape in self.shape_invariants:
            if given is value:
                return dimensions(shape)
        return ()


class _Collecting(threading.local):
    def __init__(self) -> None:
        self.stack: list[LoopOptions] = []


_collecting = _Collecting()


def evaluate(thunk: Callable[[], Any] | None) -> LoopOptions:
    """The options that calling ``thunk`` sets."""
    options = LoopOptions()
    if thunk is not None:
        _collecting.stack.append(options)
        try:
            thunk()
        finally:
            _collecting.stack.pop()
    return options


def record(maximum_iterations: Any, shape_invariants: Any) -> None:
    """Set options of the loop that collects; nothing where none does."""
    if _collecting.stack:
        options = _collecting.stack[-1]
        options.maximum_iterations = maximum_iterations
        options.shape_invariants = [tuple(pair) for pair in shape_invariants or ()]


def dimensions(shape: Any) -> list | None:
    """A list of dimensions from a shape in any form, None for an unknown rank."""
    if shape is None:
        return None
    if hasattr(shape, "as_list"):
        return None if shape.rank is None else shape.as_list()
    if hasattr(shape, "shape"):
        return dimensions(shape.shape)
    return [None if d is None else int(d) for d in shape]
