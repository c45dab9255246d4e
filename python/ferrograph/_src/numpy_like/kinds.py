"""Dtypes, their limits and promotion, and constants, as NumPy names them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..native import _core
from ..ops._dispatch import told
from ..values.dtypes import as_dtype
from ..values.public import public
from . import lattice
from .promotion import array, dtype_of, promoted

__all__: list[str] = []

e, pi, inf, newaxis = math.e, math.pi, math.inf, None
bool_, int_, float_, complex_ = np.bool_, np.int64, np.float64, np.complex128
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64 = np.float16, np.float32, np.float64
complex64, complex128 = np.complex64, np.complex128
object_, string_, unicode_ = np.object_, np.bytes_, np.str_
inexact, issubdtype = np.inexact, np.issubdtype
ndarray = _core.Tensor

# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "e": ("experimental.numpy.e",),
    "pi": ("experimental.numpy.pi",),
    "inf": ("experimental.numpy.inf",),
    "newaxis": ("experimental.numpy.newaxis",),
    "bool_": ("experimental.numpy.bool_",),
    "int_": ("experimental.numpy.int_",),
    "float_": ("experimental.numpy.float_",),
    "complex_": ("experimental.numpy.complex_",),
    "int8": ("experimental.numpy.int8",),
    "int16": ("experimental.numpy.int16",),
    "int32": ("experimental.numpy.int32",),
    "int64": ("experimental.numpy.int64",),
    "uint8": ("experimental.numpy.uint8",),
    "uint16": ("experimental.numpy.uint16",),
    "uint32": ("experimental.numpy.uint32",),
    "uint64": ("experimental.numpy.uint64",),
    "float16": ("experimental.numpy.float16",),
    "float32": ("experimental.numpy.float32",),
    "float64": ("experimental.numpy.float64",),
    "complex64": ("experimental.numpy.complex64",),
    "complex128": ("experimental.numpy.complex128",),
    "object_": ("experimental.numpy.object_",),
    "string_": ("experimental.numpy.string_",),
    "unicode_": ("experimental.numpy.unicode_",),
    "inexact": ("experimental.numpy.inexact",),
    "issubdtype": ("experimental.numpy.issubdtype",),
    "ndarray": ("experimental.numpy.ndarray",),
}


@public("experimental.numpy.finfo")
@told
def finfo(dtype: Any) -> Any:
    """The limits of a floating point dtype, as NumPy tells them.

    >>> float(fg.experimental.numpy.finfo(fg.float32).eps)
    1.1920928955078125e-07

    Args:
      dtype: a dtype, or what NumPy reads as one, such as a name.

    Returns:
      A ``numpy.finfo``.

    Raises:
      ValueError: for another dtype.
      TypeError: for what is no dtype.
    """
    return np.finfo(_numpy_dtype(dtype))


@public("experimental.numpy.iinfo")
@told
def iinfo(dtype: Any) -> Any:
    """The limits of an integer dtype, as NumPy tells them.

    >>> fg.experimental.numpy.iinfo(fg.int8).max
    127

    Args:
      dtype: a dtype, or what NumPy reads as one, such as a name.

    Returns:
      A ``numpy.iinfo``.

    Raises:
      ValueError: for another dtype.
      TypeError: for what is no dtype.
    """
    return np.iinfo(_numpy_dtype(dtype))


@public("experimental.numpy.promote_types")
@told
def promote_types(type1: Any, type2: Any) -> Any:
    """The dtype that NumPy gives values of two dtypes together.

    >>> fg.experimental.numpy.promote_types("int32", "float32")
    fg.float64

    Args:
      type1, type2: dtypes, or what NumPy reads as such, such as names.

    Returns:
      A dtype.

    Raises:
      TypeError: for what is no dtype.
    """
    return as_dtype(np.promote_types(_numpy_dtype(type1), _numpy_dtype(type2)))


@public("experimental.numpy.result_type")
def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that values and dtypes have together.

    >>> fg.experimental.numpy.result_type(1, 2.0)
    fg.float64

    Args:
      *arrays_and_dtypes: tensors, what converts to such, and dtypes or their names; one at least.

    Returns:
      A dtype.

    Raises:
      ValueError: where there are none.
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type needs a value or a dtype")
    if lattice.mode() in lattice.MODES and (found := lattice.joined(*arrays_and_dtypes)):
        return found[0]
    made = [_of_dtype(v) for v in arrays_and_dtypes]
    return promoted(*made)[0].dtype


def _of_dtype(value: Any) -> Any:
    """A value of a dtype, where that is what is given."""
    is_dtype = isinstance(value, (type, np.dtype, str)) or hasattr(value, "as_numpy_dtype")
    return array(0, _numpy_dtype(value)) if is_dtype else value


def _numpy_dtype(dtype: Any) -> Any:
    return dtype_of(dtype)
