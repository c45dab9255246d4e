"""``vectorized_map``: a function of all rows at once, stacked in the structure that it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..context.hooks import hooks
from ..control_flow.functional import Rows, converted, mapped
from ..native import _core
from ..ops._dispatch import told
from ..values import nest
from ..values.errors import UnimplementedError
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from .batched import RowFunction

__all__ = ["vectorized_map"]


@public("vectorized_map")
@told
def vectorized_map(
    fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """``fn`` of each row of ``elems``, stacked in the structure that ``fn`` returns.

    ``fn`` is traced once, for one row, and what depends on the row is computed for all rows at
    once. A tensor of a single row goes with every row of the others. Draws of random numbers differ
    from row to row, those with a given seed only if the seed does. Operations that have no rule for
    many rows, and those that print or change variables, run row by row in a loop of their own.

    >>> rows = fg.constant([[1, 2], [3, 4]])
    >>> fg.vectorized_map(lambda row: fg.reduce_sum(row * row), rows).numpy()
    array([ 5, 25], dtype=int32)

    Args:
      fn: a function of a row, in the structure of elems, that gives a tensor or a structure of
        such.
      elems: a tensor or a structure of tensors, each of one row or of as many as the others.
      fallback_to_while_loop: a bool, whether operations may run row by row; True by default.
      warn: accepted, and changes nothing.

    Returns:
      The results in the structure that fn returns, each with the rows as its first axis.

    Raises:
      ValueError: where the rows of two tensors differ in number; where an operation would run row
        by row and fallback_to_while_loop is False, which names it.
      TypeError: for an fn that cannot be called.
    """
    converted(fn, "vectorized_map")
    rows = Rows(elems, "vectorized_map", broadcast=True, apart=False)
    traced = _Traced(hooks.converted_callback(fn), rows)
    results = traced.at_once(bool(fallback_to_while_loop))
    if results is None:
        apart = Rows(elems, "vectorized_map", broadcast=True)
        return mapped(converted(fn, "vectorized_map"), apart, traced.signature())
    return traced.packed(results())


class _Traced:
    """The trace of a function of one row, and the structure of what it gives."""

    def __init__(self, fn: Callable[..., Any], rows: Rows):
        self._rows = rows
        self._result: Any = None
        self._leaves: list[Any] = []

        def body(inputs: list[Any]) -> list[Any]:
            parts = iter(inputs)
            row = [_packed(spec, parts) for spec in self._specs]
            self._result = fn(nest.pack_sequence_as(rows.structure, row))
            self._leaves = [_tensor(leaf) for leaf in nest.flatten(self._result)]
            return _parts([leaf for leaf in self._leaves if leaf is not None])

        self._specs = [_row_spec(tensor) for tensor in rows.tensors]
        specs = nest.flatten(self._specs, expand_composites=True)
        self._function = RowFunction(body, specs, "vectorized_map")

    def at_once(self, may_loop: bool) -> Callable[..., Any] | None:
        """What gives the results for all rows; None where rows have to be taken one by one."""
        values = [*self._rows.tensors, *self._leaves]
        if any(hasattr(v, "row_splits") for v in values) or self._is_unstackable():
            return None
        args, each = [], []
        for tensor, single in zip(self._rows.tensors, self._rows.single, strict=True):
            parts = nest.flatten(tensor, expand_composites=True)
            args += [part[0] for part in parts] if single else parts
            each += [not single] * len(parts)
        try:
            return self._function.over(args, each, self._rows.count, may_loop)
        except UnimplementedError:
            if not may_loop:
                raise
            return None

    def _is_unstackable(self) -> bool:
        composite = (v for v in self._leaves if v is not None and not _is_tensor(v))
        return any(not hasattr(v._type_spec, "_unbatch") for v in composite)

    def signature(self) -> Any:
        """The dtypes and shapes of what the function gives for a row."""
        specs = [
            TensorSpec(leaf.shape, leaf.dtype) if _is_tensor(leaf) else leaf._type_spec
            for leaf in self._leaves
        ]
        return nest.pack_sequence_as(self._result, specs)

    def packed(self, results: list[Any]) -> Any:
        """The stacked results in the structure of what the function gives."""
        rest = iter(results)
        made: list[Any] = []
        for leaf in self._leaves:
            if leaf is None or _is_tensor(leaf):
                made.append(None if leaf is None else next(rest))
                continue
            spec = leaf._type_spec._batch(None)
            parts = [next(rest) for _ in _parts([leaf])]
            made.append(nest.pack_sequence_as(spec, parts, expand_composites=True))
        return nest.pack_sequence_as(self._result, made)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, _core.Tensor)


def _tensor(leaf: Any) -> Any:
    """A result as a tensor; composite values and None stay."""
    if leaf is None or hasattr(leaf, "_type_spec"):
        return leaf
    return _core.convert_to_tensor(leaf)


def _parts(values: list[Any]) -> list[Any]:
    return nest.flatten(values, expand_composites=True)


def _row_spec(value: Any) -> Any:
    """The type of a row."""
    if not _is_tensor(value):
        return value._type_spec._unbatch()
    return TensorSpec(None if value.shape.rank is None else value.shape[1:], value.dtype)


def _packed(spec: Any, parts: Any) -> Any:
    """The value of a spec of the next parts."""
    if isinstance(spec, TensorSpec):
        return next(parts)
    count = len(nest.flatten(spec, expand_composites=True))
    return nest.pack_sequence_as(spec, [next(parts) for _ in range(count)], expand_composites=True)
