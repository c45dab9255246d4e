"""Exceptions in staged code: handlers, and branches that raise while the other one continues.

Where one branch raises, the results of the other one need no merge: its tensors become results of
the conditional, and objects that it made stay as they are.
"""

from __future__ import annotations

import contextlib
import re
import types
from collections.abc import Callable, Iterator

from .. import ops
from ..context import tracebacks
from ..heap import structure
from ..heap.adapters import COMPARABLE, registry
from ..heap.adapters.base import Through
from ..heap.location import Location, Together, Variants, held_by
from ..heap.source_location import SourceLocation, diagnostic, here, is_diagnostic, refusal, said_by
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..ops import string_ops
from ..symbolic import python_scalars, values
from ..values import dtypes, errors
from . import side_effects, variants
from .iteration import Cursor
from .regions import Conditional


def message(exception: Exception, suffix: str) -> list:
    """What ``Assert`` shows of an exception that a branch ends with, ``suffix`` behind it."""
    head, given = f"{type(exception).__name__}: ", exception.args
    own = isinstance(type(exception).__str__, types.FunctionType)
    if own or not any(values.is_staged(a) for a in given):
        return [f"{head}{exception}{suffix}"]
    if len(given) == 1 and values.is_tensor(given[0]) and given[0].dtype == dtypes.string:
        return [string_ops.join([head, given[0], suffix])]
    return [head.rstrip(), *shown(given), suffix.lstrip()]


def mark_left(exception: BaseException) -> None:
    """Mark an exception that leaves a staged branch or loop, and add a note to a builtin one. One
    that ends an iteration in Python is refused."""
    if isinstance(exception, (StopIteration, StopAsyncIteration)):
        raise refusal(
            "an iterator ends in a staged branch or loop (`StopIteration`), which happens "
            "while tracing, whatever the graph decides, also where plain Python would not come to "
            "that line",
            "Take the elements before the branch or loop, or give `next` a default.",
        ) from exception
    is_pythons = type(exception).__module__ == "builtins" and not is_diagnostic(exception)
    if is_pythons and not left_region(exception):
        tracebacks.add_note(exception, _note_of_region(exception))
    with contextlib.suppress(AttributeError):  # not every class takes attributes
        exception._ferrograph_left_region = True
        exception._ferrograph_said = None


def _note_of_region(exception: BaseException) -> str:
    """What to say of an error that a branch or loop raises while it is traced. A name that is not
    there and an operation that does not fit are mistakes wherever they are."""
    if type(exception) is NameError or any("[Op:" in said for said in said_by(exception)):
        return f"raised while the branch or loop at {here()} was traced, which may never run"
    return diagnostic(
        here(),
        "raised while a staged branch or loop was traced, which happens whatever the graph "
        "decides, also where plain Python would not come to that line",
        "Test with a Python value whether it may run, or let it work for all that the graph may "
        "decide.",
    )


def left_region(exception: BaseException | None) -> bool:
    """Whether an exception comes out of a staged branch or loop, whose code may never run."""
    return getattr(exception, "_ferrograph_left_region", False)


def may_handle(kinds: Any, exception: BaseException | None) -> bool:
    """Whether an ``except`` clause for some classes may catch an exception in a trace: nothing that
    left a staged branch or loop, and no refusal, which plain Python has not, unless the clause
    names that."""
    if left_region(exception):
        return False
    if _thread.trace is None or not _is_refusal(exception):
        return True
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    return any(isinstance(k, type) and issubclass(k, _REFUSALS) for k in named)


def _is_refusal(exception: BaseException | None) -> bool:
    if isinstance(exception, _REFUSALS) or _unset_name(exception):
        return True
    if isinstance(exception, AttributeError):
        return _is_of_eager_tensors(exception)
    if type(exception) not in (TypeError, ValueError, NotImplementedError):
        return False
    is_said = is_diagnostic(exception) or _names_symbolic(exception)
    return is_said or python_scalars.operator_of(exception) is not None


def _unset_name(exception: BaseException | None) -> str:
    """The name that is not set while tracing, of which only the graph knows whether a branch or a
    loop sets it; "" where an exception is about something else."""
    if not isinstance(exception, NameError):
        return ""
    found = re.search("'(.+?)'", str(exception))
    name: str = getattr(exception, "name", None) or (found[1] if found else "")
    return name if name in _thread.trace.effects.unset else ""


def explain_unset(exception: Exception) -> None:
    """Say in an error about such a name why it is not set."""
    name = _unset_name(exception)
    if name and not is_diagnostic(exception):
        met = python_scalars.met_in(exception)
        spot = SourceLocation(met.tb_frame.f_code.co_filename, met.tb_lineno) if met else ""
        tracebacks.add_note(
            exception,
            diagnostic(
                spot,
                f"a staged branch or loop may set {name!r}, and a function reads it after "
                "that: while tracing it is not set, whatever the graph decides",
                f"Set {name!r} before the branch or loop.",
            ),
        )


def _names_symbolic(exception: BaseException) -> bool:
    """Whether the message of an error names a symbolic tensor."""
    said = said_by(exception)
    return any("SymbolicTensor" in text or "symbolic tensor" in text for text in said)


def _is_of_eager_tensors(exception: AttributeError) -> bool:
    """Whether a symbolic tensor has been asked for what plain Python has in its place."""
    tensor = getattr(exception, "obj", None)
    if not values.is_symbolic(tensor):
        return False
    name = getattr(exception, "name", None) or ""
    is_chosen = python_scalars.is_symbolic_number(tensor) or python_scalars.is_symbolic_string(
        tensor
    )
    return is_chosen or hasattr(_core.EagerTensor, name)


_REFUSALS = (
    errors.StagingError,
    errors.OperatorNotAllowedInGraphError,
    errors.InaccessibleTensorError,
)


def are_alike(first: Exception, second: Exception) -> bool:
    """Whether a handler cannot tell two exceptions apart."""
    if type(first) is not type(second) or len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    return all(
        a is b or (type(a) is type(b) and isinstance(a, COMPARABLE) and a == b) for a, b in pairs
    )


def note_said(exception: Exception, branch: Any) -> None:
    """Note that the graph of ``branch`` fails with ``exception`` already."""
    exception._ferrograph_said = branch


def is_said(exception: Exception, branch: Any) -> bool:
    """Whether the graph of ``branch`` fails with ``exception`` already."""
    return getattr(exception, "_ferrograph_said", None) is branch


def shown(value: Any) -> list:
    """The parts of the message of an ``assert``, or the arguments of an exception, as tensors."""
    if not isinstance(value, (list, tuple)):
        value = (value,)
    return [v if values.is_staged(v) or isinstance(v, str) else str(v) for v in value]


def check(test: Any, message: Any) -> None:
    """Fail when the graph runs and ``test`` is false; ``message`` gives what to show, if any: what
    that does beside is put back, since a program that continues has not done it."""
    if message is None:
        ops.Assert(test, ["assertion failed"])
        return
    with side_effects.region([message]) as made:
        said = shown(message())
    side_effects.undo(made)
    ops.Assert(test, said)


Take = Callable[[Iterator], Any]


class Lifting:
    """The values that one branch of a conditional leaves, each object looked into once."""

    def __init__(self, conditional: Conditional, side: int):
        self._conditional, self.side = conditional, side
        self._region = conditional.branches[side].region
        self._seen: dict[int, Any] = {}

    def change(self, place: Location, value: Any) -> Callable[[Iterator], None]:
        """How to leave in a place what the branch left there."""
        label = f"the values of {place.label!r}"
        if not place.is_whole:
            take = self.value(label, value)
            return lambda results: place.put(take(results))
        take = (
            self._several(label, value) if type(value) is Variants else self._content(label, value)
        )
        return lambda results: place.put(take(results))

    def value(self, label: str, value: Any) -> Take:
        """How to take a value of the branch, with tensors from outside of it."""
        if isinstance(value, (_core.Tensor, Together)) or hasattr(type(value), "_component_list"):
            return self._leaf(label, value)
        if isinstance(value, tuple):
            takes = [self.value(label, part) for part in value]
            return lambda results: _tuple_like(value, [take(results) for take in takes])
        setters = list(self._inside(label, value))

        def fill(results: Iterator) -> Any:
            for setter in setters:
                setter(results)
            return value

        return fill

    def _leaf(self, label: str, value: Any) -> Take:
        graph = self._region.graph_id
        if not any(
            getattr(leaf, "_graph_id", None) == graph for leaf in structure.leaves_of(value)
        ):
            return lambda results: value
        first, second = (value, None) if self.side == 0 else (None, value)
        self._conditional.merge(label, first, second, (self.side == 1, self.side == 0))
        return next

    def _content(self, label: str, content: Any) -> Take:
        """A content of a container, which compares by what it holds."""
        items = held_by(content)
        takes = [self.value(label, item) for item in items]
        if not items:
            return lambda results: content
        return lambda results: variants.with_values(content, [take(results) for take in takes])

    def _several(self, label: str, held: Variants) -> Take:
        index = self.value(label, held.index)
        takes = [self._content(label, content) for content in held.contents]
        return lambda results: Variants(index(results), [take(results) for take in takes])

    def _inside(self, label: str, value: Any) -> Iterator[Callable[[Iterator], None]]:
        """How to leave what an object holds that the branch has made."""
        snapshot = self._conditional.snapshot
        if id(value) in self._seen or (snapshot is not None and snapshot.knows(value)):
            return
        adapters = (
            (registry.FIELDS,) if type(value) is Cursor else registry.adapters_of(type(value))
        )
        if adapters:
            self._seen[id(value)] = value
        for adapter in adapters:
            held = adapter.hold(value)
            if isinstance(adapter, Through):
                for part in adapter.parts(value, held):
                    yield from self._inside(label, part)
            if adapter is registry.ARGUMENTS:
                continue
            for key, inner in adapter.references(value, held):
                place = adapter.reference(value, key)
                yield self._setter(place, inner, self.value(label, inner))

    def _setter(self, place: Location, inner: Any, take: Take) -> Callable[[Iterator], None]:
        def put(results: Iterator) -> None:
            made = take(results)
            if made is not inner:
                place.put(made)

        return put


def _tuple_like(value: tuple, parts: list) -> tuple:
    if all(a is b for a, b in zip(value, parts, strict=True)):
        return value
    return tuple.__new__(type(value), parts)
