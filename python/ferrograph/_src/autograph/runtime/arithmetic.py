"""Binary, unary and augmented operators, and comparisons, of user-defined classes.

Python's rules: the left operand's method, then the right one's reflected method, the other way
round where the right one's class derives from the left one's and has a method of its own; each may
give ``NotImplemented``.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

from ...context import tracebacks
from ...context.hooks import hooks
from ...heap import invalidated
from ...heap.adapters import COMPARED, CONCATENATED, NATIVE_VALUES
from ...heap.trace_context import chosen, loud, really, traces
from ...heap.trace_context import thread as _thread
from ...hints import Any
from ...ops.arithmetic import left_shift, right_shift
from ...staging import loop_state, tensor_indexing
from ...symbolic import merged_objects, python_scalars
from ...values import dtypes, errors
from . import texts
from .logic import not_
from .special_methods import found, function_of, method

__all__ = ["augment", "binary", "compared", "identity", "item_of", "same", "unary"]

_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "** or pow()", "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>", "divmod": "divmod()",
}  # fmt: skip
_NAMES = [name for name in _SYMBOLS if name != "divmod"]
_PYTHON: dict[str, Callable] = {n: getattr(operator, f"__{n}__") for n in _NAMES}
_PYTHON["divmod"] = divmod
_IN_PLACE: dict[str, Callable] = {n: getattr(operator, f"__i{n}__") for n in _NAMES}
_COMPARISONS: dict[str, Callable] = {
    n: getattr(operator, n) for n in ("eq", "ne", "lt", "le", "gt", "ge")
}
_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_UNARY: dict[str, Callable] = {n: getattr(operator, n) for n in ("neg", "pos", "invert")}


def binary(name: str, left: Any, right: Any) -> Any:
    """``left + right`` and its like."""
    if name == "mod" and issubclass(type(left), (str, bytes)):
        return left % texts.shown(right)
    if type(left) in NATIVE_VALUES and type(right) in NATIVE_VALUES:
        if chosen and name in _OF_INTEGERS and _are_integers(name, left, right):
            return _OF_INTEGERS[name](left, right)
        return _PYTHON[name](left, right)
    forward, reflected = f"__{name}__", f"__r{name}__"
    if not (function_of(type(left), forward) or function_of(type(right), reflected)):
        return _PYTHON[name](left, right)
    result = _tried(left, right, forward, reflected)
    if result is NotImplemented:
        raise _unsupported(_SYMBOLS[name], left, right)
    return result


# Operators that symbolic Python integers have and tensors do not.
_OF_INTEGERS: dict[str, Callable] = {
    "lshift": left_shift,
    "rshift": right_shift,
    "divmod": lambda left, right: (left // right, left % right),
}


def _are_integers(name: str, left: Any, right: Any) -> bool:
    """Whether both operands are integers and one is symbolic; shifts need a known number below
    32."""
    if name != "divmod" and (type(right) is not int or not 0 < right < 32):
        return False
    values = [v for v in (left, right) if type(v) is not int]
    return bool(values) and all(_is_integer(value) for value in values)


def _is_integer(value: Any) -> bool:
    is_one = python_scalars.is_symbolic_number(value) and value.dtype == dtypes.int32
    return is_one and python_scalars.is_certain_integer(value)


def augment(name: str, left: Any, right: Any) -> Any:
    """What ``left += right`` and its like put in the place of ``left``."""
    if type(left) in NATIVE_VALUES and type(right) in NATIVE_VALUES:
        return _IN_PLACE[name](left, right)
    change = method(left, f"__i{name}__")
    if change is None:
        forward, reflected = f"__{name}__", f"__r{name}__"
        if not (function_of(type(left), forward) or function_of(type(right), reflected)):
            return _IN_PLACE[name](left, right)
        given = _of_class(type(left), f"__i{name}__")
        is_own = given is not None and not isinstance(left, CONCATENATED)
        result = given(left, right) if is_own and given is not None else NotImplemented
    else:
        forward, reflected = f"__{name}__", f"__r{name}__"
        result = change(right)
    if result is NotImplemented:
        result = _tried(left, right, forward, reflected)
    if result is NotImplemented:
        raise _unsupported(f"{_SYMBOLS[name].partition(' ')[0]}=", left, right)
    return result


tracebacks.augmenting.add(id(augment.__code__))


def _tried(left: Any, right: Any, forward: str, reflected: str) -> Any:
    """The operation by the methods of both operands."""
    sides = [(left, forward, right)]
    if type(left) is not type(right):
        sides.append((right, reflected, left))
        if _goes_first(right, left, reflected):
            sides.reverse()
    for operand, name, other in sides:
        result = _of(operand, name, other)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _goes_first(right: Any, left: Any, reflected: str) -> bool:
    """Whether the right operand is asked first."""
    if not issubclass(type(right), type(left)):
        return False
    return _of_class(type(right), reflected) is not _of_class(type(left), reflected)


def _of(operand: Any, name: str, other: Any) -> Any:
    special = method(operand, name)
    if special is not None:
        return special(other)
    if issubclass(type(operand), CONCATENATED) and found(type(operand), name) is None:
        return NotImplemented
    given = _of_class(type(operand), name)
    return NotImplemented if given is None else given(operand, other)


def _of_class(kind: type, name: str) -> Any:
    """What a class, not the class of that one, has under a name; None where it has nothing."""
    return getattr(kind, name) if any(name in base.__dict__ for base in kind.__mro__) else None


def _unsupported(sign: str, left: Any, right: Any) -> TypeError:
    kinds = f"{type(left).__name__!r} and {type(right).__name__!r}"
    return TypeError(f"unsupported operand type(s) for {sign}: {kinds}")


def unary(name: str, value: Any) -> Any:
    """``-value`` and its like."""
    special = method(value, f"__{name}__")
    return _UNARY[name](value) if special is None else special()


def compared(name: str, left: Any, right: Any) -> Any:
    """``left == right`` and its like."""
    if loud and issubclass(type(left), COMPARED) and issubclass(type(right), COMPARED):
        answer = hooks.containers_compared(name, left, right)
        if answer is not NotImplemented:
            return answer
    if type(left) in NATIVE_VALUES and type(right) in NATIVE_VALUES:
        return _plainly(name, left, right)
    mirrored = _MIRRORED[name]
    if not _decides(left, name) and not _decides(right, mirrored):
        return _COMPARISONS[name](left, right)
    sides = [(left, name, right), (right, mirrored, left)]
    derived = type(right) is not type(left) and issubclass(type(right), type(left))
    if derived and found(type(right), f"__{mirrored}__") is not None:
        sides.reverse()
    for operand, asked, other in sides:
        result = _comparison(operand, asked, other)
        if result is not NotImplemented:
            return result
    if name in ("eq", "ne"):
        return (left is right) is (name == "eq")
    kinds = f"{type(left).__name__!r} and {type(right).__name__!r}"
    raise TypeError(f"{_SIGNS[name]!r} not supported between instances of {kinds}")


def _plainly(name: str, left: Any, right: Any) -> Any:
    """A comparison by Python, or by tensors that turn up in containers."""
    try:
        return _COMPARISONS[name](left, right)
    except errors.OperatorNotAllowedInGraphError:
        found = hooks.containers_compared(name, left, right)
        if found is NotImplemented:
            raise
        return found


def _decides(operand: Any, name: str) -> bool:
    """Whether a user-defined method compares an operand; ``!=`` is by default not ``==``."""
    kind = type(operand)
    if function_of(kind, f"__{name}__") is not None:
        return True
    return name == "ne" and _inverts(operand) and function_of(kind, "__eq__") is not None


def _inverts(operand: Any) -> bool:
    return type(operand).__ne__ is object.__ne__


def _comparison(operand: Any, name: str, other: Any) -> Any:
    special = method(operand, f"__{name}__")
    if special is not None:
        return special(other)
    if name == "ne" and _inverts(operand):
        same = _comparison(operand, "eq", other)
        return same if same is NotImplemented else not_(same)
    return getattr(type(operand), f"__{name}__")(operand, other)


def same(left: Any, right: Any) -> bool:
    """``left is right``."""
    if left is right or not traces.n:
        return left is right
    _refuse_identity(left, right)
    if chosen and python_scalars.is_number(left) and python_scalars.is_number(right):
        kinds = python_scalars.kinds_of(left), python_scalars.kinds_of(right)
        if None not in kinds and kinds[0].isdisjoint(kinds[1]):
            return False
        for value in (left, right):
            python_scalars.refuse_number(value, "`is`")
    elif left is not None and right is not None:
        merged_objects.refuse_identity([(left, right)])
    return really(left) is really(right)


def identity(value: Any) -> int:
    """``id(value)``."""
    _refuse_identity(value)
    merged_objects.note_identity(really(value))
    return id(really(value))


def _refuse_identity(*compared: Any) -> None:
    if _thread.trace is None:
        return
    if _thread.trace.effects.stale:
        invalidated.refuse_identity(_thread.trace.effects.stale, *compared)
    if _thread.trace.values.variables:
        merged_objects.refuse_variable_identity(compared)
    if _thread.trace.aliases.copies:
        loop_state.refuse_copies(*compared)
    families = _thread.trace.aliases.sets
    if families is not None:
        families.refuse_identity(*compared)


def item_of(value: Any, key: Any) -> Any:
    """``value[key]`` of an object that is no list."""
    special = method(value, "__getitem__")
    if special is not None:
        return special(key)
    missing = method(value, "__missing__") if isinstance(value, dict) else None
    if missing is not None and type(value).__getitem__ is dict.__getitem__:
        return dict.__getitem__(value, key) if dict.__contains__(value, key) else missing(key)
    if type(value) is dict and _is_chosen(key):
        return tensor_indexing.under_key(value, key)
    return value[key]


def _is_chosen(key: Any) -> bool:
    """Whether a key is a symbolic Python scalar or string, which dicts may have as keys."""
    return python_scalars.is_symbolic_number(key) or python_scalars.is_symbolic_string(key)


# Functions of ``operator`` by what converted code calls in their place.
FUNCTIONS: dict[Callable, Callable] = {
    **{_PYTHON[n]: functools.partial(binary, n) for n in _NAMES},
    **{_IN_PLACE[n]: functools.partial(augment, n) for n in _NAMES},
    **{python: functools.partial(compared, n) for n, python in _COMPARISONS.items()},
    **{python: functools.partial(unary, n) for n, python in _UNARY.items()},
    operator.getitem: item_of,
}
