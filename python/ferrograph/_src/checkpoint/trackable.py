"""The checkpoint protocol: the tensors that an object holds, and the objects that it refers to.

Variables hold one tensor. Modules, generators and checkpoints refer to what their attributes hold,
lists and tuples to their elements, dictionaries to the values of their keys. Objects of other
layers take part by methods:

* ``_serialize_to_tensors()`` gives the tensors that the object holds, by name;
* ``_restore_from_tensors(tensors)`` takes such tensors back, and makes the object hold them;
* ``_trackable_children(save_type)`` gives the objects that it refers to, by name, where there are
  any.

The names are those in the checkpoint. Where the class has ``_saved_as``, they are suffixes of it: a
table that is ``_saved_as = "table"`` and holds ``"-keys"`` and ``"-values"`` is saved as
``table-keys`` and ``table-values``.
"""

from __future__ import annotations

from collections import OrderedDict

from ..hints import Any
from ..native import _core
from ..state.generator import Generator
from ..state.module import Module
from ..values.errors import shown
from ..values.markers import Trackable

__all__ = [
    "VALUE",
    "children_of",
    "full_name_of",
    "holds_tensors",
    "is_trackable",
    "is_variable",
    "items_of",
    "tensors_of",
    "uses_protocol",
    "with_attributes",
]

# What the one tensor of a variable is called.
VALUE = "VARIABLE_VALUE"

_SEQUENCES = (list, tuple)
_MAPPINGS = (dict, OrderedDict)
# Classes whose instances refer to what their attributes hold.
with_attributes: list[type[Any]] = [Module, Generator]


def is_variable(value: Any) -> bool:
    """Whether it is a variable."""
    return isinstance(value, _core.VariableBase)


def uses_protocol(value: Any) -> bool:
    """Whether it says by methods what tensors it holds."""
    return hasattr(type(value), "_serialize_to_tensors")


def holds_tensors(value: Any) -> bool:
    """Whether it holds tensors itself."""
    return is_variable(value) or (uses_protocol(value) and bool(value._serialize_to_tensors()))


def is_trackable(value: Any) -> bool:
    """Whether a checkpoint follows it."""
    return (
        is_variable(value)
        or isinstance(value, (*_SEQUENCES, *with_attributes, Trackable))
        or _is_mapping(value)
        or uses_protocol(value)
        or hasattr(type(value), "_trackable_children")
    )


def _is_mapping(value: Any) -> bool:
    return type(value) in _MAPPINGS or hasattr(type(value), "_is_tracked_mapping")


def children_of(value: Any, save_type: str = "checkpoint") -> dict[str, Any]:
    """The objects that it refers to, by name, for a ``"checkpoint"`` or a ``"savedmodel"``.

    ValueError for a dictionary whose keys are no strings where its values are to be followed.
    """
    if hasattr(type(value), "_trackable_children"):
        return dict(value._trackable_children(save_type))
    if isinstance(value, tuple(with_attributes)):
        return _followed(vars(value))
    return items_of(value)


def items_of(value: Any) -> dict[str, Any]:
    """The objects that a list, tuple or dictionary refers to, by name; of others nothing.

    ValueError for a dictionary whose keys are no strings where its values are to be followed.
    """
    if isinstance(value, _SEQUENCES):
        names = getattr(value, "_fields", None) or map(str, range(len(value)))
        return _followed(dict(zip(names, value, strict=True)))
    if _is_mapping(value):
        found = _followed(value)
        if not all(isinstance(key, str) for key in found):
            raise ValueError(
                f"the dictionary {shown(value)} can't be saved: a key that is no string refers "
                "to an object with variables. Use strings as keys"
            )
        return found
    return {}


def _followed(items: Any) -> dict[str, Any]:
    return {key: value for key, value in items.items() if is_trackable(value)}


def tensors_of(value: Any) -> dict[str, Any]:
    """The tensors that it holds, by name."""
    if is_variable(value):
        return {VALUE: value._read()}
    if uses_protocol(value):
        return dict(value._serialize_to_tensors())
    return {}


def full_name_of(value: Any) -> str:
    """The name by which checkpoints without a graph of objects know it."""
    return value._name if is_variable(value) else ""
