"""Small functions for symbolic tensors, their values, and classes that convert to tensors."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..context import ownership, thread
from ..graph_view.graph import Graph, Operation
from ..native import _core
from ..ops._dispatch import told
from ..values import nest
from ..values.errors import shown
from ..values.public import public

__all__ = [
    "get_static_value",
    "group",
    "is_symbolic_tensor",
    "no_op",
    "register_tensor_conversion_function",
    "tuple",
]


@public("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of a graph, which has no elements while the graph is traced.

    >>> fg.is_symbolic_tensor(fg.constant(1))
    False
    >>> seen = []
    >>> _ = fg.function(lambda x: seen.append(fg.is_symbolic_tensor(x)))(1.0)
    >>> _ = fg.function(lambda x: seen.append(fg.is_symbolic_tensor(x)))(fg.constant(1.0))
    >>> seen
    [False, True]

    Args:
      tensor: any value.

    Returns:
      A bool.
    """
    return isinstance(tensor, _core.Tensor) and _core.is_symbolic(tensor)


@public("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The elements of a tensor as a NumPy array where they are known, else None.

    Those of a tensor of a graph are known where they follow from constants and known shapes.

    >>> fg.get_static_value(fg.constant([1, 2]))
    array([1, 2], dtype=int32)

    Args:
      tensor: a tensor; any other value is given back as it is, but for a variable, whose value is
        never known.
      partial: accepted, and changes nothing; where some elements are unknown there is no value all
        the same. False by default.

    Returns:
      A NumPy array of the dtype and the shape of tensor, or None.
    """
    if isinstance(tensor, _core.VariableBase):
        return None
    if not isinstance(tensor, _core.Tensor):
        return tensor
    known = tensor._constant_value()
    if known is not None:
        return known.__array__()
    return _in_graph(tensor) if _core.is_symbolic(tensor) else None


# What the elements of an operation's output are by those of its inputs, where all are known.
_BY_VALUES: dict[str, Callable[..., Any]] = {
    "Cast": lambda dtype, x: x.astype(dtype),
    "ConcatV2": lambda dtype, *parts: np.concatenate(parts[:-1], int(parts[-1])),
    "Fill": lambda dtype, sizes, value: np.full(sizes, value, dtype),
    "Identity": lambda dtype, x: x,
    "Range": lambda dtype, *ends: np.arange(*ends, dtype=dtype),
}


def _in_graph(tensor: Any) -> Any:
    """The elements of a tensor of the graph that is traced; None where they do not follow."""
    made = _core.made_by(tensor)
    if made is None:
        return None
    kind, inputs = made
    dtype = tensor.dtype.as_numpy_dtype
    if kind in ("Shape", "Size", "Rank"):
        return _of_shape(kind, inputs[0].shape, dtype)
    if kind in ("ZerosLike", "OnesLike"):
        known = tensor.shape.is_fully_defined()
        return np.full(tensor.shape.as_list(), kind == "OnesLike", dtype) if known else None
    if kind not in _BY_VALUES and not (kind == "Pack" and tensor.shape.rank == 1):
        return None
    values = [get_static_value(x) for x in inputs]
    if any(value is None for value in values):
        return None
    return np.array(values, dtype) if kind == "Pack" else _BY_VALUES[kind](dtype, *values)


def _of_shape(kind: str, shape: Any, dtype: Any) -> Any:
    """A shape, its size or rank; None where it is not known."""
    found = {"Shape": shape.as_list, "Size": shape.num_elements, "Rank": lambda: shape.rank}
    complete = shape.rank is not None if kind == "Rank" else shape.is_fully_defined()
    return np.array(found[kind](), dtype=dtype) if complete else None


@public("no_op")
def no_op(name: str | None = None) -> Operation | None:
    """An operation that does nothing, for control dependencies. None outside functions.

    >>> fg.no_op()

    Args:
      name: a name for the operation, ``"NoOp"`` by default.

    Returns:
      An ``Operation`` while a function is traced, else None.
    """
    region = thread.current_region()
    if region is None or _core.executing_eagerly():
        return None
    _core.emit("NoOp", (), None, name or "NoOp")
    return Graph(region, "graph", building=True).get_operations()[-1]


@public("group")
def group(*inputs: Any, **kwargs: Any) -> Operation | None:
    """An operation that runs after these tensors and operations. None outside functions.

    >>> fg.group(fg.constant(1), fg.constant(2))

    Args:
      *inputs: tensors, variables and operations, or structures of such; None counts for nothing.
      **kwargs: ``name``, a name for the operation, ``"group_deps"`` by default.

    Returns:
      An ``Operation`` while a function is traced, else None.

    Raises:
      TypeError: for another input.
      ValueError: for another keyword.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"group takes no argument {', '.join(sorted(kwargs))}")
    given = [value for value in nest.flatten(list(inputs)) if value is not None]
    for value in given:
        if not isinstance(value, (_core.Tensor, _core.VariableBase, Operation)):
            raise TypeError(f"expected tensors and operations, got {shown(value)}")
    if _core.executing_eagerly():
        return None
    with thread.control_dependencies(given):
        return no_op(name or "group_deps")


@public("tuple")
@told
def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors, each of which is there once all of them are; None stays.

    >>> [int(t) for t in fg.tuple([fg.constant(1), fg.constant(2)])]
    [1, 2]

    Args:
      tensors: a list of tensors and None.
      control_inputs: a list of tensors that have to be there as well; None by default.
      name: of no effect.

    Returns:
      A list of as many tensors and None.

    Raises:
      ValueError: in a graph, where there are no tensors.
    """
    given = list(tensors)
    if _core.executing_eagerly():
        return given
    together = [t for t in given if t is not None]
    if not together:
        raise ValueError(f"expected at least one tensor, got {shown(tensors)}")
    with thread.control_dependencies([*together, *(control_inputs or [])]):
        return [None if t is None else ops.identity(t) for t in given]


@public("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let instances of a class become tensors: by ``conversion_func(value, dtype, name, as_ref)``.

    That function becomes the class's method ``__tf_tensor__``, by which any class may say so
    itself; the last one registered is called.

    >>> class Angle:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> def convert(value, dtype=None, name=None, as_ref=False):
    ...     return fg.constant(value.degrees, dtype)
    >>> fg.register_tensor_conversion_function(Angle, convert)
    >>> int(fg.add(Angle(90), 1))
    91

    Args:
      base_type: a class or a tuple of classes.
      conversion_func: a function that gives a tensor of that dtype, or of any where dtype is None;
        NotImplemented refuses.
      priority: accepted, and changes nothing.

    Raises:
      TypeError: for Python's own classes, for classes that take no new methods, and for a function
        that cannot be called.
    """
    classes = base_type if isinstance(base_type, builtins.tuple) else (base_type,)
    if not classes or not all(isinstance(one, type) for one in classes):
        raise TypeError(f"base_type must be a type or a tuple of types, got {shown(base_type)}")
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable, got {shown(conversion_func)}")

    def __tf_tensor__(self: Any, dtype: Any = None, name: str | None = None) -> Any:
        return _converted(conversion_func, self, dtype, name)

    for one in classes:
        _check_class(one)
    for one in classes:
        one.__tf_tensor__ = __tf_tensor__


def _check_class(one: type[Any]) -> None:
    builtin = one.__module__ in ("builtins", "numpy") or issubclass(one, _core.Tensor)
    if builtin or ownership.is_written_in_c(one):
        raise TypeError(f"conversions of {one.__name__} are fixed: it takes no conversion function")


def _converted(convert: Callable[..., Any], value: Any, dtype: Any, name: str | None) -> Any:
    found = convert(value, dtype=dtype, name=name, as_ref=False)
    if found is NotImplemented:
        raise TypeError(f"{type(value).__name__} does not become a tensor of dtype {dtype}")
    if not isinstance(found, _core.Tensor):
        raise TypeError(f"a conversion function gives a tensor, got {shown(found)}")
    if dtype is not None and found.dtype != dtype:
        raise TypeError(f"a conversion function was asked for {dtype}, and gave {found.dtype}")
    return found
