"""``compat``: conversion between bytes and strings."""

from __future__ import annotations

import os
from typing import Any

from ..ops._dispatch import told
from ..values.errors import shown
from ..values.public import public

__all__ = ["as_bytes", "as_str_any", "as_text", "path_to_str"]


@public("compat.as_bytes")
@told
def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """A string as bytes.

    >>> fg.compat.as_bytes("a"), fg.compat.as_bytes(b"a")
    (b'a', b'a')

    Args:
      bytes_or_text: a string, bytes or a bytearray.
      encoding: the encoding of the bytes, a string; ``"utf-8"`` by default.

    Returns:
      Bytes.

    Raises:
      TypeError: for what is no string.
      LookupError: for an unknown encoding.
      UnicodeEncodeError: where the encoding does not have a character.
    """
    if isinstance(bytes_or_text, (bytearray, bytes)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        try:
            return bytes_or_text.encode(encoding)
        except LookupError:
            raise _unknown(encoding) from None
    raise TypeError(f"expected bytes or text, got {shown(bytes_or_text)}")


@public("compat.as_text", "compat.as_str")
@told
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """A string as text.

    >>> fg.compat.as_text(b"a"), fg.compat.as_str("a")
    ('a', 'a')

    Args:
      bytes_or_text: a string, bytes or a bytearray.
      encoding: the encoding of the bytes, a string; ``"utf-8"`` by default.

    Returns:
      A string.

    Raises:
      TypeError: for what is no string.
      LookupError: for an unknown encoding.
      UnicodeDecodeError: where the bytes are not well formed.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, (bytearray, bytes)):
        try:
            return bytes(bytes_or_text).decode(encoding)
        except LookupError:
            raise _unknown(encoding) from None
    raise TypeError(f"expected bytes or text, got {shown(bytes_or_text)}")


def _unknown(encoding: str) -> LookupError:
    return LookupError(f"unknown encoding: {shown(encoding)}")


@public("compat.as_str_any")
@told
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, anything else as ``str`` gives it.

    >>> fg.compat.as_str_any(b"a"), fg.compat.as_str_any(1)
    ('a', '1')

    Args:
      value: any value.
      encoding: the encoding of bytes, a string; ``"utf-8"`` by default.

    Returns:
      A string.

    Raises:
      LookupError: for bytes and an unknown encoding.
      UnicodeDecodeError: where bytes are not well formed.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@public("compat.path_to_str")
def path_to_str(path: Any) -> Any:
    """A path as text; anything else as it is.

    >>> import pathlib
    >>> fg.compat.path_to_str(pathlib.PurePosixPath("a") / "b")
    'a/b'

    Args:
      path: a path object, or any value.

    Returns:
      A string for a path object, else path.
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path
