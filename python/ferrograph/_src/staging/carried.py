"""The variables of a staged loop: what crosses from one iteration to the next, leaf by leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..native import _core
from . import origins, values
from .conditional import RESULT
from .errors import LoopDtypeError
from .places import Spot, say
from .regions import Traced

_SAME = "Keep its structure and dtypes the same in all iterations."


class Slot:
    """One carried value: its structure, and which variables of the loop are its leaves."""

    def __init__(self, label: str, value: Any):
        self.label = label
        self.value = value  # what it was before the loop
        self.indices: list[int | None] = []  # None for a leaf that is no tensor


class ShapeChangeError(ValueError):
    """An iteration changes the shape of a variable: its number, and the shape that fits both."""

    def __init__(self, message: str, index: int, general: list | None):
        super().__init__(message)
        self.index, self.general = index, general


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
        self.promoted: dict[tuple[str, int], Any] = {}  # dtypes that Python numbers start with
        self.promotions: dict[tuple[str, int], Any] = {}  # those that turn out to be needed
        self._numbers: dict[int, tuple[str, int]] = {}  # variables that start as Python numbers

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
            with traced:
                name = (
                    f"{traced.region.name}_{len(inputs)}"
                    if hasattr(traced.region, "name")
                    else "arg"
                )
                inputs.append(traced.region.add_input(initial.dtype, shape, name))
        return len(self.initial) - 1

    def slot(self, label: str, value: Any, shape: Any = ()) -> Slot:
        """Carry the tensors in ``value``."""
        slot = Slot(label, value)
        leaves = values.leaves_of(value)
        for i, leaf in enumerate(leaves):
            if not values.can_be_tensor(leaf):
                slot.indices.append(None)
                continue
            chosen = shape if len(leaves) == 1 else ()
            initial = values.to_tensor(leaf, self.promoted.get((label, i)))
            slot.indices.append(self.add(label, initial, chosen))
            if type(leaf) in (int, float):
                self._numbers[len(self.initial) - 1] = label, i
        return slot

    def late_slot(self, label: str, value: Any) -> Slot:
        """Carry a ``value`` that the body made: it starts as a placeholder."""
        slot = Slot(label, value)
        for leaf in values.leaves_of(value):
            if not values.can_be_tensor(leaf):
                slot.indices.append(None)
                continue
            with self.body:
                tensor = values.to_tensor(leaf)
            shape = values.static_shape(tensor)
            slot.indices.append(self.add(label, values.blank(tensor.dtype, shape), shape))
        return slot

    def packed(self, slot: Slot, tensors: list) -> Any:
        """The value of ``slot`` with these tensors in it."""
        leaves = [
            leaf if index is None else tensors[index]
            for leaf, index in zip(values.leaves_of(slot.value), slot.indices, strict=True)
        ]
        return values.pack(slot.value, leaves)

    def results(self, slot: Slot, value: Any) -> None:
        """Make ``value`` what ``slot`` holds after an iteration."""
        difference = values.check_same_structure(slot.value, value)
        if difference is not None:
            problem = f"changes its structure in the loop: {difference}"
            raise TypeError(self._about(slot.label, problem, _SAME))
        old = values.leaves_of(slot.value)
        for index, before, leaf in zip(slot.indices, old, values.leaves_of(value), strict=True):
            if index is not None:
                self.result(index, leaf)
            elif before is not leaf:
                raise TypeError(
                    self._about(
                        slot.label,
                        f"is a Python object that an iteration replaces: {before!r} by {leaf!r}",
                        "Only tensors can change in a loop of the graph.",
                    )
                )

    def result(self, index: int, leaf: Any) -> None:
        dtype = self.initial[index].dtype
        if not values.can_be_tensor(leaf):
            kind = ValueError if leaf is None else TypeError
            raise kind(self._about(self.labels[index], f"is a tensor that becomes {leaf!r}", _SAME))
        with self.body:
            try:
                tensor = values.to_tensor(leaf, dtype)
            except TypeError as e:
                if self._promote(index, leaf):
                    return
                tensor, problem = None, str(e)
        if tensor is None:
            raise LoopDtypeError(
                self._about(
                    self.labels[index],
                    f"changes its dtype in the loop: {problem}",
                    self._cast_before(index, leaf),
                    self._sides(index, leaf),
                )
            )
        self._check_shape(index, tensor)
        while len(self.body.outputs) <= index:
            self.body.outputs.append(None)
        self.body.outputs[index] = tensor

    def numbers(self) -> list[tuple[str, int]]:
        """The variables that start as Python numbers: label, and the number of the leaf."""
        return list(self._numbers.values())

    def _promote(self, index: int, leaf: Any) -> bool:
        """Whether a variable that starts as a Python number may take the dtype of ``leaf``."""
        spot, found = self._numbers.get(index), _core.convert_to_tensor(leaf).dtype
        wider = found.is_floating or found.is_complex
        wider = wider or (found.is_integer and self.initial[index].dtype.is_integer)
        if spot is None or spot in self.promoted or not wider:
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
        return say(self.place, f"{named} {problem}", rewrite, details)

    def _sides(self, index: int, leaf: Any) -> list[str]:
        """Where a variable comes from before the loop, and after an iteration."""
        before = origins.source("before the loop", self.initial[index])
        return [*before, *origins.source("after an iteration", leaf, self.body.region)]

    def _cast_before(self, index: int, leaf: Any) -> str:
        """What to write where a variable changes its dtype."""
        cure = origins.cast(self.labels[index], values.to_tensor(leaf).dtype)
        return f"Write {cure} before the loop, or cast what an iteration gives."

    def _invariant(self, index: int, shape: list | None) -> str:
        """What to write where a variable changes its shape."""
        if not isinstance(self.place, Spot):
            return f"Give `fg.TensorShape({shape})` for it in `shape_invariants` of the call."
        cure = origins.invariant(self.labels[index], shape)
        return f"Write {cure} as the first statement in the loop."

    def emit(self, condition: Any) -> list:
        """Add the loop to the graph; the tensors after it."""
        self.condition.outputs = [condition]
        return _core.emit_while(self.condition.finish(), self.body.finish(), self.initial)


def _general(kept: list, found: list | None) -> list | None:
    """The shape that fits both."""
    if found is None or len(found) != len(kept):
        return None
    return [k if k == f else None for k, f in zip(kept, found, strict=True)]


def _text(shape: list | None) -> str:
    return "unknown rank" if shape is None else str(tuple(shape))
