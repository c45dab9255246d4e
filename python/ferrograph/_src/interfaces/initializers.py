"""Initialisers: objects that make a tensor of a shape and dtype."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..ops import random_ops
from ..values import constants, dtypes
from ..values.dtypes import as_dtype, float32
from ..values.errors import shown
from ..values.public import public

__all__ = [
    "constant_initializer",
    "ones_initializer",
    "random_normal_initializer",
    "random_uniform_initializer",
    "zeros_initializer",
]


class _Initializer:
    """An initialiser is called with a shape and a dtype, and knows the arguments it was made of."""

    def get_config(self) -> dict[Any, Any]:
        """The arguments that the initialiser was made of."""
        return {}

    @classmethod
    def from_config(cls, config: dict[Any, Any]) -> Any:
        """An initialiser of such arguments; a dtype among them is left aside."""
        return cls(**{name: value for name, value in config.items() if name != "dtype"})


def _numeric(dtype: Any) -> Any:
    dtype = as_dtype(dtype)
    if dtype == dtypes.string:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean, got {shown(dtype)}")
    return dtype


def _floating(dtype: Any) -> Any:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point, got {shown(dtype)}")
    return dtype


def _part(shape: Any, kwargs: dict[Any, Any]) -> Any:
    """The shape of the part that is asked for. TypeError for arguments that are not known."""
    wanted = kwargs.pop("partition_shape", None)
    kwargs.pop("partition_offset", None)
    if kwargs:
        raise TypeError(f"an initializer takes no argument {', '.join(sorted(kwargs))}")
    return shape if wanted is None else wanted


@public("zeros_initializer")
class zeros_initializer(_Initializer):
    """Makes zeros.

    >>> fg.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Zeros of that shape. ValueError for strings."""
        return ops.zeros(_part(shape, kwargs), _numeric(dtype))


@public("ones_initializer")
class ones_initializer(_Initializer):
    """Makes ones.

    >>> fg.ones_initializer()([2], fg.int32).numpy()
    array([1, 1], dtype=int32)
    """

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Ones of that shape. ValueError for strings."""
        return ops.ones(_part(shape, kwargs), _numeric(dtype))


@public("constant_initializer")
class constant_initializer(_Initializer):
    """Makes tensors of one number, or of the elements of ``value`` in row-major order.

    ``support_partition`` is accepted and changes nothing.

    >>> fg.constant_initializer([1, 2, 3, 4])([2, 2]).numpy()
    array([[1, 2],
           [3, 4]], dtype=int32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False):
        scalar = isinstance(value, (int, float, complex, bool, str, bytes, list, tuple))
        if not (scalar or hasattr(value, "__array__")):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        """The value in that shape. TypeError where the elements do not fill it."""
        return constants.constant(self.value, dtype, _part(shape, kwargs))

    def get_config(self) -> dict[Any, Any]:
        """The arguments that the initialiser was made of."""
        return {"value": self.value}


class _Random(_Initializer):
    """An initialiser that draws numbers: with a seed the same ones each time."""

    seed: Any

    def _key(self) -> Any:
        return None if self.seed is None else [self.seed, 0]


@public("random_normal_initializer")
class random_normal_initializer(_Random):
    """Draws from a normal distribution; with a ``seed`` the same numbers at each call.

    >>> draw = fg.random_normal_initializer(stddev=0.1, seed=1)
    >>> bool(fg.reduce_all(draw([3]) == draw([3])))
    True
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Numbers of that shape. ValueError for a dtype that is not floating."""
        shape, dtype = _part(shape, kwargs), _floating(dtype)
        if self.seed is None:
            return random_ops.normal(shape, self.mean, self.stddev, dtype)
        return random_ops.stateless_normal(shape, self._key(), self.mean, self.stddev, dtype)

    def get_config(self) -> dict[Any, Any]:
        """The arguments that the initialiser was made of."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


@public("random_uniform_initializer")
class random_uniform_initializer(_Random):
    """Draws evenly from an interval; with a ``seed`` the same numbers at each call.

    >>> draw = fg.random_uniform_initializer(0.0, 1.0)
    >>> draw([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = float32, **kwargs: Any) -> Any:
        """Numbers of that shape. ValueError for a dtype that is neither floating nor integer."""
        shape, dtype = _part(shape, kwargs), as_dtype(dtype)
        if not (dtype.is_floating or dtype.is_integer):
            raise ValueError(f"Argument `dtype` is expected to be numeric, got {shown(dtype)}")
        if self.seed is None:
            return random_ops.uniform(shape, self.minval, self.maxval, dtype)
        return random_ops.stateless_uniform(shape, self._key(), self.minval, self.maxval, dtype)

    def get_config(self) -> dict[Any, Any]:
        """The arguments that the initialiser was made of."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}
