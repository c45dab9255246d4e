"""File names, matched once."""

from __future__ import annotations

from typing import Any

from ..ops.files import matching_files
from ..state.variable import Variable
from ..values.public import public

__all__ = ["match_filenames_once"]


@public("io.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """A variable of the names of the files that fit a pattern, or one of several, now.

    >>> import tempfile
    >>> fg.io.match_filenames_once(tempfile.mkdtemp() + "/*").shape
    TensorShape([0])

    Args:
      pattern: a pattern, or a vector of them.
      name: the name of the variable.
    """
    return Variable(matching_files(pattern), trainable=False, name=name)
