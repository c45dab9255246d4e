"""Lazily imported modules for rare kinds of calls and traces."""

from ... import lazy
from ...hints import TYPE_CHECKING

if TYPE_CHECKING:
    from .concrete_call import flat_arguments, named
    from .first_call import settle
    from .function_type import FunctionType, Parameter
    from .input_signature import convert, spec_arguments, specs_for
    from .ordered import as_tensor
    from .pickling import finish, reduce_bound, reduce_concrete, reduce_function, twin_of
    from .recursion import (
        another_choice,
        call,
        endless,
        is_endless,
        learn,
        relaxation_of_ongoing,
        unended,
    )
    from .told import keep_of_variables, of_variables, was_told
    from .type_dispatch import find, keep, placeholder, relaxation, type_of, typed

_WHERE = {
    "FunctionType": "function_type",
    "Parameter": "function_type",
    "convert": "input_signature",
    "find": "type_dispatch",
    "finish": "pickling",
    "flat_arguments": "concrete_call",
    "keep": "type_dispatch",
    "another_choice": "recursion",
    "as_tensor": "ordered",
    "call": "recursion",
    "endless": "recursion",
    "is_endless": "recursion",
    "learn": "recursion",
    "keep_of_variables": "told",
    "named": "concrete_call",
    "of_variables": "told",
    "placeholder": "type_dispatch",
    "reduce_bound": "pickling",
    "reduce_concrete": "pickling",
    "reduce_function": "pickling",
    "relaxation": "type_dispatch",
    "relaxation_of_ongoing": "recursion",
    "settle": "first_call",
    "spec_arguments": "input_signature",
    "specs_for": "input_signature",
    "type_of": "type_dispatch",
    "twin_of": "pickling",
    "typed": "type_dispatch",
    "unended": "recursion",
    "was_told": "told",
}

__getattr__ = lazy(__name__, _WHERE)
