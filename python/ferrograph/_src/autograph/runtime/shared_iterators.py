"""Iterators that are consumed as far as a tensor decides: the side effects of taking an element
happen in branches, and a program that keeps the iterator may see its position."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator

from ...context.locals import forgotten
from ...context.ownership import is_own_file
from ...context.referents import referents
from ...heap import frames, liveness
from ...heap.adapters import UNREFERRING, is_class
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import Holder, thread
from ...hints import Any
from ...staging.write_barriers import advanced
from ...values import errors

_MOST = 4  # iterators of which each takes from the next


def held(iterable: Any, n_names: int) -> list:
    """The iterators that running over ``iterable`` takes elements from and that something else
    holds than the ``n_names`` functions that pass it on."""
    if not hasattr(iterable, "__next__"):
        return []
    own = (n_names + 1) * liveness.of_argument() + _noted(iterable) + 1
    if forgotten(n_names + 1) and liveness.count(iterable) > own:
        return [iterable]
    return _below(iterable, _MOST)


def _below(iterable: Any, depth: int) -> list:
    found: list = []
    parts = referents(iterable) if depth else []
    for part in parts:
        if not hasattr(type(part), "__next__") or is_class(part):
            if type(part) is tuple:
                found += _below(part, depth - 1)
            continue
        n = sum(other is part for other in parts)  # a generator that runs holds one twice
        own = 2 * n + 2 + _noted(part)  # by both, and here
        if forgotten() and liveness.count(part) > own:
            found.append(part)
        else:
            found += _below(part, depth - 1)
    return found


def _noted(iterator: Any) -> int:
    """How many noted loops iterate over a list by an iterator."""
    running = (thread.trace.iterators.running or ()) if thread.trace is not None else ()
    return sum(pair[1] is iterator for pair in running)


def refuse(kept: list, iterable: Any, what: str) -> None:
    """Refuse that a tensor decides how far ``what`` advances an iterator that the program keeps, or
    a generator that has code to run when it is closed."""
    if kept:
        why = "is an iterator that the program keeps: how many elements it has left"
        cure = "Iterate over a list of its elements, such as `list(items)`."
    elif _ends(iterable, _MOST):
        why = "is a generator with a `finally`, `with` or `except`: when that runs"
        cure = "Keep what ends it out of the generator, in a `with` around the loop."
    else:
        return
    raise errors.StagingError(
        diagnostic(
            here(),
            f"{what} stops where a tensor decides, and its iterable {why} is known only when the "
            "graph runs",
            cure,
        )
    )


def _ends(iterator: Any, depth: int) -> bool:
    """Whether leaving an iterator may run code of a generator."""
    if type(iterator) is types.GeneratorType and frames.has_handlers(iterator.gi_code):
        return True
    parts = referents(iterator) if depth and hasattr(iterator, "__next__") else ()
    nested = [p for part in parts if type(part) is tuple for p in referents(part)]
    return any(
        _ends(part, depth - 1)
        for part in (*parts, *nested)
        if hasattr(part, "__next__") and not is_class(part)
    )


class Turns(Holder):
    """The elements of an iterator that branches take one by one.

    ``reached`` is what taking them may change, for the closures of the branches.
    """

    __slots__ = ("_kept", "elements", "is_over", "reached")

    def __init__(self, elements: Iterator, kept: list):
        self.elements, self._kept = elements, kept  # and what the program keeps of iterators
        self.reached = _parts(elements, _MOST)
        self.is_over = False

    def take(self, use: Callable[[Any], Any], ended: Any = None) -> Any:
        """``use`` of the next element; ``ended`` where there is none."""
        for iterator in self._kept:
            advanced(iterator)
        for element in self.elements:
            return use(element)
        self.is_over = True
        return ended


def going_on(turns: Turns, found: Any, operator: Callable, taken: Callable[[], Any]) -> Any:
    """``found`` joined by ``operator`` with what is ``taken`` of each element behind, where it is
    reached.

    A counter in a user-defined method is a plain value within the branch that changes it, and
    symbolic after it: so the elements are taken in nested branches.
    """
    if not _by_methods(turns):
        while not turns.is_over:
            found = operator(found, taken)
        return found

    def rest() -> Any:
        this = taken()
        return this if turns.is_over else operator(this, rest)

    return operator(found, rest)


def _by_methods(turns: Turns) -> bool:
    elements = turns.elements
    return type(elements) is types.GeneratorType and is_own_file(elements.gi_code.co_filename)


_CALLS = frozenset({"fn", "called", "called_of", "attribute_of", "item_of", "binary"})


def _parts(iterator: Any, depth: int) -> list:
    """What running over an iterator reaches, without iterators."""
    found: list = []
    for part in referents(iterator) if depth else ():
        if isinstance(part, UNREFERRING):
            continue
        if hasattr(part, "__next__") or type(part) is tuple:
            found += _parts(part, depth - 1)
        else:
            found.append(part)
    return found


def may_act(iterator: Any) -> bool:
    """Whether taking elements may run user code."""
    if type(iterator) is types.GeneratorType:
        code = iterator.gi_code
        if code.co_name != "<genexpr>" or is_own_file(code.co_filename):
            return True
        return not _CALLS.isdisjoint(code.co_names)
    return isinstance(iterator, (map, filter))
