"""Strings as hashes and in other encodings; numbers in bytes and in lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..values.public import public
from ._base import Tensor, TensorLike, as_dtype, convert, emit, int32, string
from ._dispatch import dispatched, told
from ._numbers import int32_of, whole, wholes


@public("strings.to_hash_bucket", ragged="flat")
@dispatched
def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A hash of each string modulo the number of buckets.

    ``to_hash_bucket_fast`` is the better one for new programs: its hash is documented.

    >>> fg.strings.to_hash_bucket(["a", "b", "a"], 1000).numpy()
    array([868, 370, 868])

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      num_buckets: how many buckets there are, an int from 1 up.
      name: a name for the operation.

    Returns:
      An int64 tensor of the shape of ``input``.

    Raises:
      TypeError: where ``num_buckets`` is no integer.
      InvalidArgumentError: where it is below 1.
    """
    attrs = {"num_buckets": whole(num_buckets, "num_buckets")}
    return emit("StringToHashBucket", (convert(input, string),), attrs, name)


@public("strings.to_hash_bucket_fast", ragged="flat")
@dispatched
def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A hash of each string modulo the number of buckets: FarmHash's 64-bit fingerprint.

    It is the same in every process and on every machine, but strings that collide are easily found:
    where others choose the strings, take ``to_hash_bucket_strong``.

    >>> fg.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy()
    array([0, 2, 2])

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      num_buckets: how many buckets there are, an int from 1 up.
      name: a name for the operation.

    Returns:
      An int64 tensor of the shape of ``input``.

    Raises:
      TypeError: where ``num_buckets`` is no integer.
      InvalidArgumentError: where it is below 1.
    """
    attrs = {"num_buckets": whole(num_buckets, "num_buckets")}
    return emit("StringToHashBucketFast", (convert(input, string),), attrs, name)


@public("strings.to_hash_bucket_strong", ragged="flat")
@dispatched
def to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """A hash of each string modulo ``num_buckets``, as int64: SipHash under a key.

    >>> fg.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy()
    array([2, 0])

    Args:
      input: a tensor of strings.
      num_buckets: how many buckets there are.
      key: two integers, which others must not know.
      name: a name for the operation.
    """
    attrs = {"num_buckets": whole(num_buckets, "num_buckets"), "key": list(key)}
    return emit("StringToHashBucketStrong", (convert(input, string),), attrs, name)


@public("strings.unicode_script", ragged="flat")
@dispatched
def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """The script of each code point, by its number in ICU: 25 is Latin, 14 Greek, 17 Han.

    It is -1 for invalid code points, 103 for those without a script.

    >>> fg.strings.unicode_script([97, 945, 26085]).numpy()
    array([25, 14, 17], dtype=int32)

    Args:
      input: code points, a tensor of int32, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      An int32 tensor of the shape of ``input``.
    """
    return emit("UnicodeScript", (convert(input, int32),), None, name)


@public("strings.unicode_transcode", ragged="flat")
@dispatched
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Strings in another encoding.

    >>> fg.strings.unicode_transcode(["é"], "UTF-8", "UTF-16-BE").numpy()
    array([b'\\x00\\xe9'], dtype=object)

    Args:
      input: a tensor of strings.
      input_encoding: UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII or ISO-8859-1.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: "replace" for ``replacement_char`` in place of what is no character, "ignore" to
        leave it out, "strict" to refuse it.
      replacement_char: a code point.
      replace_control_characters: whether code points below 32 are replaced too.
      name: a name for the operation.
    """
    attrs = {
        "input_encoding": input_encoding,
        "output_encoding": output_encoding,
        "errors": errors,
        "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }
    return emit("UnicodeTranscode", (convert(input, string),), attrs, name)


@public("io.encode_base64", ragged="flat")
@dispatched
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in base64 of the alphabet that is safe in addresses of the web.

    >>> fg.io.encode_base64(["hello"], pad=True).numpy()
    array([b'aGVsbG8='], dtype=object)

    Args:
      input: a tensor of strings.
      pad: whether "=" fills up to whole groups of four.
      name: a name for the operation.
    """
    return emit("EncodeBase64", (convert(input, string),), {"pad": pad}, name)


@public("io.decode_base64", ragged="flat")
@dispatched
def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """The decoded strings of base64, with padding or without.

    >>> fg.io.decode_base64(["aGVsbG8"]).numpy()
    array([b'hello'], dtype=object)

    Args:
      input: a tensor of strings, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of strings of the shape of ``input``.

    Raises:
      InvalidArgumentError: where a string is no base64.
    """
    return emit("DecodeBase64", (convert(input, string),), None, name)


@public("io.decode_raw")
def decode_raw(
    input_bytes: TensorLike,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The bytes of strings as numbers, along a new last axis.

    >>> fg.io.decode_raw(b"\\x01\\x00\\x02\\x00", fg.int16).numpy()
    array([1, 2], dtype=int16)

    Args:
      input_bytes: a tensor of strings, all of one length.
      out_type: the dtype of the numbers.
      little_endian: whether the low byte of a number comes first.
      fixed_length: cut longer strings to so many bytes, fill shorter ones up with zeros.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where the strings are not of one length, or of no whole numbers.
    """
    attrs = {"out_type": as_dtype(out_type), "little_endian": little_endian}
    strings = convert(input_bytes, string)
    if fixed_length is None:
        return emit("DecodeRaw", (strings,), attrs, name)
    return emit("DecodePaddedRaw", (strings, int32_of(fixed_length)), attrs, name)


@public("io.decode_csv")
@told
def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Any]:
    """Lines of comma-separated values, as a tensor for each column.

    >>> x, y = fg.io.decode_csv(["1,a", ",b"], [[0], [""]])
    >>> x.numpy(), y.numpy()
    (array([1, 0], dtype=int32), array([b'a', b'b'], dtype=object))

    Args:
      records: a tensor of strings, a line each.
      record_defaults: for each column the default of an empty field, which has the dtype (float32,
        float64, int32, int64 or string); an empty tensor where the field must be there.
      field_delim: the byte between fields.
      use_quote_delim: whether quotes enclose fields.
      na_value: a string for a missing field, besides the empty one.
      select_cols: the numbers of the columns that are taken, rising; all unless told.
      name: a name for the operation.

    Returns:
      A tensor of the shape of ``records`` for each default.

    Raises:
      InvalidArgumentError: where a line is not well formed or has another number of fields, where
        a field is no number of its column's dtype, or is missing and has no default.
    """
    columns = [] if select_cols is None else wholes(select_cols, "decode_csv: select_cols")
    if columns != sorted(set(columns)):
        raise ValueError(f"select_cols must be strictly increasing, got {columns}")
    if columns and columns[0] < 0:
        raise ValueError(f"select_cols must not be negative, got {columns}")
    if columns and len(columns) != len(record_defaults):
        raise ValueError(
            f"select_cols names {len(columns)} columns, there are {len(record_defaults)} defaults"
        )
    attrs = {
        "field_delim": field_delim,
        "use_quote_delim": use_quote_delim,
        "na_value": na_value,
        "select_cols": columns,
    }
    inputs = [convert(records, string), *map(convert, record_defaults)]
    made = emit("DecodeCSV", inputs, attrs, name)
    return list(made) if isinstance(made, (list, tuple)) else [made]
