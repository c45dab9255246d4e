"""``sorted``, ``list.sort``: by tensors in the graph, by anything else as in Python."""

from __future__ import annotations

import itertools

from ... import control_flow, ops
from ...context.hooks import hooks
from ...heap import trace_context
from ...heap.location import Container
from ...heap.trace_context import loud, note_ordered
from ...hints import Any
from ...staging import tensor_indexing, tensor_lists
from ...staging.tensor_indexing import check_rows
from ...symbolic import python_scalars
from ...symbolic import values as values_module
from ...symbolic.values import is_staged
from . import equality
from .special_methods import collected

__all__ = ["sorted_", "stack_of", "with_callbacks"]


def sorted_(values: Any, **keywords: Any) -> Any:
    """``sorted``."""
    keywords = with_callbacks(keywords)
    given = values
    values = collected(tensor_lists.as_numbers(values))
    if not is_staged(values):
        return trace_context.fresh(_sorted_items(list(values), **keywords))
    key, direction = keywords.get("key"), _direction(keywords.get("reverse"))
    check_rows(values)
    if key is None:
        python_scalars.refuse_truth_of_rows(values, "`sorted`", 2)
        found = ops.sort(values, axis=0, direction=direction)
        return note_ordered(tensor_lists.of_elements(found, given))
    order = ops.argsort(control_flow.map_fn(key, values), axis=0, direction=direction, stable=True)
    return note_ordered(tensor_lists.of_elements(ops.gather(values, order), given))


def method(items: list) -> Any:
    """``items.sort``."""

    def sort(**keywords: Any) -> None:
        trace_context.touch(Container("a list", items))
        held = list(list.__iter__(items))  # whatever methods the class of the list has
        list.__setitem__(items, slice(None), _sorted_items(held, **with_callbacks(keywords)))

    return sort


def with_callbacks(keywords: dict[str, Any]) -> dict[str, Any]:
    """``keywords`` with the key function converted."""
    key = keywords.get("key")
    return keywords if key is None else {**keywords, "key": hooks.callee(key)}


def stack_of(items: list) -> Any:
    """Tensors, and numbers that go with them, as one tensor."""
    dtype = values_module.common_dtype(items)
    return ops.stack([values_module.to_tensor(v, dtype) for v in items])


def _sorted_items(items: list, key: Any = None, reverse: Any = False) -> list:
    keys = items if key is None else [key(v) for v in items]
    columns = _columns(keys)
    if columns is None and loud:
        equality.refuse_held(keys)
    if columns is not None and (heads := _distinct_heads(keys, columns)):
        keys, columns = heads, None
    if columns is None:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
        return [items[i] for i in order]
    places = None
    for column in reversed(columns):
        values = stack_of(list(column))
        python_scalars.refuse_truth_of_rows(values, "`sorted`", 2)
        values = values if places is None else ops.gather(values, places)
        found = ops.argsort(values, direction=_direction(reverse), stable=True)
        places = found if places is None else ops.gather(places, found)
    return tensor_indexing.in_order(items, places)


def _direction(reverse: Any) -> str:
    return "DESCENDING" if reverse else "ASCENDING"


def _columns(keys: list) -> list | None:
    """The keys, a list for each part that they have, where tensors decide; else None."""
    if any(is_staged(k) for k in keys):
        return [keys]
    if not keys or not all(issubclass(type(k), tuple) and len(k) == len(keys[0]) for k in keys):
        return None
    columns = list(zip(*keys, strict=True))
    return columns if any(is_staged(part) for k in keys for part in k) else None


def _distinct_heads(keys: list, columns: list) -> list:
    """The parts of the keys before those that are tensors, where no two of them are equal: Python
    does not come to the tensors then. Nothing of others."""
    n = next(i for i, column in enumerate(columns) if any(map(is_staged, column)))
    heads = [key[:n] for key in keys] if n else []
    pairs = itertools.combinations(heads, 2)
    return [] if any(first == second for first, second in pairs) else heads
