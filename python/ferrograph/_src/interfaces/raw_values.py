"""``raw_ops``: keyword arguments in the form that the native module takes."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from ..context import arguments
from ..native import _core
from ..values import dtypes
from ..values.errors import shown
from ..values.tensor_shape import TensorShape

__all__ = ["Port", "attribute", "by_keyword", "check_keywords", "check_name", "converted"]

F = TypeVar("F", bound=Callable[..., Any])


class Port(NamedTuple):
    """An input or output: its name, whether it is one value, a list of one dtype or of several."""

    name: str
    form: str
    dtypes: list[Any]
    type_attr: str | None
    number_attr: str | None


def check_keywords(op: str, args: tuple[Any, ...], keys: Iterable[str]) -> None:
    """TypeError where there are positional arguments."""
    if args:
        raise TypeError(
            f"raw_ops.{op} only takes keyword args (possible keys: {list(keys)}). "
            "Please pass these args as kwargs instead."
        )


def check_name(op: str, name: Any) -> None:
    """TypeError where the name of an operation is no string."""
    if name is not None and not isinstance(name, str):
        raise _wrong("string", "name", op, name)


def by_keyword(function: F) -> F:
    """The same function, which says what it takes where it is called with positional arguments."""
    signature = inspect.signature(function)
    keys = signature.parameters

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        check_keywords(function.__name__, args, keys)
        try:
            return function(**given)
        except (TypeError, ValueError, AttributeError, LookupError) as e:
            values = [given.get(key, parameter.default) for key, parameter in keys.items()]
            is_complete = all(value is not inspect.Parameter.empty for value in values)
            if not is_complete or not set(given) <= set(keys):
                raise
            raise arguments.mistake(function, values, e)  # noqa: B904 - mostly the same error

    call.__signature__ = signature  # type: ignore[attr-defined]
    return cast(F, call)


def _wrong(what: str, argument: str, op: str, value: Any) -> TypeError:
    return TypeError(
        f"Expected {what} for argument {argument!r} of raw_ops.{op}, got {shown(value)}"
    )


def _truth(value: Any) -> bool:
    if getattr(value, "ndim", None) == 0 and not isinstance(value, _core.Tensor):
        value = value.item()
    if not isinstance(value, bool):
        raise TypeError
    return value


def _integer(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return operator.index(value)


def _text(value: Any) -> str | bytes:
    if not isinstance(value, (str, bytes)):
        raise TypeError
    return value


def _graph(value: Any) -> Any:
    """The graph of a concrete function; the native module takes no other."""
    return value._graph


# What kind of value an attribute holds: how it is called, and how it is read.
_KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "bool": ("bool", _truth),
    "int": ("int", _integer),
    "float": ("float", float),
    "str": ("string", _text),
    "dtype": ("DType", dtypes.as_dtype),
    "shape": ("shape", TensorShape),
    "graph": ("a concrete function", _graph),
    "bools": ("bool", _truth),
    "ints": ("int", _integer),
    "floats": ("float", float),
    "strs": ("string", _text),
    "dtypes": ("DType", dtypes.as_dtype),
    "shapes": ("shape", TensorShape),
}


def attribute(op: str, argument: str, kind: str, value: Any) -> Any:
    """The value of an attribute. TypeError for another kind of value."""
    what, read = _KINDS[kind]
    if not kind.endswith("s"):
        return _read(read, what, argument, op, value)
    if not isinstance(value, (list, tuple)):
        raise _wrong("list", argument, op, value)
    return [_read(read, f"a list of {what}", argument, op, v) for v in value]


def _read(read: Callable[..., Any], what: str, argument: str, op: str, value: Any) -> Any:
    try:
        return read(value)
    except (TypeError, ValueError, AttributeError):
        raise _wrong(what, argument, op, value) from None


def converted(op: str, ports: Sequence[Port], given: dict[str, Any]) -> list[list[Any]]:
    """The tensors of each input; those that share a dtype take it from the first that has one."""
    values = {port.name: _listed(op, port, given[port.name]) for port in ports}
    shared = {}
    for port in ports:
        if port.type_attr and port.form != "each" and port.type_attr not in shared:
            of = [p for p in ports if p.type_attr == port.type_attr]
            shared[port.type_attr] = _shared_dtype(op, of, values)
    tensors = []
    for port in ports:
        dtype = shared.get(port.type_attr) if port.type_attr else None
        if len(port.dtypes) == 1:
            dtype = port.dtypes[0]
        tensors.append([_tensor(op, port, value, dtype) for value in values[port.name]])
    return tensors


def _listed(op: str, port: Port, value: Any) -> list[Any]:
    if port.form == "one":
        return [value]
    if not isinstance(value, (list, tuple)):
        raise _wrong("list", port.name, op, value)
    return list(value)


def _shared_dtype(op: str, ports: list[Port], values: dict[str, list[Any]]) -> Any:
    """The dtype of inputs of one type attribute; None where there is no value."""
    every = [(port, value) for port in ports for value in values[port.name]]
    for _, value in every:
        if isinstance(value, (_core.Tensor, _core.VariableBase)):
            return value.dtype
    if not every:
        return None
    port, value = every[0]
    return _tensor(op, port, value, None).dtype


def _tensor(op: str, port: Port, value: Any, dtype: Any) -> Any:
    """A value as a tensor; a tensor stays as it is, whatever its dtype."""
    if isinstance(value, _core.Tensor):
        return value
    try:
        if isinstance(value, _core.VariableBase):
            return _core.convert_to_tensor(value)
        tensor = _core.convert_to_tensor(value, dtype)
        # An empty list tells no dtype; where floats are none of those taken, it is one of integers.
        is_no_float = dtype is None and port.dtypes and tensor.dtype not in port.dtypes
        if is_no_float and dtypes.int32 in port.dtypes and 0 in tensor.shape:
            return _core.convert_to_tensor(value, dtypes.int32)
    except (TypeError, ValueError) as e:
        kind = TypeError if isinstance(e, TypeError) else ValueError
        raise kind(f"argument {shown(port.name)} of raw_ops.{op}: {e}") from None
    return tensor
