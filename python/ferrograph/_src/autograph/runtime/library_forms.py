"""Functions of this library as converted code calls them.

Those that make tensors of numbers mark them as tensors. A tensor that operators make of symbolic
Python scalars is a symbolic Python scalar; one that the program makes of them by a function, such
as ``fg.cast`` or ``fg.constant``, is a tensor in plain Python, too.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable

from ... import ops
from ...context.hooks import hooks
from ...context.ownership import is_own_file
from ...heap import trace_context
from ...hints import Any
from ...native import _core
from ...staging import list_arguments, write_barriers
from ...staging.iteration import tensor_range
from ...symbolic import aliases, python_scalars
from ...values import nest
from ...values.constants import constant
from . import frame_builtins, printing

_MAKERS = (
    *(constant, _core.convert_to_tensor, ops.identity, ops.cast, ops.abs, ops.negative, ops.round),
    *(ops.add, ops.subtract, ops.multiply, ops.divide, ops.truediv, ops.realdiv, ops.pow),
    *(ops.less, ops.less_equal, ops.greater, ops.greater_equal, ops.equal, ops.not_equal),
    *(ops.logical_not, ops.logical_and, ops.logical_or, ops.maximum, ops.minimum, ops.where),
    *(ops.zeros, ops.ones),
)
# Others of the operations that operators and builtins become, which few programs call.
_SELDOM = frozenset(
    {"floordiv", "floormod", "matmul", "strided_slice", "invert", "left_shift", "right_shift"}
    | {"bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "reshape", "gather", "reverse"}
    | {"unstack", "boolean_mask", "sort", "expand_dims"}
    | {"reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_any", "reduce_all"}
)
_NUMPY_LIKE = f"{ops.__name__.partition('.')[0]}.experimental.numpy"


def _giving_tensors(function: Callable) -> Callable:
    @functools.wraps(function, updated=())
    def make(*args: Any, **keywords: Any) -> Any:
        called = list_arguments.for_library(function) if write_barriers.has_lists() else function
        made = called(*args, **keywords)
        if type(made) is list:
            return [python_scalars.note_tensor(part) for part in made]
        noted = python_scalars.note_tensor(made)
        is_given = any(made is value for value in (*args, *keywords.values()))
        if type(noted) is _core.SymbolicTensor and not is_given and trace_context.active():
            aliases.note_new_tensor(noted)
        return noted

    return make


def _map_structure(function: Any, *structure: Any, **keywords: Any) -> Any:
    return nest.map_structure(hooks.callee(function), *structure, **keywords)


def _print(*values: Any, **keywords: Any) -> None:
    printing.printed(*values, **keywords)


def _current_frame() -> Any:
    return frame_builtins.frame_at()


_print.takes_lists = True
_FORMS: dict[Any, Callable] = {
    **{function: _giving_tensors(function) for function in _MAKERS},
    ops.range: tensor_range,
    nest.map_structure: _map_structure,
}


def form_of(function: types.FunctionType) -> Any:
    """The form of a function of this library, ``function`` itself for any other."""
    found = _FORMS.get(function)
    if found is not None:
        return found
    is_numpy_like = function.__module__ == _NUMPY_LIKE
    if (is_numpy_like or function.__name__ in _SELDOM) and is_own_file(
        function.__code__.co_filename
    ):
        return _FORMS.setdefault(function, _giving_tensors(function))
    if function.__name__ == "currentframe" and function.__module__ == "inspect":
        return _current_frame
    return _print if function.__name__ == "print" and function is ops.print else function
