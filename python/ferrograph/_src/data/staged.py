"""Python builtins on datasets, as converted code calls them while a function is traced."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from ..autograph import api
from ..native import _core
from ..ops.debug import Assert
from ..ops.numeric import cast
from ..values.dtypes import variant
from ..values.tensor_spec import TensorSpec
from .dataset import Dataset


def length(dataset: Dataset) -> Any:
    """``len(dataset)`` as a tensor, which fails when it runs for no or an unknown end."""
    count = dataset.cardinality()
    Assert(count >= 0, ["len() of a dataset without end, or of unknown length:", count])
    return count


def known_length(dataset: Dataset) -> int | None:
    """How many elements a dataset has, where that is known while a function is traced: it is made
    of constants and of datasets from outside."""
    count = dataset.cardinality()
    known = count._constant_value()
    if known is None and _is_known(count):
        known = count._value_so_far()
    return None if known is None or int(known) < 0 else int(known)


def _is_known(count: Any) -> bool:
    """Whether a tensor depends on nothing but the making of datasets."""
    pending = [count]
    while pending:
        value = pending.pop()
        made = _core.made_by(value)
        if made is None:  # an eager one, or one of a graph that is finished
            if value.dtype != variant or _core.is_symbolic(value):
                return False
            continue
        if not (made[0] in ("Const", "Identity") or "Dataset" in made[0]):
            return False
        pending.extend(made[1])
    return True


def listed(dataset: Dataset, most: int = 256) -> list[Any] | None:
    """The elements of a dataset as a Python list, where their number is known while a function
    is traced; None where it is not, or more than ``most``."""
    n = known_length(dataset)
    if n is None or n > most:
        return None
    elements = dataset._staged_elements()
    return [elements.get_next() for _ in builtins.range(n)]


def fold(dataset: Dataset, function: Callable[..., Any], initial: Any) -> Any:
    """``sum``, ``any`` or ``all`` of a dataset of tensors."""
    spec = dataset.element_spec
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"the elements must be tensors, but have the type {spec}")
    start = _core.convert_to_tensor(initial, spec.dtype)
    return dataset.reduce(start, lambda state, element: function(state, element))


def applied(
    dataset: Dataset, python: Callable[..., Any], function: Any, rest: tuple[Any, ...]
) -> Any:
    """``map``, ``filter`` or ``functools.reduce`` over datasets."""
    if python is functools.reduce and len(rest) == 1:
        return dataset.reduce(rest[0], function)
    if python is builtins.filter:
        return dataset.filter(_truth if function is None else function)
    if python is builtins.map and all(isinstance(other, Dataset) for other in rest):
        if rest:
            return Dataset.zip((dataset, *rest)).map(function)
        return dataset.map(_Whole(function, dataset))
    return NotImplemented


def _truth(element: Any) -> Any:
    return cast(element, "bool")


class _Whole:
    """Calls a function with an element as one argument, also where the element is a tuple."""

    def __init__(self, function: Callable[..., Any], dataset: Dataset):
        self._function = api.convert_callback(function)
        self._is_tuple = type(dataset.element_spec) is tuple

    def __call__(self, *parts: Any) -> Any:
        return self._function(parts if self._is_tuple else parts[0])
