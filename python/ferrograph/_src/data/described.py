"""Types of elements as the metadata of saved elements has them, and their layouts.

A type is a structure of saved models, in bytes. A layout says which tensors make up a component, as
the operations that keep elements take it.
"""

from __future__ import annotations

from typing import Any

from ..extension_type.spec import ExtensionTypeSpec
from ..files import structured_values
from ..native import _core
from ..ragged.spec import RaggedTensorSpec
from ..sparse.tensor import SparseTensorSpec
from ..values import nest
from ..values.tensor_spec import TensorSpec
from .specs import OptionalSpec
from .structure import NoneTensorSpec

# The public numbers of the classes of types that saved models have no values of, and their names.
_OPTIONAL = 7, "OptionalSpec"
_NONE = 12, "tf.NoneTensorSpec"


def bytes_of(spec: Any) -> bytes:
    """The bytes of a type; empty for one with components of kinds that no structure tells."""
    try:
        return _core.structure_bytes(structured_values.encoded(spec, _encoded_type))
    except ValueError:
        return b""


def spec_of(data: bytes, path: Any) -> Any:
    """The type that bytes say.

    ValueError for none, and for a type that there is not here; DataLossError for what is no type's.
    """
    if not data:
        raise ValueError(
            f"the elements saved in {path!r} have a type that is not kept with them: pass it as "
            "element_spec"
        )
    try:
        return structured_values.decoded(_core.structure_of_bytes(data), _decoded_type)
    except ValueError as e:
        raise ValueError(
            f"the elements saved in {path!r} have a type that is not read here: {e}; pass it as "
            "element_spec"
        ) from e


def _encoded_type(spec: Any) -> tuple[Any, ...] | None:
    if type(spec) is NoneTensorSpec:
        return "type", *_NONE, ("tuple", []), 0
    if type(spec) is OptionalSpec:
        state = structured_values.encoded(spec.element_spec, _encoded_type)
        return "type", *_OPTIONAL, ("tuple", [state]), 1
    return None


def _decoded_type(number: int, name: str, state: Any) -> Any:
    if (number, name) == _NONE:
        return NoneTensorSpec()
    if number == _OPTIONAL[0]:
        (element_spec,) = structured_values.decoded(state, _decoded_type)
        return OptionalSpec(element_spec)
    return None


def layout_of(spec: Any) -> str:
    """The layout of elements of a type; empty where each tensor is a component."""
    layout = _layout(spec)
    return layout if layout.strip("t") else ""


def _layout(spec: Any) -> str:
    return "".join(map(_component, nest.flatten(spec)))


def _component(spec: Any) -> str:
    if isinstance(spec, TensorSpec):
        return "t"
    if isinstance(spec, RaggedTensorSpec):
        return f"r{spec.ragged_rank}"
    if isinstance(spec, SparseTensorSpec):
        return "s"
    if isinstance(spec, OptionalSpec):
        return f"o({_layout(spec.element_spec)})"
    if isinstance(spec, ExtensionTypeSpec) and spec._is_batchable():
        return "".join(map(_component, spec._component_specs))
    return "t" * len(spec.flatten())
