"""Range analysis of symbolic integers, and the overflow checks that remain necessary."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from operator import add, mul, pow, sub

from .. import ops
from ..heap.source_location import SourceLocation, diagnostic, here
from ..heap.trace_context import TracePart
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..values import dtypes
from . import values
from .values import is_symbolic, key_of, known, noted

SUMS = frozenset({"Add", "AddV2", "Sub"})
_ALL = slice(None)
# The operations whose results are no larger than the largest of some of their inputs: of which.
_NO_LARGER = {
    **dict.fromkeys(("Identity", "Maximum", "Minimum", "Neg", "Abs"), _ALL),
    **dict.fromkeys(("FloorMod", "Mod", "SelectV2"), slice(1, None)),
    "FloorDiv": slice(1),
}
_DEEPEST = 100  # operations in a row to look through


class Fact:
    """What is known of a symbolic Python integer."""

    __slots__ = ("flag", "large", "made_of", "most")

    def __init__(
        self, large: bool, flag: Any = True, most: int | None = None, made_of: Iterable = ()
    ):
        self.large = large  # whether steps by one may bring it to the bounds of its dtype
        self.flag = flag  # whether it is one: True, a tensor, or a ``Told``
        self.most = most  # how far from zero it is at most where it does; None if that is not known
        self.made_of = made_of  # the keys of integers of which it is one, or is made


def limit(dtype: Any) -> int:
    """The largest number of an integer dtype of 32 or 64 bits."""
    return int(2**63 - 1 if dtype == dtypes.int64 else 2**31 - 1)


def constant(tensor: Any) -> int | None:
    """The value of an integer tensor that is a number in the text; None of others."""
    value = tensor._constant_value()
    return int(value) if value is not None and value.shape.rank == 0 else None


# Operations that compute a number or a bool of others, and have no other effect.
_PLAIN = frozenset(
    {"Const", "Identity", "Cast", "Reshape", "Equal", "NotEqual", "Less", "LessEqual", "Greater"}
    | {"GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalNot", "AddV2", "Sub", "Mul", "FloorMod"}
    | {"FloorDiv", "Neg", "Abs", "Maximum", "Minimum", "StopGradient", "SelectV2"}
)
_MOST_BEHIND = 64


def truth(tensor: Any) -> bool | None:
    """Whether a scalar tensor of the graph is true, where that depends on constants alone."""
    found = tensor._constant_value()
    if found is None and values.walk(tensor, _plain_parts, _MOST_BEHIND):
        found = tensor._value_so_far()
    return None if found is None or found.shape.rank != 0 else bool(found)


def _plain_parts(tensor: Any) -> Sequence | None:
    made = _core.made_by(tensor)
    return made[1] if made is not None and made[0] in _PLAIN else None


def is_held(tensor: Any) -> bool:
    """Whether the dtype of an integer tensor certainly holds its Python value."""
    found = most(tensor)
    return found is not None and found <= limit(tensor.dtype)


def _fact(tensor: Any) -> Fact | None:
    """What is noted of an integer."""
    value = known(tensor)
    return None if value is None else value.integer


def most(leaf: Any, depth: int = 0) -> int | None:
    """The largest absolute value of a symbolic Python integer; None where it is unknown while
    tracing."""
    if type(leaf) is int:
        return abs(leaf)
    if not is_symbolic(leaf) or depth > _DEEPEST:
        return None
    if (fact := _fact(leaf)) is not None:
        return fact.most
    value = constant(leaf)
    if value is not None:
        return abs(value)
    made = _core.made_by(leaf)
    return None if made is None else _most_made(*made, depth + 1)


def _most_made(op: str, inputs: list, depth: int) -> int | None:
    """The same of what an operation gives."""
    if op == "Cast" and inputs[0].dtype == dtypes.bool:
        return 1
    if op == "StopGradient":
        return most(inputs[0], depth)
    if op not in SUMS and op not in _NO_LARGER and op != "Mul":
        return None
    parts = [most(part, depth) for part in inputs[_NO_LARGER.get(op, _ALL)]]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return 0 if op == "Mul" and 0 in found else None
    if op in SUMS:
        return sum(found)
    return found[0] * found[1] if op == "Mul" else max(found)


def _is_small(leaf: Any) -> bool:
    """Whether an integer is at most one, or minus one, such as that of a bool."""
    found = most(leaf)
    return found is not None and found <= 1


def is_large(leaf: Any) -> bool:
    """Whether an integer may be so near the bounds of its dtype that steps by one reach them."""
    if type(leaf) is int:
        return abs(leaf) >= 2**30

    def step(tensor: Any) -> Sequence | None:
        if (fact := _fact(tensor)) is not None:
            return None if fact.large else ()
        if (value := constant(tensor)) is not None:
            return None if abs(value) > limit(tensor.dtype) // 2 else ()
        made = _core.made_by(tensor)
        return None if made is None else _no_larger_than(*made)

    return not values.walk(leaf, step)


def _no_larger_than(op: str, inputs: list) -> list | None:
    """The inputs of an operation of which one is at least as large as its result, but for a step by
    one; None where that cannot be said."""
    if op in SUMS:
        return inputs if any(map(_is_small, inputs)) else None
    return inputs[_NO_LARGER[op]] if op in _NO_LARGER else None


DTYPES = (dtypes.int32, dtypes.int64)  # of symbolic integers
_LEAST = -(2**31)
_SURELY_HELD = 9.2e18  # below it int64 holds what float64 says a result is
_WIDER = (
    dtypes.float64,
    dtypes.float32,
    dtypes.bfloat16,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)


class Checks(TracePart):
    """The checks of Python integers and of divisions that a trace makes."""

    slot = "checks"

    integers: Any = None  # tensors that represent Python integers
    has_flags = False  # whether the graph decides of some what they represent

    def __init__(self) -> None:
        self.checked: set = set()  # keys of those that its checks are about
        self.counts: dict[str, int] = {}  # see ``counts``
        self.quotients: dict[int, list] = {}  # see ``python_scalars``, by their graphs


class Told:
    """Whether a tensor is a symbolic integer, computed by operations that are added on demand.

    ``make`` adds them to the graph under construction; ``also`` is what must hold besides.
    """

    def __init__(self, make: Callable[[], Any], also: Any = True):
        self._make, self._also = make, also
        self._made: dict[Any, Any] = {}

    def tensor(self) -> Any:
        """It as a tensor of the graph under construction."""
        region = _core.current_graph_id()
        if region not in self._made:
            self._made[region] = self._found()
        return self._made[region]

    def _found(self) -> Any:
        also = resolved(self._also)
        return self._make() if also is True else ops.logical_and(self._make(), also)


def resolved(flag: Any) -> Any:
    """A flag as True, False or a tensor of the graph under construction."""
    return flag.tensor() if isinstance(flag, Told) else flag


def is_integer(leaf: Any) -> bool:
    """Whether plain Python has an integer of its own where a trace has ``leaf``."""
    if type(leaf) is int:
        return True
    if _thread.trace is None or type(leaf) is not _core.SymbolicTensor:
        return False
    integers = _thread.trace.checks.integers
    return integers is not None and _may_stand_for_one(leaf) and integers.holds(leaf)


def note(
    tensor: Any,
    large: bool = False,
    flag: Any = True,
    made_of: Iterable = (),
    at_most: int | None = None,
) -> Any:
    """``tensor``, marked as a symbolic Python integer, which may be ``large``.

    ``flag`` says what ``standing`` says of it, or is a ``Told``; ``made_of`` are the keys of
    integers of which it is one, or is made; ``at_most`` is how far from zero it is at most.
    """
    if _thread.trace is not None and is_symbolic(tensor) and _may_stand_for_one(tensor):
        checks, value, made = Checks.of_trace(), noted(tensor), _core.made_by(tensor)
        if at_most is None and made is not None:
            at_most = _most_made(*made, 1)
        large = large and (at_most is None or at_most > limit(tensor.dtype) // 2)
        if checks.integers is None:
            checks.integers = _core.Numbers()
        checks.integers.add(tensor)
        value.integer, value.made_of = Fact(large, flag, at_most), set(made_of)
        checks.has_flags = checks.has_flags or flag is not True
    return tensor


def limited(tensor: Any, at_most: int | None) -> None:
    """Note of a noted integer how far from zero it is at most."""
    if (fact := _fact(tensor)) is not None:
        fact.most = at_most


def _may_stand_for_one(tensor: Any) -> bool:
    return tensor.dtype in DTYPES and tensor.shape.rank == 0


def forget(tensor: Any) -> None:
    """Take back ``note``: what an iteration leaves is a tensor in plain Python, too."""
    if are_met():
        Checks.of_trace().integers.remove(tensor)
        noted(tensor).integer = None


def standing(leaf: Any) -> Any:
    """Whether plain Python has an integer of its own where a trace has ``leaf``: True or False, or
    a tensor where the graph decides, made in the graph under construction."""
    if not is_integer(leaf):
        return False
    flags = _flags_of(leaf)
    return functools.reduce(ops.logical_and, flags) if flags else True


def _flags_of(leaf: Any) -> list:
    """The flags of the integers that an integer is made of."""
    if type(leaf) is int or not _thread.trace.checks.has_flags:
        return []
    facts = (_thread.trace.values.known[key].integer for key in noted_in(leaf))
    flags = {id(fact.flag): fact.flag for fact in facts if fact.flag is not True}
    return list({key_of(flag): flag for flag in map(resolved, flags.values())}.values())


def noted_in(leaf: Any) -> set:
    """The keys of the noted integers that a value is made of."""
    if not is_symbolic(leaf) or not are_met():
        return set()
    found = set()

    def step(tensor: Any) -> Sequence:
        if _fact(tensor) is None:
            return values.made_of(tensor)
        found.add(key_of(tensor))
        return ()

    values.walk(leaf, step)
    return found


def used(*regions: Any) -> set:
    """The keys of the noted integers of which integers beyond int32 may be made: those of which
    such ones are made in graphs under construction, or were in what these hold."""
    if not are_met():
        return set()
    pending = list(Checks.of_trace().checked)
    for region in regions:
        for op, inputs, output, _ in Checks.of_trace().integers.arithmetic(region):
            is_made = output.shape.rank == 0 and not is_held(output)
            if is_made and _exact(op, inputs, output) not in (None, _small_step):
                pending += noted_in(output)
    found: set = set()
    while pending:
        key = pending.pop()
        if key not in found:
            found.add(key)
            pending += _thread.trace.values.known[key].made_of
    return found


def note_chosen(tensor: Any, test: Any, first: Any, second: Any) -> None:
    """Note a tensor that is the ``first`` of two values where a test holds, else the second.

    ``test`` is a tensor, or gives one.
    """
    integers = [leaf for leaf in (first, second) if is_integer(leaf)]
    if not integers:
        return
    flags = standing(first), standing(second)

    def told() -> Any:
        chosen = test() if callable(test) else test
        return ops.where(chosen, *map(_core.convert_to_tensor, flags))

    flag = True if all(flag is True for flag in flags) else Told(told)
    note(tensor, True, flag, noted_in(first) | noted_in(second), most_of(integers))


def joined(integers: Sequence, flag: Any) -> Fact:
    """What is known of a tensor that is one of some integers where a ``flag`` says so."""
    made_of = set().union(*map(noted_in, integers))
    return Fact(any(map(is_large, integers)), flag, most_of(integers), made_of)


def most_of(integers: Iterable) -> int | None:
    """How far from zero one of some integers is at most, as far as tracing tells."""
    found = [most(leaf) for leaf in integers]
    return None if any(m is None for m in found) else max(m for m in found if m is not None)


def are_met() -> bool:
    """Whether the trace has such integers."""
    return _thread.trace is not None and _thread.trace.checks.integers is not None


def counts() -> dict[str, int]:
    """What the trace has met that decides whether a loop is traced again, and how often: the
    ``kinds`` of numbers asked for, ``weak`` numbers that took the dtype of what stood beside them,
    ``quotients``, integers' ``checks``, and steps by one that it left ``unchecked``."""
    return (_thread.trace.checks.counts or {}) if _thread.trace is not None else {}


def count(what: str, n: int = 1) -> None:
    """Count something that the trace has met."""
    found = Checks.of_trace().counts
    found[what] = found.get(what, 0) + n


def are_made_in(region: Any) -> bool:
    """Whether a graph under construction has operations on such integers that may be checked."""
    return are_met() and bool(Checks.of_trace().integers.arithmetic(region))


def check(region: Any) -> None:
    """Let the graph, to which operations are added now, fail where one of its operations on such
    integers has a result that int32 does not hold."""
    if not are_met():
        return
    for op, inputs, output, place in Checks.of_trace().integers.arithmetic(region):
        if output.shape.rank != 0 or is_held(output):
            continue
        test = _exact(op, inputs, output)
        if test is None or test is _small_step:
            count("unchecked", test is not None)
            continue
        count("checks")
        Checks.of_trace().checked |= noted_in(output)
        exact = test()
        for flag in _flags_of(output):
            exact = ops.logical_or(exact, ops.logical_not(flag))
        spot = SourceLocation(*place) if place is not None else ""
        ops.Assert(exact, [_message(op, spot, output.dtype)])


def total(elements: Any) -> Any:
    """The sum of the elements of a tensor, which are symbolic Python integers."""
    found = ops.reduce_sum(elements, axis=0)
    wide = dtypes.int64 if elements.dtype == dtypes.int32 else dtypes.float64
    exact = _is_held_by(elements.dtype, ops.reduce_sum(ops.cast(elements, wide), axis=0))
    ops.Assert(exact, [_message("Sum", here(), elements.dtype)])
    return note(found, large=True)


def _is_held_by(dtype: Any, wide: Any) -> Any:
    """Whether a dtype holds a number that a wider one says."""
    if dtype == dtypes.int64:
        return ops.less(ops.abs(wide), _SURELY_HELD)
    return ops.logical_and(ops.greater_equal(wide, _LEAST), ops.less(wide, -_LEAST))


def check_cast(value: Any) -> None:
    """Let the graph fail where ``int`` of a tensor is no number that int32 holds."""
    if value.dtype not in _WIDER:
        return
    wide = ops.cast(value, dtypes.float64)
    held = ops.logical_and(ops.greater(wide, _LEAST - 1.0), ops.less(wide, -1.0 * _LEAST))
    ops.Assert(
        ops.reduce_all(held),
        [
            diagnostic(
                here(),
                "`int` of a tensor gives a number here that int32 does not hold, as in the graph: "
                "plain Python has integers without bounds",
                f"Write `{FG}.cast(x, {FG}.int64)`.",
            )
        ],
    )


def _exact(op: str, inputs: list, output: Any) -> Callable[[], Any] | None:
    """What makes the test whether an operation gave what it gives on integers without bounds; None
    where it always does, ``_small_step`` where it does since the integer is not large."""
    constants, least = list(map(constant, inputs)), -limit(output.dtype) - 1
    if op in SUMS and (constants[1] is not None or (op != "Sub" and constants[0] is not None)):
        at = 1 if constants[1] is not None else 0
        step, start = constants[at] or 0, inputs[1 - at]
        if step == 0:
            return None
        if abs(step) == 1 and not is_large(start):
            return _small_step
        rises = (step > 0) is (op != "Sub")
        return lambda: ops.greater(output, start) if rises else ops.less(output, start)
    steps = inputs[1:] if op == "Sub" else inputs if op in SUMS else ()
    for step in filter(_is_small, steps):
        if not is_large(inputs[inputs[0] is step]):
            return _small_step
    if op == "Mul" and not {0, 1}.isdisjoint(constants):
        return None
    if op in ("Neg", "Abs"):
        is_far = is_large(inputs[0])
        return (lambda: ops.not_equal(inputs[0], least)) if is_far else _small_step
    if op == "FloorDiv":
        if constants[1] not in (None, -1):
            return None
        return lambda: ops.logical_or(ops.not_equal(inputs[0], least), ops.not_equal(inputs[1], -1))
    return lambda: _exact_result(op, inputs, output)


def _small_step() -> None:
    """A step by one of an integer that is not large."""


def _exact_result(op: str, inputs: list, output: Any) -> Any:
    """Whether an operation gave what it gives in a wider dtype."""
    is_widest = output.dtype == dtypes.int64
    wide = dtypes.float64 if is_widest or op in ("Pow", "LeftShift") else dtypes.int64
    unbounded = _UNBOUNDED[op](*(ops.cast(value, wide) for value in inputs))
    if is_widest:
        return _is_held_by(output.dtype, unbounded)
    return ops.equal(ops.cast(output, wide), unbounded)


_UNBOUNDED: dict[str, Callable] = {
    "Add": add,
    "AddV2": add,
    "Sub": sub,
    "Mul": mul,
    "Pow": pow,
    "LeftShift": lambda a, b: a * 2.0**b,
}


def _message(op: str, spot: str, dtype: Any) -> str:
    name = dtype.name
    whole = f"`{FG}.constant(0, {FG}.int64)`"
    cure = f"Start with a tensor that holds it, for example {whole}, or with "
    if dtype == dtypes.int64:
        cure = "Keep it small, for example by `%`, or start with "
    return diagnostic(
        spot,
        "a Python integer that a staged branch or loop carries is beyond the range of "
        f"{name} ({op}): plain Python has integers without bounds, the graph has not",
        f"{cure}`{FG}.constant(0, {FG}.{name})` where it is to wrap.",
    )
