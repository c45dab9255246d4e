"""Where the values come from that do not fit together, and what to paste to make them fit."""

from __future__ import annotations

from ..context import sources
from ..context.thread import current_region
from ..hints import Any
from ..values import dtypes, errors
from . import values

_NUMBERS = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str"}


def source(side: str, value: Any, region: Any = None) -> list[str]:
    """What a value, named by the side it is on, is, and the line that made it.

    ``region`` is the one that its tensor belongs to, if that is not the function's.
    """
    kind = _NUMBERS.get(type(value))
    if kind is not None:
        return [f"  {side}: the Python {kind} {errors.shown(value)}"]
    if not hasattr(value, "dtype"):
        return [f"  {side}: {type(value).__name__}"]
    text = f"  {side}: {dtypes.as_dtype(value.dtype).name}{_shape(value)}"
    place = _place(value, region or current_region())
    if place is None:
        return [text]
    file, line = place
    shown = sources.line(file, line).strip()
    return [f"{text}, made at {file}:{line}", *([f"    {shown}"] if shown else [])]


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return "" if shape is None else f" of shape {shape}"


def _place(value: Any, region: Any) -> tuple[str, int] | None:
    """The file and line of the operation of ``region`` that made a tensor; None for others."""
    known = values.is_tensor(value) and region is not None
    if not known or region.graph_id != value._graph_id:
        return None
    name = value.name.rpartition(":")[0]
    for node in region.nodes():
        if node["name"] == name and node["op"] != "Placeholder" and node["origin"]:
            return node["origin"][:2]
    return None


def wider(first: Any, second: Any) -> Any:
    """Of two dtypes the one that the other is cast to."""
    order = [dtypes.bool, *_INTEGERS, dtypes.float16, dtypes.float32, dtypes.float64]
    known = [d for d in (first, second) if d in order]
    return max(known, key=order.index) if len(known) == 2 else first


_INTEGERS = (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def cast(label: str, dtype: Any) -> str:
    """The statement that gives a place another dtype."""
    return f"`{label} = fg.cast({label}, fg.{dtype.name})`"


def invariant(label: str, shape: list | None) -> str:
    """The statement that lets the shape of a variable of a loop change."""
    text = "None" if shape is None else str(shape)
    return (
        "`fg.autograph.experimental.set_loop_options(shape_invariants="
        f"[({label}, fg.TensorShape({text}))])`"
    )
