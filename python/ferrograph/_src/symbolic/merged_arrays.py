"""Tensors that stand for arrays of NumPy's among which the graph chooses, or which its loops carry.

``a += b`` changes an array in place, which its other names show; of a tensor it makes another one.
That is refused where code that follows reads the array, or a view of it, elsewhere.
"""

from __future__ import annotations

import sys

from ..context import tracebacks
from ..context.locals import locals_of
from ..heap.code_names import words_of
from ..heap.liveness.frames import frames, read_later, stored_next, values_in
from ..heap.parts import is_array, memory_of
from ..heap.reachable import Walk
from ..heap.source_location import diagnostic, here
from ..heap.trace_context import NOTHING, watch_operators
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..values import errors
from .provenance import is_made_of, key_of

# Operations that give views; regions read tensors of what is around them by the last one.
_VIEWS = frozenset({"StridedSlice", "Reshape", "Transpose", "ExpandDims", "Squeeze", "Identity"})


class Arrays:
    """The tensors of a trace that represent NumPy arrays."""

    def __init__(self) -> None:
        self.tensors: dict[Any, Any] = {}
        self.memory: dict[Any, Any] = {}  # whose memory is whose


def of_trace() -> Arrays:
    """That of the trace on this thread."""
    trace = _thread.trace
    if trace.arrays is NOTHING:
        trace.arrays = Arrays()
    found: Arrays = trace.arrays
    return found


def mark(tensor: Any, *sources: Any) -> None:
    """Note that a tensor stands for an array, which may be one that ``sources`` are."""
    if _thread.trace is not None and type(tensor) is _core.SymbolicTensor:
        root = _thread.trace
        of_trace().tensors[key_of(tensor)] = tensor
        if not root.containers.are_grown:
            root.watch()
        for source in sources:
            _refuse_class(source)
            if stands_for_array(source):
                of_trace().memory[_memory(source)] = _memory(tensor)
        watch_operators(root)


def refuse_text(tensor: Any) -> None:
    """Refuse to show an array, or a number of NumPy's, for which a tensor stands."""
    raise errors.StagingError(
        diagnostic(
            here(),
            "an array of NumPy's that a branch or a loop of the graph chose, or an element of one, "
            "is shown here: NumPy writes it otherwise than the tensor that stands for it",
            "Show a tensor, `fg.identity(a)`, or print before the branch or loop.",
        )
    )


def _refuse_class(array: Any) -> None:
    """Refuse that a tensor stands for an array of a class whose operators may be others."""
    numpy = sys.modules.get("numpy")
    is_numpys = numpy is not None and isinstance(array, numpy.ndarray)
    if is_numpys and type(array).__name__ not in AS_TENSORS:
        raise errors.StagingError(
            diagnostic(
                here(),
                f"a `{type(array).__name__}` is one of those among which a branch or a loop of the "
                "graph chooses: the graph would take a tensor for it, with other operators",
                "Choose between plain arrays, `np.asarray(a)`, or between tensors.",
            )
        )


# The classes of arrays with the operators that tensors have.
AS_TENSORS = frozenset({"ndarray", "memmap", "recarray"})


def is_chosen(value: Any) -> bool:
    """Whether a value is a tensor that stands for an array, or is made of such ones."""
    if type(value) is not _core.SymbolicTensor or _thread.trace is None:
        return False
    known = _thread.trace.arrays.tensors
    if not known or is_made_of(value, known, _made_of) is not True:
        return False
    known[key_of(value)] = value
    return True


def _made_of(tensor: Any) -> list | None:
    """The tensors of which a tensor is made; None of one that is none of NumPy's."""
    if key_of(tensor) in (_thread.trace.scalars.tensors or ()):
        return None
    made = _core.made_by(tensor)
    if made is None:
        return None
    return [] if made[0] == "Const" else made[1]


def refuse_beside(tensor: Any, name: str) -> None:
    """Refuse to change an array for which a tensor stands, under a name or, "", where an object
    holds it, if that is read elsewhere."""
    memory = _memory(tensor)
    names, held = (sum(_memory(v) == memory for v in found) for found in _read(name))
    if names or held > (0 if name else 1):
        raise errors.StagingError(
            diagnostic(
                here(),
                f"{repr(name) if name else 'an element'} is an array that a branch or a loop of "
                "the graph chose, for which a tensor stands, and an augmented assignment changes "
                "it in place, while code that follows reads it elsewhere: the graph would make "
                "another tensor instead",
                "Write `a = a + ...`, or make a copy before, `a = a.copy()`.",
            )
        )


def _memory(value: Any) -> Any:
    """What tells a tensor or an array, its views, and what it may be, from others."""
    if type(value) is _core.SymbolicTensor:
        while (made := _core.made_by(value)) is not None and made[0] in _VIEWS:
            value = made[1][0]
        key: Any = key_of(value)
    else:
        array = memory_of(value)[-1]
        key = id(array)
        of_trace().tensors[key] = array  # which keeps its place
    same = of_trace().memory
    while (further := same.get(key, key)) != key:
        key = further
    return key


def _read(name: str) -> tuple[list, list]:
    """The tensors that code which follows may read under names, each as often as it may, but for a
    name of the innermost function; and those that objects hold which it may read, or, without a
    name, which it has."""
    live: list[Any] = []
    more: list[Any] = []
    own = {name}
    for running in frames():
        own = own | {stored_next(running)}
        names = read_later(running) - own
        named = locals_of(running)
        live += [named[n] for n in names if n in named]
        live += [running.f_globals[w] for w in words_of(running.f_code) & set(running.f_globals)]
        more += [] if name else values_in(running)
        own = own if running.f_code in tracebacks.parts else set()
    walk = Walk()
    walk.run((), [_thread.roots, *live, *more])
    held = [part for adapter, owner, held in walk.entries for part in adapter.parts(owner, held)]
    held += [part for value in walk.seen.values() if type(value) is tuple for part in value]
    return _tensors(live), _tensors(held)


def _tensors(found: list) -> list:
    """Those that are tensors or arrays."""
    return [v for v in found if type(v) is _core.SymbolicTensor or is_array(v)]


def stands_for_array(value: Any) -> bool:
    """Whether a value is such an array, or a tensor that stands for one in a trace."""
    if type(value) is _core.SymbolicTensor:
        trace = _thread.trace
        return trace is not None and bool(trace.arrays.tensors) and is_chosen(value)
    return is_array(value)
