"""Functions of the program's that give tensors of what Python's operators make of numbers.

A tensor that the graph makes of numbers of Python's by operators stands for a number. One that the
program makes of them by a function, such as ``fg.cast`` or ``fg.constant``, is a tensor there, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import later, ops, staging
from ...native import _core
from ...staging import chosen_numbers, notes
from ...values.constants import constant

if TYPE_CHECKING:
    from ...staging import list_arguments
else:
    (list_arguments,) = later(staging.__name__, "list_arguments")

_MAKERS = (
    *(constant, _core.convert_to_tensor, ops.identity, ops.cast, ops.abs, ops.negative, ops.round),
    *(ops.add, ops.subtract, ops.multiply, ops.divide, ops.truediv, ops.realdiv, ops.pow),
    *(ops.less, ops.less_equal, ops.greater, ops.greater_equal, ops.equal, ops.not_equal),
    *(ops.logical_not, ops.logical_and, ops.logical_or, ops.maximum, ops.minimum, ops.where),
    *(ops.zeros, ops.ones),
)


def _giving_tensors(function: Callable) -> Callable:
    @functools.wraps(function, updated=())
    def make(*args: Any, **keywords: Any) -> Any:
        called = list_arguments.for_library(function) if notes.has_lists() else function
        return chosen_numbers.note_tensor(called(*args, **keywords))

    return make


FORMS = {function: _giving_tensors(function) for function in _MAKERS}
