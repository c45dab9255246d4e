"""Experimental sources and functions for ``Dataset.apply`` that are made of methods of datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops._dispatch import told
from ..ops.arrays import stack
from ..ops.creation import zeros
from ..values import errors, nest
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_spec import TensorSpec
from . import structure
from .dataset import INFINITE_CARDINALITY, Dataset, emitted
from .experimental import Transformation

__all__ = ["at", "from_list", "pad_to_cardinality", "parallel_interleave"]


@public("data.experimental.from_list")
@told
def from_list(elements: Any, name: str | None = None) -> Dataset:
    """A dataset of the entries of a list, each an element.

    >>> pairs = fg.data.experimental.from_list([(1, "a"), (2, "b")])
    >>> [(int(n), text.numpy()) for n, text in pairs]
    [(1, b'a'), (2, b'b')]

    Args:
      elements: a list of tensors or structures of such, of one structure and the same dtypes; one
        at least.
      name: of no effect.

    Returns:
      A ``Dataset``.

    Raises:
      ValueError: for what is no list or empty, and where structures differ.
      TypeError: where dtypes differ.
    """
    if not isinstance(elements, list):
        raise ValueError(f"Invalid `elements`. `elements` must be a list, got {shown(elements)}.")
    if not elements:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    values = [structure.normalized(element) for element in elements]
    types = [structure.type_of(value) for value in values]
    spec = types[0]
    for other in types[1:]:
        nest.require_same_structure(spec, other)
        structure.same_kind(spec, other, "from_list")
        spec = structure.generalised(spec, other)
    rows = [structure.tensors_of(value) for value in values]
    if rows[0] and all(kind == spec for kind in types) and _are_stackable(spec):
        columns = [stack(column) for column in zip(*rows, strict=True)]
        return emitted("TensorSliceDataset", columns, spec)
    return _joined([Dataset.from_tensors(value) for value in values])


def _are_stackable(spec: Any) -> bool:
    return all(part.shape.is_fully_defined() for part in structure.components(spec))


def _joined(parts: list[Dataset]) -> Dataset:
    """One dataset after the other, as a tree of few levels."""
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [pair[0].concatenate(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


@public("data.experimental.at")
@told
def at(dataset: Dataset, index: Any) -> Any:
    """The element of that number.

    >>> int(fg.data.experimental.at(fg.data.Dataset.range(5, 9), 2))
    7

    Args:
      dataset: a ``Dataset``.
      index: an integer scalar, from 0 on.

    Returns:
      The element, a tensor or a structure of such.

    Raises:
      OutOfRangeError: where index is negative, or not below the known number of elements.
      InvalidArgumentError: where their number is not known before and too small.
    """
    number = structure.scalar(index)
    known = number._constant_value()
    count = dataset.cardinality()._constant_value()
    if known is not None and (known < 0 or (count is not None and 0 <= count <= known)):
        end = "" if count is None or count < 0 else int(count)
        raise errors.OutOfRangeError(None, None, f"Index out of range [0, {end}): {int(known)}")
    return dataset.skip(number).take(1).get_single_element()


@public("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """A function for ``Dataset.apply`` that adds elements of zeros up to that number.

    Elements are dicts, which get an entry that says whether they are the dataset's own.

    >>> rows = fg.data.Dataset.from_tensor_slices({"x": [1, 2]})
    >>> padded = rows.apply(fg.data.experimental.pad_to_cardinality(3))
    >>> [(int(row["x"]), bool(row["valid"])) for row in padded]
    [(1, True), (2, True), (0, False)]

    Args:
      cardinality: an int, how many elements there are then.
      mask_key: the name of the entry, a string; ``"valid"`` by default.

    Returns:
      A function that makes a dataset of a dataset. It raises ValueError for elements that are no
        dicts, for shapes that are not known, and where there are more elements or nobody knows how
        many.
    """

    def apply(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        missing = int(cardinality) - _count(dataset, int(cardinality))
        padding = {key: nest.map_structure(_zeros, part) for key, part in spec.items()}
        marked = dataset.map(lambda row: {**row, mask_key: True})
        padded = Dataset.from_tensors({**padding, mask_key: False}).repeat(missing)
        return marked.concatenate(padded)

    return apply


def _count(dataset: Dataset, most: int) -> int:
    """How many elements a dataset has, which has to be known and at most that many."""
    known = dataset.cardinality()._constant_value()
    count = -2 if known is None else int(known)
    if count < 0 and count != INFINITE_CARDINALITY:
        raise ValueError(
            "The dataset passed into `pad_to_cardinality` must have a known cardinality, but has "
            f"cardinality {count}"
        )
    if count > most or count == INFINITE_CARDINALITY:
        raise ValueError(
            "The dataset passed into `pad_to_cardinality` must have a cardinality of at most "
            f"{most}, but has cardinality {count}"
        )
    return count


def _zeros(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or not spec.shape.is_fully_defined():
        raise ValueError(f"`pad_to_cardinality` needs tensors of known shapes, got {spec}")
    return zeros(spec.shape, spec.dtype)


@public("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """A function for ``Dataset.apply`` that does as ``Dataset.interleave``, in its order.

    >>> twice = lambda x: fg.data.Dataset.from_tensors(x).repeat(2)
    >>> turns = fg.data.experimental.parallel_interleave(twice, cycle_length=2)
    >>> [int(x) for x in fg.data.Dataset.range(2).apply(turns)]
    [0, 1, 0, 1]

    Args:
      map_func: a function of an element that gives a dataset.
      cycle_length: an integer scalar, how many of these datasets are open at once.
      block_length: an integer scalar, how many elements of one come in a row; 1 by default.
      sloppy, buffer_output_elements, prefetch_input_elements: of no effect.

    Returns:
      A function that makes a dataset of a dataset.
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)
