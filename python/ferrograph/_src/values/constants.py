"""``constant``."""

from __future__ import annotations

from ..hints import Any
from ..native import Tensor, _core
from .dtypes import as_dtype
from .errors import shown
from .markers import TensorType
from .public import public
from .tensor_shape import TensorShape

__all__ = ["constant", "is_tensor"]


@public("constant")
def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const"
) -> Tensor:
    """A tensor of a Python value or array: a copy, of the dtype the value suggests unless given.

    Ints give int32 (int64 beyond its range), floats float32, complex numbers complex128; arrays
    keep their dtype.

    >>> fg.constant([1, 2]).dtype.name
    'int32'

    Args:
      value: a number, bool, string or array, nested lists of such, or an eager tensor.
      dtype: the dtype; by default the one that the value suggests.
      shape: the shape, which a single element fills and others must fill exactly; by default that
        of the value.
      name: a name for the operation.

    Returns:
      A tensor.

    Raises:
      TypeError: where the value does not convert to dtype or fill the shape, and for a symbolic
        tensor.
      ValueError: for lists of unequal lengths and values of unknown kinds.
    """
    if isinstance(value, _core.Tensor):
        return _of_tensor(value, dtype, shape)
    if shape is None:
        return _core.convert_to_tensor(value, dtype, None, name)
    made = _core.convert_to_tensor(value, dtype)
    return _shaped(made, shape)


def _of_tensor(value: Any, dtype: Any, shape: Any) -> Any:
    if _core.is_symbolic(value):
        raise TypeError(
            "constant() takes a value, got a symbolic tensor; use identity() or the tensor itself"
        )
    if dtype is not None and as_dtype(dtype) != value.dtype:
        raise TypeError(f"constant() of a {value.dtype.name} tensor cannot have dtype {dtype}")
    return value if shape is None else _shaped(value, shape)


def _shaped(tensor: Any, shape: Any) -> Any:
    wanted = TensorShape(shape)
    count, n = wanted.num_elements(), tensor.shape.num_elements()
    dims = _core.convert_to_tensor(wanted.as_list(), "int32")
    if count == n:
        return _core.emit("Reshape", (tensor, dims))
    if n == 1:
        scalar = _core.emit("Reshape", (tensor, _core.convert_to_tensor([], "int32")))
        return _core.emit("Fill", (dims, scalar))
    raise TypeError(f"{n} elements do not fill shape {shown(wanted)}")


@public("is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether a value is a tensor, a variable, or a sparse or ragged tensor.

    What merely converts to a tensor, or holds some, is none.

    >>> fg.is_tensor(fg.constant(1)), fg.is_tensor(fg.Variable(1)), fg.is_tensor(1)
    (True, True, False)

    Args:
      x: any value.

    Returns:
      A bool.
    """
    return isinstance(x, (_core.Tensor, _core.VariableBase, TensorType))
