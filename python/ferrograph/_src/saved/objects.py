"""The object graph of a saved model, and the message for each object."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..checkpoint import trackable
from ..data.dataset import Dataset
from ..function.function import Function
from ..native import _core
from ..state.module import Module
from ..state.variable import Variable, variable_by_id
from ..tables.table import Lookup, Table
from ..values.errors import shown
from .asset import Asset
from .constants import LIST_KINDS
from .functions import is_function, key_of
from .loaded import LoadedResource, SignatureMap

__all__ = ["SavedObjects", "children_of", "kind_of_container"]

_CONTAINERS = (list, tuple, dict)


def kind_of_container(value: Any) -> str:
    """The name in the file of an object that only has children."""
    if isinstance(value, SignatureMap):
        return LIST_KINDS["signatures"]
    for kind in _CONTAINERS:
        if isinstance(value, kind):
            return LIST_KINDS[kind.__name__]
    return LIST_KINDS["object"]


def _is_leaf(value: Any) -> bool:
    if isinstance(value, _core.EagerTensor):
        # The handle of a resource is not the resource.
        return value.dtype.name not in ("resource", "variant")
    return isinstance(value, (Variable, Asset, Lookup, LoadedResource)) or is_function(value)


def _is_saved(value: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Whether it is an object of a model: containers are where there is one in them."""
    if isinstance(value, _CONTAINERS):
        if id(value) in seen:
            return False
        items = value.values() if isinstance(value, dict) else value
        within = seen | {id(value)}
        return any(_is_saved(item, within) for item in items)
    if isinstance(value, (_core.IteratorBase, Dataset)):
        return False
    return _is_leaf(value) or trackable.is_trackable(value)


def _meant(value: Any) -> Any:
    """The variable, for a wrapper of one."""
    if isinstance(value, Variable) or not hasattr(value, "_should_act_as_resource_variable"):
        return value
    return variable_by_id(value.handle._id)


def _methods(value: Any) -> dict[str, Any]:
    """The traced functions that the class of an object has as methods."""
    found = {}
    for kind in reversed(type(value).__mro__):
        for name, attribute in vars(kind).items():
            if isinstance(attribute, Function):
                found[name] = getattr(value, name)
    return found


def children_of(value: Any) -> dict[str, Any]:
    """The objects of a model that an object refers to, by name."""
    if is_function(value) or isinstance(value, (Variable, _core.EagerTensor, Asset, Table)):
        return {}
    if isinstance(value, SignatureMap):
        return dict(value)
    if isinstance(value, (list, tuple)):
        names = getattr(value, "_fields", None) or map(str, range(len(value)))
        items = dict(zip(names, value, strict=True))
    elif isinstance(value, dict):
        items = value
    elif isinstance(value, (Module, Lookup, LoadedResource)):
        items = {**vars(value), **_methods(value)}
    else:
        items = {**trackable.children_of(value, "savedmodel"), **_methods(value)}
    children = {name: _meant(child) for name, child in items.items() if _is_saved(child)}
    for name in children:
        if not isinstance(name, str):
            raise ValueError(
                f"the dictionary {shown(value)} can't be saved: a key that is no string refers "
                "to an object of the model. Use strings as keys"
            )
    return children


class SavedObjects:
    """All objects of a model, the root first, each with its children by name and number."""

    def __init__(self, root: Any, attached: dict[str, Any]):
        self.values: list[Any] = []
        self.children: list[dict[str, int]] = []
        self.paths: list[str] = []
        self._numbers: dict[Any, int] = {}
        self._queue: deque[int] = deque()
        self.add(root, "root")
        for name, value in attached.items():
            self.children[0][name] = self.add(value, name)
        while self._queue:
            self._expand(self._queue.popleft())

    def add(self, value: Any, path: str) -> int:
        """The number of an object, which is added where it is not there yet."""
        key = key_of(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self._queue.append(len(self.values))
            self.values.append(value)
            self.children.append({})
            self.paths.append(path)
        return self._numbers[key]

    def add_alone(self, value: Any, path: str) -> int:
        """The number of an object without children that nothing else refers to by name."""
        number = self.add(value, path)
        self._queue.clear()
        return number

    def number_of(self, value: Any) -> int | None:
        """The number of an object, None for one that is not in the model."""
        return self._numbers.get(key_of(value))

    def _expand(self, number: int) -> None:
        for name, child in children_of(self.values[number]).items():
            if name not in self.children[number]:
                path = f"{self.paths[number]}.{name}"
                self.children[number][name] = self.add(child, path)
