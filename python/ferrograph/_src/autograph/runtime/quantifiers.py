"""``any`` and ``all`` of converted code: short-circuiting on tensors, also when the graph runs."""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable

from ... import ops
from ...context.hooks import hooks
from ...heap import frames
from ...heap.source_location import diagnostic, here
from ...hints import Any
from ...native import _core
from ...staging import tensor_lists
from ...staging.iteration import is_dataset
from ...staging.tensor_indexing import check_rows
from ...symbolic import python_scalars
from ...symbolic import values as values_module
from ...symbolic.values import is_staged
from ...values import dtypes, errors
from . import shared_iterators
from .logic import and_, or_
from .special_methods import iterated

__all__ = ["all_of", "any_of"]


def _quantifier(
    python: Callable, reduction: Callable, operator: Callable, pairwise: Callable
) -> Callable:
    """The form of ``any`` or ``all``, by the operators that join two answers."""

    def quantify(values: Any) -> Any:
        if is_dataset(values):
            return hooks.on_datasets.fold(values, pairwise, python(()))
        values = iterated(tensor_lists.as_numbers(values))
        if is_staged(values):
            if values.shape.rank != 1:
                python_scalars.refuse_truth_of_rows(check_rows(values), f"`{python.__name__}`")
            return python_scalars.mark_truth(reduction(ops.cast(values, dtypes.bool)))
        found: Any = python is builtins.all
        kept = shared_iterators.held(values, 2)  # by the form and by its caller
        for value in values:
            if is_staged(value) or is_staged(found):
                _refuse_binding(values, python)
                shared_iterators.refuse(kept, values, f"`{python.__name__}`")
                found = operator(_truth(found), lambda v=value: _truth(v))
                if shared_iterators.may_act(values):
                    return _rest(values, found, operator, python is builtins.all)
            elif bool(value) is not (python is builtins.all):
                return not found
        return _answer(found)

    return quantify


def _answer(found: Any) -> Any:
    return python_scalars.mark_truth(found) if is_staged(found) else found


def _rest(values: Any, found: Any, operator: Callable, ended: bool) -> Any:
    """The rest of the elements of ``any`` or ``all``, each of which is taken when it is reached."""
    turns = shared_iterators.Turns(values, [])
    reached = turns.reached

    def taken() -> Any:
        return turns.take(_truth, ended if reached is not None else None)

    return _answer(shared_iterators.going_on(turns, _truth(found), operator, taken))


def _refuse_binding(values: Any, python: Callable) -> None:
    """Refuse a generator that binds names as it goes, where the graph says how far it goes."""
    if type(values) is types.GeneratorType and frames.binds_outside(values.gi_code):
        raise errors.StagingError(
            diagnostic(
                here(),
                f"`{python.__name__}` stops where a tensor decides, and its iterable sets a name "
                "(`:=`) on the way: which value that name has then is known only when the graph "
                "runs",
                "Write a `for` loop that sets the name in an `if`.",
            )
        )


def _truth(value: Any) -> Any:
    if is_staged(value):
        return values_module.truth(_core.convert_to_tensor(value), "`any` or `all`")
    return bool(value)


any_of = _quantifier(builtins.any, ops.reduce_any, or_, ops.logical_or)
all_of = _quantifier(builtins.all, ops.reduce_all, and_, ops.logical_and)
