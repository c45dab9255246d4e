"""Views of a traced graph under the documented names: ``Graph``, ``Operation``, ``NodeDef``."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..values.public import public

__all__ = ["Graph", "Operation"]


@public("Operation")
class Operation:
    """One node of a graph: its name, type, inputs and outputs.

    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> add = f.graph.get_operation_by_name('add')
    >>> add.type, add.inputs
    ('AddV2', ['x:0', 'Const:0'])
    """

    def __init__(self, graph: Graph, node: dict):
        self.graph, self._node = graph, node

    @property
    def name(self) -> str:
        """The name, unique in the graph."""
        return self._node["name"]

    @property
    def type(self) -> str:
        """The public name of the operation, such as ``AddV2``."""
        return self._node["op"]

    @property
    def inputs(self) -> list[str]:
        """Names of the tensors it takes."""
        return list(self._node["input"])

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that the program made run before it."""
        return [self.graph.get_operation_by_name(n) for n in self._node["control"]]

    @property
    def node_def(self) -> NodeDef:
        """The node in the form of a GraphDef."""
        return NodeDef(self._node)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"


class NodeDef:
    """A node as a GraphDef lists it: ``name``, ``op``, ``input``, ``attr``."""

    def __init__(self, node: dict):
        self.name: str = node["name"]
        self.op: str = node["op"]
        self.input: list[str] = [i.removesuffix(":0") for i in node["input"]]
        self.input += [f"^{c}" for c in node["control"]]
        self.attr: dict[str, str] = node["attr"]

    def __repr__(self) -> str:
        return f"NodeDef(name={self.name!r}, op={self.op!r}, input={self.input!r})"


class GraphDef:
    """The nodes of a graph: ``node``."""

    def __init__(self, nodes: list[dict]):
        self.node = [NodeDef(n) for n in nodes]


@public("Graph")
class Graph:
    """The graph of a trace, while it is built and afterwards.

    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> [operation.type for operation in f.graph.get_operations()]
    ['Placeholder', 'Const', 'AddV2', 'Identity']
    """

    def __init__(self, source: Any, name: str, building: bool = False):
        self._source, self.name, self._building = source, name, building

    @property
    def building_function(self) -> bool:
        """True: graphs are those of functions."""
        return True

    @property
    def operations(self) -> list[Operation]:
        """All operations in program order."""
        return self.get_operations()

    def get_operations(self) -> list[Operation]:
        """All operations in program order."""
        return [Operation(self, n) for n in self._source.nodes()]

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name; KeyError where there is none."""
        for op in self.get_operations():
            if op.name == name:
                return op
        raise KeyError(f"the graph has no operation named {name!r}")

    def as_graph_def(self, *args: Any, **kwargs: Any) -> GraphDef:
        """The nodes in the form of a GraphDef."""
        return GraphDef(self._source.nodes())

    def verify(self) -> list[str]:
        """What breaks the invariants of a finished graph, a line each; empty for a sound one."""
        return self._source.verify() if isinstance(self._source, _core.GraphHandle) else []

    def __repr__(self) -> str:
        return f"<Graph {self.name!r}>"
