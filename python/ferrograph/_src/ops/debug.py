"""Printing and assertions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar

from ..values.composite import CompositeTensor
from ..values.public import public
from ._base import (
    DType,
    Tensor,
    TensorLike,
    as_dtype,
    convert,
    convert_pair,
    emit,
    float32,
    is_slices,
    is_tensor,
)
from ._dispatch import dispatched, told
from ._emits import dressed
from ._numbers import several, whole
from ._templates import filled
from .arithmetic import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    multiply,
    not_equal,
    subtract,
)
from .elementwise import abs
from .numeric import cast
from .reductions import reduce_all

F = TypeVar("F", bound=Callable[..., Any])
# From 0 to the most dimensions that a tensor has.
_MOST_RANKS = 255

_MARK = "\x00{}\x00"


@public("print")
def print(*inputs: Any, **kwargs: Any) -> Any:
    """Prints tensors and other objects, whenever the program that it stands in is run.

    Where Python's own ``print`` in a traced function speaks once, while tracing, this is an
    operation. Tensors inside of lists, tuples and dicts are shown in their place.

    >>> import sys
    >>> fg.print("x:", fg.constant([1, 2]), output_stream=sys.stdout)
    x: [1 2]

    Args:
      *inputs: what to print.
      **kwargs: ``output_stream`` (``sys.stderr`` unless told; ``sys.stdout`` or ``"file://path"``),
        ``summarize`` (how many items of each end of an axis to show, 3 unless told, -1 for all),
        ``sep`` (a space), ``end`` (a new line) and ``name``.

    Raises:
      ValueError: for another stream.
      TypeError: for another keyword.
    """
    stream = _stream(kwargs.pop("output_stream", None))
    summarize = kwargs.pop("summarize", None)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"print has no argument {next(iter(kwargs))!r}")
    line = shown(inputs, sep, summarize, name)
    return emit("PrintV2", (line,), {"output_stream": stream, "end": end}, name)


def shown(inputs: Any, sep: str = " ", summarize: Any = None, name: str | None = None) -> Any:
    """The text of what ``print`` is given, as a string tensor."""
    tensors: list[Any] = []
    text = sep.join(_template(value, tensors) for value in inputs)
    if len(inputs) == 1 and tensors and tensors[0] is inputs[0] and _is_text(tensors[0]):
        return tensors[0]
    return filled(text, _MARK, tensors, 3 if summarize is None else summarize, name)


def _is_text(tensor: Any) -> Any:
    return is_tensor(tensor) and tensor.dtype.name == "string" and tensor.ndim == 0


def _template(value: Any, tensors: Any) -> Any:
    """How a value is printed, tensors leaving a mark; a string is printed as it is."""
    return value if isinstance(value, str) else _shown(value, tensors)


def _shown(value: Any, tensors: Any) -> Any:
    if is_tensor(value) or (isinstance(value, CompositeTensor) and value._is_printed):
        tensors.append(value)
        return _MARK
    if isinstance(value, dict):
        return _shown_dict(value, tensors)
    if isinstance(value, list):
        return "[" + ", ".join(_shown(item, tensors) for item in value) + "]"
    if isinstance(value, tuple):
        items = [_shown(item, tensors) for item in value]
        if hasattr(value, "_fields"):
            pairs = zip(value._fields, items, strict=True)
            return f"{type(value).__name__}({', '.join(f'{k}={v}' for k, v in pairs)})"
        return "(" + ", ".join(items) + (",)" if len(items) == 1 else ")")
    if is_slices(value):
        parts = f"indices={_shown(value.indices, tensors)}, values={_shown(value.values, tensors)}"
        return f"{type(value).__name__}({parts})"
    return repr(value)


def _shown_dict(value: dict[Any, Any], tensors: Any) -> str:
    """A dict by its keys. One whose class prints itself is in its own order."""
    kind = type(value)
    if kind.__repr__ is dict.__repr__:
        items = _shown_items(_by_key(value), tensors)
        return "{" + ", ".join(f"{key}: {text}" for key, text in items) + "}"
    held: list[Any] = []
    items = _shown_items(list(value.items()), held)
    if not held:
        return repr(value)
    tensors += held
    pairs = ", ".join(f"({key}, {text})" for key, text in items)
    return f"{kind.__name__}([{pairs}])"


def _shown_items(items: list[Any], tensors: Any) -> list[tuple[str, str]]:
    return [(repr(key), _shown(item, tensors)) for key, item in items]


def _by_key(value: dict[Any, Any]) -> list[Any]:
    """The items of a dict in the order of its keys; in its own where keys do not compare."""
    try:
        return [(key, value[key]) for key in sorted(value)]
    except TypeError:
        return list(value.items())


def _stream(stream: Any) -> Any:
    if stream is None or stream is sys.stderr:
        return "stderr"
    if stream is sys.stdout:
        return "stdout"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    raise ValueError(
        f"output_stream must be sys.stdout, sys.stderr or 'file://path', got {stream!r}"
    )


@public("debugging.Assert", "Assert")
def Assert(
    condition: TensorLike, data: TensorLike, summarize: Any = None, name: str | None = None
) -> Any:
    """Fails, when run, where ``condition`` is not True; other operations of the function wait for
    it.

    >>> fg.debugging.Assert(fg.constant(1) > 0, ["must be positive"])

    Args:
      condition: a bool scalar.
      data: a list of tensors and strings for the message.
      summarize: how many items of each tensor to show.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the condition is False.
    """
    shown = 3 if summarize is None else whole(summarize, "Assert: summarize")
    parts = several(data, "Assert: data")
    return emit("Assert", (condition, *parts), {"summarize": shown}, name)


def _said(message: Any, then: str = "") -> str:
    """What a caller says of a failure, and what follows it; nothing where nothing is said."""
    text = "" if message is None else str(message)
    return text + then if text else ""


@public("debugging.check_numerics", ragged="flat")
@dispatched
def check_numerics(tensor: TensorLike, message: Any, name: str | None = None) -> Tensor:
    """A tensor, checked when run to hold neither NaN nor infinity.

    >>> fg.debugging.check_numerics([1.0, 2.0], "weights").numpy()
    array([1., 2.], dtype=float32)

    Args:
      tensor: a tensor of floats or complex numbers, or what converts to one; of any shape.
      message: what to say of the tensor in the error, a string.
      name: a name for the operation.

    Returns:
      A tensor of the dtype, the shape and the elements of ``tensor``.

    Raises:
      InvalidArgumentError: where it holds NaN or infinity, and for another dtype.
      TypeError: where ``message`` is no string.
    """
    return emit("CheckNumerics", (tensor,), {"message": message}, name)


@public("debugging.assert_all_finite")
def assert_all_finite(x: TensorLike, message: Any, name: str | None = None) -> Tensor:
    """A tensor, checked when run to hold neither NaN nor infinity; see ``check_numerics``.

    >>> fg.debugging.assert_all_finite([1.0, 2.0], "not finite").numpy()
    array([1., 2.], dtype=float32)

    Args:
      x: a tensor of floats or complex numbers, or what converts to one; of any shape.
      message: what to say of the tensor in the error, a string.
      name: a name for the operation.

    Returns:
      A tensor of the dtype, the shape and the elements of ``x``.

    Raises:
      InvalidArgumentError: where it holds NaN or infinity, and for another dtype.
      TypeError: where ``message`` is no string.
    """
    return check_numerics(x, message, name)


def _compared(
    compare: Callable[..., Any], relation: str, x: Any, y: Any, said: tuple[Any, ...]
) -> Any:
    """Asserts a relation of two tensors; ``said`` is the message, how much to show, the name."""
    message, summarize, name = said
    x, y = convert_pair(x, y)
    holds = reduce_all(compare(x, y))
    data = [_said(message), f"x {relation} y does not hold everywhere; x:", x, "y:", y]
    return Assert(holds, data, summarize, name)


def _compares(compare: Callable[..., Any], relation: str) -> Callable[[F], F]:
    """The body of a function that asserts a relation of two tensors."""

    def make(declared: F) -> F:
        def check(x, y, message=None, summarize=None, name=None):
            return _compared(compare, relation, x, y, (message, summarize, name))

        return dressed(dispatched(check), declared)

    return make


def _compares_with_zero(compare: Callable[..., Any], relation: str) -> Callable[[F], F]:
    """The body of a function that asserts a relation of a tensor with zero."""

    def make(declared: F) -> F:
        def check(x, message=None, summarize=None, name=None):
            x = convert(x)
            holds = reduce_all(compare(x, convert(0, x.dtype)))
            data = [_said(message), f"x {relation} 0 does not hold everywhere; x:", x]
            return Assert(holds, data, summarize, name)

        return dressed(dispatched(check), declared)

    return make


@public("debugging.assert_equal", "assert_equal")
@_compares(equal, "==")
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``x == y`` holds for all elements.

    >>> fg.debugging.assert_equal([1, 2], [1, 2])

    Args:
      x: a tensor of numbers, bools or strings, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of ``x``.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items of each tensor to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold, where the dtypes differ, and for shapes that do
        not broadcast.
    """


@public("debugging.assert_none_equal")
@dispatched
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``x != y`` holds for all elements.

    >>> fg.debugging.assert_none_equal([1, 2], 3)

    Args:
      x: a tensor.
      y: likewise, of the same dtype; the shapes broadcast.
      summarize: how many items of each tensor to show.
      message: what to say before the values.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold.
    """
    return _compared(not_equal, "!=", x, y, (message, summarize, name))


@public("debugging.assert_less", "assert_less")
@_compares(less, "<")
def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``x < y`` holds for all elements.

    >>> fg.debugging.assert_less([1, 2], 3)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of ``x``.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items of each tensor to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold, for other dtypes, and for shapes that do not
        broadcast.
    """


@public("debugging.assert_less_equal")
@_compares(less_equal, "<=")
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``x <= y`` holds for all elements.

    >>> fg.debugging.assert_less_equal([1, 2], 2)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of ``x``.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items of each tensor to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold, for other dtypes, and for shapes that do not
        broadcast.
    """


@public("debugging.assert_greater", "assert_greater")
@_compares(greater, ">")
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``x > y`` holds for all elements.

    >>> fg.debugging.assert_greater([1, 2], 0)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of ``x``.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items of each tensor to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold, for other dtypes, and for shapes that do not
        broadcast.
    """


@public("debugging.assert_greater_equal")
@_compares(greater_equal, ">=")
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``x >= y`` holds for all elements.

    >>> fg.debugging.assert_greater_equal([1, 2], 1)

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      y: another one of the same dtype, whose shape broadcasts with that of ``x``.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items of each tensor to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold, for other dtypes, and for shapes that do not
        broadcast.
    """


@public("debugging.assert_positive")
@_compares_with_zero(greater, ">")
def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails, when run, unless ``x > 0`` holds for all elements.

    >>> fg.debugging.assert_positive([1, 2])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold.
      TypeError: for bools and strings.
    """


@public("debugging.assert_negative")
@_compares_with_zero(less, "<")
def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails, when run, unless ``x < 0`` holds for all elements.

    >>> fg.debugging.assert_negative([-1, -2])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold.
      TypeError: for bools and strings.
    """


@public("debugging.assert_non_negative")
@_compares_with_zero(greater_equal, ">=")
def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails, when run, unless ``x >= 0`` holds for all elements.

    >>> fg.debugging.assert_non_negative([0, 1])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold.
      TypeError: for bools and strings.
    """


@public("debugging.assert_non_positive")
@_compares_with_zero(less_equal, "<=")
def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Fails, when run, unless ``x <= 0`` holds for all elements.

    >>> fg.debugging.assert_non_positive([0, -1])

    Args:
      x: a tensor of real numbers, or what converts to one; of any shape.
      message: what to say before the values, a string; nothing unless told.
      summarize: how many items to show, an int; 3 unless told.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold.
      TypeError: for bools and strings.
    """


_EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "complex64": 2.0**-23}


@public("debugging.assert_near")
@dispatched
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: Any = None,
    name: str | None = None,
) -> Any:
    """Fails, when run, unless ``|x - y| <= atol + rtol * |y|`` for all elements.

    >>> fg.debugging.assert_near([1.0], [1.0 + 1e-7])

    Args:
      x: a tensor of floats.
      y: likewise.
      rtol: the relative tolerance; ten times the spacing of the dtype's numbers at 1 unless told.
      atol: the absolute one; likewise.
      message: what to say before the values.
      summarize: how many items of each tensor to show.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where it does not hold.
    """
    x, y = convert_pair(x, y)
    usual = 10 * _EPSILON.get(x.dtype.name, 2.0**-52)
    apart = abs(subtract(x, y))
    rtol = cast(convert(usual if rtol is None else rtol, dtype_hint=apart.dtype), apart.dtype)
    atol = cast(convert(usual if atol is None else atol, dtype_hint=apart.dtype), apart.dtype)
    holds = reduce_all(less_equal(apart, atol + multiply(rtol, abs(y))))
    data = [_said(message), "x and y are not near each other everywhere; x:", x, "y:", y]
    return Assert(holds, data, summarize, name)


@public("debugging.assert_rank", "assert_rank")
def assert_rank(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Checks that ``x`` has this rank: at once where it is known, else when run.

    >>> fg.debugging.assert_rank([[1]], 2)

    Args:
      x: a tensor, or what converts to one; of any dtype and shape.
      rank: the rank, an int.
      message: what to say first in the error, a string; nothing unless told.
      name: not used.

    Raises:
      ValueError: where the known rank is another, or ``rank`` is no integer.
      InvalidArgumentError: where it turns out to be, when run.
    """
    rank = whole(rank, "the rank that is asserted", ValueError)
    return _check_rank(x, lambda r: r == rank, f"rank {rank}", equal, rank, message, name)


@public("debugging.assert_rank_at_least")
def assert_rank_at_least(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Checks that ``x`` has at least this rank; see ``assert_rank``.

    >>> fg.debugging.assert_rank_at_least([[1]], 1)

    Args:
      x: a tensor, or what converts to one; of any dtype and shape.
      rank: the least rank, an int.
      message: what to say first in the error, a string; nothing unless told.
      name: not used.

    Raises:
      ValueError: where the known rank is less, or ``rank`` is no integer.
      InvalidArgumentError: where it turns out to be, when run.
    """
    rank = whole(rank, "the rank that is asserted", ValueError)
    expected = f"rank {rank} or more"
    return _check_rank(x, lambda r: r >= rank, expected, greater_equal, rank, message, name)


@public("debugging.assert_rank_in")
@told
def assert_rank_in(
    x: TensorLike, ranks: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Checks that ``x`` has one of several ranks; see ``assert_rank``.

    >>> fg.debugging.assert_rank_in([[1]], [1, 2])

    Args:
      x: a tensor, or what converts to one; of any dtype and shape.
      ranks: the ranks, a list of at most 255 ints.
      message: what to say first in the error, a string; nothing unless told.
      name: not used.

    Raises:
      ValueError: where the known rank is another, or ``ranks`` holds what is no integer, or too
        many.
      TypeError: where ``ranks`` is no list.
      InvalidArgumentError: where the rank turns out to be another, when run.
    """
    if not hasattr(ranks, "__iter__") or is_tensor(ranks):
        ranks = several(ranks, "assert_rank_in: ranks")
    ranks = [
        whole(rank, "a rank that is asserted", ValueError)
        for rank in islice(ranks, _MOST_RANKS + 1)
    ]
    if len(ranks) > _MOST_RANKS:
        raise ValueError(f"there are {_MOST_RANKS} ranks, more are given")
    expected = f"a rank among {ranks}"

    def among(rank, ranks):
        return emit("Any", (equal(rank, convert(ranks)), [0]), None, None)

    return _check_rank(x, lambda r: r in ranks, expected, among, ranks, message, name)


@public("debugging.assert_scalar")
def assert_scalar(
    tensor: TensorLike, message: str | None = None, name: str | None = None
) -> Tensor:
    """Checks that ``tensor`` has rank 0, as ``assert_rank`` does, and returns it.

    >>> fg.debugging.assert_scalar(3).numpy()
    np.int32(3)

    Args:
      tensor: a tensor, or what converts to one; of any dtype.
      message: what to say first in the error, a string; nothing unless told.
      name: not used.

    Returns:
      The tensor.

    Raises:
      ValueError: where the known rank is another.
      InvalidArgumentError: where it turns out to be, when run.
    """
    tensor = convert(tensor)
    assert_rank(tensor, 0, message, name)
    return tensor


def _check_rank(
    x: Any, fits: Any, expected: Any, compare: Any, wanted: Any, message: Any, name: Any
) -> Any:
    x = convert(x)
    rank = x.ndim
    if rank is None:
        rank = emit("Rank", (x,), None, None)
        return Assert(compare(rank, wanted), [_said(message), f"expected {expected}, got", rank])
    if not fits(rank):
        text = f"expected a tensor of {expected}, got shape {x.shape}"
        raise ValueError(_said(message, ": ") + text)
    return None


def _dtype_of(value: Any) -> DType:
    """The dtype of a tensor, or of the values of a ragged or sparse one."""
    return value.dtype if hasattr(type(value), "_component_list") else convert(value).dtype


@public("debugging.assert_type")
def assert_type(
    tensor: TensorLike, tf_type: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Checks the dtype of a tensor, at once.

    >>> fg.debugging.assert_type(fg.constant(1.0), fg.float32)

    Args:
      tensor: a tensor, a ragged or sparse one, or what converts to one; of any shape.
      tf_type: the dtype that it must have.
      message: what to say first in the error, a string; nothing unless told.
      name: not used.

    Raises:
      TypeError: where it is another.
    """
    found, expected = _dtype_of(tensor), as_dtype(tf_type)
    if found != expected:
        text = f"expected dtype {expected.name}, got {found.name}"
        raise TypeError(_said(message, ": ") + text)


@public("debugging.assert_integer")
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Checks that a tensor has an integer dtype, at once.

    >>> fg.debugging.assert_integer(fg.constant(1))

    Args:
      x: a tensor, a ragged or sparse one, or what converts to one; of any shape.
      message: what to say first in the error, a string; nothing unless told.
      name: not used.

    Raises:
      TypeError: where it has not.
    """
    dtype = _dtype_of(x)
    if not dtype.is_integer:
        text = f"expected an integer dtype, got {dtype.name}"
        raise TypeError(_said(message, ": ") + text)


@public("debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """Checks that all tensors have one floating dtype, and returns it.

    >>> fg.debugging.assert_same_float_dtype([fg.constant(1.0)])
    fg.float32

    Args:
      tensors: a list of tensors, ragged or sparse ones, or what converts to them; none unless told.
      dtype: the dtype that they must have; that of the first one unless told.

    Returns:
      The dtype; float32 where neither is given.

    Raises:
      ValueError: where they differ or are not floats.
      TypeError: where ``tensors`` is no list.
    """
    found = as_dtype(dtype) if dtype is not None else None
    listed = () if tensors is None else several(tensors, "assert_same_float_dtype: tensors")
    for tensor in listed:
        actual = _dtype_of(tensor)
        found = found or actual
        if actual != found:
            raise ValueError(f"expected dtype {found.name}, got {actual.name}")
    found = found or float32
    if not found.is_floating:
        raise ValueError(f"expected a floating dtype, got {found.name}")
    return found


@public("debugging.assert_proper_iterable")
@told
def assert_proper_iterable(values: TensorLike) -> Any:
    """Checks that ``values`` may be iterated over and is neither a string nor a tensor.

    >>> fg.debugging.assert_proper_iterable([fg.constant(1)])

    Args:
      values: anything.

    Raises:
      TypeError: where it is not.
    """
    if is_tensor(values) or isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"expected an iterable of tensors, got {type(values).__name__}")


@public("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: TensorLike = None,
    summarize: Any = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Checks the shapes of several tensors against patterns: at once where known, else when run.

    A pattern is a sequence with one entry for each axis: a size, None or ``"."`` for any size, or a
    name (a string) for one size in all patterns. An ``...`` or ``"*"`` first or last matches any
    number of axes; a pattern that is no sequence for a vector's one entry.

    >>> x, y = fg.zeros([2, 3]), fg.zeros([3])
    >>> fg.debugging.assert_shapes([(x, ("N", "D")), (y, ("D",))])

    Args:
      shapes: a list of pairs, or a dict, of tensor and pattern.
      data: what to show in the message.
      summarize: how many items of each tensor to show.
      message: what to say first.
      name: a name for the operation.

    Raises:
      ValueError: where what is known does not fit.
      InvalidArgumentError: where sizes turn out not to fit, when run.
    """
    sizes: dict[Any, Any] = {}
    for tensor, pattern in _pairs(shapes):
        tensor = convert(tensor)
        for axis, wanted in _axes_of(tensor, pattern, message):
            if wanted is None or wanted == ".":
                continue
            key = wanted if isinstance(wanted, str) and not wanted.isdigit() else None
            expected = sizes.get(key) if key else int(wanted)
            actual = tensor.shape.as_list()[axis] if tensor.ndim is not None else None
            if actual is None:
                actual = emit("Shape", (tensor,), None, None)[axis]
            if expected is None:
                sizes[key] = actual
            else:
                _check_size(expected, actual, f"axis {axis} of shape {tensor.shape}", message, data)


def _pairs(shapes: Any) -> list[Any]:
    """The pairs of tensor and pattern of a dict or a list."""
    if isinstance(shapes, dict):
        return list(shapes.items())
    pairs = several(shapes, "assert_shapes: shapes")
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(f"assert_shapes: shapes must be pairs of tensor and shape, got {pair}")
    return pairs


def _axes_of(tensor: Any, pattern: Any, message: Any) -> Any:
    """Pairs of axis and wanted size."""
    if hasattr(pattern, "as_list"):
        pattern = pattern.as_list()
    pattern = list(pattern) if isinstance(pattern, (list, tuple, str)) else [pattern]
    open_start = pattern[:1] and pattern[0] in (..., "*")
    open_end = pattern[:1] and not open_start and pattern[-1] in (..., "*")
    wanted = pattern[1:] if open_start else pattern[:-1] if open_end else pattern
    if open_start or open_end:
        assert_rank_at_least(tensor, len(wanted), message)
    else:
        assert_rank(tensor, len(wanted), message)
    first = -len(wanted) if open_start else 0
    return [(first + i, size) for i, size in enumerate(wanted)]


def _check_size(expected: Any, actual: Any, where: Any, message: Any, data: Any) -> Any:
    if isinstance(expected, int) and isinstance(actual, int):
        if expected != actual:
            text = f"{where} has size {actual}, expected {expected}"
            raise ValueError(_said(message, ": ") + text)
        return
    shown = [_said(message), f"{where} has size", actual, "expected", expected, *(data or [])]
    Assert(equal(actual, expected), shown)
