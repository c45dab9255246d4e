"""The graph of the objects below a root, and how checkpoints name what is in it."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from ..native import _core
from . import trackable

__all__ = [
    "GRAPH_KEY",
    "ObjectGraph",
    "Root",
    "SavedGraph",
    "SavedObject",
    "saved_tensors",
    "serialized",
]

# Under which name the graph itself is saved.
GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_ATTRIBUTES = ".ATTRIBUTES"


class SavedObject(NamedTuple):
    """What a checkpoint says of one object."""

    # The numbers and names of its children.
    children: list[tuple[int, str]]
    # Of its tensors: what the object calls them, the full names, the names in the checkpoint.
    attributes: list[tuple[str, str, str]]
    # Of the variables it keeps for others: whose, the name of the slot, the variable's number.
    slots: list[tuple[int, str, int]]
    # Whether it, or what can be reached from it, has tensors.
    has_values: bool


def _escaped(name: str) -> str:
    return name.replace(".", "..").replace("/", ".S")


class Root(NamedTuple):
    """The object where a graph begins, and what it refers to besides."""

    value: Any
    attached: dict[str, Any]
    # What the graph is for: a ``"checkpoint"`` or a ``"savedmodel"``.
    save_type: str = "checkpoint"
    # The object whose attributes the attached ones are.
    holder: Any = None

    def children_of(self, value: Any) -> dict[str, Any]:
        """The objects that an object of the graph refers to, by name."""
        children = trackable.children_of(value, self.save_type)
        return {**children, **self.attached} if value is self.value else children


class ObjectGraph:
    """The objects that can be reached from a root, in the order of their distance."""

    def __init__(self, root: Root):
        self._root = root
        self.objects = [root.value]
        self.children: list[list[tuple[int, str]]] = []
        self.paths: list[tuple[str, ...]] = [()]
        self._numbers = {id(root.value): 0}
        queue = deque([0])
        while queue:
            self._add_children(queue.popleft(), queue)

    def _add_children(self, number: int, queue: deque[Any]) -> None:
        children = []
        for name, child in self._root.children_of(self.objects[number]).items():
            if id(child) not in self._numbers:
                self._numbers[id(child)] = len(self.objects)
                queue.append(len(self.objects))
                self.objects.append(child)
                self.paths.append((*self.paths[number], name))
            children.append((self._numbers[id(child)], name))
        self.children.append(children)

    def key_of(self, number: int, name: str) -> str:
        """The name in the checkpoint of a tensor of an object."""
        path = "/".join(_escaped(part) for part in self.paths[number])
        return f"{path}/{_ATTRIBUTES}/{_escaped(name)}"

    def without_values(self) -> list[bool]:
        """Of each object, whether neither it nor what can be reached from it holds tensors."""
        parents: list[list[int]] = [[] for _ in self.objects]
        for number, children in enumerate(self.children):
            for child, _ in children:
                parents[child].append(number)
        empty = [True] * len(self.objects)
        found = [n for n, value in enumerate(self.objects) if trackable.holds_tensors(value)]
        while found:
            number = found.pop()
            if empty[number]:
                empty[number] = False
                found.extend(parents[number])
        return empty


def saved_tensors(graph: ObjectGraph) -> tuple[dict[str, Any], bytes]:
    """The tensors of all objects by their names in the checkpoint, and the graph as bytes."""
    tensors: dict[str, Any] = {}
    nodes: list[tuple[Any, ...]] = []
    empty = graph.without_values()
    for number, value in enumerate(graph.objects):
        held = trackable.tensors_of(value)
        prefix = getattr(value, "_saved_as", "")
        full_name = trackable.full_name_of(value)
        for name, tensor in held.items():
            tensors[graph.key_of(number, prefix + name)] = tensor
        names = ([prefix] if held else []) if prefix else list(held)
        attributes = [(name, full_name, graph.key_of(number, name)) for name in names]
        nodes.append((graph.children[number], attributes, [], not empty[number]))
    return tensors, _core.object_graph_bytes(nodes)


class SavedGraph:
    """The graph of objects in a checkpoint, and which tensors there are."""

    def __init__(self, path: str, nodes: list[SavedObject], listed: dict[str, tuple[Any, ...]]):
        self.path, self.nodes, self.listed = path, nodes, listed

    def tensors_of(self, number: int) -> dict[str, str]:
        """The tensors of an object: their names in the checkpoint by the object's own."""
        found = {}
        for name, _, key in self.nodes[number].attributes:
            if key in self.listed:
                found[name] = key
            else:  # several, whose names begin with that of the object's class
                found.update((k.removeprefix(key), k) for k in self.listed if k.startswith(key))
        return found

    def name_of(self, number: int) -> str:
        """The way from the root to an object, for people."""
        names, seen = {0: "(root)"}, deque([0])
        while seen and number not in names:
            parent = seen.popleft()
            for child, name in self.nodes[parent].children:
                if child not in names:
                    names[child] = f"{names[parent]}.{name}"
                    seen.append(child)
        return names.get(number, f"object {number}, which the root does not refer to")


def serialized(content: bytes) -> list[SavedObject]:
    """The objects of a graph in bytes. DataLossError where they are none."""
    return [SavedObject(*node) for node in _core.object_graph_of(content)]
