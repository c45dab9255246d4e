"""The outputs of a traced function: flat tensors, and a template of the structure around them."""

from __future__ import annotations

from collections.abc import MappingView

from .. import later
from ..heap.trace_context import is_ordered
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..values import nest
from ..values.errors import shown
from ..values.tensor_spec import TypeSpec
from . import special

if TYPE_CHECKING:
    from ..values import reconstruction
else:
    (reconstruction,) = later(nest.__package__, "reconstruction")

__all__ = ["Packed", "flatten_result", "map_template", "say_function"]


class Packed:
    """A container in a template that is neither tuple, list nor dict.

    ``children`` are templates; ``pack`` makes the container of packed children.
    """

    def __init__(self, kind: type[Any], children: list[Any], names: list[Any] | None):
        self.kind, self.children, self.names = kind, children, names

    def pack(self, values: list[Any]) -> Any:
        """The container of these children."""
        if issubclass(self.kind, (list, tuple, dict)):
            return reconstruction.of_class(self.kind, values, self.names)
        assert self.names is not None
        return self.kind(**dict(zip(self.names, values, strict=True)))


class Composite:
    """A value in a template that is made of tensors."""

    def __init__(self, value: Any, children: list[Any]):
        # The value itself would keep the trace alive: its spec, or one without tensors, replaces
        # it.
        spec = getattr(value, "_type_spec", None)
        self.spec = value._from_components([None] * len(children)) if spec is None else spec
        self.children = children

    def pack(self, values: list[Any]) -> Any:
        """Such a value of these tensors."""
        made = nest._recompose(self.spec, values)
        return made._separate() if hasattr(made, "_separate") else made


def flatten_result(result: Any, to_tensor: Any) -> tuple[list[Any], Any]:
    """The tensors in a result and its template, in which an int is the index of a tensor.

    ``to_tensor`` makes a tensor of a leaf. TypeError for an object that cannot be returned.
    """
    flat: list[Any] = []
    return flat, _template(result, to_tensor, flat)


def _template(value: Any, to_tensor: Any, flat: list[Any]) -> Any:
    """The template of a value, whose tensors are added to ``flat``."""

    def all_of(values: Any) -> list[Any]:
        return [_template(v, to_tensor, flat) for v in values]

    if value is None:
        return None
    kind = type(value)
    if kind is tuple:
        return tuple(all_of(value))
    if kind is list:
        if is_ordered(value):
            return _template(special.as_tensor(value), to_tensor, flat)
        return all_of(value)
    if kind is dict:
        return dict(zip(value, all_of(value.values()), strict=True))
    if kind is _core.SymbolicTensor:
        flat.append(to_tensor(value))
        return len(flat) - 1
    if isinstance(value, (list, tuple)):
        return Packed(kind, all_of(reconstruction.held(value, list)), None)
    if isinstance(value, dict):
        return Packed(kind, all_of(reconstruction.held(value, list)), list(dict.__iter__(value)))
    if isinstance(value, MappingView):
        return all_of(value)
    if isinstance(value, TypeSpec):
        raise _not_returned(value)
    if hasattr(kind, "_component_list"):
        return Composite(value, all_of(value._component_list()))
    names = _record_fields(kind)
    if names is not None:
        return Packed(kind, all_of(getattr(value, n) for n in names), names)
    flat.append(to_tensor(value))
    return len(flat) - 1


def _record_fields(kind: type[Any]) -> list[Any] | None:
    if hasattr(kind, "__dataclass_fields__"):
        return list(kind.__dataclass_fields__)
    if hasattr(kind, "__attrs_attrs__"):
        return [a.name for a in kind.__attrs_attrs__]
    return None


def map_template(template: Any, leaf: Any, typed: bool = False) -> Any:
    """The structure of a template with ``leaf(index)`` at its leaves.

    Where it is ``typed``, a value made of several tensors is replaced by its type spec.
    """

    def inside(part: Any) -> Any:
        return map_template(part, leaf, typed)

    if template is None:
        return None
    if isinstance(template, int):
        return leaf(template)
    if isinstance(template, tuple):
        return tuple(map(inside, template))
    if isinstance(template, list):
        return list(map(inside, template))
    if isinstance(template, dict):
        return {k: inside(t) for k, t in template.items()}
    if typed and isinstance(template, Composite) and isinstance(template.spec, TypeSpec):
        return template.spec
    return template.pack(list(map(inside, template.children)))


def say_function(error: TypeError, function: Any) -> None:
    """Say in an error about a result which function gave it, and where that begins, unless the
    error has its place."""
    code = getattr(function, "__code__", None)
    if code is not None and len(error.args) == 1 and "\n" not in str(error):
        place = f"{code.co_filename}:{code.co_firstlineno}"
        error.args = (f"{code.co_name}(): {error.args[0]}\n  {place}",)


def _not_returned(value: Any) -> TypeError:
    return TypeError(
        "a traced function returns tensors, values that convert to them, None, and structures of "
        f"these; got {type(value).__name__}: {shown(value)}"
    )


def as_output(value: Any) -> Any:
    """The tensor that a leaf of a result becomes: an ``Identity`` of it in the graph.

    TypeError for what is no tensor and does not convert to one.
    """
    if not isinstance(value, _core.Tensor):
        if hasattr(type(value), "refuse_return"):
            value.refuse_return()
        try:
            value = _core.convert_to_tensor(value)
        except (TypeError, ValueError) as e:
            raise _not_returned(value) from e
    return _core.emit("Identity", (value,))


def record_fields(value: Any) -> list[str] | None:
    """Names of the fields of a dataclass instance that is a container, None for anything else."""
    kind = type(value)
    if kind.__hash__ is None and hasattr(kind, "__dataclass_fields__"):
        return list(kind.__dataclass_fields__)
    return None
