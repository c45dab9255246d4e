"""Recursion: functions that call themselves while they are traced, on tensors.

A call of a function that is being traced for these arguments, in a branch that may not run, becomes
one operation: a call of the graph that the trace will be. Its result type has to be known before
the trace ends. So a first pass leaves out the branches that reach such a call, which gives the type
of the base case; a second pass traces the whole function on that assumption; and where the result
is more general, another pass follows with that type.
"""

from __future__ import annotations

import functools
import itertools
import types
import weakref
from collections.abc import Callable
from typing import Any

from ...context import thread
from ...context.locals import locals_of
from ...context.ownership import is_library_file
from ...context.thread import Ongoing, Undetermined
from ...heap import structure
from ...heap.source_location import SourceLocation, diagnostic, here
from ...native import _core
from ...staging import retrace, side_effects
from ...symbolic import ranges
from ...values import dtypes
from ...values.errors import InvalidArgumentError, StagingError
from .. import concrete, outputs

__all__ = [
    "EndlessTraceError",
    "another_choice",
    "call",
    "endless",
    "is_endless",
    "learn",
    "relaxation_of_ongoing",
    "staged",
    "unended",
]

_MAX_PASSES = 8


class EndlessTraceError(RecursionError):
    """A function called itself for arguments of the same types while it was traced, without end."""


def unended(name: str, error: RecursionError) -> EndlessTraceError:
    """The same where Python gave up, at the line that it came to."""
    made, traceback = endless(name), error.__traceback__
    spot = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        spot = spot if is_library_file(file) else SourceLocation(file, traceback.tb_lineno)
        traceback = traceback.tb_next
    return made if spot is None else EndlessTraceError(diagnostic(spot, *str(made).split(". ", 1)))


def endless(name: str) -> EndlessTraceError:
    """The error of a recursion that nothing ends."""
    return EndlessTraceError(
        f"{name}() calls itself while it is traced, and nothing ends that: neither Python nor a "
        "branch of an `if` on a tensor returns without such a call, or each call has another "
        "Python value, such as a depth that it counts. Let a branch return, make such a value "
        "a tensor, or write it as a `while` loop"
    )


def is_endless(error: RecursionError) -> bool:
    """Whether Python gave up among calls that staged branches made."""
    return retrace.left_region(error)


class Result:
    """What a function returns: the structure, and the dtype and shape of each tensor in it."""

    def __init__(
        self,
        template: Any,
        specs: list[tuple[Any, list[Any] | None]],
        integers: list[bool] | None = None,
    ):
        self.template, self.specs = template, specs
        # Which of the tensors are symbolic Python integers, where it is a plain function.
        self.integers = integers or [False] * len(specs)


def call(target: Any, wanted: Any) -> Any:
    """The function that replaces ``target`` in a recursive call that its active trace reaches.

    None where this is no such call: none of its active traces on this thread serves the arguments,
    or the call is not in a staged branch.
    """
    traces = thread.all_ongoing()
    for i in reversed(range(len(traces))):
        trace = traces[i]
        if trace.function is not target or thread.n_branches() <= trace.branches:
            continue
        if trace.region is None or trace.signature._relaxed_with(wanted) != trace.signature:
            continue
        for inner in traces[i + 1 :]:
            inner.is_open = True
        return _stand_in(trace)
    return None


def relaxation_of_ongoing(target: Any, wanted: Any) -> Any:
    """The relaxation of a signature and that of an active trace; None without one."""
    for trace in reversed(thread.all_ongoing()):
        if trace.function is target and thread.n_branches() > trace.branches:
            general = trace.signature._relaxed_with(wanted)
            if general is not None and general != trace.signature:
                return general
    return None


def _stand_in(trace: Ongoing) -> Any:
    if trace.result is None:
        trace.is_pending = True
        raise Undetermined
    if trace.substitute is None:
        handle = _core.RecursiveHandle(trace.region, trace.result.specs)
        made = concrete.ConcreteFunction(handle, trace.result.template, trace.function, (), {})
        trace.substitute = handle, made
    return trace.substitute[1]


def learn(trace: Ongoing, result: Any, flat: list[Any], template: Any, tensors: list[Any]) -> bool:
    """Whether the function has to be traced again, by what it was found to return.

    ``flat`` and ``template`` are of ``result``; ``tensors`` those among the arguments.
    """
    _check_outside(trace)
    specs = [(t.dtype, _dims(t)) for t in flat]
    raw, _ = outputs.flatten_result(result, lambda value: value)
    integers = _integers(trace.function, raw)
    if trace.is_pending:
        trace.choices = _choices(
            specs, raw, [t.dtype for t in tensors if isinstance(t, _core.Tensor)]
        )
        trace.result = Result(template, trace.choices.pop(0), integers)
        return True
    known = trace.result
    if not _same_template(known.template, template) or len(known.specs) != len(specs):
        raise TypeError(
            f"{trace.function.name}() returns other structures where it calls itself than where it "
            "does not: let all branches return the same"
        )
    general = [_generalised(a, b) for a, b in zip(known.specs, specs, strict=True)]
    integers = [a and b for a, b in zip(known.integers, integers, strict=True)]
    if general == known.specs and integers == known.integers:
        return False
    trace.n_passes += 1
    if trace.n_passes > _MAX_PASSES:
        raise TypeError(
            f"{trace.function.name}() calls itself, and what it returns is of no one dtype and rank"
        )
    trace.result = Result(template, general, integers)
    return True


def another_choice(trace: Ongoing, error: Exception) -> bool:
    """Whether a pass that failed may do better if Python numbers returned have another dtype."""
    is_type_error = isinstance(error, (TypeError, ValueError, InvalidArgumentError))
    if trace.substitute is None or not is_type_error or not trace.choices:
        return False
    trace.errors.append(error)
    known = trace.result
    trace.result = Result(known.template, trace.choices.pop(0), known.integers)
    return True


def _integers(function: Any, raw: list[Any]) -> list[bool]:
    """Which leaves of what a function returns are integers in plain Python; remembered for who
    calls it."""
    if function not in _plain:
        return [False] * len(raw)
    _plain[function] = [type(v) is int or ranges.standing(v) is True for v in raw]
    return _plain[function]


# Functions made of plain ones that call themselves: which leaves of their results are integers.
_plain: weakref.WeakKeyDictionary[Any, list[bool]] = weakref.WeakKeyDictionary()


def _dims(tensor: Any) -> list[Any] | None:
    shape = tensor.shape
    return None if shape.rank is None else shape.as_list()


def _choices(specs: list[Any], raw: list[Any], given: list[Any]) -> list[list[Any]]:
    """What may be returned, likeliest first: a Python number may have any dtype that fits it."""
    weak = [type(leaf) in (int, float) for leaf in raw]
    found = [specs]
    for dtype in dict.fromkeys(given):
        changed = [
            (dtype, dims) if _may_be(leaf, known, dtype, dims) else (known, dims)
            for (known, dims), leaf in zip(specs, raw, strict=True)
        ]
        if changed not in found:
            found.append(changed)
    return [*found[1:], found[0]] if any(weak) else found


def _may_be(leaf: Any, known: Any, dtype: Any, dims: Any) -> bool:
    """Whether what is returned once may be a number, and so of that dtype elsewhere."""
    if type(leaf) is float or known == dtypes.float32 and dims == []:
        return bool(dtype.is_floating or dtype.is_complex)
    if type(leaf) is int or known == dtypes.int32 and dims == []:
        return bool(dtype.is_integer or dtype.is_floating or dtype.is_complex)
    return False


def _generalised(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """A spec for both; the dtype is that found last."""
    (_, x), (dtype, y) = a, b
    if x is None or y is None or len(x) != len(y):
        return dtype, None
    return dtype, [p if p == q else None for p, q in zip(x, y, strict=True)]


def _same_template(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(_same_template, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same_template(a[k], b[k]) for k in a)
    if hasattr(a, "children"):
        return all(map(_same_template, a.children, b.children))
    return bool(a == b)


def _check_outside(trace: Ongoing) -> None:
    """ValueError where the pass left its tensors in a closure, where further calls would not see
    those of the calls in between."""
    code = getattr(trace.function.python_function, "__code__", None)
    cells = getattr(trace.function.python_function, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars if code else (), cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if isinstance(value, _core.Tensor) and value._graph_id == trace.region.graph_id:
            raise ValueError(
                f"{trace.function.name}() calls itself and sets {name!r}, which is not its own, to "
                "a tensor: a staged call gives back nothing but what it returns. Return the value "
                "too, or keep it in a Variable"
            )


def staged(
    target: types.FunctionType, found: Callable[..., Any], frames: list[Any]
) -> Callable[..., Any]:
    """What is called in place of a plain function, in its form ``found``, that runs in ``frames``.

    A call for arguments of the same types is traced as a function of its own, which calls itself.
    """

    @functools.wraps(target)
    def again(*args: Any, **kwargs: Any) -> Any:
        made = _function_of(target)
        if any(_repeats(made, target, frame, args, kwargs) for frame in frames):
            return _without_effects(made, target, args, kwargs)
        return found(*args, **kwargs)

    return again


def _without_effects(
    made: Any, target: types.FunctionType, args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> Any:
    """What the staged call gives. StagingError where it changes what outlives it: each level would,
    and the trace does so once."""
    anchors = target, lambda: (args, kwargs)
    with side_effects.region(anchors) as log:
        result = made(*args, **kwargs)
    changed = [change.place.label for change in side_effects.changes(log, anchors)]
    if changed:
        raise StagingError(
            diagnostic(
                here(),
                f"{target.__name__}() calls itself on tensors here and changes "
                f"{', '.join(map(repr, changed))}, which is not its own: a staged call gives back "
                "nothing but what it returns",
                "Return the value too, or keep it in a `Variable`.",
            )
        )
    leaves, integers = structure.leaves_of(result), _plain.get(made, [])
    if len(leaves) == len(integers):
        for leaf in itertools.compress(leaves, integers):
            ranges.note(leaf, large=True)
    return result


def _function_of(target: types.FunctionType) -> Any:
    for trace in reversed(thread.all_ongoing()):
        if trace.function.python_function is target:
            return trace.function
    made = type(thread.all_ongoing()[-1].function)(target)
    _plain[made] = []
    return made


def _repeats(
    made: Any, target: types.FunctionType, frame: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> bool:
    """Whether a call has arguments of the types of those that ``target`` has in ``frame``."""
    code, held = target.__code__, locals_of(frame)
    n = code.co_argcount
    names = code.co_varnames[: n + code.co_kwonlyargcount]
    if code.co_flags & 12 or not all(name in held for name in names):
        return True
    try:
        running = made._signature_of(
            tuple(held[name] for name in names[:n]), {name: held[name] for name in names[n:]}
        )
        wanted = made._signature_of(args, kwargs)
    except (TypeError, ValueError):
        return False
    return running._relaxed_with(wanted) is not None
