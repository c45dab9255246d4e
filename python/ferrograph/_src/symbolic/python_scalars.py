"""Symbolic Python scalars: tensors that represent numbers, bools or strings merged by a staged
branch or loop.

They have weak types: with a tensor they take its dtype, as Python scalars do. A use that needs
their value while tracing is refused. Quotients and powers of them fail in the graph where they fail
in plain Python.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable

from .. import ops
from ..context.ownership import is_own_file
from ..context.thread import current_region
from ..heap.adapters.builtin_classes import NUMBERS
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import TracePart, chosen, traces, watch_operators
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import dtypes, errors
from . import ranges, values
from .values import is_made_of, key_of

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


class Scalars(TracePart):
    """The tensors of a trace that represent Python numbers and strings, or NumPy values."""

    slot = "scalars"

    def __init__(self) -> None:
        self.numbers: dict[Any, Number] = {}
        self.tensors: set = set()  # keys of those that the program made by functions
        self.of_numpy: dict[Any, Any] = {}  # scalars and arrays of NumPy, and bytes
        self.strings: dict[Any, Any] = {}


def _numbers() -> dict[Any, Number]:
    """What is known of those of the trace that represent numbers, by their keys."""
    return (_thread.trace.scalars.numbers or {}) if _thread.trace is not None else {}


def is_number(leaf: Any) -> bool:
    """Whether a value is a Python number, or may be a symbolic one."""
    return type(leaf) in NUMBERS or is_symbolic_number(leaf)


def mark_number(tensor: Any, kinds: frozenset[type] | None = None, known: Iterable = ()) -> Any:
    """``tensor``, marked as a symbolic Python number, of one of some classes where these are
    known."""
    root = _thread.trace
    if root is not None and values.is_tensor(tensor) and tensor.shape.rank == 0:
        number = Scalars.of_trace().numbers.setdefault(key_of(tensor), Number())
        number.kinds, number.known = kinds or number.kinds, known or number.known
        chosen[id(root)] = root
    return tensor


def note_tensor(tensor: Any) -> Any:
    """``tensor``, or another one like it, noted as one that is a tensor in plain Python, too,
    whatever it is made of."""
    if _thread.trace is None or not values.is_symbolic(tensor):
        return tensor
    if key_of(tensor) in _numbers():  # a function gave what it was given
        tensor = ops.identity(tensor)
    Scalars.of_trace().tensors.add(key_of(tensor))
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
        known = {leaf} if type(leaf) in NUMBERS else known_of(leaf)
        if not known:
            return set()
        found |= known
    return found if len(found) <= _MOST_KNOWN else set()


def known_of(tensor: Any) -> set:
    """The possible values of a symbolic Python number; none where they are not known."""
    number = _numbers().get(key_of(tensor)) if values.is_symbolic(tensor) else None
    return set() if number is None else set(number.known)


def is_foreign(leaf: Any) -> bool:
    """Whether a value is a NumPy scalar or array, or bytes, or a symbolic one, or is made of such
    values alone."""
    if type(leaf) is bytes:
        return True
    if not values.is_symbolic(leaf):
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(leaf, (numpy.generic, numpy.ndarray))
    known = _thread.trace.scalars.of_numpy if traces.n and _thread.trace is not None else None
    return bool(known) and is_made_of(leaf, known, _made_of_numpys) is True


def may_be_foreign(tensor: Any) -> bool:
    """Whether a tensor is, or may be, a symbolic NumPy array or scalar: it may be merged of such a
    value and a tensor."""
    root = _thread.trace
    known = {**(root.arrays.tensors or {}), **Scalars.of_trace().of_numpy}
    return is_made_of(tensor, known, _made_of_numpys) is True


def are_foreign_met() -> bool:
    """Whether the trace has symbolic NumPy arrays or scalars."""
    trace = _thread.trace
    return trace is not None and bool(trace.arrays.tensors or trace.scalars.of_numpy)


def _made_of_numpys(tensor: Any) -> list | None:
    """The operands of an operator, item or builtin that makes a tensor, without Python numbers;
    None where something else makes it."""
    key = key_of(tensor)
    if key in Scalars.of_trace().tensors:
        return None
    if (number := _numbers().get(key)) is not None and number.flag is True:
        return []
    made = _core.made_by(tensor)
    if made is not None and made[0] in _OF_ONE:
        return made[1][:1]
    return made[1] if made is not None and made[0] in _NUMPYS else None


def mark_foreign(tensor: Any) -> None:
    """Mark a tensor as a symbolic NumPy scalar or array, or as symbolic bytes."""
    if (root := _thread.trace) is not None:
        Scalars.of_trace().of_numpy[key_of(tensor)] = tensor
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
        elif is_symbolic_number(leaf) and (kinds := _numbers()[key_of(leaf)].kinds):
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
    if (number := _numbers().get(key_of(tensor))) is not None:
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
    known = _thread.trace.scalars.numbers
    if not known or value.shape.rank != 0:
        return False
    if value.dtype == dtypes.string or not is_made_of(value, known, _number_parts):
        return False
    known.setdefault(key_of(value), Number())
    return True


def doubt(tensor: Any, flag: Any = False) -> None:
    """Note of a marked tensor that plain Python may have a tensor there, too: where a ``flag`` of
    the graph around is false, or wherever that is not known."""
    if values.is_tensor(tensor) and (number := _numbers().get(key_of(tensor))) is not None:
        number.flag = flag


def standing(leaf: Any) -> Any:
    """Whether plain Python has a number of its own where a trace has ``leaf``: True or False, or a
    tensor where the graph decides. False where that is not known."""
    if type(leaf) in NUMBERS:
        return True
    if not is_symbolic_number(leaf):
        return False
    known, pending, seen = _numbers(), [leaf], set()
    stands: Any = True
    while pending:
        key = key_of(tensor := pending.pop())
        flag = known[key].flag if key in known else True
        if flag is False:
            return False
        if flag is not True:
            flag = ranges.resolved(flag)
            stands = flag if stands is True else ops.logical_and(stands, flag)
        elif key not in seen:
            seen.add(key)
            pending += _number_parts(tensor) or []
    return stands


def _number_parts(tensor: Any) -> list | None:
    """The tensors of which Python's operators make one; None where something else makes it."""
    if key_of(tensor) in Scalars.of_trace().tensors:
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
        raise errors.StagingError(
            diagnostic(
                here(),
                f"{what} from a staged branch or loop is used here in {use}, which distinguishes "
                f"{kind} from a tensor: it is a tensor while tracing",
                "Ask before the branch or loop, or compare numbers (`==`, `<`); write "
                "`fg.strings.as_string(k)` for its string and `fg.fill([k], 0)` for `[0] * k`.",
            )
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
        raise errors.StagingError(
            diagnostic(
                here(),
                f"a Python bool from a staged branch or loop is used here in `{sign}`, which "
                "makes an integer of a bool, but a bool of the tensor that it is while tracing",
                "Write `int(b)` in its place.",
            )
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
    known = {key: known for key, known in _numbers().items() if known.kinds == INTEGER}
    is_certain = bool(known) and is_made_of(number, known, _number_parts) is True
    if is_certain:
        ranges.count("kinds")
    return is_certain


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
        Scalars.of_trace().strings[key_of(tensor)] = tensor
        if not root.containers.are_grown:
            root.watch()


def is_symbolic_string(value: Any) -> bool:
    """Whether a value is a symbolic string, or is made of such ones."""
    if not traces.n or type(value) is not _core.SymbolicTensor or _thread.trace is None:
        return False
    known = _thread.trace.scalars.strings
    if not known or value.dtype != dtypes.string or is_made_of(value, known, _string_parts) is None:
        return False
    known[key_of(value)] = value
    return True


def _string_parts(tensor: Any) -> list | None:
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
        raise errors.StagingError(
            diagnostic(
                here(),
                "a string from a staged branch or loop is used here in a way that needs its value "
                "while tracing: it is a string tensor",
                "Use f-strings, `+`, `==` and the functions of `fg.strings`, or choose a number "
                "and look the string up afterwards.",
            )
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


def check_function_quotients() -> None:
    """The same of a function that has just run."""
    region = current_region()
    if region is not None:
        check_quotients(region)


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
        raise ValueError(
            diagnostic(
                here(),
                f"{use} takes tensors of shape {shape} for bools, which tensors of several "
                "elements are not",
                "Use `fg.reduce_any`, `fg.reduce_all`, `fg.reduce_max` and their like, which take "
                "an axis.",
            )
        )


def refuse_truth_of_rows(tensor: Any, use: str, least: int = 1) -> None:
    """The same of the rows of a tensor that has at least so many, unless it is none of rows."""
    shape = tensor.shape
    if shape.rank is not None and shape.rank > 1 and (shape[0] is None or shape[0] >= least):
        refuse_truth_of_several(shape[1:], use)


def single_element(tensor: Any, error: type[Exception]) -> Any:
    """The one element of a tensor, which is converted to a Python number or bool."""
    if tensor.shape.num_elements() not in (1, None):
        raise error(
            diagnostic(
                here(),
                f"a Python number or bool of a tensor of shape {tensor.shape}, which has not one "
                "element",
                "Reduce it, for example with `fg.reduce_sum` or `fg.reduce_any`.",
            )
        )
    return ops.reshape(tensor, [])
