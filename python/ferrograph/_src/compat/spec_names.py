"""The classes of specs by their names in files."""

from __future__ import annotations

from ..data.specs import TensorArraySpec
from ..data.structure import NoneTensorSpec
from ..hints import Any
from ..ragged.spec import RaggedTensorSpec
from ..sparse.tensor import SparseTensorSpec
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["get_name", "lookup"]

_CLASSES: dict[str, type[TypeSpec]] = {
    f"tf.{cls.__name__}": cls
    for cls in (NoneTensorSpec, RaggedTensorSpec, SparseTensorSpec, TensorArraySpec, TensorSpec)
}


def get_name(cls: type[Any]) -> str:
    """The name of a class of specs. ValueError where it has none; TypeError for another class."""
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"expected a subclass of TypeSpec, got {cls!r}")
    for name, known in _CLASSES.items():
        if cls is known:
            return name
    raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")


def lookup(name: str) -> type[TypeSpec]:
    """The class of specs of that name. ValueError where there is none; TypeError for no string."""
    if not isinstance(name, str):
        raise TypeError(f"expected a name, got {name!r}")
    if name not in _CLASSES:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _CLASSES[name]
