"""Tensors that behave as NumPy arrays do: operators that promote, indexing, methods."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..native import _core
from ..numpy_like import arrangement, elementwise, lattice, promotion, reductions, shapes
from ..numpy_like.indexing import is_advanced, picked
from ..ops import arithmetic
from ..state.variable import Variable
from ..values.composite import CompositeTensor
from ..values.errors import shown
from ..values.public import public
from .changes import Changes
from .weak_functions import let_dtypes_be_weak
from .weak_tensors import WeakTensor, plain, unary

__all__ = ["experimental_enable_numpy_behavior"]

_SYMMETRIC = ("lt", "le", "eq", "ne", "gt", "ge")
_ARITHMETIC = ("add", "sub", "mul", "mod", "pow", "and", "xor", "or", "floordiv", "truediv")
_MODES = ("off", "legacy", *lattice.MODES)
_enabled: list[str] = []
_changes = Changes()


@public("experimental.numpy.experimental_enable_numpy_behavior")
def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Lets tensors behave as NumPy arrays from now on, in the whole program.

    Another call with another mode takes the place of the first; functions keep what they traced.

    Operators take operands of two dtypes to the one that NumPy gives them, ``tensor[key]`` takes
    lists, arrays and tensors of indices and masks along any axis, and tensors have ``T``,
    ``reshape``, ``transpose``, ``ravel``, ``flatten``, ``astype``, ``clip``, ``max``, ``min``,
    ``mean``, ``data``, ``size`` and ``tolist``. Functions such as ``fg.add`` stay as they are.

    In the modes "safe" and "all" operators, and functions such as ``fg.add``, bring operands
    together by rules of their own, the same on all devices: int32 and float32 give float32. Tensors
    made of Python scalars have a weak type, such as ``fg.constant(2)``: such a tensor prints
    ``weak=True``, and functions such as ``fg.sqrt`` give weak tensors for weak tensors. "safe"
    refuses what may lose digits or needs a third dtype, where "all" has a result for any two.
    Functions that modules have imported by name come with it; one kept elsewhere before, as in a
    list or a class, stays what it is.

    ```
    fg.experimental.numpy.experimental_enable_numpy_behavior()
    fg.constant([1, 2]) + fg.constant([0.5, 1.5])   # float64, as of int32 and float32 in NumPy
    fg.constant([[1, 2], [3, 4]]).T[[1, 0]]
    ```

    Args:
      prefer_float32: whether Python floats are float32 to these rules, not float64.
      dtype_conversion_mode: "legacy", "safe", "all", or "off" for operators that take one dtype
        only.

    Raises:
      ValueError: for another mode.

    >>> fg.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="any")
    Traceback (most recent call last):
        ...
    ValueError: dtype_conversion_mode must be 'off', 'legacy', 'safe' or 'all', got 'any'
    """
    mode = getattr(dtype_conversion_mode, "value", dtype_conversion_mode)
    if mode not in _MODES:
        names = "'off', 'legacy', 'safe' or 'all'"
        raise ValueError(f"dtype_conversion_mode must be {names}, got {shown(mode)}")
    promotion.prefer_float32(prefer_float32)
    if _enabled == [mode]:
        return
    _changes.undo()
    _enabled[:] = [mode]
    lattice.set_mode(mode)
    for kind in (_core.Tensor, Variable):
        _set_operators(kind, mode)
        _changes.put(kind, "__getitem__", _getitem(kind.__getitem__))
    for name, method in _METHODS.items():
        _changes.put(_core.Tensor, name, method)
    if mode == "legacy":
        _changes.replace({arithmetic.divide: _divided})
    if mode in lattice.MODES:
        let_dtypes_be_weak(_changes)
        for name, method in _METHODS.items():
            _changes.put(WeakTensor, name, _of_weak(name, method))


@functools.wraps(arithmetic.divide)
def _divided(x: Any, y: Any, name: str | None = None) -> Any:
    if not (isinstance(x, CompositeTensor) or isinstance(y, CompositeTensor)):
        x, y = promotion.promoted(x, y)
    return arithmetic.divide(x, y, name=name)


def _of_weak(name: str, method: Any) -> Any:
    """A method or property of arrays for weak tensors, whose results are as weak."""
    if isinstance(method, property):
        get = method.fget
        assert get is not None
        return property(unary(lambda self: get(plain(self))))
    if name in ("astype", "tolist"):
        return lambda self, *args, **kwargs: method(plain(self), *args, **kwargs)
    return unary(lambda self, *args, **kwargs: method(plain(self), *args, **kwargs))


def _set_operators(kind: type[Any], mode: str) -> None:
    _changes.put(kind, "__pos__", lambda self: _core.convert_to_tensor(self))
    if mode != "legacy":
        return
    names = [*_SYMMETRIC, *_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC)]
    for name in names:
        full = f"__{name}__"
        _changes.put(kind, full, _promoting(full, getattr(kind, full)))
    for full in ("__matmul__", "__rmatmul__"):
        _changes.put(kind, full, _product(full, getattr(kind, full)))


def _promoting(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of operands that have one dtype, for those of any."""

    def operate(self: Any, other: Any) -> Any:
        if not _needs_promotion(self, other):
            return original(self, other)
        self, other = promotion.promoted(self, other)
        return getattr(self, name)(other)

    operate.__name__ = operate.__qualname__ = name
    operate.__doc__ = original.__doc__
    return operate


def _product(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """The operator of matrix products, also of vectors and of two dtypes."""

    def operate(self: Any, other: Any) -> Any:
        self, other = promotion.promoted(self, other)
        if 1 not in (self.shape.rank, other.shape.rank):
            return original(self, other)
        pair = (self, other) if name == "__matmul__" else (other, self)
        return arrangement.matmul(*pair)

    operate.__name__ = operate.__qualname__ = name
    operate.__doc__ = original.__doc__
    return operate


def _needs_promotion(one: Any, other: Any) -> bool:
    """Whether two operands are numbers of two kinds."""
    if one.dtype.name in ("string", "resource", "variant"):
        return False
    if isinstance(other, (_core.Tensor, Variable)):
        return other.dtype != one.dtype and other.dtype.name not in ("string", "resource")
    if isinstance(other, (list, tuple)):
        return True
    if isinstance(other, (bool, int, float, complex)):
        return True
    return isinstance(other, (np.ndarray, np.generic)) and other.dtype.kind in "biufc"


def _getitem(original: Callable[..., Any]) -> Callable[..., Any]:
    def getitem(self: Any, key: Any) -> Any:
        if is_advanced(key):
            return picked(_core.convert_to_tensor(self), key)
        return original(self, key)

    getitem.__doc__ = original.__doc__
    return getitem


def _reshaped(self: Any, *shape: Any, order: str = "C") -> Any:
    """The elements in another shape."""
    return arrangement.reshape(self, shape[0] if len(shape) == 1 else shape, order)


def _transposed(self: Any, axes: Any = None) -> Any:
    """The axes in another order, reversed by default."""
    return arrangement.transpose(self, axes)


def _astype(self: Any, dtype: Any) -> Any:
    """The elements in another dtype."""
    return promotion.array(self, np.dtype(getattr(dtype, "as_numpy_dtype", dtype)))


def _size(self: Any) -> Any:
    """How many elements there are: a number where that is known, else a tensor."""
    known = self.shape.num_elements()
    return shapes.size(self) if known is None else known


def _tolist(self: Any) -> Any:
    """The elements as nested lists of Python scalars."""
    return self.numpy().tolist()


_METHODS: dict[str, Any] = {
    "T": property(_transposed),
    "astype": _astype,
    "clip": elementwise.clip,
    "data": property(operator.pos),
    "flatten": lambda self, order="C": _reshaped(self, -1, order=order),
    "max": reductions.max,
    "mean": reductions.mean,
    "min": reductions.min,
    "ravel": shapes.ravel,
    "reshape": _reshaped,
    "size": property(_size),
    "tolist": _tolist,
    "transpose": _transposed,
}
