"""Tensors of a weak type, and functions that return one where all their arguments are weak."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from .. import ops
from ..extension_type.classes import BatchableExtensionType
from ..native import FG, Tensor, _core
from ..numpy_like import lattice
from ..values.errors import shown
from ..values.markers import TensorType

__all__ = ["WeakTensor", "constants", "pairs", "plain", "unary", "updates", "weakened"]

F = TypeVar("F", bound=Callable[..., Any])


class WeakTensor(BatchableExtensionType, TensorType):
    """A tensor of a weak type, which gives way to the dtype of others: it was made of Python
    scalars alone.

    ``to_tensor()`` is the tensor, of a dtype that stays.
    """

    tensor: Tensor
    _is_weak = True
    # NumPy's arrays leave their operators to it.
    __array_priority__ = 10**6
    __hash__ = None  # type: ignore[assignment]

    def to_tensor(self) -> Any:
        """The tensor, of a dtype that stays."""
        return self.tensor

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.tensor.dtype

    @property
    def shape(self) -> Any:
        """The sizes of the axes."""
        return self.tensor.shape

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "tensor" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no attribute {shown(name)}")
        return getattr(self.tensor, name)

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return _core.convert_to_tensor(self.tensor, dtype)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.array(self.numpy(), *args, **kwargs)

    def __iter__(self) -> Iterator[Any]:
        return map(WeakTensor, self.tensor)

    def __getitem__(self, key: Any) -> Any:
        return self.tensor[plain(key)]

    def __len__(self) -> int:
        return len(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __round__(self, n: int | None = None) -> Any:
        if n is not None:
            raise TypeError(f"round() of a weak tensor takes no number of digits, got {n}")
        return WeakTensor(ops.round(self.tensor))

    def __str__(self) -> str:
        return _marked(str(self.tensor))

    def __repr__(self) -> str:
        return _marked(repr(self.tensor))


def _marked(text: str) -> str:
    """The text of a tensor, which says before its last bracket that it is weak."""
    return f"{text[:-1]}, weak=True{text[-1]}"


def plain(value: Any) -> Any:
    """A weak tensor as the tensor that it is; everything else as it is."""
    return value.tensor if isinstance(value, WeakTensor) else value


def weakened(value: Any, is_weak: bool) -> Any:
    """A result as a weak tensor where it is one."""
    if is_weak and isinstance(value, _core.Tensor) and value.dtype.name in lattice.WEAK:
        return WeakTensor(value)
    return value


def _of_dtype(value: Any, dtype: Any) -> Any:
    """A value as a tensor of a dtype."""
    value = plain(value)
    if isinstance(value, (_core.Tensor, _core.VariableBase)):
        return value if value.dtype == dtype else ops.cast(value, dtype)
    return _core.convert_to_tensor(value, dtype)


def unary(function: F, which: str | None = None) -> F:
    """A function whose result is weak where its first argument is, and no dtype is asked for."""
    signature = inspect.signature(function)
    which = which or next(iter(signature.parameters))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        value = bound.arguments.get(which)
        if isinstance(value, _core.Tensor) or bound.arguments.get("dtype") is not None:
            return function(*args, **kwargs)
        found = lattice.joined(value)
        if found is None:
            return function(*args, **kwargs)
        bound.arguments[which] = _of_dtype(value, found[0])
        return weakened(function(*bound.args, **bound.kwargs), found[1])

    return call  # type: ignore[return-value]


def pairs(function: F, gives_weak: bool = True) -> F:
    """A function whose first two arguments come to the dtype that they have together."""
    signature = inspect.signature(function)
    first, second, *_ = signature.parameters

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        values = [bound.arguments[first], bound.arguments[second]]
        found = lattice.joined(*values)
        if found is None:
            return function(*args, **kwargs)
        for which, value in zip((first, second), values, strict=True):
            bound.arguments[which] = _of_dtype(value, found[0])
        return weakened(function(*bound.args, **bound.kwargs), gives_weak and found[1])

    return call  # type: ignore[return-value]


def constants(function: F) -> F:
    """``constant``, whose tensors are weak where neither the value nor the call says a dtype."""

    @functools.wraps(function)
    def call(value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const") -> Any:
        if dtype is not None:
            is_tensor = isinstance(value, (_core.Tensor, _core.VariableBase, WeakTensor))
            return function(_of_dtype(value, dtype) if is_tensor else value, dtype, shape, name)
        found = lattice.joined(value)
        if found is None:
            return function(value, dtype, shape, name)
        return weakened(function(plain(value), found[0], shape, name), found[1])

    return call  # type: ignore[return-value]


def updates(method: F) -> F:
    """A method of variables that takes values of any dtype which gives way to the variable's."""

    @functools.wraps(method)
    def call(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        found = lattice.joined(self, value)
        if found is None:
            return method(self, value, *args, **kwargs)
        if found[0] != self.dtype:
            name, own = method.__name__, self.dtype.name
            raise TypeError(
                f"{name}: the variable keeps its dtype {own}, and the value together with it"
                f" has {found[0].name}: cast the value to {own} with {FG}.cast"
            )
        return method(self, _of_dtype(value, found[0]), *args, **kwargs)

    return call  # type: ignore[return-value]
