"""Arguments and results of functions as the structures that saved models hold.

A structure is None, a bool, an int, a float or a str as it is, and else a tuple that begins with
what it is; the native module lists these.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import later
from ..function import outputs
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..values.dtypes import DType, as_dtype
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = [
    "decoded",
    "encoded",
    "result_of",
    "template_of",
]

if TYPE_CHECKING:
    from ..extension_type import fields as extension_fields
    from ..ragged import spec as ragged_spec
    from ..sparse import tensor as sparse_tensor
else:
    _ABOVE = __package__.rpartition(".")[0]
    (ragged_spec,) = later(f"{_ABOVE}.ragged", "spec")
    (sparse_tensor,) = later(f"{_ABOVE}.sparse", "tensor")
    (extension_fields,) = later(f"{_ABOVE}.extension_type", "fields")


def _nothing(*_: Any) -> None:
    """No type besides those of saved models."""


def _types() -> dict[int, type[TypeSpec]]:
    """Of the types of values that are made of several tensors: the number and the class."""
    return {1: sparse_tensor.SparseTensorSpec, 3: ragged_spec.RaggedTensorSpec}


def _dims(shape: TensorShape) -> list[int] | None:
    if shape.rank is None:
        return None
    return [-1 if size is None else size for size in shape.as_list()]


def _shape(dims: list[int] | None) -> TensorShape:
    if dims is None:
        return TensorShape(None)
    return TensorShape([None if size < 0 else size for size in dims])


def encoded(value: Any, other: Callable[[TypeSpec], Any] = _nothing) -> Any:
    """The structure of a Python value, with specs for tensors.

    ``other`` gives the structure of a type that saved models have no values of, or None.

    ValueError for an object that structures can't hold.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, TensorSpec):
        code = value.dtype.as_datatype_enum
        return "spec", value.name or "", _dims(value.shape), code
    if isinstance(value, TypeSpec):
        return _encoded_type(value, other)
    if isinstance(value, DType):
        return "dtype", value.as_datatype_enum
    if isinstance(value, TensorShape):
        return "shape", _dims(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = zip(value._fields, value, strict=True)
        return "named", type(value).__name__, [(name, encoded(v, other)) for name, v in pairs]
    if isinstance(value, tuple):
        return "tuple", [encoded(v, other) for v in value]
    if isinstance(value, list):
        return "list", [encoded(v, other) for v in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return "dict", [(key, encoded(v, other)) for key, v in value.items()]
    if isinstance(value, _core.EagerTensor) or hasattr(value, "__array_interface__"):
        return _encoded_tensor(value)
    raise ValueError(f"{shown(value)} is no tensor, array, number, text or container of these")


def _encoded_tensor(value: Any) -> tuple[Any, ...]:
    """A tensor or array, which comes back as a tensor."""
    tensor = _core.convert_to_tensor(value)
    if tensor.dtype.name in ("resource", "variant"):
        raise ValueError(f"{shown(value)} refers to an object of this process")
    return "tensor", tensor


def _encoded_type(spec: TypeSpec, other: Callable[[TypeSpec], Any]) -> tuple[Any, ...]:
    found = other(spec)
    if found is not None:
        return found
    number = next((n for n, kind in _types().items() if type(spec) is kind), None)
    name = type(spec).__name__
    if number is None:
        number, name = _EXTENSION, _extension_name(spec)
    state = "tuple", [encoded(part, other) for part in spec._serialize()]
    return "type", number, name, state, len(spec.flatten())


_EXTENSION, _OF_SPEC = 13, ".Spec"


def _extension_name(spec: TypeSpec) -> str:
    """What the type of an extension type's values is called."""
    own = getattr(spec, "_value_type", None)
    name = None if own is None else vars(own).get("__name__")
    if name is None:
        shown = spec if own is None else own.__qualname__
        raise ValueError(
            f"{shown} is the type of a value that saved models can't hold, or of an extension type "
            "without a name for them: give its class one, __name__ = 'package.Class'"
        )
    return name + _OF_SPEC


def decoded(structure: Any, other: Callable[..., Any] = _nothing) -> Any:
    """The Python value that a structure is, with specs for tensors.

    ``other`` gives the type of a number, a name and a state, or None where it knows none.

    ValueError for one of a kind that there is not here, or that is not sound.
    """
    try:
        return _decoded(structure, other)
    except (AttributeError, LookupError, OverflowError, TypeError) as e:
        # What a type is made of is read from the file: a part of another kind is a damaged one.
        raise ValueError(f"the description of a value is damaged: {e}") from e


def _decoded(structure: Any, other: Callable[..., Any]) -> Any:
    if not isinstance(structure, tuple):
        return structure
    kind = structure[0]
    if kind == "spec":
        _, name, dims, code = structure
        return TensorSpec(_shape(dims), as_dtype(code), name or None)
    if kind == "type":
        return _decoded_type(structure, other)
    if kind == "dtype":
        return as_dtype(structure[1])
    if kind == "shape":
        return _shape(structure[1])
    if kind == "tuple":
        return tuple(_decoded(v, other) for v in structure[1])
    if kind == "list":
        return [_decoded(v, other) for v in structure[1]]
    if kind == "dict":
        return {key: _decoded(v, other) for key, v in structure[1]}
    if kind == "named":
        return named_tuple(structure[1], [name for name, _ in structure[2]])(
            *(_decoded(v, other) for _, v in structure[2])
        )
    return structure[1]


def _decoded_type(structure: tuple[Any, ...], other: Callable[..., Any]) -> TypeSpec:
    _, number, name, state, _ = structure
    own = other(number, name, state)
    if own is not None:
        return own
    if number == _EXTENSION:
        found = extension_fields.class_saved_as(name.removesuffix(_OF_SPEC))
        if found is None:
            raise ValueError(
                f"the saved model holds a value of the extension type {name!r}: make or import "
                "that class before the model is loaded"
            )
        return found.Spec._deserialize(decoded(state, other))
    kind = _types().get(number)
    if kind is None:
        raise ValueError(f"the saved model holds a value of type {name}, which is not read here")
    return kind._deserialize(_decoded(state, other))


_named: dict[tuple[Any, ...], type[Any]] = {}


def named_tuple(name: str, fields: list[str]) -> type[Any]:
    """The class of tuples with these names: one for all of them."""
    from collections import namedtuple

    key = name, tuple(fields)
    if key not in _named:
        _named[key] = namedtuple(name, fields)
    return _named[key]


def result_of(template: Any, spec_of: Callable[[int, str], TensorSpec]) -> tuple[Any, list[int]]:
    """The structure of a result, and the numbers of its tensors in the order of the structure.

    ``spec_of`` gives the type of the tensor of that number, called by its place.
    """
    order: list[int] = []

    def leaf(number: int, name: str) -> Any:
        order.append(number)
        return encoded(spec_of(number, name))

    return _result(template, "", leaf), order


def _result(template: Any, name: str, leaf: Callable[[int, str], Any]) -> Any:
    if template is None:
        return None
    if isinstance(template, int):
        return leaf(template, name)
    if isinstance(template, outputs.Composite):
        for child in template.children:
            _result(child, name, leaf)
        return encoded(template.spec)
    if isinstance(template, dict):
        return "dict", [(key, _result(template[key], key, leaf)) for key in sorted(template)]
    if isinstance(template, (list, tuple)):
        kind = "tuple" if isinstance(template, tuple) else "list"
        return kind, [_result(t, f"{name}_{i}", leaf) for i, t in enumerate(template)]
    return _packed(template, name, leaf)


def _packed(template: Any, name: str, leaf: Callable[[int, str], Any]) -> Any:
    """A container of another class: as a plain one, but for tuples with names."""
    kind, children = template.kind, template.children
    fields = getattr(kind, "_fields", None)
    if fields is not None:
        pairs = zip(fields, children, strict=True)
        return "named", kind.__name__, [(n, _result(t, n, leaf)) for n, t in pairs]
    if template.names is None:
        return _result(children if issubclass(kind, list) else tuple(children), name, leaf)
    if issubclass(kind, dict):
        return _result(dict(zip(template.names, children, strict=True)), name, leaf)
    raise ValueError(f"a result of class {kind.__name__} can't be saved: return a dict or a tuple")


def template_of(structure: Any) -> Any:
    """The template of a result in that structure, see ``function.outputs``."""
    counter = iter(range(1 << 31))

    def composite(spec: TypeSpec) -> Any:
        made = outputs.Composite.__new__(outputs.Composite)
        made.spec = spec
        made.children = [
            next(counter) if isinstance(part, TensorSpec) else composite(part)
            for part in spec._component_list()
        ]
        return made

    def inside(part: Any) -> Any:
        if not isinstance(part, tuple):
            if part is None:
                return None
            raise ValueError(
                f"the result of a saved function holds {shown(part)}, which is no tensor"
            )
        kind = part[0]
        if kind == "spec":
            return next(counter)
        if kind == "type":
            return composite(decoded(part))
        if kind == "tuple":
            return tuple([inside(p) for p in part[1]])
        if kind == "list":
            return [inside(p) for p in part[1]]
        if kind == "dict":
            return {key: inside(p) for key, p in sorted(part[1])}
        if kind == "named":
            fields = [name for name, _ in part[2]]
            children = [inside(p) for _, p in part[2]]
            return outputs.Packed(named_tuple(part[1], fields), children, None)
        raise ValueError(f"the result of a saved function holds a {kind}, which is no tensor")

    return inside(structure)
