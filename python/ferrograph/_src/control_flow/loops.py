"""``while_loop``: Python's ``while`` when run eagerly, else a staged loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ops
from ..context.hooks import hooks
from ..native import _core
from ..ops._numbers import whole
from ..staging import while_loops
from ..symbolic import values
from ..values import nest
from ..values.public import public

__all__ = ["while_loop"]


@public("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeat ``loop_vars = body(*loop_vars)`` while ``cond(*loop_vars)``; the last ``loop_vars``.

    Variables keep their structure, dtype and shape from one iteration to the next, except in the
    dimensions that ``shape_invariants`` leaves open.

    >>> i, total = fg.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), [0, 0])
    >>> int(total)
    6

    Args:
      cond: a function of the loop variables that gives a scalar bool.
      body: a function of the loop variables that gives the next ones.
      loop_vars: a list or tuple of tensors or structures of such, or one of them; one at least.
      shape_invariants: a shape or ``TensorSpec`` for each loop variable, with None for dimensions
        that change; by default none do.
      parallel_iterations, swap_memory: accepted, and change nothing.
      back_prop: a bool; False lets no gradient through a staged loop, and changes nothing eagerly.
        True by default.
      maximum_iterations: an int or an integer scalar, how many iterations run at most; None, the
        default, sets no bound.
      name: of no effect.

    Returns:
      The last loop variables, in the structure of loop_vars.

    Raises:
      TypeError: where cond or body is no function; in a graph, also where a variable changes its
        dtype.
      ValueError: without loop variables, and where their structure changes; in a graph, also where
        a variable changes its shape.
    """
    if not callable(cond) or not callable(body):
        raise TypeError("while_loop needs two functions, cond and body")
    if not isinstance(loop_vars, (list, tuple)):
        loop_vars = [loop_vars]
    if not loop_vars:
        raise ValueError("while_loop needs loop variables")
    if values.is_eager():
        return _eager_loop(cond, body, loop_vars, maximum_iterations)
    limit = maximum_iterations
    if limit is not None and not isinstance(limit, (_core.Tensor, _core.VariableBase)):
        maximum_iterations = whole(limit, "while_loop: maximum_iterations")
    shapes = None if shape_invariants is None else _as_list(shape_invariants)
    going, step = hooks.converted_callback(cond), hooks.converted_callback(body)
    found = while_loops.stage_while_loop(going, step, loop_vars, shapes, maximum_iterations)
    return found if back_prop else without_gradient(found)


def without_gradient(value: Any) -> Any:
    """What a staged loop gives whose ``back_prop`` is False; eagerly ``value`` itself."""
    if values.is_eager():
        return value
    return nest.map_structure(
        lambda leaf: ops.stop_gradient(leaf) if isinstance(leaf, _core.Tensor) else leaf,
        value,
        expand_composites=True,
    )


def _eager_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any], limit: Any
) -> Any:

    structure, count = loop_vars, 0
    limit = None if limit is None else whole(limit, "while_loop: maximum_iterations")
    while (limit is None or count < limit) and cond(*loop_vars):
        result = body(*loop_vars)
        result = result if isinstance(result, (list, tuple)) else [result]
        nest.require_same_structure(list(structure), list(result), check_types=False)
        loop_vars, count = result, count + 1
    leaves = [_to_tensor(leaf) for leaf in nest.flatten(list(loop_vars))]
    return nest.pack_sequence_as(structure, leaves)


def _to_tensor(leaf: Any) -> Any:
    return (
        leaf
        if hasattr(type(leaf), "_component_list") or leaf is None
        else _core.convert_to_tensor(leaf)
    )


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]
