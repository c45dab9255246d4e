"""Files read and written whole, and tensors as bytes."""

from __future__ import annotations

import os
from typing import Any

from ..values.public import public
from ._base import Tensor, TensorLike, as_dtype, convert, emit, string

__all__ = [
    "decode_compressed",
    "decode_json_example",
    "matching_files",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "write_file",
]


def _named(path: Any) -> Tensor:
    """Names of files as strings."""
    return convert(os.fspath(path) if isinstance(path, os.PathLike) else path, string)


@public("io.read_file")
def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The contents of a file, as a scalar string.

    In a function the file is read by each call.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "greeting")
    >>> fg.io.write_file(path, "hello")
    >>> fg.io.read_file(path).numpy()
    b'hello'

    Args:
      filename: the name of the file, a scalar.
      name: a name for the operation.

    Raises:
      NotFoundError: where there is no such file.
    """
    return emit("ReadFile", (_named(filename),), None, name)


@public("io.write_file")
def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> None:
    """Makes a file hold these bytes and nothing else; folders that it is to lie in are made.

    In a function the file is written by each call, in the order of the program.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "greeting")
    >>> fg.io.write_file(path, "hello")
    >>> open(path).read()
    'hello'

    Args:
      filename: the name of the file, a scalar.
      contents: the bytes, a scalar string.
      name: a name for the operation.
    """
    emit("WriteFile", (_named(filename), convert(contents, string)), None, name)


@public("io.matching_files")
def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that fit a pattern, or one of several, sorted.

    ``*`` matches any characters of a name, ``?`` one, ``[a-z]`` one of these.

    >>> import tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> for name in ("a1", "a2", "b1"):
    ...     fg.io.write_file(os.path.join(folder, name), "")
    >>> [os.path.basename(f) for f in fg.io.matching_files(os.path.join(folder, "a*")).numpy()]
    [b'a1', b'a2']

    Args:
      pattern: a scalar or a vector of patterns.
      name: a name for the operation.
    """
    return emit("MatchingFiles", (_named(pattern),), None, name)


@public("io.serialize_tensor")
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as bytes: the ``TensorProto`` of its dtype, shape and elements, serialised.

    >>> text = fg.io.serialize_tensor(fg.constant([1, 2]))
    >>> fg.io.parse_tensor(text, fg.int32).numpy()
    array([1, 2], dtype=int32)

    Args:
      tensor: a tensor, or what converts to one; of any dtype and shape.
      name: a name for the operation.

    Returns:
      A scalar string.
    """
    return emit("SerializeTensor", (convert(tensor),), None, name)


@public("io.parse_tensor")
def parse_tensor(serialized: TensorLike, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor whose serialised ``TensorProto`` these bytes are.

    >>> fg.io.parse_tensor(fg.io.serialize_tensor([[1.5]]), fg.float32).numpy()
    array([[1.5]], dtype=float32)

    Args:
      serialized: the bytes, a scalar string.
      out_type: the dtype that the tensor must have.
      name: a name for the operation.

    Raises:
      InvalidArgumentError: where they are no such message, or the tensor has another dtype.
    """
    attrs = {"out_type": as_dtype(out_type)}
    return emit("ParseTensor", (convert(serialized, string),), attrs, name)


@public("io.decode_compressed")
def decode_compressed(
    bytes: TensorLike, compression_type: str = "", name: str | None = None
) -> Tensor:
    """The compressed strings, decompressed.

    >>> import zlib
    >>> fg.io.decode_compressed(zlib.compress(b"hello"), "ZLIB").numpy()
    b'hello'

    Args:
      bytes: a tensor of strings.
      compression_type: "GZIP", "ZLIB", or empty for strings that are not compressed.
      name: a name for the operation.

    Raises:
      DataLossError: where a string is damaged.
    """
    attrs = {"compression_type": compression_type}
    return emit("DecodeCompressed", (convert(bytes, string),), attrs, name)


@public("io.decode_json_example")
def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Examples in the JSON form of protocol buffers as serialised messages.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": [3]}}}}}'
    >>> example = fg.io.decode_json_example(text)
    >>> int(fg.io.parse_single_example(example, {"a": fg.io.FixedLenFeature([], fg.int64)})["a"])
    3

    Args:
      json_examples: a tensor of strings, or what converts to one; of any shape.
      name: a name for the operation.

    Returns:
      A tensor of strings of the shape of ``json_examples``.

    Raises:
      InvalidArgumentError: where a string is no such JSON.
    """
    return emit("DecodeJSONExample", (convert(json_examples, string),), None, name)
