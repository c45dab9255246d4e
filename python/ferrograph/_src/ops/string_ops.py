"""Functions of string tensors."""

from __future__ import annotations

from typing import Any

from ..values.composite import CompositeTensor
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    as_list,
    convert,
    convert_all,
    dtype_or,
    emit,
    float32,
    int_vector,
    is_tensor,
    rank_of,
    string,
)
from ._dispatch import dispatched, told
from ._numbers import several
from ._templates import filled


@public("strings.as_string", "as_string", ragged="flat")
@dispatched
def as_string(
    input: TensorLike,
    precision: Any = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: Any = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers and bools written as strings.

    >>> fg.strings.as_string([3.1415926, 2.71828], precision=2).numpy()
    array([b'3.14', b'2.72'], dtype=object)

    Args:
      input: a tensor of numbers or bools.
      precision: digits after the point, where not negative; for floats.
      scientific: whether to write floats with an exponent.
      shortest: whether to write floats the shorter way, with an exponent or without.
      width: the least length of the strings.
      fill: what to fill up with, one character; a space unless told.
      name: a name for the operation.
    """
    attrs = {
        "precision": precision,
        "scientific": scientific,
        "shortest": shortest,
        "width": width,
        "fill": fill,
    }
    return emit("AsString", (input,), attrs, name)


@public("strings.join", ragged="flat")
@dispatched
def join(inputs: TensorLike, separator: str = "", name: str | None = None) -> Tensor:
    """Strings of several tensors joined element by element; scalars go with any shape.

    >>> fg.strings.join([["a", "b"], "!"]).numpy()
    array([b'a!', b'b!'], dtype=object)

    Args:
      inputs: a list of tensors of strings of one shape and of scalars, or a tensor, whose slices
        along the first axis are joined.
      separator: what to put between them, a string; nothing by default.
      name: a name for the operation.

    Returns:
      A tensor of strings of that shape; a scalar for an empty list.

    Raises:
      TypeError: where ``inputs`` is no list, or is of what are no strings.
      InvalidArgumentError: where shapes differ.
    """
    tensors = [convert(x, string) for x in several(inputs, "strings.join: inputs")]
    return emit("StringJoin", tensors, {"separator": separator}, name)


@public("strings.reduce_join")
@dispatched
def reduce_join(
    inputs: TensorLike,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings along axes joined, one axis after another.

    >>> fg.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy()
    array([b'ab', b'cd'], dtype=object)

    Args:
      inputs: a tensor of strings, or what converts to one; of any shape.
      axis: the axes to join along, an int or a list of them; negative ones count from the end. All
        of them in row order unless told.
      keepdims: whether these axes stay, with size 1, a bool; False by default.
      separator: what to put between strings, a string; nothing by default.
      name: a name for the operation.

    Returns:
      A tensor of strings, without these axes.

    Raises:
      InvalidArgumentError: for another dtype, and where an axis is outside of the rank.
    """
    inputs = convert(inputs)
    if axis is None:
        rank = rank_of(inputs)
        if is_tensor(rank):
            axis = emit("Range", (emit("Sub", (rank, 1), None, None), -1, -1), None, None)
        else:
            axis = list(range(rank - 1, -1, -1))
    attrs = {"keep_dims": keepdims, "separator": separator}
    return emit("ReduceJoin", (inputs, int_vector(axis)), attrs, name)


@public("strings.length", ragged="flat")
@dispatched
def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The lengths of strings.

    >>> fg.strings.length(["hello", "hé"]).numpy()
    array([5, 3], dtype=int32)

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      unit: "BYTE" (the default) or "UTF8_CHAR": what to count, bytes or characters.
      name: a name for the operation.

    Returns:
      An int32 tensor of the shape of ``input``.

    Raises:
      ValueError: for another unit.
      InvalidArgumentError: for another dtype.
    """
    return emit("StringLength", (input,), {"unit": unit}, name)


@public("strings.substr", ragged="flat")
@dispatched
def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """The part of each string that starts at ``pos`` and has this length, or less at its end.

    >>> fg.strings.substr(["hello", "world"], 1, 3).numpy()
    array([b'ell', b'orl'], dtype=object)

    Args:
      input: a tensor of strings.
      pos: where to start; negative ones count from the end. A scalar or of a shape that broadcasts.
      len: how much to take, of the same shape.
      unit: "BYTE" or "UTF8_CHAR".
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where ``pos`` is outside of a string.
    """
    pos, len = convert_all([pos, len])
    return emit("Substr", (input, pos, len), {"unit": unit}, name)


@public("strings.lower", ragged="flat")
@dispatched
def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in lower case.

    >>> fg.strings.lower("ABC").numpy()
    b'abc'

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      encoding: "" (the default) for ASCII letters alone, "utf-8" for all letters.
      name: a name for the operation.

    Returns:
      A tensor of strings of the shape of ``input``.

    Raises:
      ValueError: for another encoding.
      InvalidArgumentError: for another dtype, and for "utf-8" where a string is none of it.
    """
    return emit("StringLower", (input,), {"encoding": encoding}, name)


@public("strings.upper", ragged="flat")
@dispatched
def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in upper case.

    >>> fg.strings.upper("abc").numpy()
    b'ABC'

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      encoding: "" (the default) for ASCII letters alone, "utf-8" for all letters.
      name: a name for the operation.

    Returns:
      A tensor of strings of the shape of ``input``.

    Raises:
      ValueError: for another encoding.
      InvalidArgumentError: for another dtype, and for "utf-8" where a string is none of it.
    """
    return emit("StringUpper", (input,), {"encoding": encoding}, name)


@public("strings.strip", ragged="flat")
@dispatched
def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Strings without white space at both ends.

    >>> fg.strings.strip(" a b ").numpy()
    b'a b'

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of strings of the shape of ``input``.

    Raises:
      InvalidArgumentError: for another dtype.
    """
    return emit("StringStrip", (input,), None, name)


@public("strings.to_number", ragged="flat")
@dispatched
def to_number(input: TensorLike, out_type: Any = float32, name: str | None = None) -> Tensor:
    """The numbers that strings spell.

    >>> fg.strings.to_number(["1.5", "-2"]).numpy()
    array([ 1.5, -2. ], dtype=float32)

    Args:
      input: a tensor of strings.
      out_type: float32, float64, int32 or int64.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for a string that spells no such number.
    """
    return emit("StringToNumber", (input,), {"out_type": dtype_or(out_type, float32)}, name)


@public("strings.format")
@told
def format(
    template: Any,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: Any = 3,
    name: str | None = None,
) -> Tensor:
    """A template with each placeholder replaced by a tensor as ``fg.print`` shows it.

    >>> fg.strings.format("x: {}", fg.constant([1, 2])).numpy()
    b'x: [1 2]'

    Args:
      template: text.
      inputs: a tensor, or a list with one for each placeholder.
      placeholder: the placeholder of a tensor.
      summarize: how many items of each end of an axis to show, -1 for all.
      name: a name for the operation.

    Raises:
      TypeError: for a template that is no text.
      ValueError: where the number of tensors is another than that of the placeholders.
    """
    if not isinstance(template, str):
        raise TypeError(f"a template must be a str, got {type(template).__name__}")
    tensors = [x if _is_printed(x) else convert(x) for x in as_list(inputs)]
    if template.count(placeholder) != len(tensors):
        found = template.count(placeholder)
        raise ValueError(f"{shown(template)} has {found} placeholders, got {len(tensors)} tensors")
    return filled(template, placeholder, tensors, summarize, name)


def _is_printed(value: Any) -> Any:
    return isinstance(value, CompositeTensor) and value._is_printed


@public("strings.regex_full_match", ragged="flat")
@dispatched
def regex_full_match(input: TensorLike, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the whole of each string matches a regular expression.

    >>> fg.strings.regex_full_match(["abc", "ab1"], "[a-z]+").numpy()
    array([ True, False])

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      pattern: the expression, a string or a scalar tensor of one.
      name: a name for the operation.

    Returns:
      A tensor of bools of the shape of ``input``.

    Raises:
      InvalidArgumentError: for an expression that is none, and for another dtype.
    """
    if isinstance(pattern, (str, bytes)):
        return emit("StaticRegexFullMatch", (input,), {"pattern": pattern}, name)
    return emit("RegexFullMatch", (input, pattern), None, name)


@public("strings.regex_replace", ragged="flat")
@dispatched
def regex_replace(
    input: TensorLike,
    pattern: Any,
    rewrite: Any,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    """Each string with what matches a regular expression replaced; ``\\1`` is the first group.

    >>> fg.strings.regex_replace("a1b22", "[0-9]+", "<>").numpy()
    b'a<>b<>'

    Args:
      input: a tensor of strings.
      pattern: the expression.
      rewrite: what to put there.
      replace_global: whether to replace all matches, or the first alone.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: for an expression that is none.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        attrs = {"pattern": pattern, "rewrite": rewrite, "replace_global": replace_global}
        return emit("StaticRegexReplace", (input,), attrs, name)
    attrs = {"replace_global": replace_global}
    return emit("RegexReplace", (input, pattern, rewrite), attrs, name)


@public("strings.unsorted_segment_join")
def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings with each id joined in order; negative ids are dropped, empty segments are empty.

    >>> fg.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator="-").numpy()
    array([b'b', b'a-c'], dtype=object)

    Args:
      inputs: a tensor of strings, or what converts to one; of any shape.
      segment_ids: an id for each slice, a tensor of int32 or int64 whose shape is that of so many
        first axes of ``inputs``.
      num_segments: the number of segments, a scalar of int32 or int64.
      separator: what to put between strings, a string; nothing by default.
      name: a name for the operation.

    Returns:
      A tensor of strings, whose axes of ``segment_ids`` are one axis of size ``num_segments``.

    Raises:
      InvalidArgumentError: for an id that is not below ``num_segments``, for ids whose shape does
        not fit, and for other dtypes.
    """
    attrs = {"separator": separator}
    return emit("UnsortedSegmentJoin", (inputs, segment_ids, num_segments), attrs, name)
