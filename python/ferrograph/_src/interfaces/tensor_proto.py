"""Tensors as messages: ``make_tensor_proto`` and ``make_ndarray``."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..context.thread import init_scope
from ..native import _core
from ..ops._dispatch import told
from ..ops._numbers import flag, wholes
from ..values import constants, dtypes, nest, wire
from ..values.dtypes import as_dtype
from ..values.public import public

__all__ = ["make_ndarray", "make_tensor_proto"]

# The field that holds the elements of a dtype, where they are listed, and its number.
_LISTED = {
    "float32": ("float_val", 5),
    "float64": ("double_val", 6),
    "string": ("string_val", 8),
    "int64": ("int64_val", 10),
    "bool": ("bool_val", 11),
    "float16": ("half_val", 13),
    "bfloat16": ("half_val", 13),
    "uint32": ("uint32_val", 16),
    "uint64": ("uint64_val", 17),
    "complex64": ("scomplex_val", 9),
    "complex128": ("dcomplex_val", 12),
    **dict.fromkeys(
        (dtype.name for dtype in dtypes.FLOAT8_DTYPES),
        ("float8_val", 18),
    ),
}
_FIELDS = sorted({*_LISTED.values(), ("int_val", 7)}, key=lambda field: field[1])


class _Dim(NamedTuple):
    """One size of a shape."""

    size: int


class _Shape(NamedTuple):
    """The sizes of a tensor."""

    dim: list[_Dim]


class TensorProto:
    """The message of a tensor: its dtype by number, its shape, and its elements.

    The elements are in ``tensor_content``, as their bytes, or in the list of their dtype
    (``int_val``, ``float_val``, ``string_val``), whose last one is repeated to fill the shape.
    """

    def __init__(self, dtype: int, sizes: list[int]):
        self.dtype, self.tensor_shape = dtype, _Shape([_Dim(size) for size in sizes])
        self.tensor_content = b""
        for name, _ in _FIELDS:
            setattr(self, name, b"" if name == "float8_val" else [])

    def SerializeToString(self) -> bytes:  # noqa: N802 - the name that messages have
        """The message in the wire format of protocol buffers."""
        sizes = b"".join(_part(2, _number(1, dim.size)) for dim in self.tensor_shape.dim)
        text = _number(1, self.dtype) + _part(2, sizes)
        if self.tensor_content:
            text += _part(4, self.tensor_content)
        for name, number in _FIELDS:
            text += _list(name, number, getattr(self, name))
        return text

    @classmethod
    def FromString(cls, s: bytes) -> TensorProto:  # noqa: N802 - the name that messages have
        """The message that these bytes are in the wire format; DecodeError where they are none."""
        made = cls(0, [])
        made.MergeFromString(s)
        return made

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802 - the name of messages
        """Become the message that these bytes are; how many bytes were read."""
        self.__init__(0, [])  # type: ignore[misc]
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802 - the name of messages
        """Take the fields that these bytes hold, too; how many bytes were read."""
        for number, kind, value, _ in wire.fields(serialized):
            if number in _SCALARS and kind != _SCALARS[number]:
                raise wire.DecodeError(f"field {number} of a TensorProto has another kind")
            if number == _DTYPE:
                self.dtype = value
            elif number == _SHAPE:
                self.tensor_shape.dim.extend(_dims(value))
            elif number == _CONTENT:
                self.tensor_content = value
            else:
                self._take(number, kind, value)
        return len(serialized)

    def _take(self, number: int, kind: int, value: Any) -> None:
        """Elements of a list; fields that are not known are passed over."""
        name = _NAMES.get(number)
        if name == "float8_val":
            self.float8_val = value
        elif name is not None:
            getattr(self, name).extend(_elements_of(name, kind, value))

    def __eq__(self, other: Any) -> bool:
        same = isinstance(other, TensorProto)
        return same and self.SerializeToString() == other.SerializeToString()

    def __hash__(self) -> int:
        return hash(self.SerializeToString())

    def __repr__(self) -> str:
        held = [(name, getattr(self, name)) for name, _ in _FIELDS if getattr(self, name)]
        held += [("tensor_content", self.tensor_content)] if self.tensor_content else []
        sizes = [dim.size for dim in self.tensor_shape.dim]
        elements = ", ".join(f"{name}={value!r}" for name, value in held)
        return f"TensorProto(dtype={self.dtype}, shape={sizes}, {elements})"


_DTYPE, _SHAPE, _CONTENT = 1, 2, 4
_SCALARS = {_DTYPE: 0, _SHAPE: 2, _CONTENT: 2, 18: 2}  # the kinds of fields that hold one value
_NAMES = {number: name for name, number in _FIELDS}
_FORMATS = {"float_val": "f", "scomplex_val": "f", "double_val": "d", "dcomplex_val": "d"}
_UNSIGNED = frozenset({"uint32_val", "uint64_val", "half_val"})


def _dims(content: bytes) -> Iterator[_Dim]:
    """The sizes that the message of a shape lists."""
    for number, kind, value, _ in wire.fields(content):
        if number == 2 and kind == 2:
            sizes = [v for n, k, v, _ in wire.fields(value) if n == 1 and k == 0]
            yield _Dim(_signed(sizes[-1]) if sizes else 0)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _elements_of(name: str, kind: int, value: Any) -> list[Any]:
    """The elements that one field of a list holds, packed or one alone."""
    if name == "string_val":
        if kind != 2:
            raise wire.DecodeError("a list of strings has another kind")
        return [value]
    if name in _FORMATS:
        size = struct.calcsize(_FORMATS[name])
        if kind == 0 or len(value) % size:
            raise wire.DecodeError(f"{name} has another kind")
        return list(struct.unpack(f"<{len(value) // size}{_FORMATS[name]}", value))
    found = wire.SCALARS["int64"].read(kind, value)
    if name == "bool_val":
        return [bool(v) for v in found]
    return [v & (1 << 64) - 1 for v in found] if name in _UNSIGNED else found


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    text = bytearray()
    while value > 127:
        text.append(value & 127 | 128)
        value >>= 7
    return bytes([*text, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value) if value else b""


def _part(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _list(name: str, field: int, values: Any) -> bytes:
    if not values:
        return b""
    if name == "float8_val":
        return _part(field, values)
    if name == "string_val":
        return b"".join(_part(field, value) for value in values)
    if name in _FORMATS:
        return _part(field, struct.pack(f"<{len(values)}{_FORMATS[name]}", *values))
    return _part(field, b"".join(_varint(int(value)) for value in values))


@public("make_tensor_proto")
@told
def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """The message of a tensor of these values, as ``fg.constant`` reads them.

    >>> proto = fg.make_tensor_proto([[1, 2], [3, 4]])
    >>> [dim.size for dim in proto.tensor_shape.dim]
    [2, 2]
    >>> fg.make_ndarray(proto)
    array([[1, 2],
           [3, 4]], dtype=int32)

    Args:
      values: what converts to a tensor, or an eager tensor.
      dtype: the dtype; by default the one that values suggest.
      shape: a list of ints, which one element fills and others must fill exactly; by default that
        of values.
      verify_shape: a bool, whether values must have that very shape; False by default.
      allow_broadcast: a bool, False by default; one element fills the shape in any case.

    Returns:
      A message with the fields of ``TensorProto``.

    Raises:
      TypeError: where the elements do not fill the shape, or have another one and verify_shape is
        set; where values do not fit dtype, or are a tensor of a graph.
      ValueError: where both flags are set, and for lists of unequal lengths.
    """
    verify_shape = flag(verify_shape, "make_tensor_proto: verify_shape")
    allow_broadcast = flag(allow_broadcast, "make_tensor_proto: allow_broadcast")
    if verify_shape and allow_broadcast:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if any(isinstance(leaf, _core.SymbolicTensor) for leaf in nest.flatten(values)):
        raise TypeError("make_tensor_proto: values must be known, got a tensor of the graph")
    tensor = _tensor(values, dtype)
    given = tensor.shape.as_list()
    sizes = given if shape is None else wholes(shape, "make_tensor_proto: shape")
    if verify_shape and sizes != given:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {tuple(given)}.")
    count, wanted = _count(given), _count(sizes)
    if count != wanted and count != 1:
        raise TypeError(f"{count} elements do not fill the shape {sizes}")
    proto = TensorProto(tensor.dtype.as_datatype_enum, sizes)
    array = tensor.numpy()
    if count > 1 and tensor.dtype != dtypes.string:
        proto.tensor_content = array.tobytes()
    else:
        field, _ = _LISTED.get(tensor.dtype.name, ("int_val", 7))
        setattr(proto, field, _elements(array, tensor.dtype))
    return proto


def _tensor(values: Any, dtype: Any, shape: Any = None) -> Any:
    with init_scope():  # also while a function is traced it is known
        return constants.constant(values, dtype, shape)


def _count(sizes: list[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _elements(array: Any, dtype: Any) -> Any:
    """The elements as the list of a message has them."""
    if dtype in dtypes.FLOAT8_DTYPES:
        return array.tobytes()
    if isinstance(array, bytes):
        return [array]
    if dtype == dtypes.string:
        return [bytes(value) for value in array.ravel().tolist()] if array.shape else [array.item()]
    if dtype.name in ("float16", "bfloat16"):
        return array.view("uint16").ravel().tolist()
    if dtype.is_complex:
        return [part for value in array.ravel().tolist() for part in (value.real, value.imag)]
    return array.ravel().tolist()


@public("make_ndarray")
def make_ndarray(tensor: Any) -> Any:
    """The NumPy array of a tensor's message.

    >>> fg.make_ndarray(fg.make_tensor_proto(2.5, shape=[2]))
    array([2.5, 2.5], dtype=float32)

    Args:
      tensor: what ``make_tensor_proto`` gave, or a message with the fields of ``TensorProto``.

    Returns:
      A NumPy array of its dtype and shape.

    Raises:
      TypeError: for what is no such message.
      ValueError: where its elements do not fill its shape.
    """
    if not hasattr(tensor, "tensor_shape"):
        raise TypeError(f"make_ndarray takes the message of a tensor, got {type(tensor).__name__}")
    dtype = as_dtype(tensor.dtype)
    sizes = [int(dim.size) for dim in tensor.tensor_shape.dim]
    if tensor.tensor_content:
        return _of_bytes(tensor.tensor_content, dtype, sizes)
    field, _ = _LISTED.get(dtype.name, ("int_val", 7))
    held = list(getattr(tensor, field))
    if dtype.is_complex:
        held = [complex(*pair) for pair in zip(held[::2], held[1::2], strict=True)]
    count = _count(sizes)
    held += held[-1:] * (count - len(held))
    if dtype.name in ("float16", "bfloat16"):
        content = struct.pack(f"<{count}H", *held)
        return _of_bytes(content, dtype, sizes)
    if dtype in dtypes.FLOAT8_DTYPES:
        return _of_bytes(bytes(held), dtype, sizes)
    if len(held) != count:
        raise ValueError(f"{len(held)} elements do not fill the shape {sizes}")
    return _tensor(held, dtype, sizes).numpy()


def _of_bytes(content: bytes, dtype: Any, sizes: list[int]) -> Any:
    return np.frombuffer(content, dtype.as_numpy_dtype).reshape(sizes).copy()
