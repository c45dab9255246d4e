"""Operations in imported graphs that do not exist here, and the graphs that replace them.

A rule takes the inputs of a node, as tensors, and its attributes, and returns the results in order,
a list for a result that is a list. It is traced once for each such node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..function.function import Function
from ..native import _core
from ..values.tensor_spec import TensorSpec
from . import foreign_dense, foreign_sparse, foreign_state

__all__ = ["expand"]

# By operation: the names of its results, and what gives them.
_RULES: dict[str, tuple[str, Callable[..., Any]]] = {
    **foreign_dense.RULES,
    **foreign_sparse.RULES,
    **foreign_state.RULES,
}


def expand(
    op: str, attributes: dict[str, Any], inputs: Sequence[tuple[Any, Any, Any]]
) -> tuple[Any, list[str]] | None:
    """The graph of an operation and the names of its results; None for one without a rule.

    Each input is a shape, a dtype and, where it is constant, its value. ValueError for a node that
    lacks something, NotImplementedError for what a rule does not cover.
    """
    if op not in _RULES:
        return None
    names, rule = _RULES[op]
    counts: list[int] = []

    def traced(*tensors: Any) -> list[Any]:
        constants = [c for _, _, c in inputs]
        known = [
            t if c is None else _core.emit("Const", (), {"value": c})
            for t, c in zip(tensors, constants, strict=True)
        ]
        results = rule(known, attributes)
        results = results if isinstance(results, (list, tuple)) else [results]
        counts[:] = [len(r) if isinstance(r, list) else 1 for r in results]
        return [t for r in results for t in (r if isinstance(r, list) else [r])]

    specs = [TensorSpec(shape, dtype) for shape, dtype, _ in inputs]
    try:
        made = Function(traced, autograph=False, name=op).get_concrete_function(*specs)
    except (KeyError, IndexError) as e:
        raise ValueError(f"the node lacks an attribute or an input: {e}") from e
    ports = zip(names.split(), counts, strict=True)
    return made._graph, [name for name, count in ports for _ in range(count)]
