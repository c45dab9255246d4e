"""Shapes of tensors as far as they are known."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from itertools import islice

from ..hints import Any
from ..native import _core
from .errors import shown
from .public import public

__all__ = ["Dimension", "TensorShape"]

_MOST_DIMENSIONS = 254


class Dimension:
    """One size, or None where it is unknown, as ``TensorShape.dims`` lists it."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = _size(value)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both sizes are the same or one is unknown."""
        other = _size(other)
        return self.value is None or other is None or self.value == other

    def __eq__(self, other: Any) -> Any:
        try:
            return self.value == _size(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("the size of this dimension is unknown")
        return self.value

    __int__ = __index__

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)


def _size(value: Any) -> int | None:
    """A dimension as an int, or None where it is unknown."""
    if value is None:
        return None
    if type(value) is int:
        size = value
    elif isinstance(value, Dimension):
        return value.value
    else:
        try:
            size = operator.index(value)
        except TypeError:
            text = f"a dimension must be an integer or None, got {_core.described(value)}"
            raise _core.about_argument(value, TypeError(text)) from None
    if size < 0:
        raise ValueError(f"a dimension must not be negative, got {size}")
    return size


@public("TensorShape")
class TensorShape:
    """The shape of a tensor, of which the rank or single sizes may be unknown.

    Args:
      dims: the sizes, None for each unknown one; None where even the rank is unknown; an int for a
        vector's shape.

    Raises:
      TypeError, ValueError: where a dimension is no integer, or negative.

    >>> import ferrograph as fg
    >>> shape = fg.TensorShape([None, 3])
    >>> shape.rank, shape[1], shape.is_fully_defined()
    (2, 3, False)
    >>> shape.is_compatible_with([7, 3])
    True
    >>> print(shape)
    (None, 3)
    """

    __slots__ = ("__weakref__", "_dims")

    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: Any):
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif type(dims) in (list, tuple):
            self._dims = tuple([_size(d) for d in dims])
        else:
            self._dims = _dims_of(dims)

    @classmethod
    def _of(cls, dims: tuple[int | None, ...] | None) -> TensorShape:
        """The shape of dimensions that are checked already."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, None where unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, None where unknown; the same as ``rank``."""
        return self.rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as objects with a ``value``, None where the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """The dimensions as a list of ints and None.

        Raises:
          ValueError: where the rank is unknown.
        """
        return list(self._known("as_list()"))

    def num_elements(self) -> int | None:
        """The number of elements, None where a dimension is unknown."""
        if self._dims is None:
            return None
        count = 1
        for size in self._dims:
            if size is None:
                return None
            count *= size
        return count

    def is_fully_defined(self) -> bool:
        """Whether the rank and every dimension is known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some tensor could have both shapes."""
        other = _as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def merge_with(self, other: Any) -> TensorShape:
        """What is known from this and another shape together.

        Raises:
          ValueError: where they are not compatible.
        """
        other = _as_shape(other)
        self.assert_is_compatible_with(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape._of(tuple([b if a is None else a for a, b in pairs]))

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape followed by those of another."""
        other = _as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape._of(None)
        return TensorShape._of(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape with that rank, where it was unknown.

        Raises:
          ValueError: where the rank is another.
        """
        if self._dims is None:
            return TensorShape._of((None,) * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: where the rank is known and lower.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
          ValueError: where the rank is known and higher.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError where the rank is known and another."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError where both ranks are known and differ."""
        other = _as_shape(other)
        if self._dims is not None and other._dims is not None and self.rank != other.rank:
            raise ValueError(f"shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError where no tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"shapes {self} and {_as_shape(other)} are not compatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError where anything is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"shape {self} is not fully defined")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape also has the shape ``other``."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape | None:
        """The narrowest shape that this one and all others have; None where one is no shape."""
        shape = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            shape = shape.most_specific_compatible_shape(other)
        return shape

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that tensors of this and of the other shape have."""
        other = _as_shape(other)
        if self._dims is None or other._dims is None or self.rank != other.rank:
            return TensorShape._of(None)
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape._of(tuple([a if a == b else None for a, b in pairs]))

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A shape has no placeholder: it is no value that a function computes with."""
        raise NotImplementedError("a TensorShape has no placeholder")

    def from_tensors(self, tensors: Any) -> Any:
        """A shape is made of no tensors."""
        raise NotImplementedError("a TensorShape is made of no tensors")

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors that a value of this trace type holds: none."""
        return []

    def flatten(self) -> list[Any]:
        """The types of those tensors: none."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value where it is a shape that is a case of this one.

        Raises:
          ValueError: where it is not.
        """
        if isinstance(value, TensorShape) and value.is_subtype_of(self):
            return value
        raise ValueError(f"expected a shape that fits {self}, got {shown(value)}")

    def _known(self, what: str) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError(f"{what} needs a known rank, but the rank of this shape is unknown")
        return self._dims

    def __len__(self) -> int:
        return len(self._known("len()"))

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known("iterating over a shape"))

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            found = self._dims[key]
            return TensorShape._of(found) if isinstance(key, slice) else found
        if not isinstance(key, slice):
            return None
        start = key.start or 0
        known = key.stop is not None and start >= 0 and key.stop >= 0 and key.step in (None, 1)
        return TensorShape._of((None,) * max(key.stop - start, 0) if known else None)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return _as_shape(other).concatenate(self)

    def __eq__(self, other: Any) -> Any:
        try:
            return self._dims == _as_shape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self):
        return TensorShape, (None if self._dims is None else list(self._dims),)


def _as_shape(value: Any) -> TensorShape:
    return value if isinstance(value, TensorShape) else TensorShape(value)


def _dims_of(dims: Any) -> tuple[int | None, ...]:
    """The dimensions of an int, an array, a tensor, or any iterable of them."""
    if isinstance(dims, (str, bytes, dict)):
        text = f"a shape must be a sequence of integers and None, got {_core.described(dims)}"
        raise _core.about_argument(dims, TypeError(text))
    if isinstance(dims, (int, Dimension)):
        return (_size(dims),)
    if hasattr(dims, "numpy"):
        dims = dims.numpy()
    if getattr(dims, "shape", None) == ():
        return (_size(dims),)
    try:
        items = iter(dims)
    except TypeError:
        return (_size(dims),)
    # Of what has no end, or hardly one, no more is read than a tensor can have.
    sizes = tuple([_size(d) for d in islice(items, _MOST_DIMENSIONS + 1)])
    if len(sizes) > _MOST_DIMENSIONS:
        raise ValueError(f"a tensor has at most {_MOST_DIMENSIONS} dimensions, this shape has more")
    return sizes
