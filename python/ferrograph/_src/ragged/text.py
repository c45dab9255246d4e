"""Strings split into rows: words, characters, code points, n-grams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..ops._base import convert, emit
from ..ops._dispatch import told
from ..ops._numbers import several, whole
from ..ops._ranks import of_rank
from ..values import constants, dtypes
from ..values.errors import shown
from ..values.public import public
from .tensor import RaggedTensor, is_ragged

__all__ = ["bytes_split", "ngrams", "split", "unicode_decode", "unicode_encode", "unicode_split"]


def _each(input: Any, rows_of: Callable[..., Any]) -> Any:
    """What ``rows_of`` makes of the strings, whatever their rank: it takes a vector of them.

    ``rows_of`` gives ragged rows, or several tensors of such; those of one string are vectors.
    """
    if is_ragged(input):
        inner = _each(input.flat_values, rows_of)
        return _over(inner, input.with_flat_values)
    input = convert(input, dtypes.string)
    # Strings of unknown rank are a vector, as the ragged rank of what comes out says.
    input = of_rank(input, 1)
    rank = input.shape.rank
    if rank == 0:
        return _over(rows_of(ops.reshape(input, [1])), lambda rows: rows.values)
    if rank == 1:
        return rows_of(input)
    nested = RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
    return _over(rows_of(nested.flat_values), nested.with_flat_values)


def _over(rows: Any, wrap: Callable[..., Any]) -> Any:
    return tuple(map(wrap, rows)) if isinstance(rows, tuple) else wrap(rows)


def _of_sparse(indices: Any, values: Any, shape: Any) -> RaggedTensor:
    return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)


@public("strings.split")
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of each string between separators, as a ragged tensor.

    As ``str.split`` of Python: without a separator, runs of white space separate, and none stands
    at the ends; with one, empty parts count.

    >>> fg.strings.split(["a b  c", ""])
    <fg.RaggedTensor [[b'a', b'b', b'c'], []]>
    >>> fg.strings.split("a,,b", sep=",").numpy()
    array([b'a', b'', b'b'], dtype=object)

    Args:
      input: strings, a tensor of known rank or a ragged one.
      sep: what separates; white space where None or empty.
      maxsplit: at most so many cuts a string; all where negative.
      name: a name for the operation.

    Returns:
      A ragged tensor with one axis more, a vector for a single string.
    """
    sep = convert("" if sep is None else sep, dtypes.string)
    attrs = {"maxsplit": maxsplit}
    return _each(input, lambda v: _of_sparse(*emit("StringSplitV2", (v, sep), attrs, name)))


@public("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """The single bytes of each string, as a ragged tensor.

    >>> fg.strings.bytes_split(["hi", ""])
    <fg.RaggedTensor [[b'h', b'i'], []]>

    Args:
      input: strings, a tensor or a ragged one, or what converts to one.
      name: a name for the operation.

    Returns:
      Strings of one byte, one axis more than input has: a ``RaggedTensor``, a vector for a scalar.

    Raises:
      TypeError: for what is no string.
    """
    attrs = {"skip_empty": False}
    return _each(input, lambda v: _of_sparse(*emit("StringSplit", (v, ""), attrs, name)))


def _policy(errors: str, replacement_char: int) -> dict[Any, Any]:
    return {"errors": errors, "replacement_char": replacement_char}


def _decoded(strings: Any, attrs: dict[Any, Any], name: str | None) -> RaggedTensor:
    splits, points = emit("UnicodeDecode", (strings,), attrs, name)
    return RaggedTensor.from_row_splits(points, splits, validate=False)


def _decoding(
    encoding: str, errors: str, replacement: int, replaces_control: bool
) -> dict[Any, Any]:
    """The attributes of an operation that decodes."""
    return {
        "input_encoding": encoding,
        "replace_control_characters": replaces_control,
        **_policy(errors, replacement),
    }


def _decoded_with_offsets(strings: Any, attrs: dict[Any, Any], name: str | None) -> tuple[Any, ...]:
    splits, *parts = emit("UnicodeDecodeWithOffsets", (strings,), attrs, name)
    points, starts = (RaggedTensor.from_row_splits(p, splits, validate=False) for p in parts)
    return points, starts


@public("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string, as a ragged tensor of int32.

    >>> fg.strings.unicode_decode(["aé", ""], "UTF-8")
    <fg.RaggedTensor [[97, 233], []]>

    Args:
      input: strings, a tensor of known rank or a ragged one.
      input_encoding: UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII or ISO-8859-1.
      errors: "replace" for ``replacement_char`` in place of what is no character, "ignore" to
        leave it out, "strict" to refuse it.
      replacement_char: a code point.
      replace_control_characters: whether code points below 32 are replaced too.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the encoding is not known, or a string is not well formed and
        ``errors`` is "strict".
    """
    attrs = _decoding(input_encoding, errors, replacement_char, replace_control_characters)
    return _each(input, lambda v: _decoded(v, attrs, name))


@public("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string, and the byte at which each of them starts.

    >>> points, starts = fg.strings.unicode_decode_with_offsets(["éa"], "UTF-8")
    >>> points, starts
    (<fg.RaggedTensor [[233, 97]]>, <fg.RaggedTensor [[0, 2]]>)

    Args:
      input: strings, a tensor of known rank or a ragged one.
      input_encoding: UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII or ISO-8859-1.
      errors: "replace", the default, for replacement_char in place of what is no character,
        "ignore" to leave it out, "strict" to refuse it.
      replacement_char: a code point, an int; 65533 by default.
      replace_control_characters: a bool, whether code points below 32 are replaced too; False by
        default.
      name: a name for the operation.

    Returns:
      A pair of code points in int32 and offsets in int64, each a ``RaggedTensor`` of one axis more
        than input has; vectors for a scalar.

    Raises:
      InvalidArgumentError: where the encoding is not known, or a string is not well formed and
        errors is "strict".
      ValueError: for other errors.
    """
    attrs = _decoding(input_encoding, errors, replacement_char, replace_control_characters)
    return _each(input, lambda v: _decoded_with_offsets(v, attrs, name))


def _characters(points: RaggedTensor, encoding: str) -> RaggedTensor:
    """Each code point as a string of its own; replacements are made already."""
    flat = points.values
    splits = ops.range(ops.size(flat, dtypes.int64) + 1)
    attrs = {"output_encoding": encoding, "errors": "replace"}
    return points.with_values(emit("UnicodeEncode", (flat, splits), attrs, None))


@public("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The characters of each string, in the encoding they came in, as a ragged tensor.

    >>> fg.strings.unicode_split(["aé"], "UTF-8")
    <fg.RaggedTensor [[b'a', b'\\xc3\\xa9']]>

    Args:
      input: strings, a tensor of known rank or a ragged one.
      input_encoding: UTF-8, UTF-16-BE or UTF-32-BE.
      errors: "replace", "ignore" or "strict": what becomes of bytes that are no character.
      replacement_char: a code point.
      name: a name for the operation.
    """
    attrs = {"input_encoding": input_encoding, **_policy(errors, replacement_char)}
    return _each(input, lambda v: _characters(_decoded(v, attrs, name), input_encoding))


@public("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The characters of each string, and the byte at which each of them starts.

    >>> chars, starts = fg.strings.unicode_split_with_offsets("éa", "UTF-8")
    >>> starts.numpy()
    array([0, 2])

    Args:
      input: strings, a tensor of known rank or a ragged one.
      input_encoding: UTF-8, UTF-16-BE or UTF-32-BE.
      errors: "replace", the default, for replacement_char in place of what is no character,
        "ignore" to leave it out, "strict" to refuse it.
      replacement_char: a code point, an int; 65533 by default.
      name: a name for the operation.

    Returns:
      A pair of strings of one character and offsets in int64, each a ``RaggedTensor`` of one axis
        more than input has; vectors for a scalar.

    Raises:
      InvalidArgumentError: where the encoding is not known, or a string is not well formed and
        errors is "strict".
      ValueError: for other errors.
    """
    attrs = {"input_encoding": input_encoding, **_policy(errors, replacement_char)}

    def split_rows(strings: Any) -> tuple[Any, ...]:
        points, starts = _decoded_with_offsets(strings, attrs, name)
        return _characters(points, input_encoding), starts

    return _each(input, split_rows)


@public("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The strings encoded by rows of code points.

    >>> fg.strings.unicode_encode([[97, 98], [233, 33]], "UTF-8").numpy()
    array([b'ab', b'\\xc3\\xa9!'], dtype=object)

    Args:
      input: int32 code points of rank 1 or more, dense or ragged; the last axis is joined.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: "replace", "ignore" or "strict": what becomes of numbers that are no character.
      replacement_char: a code point.
      name: a name for the operation.
    """
    attrs = {"output_encoding": output_encoding, **_policy(errors, replacement_char)}
    if not is_ragged(input):
        return _encode_dense(convert(input, dtypes.int32), attrs, name)
    if is_ragged(input.values) or input.values.shape.rank != 1:
        inner = unicode_encode(input.values, output_encoding, errors, replacement_char, name)
        return input.with_values(inner)
    return emit("UnicodeEncode", (input.values, input.row_splits), attrs, name)


def _encode_dense(points: Any, attrs: dict[Any, Any], name: str | None) -> Any:
    rank = points.shape.rank
    if rank is None or rank == 0:
        raise ValueError(f"input must have a known rank of 1 at least, got shape {points.shape}")
    sizes = ops.shape(points, dtypes.int64)
    flat = ops.reshape(points, [-1])
    lead = sizes[:-1]
    rows = ops.range(ops.reduce_prod(lead) + 1) * sizes[-1]
    return ops.reshape(emit("UnicodeEncode", (flat, rows), attrs, name), lead)


@public("strings.ngrams")
@told
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str | bytes = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """The runs of ``ngram_width`` consecutive strings along the last axis, joined.

    >>> fg.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)

    Args:
      data: strings of rank 1 or more, dense or ragged.
      ngram_width: how long the runs are, or several lengths, whose runs follow one another.
      separator: what stands between.
      pad_values: what is put at the ends of each row, or a tuple of what stands left and right.
      padding_width: how often; one less than the length unless told, which is the most.
      preserve_short_sequences: whether a row too short for any run gives one of all it has.
      name: a name for the operation.

    Returns:
      Strings of the same rank, ragged where ``data`` is.
    """
    left, right = _pads(pad_values)
    if padding_width is not None and pad_values is None:
        raise ValueError("padding_width needs pad_values")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0, got {padding_width}")
    what = "strings.ngrams: ngram_width"
    is_one = not isinstance(ngram_width, (list, tuple)) and not getattr(ngram_width, "ndim", 0)
    widths = [whole(n, what) for n in ([ngram_width] if is_one else several(ngram_width, what))]
    if any(width < 1 for width in widths):
        raise ValueError(f"all ngram_widths must be greater than 0, got {ngram_width}")
    padding = 0 if pad_values is None else -1 if padding_width is None else padding_width
    attrs = {
        "separator": separator,
        "ngram_widths": widths,
        "left_pad": left,
        "right_pad": right,
        "pad_width": padding,
        "preserve_short_sequences": preserve_short_sequences,
    }
    if is_ragged(data):
        return _ngrams_of_rows(data, attrs, name)
    data = convert(data, dtypes.string)
    rank = data.shape.rank
    if rank is None or rank == 0:
        raise ValueError(f"data must have a known rank of 1 at least, got shape {data.shape}")
    if rank == 1:
        ends = ops.stack([constants.constant(0, dtypes.int64), ops.size(data, dtypes.int64)])
        return emit("StringNGrams", (data, ends), attrs, name)[0]
    rows = _ngrams_of_rows(RaggedTensor.from_tensor(data, ragged_rank=rank - 1), attrs, name)
    return rows.to_tensor("")


def _pads(pad_values: Any) -> tuple[Any, ...]:
    match pad_values:
        case None:
            return "", ""
        case str() | bytes():
            return pad_values, pad_values
        case tuple() | list() if len(pad_values) == 2:
            return tuple(pad_values)
    raise TypeError(f"pad_values must be a string, two of them, or None, got {shown(pad_values)}")


def _ngrams_of_rows(data: RaggedTensor, attrs: dict[Any, Any], name: str | None) -> RaggedTensor:
    if is_ragged(data.values):
        return data.with_values(_ngrams_of_rows(data.values, attrs, name))
    runs, splits = emit("StringNGrams", (data.values, data.row_splits), attrs, name)
    return RaggedTensor.from_row_splits(runs, splits, validate=False)
