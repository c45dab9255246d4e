"""Loop-carried values: the variables of a staged loop, leaf by leaf."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence

from .. import ops
from ..heap import structure
from ..heap.source_location import (
    LoopDtypeError,
    LoopShapeError,
    SourceLocation,
    diagnostic,
    refusal,
)
from ..heap.structure import MergedContainers
from ..heap.trace_context import really
from ..hints import Any
from ..native import FG, _core
from ..symbolic import abstract_value, merged_objects, python_scalars, ranges, values
from ..symbolic.abstract_value import AbstractValue
from ..values import dtypes
from ..values.errors import shown
from .conditional import RESULT
from .loop_state import NO_OPTIONS, OWN, Integers, LoopOptions
from .regions import Traced
from .retrace import Memory, Name, RetraceLoop

_SAME = "Keep its structure and dtypes the same in all iterations."


class Slot:
    """One carried value: its structure, and which variables of the loop are its leaves."""

    def __init__(self, label: str, value: Any):
        self.label = label
        self.leaves = structure.leaves_of(value)
        self.value = structure.pack(value, self.leaves)  # what it was, whatever changes in place
        self.indices: list[int | None] = []  # None for a leaf that is no tensor


class Variables:
    """The tensors that a loop carries, with the regions of its condition and its body.

    It starts with what earlier traces of an iteration have left in its ``memory``.
    """

    def __init__(
        self, place: str, memory: Memory, before: Sequence = (), options: LoopOptions = NO_OPTIONS
    ):
        self.place, self.options = place, options
        self.before = before  # what the locations of the loop held
        self.slots: dict[int, Slot] = {}  # of those that it carries, by their numbers
        self.counter: int | None = (
            None  # the variable that counts iterations where they are limited
        )
        # Whether a statement makes the loop, not a call of ``while_loop`` or its like.
        self.is_statement = isinstance(place, SourceLocation)
        self.promoted, self.split, self.widened = memory.promoted, memory.split, memory.widened
        self._relaxed = memory.relaxed
        self.initial: list = []
        self.labels: list[str] = []
        self.shapes: list[list | None] = []
        self.condition = Traced("while_cond")
        self.body = Traced("while_body")
        self.inputs: tuple[list, list] = ([], [])
        self.joins = MergedContainers()  # the containers that it leaves
        self.promotions: dict[Name, Any] = {}  # those that the trace shows to be needed
        self.values: dict[int, AbstractValue] = {}  # what they represent that are no plain tensors
        self._begun: list[int] = []  # those that begin with a Variable
        self._handles: set = set()  # what tells which Variables iterations may exchange
        self.runs: Callable[[], Any] | None = None  # whether there is an iteration at all: a tensor
        self._ran: Callable[[list], Any] | None = None
        self._ran_index: int | None = None  # the variable that says whether there was one yet
        self._told: int | None = None  # how often their class was read before the iteration
        self._counts = {**ranges.counts()}  # before the iteration
        self.spots: dict[int, Name] = {}  # the labels of all, with their leaves
        self._numbers: dict[int, Name] = {}  # variables that start as Python numbers
        self.integers = Integers(self)
        self._left: dict[int, Any] = {}  # what an iteration leaves in a variable

    def __enter__(self) -> Variables:
        return self

    def count(self) -> None:
        """Count iterations, of which there are no more than asked for."""
        self.counter = self.add("the number of iterations", values.to_tensor(0))

    def within_limit(self, more: Any) -> Any:
        """Whether there is another iteration where there is ``more``; in the condition."""
        assert self.counter is not None
        limit = ops.cast(self.options.maximum_iterations, dtypes.int32)
        return ops.logical_and(ops.less(self.inputs[0][self.counter], limit), more)

    def __exit__(self, kind: type | None, *exception: Any) -> None:
        if kind is not None:
            self.condition.abandon()
            self.body.abandon()

    def add(self, label: str, initial: Any, shape: Any = ()) -> int:
        """A variable that starts as the tensor ``initial``; its number.

        ``shape`` is what it keeps through the loop where that is not the shape of ``initial``.
        """
        if shape == ():
            shape = values.static_shape(initial)
        shape = self._relaxed.get(len(self.initial), shape)
        self.initial.append(initial)
        self.labels.append(label)
        self.shapes.append(shape)
        for traced, inputs in zip((self.condition, self.body), self.inputs, strict=True):
            inputs.append(traced.region.add_input(initial.dtype, shape))
        return len(self.initial) - 1

    def slot(self, label: str, value: Any, shapes: list | None = None) -> Slot:
        """Carry the tensors in ``value``; ``shapes`` is what each of its leaves keeps, () where
        that is its first shape."""
        slot = Slot(label, value)
        for i, leaf in enumerate(slot.leaves):
            if not values.can_be_tensor(leaf):
                slot.indices.append(None)
                continue
            chosen = () if shapes is None else shapes[i]
            initial = self._first(label, leaf, self.promoted.get((label, i)))
            slot.indices.append(self.add(label, initial, chosen))
            self._start(len(self.initial) - 1, (label, i), leaf)
        return slot

    def _start(self, index: int, name: Name, leaf: Any) -> None:
        """Note what a variable represents that starts as a leaf."""
        self.spots[index] = name
        is_number = name in self.widened["chosen"]
        if is_number or not abstract_value.is_plain(leaf):
            if values.stands_for_variable(leaf):
                self._begin(index, leaf)
            if type(leaf) in (int, float):
                self._numbers[index] = name
            is_whole = self.initial[index].dtype.is_integer and name not in self.widened["loosened"]
            kinds = python_scalars.kinds_of_whole if is_whole else None
            self.values[index] = value = abstract_value.join((leaf,), kinds, is_number)
            number = value.number
            value.is_certain = number is not None and python_scalars.standing(leaf) is True
            if number is not None and number.kinds is not None and self._told is None:
                self._told = ranges.counts().get("kinds", 0)
            for inputs in self.inputs:
                abstract_value.attach(inputs[index], value)
            if number is not None and name in self.widened["mixed"]:
                self._doubt_by_turns(index)
            elif number is not None and name in self.widened["doubted"]:
                self._doubt(index)
        self.integers.add(index, name, leaf)

    def is_number(self, index: int) -> bool:
        """Whether a variable starts as a Python number, or may do so."""
        return index in self.values and self.values[index].number is not None

    def _value(self, index: int) -> AbstractValue:
        return self.values.setdefault(index, AbstractValue())

    def _doubt(self, index: int) -> None:
        for inputs in self.inputs:
            python_scalars.doubt(inputs[index])

    def _begin(self, index: int, leaf: Any) -> None:
        """Note a variable of the loop that begins with a Variable, or with a merged one."""
        self._begun.append(index)
        self._handles |= abstract_value.handles_of(leaf)
        for inputs in self.inputs:
            self._note_variable(inputs[index], index)

    def _note_variable(self, tensor: Any, index: int, ran: Any = None) -> None:
        abstract_value.note_variable(tensor, self.labels[index], self.place, self._handles, ran)

    def _first(self, label: str, leaf: Any, dtype: Any) -> Any:
        """The tensor of the value in a location before the loop."""
        try:
            return values.to_tensor(leaf, dtype)
        except TypeError:
            if type(leaf) is not int:
                raise
            problem = f"{label!r} holds {leaf} before this staged loop, beyond int32"
            made = f"`{FG}.constant(value, {FG}.int64)`"
            rewrite = f"Make it a tensor, {made}, or set it after the loop."
            raise refusal(problem, rewrite, self.place) from None

    def late_slot(self, label: str, value: Any) -> Slot:
        """Carry a ``value`` that the body made: it starts as a placeholder."""
        slot = Slot(label, value)
        for i, leaf in enumerate(slot.leaves):
            if not values.can_be_tensor(leaf):
                slot.indices.append(None)
                continue
            with self.body:
                tensor = values.to_tensor(leaf)
            shape = values.static_shape(tensor)
            slot.indices.append(self.add(label, values.blank(tensor.dtype, shape), shape))
            self.values[len(self.initial) - 1] = found = abstract_value.summary((leaf,))
            found.arrays = (leaf,) if merged_objects.stands_for_array(leaf) else ()
            if found.integer is not None:
                self.integers.add_late(len(self.initial) - 1, (label, i))
        return slot

    def located(self, tensors: list) -> list:
        """What the locations hold where these are the tensors that the loop carries."""
        slots = self.slots
        return [
            self.packed(slots[i], tensors) if i in slots else value
            for i, value in enumerate(self.before)
        ]

    def packed(self, slot: Slot, tensors: list) -> Any:
        """The value of ``slot`` with these tensors in it."""
        leaves = [
            leaf if index is None else tensors[index]
            for leaf, index in zip(slot.leaves, slot.indices, strict=True)
        ]
        return structure.pack(slot.value, leaves)

    def results(self, slot: Slot, value: Any) -> None:
        """Make ``value`` what ``slot`` holds after an iteration."""
        difference = structure.check_same_structure(slot.value, value)
        if difference is None and self.is_statement:
            difference = structure.other_order(slot.value, value)
        if difference is not None:
            if structure.learns_type(slot.value, value):
                raise RetraceLoop()
            problem = f"changes its structure in the loop: {difference}"
            raise TypeError(self._about(slot.label, problem, _SAME))
        leaves = structure.leaves_of(value)
        for index, before, leaf in zip(slot.indices, slot.leaves, leaves, strict=True):
            if index is not None:
                self.result(index, leaf)
            elif really(before) is not really(leaf):
                raise TypeError(
                    self._about(
                        slot.label,
                        f"is a Python object that an iteration replaces: {shown(before)} by "
                        f"{shown(leaf)}",
                        "Only tensors can change in a staged loop.",
                    )
                )

    def result(self, index: int, leaf: Any) -> None:
        dtype = self.initial[index].dtype
        self._left[index] = leaf
        if values.stands_for_variable(leaf):
            self._handles |= abstract_value.handles_of(leaf)
            value = self._value(index)
            value.label, value.handles = self.labels[index], self._handles
        if not values.can_be_tensor(leaf):
            kind = ValueError if leaf is None else TypeError
            raise kind(
                self._about(self.labels[index], f"is a tensor that becomes {shown(leaf)}", _SAME)
            )
        tensor: Any = leaf
        if not (self.body.has(leaf) and leaf.dtype == dtype):
            with self.body:
                try:
                    tensor = values.to_tensor(leaf, dtype)
                except TypeError as e:
                    if self._promote(index, leaf):
                        return
                    tensor, problem = None, str(e)
        if tensor is None:
            wrong = LoopDtypeError(
                self._about(
                    self.labels[index],
                    f"changes its dtype in the loop: {problem}",
                    self._cast_before(index, leaf),
                    self._sides(index, leaf),
                )
            )
            sources = _core.dtype_sources(self.initial[index])
            found = _dtype_of(leaf)
            wrong._ferrograph_met = [(dtype, sources), (found, None)]
            raise wrong
        self._check_shape(index, tensor)
        while len(self.body.outputs) <= index:
            self.body.outputs.append(None)
        self.body.outputs[index] = tensor

    def met(self, error: Exception) -> None:
        """An iteration ends with ``error``: where a variable that starts as a Python number met a
        tensor of another dtype, the loop is traced again with that dtype."""
        promoted = self._promotions(getattr(error, "_ferrograph_met", ()))
        if promoted:
            raise RetraceLoop(promoted=promoted) from None
        self._trace_back(error)

    def _promotions(self, met: Sequence[tuple[Any, list[int] | None]]) -> dict:
        """The dtypes for numbers, by those that met in an operation and what they come from."""
        spots = self._by_input(self._numbers)
        number = [bool(sources) and spots.keys() >= set(sources) for _, sources in met]
        tensors = {dtype for (dtype, _), weak in zip(met, number, strict=True) if not weak}
        weak = [(d, sources) for (d, sources), is_weak in zip(met, number, strict=True) if is_weak]
        if len(tensors) != 1:
            return {}
        (found,) = tensors
        changed = {spots[s] for dtype, sources in weak for s in sources if _widens(dtype, found)}
        return {} if changed & self.promoted.keys() else dict.fromkeys(changed, found)

    def _trace_back(self, error: Exception) -> None:
        """Say of the dtypes that met what they come from outside the loop."""
        met = getattr(error, "_ferrograph_met", None)
        if met is None:
            return
        initial = self._by_input(dict(enumerate(self.initial)))
        error._ferrograph_met = [
            (dtype, _sources_outside(sources, initial)) for dtype, sources in met
        ]

    def _by_input(self, known: dict[int, Any]) -> dict[int, Any]:
        """What is known of variables, by the ids of what an iteration and its test begin with."""
        pairs = [(inputs[i], v) for inputs in self.inputs for i, v in known.items()]
        return {tensor._id: v for tensor, v in pairs}

    def _promote(self, index: int, leaf: Any) -> bool:
        """Whether a variable that starts as a Python number may take the dtype of ``leaf``."""
        spot, found = self._numbers.get(index), _dtype_of(leaf)
        if spot is None or spot in self.promoted:
            return False
        if not _widens(self.initial[index].dtype, found):
            return False
        self.promotions[spot] = found
        return True

    def _check_shape(self, index: int, tensor: Any) -> None:
        kept, found = self.shapes[index], values.static_shape(tensor)
        general = kept if kept is None else _general(kept, found)
        if general != kept:
            raise LoopShapeError(
                self._about(
                    self.labels[index],
                    f"changes its shape in the loop: {_text(kept)} before an iteration, "
                    f"{_text(found)} after it",
                    self._invariant(index, general),
                    self._sides(index, tensor),
                ),
                index,
                general,
            )

    def _about(self, label: str, problem: str, rewrite: str, details: Sequence[str] = ()) -> str:
        named = "the value returned" if label == RESULT else repr(label)
        return diagnostic(self.place, f"{named} {problem}", rewrite, details)

    def _sides(self, index: int, leaf: Any) -> list[str]:
        """Where a variable comes from before the loop, and after an iteration."""
        before = values.source("before the loop", self.initial[index])
        return [*before, *values.source("after an iteration", leaf, self.body.region)]

    def _cast_before(self, index: int, leaf: Any) -> str:
        """What to write where a variable changes its dtype."""
        dtype = values.to_tensor(leaf).dtype
        if not self.is_statement:
            return (
                f"Give `{FG}.cast(value, {FG}.{dtype.name})` as its first value, or "
                f"`{FG}.cast(value, {FG}.{self.initial[index].dtype.name})` in what an iteration "
                "returns for it."
            )
        cure = values.cast(self.labels[index], dtype)
        return f"Write {cure} before the loop, or cast what an iteration gives."

    def _invariant(self, index: int, shape: list | None) -> str:
        """What to write where a variable changes its shape."""
        if not self.is_statement:
            return self._invariants(index, shape)
        cure = values.invariant(self.labels[index], shape)
        return f"Write {cure} as the first statement in the loop."

    def _invariants(self, index: int, shape: list | None) -> str:
        """What to give a call of ``while_loop`` where a variable changes its shape."""
        own = [i for i, label in enumerate(self.labels) if label.startswith(OWN)]
        if len({self.labels[i] for i in own}) < len(own):
            return f"Give `{FG}.TensorShape({shape})` for it in `shape_invariants` of the call."
        shapes = [shape if i == index else self.shapes[i] for i in own]
        text = ", ".join(f"{FG}.TensorShape({s})" for s in shapes)
        return f"Give the call `shape_invariants=[{text}]`, one for each of its variables."

    def emit(self, condition: Any) -> list:
        """Add the loop to the graph; the tensors after it."""
        self.condition.outputs = [condition]
        self._settle_numbers()
        self.integers.settle(self._left)
        if self._begun:
            self._settle_begun()
        if self.values:
            self._settle_doubt()
        if self._ran_index is not None:
            self.ran()
        for index, value in self.values.items():
            abstract_value.widen(value, self.inputs[1][index], self._left.get(index))
        outputs = _core.emit_while(self.condition.finish(), self.body.finish(), self.initial)
        for index, fact in self.integers.known(self._left).items():
            self._value(index).integer = fact
        for index, value in self.values.items():
            abstract_value.attach(outputs[index], value, outputs, self.place)
        if self._begun:
            self._note_begun(outputs)
        return outputs

    def _settle_begun(self) -> None:
        """Prepare what is said of the variables that begin with a Variable."""
        left = [index for index in self._begun if self.values[index].label is not None]
        for index in left:
            self._note_variable(self.initial[index], index)
        if len(left) < len(self._begun):
            self.ran()

    def _note_begun(self, outputs: list) -> None:
        """Note that these are such a one still where there was no iteration."""
        happened = True if self._ran is None else self._ran(outputs)
        for index in self._begun if happened is not True else ():
            if self.values[index].label is None:
                self._note_variable(outputs[index], index, happened)

    def ran(self) -> Callable[[list], Any]:
        """How to take from the outputs whether there was an iteration, as Python or as a tensor:
        carried where nothing else says it."""
        if self._ran is None:
            if self.runs is None:
                self._ran = operator.itemgetter(self._carried_ran())
            else:
                runs = self.runs()
                self._ran = lambda outputs: runs
            if self._ran_index is not None:
                self.result(self._ran_index, True)
        return self._ran

    def _carried_ran(self) -> int:
        """The variable that says whether there was an iteration yet."""
        if self._ran_index is None:
            self._ran_index = self.add("whether the loop ran", values.to_tensor(False))
        return self._ran_index

    def _doubt_by_turns(self, index: int) -> None:
        """Note that a number becomes a tensor in the first iteration, or a tensor a number."""
        ran, is_certain = self._carried_ran(), self.values[index].is_certain
        for traced, inputs in zip((self.condition, self.body), self.inputs, strict=True):
            with traced:
                flag = ops.logical_not(inputs[ran]) if is_certain else inputs[ran]
            python_scalars.doubt(inputs[index], flag)

    def _standing_after(self, before: bool, after: bool, outputs: Sequence) -> Any:
        """Whether an output is a Python number, by what it is before and after an iteration, where
        it is known whether there was one."""
        known, runs = self._ran, self.runs
        if before is after or (known is None and runs is None):
            return False

        def told() -> Any:
            found = known(outputs) if known is not None else runs and runs()
            ran = values.to_tensor(found)
            return ran if after else ops.logical_not(ran)

        return ranges.Told(told)

    def _settle_numbers(self) -> None:
        """Trace again where an iteration leaves a Python number in place of a tensor."""
        if self._told is not None:
            self._check_whole()
        if not self.is_statement:
            return  # whose functions are given tensors
        tensors = [i for i in self.spots if i in self._left and not self.is_number(i)]
        scalars = [i for i in tensors if self.initial[i].shape.rank == 0]
        found = [self.spots[i] for i in scalars if python_scalars.is_number(self._left[i])]
        if found:
            raise RetraceLoop(
                chosen=found, flagged=[spot for spot in found if self._may_be_large(spot)]
            )

    def _check_whole(self) -> None:
        """Trace again where an iteration makes something else of an integer and has read its class;
        where it has not, nothing depends on it."""
        was_told = ranges.counts().get("kinds", 0) != self._told
        with self.body:
            while loosened := [i for i in self.values if self._is_loosened(i)]:
                if was_told:
                    raise RetraceLoop(loosened=[self.spots[i] for i in loosened])
                for index in loosened:
                    self.values[index].number.kinds = None
                    for inputs in self.inputs:
                        python_scalars.forget_kinds(inputs[index])

    def _is_loosened(self, index: int) -> bool:
        number = self.values[index].number
        is_whole = number is not None and number.kinds is not None
        return is_whole and not python_scalars.is_whole(self._left.get(index))

    def _settle_doubt(self) -> None:
        """Find the variables that are symbolic numbers, and that are tensors before or after an
        iteration in plain Python, too."""
        numbers = {i: v.number for i, v in self.values.items() if v.number is not None}
        doubtful: dict[int, tuple[bool, bool]] = {}
        while found := {
            index: kinds
            for index in numbers
            if index not in doubtful
            and (kinds := (self.values[index].is_certain, self._leaves_number(index)))
            != (True, True)
        }:
            doubtful.update(found)
            for index, kinds in found.items():
                numbers[index].flag = functools.partial(self._standing_after, *kinds)
                if self.spots.get(index) not in self.widened["mixed"]:
                    self._doubt(index)
        if doubtful:
            self._tell_by_turns(doubtful)

    def _tell_by_turns(self, doubtful: dict[int, tuple[bool, bool]]) -> None:
        """Start again where numbers are divided or take the dtypes of others, and what is one
        differs between the first iteration and the others, or is not known of any."""
        spots = {self.spots.get(i) for i, (before, after) in doubtful.items() if before != after}
        mixed = spots - self.widened["mixed"] - {None}
        is_weak = self.has_met("weak")
        if mixed and (is_weak or self.has_met("quotients")):
            raise RetraceLoop(mixed=mixed)
        others = {self.spots.get(i) for i in doubtful} - spots - self.widened["doubted"] - {None}
        if others and is_weak:
            raise RetraceLoop(doubted=others)

    def has_met(self, what: str) -> bool:
        """Whether something that is counted has been met since the loop began."""
        return ranges.counts().get(what, 0) > self._counts.get(what, 0)

    def _leaves_number(self, index: int) -> bool:
        with self.body:
            return python_scalars.standing(self._left.get(index)) is True

    def _may_be_large(self, spot: Name) -> bool:
        index = next(i for i, known in self.spots.items() if known == spot)
        return ranges.is_integer(self._left[index]) and self.initial[index].dtype == dtypes.int32


def _dtype_of(leaf: Any) -> Any:
    """The dtype that a value needs; of a symbolic Python float that of a float."""
    found = _core.convert_to_tensor(leaf).dtype
    is_float = found == dtypes.float64 and python_scalars.is_symbolic_number(leaf)
    return dtypes.float32 if is_float else found


def _widens(number: Any, found: Any) -> bool:
    """Whether a Python number that is a tensor of one dtype may be one of the other, too."""
    if found.is_integer:
        return bool(number.is_integer)
    return bool(found.is_floating or found.is_complex) and number.name != "bool"


def _sources_outside(sources: list[int] | None, initial: dict[int, Any]) -> list[int] | None:
    """What a value comes from, with what variables of a loop start as in place of them."""
    if sources is None:
        return None
    found: list[int] = []
    for source in sources:
        outer = [source] if source not in initial else _core.dtype_sources(initial[source])
        if outer is None:
            return None
        found += outer
    return found


def _general(kept: list, found: list | None) -> list | None:
    """The shape that fits both."""
    if found is None or len(found) != len(kept):
        return None
    return [k if k == f else None for k, f in zip(kept, found, strict=True)]


def _text(shape: list | None) -> str:
    return "unknown rank" if shape is None else str(tuple(shape))
