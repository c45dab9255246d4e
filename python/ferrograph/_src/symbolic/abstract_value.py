"""The abstract value of a symbolic tensor: what it represents in plain Python.

A merge joins the values of its sides (``join``, or ``summary`` where it does not know which side an
element comes from) and notes the result on its output (``attach``). A loop carries the value of
each of its variables, and widens it by what an iteration leaves (``widen``).

Adding a fact about a value touches two files: the module of the fact in ``symbolic``, which notes
it of a tensor and tells it of a value, and this one, where it is a field that these functions set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..heap.trace_context import NOTHING
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from . import merged_values, python_scalars, ranges
from .values import stands_for_variable

# How an iteration may widen what is known of a variable at the start of its loop.
WIDENINGS = (
    "chosen",  # tensors that iterations make Python numbers
    "mixed",  # numbers before some iterations alone
    "doubted",  # numbers that may be tensors in any iteration
    "loosened",  # integers that iterations make something else
    "flagged",  # integers that some iterations alone have
    "large",  # integers that grow by more than steps of one
)


class AbstractValue:
    """What a tensor represents: by default a tensor in plain Python, too.

    The flag of a number or an integer may be a function that takes it from the outputs of a merge.
    """

    is_text = False  # a Python string
    is_foreign = False  # a NumPy scalar, or bytes
    number: python_scalars.Number | None = None
    is_certain = False  # whether a variable of a loop certainly is a number at the start
    integer: ranges.Fact | None = None
    arrays: Sequence = ()  # an array that is one of these, or shares their memory
    label: str | None = None  # the name that it has as one of several variables

    def add(self, other: AbstractValue) -> None:
        """Take in what else it may be, as ``summary`` says."""
        self.is_text = self.is_text and other.is_text
        self.number = self.number or other.number
        self.integer = self.integer or other.integer


def is_plain(*leaves: Any) -> bool:
    """Whether values are symbolic tensors of a trace that has noted nothing of any."""
    trace = _thread.trace
    if trace is not None and (
        not trace.scalars is trace.checks is trace.arrays is NOTHING or trace.variables.tensors
    ):
        return False
    return {_core.SymbolicTensor}.issuperset(map(type, leaves))


def summary(leaves: Sequence) -> AbstractValue:
    """What a tensor represents that is one of some leaves: as a text or an integer, or a number
    of whatever class."""
    found = AbstractValue()
    found.is_text = all(map(python_scalars.is_text, leaves))
    if any(map(python_scalars.is_number, leaves)):
        found.number = python_scalars.Number()
    if any(map(ranges.is_integer, leaves)):
        found.integer = ranges.Fact(large=True)
    return found


def join(
    leaves: Sequence,
    kinds: Callable[..., Any] | None,
    is_number: bool = False,
    label: str | None = None,
    flags: Callable[[Callable], Any] | None = None,
    unread: Sequence = (),
) -> AbstractValue:
    """What a tensor represents that is one of the ``leaves`` that the sides of a merge give.

    ``kinds`` finds the classes of numbers; ``is_number`` says that iterations leave one. ``flags``
    makes a flag of a question about each side, such as ``python_scalars.standing``; nobody reads
    what an ``unread`` side gives. ``label`` names one of several variables.
    """
    found = summary(leaves)
    found.integer = None
    if any(map(merged_values.stands_for_array, leaves)):
        found.arrays = leaves
    if label is not None and any(map(stands_for_variable, leaves)):
        found.label = label
    if found.number is not None or is_number:
        found.number = python_scalars.Number(kinds and kinds(*leaves))
    else:
        found.is_foreign = all(map(python_scalars.is_foreign, leaves))
    if flags is None:
        return found
    if found.number is not None:
        found.number.known = python_scalars.known_among(leaves)
        found.number.flag = flags(python_scalars.standing)
    read = [leaf for leaf, is_unread in zip(leaves, unread, strict=True) if not is_unread]
    if integers := [leaf for leaf in read if ranges.is_integer(leaf)]:
        found.integer = ranges.joined(integers, flags(ranges.standing))
    return found


def widen(value: AbstractValue, start: Any, left: Any) -> None:
    """Widen the value of a variable of a loop to that of its output: it is the ``start`` of an
    iteration, or what one has ``left``."""
    value.is_foreign = value.is_foreign and python_scalars.is_foreign(left)
    if value.arrays:
        value.arrays = (start, left)


def attach(tensor: Any, value: AbstractValue, outputs: Sequence = (), place: Any = None) -> Any:
    """``tensor``, noted as what represents a value, in a merge with these outputs at a place."""
    if value.is_text:
        python_scalars.mark_string(tensor)
    if value.arrays:
        merged_values.mark_array(tensor, *value.arrays)
    if value.label is not None:
        merged_values.note_variable(tensor, value.label, place)
    if (number := value.number) is not None:
        python_scalars.mark_number(tensor, number.kinds, number.known)
        if (flag := _flag(number, outputs)) is not True:
            python_scalars.doubt(tensor, flag)
    elif value.is_foreign:
        python_scalars.mark_foreign(tensor)
    if (fact := value.integer) is not None and (flag := _flag(fact, outputs)) is not False:
        ranges.note(tensor, fact.large, flag, fact.made_of, fact.most)
    return tensor


def _flag(fact: python_scalars.Number | ranges.Fact, outputs: Sequence) -> Any:
    return fact.flag(outputs) if callable(fact.flag) else fact.flag
