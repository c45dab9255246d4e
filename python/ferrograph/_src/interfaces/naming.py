"""What texts call the package."""

from __future__ import annotations

from ..native import FG, _core
from ..values.errors import shown
from ..values.public import public

__all__ = ["get_printed_name", "set_printed_name"]


_LONGEST = 40


@public("config.get_printed_name")
def get_printed_name() -> str:
    """What printed values and messages call the package: ``"fg"`` unless it was set.

    >>> fg.config.get_printed_name()
    'fg'
    >>> fg.float32
    fg.float32

    Returns:
      A string.
    """
    return str(FG)


@public("config.set_printed_name")
def set_printed_name(name: str) -> None:
    """Set what printed values and messages call the package, in the whole process.

    For programs that import it under another name, so that what they print, and what an error tells
    them to write, is what their source says. ``as_tensorflow`` sets ``"tf"``.

    >>> fg.config.set_printed_name("tf")
    >>> fg.float32
    tf.float32
    >>> print(fg.constant(1))
    tf.Tensor(1, shape=(), dtype=int32)
    >>> fg.config.set_printed_name("fg")

    Args:
      name: the name, a string of at most 40 characters that may be a name in Python, such as
        ``"fg"`` or ``"tf"``.

    Raises:
      TypeError: where it is no string.
      ValueError: where it is longer, or no name in Python.
    """
    if not isinstance(name, str):
        raise TypeError(f"argument 'name' of set_printed_name must be a string, got {shown(name)}")
    if not name.isidentifier() or len(name) > _LONGEST:
        raise ValueError(
            f"argument 'name' of set_printed_name must be a name in Python of at most {_LONGEST} "
            f"characters, got {shown(name)}"
        )
    _core.set_printed_name(name)
