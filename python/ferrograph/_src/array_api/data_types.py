"""Dtypes and constants of the namespace, their limits and promotion, and what it says of itself."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import ops
from ..numpy_like import promotion
from ..values import dtypes
from ..values.dtypes import DType, as_dtype
from ..values.errors import shown
from ..values.public import public
from . import arrays
from .arrays import check_device

__all__ = [
    *("astype", "bool", "can_cast", "complex64", "complex128", "e", "finfo", "float32", "float64"),
    *("iinfo", "inf", "int8", "int16", "int32", "int64", "isdtype", "nan", "pi"),
    *("result_type", "uint8", "uint16", "uint32", "uint64"),
]

e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None
bool, complex64, complex128 = dtypes.bool, dtypes.complex64, dtypes.complex128
float32, float64 = dtypes.float32, dtypes.float64
int8, int16, int32, int64 = dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64
uint8, uint16, uint32, uint64 = dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64

__array_api_version__ = "2025.12"

PUBLIC = {
    "__array_api_version__": ("array_api.__array_api_version__",),
    "newaxis": ("array_api.newaxis",),
}

# The dtypes of the standard, by the names of their kinds.
_KINDS: dict[str, tuple[Any, ...]] = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class FloatLimits(NamedTuple):
    """The limits of a floating dtype; of complex numbers, those of their parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


class IntegerLimits(NamedTuple):
    """The limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Any


def finfo(type: Any, /) -> FloatLimits:
    """The limits of a floating dtype, or of the dtype of an array.

    Raises:
      ValueError: for another dtype.
    """
    dtype = arrays.real_dtype(_dtype_of(type))
    if not dtype.is_floating:
        raise ValueError(f"finfo takes a floating dtype, got {dtype.name}")
    found = np.finfo(dtype.as_numpy_dtype)
    eps, most, least = float(found.eps), float(found.max), float(found.min)
    return FloatLimits(int(found.bits), eps, most, least, float(found.smallest_normal), dtype)


def iinfo(type: Any, /) -> IntegerLimits:
    """The limits of an integer dtype, or of the dtype of an array.

    Raises:
      ValueError: for another dtype.
    """
    dtype = _dtype_of(type)
    if not dtype.is_integer:
        raise ValueError(f"iinfo takes an integer dtype, got {dtype.name}")
    found = np.iinfo(dtype.as_numpy_dtype)
    return IntegerLimits(int(found.bits), int(found.max), int(found.min), dtype)


def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether a dtype is of a kind: a dtype, the name of a kind, or a tuple of such.

    Raises:
      ValueError: for the name of no kind.
    """
    dtype = as_dtype(dtype)
    return any(_is_of(dtype, k) for k in (kind if isinstance(kind, tuple) else (kind,)))


def _is_of(dtype: Any, kind: Any) -> Any:
    if not isinstance(kind, str):
        return dtype == as_dtype(kind)
    if kind not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, _KINDS))}, got {shown(kind)}")
    return dtype in _KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that arrays, dtypes and Python numbers have together.

    Raises:
      ValueError: where there is none of them.
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type needs an array or a dtype")
    return as_dtype(promotion.joint_dtype(*arrays_and_dtypes))


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether values of a dtype, or of an array's, go to another one without loss of their kind."""
    origin, target = _dtype_of(from_), as_dtype(to)
    return np.can_cast(origin.as_numpy_dtype, target.as_numpy_dtype)


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    """The elements in another dtype.

    Raises:
      TypeError: for complex numbers in a real dtype.
    """
    check_device(device)
    x, dtype = arrays.array(x), as_dtype(dtype)
    if x.dtype.is_complex and not (dtype.is_complex or dtype.is_bool):
        raise TypeError(
            f"astype does not drop imaginary parts: take real() of {x.dtype.name} before"
        )
    return x if x.dtype == dtype else ops.cast(x, dtype)


def _dtype_of(value: Any) -> Any:
    """A dtype, or that of an array."""
    return as_dtype(value.dtype if hasattr(value, "shape") else value)


class Info:
    """What the namespace says of its abilities, devices and dtypes."""

    def capabilities(self) -> dict[str, Any]:
        """What arrays can: masks as keys, shapes that depend on data, ranks of any size."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": None,
        }

    def default_device(self) -> str:
        """Where arrays are made."""
        return arrays.DEVICE

    def devices(self) -> tuple[str, ...]:
        """Where arrays can be."""
        return (arrays.DEVICE,)

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes that arrays of Python numbers have, and those of indices."""
        check_device(device)
        return {
            "real floating": float64,
            "complex floating": complex128,
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The dtypes by name: of a kind, of several, or all."""
        check_device(device)
        kinds: Iterable[str] = (
            _KINDS if kind is None else (kind,) if isinstance(kind, str) else kind
        )
        every = (*_KINDS["bool"], *_KINDS["numeric"])
        return {d.name: d for d in every if isdtype(d, tuple(kinds))}


@public("array_api.__array_namespace_info__")
def __array_namespace_info__() -> Info:
    """What the namespace of the array API standard says of its abilities, devices and dtypes.

    >>> fg.array_api.__array_namespace_info__().default_dtypes()["integral"]
    fg.int64

    Returns:
      An object with the methods ``capabilities``, ``default_device``, ``default_dtypes``,
        ``devices`` and ``dtypes``.
    """
    return Info()
