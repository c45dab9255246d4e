"""Views of a traced graph under the documented names: ``Graph``, ``Operation``, ``NodeDef``."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator

from .. import later
from ..context import thread
from ..context.hooks import hooks
from ..hints import TYPE_CHECKING, Any
from ..native import FG, _core
from ..values.public import public

if TYPE_CHECKING:
    import traceback

    from ..values import errors
    from . import forms
    from .forms import GraphDef, NodeDef, OpDef
else:
    (forms,) = later(__package__, "forms")
    (errors,) = later(f"{__package__.rpartition('.')[0]}.values", "errors")

__all__ = ["Graph", "Operation", "graph_being_built", "graph_of"]


@public("Operation")
class Operation:
    """One node of a graph: its name, type, inputs and outputs.

    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> add = f.graph.get_operation_by_name('add')
    >>> add.type, [tensor.name for tensor in add.inputs]
    ('AddV2', ['x:0', 'Const:0'])
    """

    def __init__(self, graph: Graph, node: dict, outputs: list):
        self.graph, self._node, self._outputs = graph, node, outputs

    @property
    def name(self) -> str:
        """The name, unique in the graph."""
        return self._node["name"]

    @property
    def type(self) -> str:
        """The public name of the operation, such as ``AddV2``."""
        return self._node["op"]

    @property
    def inputs(self) -> tuple:
        """The tensors it takes."""
        return tuple(self.graph.get_tensor_by_name(name) for name in self._node["input"])

    @property
    def outputs(self) -> list:
        """The tensors it gives."""
        return list(self._outputs)

    def values(self) -> tuple:
        """The tensors it gives."""
        return tuple(self._outputs)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that the program made run before it."""
        return [self.graph.get_operation_by_name(n) for n in self._node["control"]]

    @property
    def device(self) -> str:
        """The device asked for: none."""
        return ""

    @property
    def node_def(self) -> NodeDef:
        """The node in the form of a GraphDef."""
        return forms.NodeDef(self._node, self._attributes())

    def _attributes(self) -> dict[str, Any]:
        """The attributes by their names, as the message of a finished graph has them."""
        return self.graph._attributes_by_name().get(self.name, {})

    @property
    def op_def(self) -> OpDef | None:
        """What is declared of operations of this type."""
        return forms.op_def(self.type)

    @property
    def traceback(self) -> traceback.StackSummary:
        """The line of the program that made it, as a stack of one frame; empty where none did."""
        import traceback

        origin = self._node["origin"]
        if origin is None:
            return traceback.StackSummary()
        file, line, function = origin
        return traceback.StackSummary.from_list([(file, line, function, None)])

    def colocation_groups(self) -> list[bytes]:
        """The groups of operations on one device that it is in: that of itself alone."""
        return [b"loc:@" + self.name.encode()]

    def get_attr(self, name: str) -> Any:
        """The attribute of that name: a number, bytes, a dtype, a message, or a list of these.

        While the graph is built attributes are text, and ``T`` is the dtype of what it gives.
        ValueError where the operation has no such attribute.
        """
        attributes = self._attributes()
        if name in attributes:
            return attributes[name]._plain()
        if name in self._node["attr"] and not attributes:
            return self._node["attr"][name]
        if name == "T" and self._outputs:
            return self._outputs[0].dtype
        raise ValueError(f"operation {self.name!r} ({self.type}) has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operation):
            return NotImplemented
        return self.graph == other.graph and self.name == other.name

    def __hash__(self) -> int:
        return hash((self.graph, self.name))

    def __repr__(self) -> str:
        return f"<{FG}.Operation '{self.name}' type={self.type}>"


def _scopes(name: str) -> set[str]:
    """The name, and the scopes that it lies in."""
    parts = name.split("/")
    return {"/".join(parts[:i]) for i in range(1, len(parts) + 1)}


def _operation_name(tensor_or_op: Any) -> str:
    return tensor_or_op.name.partition(":")[0]


class Notes:
    """What the program noted of one graph."""

    def __init__(self) -> None:
        self.collections: dict[Any, list] = {}
        self.names: set[str] = set()
        self.unfetched: set[str] = set()
        self.unfed: set[str] = set()


# Of regions that are being traced, and of the concrete functions that were made of them.
_notes: weakref.WeakKeyDictionary[Any, Notes] = weakref.WeakKeyDictionary()


def _pass_on(region: Any, concrete: Any) -> None:
    """What was noted while a graph was traced is known of the finished one."""
    if region in _notes:
        _notes[concrete] = _notes[region]


hooks.finished = _pass_on

# The views of finished graphs, by the number that their tensors know, and of those being built.
_views: weakref.WeakValueDictionary[int, Graph] = weakref.WeakValueDictionary()
_building: weakref.WeakValueDictionary[int, Graph] = weakref.WeakValueDictionary()


def graph_being_built(region: Any) -> Graph:
    """The view of a graph that is being built, one for as long as it is in use."""
    found = _building.get(region.graph_id)
    if found is None or found._source.graph_id != region.graph_id:
        found = _building[region.graph_id] = Graph(region, "graph", building=True)
    return found


def graph_of(tensor: Any) -> Graph:
    """The finished graph that a symbolic tensor is of; AttributeError where it no longer exists."""
    found = _views.get(tensor._graph_id)
    if found is None:
        raise AttributeError("the graph of this tensor is finished")
    return found


@public("Graph")
class Graph:
    """The graph of a trace, while it is built and afterwards.

    ``Graph()`` is an empty one: graphs are made by tracing functions.

    >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> [operation.type for operation in f.graph.get_operations()]
    ['Placeholder', 'Const', 'AddV2', 'Identity']
    """

    def __init__(self, source: Any = None, name: str = "graph", building: bool = False):
        self._source, self.name, self._building = source, name, building
        self._concrete: Any = None
        self._own = _notes.setdefault(source, Notes()) if building else Notes()
        self._found: dict[str, Operation] | None = None
        self._message: Any = None
        self._attributes: dict[str, dict[str, Any]] | None = None

    @classmethod
    def _of_concrete(cls, concrete: Any) -> Graph:
        """The view of a concrete function's graph, with what only the function knows."""
        made = cls(concrete._graph, concrete._graph.name)
        made._concrete = weakref.ref(concrete)
        made._own = _notes.setdefault(concrete, Notes())
        return made

    @property
    def building_function(self) -> bool:
        """True: graphs are those of functions."""
        return True

    @property
    def finalized(self) -> bool:
        """Whether nothing can be added any more."""
        return not self._building

    def finalize(self) -> None:
        """Nothing for a finished graph; ValueError for one that is being built."""
        if self._building:
            raise ValueError("a graph that is being built is finished by the end of its trace")

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A block whose operations go to this graph, which must be the one that is being built.

        ValueError for another one: graphs are made by tracing functions, and a finished one does
        not change. `graph_util.import_graph_def` runs the nodes of a graph elsewhere.
        """
        self._check_current("operations can be added")
        yield self

    def _check_current(self, what: str) -> None:
        if not self._building or self._source.graph_id != _core.current_graph_id():
            raise ValueError(
                f"{what} only to the graph that is being built here, not to {self!r}: trace a "
                "function with them"
            )

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """As ``fg.name_scope``, in the graph that is being built; None is the outermost scope."""
        self._check_current("a name scope belongs")
        with thread.name_scope(name or "") as scope:
            yield scope

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """As ``fg.control_dependencies``, in the graph that is being built."""
        self._check_current("an order can be given")
        with thread.control_dependencies(
            [
                given.outputs[0] if isinstance(given, Operation) and given.outputs else given
                for given in control_inputs or []
            ]
        ):
            yield

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """As ``fg.device``, in the graph that is being built."""
        self._check_current("a device can be given")
        with thread.device(device_name_or_function):
            yield

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """A block whose operations are on the device of another one, as they all are."""
        self._check_current("a place can be given")
        yield

    def get_name_scope(self) -> str:
        """The name scope where operations are added now; empty for a finished graph."""
        if not self._building or self._source.graph_id != _core.current_graph_id():
            return ""
        return thread.get_current_name_scope()

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no operation has, in the name scope of now: ``name``, or it with a number.

        Without ``mark_as_used`` the next operation may get the same one.
        """
        scope = self.get_name_scope()
        whole = f"{scope}/{name}" if scope else name
        if mark_as_used and self._building:
            found = self._source.unique_name(name)
        else:
            taken = self._own.names.union(*map(_scopes, self._by_name()))
            found, number = whole, 0
            while found in taken:
                number += 1
                found = f"{whole}_{number}"
        if mark_as_used:
            self._own.names.update(_scopes(found))
        return found

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether ``prevent_fetching`` was not called with it."""
        return _operation_name(tensor_or_op) not in self._own.unfetched

    def is_feedable(self, tensor: Any) -> bool:
        """Whether ``prevent_feeding`` was not called with it."""
        return tensor.name not in self._own.unfed

    def prevent_fetching(self, op: Any) -> None:
        """Note that an operation is not to be asked for: ``is_fetchable`` tells it."""
        self._own.unfetched.add(_operation_name(op))

    def prevent_feeding(self, tensor: Any) -> None:
        """Note that a tensor is not to be replaced: ``is_feedable`` tells it."""
        self._own.unfed.add(tensor.name)

    # A graph's named lists of values, which are the program's own: nothing here reads them.

    @property
    def collections(self) -> list:
        """The names of the lists that are there."""
        return list(self._own.collections)

    def get_all_collection_keys(self) -> list[str]:
        """Those of the names that are strings."""
        return [name for name in self._own.collections if isinstance(name, str)]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append a value to the list of that name."""
        self.get_collection_ref(name).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append a value to the lists of those names; a string is one name."""
        single = isinstance(names, str) or not isinstance(names, Iterable)
        for name in [names] if single else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list:
        """The list of that name itself, which is made where there is none."""
        return self._own.collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list:
        """A copy of the list of that name; of values whose own names begin as ``scope`` does."""
        found = self._own.collections.get(name, [])
        if scope is None:
            return list(found)
        import re

        begins = re.compile(scope)
        return [value for value in found if begins.match(getattr(value, "name", None) or "")]

    def clear_collection(self, name: Any) -> None:
        """Forget the list of that name."""
        self._own.collections.pop(name, None)

    def op_def_for_type(self, type: str) -> OpDef:  # noqa: A002 - the public name
        """What is declared of operations of that type; RuntimeError where there are none."""
        found = forms.op_def(type)
        if found is None:
            raise RuntimeError(f"Op type not registered {type!r}")
        return found

    @property
    def version(self) -> int:
        """How many operations there are: it grows with each."""
        return self.num_operations()

    def num_operations(self) -> int:
        """How many operations there are."""
        return len(self._by_name())

    def _consumers(self, name: str) -> list[Operation]:
        """The operations that take the tensor of that name."""
        return [op for op in self._by_name().values() if name in op._node["input"]]

    @property
    def seed(self) -> None:
        """None: graphs have no seed of their own."""
        return None

    @property
    def outer_graph(self) -> None:
        """None: a finished graph stands by itself."""
        return None

    @property
    def operations(self) -> list[Operation]:
        """All operations in program order."""
        return self.get_operations()

    def get_operations(self) -> list[Operation]:
        """All operations in program order."""
        return list(self._by_name().values())

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name; KeyError where there is none."""
        found = self._by_name().get(name)
        if found is None:
            raise KeyError(f"the graph has no operation named {name!r}")
        return found

    def _by_name(self) -> dict[str, Operation]:
        """The operations by name; while the graph is built there are ever more."""
        if self._source is None:
            return {}
        if self._building or self._found is None:
            nodes, tensors = self._source.nodes(), self._source.tensors()
            pairs = zip(nodes, tensors, strict=True)
            self._found = {n["name"]: Operation(self, n, outputs) for n, outputs in pairs}
            _views.update({t._graph_id: self for outputs in tensors for t in outputs})
        return self._found

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of that name, ``operation:output``; KeyError where there is none, ValueError
        for what is no such name."""
        op, colon, index = name.rpartition(":")
        if not colon or not index.isdigit():
            raise ValueError(f"the name of a tensor is 'operation:output', got {name!r}")
        outputs = self.get_operation_by_name(op).outputs
        if int(index) >= len(outputs):
            raise KeyError(f"operation {op!r} has {len(outputs)} outputs, there is no {name!r}")
        return outputs[int(index)]

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_op: bool = True) -> Any:
        """The tensor or operation of that name; a tensor or operation as it is."""
        if not isinstance(obj, str):
            return obj
        if ":" in obj and allow_tensor:
            return self.get_tensor_by_name(obj)
        return self.get_operation_by_name(obj)

    @property
    def inputs(self) -> list:
        """The tensors of the arguments, then those of the captures."""
        return [self.get_tensor_by_name(n) for n in self._source.input_names()]

    @property
    def outputs(self) -> list:
        """The tensors that are returned."""
        return [self.get_tensor_by_name(n) for n in self._source.output_names()]

    @property
    def control_outputs(self) -> list[Operation]:
        """The operations with side effects, which run though no result may need them, in order."""
        return [op for op in self.get_operations() if op._node["writes"]]

    @property
    def captures(self) -> list[tuple]:
        """Pairs of a tensor from outside and its placeholder."""
        return list(zip(self.external_captures, self.internal_captures, strict=True))

    @property
    def external_captures(self) -> list:
        """The tensors from outside that the graph uses."""
        return self._of_function("captured_inputs")

    @property
    def internal_captures(self) -> list:
        """The placeholders of the captures."""
        n = len(self.external_captures)
        return self.inputs[-n:] if n else []

    @property
    def variables(self) -> tuple:
        """The variables that the graph uses."""
        return self._of_function("variables")

    @property
    def trainable_variables(self) -> tuple:
        """Those of them that are trainable."""
        return self._of_function("trainable_variables")

    @property
    def structured_outputs(self) -> Any:
        """The result's structure, with a tensor of the graph for each tensor."""
        return self._of_function("structured_outputs")

    @property
    def structured_input_signature(self) -> Any:
        """The arguments it was traced with, TensorSpecs for tensors: a tuple and a dict."""
        return self._of_function("structured_input_signature")

    def _of_function(self, name: str) -> Any:
        concrete = None if self._concrete is None else self._concrete()
        if concrete is None:
            raise AttributeError(f"only the graph of a ConcreteFunction in use has {name!r}")
        return getattr(concrete, name)

    def as_graph_def(self, *args: Any, **kwargs: Any) -> GraphDef:
        """The nodes in the form of a GraphDef."""
        nodes = [] if self._source is None else self._source.nodes()
        handle = self._source if self._is_finished() else None
        return forms.GraphDef(nodes, self._attributes_by_name(), self._as_message(), handle)

    def _as_message(self) -> Any:
        """The message of a finished graph; an empty one where there is none."""
        if self._message is None or self._building:
            data = b""
            if self._is_finished():
                # A graph with operations that no message can hold has none.
                with contextlib.suppress(errors.UnimplementedError):
                    data = _core.graph_def_bytes(self._source)
            self._message = forms.graph_message(data)
        return self._message

    def _attributes_by_name(self) -> dict[str, dict[str, Any]]:
        """The attributes of the nodes of a finished graph by their names."""
        if self._attributes is None or self._building:
            self._attributes = {node.name: node.attr for node in self._as_message().node}
        return self._attributes

    def to_dot(self) -> str:
        """The picture of a finished graph in the DOT language, which Graphviz draws.

        >>> f = fg.function(lambda x: x + 1).get_concrete_function(fg.TensorSpec([], fg.int32))
        >>> f.graph.to_dot().startswith('digraph')
        True
        """
        return forms.to_dot(self._finished())

    def _repr_html_(self) -> str | None:
        """The graph as a table for notebooks; None while it is built."""
        return forms.to_html(self._source) if self._is_finished() else None

    def _is_finished(self) -> bool:
        return isinstance(self._source, _core.GraphHandle)

    def _finished(self) -> Any:
        if not self._is_finished():
            raise ValueError(
                "a graph that is still being built has no picture: draw it when its trace ends"
            )
        return self._source

    def verify(self) -> list[str]:
        """What breaks the invariants of a finished graph, a line each; empty for a sound one."""
        return self._source.verify() if self._is_finished() else []

    def __str__(self) -> str:
        """A finished graph as text: a line a node with its inputs, attributes and types."""
        return self._source.shown() if self._is_finished() else repr(self)

    def __repr__(self) -> str:
        return f"<Graph {self.name!r}>"
