"""The graph of a function in the form of a FunctionDef: its signature, its nodes, its results."""

from __future__ import annotations

from ..values import dtypes
from .graph import Graph, NodeDef

__all__ = ["ArgDef", "FunctionDef", "OpDef", "function_def"]

_TYPES = {
    "float16": "HALF",
    "float32": "FLOAT",
    "float64": "DOUBLE",
}


class ArgDef:
    """An argument or a result: ``name``, and in ``type`` the number of its dtype."""

    def __init__(self, name: str, dtype: dtypes.DType):
        self.name, self.type = name, dtype.as_datatype_enum
        self._dtype = dtype

    def __repr__(self) -> str:
        kind = _TYPES.get(self._dtype.name, self._dtype.name.upper())
        return f'name: "{self.name}"\ntype: DT_{kind}\n'


class OpDef:
    """What a function takes and gives: ``name``, ``input_arg``, ``output_arg``."""

    def __init__(self, name: str, inputs: list[ArgDef], outputs: list[ArgDef]):
        self.name, self.input_arg, self.output_arg = name, inputs, outputs

    def __repr__(self) -> str:
        found = f'name: "{self.name}"\n'
        for kind, arguments in (("input_arg", self.input_arg), ("output_arg", self.output_arg)):
            found += "".join(f"{kind} {_block(argument)}\n" for argument in arguments)
        return found


class FunctionDef:
    """A function: ``signature``, ``node_def``, and in ``ret`` the tensor of each result."""

    def __init__(self, signature: OpDef, nodes: list[NodeDef], ret: dict[str, str]):
        self.signature, self.node_def, self.ret = signature, nodes, ret

    def __repr__(self) -> str:
        rows = "".join(f"node_def: {node}\n" for node in self.node_def)
        ret = "".join(f'ret {{\n  key: "{k}"\n  value: "{v}"\n}}\n' for k, v in self.ret.items())
        return f"signature {_block(self.signature)}\n{rows}{ret}"


def _block(message: ArgDef | OpDef) -> str:
    inner = "".join(f"  {line}\n" for line in repr(message).splitlines())
    return f"{{\n{inner}}}"


def function_def(graph: Graph) -> FunctionDef:
    """The form of a graph's function; arguments are no nodes of it."""
    taken = [ArgDef(tensor.name.partition(":")[0], tensor.dtype) for tensor in graph.inputs]
    given = [(f"identity_{i}" if i else "identity", t) for i, t in enumerate(graph.outputs)]
    names = {argument.name for argument in taken}
    nodes = [node for node in graph.as_graph_def().node if node.name not in names]
    for node in nodes:
        node.input = [_source(graph, name, names) for name in node.input]
    signature = OpDef(graph.name, taken, [ArgDef(n, t.dtype) for n, t in given])
    ret = {name: _source(graph, tensor.name, names) for name, tensor in given}
    return FunctionDef(signature, nodes, ret)


def _source(graph: Graph, name: str, arguments: set[str]) -> str:
    """Where a value in a function comes from: an argument, or ``node:output:number``."""
    node, _, number = name.partition(":")
    if name.startswith("^") or node in arguments:
        return node
    op, index = graph.get_operation_by_name(node), int(number or 0)
    outputs = op.op_def.output_arg if op.op_def is not None else []
    if len(outputs) == 1:
        return f"{node}:{outputs[0].name}:{index}"
    if len(outputs) == len(op.outputs):
        return f"{node}:{outputs[index].name}:0"
    return f"{node}:output:{index}"
