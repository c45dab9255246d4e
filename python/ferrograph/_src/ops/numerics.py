"""Checks for NaN and infinity in the results of operations."""

from __future__ import annotations

from ..native import _core
from ..values.public import public

__all__ = ["disable_check_numerics", "enable_check_numerics"]


@public("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Lets every operation of this thread that computes NaN or infinity raise, from now on.

    Eager operations raise at once. In functions that are traced from now on, a check stands behind
    each operation, and raises when the function is run; functions that were traced before have
    none, and those traced meanwhile keep theirs. Operations that only move or choose elements are
    not checked, nor are constants and arguments themselves.

    >>> fg.debugging.enable_check_numerics()
    >>> try:
    ...     fg.math.log([1.0, 0.0, -1.0])
    ... except fg.errors.InvalidArgumentError as e:
    ...     print("NaN elements: 1" in str(e), "Log" in str(e))
    ... finally:
    ...     fg.debugging.disable_check_numerics()
    True True

    Args:
      stack_height_limit: accepted; a message names the one line that made the operation.
      path_length_limit: accepted; a message names the file in full.
    """
    _core.check_numerics(True)


@public("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Ends what ``enable_check_numerics`` began in this thread.

    >>> fg.debugging.enable_check_numerics()
    >>> fg.debugging.disable_check_numerics()
    >>> fg.math.log([0.0]).numpy()
    array([-inf], dtype=float32)
    """
    _core.check_numerics(False)
