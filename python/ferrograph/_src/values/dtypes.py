"""Element types of tensors.

A dtype is one of the module's constants, such as ``fg.float32``; each is one object for the life of
the program. ``as_dtype`` finds it from a name, a NumPy dtype or a Python type.
"""

from __future__ import annotations

import builtins

from ..hints import Any
from ..native import FG, _core
from .errors import shown
from .public import public

__all__ = [
    "FLOAT8_DTYPES",
    "QUANTIZED_DTYPES",
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "qint8",
    "qint16",
    "qint32",
    "quint8",
    "quint16",
    "resource",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]

_FLOAT_MAX = {
    "float16": 65504.0,
    "bfloat16": float.fromhex("0x1.fep+127"),
    "float32": float.fromhex("0x1.fffffep+127"),
    "float64": float.fromhex("0x1.fffffffffffffp+1023"),
    "float8_e5m2": 57344.0,
    "float8_e4m3fn": 448.0,
    "float8_e4m3fnuz": 240.0,
    "float8_e4m3b11fnuz": 30.0,
    "float8_e5m2fnuz": 57344.0,
}

_registry: dict[str, DType] = {}
_by_number: dict[int, DType] = {}


@public("dtypes.DType", "DType")
class DType:
    """The type of a tensor's elements.

    >>> import ferrograph as fg
    >>> fg.float32.name, fg.float32.size, fg.float32.is_floating
    ('float32', 4, True)
    >>> fg.float32 == "float32"
    True
    >>> fg.as_dtype("int8").max
    127

    Dtypes compare equal to their names and to NumPy's dtypes, and serve as dictionary keys.
    """

    __slots__ = ("_code", "_hash", "_kind", "_name", "_number", "_size")

    def __init__(self, name: str, code: int | None, number: int, size: int, kind: str):
        self._name = name
        # The dtype's place in the native side's list; None for dtypes that no tensor can have.
        self._code = code
        self._number = number
        self._size = size
        self._kind = kind
        self._hash = hash(number)
        _registry[name] = self
        _by_number[number] = self

    @property
    def name(self) -> str:
        """The public name, such as ``'float32'``."""
        return self._name

    @property
    def size(self) -> int:
        """Bytes that an element takes; of a string, those of the reference to it."""
        return self._size

    @property
    def as_numpy_dtype(self) -> type[Any]:
        """The NumPy scalar type of the elements; ``object`` for strings.

        NumPy has no bfloat16 and no floats of one byte: their types come from the package
        ``ml_dtypes``.
        """
        if self.is_added_to_numpy:
            import ml_dtypes

            return getattr(ml_dtypes, self._name)
        if self._kind == "object":
            return object
        import numpy as np

        if self._kind == "quantized":
            return getattr(np, self._name[1:])
        return np.dtype(self._name).type

    @property
    def as_datatype_enum(self) -> int:
        """The number of this dtype in the public GraphDef vocabulary."""
        return self._number

    @property
    def base_dtype(self) -> DType:
        """The dtype itself: there are no reference dtypes."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part of a complex dtype; other dtypes give themselves."""
        return {"complex64": float32, "complex128": float64}.get(self._name, self)

    @property
    def is_bool(self) -> builtins.bool:
        """Whether this is bool."""
        return self._kind == "bool"

    @property
    def is_integer(self) -> builtins.bool:
        """Whether this is a signed or unsigned integer, quantized ones excluded."""
        return self._kind in ("int", "uint")

    @property
    def is_unsigned(self) -> builtins.bool:
        """Whether this is an unsigned integer."""
        return self._kind == "uint"

    @property
    def is_floating(self) -> builtins.bool:
        """Whether this is real floating point."""
        return self._kind in ("float", "float8")

    @property
    def is_complex(self) -> builtins.bool:
        """Whether this is complex."""
        return self._kind == "complex"

    @property
    def is_numeric(self) -> builtins.bool:
        """Whether this is an integer, real or complex number that is computed with.

        Floats of one byte are not: they are stored, moved, and cast to others.
        """
        return self._kind in ("int", "uint", "float", "complex")

    @property
    def is_quantized(self) -> builtins.bool:
        """Whether this is a quantized integer."""
        return self._kind == "quantized"

    @property
    def is_differentiable(self) -> builtins.bool:
        """Whether gradients flow through values of this dtype: not through floats of one byte."""
        return self._kind in ("float", "complex")

    @property
    def is_added_to_numpy(self) -> builtins.bool:
        """Whether NumPy's form of this dtype comes from the package ``ml_dtypes``."""
        return self._kind == "float8" or self._name == "bfloat16"

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether tensors of this dtype have a NumPy form."""
        return self._name not in ("resource", "variant")

    @property
    def min(self) -> Any:
        """The lowest finite number.

        Raises:
          TypeError: for dtypes without an order.
        """
        if self.is_floating:
            return -_FLOAT_MAX[self._name]
        if self._kind == "uint":
            return 0
        if self._kind == "int":
            return -(2 ** (8 * self._size - 1))
        raise TypeError(f"{shown(self)} has no minimum")

    @property
    def max(self) -> Any:
        """The highest finite number.

        Raises:
          TypeError: for dtypes without an order.
        """
        if self.is_floating:
            return _FLOAT_MAX[self._name]
        if self._kind == "uint":
            return 2 ** (8 * self._size) - 1
        if self._kind == "int":
            return 2 ** (8 * self._size - 1) - 1
        raise TypeError(f"{shown(self)} has no maximum")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of intensities of images: 0 to 1 for floats, to the maximum for integers.

        Raises:
          TypeError: for dtypes without an order.
          ValueError: for floats of one byte, of which no images are.
        """
        if self._kind == "float8":
            raise ValueError(f"{self} does not have defined limits")
        if self._kind == "float":
            return 0, 1
        if self._kind == "bool":
            return False, True
        return 0, self.max

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether ``other`` names this very dtype."""
        return self is as_dtype(other)

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Whether every value of this dtype is one of ``other``: the same dtype."""
        return self is other

    def most_specific_common_supertype(self, others: Any) -> DType | None:
        """This dtype where ``others`` are all the same, else None."""
        return self if all(other is self for other in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """A dtype has no placeholder: it is no value that a function computes with."""
        raise NotImplementedError("a dtype has no placeholder")

    def from_tensors(self, tensors: Any) -> Any:
        """A dtype is made of no tensors."""
        raise NotImplementedError("a dtype is made of no tensors")

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors that a value of this trace type holds: none."""
        return []

    def flatten(self) -> list[Any]:
        """The types of those tensors: none."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """The value where it is this dtype.

        Raises:
          ValueError: where it is not.
        """
        if value is not self:
            raise ValueError(f"expected {shown(self)}, got {shown(value)}")
        return value

    def __eq__(self, other: Any) -> builtins.bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: Any) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self._hash

    def __int__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"{FG}.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: '{self._name}'>"

    def __reduce__(self):
        return as_dtype, (self._name,)


def _native(names: str) -> list[DType]:
    """The dtypes of tensors, in the native side's order."""
    made = []
    for code, entry in enumerate(names.split()):
        name, number, size, kind = entry.split(":")
        made.append(DType(name, code, int(number), int(size), kind))
    return made


# Every dtype that tensors have, in the order of their codes.
_IN_ORDER = _native(
    "bool:10:1:bool int8:6:1:int int16:5:2:int int32:3:4:int int64:9:8:int "
    "uint8:4:1:uint uint16:17:2:uint uint32:22:4:uint uint64:23:8:uint "
    "float16:19:2:float bfloat16:14:2:float float32:1:4:float float64:2:8:float "
    "complex64:8:8:complex complex128:18:16:complex "
    "string:7:8:object resource:20:1:object variant:21:1:object "
    "float8_e5m2:24:1:float8 float8_e4m3fn:25:1:float8 float8_e4m3fnuz:26:1:float8 "
    "float8_e4m3b11fnuz:27:1:float8 float8_e5m2fnuz:28:1:float8"
)
(
    _bool,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    string,
    resource,
    variant,
    float8_e5m2,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e4m3b11fnuz,
    float8_e5m2fnuz,
) = _IN_ORDER
FLOAT8_DTYPES = frozenset(dtype for dtype in _IN_ORDER if dtype._kind == "float8")
half = float16
double = float64

# Named for programs that mention them; no tensor has them.
qint8 = DType("qint8", None, 11, 1, "quantized")
quint8 = DType("quint8", None, 12, 1, "quantized")
qint16 = DType("qint16", None, 15, 2, "quantized")
quint16 = DType("quint16", None, 16, 2, "quantized")
qint32 = DType("qint32", None, 13, 4, "quantized")
QUANTIZED_DTYPES = frozenset([qint8, quint8, qint16, quint16, qint32])

_ALIASES = {"half": float16, "float": float32, "double": float64}
_PYTHON_TYPES = {
    float: float32,
    builtins.bool: _bool,
    int: int64,
    complex: complex128,
    str: string,
    bytes: string,
    object: string,
}


@public("dtypes.as_dtype", "as_dtype")
def as_dtype(type_value: Any) -> DType:
    """The dtype that a value names.

    Args:
      type_value: a DType, a name such as ``"float32"``, ``"half"`` or ``"double"``, a NumPy dtype
        or scalar type, a Python type (``float`` gives float32, ``int`` int64), a number of the
        GraphDef vocabulary, or an object with a ``dtype``.

    Raises:
      TypeError: where the value names no dtype.

    >>> import ferrograph as fg
    >>> fg.as_dtype("half")
    fg.float16
    >>> fg.as_dtype(float)
    fg.float32
    """
    if isinstance(type_value, DType):
        return type_value
    found = _lookup(type_value)
    if found is None:
        text = f"cannot convert {_core.described(type_value)} to a dtype"
        raise _core.about_argument(type_value, TypeError(text))
    return found


def dtype_or(type_value: Any, default: DType) -> DType:
    """The dtype that a value names, ``default`` for None."""
    return default if type_value is None else as_dtype(type_value)


def _lookup(value: Any) -> DType | None:
    if isinstance(value, str):
        return _registry.get(value) or _ALIASES.get(value) or _from_numpy(value)
    if value is None:
        return None
    if isinstance(value, type):
        return _PYTHON_TYPES.get(value) or _from_numpy(value)
    if isinstance(value, int):
        return _by_number.get(value)
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, DType):
        return dtype
    # The class of an ml_dtypes dtype is of that package since its version 0.7.
    if type(value).__module__.partition(".")[0] in ("numpy", "ml_dtypes"):
        return _from_numpy(value if dtype is None else dtype)
    return None if dtype is None else _from_numpy(dtype)


def _from_numpy(value: Any) -> DType | None:
    """The dtype of what NumPy calls a dtype."""
    import numpy as np

    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError):
        return None
    if dtype.kind in "SUOT":
        return string
    return _registry.get(dtype.name)


bool = _bool

# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "QUANTIZED_DTYPES": ("dtypes.QUANTIZED_DTYPES",),
    "bfloat16": ("dtypes.bfloat16", "bfloat16"),
    "bool": ("dtypes.bool", "bool"),
    "complex128": ("dtypes.complex128", "complex128"),
    "complex64": ("dtypes.complex64", "complex64"),
    "double": ("dtypes.double", "double"),
    "float16": ("dtypes.float16", "float16"),
    "float32": ("dtypes.float32", "float32"),
    "float64": ("dtypes.float64", "float64"),
    "float8_e4m3b11fnuz": (
        "dtypes.experimental.float8_e4m3b11fnuz",
        "experimental.float8_e4m3b11fnuz",
    ),
    "float8_e4m3fn": ("dtypes.experimental.float8_e4m3fn", "experimental.float8_e4m3fn"),
    "float8_e4m3fnuz": ("dtypes.experimental.float8_e4m3fnuz", "experimental.float8_e4m3fnuz"),
    "float8_e5m2": ("dtypes.experimental.float8_e5m2", "experimental.float8_e5m2"),
    "float8_e5m2fnuz": ("dtypes.experimental.float8_e5m2fnuz", "experimental.float8_e5m2fnuz"),
    "half": ("dtypes.half", "half"),
    "int16": ("dtypes.int16", "int16"),
    "int32": ("dtypes.int32", "int32"),
    "int64": ("dtypes.int64", "int64"),
    "int8": ("dtypes.int8", "int8"),
    "qint16": ("dtypes.qint16",),
    "qint32": ("dtypes.qint32",),
    "qint8": ("dtypes.qint8",),
    "quint16": ("dtypes.quint16",),
    "quint8": ("dtypes.quint8",),
    "resource": ("dtypes.resource", "resource"),
    "string": ("dtypes.string", "string"),
    "uint16": ("dtypes.uint16", "uint16"),
    "uint32": ("dtypes.uint32", "uint32"),
    "uint64": ("dtypes.uint64", "uint64"),
    "uint8": ("dtypes.uint8", "uint8"),
    "variant": ("dtypes.variant", "variant"),
}
