"""Symbolic Python scalars: tensors that represent numbers, bools or strings merged by a staged
branch or loop.

They have weak types: with a tensor they take its dtype, as Python scalars do. A use that needs
their value while tracing is refused. Quotients and powers of them fail in the graph where they fail
in plain Python.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Iterable, Sequence

from .. import ops
from ..context import bytecode, tracebacks
from ..context.locals import locals_of
from ..context.ownership import is_library_file, is_own_file
from ..heap.adapters import NUMBERS
from ..heap.source_location import (
    SourceLocation,
    diagnostic,
    here,
    is_diagnostic,
    refusal,
    said_by,
)
from ..heap.trace_context import chosen, traces, watch_operators
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..values import dtypes
from . import ranges, values
from .values import is_made_of, known, noted

# The operations that operators and builtins of Python become, and constants.
_PYTHONS = frozenset(
    {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "Pow", "Neg"}
    | {"Abs", "Cast", "Round", "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}
    | {"LogicalNot", "LogicalAnd", "LogicalOr", "Maximum", "Minimum", "BitwiseAnd", "BitwiseOr"}
    | {"BitwiseXor", "Invert", "LeftShift", "RightShift", "SelectV2", "Const", "Identity"}
)
# The operations that operators on NumPy arrays become, too.
_NUMPYS = _PYTHONS | {"MatMul", "BatchMatMulV2"}
# Those of them that make something of their first operand alone.
_OF_ONE = frozenset(
    {"StridedSlice", "Unpack", "Reshape", "GatherV2", "ReverseV2", "ExpandDims", "BottomK"}
    | {"TopKV2", "Max", "Min", "Sum"}
)


class Number:
    """What is known of a tensor that represents a Python number."""

    __slots__ = ("flag", "kinds", "known")

    def __init__(
        self, kinds: frozenset[type] | None = None, known: Iterable = (), flag: Any = True
    ):
        self.kinds = kinds  # its classes, where these are known
        self.known = known  # those of which it is one, where these are known: see ``known_among``
        self.flag = flag  # whether plain Python has a number there: see ``doubt``


_is_number, _is_text = operator.attrgetter("number"), operator.attrgetter("is_text")
_is_foreign = operator.attrgetter("is_foreign")


def _number(tensor: Any) -> Number | None:
    """What is known of a tensor that represents a number."""
    value = known(tensor)
    return None if value is None else value.number


def is_number(leaf: Any) -> bool:
    """Whether a value is a Python number, or may be a symbolic one."""
    return type(leaf) in NUMBERS or is_symbolic_number(leaf)


def mark_number(tensor: Any, kinds: frozenset[type] | None = None, among: Iterable = ()) -> Any:
    """``tensor``, marked as a symbolic Python number, of one of some classes where these are
    known."""
    root = _thread.trace
    if root is not None and values.is_tensor(tensor) and tensor.shape.rank == 0:
        value = noted(tensor)
        number = value.number = value.number or Number()
        number.kinds, number.known = kinds or number.kinds, among or number.known
        root.values.numbers = True
        chosen[id(root)] = root
    return tensor


def note_tensor(tensor: Any) -> Any:
    """``tensor``, or another one like it, noted as one that is a tensor in plain Python, too,
    whatever it is made of."""
    if _thread.trace is None or not values.is_symbolic(tensor):
        return tensor
    if _number(tensor) is not None:  # a function gave what it was given
        tensor = ops.identity(tensor)
    noted(tensor).is_tensor = True
    return tensor


_MOST_KNOWN = 16


def mark_truth(tensor: Any) -> Any:
    """``tensor``, marked as a symbolic Python bool, such as the result of ``not``."""
    return mark_number(tensor, _TRUTH)


def mark_integer(tensor: Any, large: bool = True) -> Any:
    """``tensor``, marked as a symbolic Python integer, which may be ``large``."""
    return ranges.note(mark_number(tensor, INTEGER), large)


_TRUTH, INTEGER = frozenset({bool}), frozenset({int})


def known_among(leaves: Iterable) -> set:
    """The possible values of a symbolic Python number that is one of ``leaves``; none where they
    are not known of all of these."""
    found: set = set()
    for leaf in leaves:
        if type(leaf) is float and repr(leaf) == "-0.0":  # which equals another number
            return set()
        among = {leaf} if type(leaf) in NUMBERS else known_of(leaf)
        if not among:
            return set()
        found |= among
    return found if len(found) <= _MOST_KNOWN else set()


def known_of(tensor: Any) -> set:
    """The possible values of a symbolic Python number; none where they are not known."""
    number = _number(tensor) if values.is_symbolic(tensor) else None
    return set() if number is None else set(number.known)


def is_foreign(leaf: Any) -> bool:
    """Whether a value is a NumPy scalar or array, or bytes, or a symbolic one, or is made of such
    values alone."""
    if type(leaf) is bytes:
        return True
    if not values.is_symbolic(leaf):
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(leaf, (numpy.generic, numpy.ndarray))
    is_any = traces.n and _thread.trace is not None and _thread.trace.values.foreign
    return bool(is_any) and is_made_of(leaf, _is_foreign, _made_of_numpys) is True


def may_be_foreign(tensor: Any) -> bool:
    """Whether a tensor is, or may be, a symbolic NumPy array or scalar: it may be merged of such a
    value and a tensor."""
    return is_made_of(tensor, lambda v: v.arrays or v.is_foreign, _made_of_numpys) is True


def are_foreign_met() -> bool:
    """Whether the trace has symbolic NumPy arrays or scalars."""
    trace = _thread.trace
    return trace is not None and bool(trace.values.arrays or trace.values.foreign)


def _made_of_numpys(tensor: Any) -> Sequence | None:
    """The operands of an operator, item or builtin that makes a tensor, without Python numbers;
    None where something else makes it."""
    value = known(tensor)
    if value is not None and value.is_tensor:
        return None
    if value is not None and value.number is not None and value.number.flag is True:
        return ()
    made = _core.made_by(tensor)
    if made is not None and made[0] in _OF_ONE:
        return made[1][:1]
    return made[1] if made is not None and made[0] in _NUMPYS else None


def mark_foreign(tensor: Any) -> None:
    """Mark a tensor as a symbolic NumPy scalar or array, or as symbolic bytes."""
    if (root := _thread.trace) is not None:
        noted(tensor).is_foreign = root.values.foreign = True
        chosen[id(root)] = root
        if tensor.dtype != dtypes.string:
            watch_operators(root)


def kinds_of(*leaves: Any) -> frozenset[type] | None:
    """The Python number classes of some values in plain Python; None where one of them may be a
    tensor there, or its class is not known."""
    found: set[type] = set()
    for leaf in leaves:
        if type(leaf) in NUMBERS:
            found.add(type(leaf))
        elif is_symbolic_number(leaf) and (kinds := noted(leaf).number.kinds):
            found |= kinds
        elif is_whole(leaf):
            found.add(int)
        else:
            return None
    if _thread.trace is not None:
        ranges.count("kinds")
    return frozenset(found)


def forget_kinds(tensor: Any) -> None:
    """From now on it is not known of which class a number is."""
    if (number := _number(tensor)) is not None:
        number.kinds = None


def kind_of(value: Any, use: str) -> type:
    """The class of a symbolic number, refused where it is known only when the graph runs."""
    kinds = kinds_of(value)
    if kinds is None or len(kinds) > 1:
        refuse_number(value, use)
    return next(iter(kinds or (type(value),)))


def is_instance(value: Any, among: Any) -> bool:
    """``isinstance(value, among)`` of a symbolic number, refused where it is known only when the
    graph runs."""
    found = {issubclass(kind, among) for kind in kinds_of(value) or ()}
    if len(found) != 1:
        refuse_number(value, "`isinstance`")
    return found.pop()


def is_symbolic_number(value: Any) -> bool:
    """Whether a value is a symbolic Python number, or is made of such ones alone."""
    if not traces.n or type(value) is not _core.SymbolicTensor or _thread.trace is None:
        return False
    if not _thread.trace.values.numbers or value.shape.rank != 0:
        return False
    if value.dtype == dtypes.string or not is_made_of(value, _is_number, _number_parts):
        return False
    found = noted(value)
    found.number = found.number or Number()
    return True


def doubt(tensor: Any, flag: Any = False) -> None:
    """Note of a marked tensor that plain Python may have a tensor there, too: where a ``flag`` of
    the graph around is false, or wherever that is not known."""
    if values.is_tensor(tensor) and (number := _number(tensor)) is not None:
        number.flag = flag


def standing(leaf: Any) -> Any:
    """Whether plain Python has a number of its own where a trace has ``leaf``: True or False, or a
    tensor where the graph decides. False where that is not known."""
    if type(leaf) in NUMBERS:
        return True
    if not is_symbolic_number(leaf):
        return False
    stands: Any = True

    def step(tensor: Any) -> Sequence | None:
        nonlocal stands
        number = _number(tensor)
        if number is None or number.flag is True:
            return _number_parts(tensor) or ()
        if number.flag is False:
            return None
        flag = ranges.resolved(number.flag)
        stands = flag if stands is True else ops.logical_and(stands, flag)
        return ()

    return values.walk(leaf, step) and stands


def _number_parts(tensor: Any) -> Sequence | None:
    """The tensors of which Python's operators make one; None where something else makes it."""
    value = known(tensor)
    if value is not None and value.is_tensor:
        return None
    made = _core.made_by(tensor)
    return made[1] if made is not None and made[0] in _PYTHONS else None


def refuse_number(value: Any, use: str) -> None:
    """Refuse a use of a symbolic number that needs its Python value."""
    foreign = values.is_symbolic(value) and is_foreign(value)
    if is_symbolic_number(value) or foreign:
        what, kind = ("a Python number", "a Python number")
        if foreign:
            what, kind = ("bytes, or a NumPy number or array,", "those")
        raise refusal(
            f"{what} from a staged branch or loop is used here in {use}, which distinguishes "
            f"{kind} from a tensor: it is a tensor while tracing",
            "Ask before the branch or loop, or compare numbers (`==`, `<`); write "
            f"`{FG}.strings.as_string(k)` for its string and `{FG}.fill([k], 0)` for `[0] * k`.",
        )


_INSPECTING = frozenset({"pdb", "bdb", "traceback", "IPython", "_pytest", "unittest"})


def refuse_text(value: Any, asking: types.FrameType) -> None:
    """Refuse that library code, or native code that a frame calls, formats a symbolic number;
    debuggers and other inspecting tools may."""
    package = str(asking.f_globals.get("__name__", "")).partition(".")[0]
    if package not in _INSPECTING and not is_own_file(asking.f_code.co_filename):
        refuse_number(value, "a text")


def refuse_truth(value: Any, sign: str) -> None:
    """Refuse an operator that makes an integer of a Python bool, and a bool of a tensor."""
    if is_symbolic_number(value):
        raise refusal(
            f"a Python bool from a staged branch or loop is used here in `{sign}`, which "
            "makes an integer of a bool, but a bool of the tensor that it is while tracing",
            "Write `int(b)` in its place.",
        )


# The dtypes that a symbolic Python number takes with a tensor, by its own dtype, and its class
# there: as exact as in plain Python.
_WEAK = {
    dtypes.int32: (
        int,
        {dtypes.float32, dtypes.float64, dtypes.int64, dtypes.complex64, dtypes.complex128},
    ),
    dtypes.float64: (float, {dtypes.float32, dtypes.complex64, dtypes.complex128}),
}


def weakened(x: Any, y: Any) -> tuple | None:
    """Two operands of an operator, whose dtypes differ, where one is of weak type, a merged Python
    scalar: it takes the dtype of the other one, as it does in plain Python. None of others."""
    if not values.is_converted(y):
        return _beside_fraction(x, y)
    if _is_weak(x, y):
        return ops.cast(x, y.dtype), y
    return (x, ops.cast(y, x.dtype)) if _is_weak(y, x) else None


def _beside_fraction(number: Any, other: Any) -> tuple | None:
    """The same for a symbolic integer with a number or an array of user code."""
    dtype = _FRACTIONS.get(str(getattr(other, "dtype", type(other).__name__)))
    if dtype is None or not is_symbolic_number(number) or not is_certain_integer(number):
        return None
    return ops.cast(number, dtype), _core.convert_to_tensor(other, dtype)


_FRACTIONS = {
    "float": dtypes.float64,
    "complex": dtypes.complex128,
    **{d.name: d for d in (dtypes.float16, dtypes.float32, dtypes.float64)},
    **{d.name: d for d in (dtypes.complex64, dtypes.complex128)},
}


def _is_weak(number: Any, other: Any) -> bool:
    """Whether a value is a number that takes the dtype of another one."""
    if not values.is_symbolic(number) or number.dtype not in _WEAK:
        return False
    kind, taking = _WEAK[number.dtype]
    if getattr(other, "dtype", None) not in taking or not is_symbolic_number(number):
        return False
    if kinds_of(number) not in (None, frozenset({kind})):
        return False
    stands = standing(number)
    if stands is not True and stands is not False:
        ops.Assert(
            stands, [f"TypeError: a tensor of dtype {number.dtype.name} beside another dtype"]
        )
    ranges.count("weak", stands is not False)
    return stands is not False


def is_certain_integer(number: Any) -> bool:
    """Whether a symbolic number is certainly an integer in plain Python, and no tensor: it is made
    of such ones alone."""
    is_certain = is_made_of(number, lambda v: v.number and v.number.kinds == INTEGER, _number_parts)
    if is_certain:
        ranges.count("kinds")
    return is_certain is True


def is_whole(leaf: Any) -> bool:
    """Whether a value certainly is a Python integer in plain Python."""
    if type(leaf) is int:
        return True
    is_integer = values.is_symbolic(leaf) and leaf.dtype.is_integer
    return is_integer and is_symbolic_number(leaf) and is_certain_integer(leaf)


def kinds_of_whole(leaf: Any) -> frozenset[type] | None:
    """The class of such an integer; None of other values."""
    return INTEGER if is_whole(leaf) else None


_MAKE_TEXTS = frozenset({"Const", "AsString"})


def is_text(leaf: Any) -> bool:
    """Whether a value is a Python string, or a symbolic one."""
    return type(leaf) is str or is_symbolic_string(leaf)


def mark_string(tensor: Any) -> None:
    """Mark a tensor as a symbolic string."""
    root = _thread.trace
    if root is not None and values.is_tensor(tensor) and tensor.dtype == dtypes.string:
        noted(tensor).is_text = root.values.texts = True
        if not root.containers.are_grown:
            root.watch()


def is_symbolic_string(value: Any) -> bool:
    """Whether a value is a symbolic string, or is made of such ones."""
    if not traces.n or type(value) is not _core.SymbolicTensor or _thread.trace is None:
        return False
    if not _thread.trace.values.texts or value.dtype != dtypes.string:
        return False
    if is_made_of(value, _is_text, _string_parts) is None:
        return False
    noted(value).is_text = True
    return True


def _string_parts(tensor: Any) -> Sequence | None:
    """The string tensors of which a tensor is made; None where it is no string in plain Python."""
    made = _core.made_by(tensor)
    if made is None:
        return None
    if made[0] in _MAKE_TEXTS:
        return []
    return [t for t in made[1] if t.dtype == dtypes.string] or None


def refuse_string(value: Any) -> None:
    """Refuse a symbolic string, where Python would format or read it."""
    if is_symbolic_string(value):
        raise refusal(
            "a string from a staged branch or loop is used here in a way that needs its value "
            "while tracing: it is a string tensor",
            f"Use f-strings, `+`, `==` and the functions of `{FG}.strings`, or choose a number "
            "and look the string up afterwards.",
        )


def divided(tensor: Any, other: Any, sign: str, swapped: bool) -> None:
    """Called for an operator of a tensor, the right operand where they are ``swapped``."""
    if not (is_number(tensor) and is_number(other)):
        return
    left, right = (other, tensor) if swapped else (tensor, other)
    if _never_fails(left, right, sign):
        return
    ranges.count("quotients")
    checks = ranges.Checks.of_trace()
    checks.quotients.setdefault(_core.current_graph_id(), []).append((left, right, sign, here()))


def _never_fails(left: Any, right: Any, sign: str) -> bool:
    if type(right) not in NUMBERS:
        return sign == "**" and type(left) in NUMBERS and _is_positive(left)
    if sign != "**":
        return bool(right != 0)
    return type(right) is not complex and right >= 0 and right % 1 == 0


def _is_positive(number: Any) -> bool:
    return type(number) is not complex and number > 0


def check_quotients(region: Any) -> None:
    """Let the graph, to which operations are added now, fail where one of its quotients and powers
    of such numbers fails in plain Python."""
    for left, right, sign, place in ranges.Checks.of_trace().quotients.pop(region.graph_id, ()):
        holds = _holds(left, right, sign)
        flags = [_stands(left), _stands(right)]
        if holds is None or any(flag is False for flag in flags):
            continue
        for flag in flags:
            if flag is not True:
                holds = ops.logical_or(holds, ops.logical_not(flag))
        ops.Assert(holds, [_message(sign, place)])


def _stands(leaf: Any) -> Any:
    """Whether plain Python has a number of its own where a trace has ``leaf``: True or False, or a
    tensor where the graph decides."""
    if type(leaf) in NUMBERS:
        return True
    return ranges.standing(leaf) if ranges.is_integer(leaf) else standing(leaf)


def _holds(left: Any, right: Any, sign: str) -> Any:
    """Whether an operation has a result in plain Python that the graph has, too; None where the
    operation itself fails, or has one for all numbers."""
    whole = _is_integer(left) and _is_integer(right)
    if sign != "**":
        return None if whole and sign != "/" else ops.not_equal(right, ops.zeros_like(right))
    if whole or _is_complex(left) or _is_complex(right):
        return None
    left, right = ops.cast(left, dtypes.float64), ops.cast(right, dtypes.float64)
    return ops.where(
        ops.equal(left, 0.0),
        ops.greater_equal(right, 0.0),
        ops.logical_or(ops.greater(left, 0.0), ops.equal(right, ops.floor(right))),
    )


def _is_integer(leaf: Any) -> bool:
    return type(leaf) in (bool, int) if type(leaf) in NUMBERS else leaf.dtype.is_integer


def _is_complex(leaf: Any) -> bool:
    return type(leaf) is complex if type(leaf) in NUMBERS else leaf.dtype.is_complex


def _message(sign: str, place: Any) -> str:
    problem = "is divided by zero here, where plain Python raises ZeroDivisionError"
    if sign == "**":
        problem = (
            "is zero here to a negative power, or negative to one with a fraction, where plain "
            "Python raises ZeroDivisionError, or gives a complex number"
        )
    return diagnostic(
        place,
        f"a Python number from a staged branch or loop {problem}",
        "Compare it before, or start with a tensor, which has infinities and NaN.",
    )


def refuse_truth_of_several(shape: Any, use: str) -> None:
    """Refuse tensors of a shape as bools where that is known to have several elements."""
    if (shape.num_elements() or 0) > 1:
        raise refusal(
            f"{use} takes tensors of shape {shape} for bools, which tensors of several "
            "elements are not",
            f"Use `{FG}.reduce_any`, `{FG}.reduce_all`, `{FG}.reduce_max` and their like, which "
            "take "
            "an axis.",
            kind=ValueError,
        )


def refuse_truth_of_rows(tensor: Any, use: str, least: int = 1) -> None:
    """The same of the rows of a tensor that has at least so many, unless it is none of rows."""
    shape = tensor.shape
    if shape.rank is not None and shape.rank > 1 and (shape[0] is None or shape[0] >= least):
        refuse_truth_of_several(shape[1:], use)


def single_element(tensor: Any, error: type[Exception]) -> Any:
    """The one element of a tensor, which is converted to a Python number or bool."""
    if tensor.shape.num_elements() not in (1, None):
        raise refusal(
            f"a Python number or bool of a tensor of shape {tensor.shape}, which has not one "
            "element",
            f"Reduce it, for example with `{FG}.reduce_sum` or `{FG}.reduce_any`.",
            kind=error,
        )
    return ops.reshape(tensor, [])


# Errors of operators.

_OPERATORS = (
    *("BINARY_", "COMPARE_", "INPLACE_", "UNARY_", "CONTAINS_", "STORE_SUBSCR"),
    *("BUILD_", "MAP_ADD", "SET_ADD"),  # of what hashes its members
)


def operator_of(exception: BaseException) -> SourceLocation | None:
    """Where an operator raised an error in a trace with symbolic numbers or strings, which may be
    the cause."""
    root = _thread.trace
    if root is None or not (root.values.numbers or root.values.texts or root.values.foreign):
        return None
    text = " ".join(said_by(exception))  # read without running user code
    is_of_tensors = type(exception) is ValueError and "tensor" in text
    if type(exception) is not TypeError and not is_of_tensors:
        return None
    met = met_in(exception)
    if met is None:
        return None
    name = bytecode.name_at(met.tb_frame.f_code, met.tb_lasti)
    held = locals_of(met.tb_frame).values()  # not every native error names its operands
    is_call = "CALL" in name and ("Tensor" in text or any(map(_is_symbolic, held)))
    if not (is_call or name.startswith(_OPERATORS)):
        return None
    return SourceLocation(met.tb_frame.f_code.co_filename, met.tb_lineno)


def met_in(exception: BaseException) -> types.TracebackType | None:
    """Where user code met an exception."""
    met, traceback = None, exception.__traceback__
    while traceback is not None:
        if not is_library_file(traceback.tb_frame.f_code.co_filename):
            met = traceback
        traceback = traceback.tb_next
    return met


def _is_symbolic(value: Any) -> bool:
    if is_symbolic_number(value) or is_symbolic_string(value):
        return True
    return values.is_symbolic(value) and is_foreign(value)


def explain(exception: Exception) -> None:
    """Add a note about such numbers and strings to the error of an operator in a trace that has
    them."""
    spot = None if is_diagnostic(exception) else operator_of(exception)
    if spot is not None:
        note = diagnostic(
            spot,
            "Python numbers and strings from a staged branch or loop are tensors while tracing: "
            "numbers of int32, or of int64 where one of them needs that, with operators for "
            "numbers of that dtype; strings with `+`, `==` and f-strings, but without items, an "
            "order or a hash",
            f"Start with tensors of one dtype, for example `{FG}.constant(0, {FG}.int64)`, and use "
            f"operations such as `{FG}.bitwise.left_shift`, `{FG}.cast` and those of "
            f"`{FG}.strings`.",
        )
        tracebacks.add_note(exception, note)
