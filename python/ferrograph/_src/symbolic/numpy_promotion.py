"""NumPy promotion: the dtypes of operators between symbolic tensors, NumPy arrays and NumPy
scalars, and the classes of such operands.
"""

from __future__ import annotations

import array
import functools
import numbers
import sys
import types
import warnings
from collections.abc import Callable
from typing import NoReturn

from .. import ops
from ..context import bytecode, tracebacks
from ..context.locals import locals_of
from ..context.ownership import is_library_class, is_library_file, is_own_file
from ..heap.adapters.builtin_classes import ITEM_SEQUENCES, NUMBERS, WITH_OPERATORS
from ..heap.liveness.frames import adds_in_place, frames, stored_next
from ..heap.source_location import SourceLocation, diagnostic, here, is_diagnostic, said_by
from ..heap.structure import is_array
from ..heap.trace_context import thread as _thread
from ..heap.walk import fields
from ..hints import Any
from ..native import _core
from ..values import dtypes, errors
from . import aliases, merged_values, python_scalars
from .merged_values import AS_TENSORS
from .values import is_converted, is_symbolic, is_tensor

_OF_TENSORS = (_core.Tensor, _core.VariableBase)
_ACTING = f"{__package__.rpartition('.')[0]}.autograph."  # modules that act for the program
_PASSING_ON = f"{__package__}.numpy_promotion"  # whose frames stand between an operator and its own


def stands_apart(value: Any, other: Any, sign: str, frame: types.FrameType) -> bool:
    """Whether the operator at which a frame is defers to ``other``, as the operator of the Python
    scalar or string does that the symbolic tensor represents. StagingError where that is known only
    in plain Python."""
    while frame.f_globals.get("__name__") == _PASSING_ON and frame.f_back is not None:
        frame = frame.f_back
    if not is_programs(frame):
        return False
    if value.dtype == dtypes.string:
        return _is_foreign(other, (str,)) and python_scalars.is_symbolic_string(value)
    if _is_foreign(other, NUMBERS):
        return _is_number(value, f"`{sign}`", other) and _beside_a_number(value, other, sign)
    if value.dtype == dtypes.bool and _dtype_of(other) != dtypes.bool:
        python_scalars.refuse_truth(value, sign)
    may_change = hasattr(type(other), "__iadd__") and is_array(other)
    if may_change and python_scalars.is_symbolic_number(value):
        aliases.refuse_in_place(other, frame)
    return False


def _beside_a_number(value: Any, other: Any, sign: str) -> bool:
    if sign == "*" and issubclass(type(other), WITH_OPERATORS):
        python_scalars.refuse_number(value, "a repetition of a sequence")
    if sign in ("==", "!=") and issubclass(type(other), numbers.Number):
        python_scalars.refuse_number(value, f"`{sign}` beside a `{type(other).__name__}`")
    return True


def _is_foreign(other: Any, own: tuple[type, ...]) -> bool:
    """Whether the other operand of a number or string is neither of one of the ``own`` Python
    classes for these nor a tensor, a variable or an array: then its class alone decides what an
    operator does."""
    kind = type(other)
    return not issubclass(kind, (*own, *_OF_TENSORS)) and not hasattr(kind, "__array__")


def is_programs(frame: types.FrameType) -> bool:
    """Whether an operator is in user code, or in a function that acts for it."""
    if not is_own_file(frame.f_code.co_filename):
        return True
    return frame.f_globals.get("__name__", "").startswith(_ACTING)


def _dtype_of(other: Any) -> Any:
    return getattr(other, "dtype", dtypes.bool) if hasattr(other, "__array__") else dtypes.bool


def number_beside_sequence(value: Any, other: Any) -> bool:
    """Whether ``value`` is a symbolic Python number and ``other`` is a sequence."""
    return issubclass(type(other), WITH_OPERATORS) and _is_number(value, "`==`", other)


def _is_number(value: Any, use: str, other: Any) -> bool:
    """Whether a tensor is a symbolic Python number, refused where that depends on the graph."""
    if not python_scalars.is_symbolic_number(value):
        return False
    if python_scalars.standing(value) is not True:
        python_scalars.refuse_number(value, f"{use} beside a `{type(other).__name__}`")
    return True


def text_beside_sequence(value: Any, other: Any) -> bool:
    """Whether ``value`` is a symbolic string and ``other`` is a sequence other than a string."""
    is_sequence = issubclass(type(other), WITH_OPERATORS) and not issubclass(type(other), str)
    return is_sequence and python_scalars.is_symbolic_string(value)


_OPERATORS = (
    *("BINARY_", "COMPARE_", "INPLACE_", "UNARY_", "CONTAINS_", "STORE_SUBSCR"),
    *("BUILD_", "MAP_ADD", "SET_ADD"),  # of what hashes its members
)


def operator_of(exception: BaseException) -> SourceLocation | None:
    """Where an operator raised an error in a trace with symbolic numbers or strings, which may be
    the cause."""
    found = _met(exception)
    return found[0] if found is not None else None


def _met(exception: BaseException) -> tuple[SourceLocation, Any] | None:
    """Where that was, and the frame."""
    root = _thread.trace
    if root is None or not (root.scalars.numbers or root.scalars.strings or root.scalars.of_numpy):
        return None
    text = _said(exception)
    is_of_tensors = type(exception) is ValueError and "tensor" in text
    if type(exception) is not TypeError and not is_of_tensors:
        return None
    spot, frame, at = None, None, 0
    traceback = exception.__traceback__
    while traceback is not None:
        if not is_library_file(traceback.tb_frame.f_code.co_filename):
            frame, at = traceback.tb_frame, traceback.tb_lasti
            spot = SourceLocation(frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    if frame is None or spot is None:
        return None
    name = bytecode.name_at(frame.f_code, at)
    is_call = "CALL" in name and ("Tensor" in text or _has_chosen(frame))
    return (spot, frame) if is_call or name.startswith(_OPERATORS) else None


def _said(exception: BaseException) -> str:
    """The message of a Python error, read without running user code."""
    return " ".join(said_by(exception))


def _has_chosen(frame: types.FrameType) -> bool:
    """Whether a local name of a frame holds a symbolic value, or an object of a library class that
    has one: before Python 3.11 not every native error names its operands."""
    held = list(locals_of(frame).values())
    return any(map(_is_chosen, held)) or any(
        is_library_class(type(v)) and any(map(_is_chosen, fields(v))) for v in held
    )


def _is_chosen(value: Any) -> bool:
    if python_scalars.is_symbolic_number(value) or python_scalars.is_symbolic_string(value):
        return True
    return is_symbolic(value) and python_scalars.is_foreign(value)


def explain(exception: Exception) -> None:
    """Add a note about such numbers or strings to the error of an operator in a trace that has
    them."""
    met = None if is_diagnostic(exception) else _met(exception)
    if met is None:
        return
    spot, frame = met
    is_text = any(map(python_scalars.is_symbolic_string, locals_of(frame).values()))
    if not _thread.trace.scalars.numbers or is_text:
        tracebacks.add_note(exception, diagnostic(spot, *_OF_TEXTS))
    else:
        tracebacks.add_note(exception, diagnostic(spot, *_OF_NUMBERS))


_OF_NUMBERS = (
    "Python numbers from a staged branch or loop are tensors while tracing, of int32, or of int64 "
    "where one of them needs that: operators take only numbers of that dtype, and only what "
    "tensors have operators for",
    "Start with tensors of one dtype, for example `fg.constant(0, fg.int64)`, and use operations "
    "such as `fg.bitwise.left_shift` and `fg.cast`.",
)
_OF_TEXTS = (
    "strings from a staged branch or loop are string tensors while tracing: they take `+`, `==` "
    "and f-strings, and have neither items nor an order nor a hash",
    "Use the functions of `fg.strings`, or choose a number and look the string up afterwards.",
)


# The NumPy functions of the operators.
_ARITHMETIC = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "matmul": "matmul",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip
_COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip
_EQUALITY: dict[str, Callable] = {"eq": ops.equal, "ne": ops.not_equal}
_BUFFERS = (array.array, bytearray, memoryview)
# What makes a scalar of scalars, and of zero-dimensional arrays.
_MAKING_SCALARS = frozenset(
    {"AddV2", "Sub", "Mul", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Neg", "Abs", "MatMul"}
    | {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert", "LogicalAnd", "LogicalOr", "LogicalNot"}
    | {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}
)
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip


_NAMES = {sign: name for name, sign in _SIGNS.items()}


def result(tensor: Any, other: Any, sign: str, swapped: bool, frame: types.FrameType) -> Any:
    """What an operator at which a frame is gives as NumPy has it; None where the plain one holds.

    The tensor is the right operand where they are ``swapped``.
    """
    if not is_programs(frame):
        return None
    name = _NAMES[sign]
    if not may_stand_for_numpys(tensor):
        return None
    is_changed = swapped and is_array(other) and _changes_in_place(frame)
    if is_changed:
        aliases.refuse_in_place(other, frame)
    found = _as_in_numpy(name, _plain(name, swapped), tensor, other, swapped)
    return _put_in_place(name, other, found) if is_changed else found


def _plain(name: str, swapped: bool) -> Callable:
    """The plain operator of a tensor: this module's own frames are no part of the program."""
    return getattr(_core.Tensor, f"__r{name}__" if swapped else f"__{name}__")


def in_place(tensor: Any, other: Any, sign: str) -> Any:
    """The result of an augmented assignment to a symbolic array; NotImplemented for other
    tensors."""
    name = _NAMES.get(sign)
    if name is None or not merged_values.is_symbolic_array(tensor):
        return NotImplemented
    frame = next(frames(), None)
    target = "" if frame is None else stored_next(frame)
    merged_values.refuse_beside(tensor, "" if target.startswith("ag__") else target)
    if not may_stand_for_numpys(tensor):
        return NotImplemented
    found = _as_in_numpy(name, _plain(name, False), tensor, other, False)
    return found if _is_scalar(tensor) else _put_in_place(name, tensor, found)


def _changes_in_place(frame: types.FrameType) -> bool:
    """Whether the operator at which a frame is changes its left operand."""
    is_own = is_own_file(frame.f_code.co_filename)
    return id(frame.f_code) in tracebacks.augmenting if is_own else adds_in_place(frame)


def refuse_rows(tensor: Any) -> None:
    """Refuse a list as the index of a symbolic array."""
    if merged_values.is_symbolic_array(tensor):
        raise errors.StagingError(
            diagnostic(
                here(),
                "an array from a staged branch or loop is indexed by a list, which takes several "
                "rows of an array, but one element of the tensor that it is while tracing",
                "Write `fg.gather(a, rows)` for rows, `a[i, j]` for an element.",
            )
        )


def _put_in_place(name: str, changed: Any, result: Any) -> Any:
    """The result of an operator as an array that is changed in place has it."""
    if result is NotImplemented:
        return result
    if not result.shape.is_compatible_with(changed.shape):
        _refuse(name, f"changes the shape, from {changed.shape} to {result.shape}")
    dtype = dtypes.as_dtype(changed.dtype)
    if result.dtype == dtype:
        return result
    given = result.dtype.as_numpy_dtype
    is_scalar = result.shape.rank in (0, None)
    if is_scalar or not _numpy().can_cast(given, dtype.as_numpy_dtype, "same_kind"):
        _refuse(name, f"would put {result.dtype.name} into an array of {dtype.name}")
    return ops.cast(result, dtype)


def _is_scalar(tensor: Any) -> bool:
    """Whether a tensor certainly represents a scalar, which operators do not change in place."""
    made = _core.made_by(tensor) if tensor.shape.rank == 0 else None
    if made is None:
        return False
    return made[0] in _MAKING_SCALARS or (
        made[0] == "StridedSlice" and made[1][0].shape.rank not in (0, None)
    )


def may_stand_for_numpys(value: Any) -> bool:
    """Whether a value is, or may be, a symbolic NumPy array or scalar."""
    if not is_symbolic(value) or value.dtype == dtypes.string:
        return False
    return python_scalars.may_be_foreign(value)


def equal(left: Any, right: Any) -> Any:
    """``left == right`` of two values of which one may be a symbolic NumPy array or scalar."""
    for tensor, other in ((left, right), (right, left)):
        if may_stand_for_numpys(tensor):
            return _as_in_numpy("eq", ops.equal, tensor, other, False)
    return ops.equal(left, right)


def refuse_among_objects(value: Any) -> None:
    """Refuse to look for an array among objects with which no tensor compares."""
    if may_stand_for_numpys(value) and value.shape.rank != 0:
        _refuse("eq", "compares each element with an object")


def _as_in_numpy(name: str, plain: Callable, tensor: Any, other: Any, swapped: bool) -> Any:
    """The result of an operator on an array and another operand."""
    if other is None and name in _EQUALITY and tensor.shape.rank != 0:
        _refuse(name, "compares each element with None")
    if isinstance(other, _numpy().ndarray) and type(other).__name__ not in AS_TENSORS:
        _refuse(name, f"meets a `{type(other).__name__}`, which has operators of its own")
    beside = _sample(other, name == "pow" and not swapped)
    if beside is None:
        result = plain(tensor, other)
        is_strong = is_converted(other) and not python_scalars.is_symbolic_number(other)
        return python_scalars.note_tensor(result) if is_strong else result
    own = _sample(tensor)
    given, taken = _dtypes_of(name, *((beside, own) if swapped else (own, beside)))
    _refuse_unknown(name, tensor, other, own, beside, taken)
    result = _act(name, plain, _taken(tensor, taken), _taken(other, taken))
    if result is not NotImplemented and result.dtype != given:
        _refuse(name, f"gives {given.name} in NumPy, and {result.dtype.name} in the graph")
    return result


def _act(name: str, plain: Callable, tensor: Any, other: Any) -> Any:
    if name not in _EQUALITY or tensor.shape.rank == 0:
        return plain(tensor, other)
    try:
        return _EQUALITY[name](tensor, other)  # which asks that the shapes broadcast
    except ValueError:
        if _compares_any_shapes():
            _refuse(name, "is one truth, since the shapes do not go together")
        raise


@functools.cache
def _compares_any_shapes() -> bool:
    """Whether ``==`` of arrays whose shapes do not go together is False, as before NumPy 1.25."""
    numpy = _numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            numpy.equal(numpy.ones(2) == numpy.ones(3), False)
        except ValueError:
            return False
    return True


def _dtypes_of(name: str, left: Any, right: Any) -> tuple[Any, Any]:
    """The dtype that NumPy gives for samples of two operands, and that in which it works."""
    numpy = _numpy()
    is_comparison = name in _COMPARISONS
    function = getattr(numpy, (_COMPARISONS if is_comparison else _ARITHMETIC)[name])
    try:
        with numpy.errstate(all="ignore"):
            given = function(left, right).dtype
        taken = numpy.result_type(left, right) if is_comparison else given
        found = dtypes.as_dtype(given), dtypes.as_dtype(taken)
    except (TypeError, ValueError, OverflowError) as error:
        _refuse(name, f"fails in NumPy, or has no dtype of a tensor's: {error}")
    kinds = {numpy.asarray(side).dtype.kind for side in (left, right)}
    if is_comparison and taken.kind == "f" and kinds == {"i", "u"}:
        _refuse(name, "compares integers with and without a sign")
    return found


def _refuse_unknown(name: str, tensor: Any, other: Any, own: Any, beside: Any, taken: Any) -> None:
    """Refuse a result that depends on a merge: on whether there is an array or a tensor and, in a
    NumPy that promotes by value, on values."""
    if type(other) in NUMBERS and tensor.dtype == taken:
        return
    numpy = _numpy()
    dtype = dtypes.as_dtype(numpy.asarray(beside).dtype)
    if tensor.dtype == taken == dtype:
        return
    for side in (tensor, other):
        if may_stand_for_numpys(side) and not python_scalars.is_foreign(side):
            _refuse(name, "depends on whether that is an array or a tensor")
    ranks = [numpy.ndim(own), numpy.ndim(beside)]
    if numpy.__version__.startswith("1.") and 0 in ranks and ranks != [0, 0]:
        _refuse(name, "depends on the value of a scalar in this NumPy")


def _sample(value: Any, as_it_is: bool = False) -> Any:
    """A sample with the dtype, and the number of dimensions, of a NumPy array or scalar, or of a
    value that NumPy converts to one; arrays ``as_it_is`` where wanted. None for anything else."""
    numpy = _numpy()
    if type(value) in NUMBERS or isinstance(value, numpy.generic):
        return value
    if isinstance(value, numpy.ndarray):
        return value if as_it_is else numpy.ones((1,) * value.ndim, value.dtype)
    if may_stand_for_numpys(value):
        rank = 1 if value.shape.rank is None else value.shape.rank
        return numpy.ones((1,) * rank, value.dtype.as_numpy_dtype)
    if isinstance(value, _BUFFERS):
        return _sample(numpy.asarray(value), as_it_is)
    if isinstance(value, ITEM_SEQUENCES):
        made = _as_array(value)
        return None if made is None else _sample(made, as_it_is)
    return None


def _as_array(sequence: Any) -> Any:
    """The array that NumPy makes of a sequence, with ones for symbolic NumPy values; None where a
    tensor is in it."""
    held = [_as_array(v) if isinstance(v, (list, tuple)) else _element(v) for v in sequence]
    return None if any(v is None for v in held) else _numpy().asarray(held)


def _element(value: Any) -> Any:
    if is_converted(value):
        return _sample(value)
    return value


def _taken(value: Any, dtype: Any) -> Any:
    """An operand in the dtype in which NumPy would work."""
    if is_tensor(value):
        return value if value.dtype == dtype else ops.cast(value, dtype)
    if type(value) in NUMBERS:
        return value  # which takes the dtype of the other one
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _core.convert_to_tensor(value, dtype)
    return _numpy().asarray(value).astype(dtype.as_numpy_dtype)


def _holds_tensors(sequence: Any) -> bool:
    parts = [isinstance(v, (list, tuple)) and _holds_tensors(v) for v in sequence]
    return any(parts) or any(map(is_tensor, sequence))


def _numpy() -> Any:
    return sys.modules["numpy"]


def _refuse(name: str, problem: str) -> NoReturn:
    """Refuse an operator that differs in NumPy for the value that a tensor represents, or does not
    exist."""
    raise errors.StagingError(
        diagnostic(
            here(),
            f"`{_SIGNS[name]}` of a NumPy array or number from a staged branch or loop {problem}: "
            "it is a tensor while tracing, for which that differs",
            "Give both one dtype and shapes that go together, `a.astype(...)`, before the branch "
            "or loop, or write it with functions of `fg`.",
        )
    ) from None
