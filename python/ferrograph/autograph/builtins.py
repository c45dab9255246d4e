"""Python's builtins as converted code calls them: staged on tensors, themselves on all else."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import ferrograph as fg

from .iteration import (
    has_elements,
    is_dataset,
    staged_enumerate,
    staged_reversed,
    staged_zip,
    tensor_range,
)
from .staging import is_staged, stage_choice


def staged_form(callee: Any) -> Any:
    """The form of a builtin that knows tensors, ``callee`` itself for anything else."""
    try:
        return _FORMS.get(callee, callee)
    except TypeError:  # not hashable
        return callee


def _on_datasets() -> Any:
    from ferrograph.data import staged

    return staged


def _range(*args: Any) -> Any:
    if any(is_staged(a) for a in args):
        return tensor_range(*args)
    return range(*args)


def _len(value: Any) -> Any:
    if is_dataset(value):
        return _on_datasets().length(value)
    if not is_staged(value):
        return len(value)
    shape = value.shape
    if shape.rank == 0:
        raise TypeError("len() of a scalar tensor")
    known = shape[0] if shape.rank is not None else None
    return known if known is not None else fg.shape(value)[0]


def _int(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and is_staged(args[0]):
        return _number(args[0], "int32")
    return int(*args, **keywords)


def _float(*args: Any) -> Any:
    return _number(args[0], "float32") if args and is_staged(args[0]) else float(*args)


def _number(value: Any, dtype: str) -> Any:
    value = fg.convert_to_tensor(value)
    if value.dtype == fg.string:
        return fg.strings.to_number(value, getattr(fg, dtype))
    return fg.cast(value, getattr(fg, dtype))


def _bool(*args: Any) -> Any:
    if len(args) == 1 and is_staged(args[0]):
        return fg.cast(args[0], fg.bool)
    return bool(*args)


def _abs(value: Any) -> Any:
    return fg.abs(value) if is_staged(value) else abs(value)


def _reduction(python: Callable, name: str, pairwise: str, empty: Any) -> Callable:
    def reduce(values: Any, *args: Any, **keywords: Any) -> Any:
        if is_dataset(values) and not args and not keywords:
            return _on_datasets().fold(values, getattr(fg, pairwise), empty)
        if is_staged(values) and not args and not keywords:
            return getattr(fg, name)(values, axis=0)
        return python(values, *args, **keywords)

    return reduce


def _extreme(python: Callable, reduction: str, pairwise: str) -> Callable:
    def choose(*args: Any, **keywords: Any) -> Any:
        if keywords:
            return python(*args, **_with_callbacks(keywords))
        if len(args) == 1 and is_staged(args[0]):
            return getattr(fg, reduction)(args[0], axis=0)
        values = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if len(values) > 1 and any(is_staged(v) for v in values):
            return functools.reduce(getattr(fg, pairwise), values)
        return python(*args)

    return choose


def _quantifier(python: Callable, reduction: str, operator: str, pairwise: str) -> Callable:
    def quantify(values: Any) -> Any:
        from . import operators

        if is_dataset(values):
            return _on_datasets().fold(values, getattr(fg, pairwise), python(()))
        if is_staged(values):
            return getattr(fg, reduction)(values)
        if isinstance(values, (list, tuple)) and any(is_staged(v) for v in values):
            first, *rest = values
            return getattr(operators, operator)(first, *((lambda v=v: v) for v in rest))
        return python(values)

    return quantify


def _sorted(values: Any, **keywords: Any) -> Any:
    keywords = _with_callbacks(keywords)
    if not is_staged(values):
        return sorted(values, **keywords)
    direction = "DESCENDING" if keywords.get("reverse") else "ASCENDING"
    key = keywords.get("key")
    if key is None:
        return fg.sort(values, axis=0, direction=direction)
    order = fg.argsort(fg.map_fn(key, values), axis=0, direction=direction, stable=True)
    return fg.gather(values, order)


def _with_callbacks(keywords: dict[str, Any]) -> dict[str, Any]:
    """``keywords`` with the key function converted."""
    from .callees import fn

    key = keywords.get("key")
    return keywords if key is None else {**keywords, "key": fn(key)}


def _applied(python: Callable) -> Callable:
    def apply(function: Any, *iterables: Any) -> Any:
        from .callees import fn

        if iterables and is_dataset(iterables[0]):
            found = _on_datasets().applied(iterables[0], python, function, iterables[1:])
            if found is not NotImplemented:
                return found
        return python(fn(function) if callable(function) else function, *iterables)

    return apply


def _next(iterator: Any, *default: Any) -> Any:
    if not default or not has_elements(iterator):
        return next(iterator, *default)
    found = iterator.get_next_as_optional()
    return stage_choice(found.has_value(), found.get_value, lambda: default[0], "`next`")


def _iter(iterable: Any, *sentinel: Any) -> Any:
    if not sentinel and has_elements(iterable):
        return iterable._staged_elements()
    return iter(iterable, *sentinel)


_FORMS: dict[Any, Any] = {
    fg.range: tensor_range,
    builtins.range: _range,
    builtins.enumerate: staged_enumerate,
    builtins.zip: staged_zip,
    builtins.reversed: staged_reversed,
    builtins.len: _len,
    builtins.next: _next,
    builtins.iter: _iter,
    builtins.int: _int,
    builtins.float: _float,
    builtins.bool: _bool,
    builtins.abs: _abs,
    builtins.sum: _reduction(builtins.sum, "reduce_sum", "add", 0),
    builtins.max: _extreme(builtins.max, "reduce_max", "maximum"),
    builtins.min: _extreme(builtins.min, "reduce_min", "minimum"),
    builtins.any: _quantifier(builtins.any, "reduce_any", "or_", "logical_or"),
    builtins.all: _quantifier(builtins.all, "reduce_all", "and_", "logical_and"),
    builtins.sorted: _sorted,
    builtins.map: _applied(builtins.map),
    builtins.filter: _applied(builtins.filter),
    functools.reduce: _applied(functools.reduce),
}
