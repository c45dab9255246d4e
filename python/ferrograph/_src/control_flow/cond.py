"""Control flow on tensors as functions: ``cond``, ``case``, ``switch_case`` and ``while_loop``.

Run eagerly they are Python's ``if`` and ``while``. While a graph is under construction the
functions given are traced, each once, into regions of the graph, through the same parts by which
AutoGraph stages statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..values import nest

__all__ = ["case", "cond", "switch_case", "while_loop"]


def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """``true_fn()`` where ``pred`` holds, else ``false_fn()``.

    In a graph both functions are traced, and both must give the same structure with the same
    dtypes; TypeError or ValueError otherwise. Dimensions in which the results differ become
    unknown.
    """
    from ..staging import conditional

    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("cond needs two functions, true_fn and false_fn")
    if not conditional.is_staged(pred):
        return true_fn() if pred else false_fn()
    yes, no = _converted(true_fn), _converted(false_fn)
    return conditional.stage_choice(pred, yes, no, "cond", ("true_fn", "false_fn"))


def case(
    pred_fn_pairs: Any,
    default: Callable | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the function that stands with the first true predicate, else of ``default``.

    Without ``default`` one predicate must be true, with ``exclusive`` at most one may be:
    InvalidArgumentError otherwise, when it runs.
    """
    import ferrograph as fg

    pairs = _pairs(pred_fn_pairs)
    predicates = [fg.convert_to_tensor(p) for p, _ in pairs]
    if exclusive:
        count = fg.reduce_sum(fg.cast(fg.stack(predicates), fg.int32))
        fg.debugging.Assert(count <= 1, ["case: more than one predicate is true", *predicates])
    if default is None:
        some = fg.reduce_any(fg.stack(predicates))
        fg.debugging.Assert(
            some, ["case: no predicate is true and there is no default", *predicates]
        )
        default = pairs.pop()[1]
        predicates.pop()
    return _first_true(predicates, [function for _, function in pairs], default)


def _pairs(given: Any) -> list[tuple[Any, Callable]]:
    pairs = list(given.items()) if isinstance(given, Mapping) else list(given)
    if not pairs:
        raise ValueError("case needs at least one pair of a predicate and a function")
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError("case takes pairs of a predicate and a function")
    return pairs


def _first_true(predicates: list, functions: list, default: Callable) -> Any:
    if not predicates:
        return _converted(default)()
    return cond(
        predicates[0], functions[0], lambda: _first_true(predicates[1:], functions[1:], default)
    )


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable | None = None, name: str = "switch_case"
) -> Any:
    """The result of the function numbered ``branch_index``.

    ``branch_fns`` is a list of functions, a mapping from int to function, or pairs of those. An
    index outside them runs ``default``, or the function with the highest number.
    """
    import ferrograph as fg

    functions = _numbered(branch_fns)
    if default is None:
        default = functions.pop(max(functions))
    index = fg.convert_to_tensor(branch_index)
    predicates = [fg.equal(index, fg.cast(number, index.dtype)) for number in functions]
    return _first_true(predicates, list(functions.values()), default)


def _numbered(branch_fns: Any) -> dict[int, Callable]:
    if isinstance(branch_fns, Mapping):
        pairs = list(branch_fns.items())
    elif all(callable(f) for f in branch_fns):
        pairs = list(enumerate(branch_fns))
    else:
        pairs = [tuple(pair) for pair in branch_fns]
    if not pairs:
        raise ValueError("switch_case needs at least one function")
    for number, function in pairs:
        if not isinstance(number, int) or not callable(function):
            raise TypeError("switch_case takes functions numbered by Python ints")
    if len(dict(pairs)) != len(pairs):
        raise ValueError("switch_case: two functions have the same number")
    return dict(sorted(pairs))


def while_loop(
    cond: Callable,
    body: Callable,
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
    dimensions that ``shape_invariants`` leaves open: TypeError and ValueError otherwise. At most
    ``maximum_iterations`` iterations are run. ``parallel_iterations``, ``back_prop`` and
    ``swap_memory`` are accepted and change nothing.
    """
    from ..staging import conditional, loops

    if not callable(cond) or not callable(body):
        raise TypeError("while_loop needs two functions, cond and body")
    if not isinstance(loop_vars, (list, tuple)):
        loop_vars = [loop_vars]
    if not loop_vars:
        raise ValueError("while_loop needs loop variables")
    if conditional.is_eager():
        return _eager_loop(cond, body, loop_vars, maximum_iterations)
    shapes = None if shape_invariants is None else _as_list(shape_invariants)
    return loops.stage_while_loop(
        _converted(cond), _converted(body), loop_vars, shapes, maximum_iterations
    )


def _eager_loop(cond: Callable, body: Callable, loop_vars: Sequence, limit: Any) -> Any:
    import ferrograph as fg

    structure, count = loop_vars, 0
    while (limit is None or count < int(limit)) and cond(*loop_vars):
        result = body(*loop_vars)
        result = result if isinstance(result, (list, tuple)) else [result]
        nest.assert_same_structure(list(structure), list(result), check_types=False)
        loop_vars, count = result, count + 1
    leaves = [_to_tensor(fg, leaf) for leaf in nest.flatten(list(loop_vars))]
    return nest.pack_sequence_as(structure, leaves)


def _to_tensor(fg: Any, leaf: Any) -> Any:
    return (
        leaf
        if hasattr(type(leaf), "_component_list") or leaf is None
        else fg.convert_to_tensor(leaf)
    )


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _converted(function: Callable) -> Callable:
    from ..autograph import api

    return api.convert_callback(function)
