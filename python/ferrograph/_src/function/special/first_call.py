"""Variables that a function makes on its first call, and whether one trace is enough for all calls.

A trace that made variables has run code that later calls skip. Where that code is behind plain
tests at the beginning of the function, such as ``if self.v is None: self.v = Variable(...)``, and
these are false from now on, the trace without the nodes of that code is the trace of all calls.
Branches and loops that made variables were traced again already. Anything else is traced a second
time, which also detects functions that make a variable at every call.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from ...autograph.convert.parse import parse
from ...context import thread
from ...heap.source_location import ConversionError
from ...native import _core

__all__ = ["settle"]


def settle(
    function: Any, creation: Any, region: Any, tensors: list[Any], called: tuple[Any, ...]
) -> bool:
    """Initialise the variables that a trace made. Whether the trace serves later calls, too.

    ``tensors`` are those of the call, ``called`` the arguments of the Python function. Where the
    call has types in place of tensors, the tensors that the function was traced with are used.
    """
    inside = function._tensors_of(*called)
    if len(inside) != len(tensors):
        tensors = inside
    _initialise(creation, region, tensors)
    if not creation.is_in_graph:
        return True
    once = creation.n_nodes > 0 and _happens_once(function, creation, *called)
    return once and region.drop_first(creation.n_nodes, creation.n_outputs)


def _initialise(creation: Any, region: Any, tensors: list[Any]) -> None:
    """Give the variables their first values, in the order of their making.

    Where the function is called while another one is traced, its arguments have no values yet:
    what a variable begins with must not depend on them.
    """
    place = creation.n_outputs
    unknown = {i for i, tensor in enumerate(tensors) if _core.is_symbolic(tensor)}
    shaped = {i for i in unknown if tensors[i].shape.is_fully_defined()}
    if unknown:
        with thread.init_scope():
            tensors = [_stand_in(t) if i in unknown else t for i, t in enumerate(tensors)]
    sources = _Sources(region, shaped) if unknown else None
    for (weak, value), line in zip(creation.made, creation.lines, strict=True):
        variable = weak()
        if variable is None:
            raise ValueError(
                f"the Variable made at {line} is not kept, so that each call would make a new one. "
                "Create it once, outside the function or behind a guard such as "
                "`if self.v is None: self.v = Variable(...)`"
            )
        if value is not None:
            if sources is not None and unknown & sources.behind(value.name):
                raise ValueError(
                    f"the Variable made at {line} begins with a value that depends on an argument "
                    "of the traced function, which has no value yet while that function, or one "
                    "that calls it, is traced and not called. Make the Variable before, call the "
                    "function once, or give it an initial value that does not depend on arguments"
                )
            _refuse_written(region, value.name, line)
            variable._initialise(region.evaluate(place, tensors))
            place += 1


def _refuse_written(region: Any, name: str, line: str) -> None:
    """Refuse a first value made of a variable that the call has written before: it is given before
    the call runs."""
    nodes = region.nodes()
    if not any(node["writes"] for node in nodes):
        return
    behind, written = _Sources(region, set()).nodes_behind(name), set[str]()
    for node in nodes:
        if node["name"] in behind and not written.isdisjoint(node["input"]):
            raise ValueError(
                f"the Variable made at {line} begins with a value that depends on a variable which "
                "the traced function has assigned before, and is given that value before the "
                "function runs. Make the Variable before the function is called, or before the "
                "assignment"
            )
        written |= set(node["input"]) if node["writes"] else set()


# Operations whose results depend on the shape of what they take alone.
_OF_SHAPES = ("Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike")


def _stand_in(tensor: Any) -> Any:
    """A tensor that has a value, of the same dtype and rank, and of the sizes that are known."""
    shape = [] if tensor.shape.rank is None else [size or 1 for size in tensor.shape.as_list()]
    nothing: Any = {"string": "", "bool": False}.get(tensor.dtype.name, 0)
    nothing = _core.convert_to_tensor(nothing, tensor.dtype)
    return _core.emit("Fill", (_core.convert_to_tensor(shape, "int32"), nothing))


class _Sources:
    """Of the tensors of a graph, on the elements of which of its inputs they depend.

    On inputs that are ``shaped``, and on what else has a known shape, they may depend by that.
    """

    def __init__(self, region: Any, shaped: set[int]):
        self._nodes = {node["name"]: node for node in region.nodes()}
        self._numbers = {known: i for i, known in enumerate(region.graph().input_names())}
        self._shaped = shaped

    def _is_shaped(self, tensor: str) -> bool:
        """Whether the shape of a tensor is known."""
        if tensor in self._numbers:
            return self._numbers[tensor] in self._shaped
        name, _, index = tensor.rpartition(":")
        _, shape = self._nodes[name]["output"][int(index)]
        return shape.is_fully_defined()

    def behind(self, name: str) -> set[int]:
        """The inputs behind a tensor, by their numbers."""
        return self._walk(name)[0]

    def nodes_behind(self, name: str) -> set[str]:
        """The operations behind a tensor, by their names."""
        return {tensor.rpartition(":")[0] for tensor in self._walk(name)[1]}

    def _walk(self, name: str) -> tuple[set[int], set[str]]:
        found: set[int] = set()
        waiting, seen = [name], set()
        while waiting:
            tensor = waiting.pop()
            if tensor in seen:
                continue
            seen.add(tensor)
            if tensor in self._numbers:
                found.add(self._numbers[tensor])
            node = self._nodes.get(tensor.rpartition(":")[0])
            if node is not None:
                by_shape = node["op"] in _OF_SHAPES
                waiting += [i for i in node["input"] if not (by_shape and self._is_shaped(i))]
        return found, seen


def _happens_once(
    function: Any, creation: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> bool:
    """Whether all variables were made behind guards that would refuse a second time."""
    target = getattr(function.python_function, "__func__", function.python_function)
    if type(target) is not types.FunctionType or target.__code__.co_name == "<lambda>":
        return False
    guards = _guards(target)
    if not guards:
        return False
    lines = [_line_in(place, target.__code__.co_filename) for place in creation.lines]
    used = []
    for line in lines:
        guard = next((g for g in guards if _is_within(line, g.body)), None)
        if guard is None:
            return False
        used.append(guard)
    last = used[-1]
    if not _nothing_follows(last, lines[-1]):
        return False
    names = _names(target, args, kwargs)
    return all(_refuses(guard.test, names, target.__globals__) for guard in used)


def _line_in(place: str, filename: str) -> int:
    """The line of a place, 0 where it is in another file."""
    file, _, line = place.rpartition(":")
    return int(line) if file == filename else 0


def _guards(target: types.FunctionType) -> list[ast.If]:
    """The ``if`` statements that a function begins with, where they have no ``else``."""
    try:
        body = parse(target).node.body
    except ConversionError:
        return []
    found = []
    for statement in body if isinstance(body, list) else []:
        if isinstance(statement, ast.If) and not statement.orelse and _is_plain(statement):
            found.append(statement)
        elif not _is_docstring(statement):
            break
    return found


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_plain(guard: ast.If) -> bool:
    """Whether a guard only looks at names and attributes, and its body only assigns what outlives
    the call."""
    allowed = (
        ast.UnaryOp,
        ast.Not,
        ast.Compare,
        ast.Is,
        ast.NotIn,
        ast.Name,
        ast.Attribute,
        ast.Constant,
        ast.Load,
    )
    test = guard.test
    if _is_hasattr(test):
        return all(_is_kept(s) for s in guard.body)
    return all(isinstance(n, allowed) for n in ast.walk(test)) and all(map(_is_kept, guard.body))


def _is_hasattr(test: ast.expr) -> bool:
    """``not hasattr(name, "attribute")``."""
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        return False
    call = test.operand
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "hasattr"
        and len(call.args) == 2
        and isinstance(call.args[0], ast.Name)
        and isinstance(call.args[1], ast.Constant)
        and not call.keywords
    )


def _is_kept(statement: ast.stmt) -> bool:
    """An assignment to attributes or items, or ``.append(...)``: no local name is left behind."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(t, (ast.Attribute, ast.Subscript)) for t in statement.targets)
    value = getattr(statement, "value", None)
    return (
        isinstance(statement, ast.Expr)
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "append"
        and len(value.args) == 1
    )


def _is_within(line: int, body: list[ast.stmt]) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or body[-1].lineno)


def _nothing_follows(guard: ast.If, line: int) -> bool:
    """Whether the variable made last is all that its statement makes, and the statements behind it
    assign constants."""
    statements = [s for s in guard.body if (s.end_lineno or s.lineno) >= line]
    first, rest = statements[0], statements[1:]
    value = first.value if isinstance(first, (ast.Assign, ast.Expr)) else None
    if isinstance(first, ast.Expr) and isinstance(value, ast.Call):
        value = value.args[0]
    if not (isinstance(value, ast.Call) and _ends_in_variable(value.func)):
        return False
    return all(isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) for s in rest)


def _ends_in_variable(func: ast.expr) -> bool:
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)
    return name == "Variable"


def _names(
    target: types.FunctionType, args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> dict[str, Any]:
    """The values of the parameters and of the names of outer functions."""
    code = target.__code__
    names = dict(zip(code.co_varnames[: code.co_argcount], args, strict=False)) | kwargs
    for name, cell in zip(code.co_freevars, target.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not set yet
            continue
    return names


def _refuses(test: ast.expr, names: dict[str, Any], outside: dict[str, Any]) -> bool:
    """Whether a guard's test says no by now."""
    code = compile(ast.Expression(test), "<guard>", "eval")
    try:
        return eval(code, dict(outside), names) is False
    except Exception:  # what cannot be evaluated is left to a second trace
        return False
