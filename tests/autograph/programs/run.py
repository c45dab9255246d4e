"""Running a program eagerly and traced, and the verdict.

Compared are the results, the class of an error, the values of variables, what ``fg.print`` wrote
and what an unconditional statement left in an object outside. The verdicts:

- ``equal``,
- ``refused``: an error of AutoGraph, or of an operation, at a line of the program,
- ``different``: another result, or an error where there is none eagerly, or none where there is,
- ``crash``: an error that says nothing of the program.
"""

from __future__ import annotations

import array
import bisect
import builtins
import collections
import contextlib
import copy
import dataclasses
import functools
import heapq
import io
import itertools
import linecache
import operator
import queue
import sys
import traceback
import types
import warnings
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import ferrograph as fg
import numpy as np

from .kit import Program

INPUTS = ((3, 2), (-2, 4), (1, 0))
VERDICTS = ("equal", "refused", "different", "crash", "hang")
MODULES = (array, collections, contextlib, dataclasses, functools, heapq, io, itertools, operator)
MODULES += (bisect, copy, weakref)


_CALLED = """

def called(x, y):
    return program(x, y, fg.range, fg.constant)
"""


class Box:
    """An object with attributes."""


class Outcome(NamedTuple):
    """What a call gave: "value" or "raises", the plain result or the error, and what it left."""

    kind: str
    value: Any
    left: Any = None


class Verdict(NamedTuple):
    kind: str
    why: str = ""


def worst(verdicts: list[Verdict]) -> Verdict:
    return max(verdicts, key=lambda verdict: VERDICTS.index(verdict.kind))


def plain(value: Any) -> Any:
    """What a program returns as Python values."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, bytes):
        value = value.decode()
    return round(value, 4) if isinstance(value, float) else value


class Place:
    """The program in a namespace of its own, with a variable and a stream for what it prints."""

    def __init__(self, program: Program, stream: Path):
        self.filename = f"<{program.family} {program.seed}>"
        self.stream = stream
        self.variable = fg.Variable(0)
        module = sys.modules["a_random_program"] = types.ModuleType("a_random_program")
        self.names: dict[str, Any] = vars(module)
        self.names |= {m.__name__: m for m in MODULES}
        self.names |= {"fg": fg, "np": np, "queue": queue, "types": types, "Box": Box}
        self.names |= {"STREAM": f"file://{stream}", "var": self.variable, "seen": []}
        self.names |= {"scope": lambda: fg.name_scope("scope")}
        text = program.text + _CALLED
        linecache.cache[self.filename] = (len(text), None, text.splitlines(True), self.filename)
        exec(builtins.compile(text, self.filename, "exec"), self.names)

    @property
    def program(self) -> Any:
        """The function that is called, with nothing of the tests in reach."""
        return self.names["called"]

    def reset(self) -> None:
        """Make what is outside the function as it was at first."""
        self.names["reset"]()
        self.names["seen"].clear()
        self.variable.assign(0)
        self.stream.write_text("")

    def outcome(self, call: Any, args: tuple) -> Outcome:
        try:
            result = plain(call(*args))
        except Exception as e:
            return Outcome("raises", e)
        return Outcome("value", result, (plain(self.variable), self.stream.read_text()))


def run(program: Program, stream: Path) -> Verdict:
    """The verdict on a program; ``stream`` is a file that it may print into."""
    eager, traced, function, found = None, None, None, []
    for number, values in enumerate(INPUTS):
        if program.is_shared or number == 0:
            eager, traced = Place(program, stream), Place(program, stream)
            function = fg.function(traced.program)
        args = tuple(fg.constant(v) for v in values)
        eager.reset()
        expected = eager.outcome(eager.program, args)
        before = list(traced.names["seen"])
        traced.reset()
        given = traced.outcome(function, args)
        verdict = compare(expected, given, traced.filename)
        if number == 0 and verdict.kind == "equal" and given.kind == "value":
            left = [place.names["seen"] for place in (eager, traced)]
            if left[0] != left[1] and not before:
                verdict = Verdict("different", f"left outside {left[1]}, eagerly {left[0]}")
        found.append(verdict)
        if verdict.kind != "equal":
            break
    for place in (eager, traced):
        place.reset()
    return worst(found)


def compare(expected: Outcome, found: Outcome, filename: str) -> Verdict:
    if found.kind == "value":
        if expected.kind == "raises":
            return Verdict("different", f"{found.value}, eagerly {said(expected.value)}")
        if (found.value, found.left) == (expected.value, expected.left):
            return Verdict("equal")
        pairs = (found.value, found.left), (expected.value, expected.left)
        return Verdict("different", f"{pairs[0]}, eagerly {pairs[1]}")
    error = found.value
    if expected.kind == "raises" and is_same_error(expected.value, error):
        return Verdict("equal")
    if not names_the_program(error, filename):
        return Verdict("crash", said(error))
    if is_documented(error) or expected.kind == "raises":
        return Verdict("refused", said(error))
    return Verdict("crash", said(error))


def is_same_error(expected: Exception, found: Exception) -> bool:
    """Whether traced code fails as eager code does: by its class, or while the graph runs."""
    if type(expected) is type(found):
        return True
    if isinstance(found, fg.errors.OutOfRangeError):
        return isinstance(expected, IndexError)
    return isinstance(found, fg.errors.InvalidArgumentError) and (
        type(expected).__name__ in str(found) or isinstance(expected, (IndexError, AssertionError))
    )


_OWN = (
    fg.errors.StagingError,
    fg.errors.OperatorNotAllowedInGraphError,
    fg.errors.OpError,
    fg.errors.InaccessibleTensorError,
)
# What tensors say themselves, at the line that asks them for what they do not have.
_SAID = ("Tensor is unhashable", "Cannot convert a symbolic tensor", "SymbolicTensor")
_SAID += ("raised while the branch or loop at ",)


def is_documented(error: Exception) -> bool:
    """Whether an error is one of this library's: by its class, or by the line that it shows, itself
    or in a note about an error of Python's."""
    said = "\n".join([str(error), *getattr(error, "__notes__", ())])
    return isinstance(error, _OWN) or "^^" in said or any(text in said for text in _SAID)


def names_the_program(error: Exception, filename: str) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    return filename in str(error) or any(f.filename == filename for f in frames[1:])


def said(error: Exception) -> str:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__)][-1:]
    return f"{type(error).__module__}.{type(error).__name__} at {lines}: {str(error)[:400]}"


@contextlib.contextmanager
def quiet() -> Any:
    """A block whose warnings and Python prints nobody sees."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
