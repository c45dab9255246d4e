"""Loop-carried values: the variables of a staged loop, leaf by leaf."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from .. import ops
from ..heap import structure
from ..heap.source_location import LoopDtypeError, SourceLocation, diagnostic
from ..heap.structure import MergedContainers
from ..heap.trace_context import TraceContext, really
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import _core
from ..symbolic import merged_values, python_scalars, ranges, values
from ..symbolic.merged_values import stands_for_array
from ..values import dtypes, errors
from ..values.errors import shown
from .conditional import RESULT
from .loop_state import OWN, Integers
from .regions import Traced
from .retrace import Memory, RetraceLoop, ShapeChangeError

_NO_TRACE = TraceContext()
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

    ``relaxed`` gives the shapes of some variables by number.
    """

    def __init__(self, place: str, relaxed: dict[int, list | None] | None = None):
        self._relaxed = relaxed or {}
        self.place = place
        self.initial: list = []
        self.labels: list[str] = []
        self.shapes: list[list | None] = []
        self.condition = Traced("while_cond")
        self.body = Traced("while_body")
        self.inputs: tuple[list, list] = ([], [])
        self.joins = MergedContainers()  # the containers that it leaves
        self.promoted: dict[tuple[str, int], Any] = {}  # dtypes that Python numbers start with
        self.promotions: dict[tuple[str, int], Any] = {}  # those that the trace shows to be needed
        self._texts: list[int] = []  # variables that are symbolic strings
        self._of_arrays: list[int] = []  # variables that are symbolic arrays
        self._chosen: list[int] = []  # variables that are symbolic Python numbers
        self.starting = self._chosen  # which start as numbers, or may do so
        self._scalars: list[int] = []  # variables that start as NumPy scalars
        self._sure: set[int] = set()  # those of them that certainly start as such
        self._variables: set[int] = set()  # those in which iterations leave a Variable
        self._begun: dict[int, set[str]] = {}  # those that begin with one, with its handles
        root = _thread.trace or _NO_TRACE
        self._is_choosing = bool(root.variables.tensors or root.scalars.of_numpy)
        self.runs: Callable[[], Any] | None = None  # whether there is an iteration at all: a tensor
        self._ran: Callable[[list], Any] | None = None
        self._ran_index: int | None = None  # the variable that says whether there was one yet
        self._mixed: set[tuple[str, int]] = set()  # numbers before some iterations alone
        self._doubted: set[tuple[str, int]] = set()  # numbers that may be tensors in any iteration
        self._loosened: set[tuple[str, int]] = set()  # integers that iterations make something else
        self._whole: set[int] = set()  # variables that are always Python integers
        self._told: int | None = None  # how often their class was read before the iteration
        self._n_quotients, self._n_weak = root.checks.n_quotients or 0, root.scalars.n_weak or 0
        self.spots: dict[int, tuple[str, int]] = {}  # the labels of all, with their leaves
        self._numbers: dict[int, tuple[str, int]] = {}  # variables that start as Python numbers
        self.numbers: set[tuple[str, int]] = set()  # tensors that iterations make Python numbers
        self.split: set[str] = set()  # places whose objects iterations make several of one
        self.integers = Integers(self)
        self._left: dict[int, Any] = {}  # what an iteration leaves in a variable

    def recall(self, memory: Memory) -> None:
        """Start with what earlier traces of an iteration have shown."""
        self.promoted, self.split = memory.promoted, memory.split
        self.numbers, self._mixed, self._doubted = memory.chosen, memory.mixed, memory.doubted
        self._loosened = memory.loosened
        self.integers.flagged, self.integers.large = memory.flagged, memory.large

    def __enter__(self) -> Variables:
        return self

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
            is_plain = leaf.__class__ is _core.SymbolicTensor and not self._is_choosing
            if not is_plain and values.stands_for_variable(leaf):
                self._begin(len(self.initial) - 1)
            self.spots[len(self.initial) - 1] = label, i
            if python_scalars.is_text(leaf):
                self._texts.append(len(self.initial) - 1)
                for inputs in self.inputs:
                    python_scalars.mark_string(inputs[-1])
            if (not is_plain or _thread.trace is not None and _thread.trace.arrays.tensors) and (
                stands_for_array(leaf)
            ):
                self._of_arrays.append(len(self.initial) - 1)
                for inputs in self.inputs:
                    merged_values.mark_array(inputs[-1], leaf)
            if python_scalars.is_number(leaf) or (label, i) in self.numbers:
                self._chosen.append(len(self.initial) - 1)
                if python_scalars.standing(leaf) is True:
                    self._sure.add(len(self.initial) - 1)
                kinds = None
                if (label, i) not in self._loosened and initial.dtype.is_integer:
                    kinds = python_scalars.INTEGER if python_scalars.is_whole(leaf) else None
                if kinds is not None:
                    self._whole.add(len(self.initial) - 1)
                    self._told = python_scalars.kinds_told() if self._told is None else self._told
                for inputs in self.inputs:
                    python_scalars.mark_number(inputs[-1], kinds)
                if (label, i) in self._mixed:
                    self._doubt_by_turns(len(self.initial) - 1)
                elif (label, i) in self._doubted:
                    for inputs in self.inputs:
                        python_scalars.doubt(inputs[-1])
            elif python_scalars.is_foreign(leaf):
                self._scalars.append(len(self.initial) - 1)
                for inputs in self.inputs:
                    python_scalars.mark_foreign(inputs[-1])
            if type(leaf) in (int, float):
                self._numbers[len(self.initial) - 1] = label, i
            self.integers.add(len(self.initial) - 1, (label, i), leaf)
        return slot

    def _begin(self, index: int) -> None:
        """Note a variable of the loop that begins with a Variable, or with a merged one."""
        self._begun[index] = merged_values.handles_of(self.initial[index])
        all_handles = set().union(*self._begun.values())  # iterations may exchange them
        for i in self._begun:
            for inputs in self.inputs:
                merged_values.note_variable(
                    inputs[i], self.labels[i], self.place, outer=all_handles
                )

    def _first(self, label: str, leaf: Any, dtype: Any) -> Any:
        """The tensor of the value in a location before the loop."""
        try:
            return values.to_tensor(leaf, dtype)
        except TypeError:
            if type(leaf) is not int:
                raise
            problem = f"{label!r} holds {leaf} before this staged loop, beyond int32"
            rewrite = "Make it a tensor, `fg.constant(value, fg.int64)`, or set it after the loop."
            raise errors.StagingError(diagnostic(self.place, problem, rewrite)) from None

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
            if python_scalars.is_text(leaf):
                self._texts.append(len(self.initial) - 1)
            if stands_for_array(leaf):
                self._of_arrays.append(len(self.initial) - 1)
            if python_scalars.is_number(leaf):
                self._chosen.append(len(self.initial) - 1)
            self.integers.add_late(len(self.initial) - 1, (label, i), leaf)
        return slot

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
        if difference is None and isinstance(self.place, SourceLocation):
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
        is_plain = leaf.__class__ is _core.SymbolicTensor and not (
            _thread.trace is not None and _thread.trace.variables.tensors
        )
        if not is_plain and values.stands_for_variable(leaf):
            self._variables.add(index)
        if not values.can_be_tensor(leaf):
            kind = ValueError if leaf is None else TypeError
            raise kind(
                self._about(self.labels[index], f"is a tensor that becomes {shown(leaf)}", _SAME)
            )
        tensor: Any = leaf
        if not self._is_of_body(leaf, dtype):
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

    def _is_of_body(self, leaf: Any, dtype: Any) -> bool:
        """Whether an iteration gives a leaf as it is."""
        return self.body.has(leaf) and leaf.dtype == dtype

    def met(self, error: Exception) -> None:
        """An iteration ends with ``error``: where a variable that starts as a Python number met a
        tensor of another dtype, the loop is traced again with that dtype."""
        promoted = self._promotions(getattr(error, "_ferrograph_met", ()))
        if promoted:
            raise RetraceLoop(promoted=promoted) from None
        self._trace_back(error)

    def _promotions(self, met: Sequence[tuple[Any, list[int] | None]]) -> dict:
        """The dtypes for numbers, by those that met in an operation and what they come from."""
        spots = {
            inputs[index]._id: spot
            for inputs in self.inputs
            for index, spot in self._numbers.items()
            if index < len(inputs)
        }
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
        initial = {
            inputs[index]._id: value
            for inputs in self.inputs
            for index, value in enumerate(self.initial)
            if index < len(inputs)
        }
        error._ferrograph_met = [
            (dtype, _sources_outside(sources, initial)) for dtype, sources in met
        ]

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
        if kept is None:
            return
        if (
            found is None
            or len(found) != len(kept)
            or any(k is not None and k != f for k, f in zip(kept, found, strict=True))
        ):
            raise ShapeChangeError(
                self._about(
                    self.labels[index],
                    f"changes its shape in the loop: {_text(kept)} before an iteration, "
                    f"{_text(found)} after it",
                    self._invariant(index, _general(kept, found)),
                    self._sides(index, tensor),
                ),
                index,
                _general(kept, found),
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
        if not isinstance(self.place, SourceLocation):
            return (
                f"Give `fg.cast(value, fg.{dtype.name})` as its first value, or "
                f"`fg.cast(value, fg.{self.initial[index].dtype.name})` in what an iteration "
                "returns for it."
            )
        cure = values.cast(self.labels[index], dtype)
        return f"Write {cure} before the loop, or cast what an iteration gives."

    def _invariant(self, index: int, shape: list | None) -> str:
        """What to write where a variable changes its shape."""
        if not isinstance(self.place, SourceLocation):
            return self._invariants(index, shape)
        cure = values.invariant(self.labels[index], shape)
        return f"Write {cure} as the first statement in the loop."

    def _invariants(self, index: int, shape: list | None) -> str:
        """What to give a call of ``while_loop`` where a variable changes its shape."""
        own = [i for i, label in enumerate(self.labels) if label.startswith(OWN)]
        if len({self.labels[i] for i in own}) < len(own):
            return f"Give `fg.TensorShape({shape})` for it in `shape_invariants` of the call."
        shapes = [shape if i == index else self.shapes[i] for i in own]
        text = ", ".join(f"fg.TensorShape({s})" for s in shapes)
        return f"Give the call `shape_invariants=[{text}]`, one for each of its variables."

    def emit(self, condition: Any) -> list:
        """Add the loop to the graph; the tensors after it."""
        self.condition.outputs = [condition]
        self._settle_numbers()
        note_integers = self.integers.settle(self._left)
        if self._begun:
            self._settle_begun()
        doubtful = self._in_doubt() if self._chosen else {}
        if self._ran_index is not None:
            self.ran()
        scalars = self._scalars and self._scalars_left()
        outputs = _core.emit_while(self.condition.finish(), self.body.finish(), self.initial)
        for index in self._texts:
            python_scalars.mark_string(outputs[index])
        for index in self._of_arrays:
            merged_values.mark_array(outputs[index], self.inputs[1][index], self._left.get(index))
        for index in scalars:
            python_scalars.mark_foreign(outputs[index])
        for index in self._chosen:
            kinds = python_scalars.INTEGER if index in self._whole else None
            python_scalars.mark_number(outputs[index], kinds)
            if index in doubtful:
                flag = self._standing_after(*doubtful[index], outputs)
                python_scalars.doubt(outputs[index], flag)
        note_integers(outputs)
        for index in self._variables:
            merged_values.note_variable(outputs[index], self.labels[index], self.place)
        if self._begun:
            self._note_begun(outputs)
        return outputs

    def _settle_begun(self) -> None:
        """Prepare what is said of the variables that begin with a Variable."""
        for index in self._begun.keys() & self._variables:
            merged_values.note_variable(self.initial[index], self.labels[index], self.place)
        if self._begun.keys() - self._variables:
            self.ran()

    def _note_begun(self, outputs: list) -> None:
        """Note that these are such a one still where there was no iteration."""
        happened = True if self._ran is None else self._ran(outputs)
        for index in self._begun.keys() - self._variables:
            if happened is not True:
                merged_values.note_variable(
                    outputs[index], self.labels[index], self.place, happened
                )

    def _scalars_left(self) -> list[int]:
        """The variables that start as NumPy scalars and stay such ones."""
        return [i for i in self._scalars if python_scalars.is_foreign(self._left.get(i))]

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
        ran = self._carried_ran()
        for traced, inputs in zip((self.condition, self.body), self.inputs, strict=True):
            with traced:
                flag = ops.logical_not(inputs[ran]) if index in self._sure else inputs[ran]
            python_scalars.doubt(inputs[index], flag)

    def _standing_after(self, before: bool, after: bool, outputs: list) -> Any:
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
        if self._whole:
            self._check_whole()
        if not isinstance(self.place, SourceLocation):
            return  # whose functions are given tensors
        known, left = {*self._chosen, *self._numbers}, self._left
        scalars = [i for i in self.spots if i not in known and i in left and self._is_scalar(i)]
        found = [self.spots[i] for i in scalars if python_scalars.is_number(left[i])]
        if found:
            raise RetraceLoop(
                chosen=found, flagged=[spot for spot in found if self._may_be_large(spot)]
            )

    def _check_whole(self) -> None:
        """Trace again where an iteration makes something else of an integer and has read its class;
        where it has not, nothing depends on it."""
        was_told = python_scalars.kinds_told() != self._told
        with self.body:
            while loosened := [i for i in self._whole if not self._is_left_whole(i)]:
                if was_told:
                    raise RetraceLoop(loosened=[self.spots[i] for i in loosened])
                for index in loosened:
                    self._whole.discard(index)
                    for inputs in self.inputs:
                        python_scalars.forget_kinds(inputs[index])

    def _is_left_whole(self, index: int) -> bool:
        return python_scalars.is_whole(self._left.get(index))

    def _in_doubt(self) -> dict[int, tuple[bool, bool]]:
        """The variables that are symbolic numbers, and that are tensors before or after an
        iteration in plain Python, too, with whether they certainly are numbers before and after
        one."""
        doubtful: dict[int, tuple[bool, bool]] = {}
        while found := {
            index: kinds
            for index in self._chosen
            if index not in doubtful
            and (kinds := (index in self._sure, self._leaves_number(index))) != (True, True)
        }:
            doubtful.update(found)
            for index in found:
                if self.spots.get(index) not in self._mixed:
                    for inputs in self.inputs:
                        python_scalars.doubt(inputs[index])
        self._tell_by_turns(doubtful)
        return doubtful

    def _tell_by_turns(self, doubtful: dict[int, tuple[bool, bool]]) -> None:
        """Start again where numbers are divided or take the dtypes of others, and what is one
        differs between the first iteration and the others, or is not known of any."""
        spots = {self.spots.get(i) for i, (before, after) in doubtful.items() if before != after}
        mixed = spots - self._mixed - {None}
        is_weak = python_scalars.n_weak() > self._n_weak
        if mixed and (is_weak or python_scalars.n_quotients_heard() > self._n_quotients):
            raise RetraceLoop(mixed=mixed)
        others = {self.spots.get(i) for i in doubtful} - spots - self._doubted - {None}
        if others and is_weak:
            raise RetraceLoop(doubted=others)

    def _leaves_number(self, index: int) -> bool:
        with self.body:
            return python_scalars.standing(self._left.get(index)) is True

    def _is_scalar(self, index: int) -> bool:
        return bool(self.initial[index].shape.rank == 0)

    def _may_be_large(self, spot: tuple[str, int]) -> bool:
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
