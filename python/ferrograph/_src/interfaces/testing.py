"""Assertions for tests of programs."""

from __future__ import annotations

from typing import Any

from ..values import nest
from ..values.errors import shortened, shown
from ..values.public import public

__all__ = ["assert_allclose", "assert_equal"]


@public("testing.assert_allclose")
def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-6,
    atol: float = 1e-6,
    equal_nan: bool = True,
    err_msg: str = "",
) -> None:
    """Raise unless two structures are alike and their numbers nearly equal.

    Args:
      actual: tensors, variables, arrays, numbers, or a structure of these.
      desired: what they should be, in the same structure. Shapes must be equal.
      rtol: how far a number may be off, as a share of the desired one.
      atol: how far it may be off besides.
      equal_nan: whether NaN equals NaN.
      err_msg: what to add to the message.

    Raises:
      AssertionError: with the place in the structure, and NumPy's account of the difference.
      TypeError: for a tolerance that is no number.

    >>> fg.testing.assert_allclose(fg.constant([1.0, 2.0]) / 3.0, [0.333333, 0.666667])
    """
    import numpy

    rtol, atol = _tolerance("rtol", rtol), _tolerance("atol", atol)

    def check(a: Any, b: Any, message: str) -> None:
        numpy.testing.assert_equal(a.shape, b.shape, f"{message}: the shapes differ")
        numpy.testing.assert_allclose(a, b, rtol, atol, equal_nan, message)

    _compare(actual, desired, check, err_msg)


@public("testing.assert_equal")
def assert_equal(actual: Any, desired: Any, err_msg: str = "") -> None:
    """Raise unless two structures are alike and their values equal; NaN equals NaN.

    Args:
      actual: tensors, variables, arrays, numbers, strings, or a structure of these.
      desired: what they should be, in the same structure. Shapes must be equal.
      err_msg: what to add to the message.

    Raises:
      AssertionError: with the place in the structure, and NumPy's account of the difference.

    >>> fg.testing.assert_equal({"n": fg.constant([1, 2])}, {"n": [1, 2]})
    """
    import numpy

    def check(a: Any, b: Any, message: str) -> None:
        numpy.testing.assert_equal(a.shape, b.shape, f"{message}: the shapes differ")
        numpy.testing.assert_array_equal(a, b, message)

    _compare(actual, desired, check, err_msg)


def _tolerance(name: str, value: Any) -> float:
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"assert_allclose: {name} must be a number, got {shown(value)}")


def _compare(actual: Any, desired: Any, check: Any, message: str, path: str = "") -> None:
    """Check the leaves of two structures. A list of numbers may stand where a tensor is."""
    import numpy

    where = f"{message or 'not equal'}{f' at {path}' if path else ''}"
    if isinstance(actual, dict):
        if not isinstance(desired, dict) or actual.keys() != desired.keys():
            raise AssertionError(
                f"{where}: {shown(actual)} and {shown(desired)} have different keys"
            )
        for key in actual:
            _compare(actual[key], desired[key], check, message, f"{path}[{key!r}]")
    elif isinstance(actual, (list, tuple)) and nest.is_nested(desired):
        if not isinstance(desired, (list, tuple)) or len(actual) != len(desired):
            raise AssertionError(
                f"{where}: {shown(actual)} and {shown(desired)} have different lengths"
            )
        for i, (a, b) in enumerate(zip(actual, desired, strict=True)):
            _compare(a, b, check, message, f"{path}[{i}]")
    else:
        try:
            check(numpy.asarray(_value(actual)), numpy.asarray(_value(desired)), where)
        except AssertionError as e:
            raise AssertionError(shortened(str(e))) from None


def _value(leaf: Any) -> Any:
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf
