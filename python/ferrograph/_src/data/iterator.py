"""Iterators over datasets, and values that may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..native import FG, _core
from ..values import errors, nest
from ..values.composite import CompositeTensor
from ..values.dtypes import int64
from ..values.errors import shown
from ..values.public import public
from . import structure
from .specs import IteratorSpec, OptionalSpec

__all__ = ["Iterator", "NumpyIterator", "Optional"]

# Calls of `next` on one iterator within a trace; more are a Python loop that will not end.
_TRACED_CALLS = 10_000

# What the position of an iterator is called in a checkpoint.
_POSITION = "ITERATOR_POSITION"


@public("data.Iterator")
class Iterator(_core.IteratorBase, CompositeTensor):
    """Where a program is in a dataset: what ``iter(dataset)`` gives.

    ``next(it)`` is the next element, StopIteration at the end. While a function is traced it is the
    element of that moment of the running graph, whose end is OutOfRangeError; an iterator may be an
    argument of such functions, or be used by them from outside.

    >>> it = iter(fg.data.Dataset.range(2))
    >>> int(next(it)), int(next(it))
    (0, 1)
    >>> it.element_spec
    TensorSpec(shape=(), dtype=fg.int64, name=None)

    A ``train.Checkpoint`` saves where it is: how many elements it passed, and the seeds of the
    shuffles and random sources on the way. To restore it, an iterator over the same pipeline begins
    anew with those seeds and computes again the elements that it passes over. Operations that draw
    random numbers in functions of the pipeline do so as they did if the program set a seed; Python
    generators and ``py_function`` are called again. FailedPreconditionError where the elements come
    from a cache or snapshot of shuffled elements that another iteration filled.
    """

    _as_argument: tuple[Any, ...] | None = None

    def __new__(cls, handle: Any, element_spec: Any) -> Iterator:
        return super().__new__(cls, handle, structure.template(element_spec))

    def __init__(self, handle: Any, element_spec: Any):
        self._element_spec = element_spec
        self._n_traced = 0

    def _component_list(self) -> list[Any]:
        return [self._handle]

    @property
    def element_spec(self) -> Any:
        """The type of an element: its structure with a ``TypeSpec`` for each component."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The dtypes of an element's components, in its structure."""
        return structure.map_types(lambda spec: spec.dtype, self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element's components, in its structure."""
        return structure.map_types(lambda spec: spec.shape, self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of an element's components, in its structure."""
        return structure.map_types(lambda spec: spec.value_type, self._element_spec)

    def next(self) -> Any:
        """As ``next(self)``."""
        return next(self)

    def get_next(self) -> Any:
        """The next element; OutOfRangeError at the end."""
        if _core.executing_eagerly():
            for element in self:
                return element
            raise errors.OutOfRangeError(None, None, "End of sequence")
        self._n_traced += 1
        if self._n_traced > _TRACED_CALLS:
            raise errors.OperatorNotAllowedInGraphError(
                "a Python loop takes elements of a dataset while a function is traced, where it "
                "never ends. Use a `for` statement that AutoGraph converts, or `dataset.take(n)`"
            )
        return self._emit("IteratorGetNext", structure.packed)

    def get_next_as_optional(self) -> Optional:
        """The next element as an ``Optional``, which is empty at the end."""
        if _core.executing_eagerly():
            for element in self:
                return Optional.from_value(element)
            return Optional.empty(self._element_spec)
        return Optional(self._emit("IteratorGetNextAsOptional", None), self._element_spec)

    def _emit(self, op: str, pack: Any) -> Any:
        found = _core.emit(op, (self._handle,), structure.attributes(self._element_spec))
        if pack is None:
            return found
        return pack(self._element_spec, _listed(found))

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_POSITION: _core.emit("IteratorPosition", (self._handle,))}

    def _restore_from_tensors(self, tensors: Mapping[str, Any]) -> None:
        if _POSITION not in tensors:
            raise ValueError(
                f"the iterator can't be restored: what was saved has {sorted(tensors)} for it, not "
                f"{shown(_POSITION)}. Positions of iterators are not exchanged with other libraries"
            )
        _core.emit_detached("SetIteratorPosition", [self._handle, tensors[_POSITION]], {})

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self._element_spec)

    def _staged_elements(self) -> Iterator:
        return self

    def _has_next(self, stopped: Any) -> Any:
        return _core.emit("IteratorHasNext", (self._handle, stopped))

    def __repr__(self) -> str:
        return f"<{FG}.data.Iterator element_spec={self._element_spec}>"


def _listed(found: Any) -> list[Any]:
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


@public("data.experimental.Optional", "experimental.Optional")
class Optional(CompositeTensor):
    """A value that may be missing: ``has_value()`` tells, ``get_value()`` gives it.

    ``get_value`` of an empty one raises InvalidArgumentError.

    >>> found = fg.data.experimental.Optional.from_value(fg.constant(3))
    >>> bool(found.has_value()), int(found.get_value())
    (True, 3)
    """

    def __init__(self, handle: Any, element_spec: Any):
        self._handle, self._element_spec = handle, element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that holds a value, a structure of tensors."""
        value = structure.normalized(value)
        handle = _core.emit("OptionalFromValue", structure.tensors_of(value))
        return Optional(handle, structure.type_of(value))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional of that type that holds nothing.

        Where the type is None, it becomes that of what an iteration of a loop leaves in its place.
        """
        return Optional(_core.emit("OptionalNone", ()), element_spec)

    @property
    def element_spec(self) -> Any:
        """The type of the value."""
        return self._element_spec

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value, a scalar bool tensor."""
        return _core.emit("OptionalHasValue", (self._handle,), None, name)

    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError where there is none."""
        reading = structure.reading(self._element_spec)
        value = reading.read_optional(self._handle)
        if value is not None:
            return value
        found = _core.emit("OptionalGetValue", (self._handle,), reading.attributes, name)
        return reading.packed(_listed(found))

    def _learn_type(self, later: Any) -> bool:
        """Whether this is an empty one made without a type; it takes that of another optional."""
        if self._element_spec is not None or not isinstance(later, Optional):
            return False
        self._element_spec = later._element_spec
        return later._element_spec is not None

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    def __repr__(self) -> str:
        return f"<{FG}.experimental.Optional element_spec={self._element_spec}>"


@public("data.NumpyIterator")
class NumpyIterator:
    """The elements of a dataset as NumPy arrays: what ``as_numpy_iterator`` gives.

    >>> list(fg.data.Dataset.range(2).as_numpy_iterator()) == [0, 1]
    True
    """

    def __init__(self, dataset: Any):
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return nest.map_structure(_to_numpy, next(self._iterator))

    def next(self) -> Any:
        """As ``next(self)``."""
        return next(self)

    def save(self) -> Any:
        """Where the iterator is, as a scalar of bytes that ``restore`` takes.

        >>> it = fg.data.Dataset.range(3).as_numpy_iterator()
        >>> place = it.save()
        >>> int(next(it)), it.restore(place), int(next(it))
        (0, None, 0)
        """
        position = self._iterator._serialize_to_tensors()[_POSITION]
        return _core.emit("SerializeTensor", (position,))

    def restore(self, state: Any) -> None:
        """Go where an iterator over the same pipeline was when ``save`` gave this.

        InvalidArgumentError where it is nothing that ``save`` gave.
        """
        position = _core.emit("ParseTensor", (state,), {"out_type": int64})
        self._iterator._restore_from_tensors({_POSITION: position})


def _to_numpy(value: Any) -> Any:
    return value if value is None else value.numpy()


IteratorSpec._value_class = Iterator
OptionalSpec._value_class = Optional
