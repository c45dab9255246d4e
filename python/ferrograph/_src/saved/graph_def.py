"""``import_graph_def``: the nodes of a message, run here."""

from __future__ import annotations

from typing import Any

from ..function.concrete import ConcreteFunction
from ..native import _core
from ..ops._dispatch import told
from ..values.errors import shown
from ..values.public import public
from .foreign import expand

__all__ = ["import_graph_def"]


@public("graph_util.import_graph_def", "import_graph_def")
@told
def import_graph_def(
    graph_def: Any,
    input_map: dict[str, Any] | None = None,
    return_elements: Any = None,
    name: str | None = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Run the nodes of a GraphDef: now, or as part of the function that is being traced.

    >>> double = fg.function(lambda x: x + x).get_concrete_function(fg.TensorSpec([], fg.int32))
    >>> message = double.graph.as_graph_def()
    >>> found = fg.graph_util.import_graph_def(message, {"x:0": fg.constant(4)}, ["Identity:0"])
    >>> int(found[0])
    8

    Args:
      graph_def: what `Graph.as_graph_def` gives, another message with ``SerializeToString``, or the
        bytes of one.
      input_map: the values of its placeholders, by their names.
      return_elements: names of tensors, ``node:0``.
      name: of the nodes.
      producer_op_list: kept.

    Returns:
      the tensors of ``return_elements``; None without these.

    Raises:
      ValueError: for a placeholder that has no value, a name that is no tensor's, or another node
        in ``input_map``.
      UnimplementedError: for an operation that there is not here; the node is named.
    """
    content = (
        graph_def.SerializeToString() if hasattr(graph_def, "SerializeToString") else graph_def
    )
    given = {str(key).removesuffix(":0"): value for key, value in (input_map or {}).items()}
    wanted = list(return_elements or ())
    for element in wanted:
        if not isinstance(element, str) or ":" not in element:
            raise ValueError(f"return_elements must be names like 'node:0', got {shown(element)}")
    graph, free = _core.graph_of_def(content, name or "import", list(given), wanted, expand)
    if free:
        raise ValueError(f"input_map has no value for the placeholders {free}")
    fields: dict[str, Any] = {
        "_template": list(range(len(wanted))),
        "_function_name": name or "import",
        "_params": [],
        "_traced_args": (),
        "_traced_kwargs": {},
        "_bound": [],
        "_kept_types": {},
        "_with_instance": None,
    }
    made = ConcreteFunction._of_graph(graph, [], fields)
    found = made._call_flat([_core.convert_to_tensor(value) for value in given.values()])
    return found if return_elements is not None else None
