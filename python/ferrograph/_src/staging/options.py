"""Options of a staged loop: ``set_loop_options`` records them while the loop collects."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..heap import structure
from ..hints import Any
from ..values import nest
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec


class LoopOptions:
    """What ``set_loop_options`` was given."""

    def __init__(self) -> None:
        self.maximum_iterations: Any = None
        self.shape_invariants: list = []

    def shapes_of(self, value: Any) -> list | None:
        """The shapes asked for the leaves of what starts as ``value``, None if nothing was."""
        for given, shapes in self.shape_invariants:
            if given is value:
                return leaf_shapes(value, shapes)
        return None


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


def leaf_shapes(value: Any, given: Any) -> list:
    """The dimensions asked for each leaf of ``value``, () for one that keeps its own.

    ``given`` has a shape or a spec in place of each tensor; of a value that is one leaf it may be a
    list of dimensions. ValueError where the structures differ or a shape is none.
    """
    found: list = []
    _collect(value, given, found)
    return found


def _collect(value: Any, given: Any, found: list) -> None:
    if isinstance(given, TypeSpec) and not isinstance(given, TensorSpec):
        specs = nest.flatten(given, expand_composites=True)
        found += [dimensions(spec) for spec in specs]
        return
    if not nest.is_nested(value):
        n_leaves = len(structure.leaves_of(value))
        found += [dimensions(given)] if n_leaves == 1 else [()] * n_leaves
        return
    if not nest.is_nested(given) or len(nest.children(given)) != len(nest.children(value)):
        raise ValueError(
            f"shape_invariants must have the structure of the loop variables: {shown(given)} "
            f"stands for {shown(value)}"
        )
    for part, shape in zip(nest.children(value), nest.children(given), strict=True):
        _collect(part, shape, found)


def dimensions(shape: Any) -> list | None:
    """A list of dimensions from a shape in any form, None for an unknown rank."""
    if shape is None:
        return None
    if hasattr(shape, "as_list"):
        return None if shape.rank is None else shape.as_list()
    if hasattr(shape, "shape"):
        return dimensions(shape.shape)
    try:
        return TensorShape(shape).as_list()
    except (TypeError, ValueError) as e:
        raise ValueError(f"a shape invariant is a shape or a spec, got {shown(shape)}") from e
