"""The core of ferrograph in one file: trace, one pass, one conditional, gradients, plan.

It computes with NumPy. Each section names the part of ferrograph that it is a miniature of.
``python docs/miniature.py`` shows the graph of the program at the end, its value and gradients.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

pairs = functools.partial(zip, strict=True)


# 1. Operations (crates/ops): one row each, with all that the system knows of one.
@dataclass(frozen=True)
class Op:
    """An operation: ``gradient(*inputs, output, gradient of output)`` gives one for each input."""

    name: str
    kernel: Callable[..., np.ndarray]
    gradient: Callable[..., tuple] | None = None
    elementwise: bool = True


def summed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a`` summed to the shape of ``b`` where broadcasting had widened ``b``."""
    a = a.sum(tuple(range(a.ndim - b.ndim)))
    axes = tuple(i for i, size in enumerate(b.shape) if size == 1 < a.shape[i])
    return a.sum(axes, keepdims=True)


def like(g: Any, x: Any) -> Any:
    return g if g.shape == x.shape else emit("sum_like", g, x)


OPS = {
    op.name: op
    for op in (
        Op("add", np.add, lambda x, y, out, g: (like(g, x), like(g, y))),
        Op("sub", np.subtract, lambda x, y, out, g: (like(g, x), like(-g, y))),
        Op("mul", np.multiply, lambda x, y, out, g: (like(g * y, x), like(g * x, y))),
        Op("neg", np.negative, lambda x, out, g: (-g,)),
        Op("exp", np.exp, lambda x, out, g: (g * out,)),
        Op("greater", np.greater),
        Op("sum", np.sum, lambda x, out, g: (emit("fill_like", g, x),), elementwise=False),
        Op("sum_like", summed, elementwise=False),
        Op("fill_like", lambda a, b: np.broadcast_to(a, b.shape).copy(), elementwise=False),
    )
}


# 2. Graphs (crates/graph): nodes in the order in which they were emitted.
def emits(name: str, swapped: bool = False) -> Callable:
    return lambda *args: emit(name, *(args[::-1] if swapped else args))


@dataclass(eq=False)
class Node:
    """One operation of a graph, or an input, a constant, a conditional or one of its results."""

    op: str
    inputs: list[Node]
    graph: Graph
    shape: tuple[int, ...]
    dtype: np.dtype
    value: Any = None  # of a constant: the array; of a "result": its number
    branches: tuple[Graph, ...] = ()

    __array_ufunc__ = None  # so that NumPy's arrays leave operators to the node
    __add__, __mul__, __sub__, __gt__, __neg__ = map(emits, ("add", "mul", "sub", "greater", "neg"))
    __radd__, __rmul__, __lt__ = __add__, __mul__, emits("greater", swapped=True)
    __rsub__ = emits("sub", swapped=True)

    def __bool__(self) -> bool:
        raise TypeError("the bool of a symbolic tensor is not known while tracing")


@dataclass(eq=False)
class Graph:
    """A function of tensors. ``captured`` are the nodes of outer graphs that it uses, by id."""

    outer: Graph | None = None
    nodes: list[Node] = field(default_factory=list)
    inputs: list[Node] = field(default_factory=list)
    outputs: list[Node] = field(default_factory=list)
    captured: dict[int, tuple[Node, Node]] = field(default_factory=dict)

    def add(self, op: str, inputs: list[Node], like: Any, **more: Any) -> Node:
        node = Node(op, inputs, self, tuple(like.shape), np.dtype(like.dtype), **more)
        self.nodes.append(node)
        return node

    def own(self, node: Node) -> Node:
        """The node of this graph that has the value of one of an outer graph, which is captured."""
        if node.graph is self:
            return node
        if self.outer is None:
            raise TypeError("a symbolic tensor of another trace is used: return it instead")
        if id(node) not in self.captured:
            self.outer.own(node)  # a capture of the outer graph, too, if it is from further out
            self.captured[id(node)] = node, self.add("input", [], node)
        return self.captured[id(node)][1]

    def constant(self, value: Any) -> Node:
        array = np.asarray(value, np.float32 if isinstance(value, float) else None)
        return self.add("constant", [], array, value=array)


# 3. Tensors (crates/python): a symbolic tensor is a node, all else is computed at once.
TRACE: list[Graph] = []  # the graphs that are being traced, the innermost one last
UNDEFINED = object()  # what a name is that was not set before the `if`


def emit(name: str, *args: Any) -> Any:
    """An operation on values: a node of the current graph where one of them is symbolic."""
    kernel, graph = OPS[name].kernel, TRACE[-1] if TRACE else None
    if not any(isinstance(a, Node) for a in args):
        return kernel(*map(np.asarray, args))
    nodes = [graph.own(a) if isinstance(a, Node) else graph.constant(a) for a in args]
    zeros = (np.zeros(n.shape, n.dtype) for n in nodes)  # whose result tells the static shape
    return graph.add(name, nodes, np.asarray(kernel(*zeros)))


def trace(function: Callable, specs: list[Any], outer: Graph | None = None) -> Graph:
    """The graph of a Python function of arguments of these shapes and dtypes."""
    graph = Graph(outer)
    graph.inputs = [graph.add("input", [], spec) for spec in specs]
    TRACE.append(graph)
    try:
        results = function(*graph.inputs)
    finally:
        TRACE.pop()
    results = results if isinstance(results, tuple) else (results,)
    graph.outputs = [graph.own(r) if isinstance(r, Node) else graph.constant(r) for r in results]
    return graph


# 4. AutoGraph (python: autograph): `if` becomes a call that decides or stages.
class Conversion(ast.NodeTransformer):
    """Turns each `if` into two functions of the names that it sets, and a call of ``if_stmt``."""

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        inner = [n for part in (*node.body, *node.orelse) for n in ast.walk(part)]
        names = sorted({n.id for n in inner if isinstance(getattr(n, "ctx", None), ast.Store)})
        if any(isinstance(n, ast.Return) for n in inner):
            raise SyntaxError(f"line {node.lineno}: return in an `if`: set a name, return it later")
        self.generic_visit(node)
        line, listed = node.lineno, ", ".join(names)
        known = ", ".join(f"locals().get({n!r}, UNDEFINED)" for n in names)
        branch = f"({listed}): return ({listed},)"
        call = f"({listed},) = if_stmt(0, then, orelse, ({known},), {names!r}, {line})"
        then, orelse, call = ast.parse(f"def then{branch}\ndef orelse{branch}\n{call}").body
        then.body[:0], orelse.body[:0] = node.body, node.orelse
        call.value.args[0] = node.test
        return [then, orelse, call]


def converted(function: Callable) -> Callable:
    """A function with its `if` statements converted."""
    tree = Conversion().visit(ast.parse(textwrap.dedent(inspect.getsource(function))))
    ast.fix_missing_locations(tree)
    names = {**function.__globals__, "if_stmt": if_stmt, "UNDEFINED": UNDEFINED}
    exec(compile(tree, inspect.getsourcefile(function) or "", "exec"), names)
    return names[function.__name__]


def if_stmt(test: Any, then: Callable, orelse: Callable, values: tuple, *place: Any) -> tuple:
    """The values of the names after an `if`: of both branches where the test is symbolic."""
    if not isinstance(test, Node):
        return then(*values) if test else orelse(*values)
    graph, (names, line) = TRACE[-1], place
    branches = tuple(trace(functools.partial(b, *values), [], graph) for b in (then, orelse))
    for name, a, b in pairs(names, branches[0].outputs, branches[1].outputs):
        if np.dtype(object) in (a.dtype, b.dtype):
            raise NameError(f"line {line}: {name!r} is set in one branch only")
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise TypeError(f"line {line}: {name!r} has two shapes or dtypes after the `if`")
    return conditional(graph, test, branches)


def conditional(graph: Graph, test: Node, branches: tuple[Graph, ...]) -> tuple[Node, ...]:
    """A conditional of two graphs, both of which take what either of them captures."""
    outside = {key: pair[0] for b in branches for key, pair in b.captured.items()}
    for branch in branches:
        branch.inputs = [branch.own(node) for node in outside.values()]
    inputs = [graph.own(node) for node in (test, *outside.values())]
    chosen = graph.add("cond", inputs, branches[0].outputs[0], branches=branches)
    outputs = enumerate(branches[0].outputs)
    return tuple(graph.add("result", [chosen], out, value=i) for i, out in outputs)


# 5. Gradients (crates/transform): the rules of the operations, from the outputs back.
def accumulate(graph: Graph, upstream: list[Node]) -> dict[int, Any]:
    """By id: the gradients of the nodes of a graph, where those of its outputs are given."""
    found: dict[int, Any] = {}

    def give(node: Node, gradient: Any) -> None:
        if gradient is not None and node.dtype.kind == "f":
            found[id(node)] = found[id(node)] + gradient if id(node) in found else gradient

    for out, gradient in pairs(graph.outputs, upstream):
        give(out, gradient)
    results: dict[int, dict[int, Any]] = {}
    for node in list(reversed(graph.nodes)):
        gradient = found.get(id(node))
        if node.op == "result" and gradient is not None:
            results.setdefault(id(node.inputs[0]), {})[node.value] = gradient
        elif node.op == "cond" and id(node) in results:
            for inner, g in pairs(node.inputs[1:], cond_gradient(node, results[id(node)])):
                give(inner, g)
        elif node.op in OPS and gradient is not None and OPS[node.op].gradient:
            for inner, g in pairs(node.inputs, OPS[node.op].gradient(*node.inputs, node, gradient)):
                give(inner, g)
    return found


def cond_gradient(node: Node, given: dict[int, Any]) -> tuple[Node, ...]:
    """The gradients of what a conditional captures: a conditional of the branches' gradients, in
    which each branch runs once more. The real one keeps what its gradient needs."""
    test, *captured = node.inputs

    def of(branch: Graph) -> Callable:
        def gradients() -> tuple:
            values = dict(pairs(map(id, branch.inputs), captured))
            copy(branch, TRACE[-1], values)
            outputs = [TRACE[-1].own(values[id(out)]) for out in branch.outputs]
            here = Graph(nodes=TRACE[-1].nodes[:], outputs=outputs)
            zeros = [np.zeros(out.shape, out.dtype) for out in branch.outputs]
            upstream = [given.get(i, TRACE[-1].constant(z)) for i, z in enumerate(zeros)]
            found = accumulate(here, upstream)
            own = map(TRACE[-1].own, captured)
            return tuple(found.get(id(o), np.zeros(o.shape, o.dtype)) for o in own)

        return gradients

    branches = tuple(trace(of(branch), [], TRACE[-1]) for branch in node.branches)
    return conditional(TRACE[-1], test, branches)


# 6. One pass (crates/transform): constant folding, common subexpressions and dead code at once.
def copy(graph: Graph, to: Graph, values: dict[int, Any]) -> None:
    """Emit the nodes of a graph into another one; ``values`` has its inputs and gets the rest."""
    seen: dict[tuple, Node] = {}
    for node in graph.nodes:
        if id(node) in values:
            continue
        inputs = [to.own(values[id(n)]) for n in node.inputs]
        constants = [n.value for n in inputs if n.op == "constant"]
        key = (node.op, *map(id, inputs)) if node.op in OPS else (id(node),)
        if node.op == "constant":
            key = (node.dtype, node.shape, node.value.tobytes())
        if node.op in OPS and len(constants) == len(inputs):
            seen[key] = to.constant(np.asarray(OPS[node.op].kernel(*constants)))
        elif key not in seen:
            more = {"value": node.value, "branches": node.branches}
            seen[key] = to.add(node.op, inputs, node, **more)
        values[id(node)] = seen[key]


def optimized(graph: Graph) -> Graph:
    """The same function with fewer nodes."""
    result = Graph()
    result.inputs = [result.add("input", [], node) for node in graph.inputs]
    values = dict(pairs(map(id, graph.inputs), result.inputs))
    copy(graph, result, values)
    result.outputs = [values[id(out)] for out in graph.outputs]
    live = {id(node) for node in (*result.inputs, *result.outputs)}
    for node in reversed(result.nodes):
        live.update(id(n) for n in node.inputs if id(node) in live)
    result.nodes = [node for node in result.nodes if id(node) in live]
    for node in result.nodes:
        node.branches = tuple(map(optimized, node.branches))
    return result


# 7. Plans (crates/runtime): steps over slots, whose arrays are used again once nobody reads them.
@dataclass
class Plan:
    """Steps: kernel, slots of the inputs, of the output, and whether that is the first input's."""

    steps: list[tuple[Callable, list[int], int, bool]]
    constants: dict[int, np.ndarray]
    inputs: list[int]
    outputs: list[int]
    n_slots: int

    def run(self, *args: Any) -> list[np.ndarray]:
        slots: list[Any] = [None] * self.n_slots
        for slot, value in (*self.constants.items(), *pairs(self.inputs, args)):
            slots[slot] = value
        for kernel, inputs, output, in_place in self.steps:
            values = [slots[i] for i in inputs]
            slots[output] = kernel(*values, out=values[0]) if in_place else kernel(*values)
        return [slots[i] for i in self.outputs]


def kernel(node: Node) -> Callable:
    """What a step calls."""
    if node.op in OPS:
        return OPS[node.op].kernel
    if node.op == "result":
        return lambda values: values[node.value]
    then, orelse = map(planned, node.branches)
    return lambda test, *captured: (then if test else orelse).run(*captured)


def planned(graph: Graph) -> Plan:
    """The steps of a graph. A slot is free after its last use (liveness); an elementwise step
    writes over its first input where that ends with it."""
    last = {id(n): i for i, node in enumerate(graph.nodes) for n in node.inputs}
    last |= {id(out): len(graph.nodes) for out in graph.outputs}
    slots: dict[int, int] = {}
    steps, constants, free, count = [], {}, [], 0
    owned: set[int] = set()  # nodes whose arrays the plan itself has made
    for i, node in enumerate(graph.nodes):
        ends = [n for n in dict.fromkeys(node.inputs) if last[id(n)] == i and id(n) in owned]
        first = node.inputs[0] if node.inputs else None
        in_place = node.op in OPS and OPS[node.op].elementwise and node.shape and first in ends
        in_place = in_place and (first.shape, first.dtype) == (node.shape, node.dtype)
        if in_place:
            ends.remove(first)
            slots[id(node)] = slots[id(first)]
        elif free and node.op != "constant":  # constants are there from the start
            slots[id(node)] = free.pop()
        else:
            slots[id(node)], count = count, count + 1
        free += [slots[id(n)] for n in ends]
        slot, inputs = slots[id(node)], [slots[id(n)] for n in node.inputs]
        if node.op == "constant":
            constants[slot] = node.value
        elif node.op != "input":
            steps.append((kernel(node), inputs, slot, in_place))
            owned.update([id(node)] if node.op in OPS else [])
    inputs, outputs = ([slots[id(n)] for n in part] for part in (graph.inputs, graph.outputs))
    return Plan(steps, constants, inputs, outputs, count)


# 8. Functions (crates/runtime: cache; python: function): a trace for each signature.
class Function:
    """A Python function, or that of the gradients of the sum of its result by each argument: traced
    once for each shape and dtype of the arguments."""

    def __init__(self, python: Callable, is_gradient: bool = False):
        self.python, self.is_gradient = converted(python), is_gradient
        self.traces: dict[tuple, tuple[Graph, Plan]] = {}

    def trace(self, *args: Any) -> tuple[Graph, Plan]:
        key = tuple((a.shape, a.dtype) for a in args)
        if key not in self.traces:
            graph = optimized(trace(self.whole, list(args)))
            self.traces[key] = graph, planned(graph)
        return self.traces[key]

    def whole(self, *args: Node) -> Any:
        """What is traced: the function, or its gradients by the arguments."""
        result = self.python(*args)
        if self.is_gradient:
            graph = args[0].graph
            graph.outputs = [result]
            found = accumulate(graph, [graph.constant(np.ones(result.shape, result.dtype))])
            result = tuple(found.get(id(a), np.zeros(a.shape, a.dtype)) for a in args)
        return result

    def __call__(self, *args: Any) -> Any:
        arrays = [np.asarray(a, np.float32) for a in args]
        found = self.trace(*arrays)[1].run(*arrays)
        return found[0] if len(found) == 1 else tuple(found)


def shown(graph: Graph, indent: str = "") -> str:
    """A graph as text: a line for each node."""
    names = {id(node): f"%{i}" for i, node in enumerate(graph.nodes)}
    lines: list[str] = []
    for node in graph.nodes:
        called = f"{node.op}({', '.join(names[id(n)] for n in node.inputs)})"
        lines.append(f"{indent}{names[id(node)]} = {called}: {node.dtype}{list(node.shape)}")
        lines += [shown(branch, indent + "    ") for branch in node.branches]
    return "\n".join([*lines, f"{indent}return " + ", ".join(names[id(n)] for n in graph.outputs)])


if __name__ == "__main__":

    def energy(x, y):
        z = x - y
        if emit("sum", x) > 1.0:
            z = emit("exp", x * y) * (2.0 * 3.0)
        return emit("sum", z * z)

    values = np.float32([1.0, 0.5]), np.float32([0.1, 0.2])
    graph, plan = Function(energy).trace(*values)
    print(shown(graph), f"{len(plan.steps)} steps over {plan.n_slots} slots", sep="\n")
    print(Function(energy)(*values), Function(energy, is_gradient=True)(*values))
