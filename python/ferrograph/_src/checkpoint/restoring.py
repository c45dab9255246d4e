"""Restorations: objects of a program matched with those in a checkpoint."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..native import _core
from ..state.variable import keep_value
from ..values.dtypes import as_dtype
from ..values.tensor_shape import TensorShape
from . import trackable, watching
from .graph import Root, SavedGraph
from .paths import read_tensors

__all__ = ["Restoration"]


class _Attached(NamedTuple):
    """What a root refers to besides, and the object whose attributes these are."""

    children: Mapping[str, Any]
    holder: Any


_NOTHING = _Attached({}, None)


class _Reference:
    """A weak reference to an object; to a list, tuple or dictionary, which has none, its number."""

    def __init__(self, value: Any):
        self._number = id(value)
        is_container = type(value) in (list, dict) or isinstance(value, tuple)
        self._weak = None if is_container else weakref.ref(value)

    def is_to(self, value: Any) -> bool:
        """Whether it refers to that object."""
        return id(value) == self._number if self._weak is None else self._weak() is value

    @property
    def number(self) -> int:
        """The identity of the object."""
        return self._number

    def is_gone(self) -> bool:
        """Whether the object has ended, as far as that is known."""
        return self._weak is not None and self._weak() is None


class Restoration:
    """One checkpoint being restored.

    ``bind`` matches an object with one of the checkpoint, and their children by their names, as far
    as they are there; children that are missing are waited for. What is matched is restored at
    once. No object is kept alive by it.
    """

    _count = 0

    def __init__(self, saved: SavedGraph):
        Restoration._count += 1
        self.saved = saved
        # Later ones overrule earlier ones.
        self.order = Restoration._count
        # The objects of the program by their numbers in the checkpoint.
        self.objects: dict[int, _Reference] = {}
        # The tensors in the checkpoint that their object does not hold, by its number.
        self.unused: dict[int, list[str]] = {}

    def bind_root(self, root: Root) -> None:
        """Match and restore all objects that are there by now."""
        self.bind(0, root.value, _Attached(root.attached, root.holder))

    def has_matched(self, number: int, value: Any) -> bool:
        """Whether that object of the checkpoint is this one."""
        found = self.objects.get(number)
        return found is not None and found.is_to(value)

    def has_restored(self, value: Any) -> bool:
        """Whether an object was given values, whichever of the checkpoint's it was found to be."""
        nodes = self.saved.nodes
        return any(nodes[n].attributes and self.has_matched(n, value) for n in self.objects)

    def bind(self, number: int, value: Any, attached: _Attached = _NOTHING) -> Any:
        """Match and restore an object and what it refers to; what is to stand in its place."""
        matched: list[tuple[int, Any]] = []
        stand_in = watching.tracked(self, number, value)
        queue, seen = deque([(number, stand_in, attached)]), {number}
        while queue:
            number, value, attached = queue.popleft()
            if number not in self.objects:
                self.objects[number] = _Reference(value)
                matched.append((number, value))
            if self.has_matched(number, value):
                for child, found in self._match_children(number, value, attached):
                    if child not in seen:
                        seen.add(child)
                        queue.append((child, found, _NOTHING))
        self._restore(matched)
        return stand_in

    def _match_children(
        self, number: int, value: Any, attached: _Attached
    ) -> Iterator[tuple[int, Any]]:
        """The children that are there with their numbers; those that are not are waited for."""
        children = {**trackable.children_of(value), **attached.children}
        missing = {}
        for child, name in self.saved.nodes[number].children:
            if name in children:
                kept = children[name]
                found = watching.tracked(self, child, kept)
                holder = attached.holder if name in attached.children else value
                if found is kept or watching.replace(holder, name, found):
                    kept = found
                yield child, kept
            elif self.saved.nodes[child].has_values and child not in self.objects:
                missing[name] = child
        for holder in (value, attached.holder):
            if holder is not None:
                watching.wait(self, holder, missing)

    def _restore(self, matched: list[Any]) -> None:
        variables, others = [], []
        for number, value in matched:
            keys = self.saved.tensors_of(number)
            if not watching.is_newest(self, value, bool(keys)):
                continue
            if trackable.is_variable(value):
                key = keys.pop(trackable.VALUE, None)
                if key is not None:
                    variables.append((value, key))
            elif keys and trackable.uses_protocol(value):
                others.append((value, dict(keys)))
                keys = {}
            if keys:
                self.unused[number] = list(keys)
        self._restore_variables(variables)
        for value, keys in others:
            tensors = self._read(list(keys.values()))
            value._restore_from_tensors(dict(zip(keys, tensors, strict=True)))

    def _restore_variables(self, variables: list[Any]) -> None:
        for variable, key in variables:
            self._check(variable, key)
        tensors = self._read([key for _, key in variables])
        for (variable, _), tensor in zip(variables, tensors, strict=True):
            variable._assign("set", tensor)
            if _core.executing_eagerly():
                keep_value(variable)

    def _check(self, variable: Any, key: str) -> None:
        code, dims = self.saved.listed[key]
        if not variable.shape.is_compatible_with(TensorShape(dims)):
            raise ValueError(
                f"Variable {variable.name} of shape {variable.shape} can't be restored: the "
                f"tensor {key} in {self.saved.path} has shape {TensorShape(dims)}"
            )

    def _read(self, keys: list[str]) -> list[Any]:
        if not keys:
            return []
        dtypes = [as_dtype(self.saved.listed[key][0]) for key in keys]
        return read_tensors(self.saved.path, keys, dtypes)
