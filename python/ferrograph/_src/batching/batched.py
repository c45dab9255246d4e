"""A function of one row, traced once and run for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..native import _core
from ..state.variable import Creation, pop_creation, push_creation
from ..values.tensor_spec import TensorSpec

__all__ = ["RowFunction"]


class RowFunction:
    """The trace of a function of one row: ``fn`` takes tensors of these specs and gives tensors.

    Variables that it makes outside of a traced function are made at once.
    """

    def __init__(self, fn: Callable[..., Any], specs: list[TensorSpec], name: str):
        self._region = _core.Region(name)
        if not _core.executing_eagerly():
            self._trace(fn, specs)
            return
        push_creation(Creation(allowed=True, at_once=True))
        try:
            self._trace(fn, specs)
        finally:
            pop_creation()

    def _trace(self, fn: Callable[..., Any], specs: list[TensorSpec]) -> None:
        self._region.enter()
        try:
            inputs = [self._region.add_input(s.dtype, s.shape, "row") for s in specs]
            results = fn(inputs)
            self._region.finish(results)
            self._single = len(results) == 1
        except BaseException:
            self._region.abandon()
            raise
        finally:
            self._region.exit()

    def over(
        self, args: list[Any], each: list[bool], count: Any, may_loop: bool = True
    ) -> Callable[..., Any]:
        """A function of nothing that gives the results of all rows, stacked.

        ``each`` says of which of ``args`` there is one for each of the ``count`` rows.
        UnimplementedError where the function cannot run for many rows at once.
        """
        batched = self._region.batched(each, count, may_loop)

        def results() -> list[Any]:
            found = _core.emit_call(batched, args)
            return [found] if self._single else list(found or [])

        return results
