"""Functions over the rows of tensors: ``map_fn``, ``scan`` and the folds.

Each takes a structure of tensors whose first axes have the same size, and calls a function with the
rows at each index, in that structure. Run eagerly that is a Python loop; in a graph the function is
traced once, into the body of a loop that stores its results in tensor arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..context.hooks import hooks
from ..native import FG, _core
from ..ops._dispatch import told
from ..state.tensor_array import TensorArray
from ..values import nest
from ..values.composite import CompositeTensor
from ..values.dtypes import as_dtype, int32
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec
from .loops import while_loop, without_gradient
from .rows import CompositeRows, EagerRows, SparseRows, collector_for

__all__ = ["Rows", "converted", "foldl", "foldr", "map_fn", "mapped", "scan"]


class Rows:
    """The rows of a structure of tensors. ValueError for scalars and for different lengths.

    They are taken apart for ``at``, unless ``apart`` says that no single rows are needed.
    """

    def __init__(self, elems: Any, what: str, broadcast: bool = False, apart: bool = True):
        self.structure = elems
        self.tensors = [
            leaf if _is_rowwise(leaf) else _core.convert_to_tensor(leaf)
            for leaf in nest.flatten(elems)
        ]
        if not self.tensors:
            text = f"{what} needs at least one tensor to iterate over"
            raise _core.about_argument(elems, ValueError(text))
        for tensor in self.tensors:
            if getattr(tensor, "shape", TensorShape(None)).rank == 0:
                raise ValueError(f"{what} iterates over the rows of tensors, a scalar has none")
        sizes = [_size_of(t) for t in self.tensors]
        known = {n for n in sizes if n is not None}
        self.single = [broadcast and n == 1 and len(known) > 1 for n in sizes]
        if len(known - {1} if any(self.single) else known) > 1:
            raise ValueError(f"{what}: the tensors have different numbers of rows, {sizes}")
        self.count = self._count(sizes)
        self._places = [self._readable(t) for t in self.tensors] if apart else []

    def _count(self, sizes: list[Any]) -> Any:
        """The number of rows: an int where it is known, else a tensor."""
        chosen = [i for i, single in enumerate(self.single) if not single]
        known = next((i for i in chosen if sizes[i] is not None), None)
        if known is not None:
            return sizes[known]
        first: Any = self.tensors[chosen[0]]
        if hasattr(first, "row_splits"):
            return first.nrows("int32")
        if _is_sparse(first):
            return _core.emit("Cast", (first.dense_shape[0],), {"DstT": int32})
        return _core.emit("Shape", (nest.flatten(first, expand_composites=True)[0],))[0]

    def _readable(self, tensor: Any) -> Any:
        if not isinstance(tensor, _core.Tensor):
            return SparseRows(tensor) if _is_sparse(tensor) else CompositeRows(tensor)
        if _core.executing_eagerly():
            return EagerRows(tensor)
        size = self.count if tensor.shape.rank is None else tensor.shape[0]
        size = self.count if size is None else size
        return TensorArray(tensor.dtype, size, clear_after_read=False).unstack(tensor)

    def at(self, index: Any) -> Any:
        """The rows of that number."""
        pairs = zip(self._places, self.single, strict=True)
        rows = [place.read(0 if single else index) for place, single in pairs]
        return nest.pack_sequence_as(self.structure, rows)


def _is_rowwise(value: Any) -> bool:
    """Whether it is a composite value with rows: ragged, sparse, or an extension type that can."""
    if not isinstance(value, CompositeTensor):
        return False
    return _is_sparse(value) or hasattr(type(value._type_spec), "_unbatch")


def _is_sparse(value: Any) -> bool:
    return hasattr(type(value), "_row")


def _size_of(value: Any) -> int | None:
    """The number of rows where it is known."""
    has_shape = isinstance(value, _core.Tensor) or hasattr(value, "row_splits")
    if not has_shape and not _is_sparse(value):
        value = nest.flatten(value, expand_composites=True)[0]
    return value.shape[0] if value.shape.rank is not None else None


def converted(fn: Any, what: str) -> Callable[..., Any]:
    """``fn`` as a graph traces it. TypeError where it is no function."""
    if not callable(fn):
        raise _core.about_argument(fn, TypeError(f"{what} needs a function, got {shown(fn)}"))
    if _core.executing_eagerly():
        return fn
    return hooks.converted_callback(fn)


def _repeat(numbers: tuple[Any, ...], step: Callable[..., Any], state: list[Any]) -> list[Any]:
    """``state = step(i, state)`` for each ``i`` from a first number to a last by 1 or -1."""
    first, end, by = numbers
    if _core.executing_eagerly():
        for i in range(int(first), int(end), by):
            state = step(i, state)
        return state

    def going(i: Any, _: Any) -> Any:
        return i < end if by > 0 else i > end

    start = _core.convert_to_tensor(first)
    return while_loop(going, lambda i, held: (i + by, step(i, held)), (start, state))[1]


def _specs(signature: Any) -> list[Any]:
    """What a signature says of each result; a dtype leaves the shape open."""
    return [
        leaf if isinstance(leaf, TypeSpec) else TensorSpec(None, as_dtype(leaf))
        for leaf in nest.flatten(signature)
    ]


@public("map_fn")
@told
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """``fn`` of each row of ``elems``, stacked.

    Rows may come from ragged tensors and batchable extension types; results of a
    ``RaggedTensorSpec`` may differ in length, as they may by default for rows of a ragged tensor.

    >>> fg.map_fn(lambda row: row * row, fg.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]

    Args:
      fn: a function of a row, in the structure of elems.
      elems: a tensor or a structure of such, each with as many rows as the others.
      dtype: the older name of fn_output_signature.
      parallel_iterations, swap_memory: accepted, and change nothing.
      back_prop: a bool, as in ``while_loop``; True by default.
      infer_shape: a bool, whether all results have the shape of the first; True by default.
      name: of no effect.
      fn_output_signature: the structure of the results with a dtype or a ``TypeSpec`` for each; by
        default that of elems.

    Returns:
      The results in the structure and dtypes of fn_output_signature, with the rows as their first
        axis.

    Raises:
      ValueError: where fn gives another structure, or the tensors differ in their number of rows.
      TypeError: where fn gives another dtype, or is no function.
    """
    fn = converted(fn, "map_fn")
    rows = Rows(elems, "map_fn")
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        signature = nest.pack_sequence_as(elems, [_kind_of_rows(t) for t in rows.tensors])
    found = mapped(fn, rows, signature, infer_shape)
    return found if back_prop else without_gradient(found)


def _kind_of_rows(value: Any) -> Any:
    """The spec of the rows of a value in a signature: rows of ragged tensors stay ragged."""
    if isinstance(value, _core.Tensor):
        return value.dtype
    spec = value._type_spec
    return spec._row() if hasattr(spec, "_row") else spec._element_spec()


def mapped(fn: Callable[..., Any], rows: Rows, signature: Any, infer_shape: bool = True) -> Any:
    """``fn`` of each of the rows, stacked in the structure and the types of the signature."""
    specs = _specs(signature)
    collectors = [collector_for(spec, rows.count, infer_shape) for spec in specs]

    def step(i: Any, held: list[Any]) -> list[Any]:
        result = fn(rows.at(i))
        _check_structure(
            signature,
            result,
            "map_fn: the function gives another structure than its signature says "
            "(`fn_output_signature`, `dtype`, by default that of `elems`)",
        )
        pairs = list(zip(collectors, nest.flatten(result), strict=True))
        for spec, (_, value) in zip(specs, pairs, strict=True):
            _check_dtype(spec, value)
        return _written(held, i, [part for c, value in pairs for part in c.parts(value)])

    arrays = _repeat((0, rows.count, 1), step, [a for c in collectors for a in c.arrays])
    made, rest = [], iter(arrays)
    for collector in collectors:
        made.append(collector.result([next(rest) for _ in collector.arrays]))
    return nest.pack_sequence_as(signature, made)


def _check_structure(wanted: Any, result: Any, text: str) -> None:
    """Refuse a result of another structure."""
    try:
        nest.require_same_structure(wanted, result, check_types=False)
    except ValueError as e:
        raise ValueError(f"{text}. {e}") from None


def _check_dtype(spec: Any, value: Any) -> None:
    """Say what to write where a function gives another dtype than its signature says."""
    known = isinstance(value, _core.Tensor) and isinstance(spec, TensorSpec)
    if known and value.dtype != spec.dtype:
        raise TypeError(
            f"the function gives {value.dtype.name}, and its signature (by default the dtypes of "
            f"`elems`) says {spec.dtype.name}: give `fn_output_signature={FG}.{value.dtype.name}`"
        )


def _written(arrays: list[Any], i: Any, values: list[Any]) -> list[Any]:
    return [array.write(i, value) for array, value in zip(arrays, values, strict=True)]


def _begin(rows: Rows, elems: Any, initializer: Any, reverse: bool) -> tuple[Any, tuple[Any, ...]]:
    """The structure to start from, and the numbers of the rows that follow."""
    first, end, by = (rows.count - 1, -1, -1) if reverse else (0, rows.count, 1)
    if initializer is None:
        leaves = [tensor[first] for tensor in rows.tensors]
        return nest.pack_sequence_as(elems, leaves), (first + by, end, by)
    start = [_core.convert_to_tensor(leaf) for leaf in nest.flatten(initializer)]
    return nest.pack_sequence_as(initializer, start), (first, end, by)


def _accumulate(fn: Callable[..., Any], structure: Any, held: list[Any], row: Any) -> list[Any]:
    """The leaves of ``fn`` of what was accumulated and a row."""
    result = fn(nest.pack_sequence_as(structure, held), row)
    _check_structure(
        structure,
        result,
        "the function gives another structure than it was given (by `initializer`, by default that "
        "of `elems`)",
    )
    pairs = zip(nest.flatten(result), held, strict=True)
    made = [(_core.convert_to_tensor(new, dtype_hint=old.dtype), old) for new, old in pairs]
    for new, old in made:
        if new.dtype != old.dtype:
            raise TypeError(
                f"the function gives {new.dtype.name} for what was {old.dtype.name} before: give "
                f"`{FG}.cast(value, {FG}.{old.dtype.name})`, or an `initializer` of "
                f"`{FG}.{new.dtype.name}`"
            )
    return [new for new, _ in made]


def _fold(fn: Callable[..., Any], elems: Any, initializer: Any, reverse: bool, what: str) -> Any:
    fn = converted(fn, what)
    rows = Rows(elems, what)
    start, numbers = _begin(rows, elems, initializer, reverse)
    final = _repeat(
        numbers, lambda i, held: _accumulate(fn, start, held, rows.at(i)), nest.flatten(start)
    )
    return nest.pack_sequence_as(start, final)


@public("foldl")
@told
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """``fn(... fn(fn(initializer, row 0), row 1) ..., last row)``.

    The accumulator keeps its structure and dtypes.

    >>> int(fg.foldl(lambda total, row: 10 * total + row, fg.constant([1, 2, 3])))
    123

    Args:
      fn: a function of the accumulator and a row that gives the next accumulator.
      elems: a tensor or a structure of such, each with as many rows as the others.
      initializer: the first accumulator, a tensor or a structure of such; by default it is row 0.
      parallel_iterations, swap_memory: accepted, and change nothing.
      back_prop: a bool, as in ``while_loop``; True by default.
      name: of no effect.

    Returns:
      The last accumulator, in the structure and dtypes of the first.

    Raises:
      ValueError: where fn gives another structure, or the tensors differ in their number of rows.
      TypeError: where fn gives another dtype, or is no function.
      InvalidArgumentError: where there are neither rows nor an initializer.
    """
    found = _fold(fn, elems, initializer, False, "foldl")
    return found if back_prop else without_gradient(found)


@public("foldr")
@told
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """``fn(... fn(fn(initializer, last row), row before) ..., row 0)``.

    The accumulator keeps its structure and dtypes.

    >>> int(fg.foldr(lambda total, row: 10 * total + row, fg.constant([1, 2, 3])))
    321

    Args:
      fn: a function of the accumulator and a row that gives the next accumulator.
      elems: a tensor or a structure of such, each with as many rows as the others.
      initializer: the first accumulator, a tensor or a structure of such; by default it is the last
        row.
      parallel_iterations, swap_memory: accepted, and change nothing.
      back_prop: a bool, as in ``while_loop``; True by default.
      name: of no effect.

    Returns:
      The last accumulator, in the structure and dtypes of the first.

    Raises:
      ValueError: where fn gives another structure, or the tensors differ in their number of rows.
      TypeError: where fn gives another dtype, or is no function.
      InvalidArgumentError: where there are neither rows nor an initializer.
    """
    found = _fold(fn, elems, initializer, True, "foldr")
    return found if back_prop else without_gradient(found)


@public("scan")
@told
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Every accumulator of ``foldl``, stacked.

    >>> fg.scan(lambda total, row: total + row, fg.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]

    Args:
      fn: a function of the accumulator and a row that gives the next accumulator.
      elems: a tensor or a structure of such, each with as many rows as the others.
      initializer: the first accumulator, a tensor or a structure of such, which is not in the
        result; by default it is the first row, which is.
      parallel_iterations, swap_memory: accepted, and change nothing.
      back_prop: a bool, as in ``while_loop``; True by default.
      infer_shape: a bool, whether each accumulator has the static shape of the first; True by
        default.
      reverse: a bool, whether it begins at the last row, as ``foldr``; False by default.
      name: of no effect.

    Returns:
      The accumulators in the structure and dtypes of the first, in the order of the rows, which are
        their first axis.

    Raises:
      ValueError: where fn gives another structure, or the tensors differ in their number of rows.
      TypeError: where fn gives another dtype, or is no function.
      InvalidArgumentError: where there are neither rows nor an initializer.
    """
    fn = converted(fn, "scan")
    rows = Rows(elems, "scan")
    start, numbers = _begin(rows, elems, initializer, reverse)
    leaves = nest.flatten(start)
    shapes = [leaf.shape if infer_shape else None for leaf in leaves]
    arrays = [
        TensorArray(leaf.dtype, rows.count, infer_shape=infer_shape, element_shape=shape)
        for leaf, shape in zip(leaves, shapes, strict=True)
    ]
    if initializer is None:
        arrays = _written(arrays, rows.count - 1 if reverse else 0, leaves)

    def step(i: Any, state: list[Any]) -> list[Any]:
        held = _accumulate(fn, start, state[0], rows.at(i))
        return [held, _written(state[1], i, held)]

    _, arrays = _repeat(numbers, step, [leaves, arrays])
    found = nest.pack_sequence_as(start, [array.stack() for array in arrays])
    return found if back_prop else without_gradient(found)
