"""Control flow on tensors as functions: ``cond``, ``case`` and ``switch_case``.

Run eagerly they are Python's ``if``. While a graph is under construction the functions given are
traced, each once, into regions of the graph, by the same code that stages statements for AutoGraph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import ops
from ..context.hooks import hooks
from ..native import _core
from ..ops._dispatch import told
from ..staging import conditional
from ..symbolic import values
from ..values import dtypes
from ..values.errors import shown
from ..values.public import public

__all__ = ["case", "cond", "switch_case"]


@public("cond")
def cond(
    pred: Any,
    true_fn: Callable[..., Any] | None = None,
    false_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """``true_fn()`` where ``pred`` holds, else ``false_fn()``.

    In a graph both functions are traced. Dimensions in which their results differ become unknown.

    >>> x = fg.constant(3)
    >>> int(fg.cond(x > 2, lambda: x * 10, lambda: x))
    30

    Args:
      pred: a scalar bool, a tensor or a Python value.
      true_fn, false_fn: functions without arguments that give a tensor or a structure of such; in a
        graph both give the same structure with the same dtypes.
      name: of no effect.

    Returns:
      What the function gives; in a graph, in tensors.

    Raises:
      TypeError: where one of them is no function; in a graph, also where the results of both differ
        in dtype or structure.
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("cond needs two functions, true_fn and false_fn")
    return _choice(pred, true_fn, false_fn, ("true_fn", "false_fn"))


def _choice(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], sides: tuple[str, str]
) -> Any:
    if not values.is_staged(pred):
        return true_fn() if pred else false_fn()
    yes, no = hooks.converted_callback(true_fn), hooks.converted_callback(false_fn)
    return conditional.stage_choice(pred, yes, no, "cond", sides)


@public("case")
@told
def case(
    pred_fn_pairs: Any,
    default: Callable[..., Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the function that stands with the first true predicate, else of ``default``.

    >>> x = fg.constant(3)
    >>> int(fg.case([(x < 2, lambda: 10), (x < 5, lambda: 20)], default=lambda: 30))
    20

    Args:
      pred_fn_pairs: a list of pairs, or a mapping, of a scalar bool and a function without
        arguments; one at least.
      default: a function without arguments; without it, by default, one predicate must be true.
      exclusive: a bool, whether at most one predicate may be true; False by default.
      strict, name: of no effect.

    Returns:
      What the function gives; in a graph, as ``cond`` does.

    Raises:
      InvalidArgumentError: when it runs, where no predicate is true and there is no default, or
        more than one is with exclusive.
      TypeError: for what are no pairs of a predicate and a function, and for a default that is no
        function.
      ValueError: where there are no pairs.
    """

    _check_default("case", default)
    pairs = _pairs(pred_fn_pairs)
    predicates = [_core.convert_to_tensor(p) for p, _ in pairs]
    if exclusive:
        count = ops.reduce_sum(ops.cast(ops.stack(predicates), dtypes.int32))
        ops.Assert(count <= 1, ["case: more than one predicate is true", *predicates])
    if default is None:
        some = ops.reduce_any(ops.stack(predicates))
        ops.Assert(some, ["case: no predicate is true and there is no default", *predicates])
        default = pairs.pop()[1]
        predicates.pop()
    return _first_true(predicates, [function for _, function in pairs], default)


def _check_default(function: str, default: Any) -> None:
    if default is not None and not callable(default):
        raise TypeError(f"{function}: default must be a function, got {shown(default)}")


def _pairs(given: Any) -> list[tuple[Any, Callable[..., Any]]]:
    pairs = list(given.items()) if isinstance(given, Mapping) else list(given)
    if not pairs:
        raise ValueError("case needs at least one pair of a predicate and a function")
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError("case takes pairs of a predicate and a function")
    return pairs


def _first_true(
    predicates: list[Any], functions: list[Any], default: Callable[..., Any], at: int = 0
) -> Any:
    if not predicates:
        return hooks.converted_callback(default)()
    others = "the default" if len(functions) == 1 else "one of the functions after it"
    return _choice(
        predicates[0],
        functions[0],
        lambda: _first_true(predicates[1:], functions[1:], default, at + 1),
        (f"the function {at}", others),
    )


@public("switch_case")
@told
def switch_case(
    branch_index: Any,
    branch_fns: Any,
    default: Callable[..., Any] | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of the function numbered ``branch_index``.

    >>> int(fg.switch_case(fg.constant(1), [lambda: 10, lambda: 20]))
    20

    Args:
      branch_index: a scalar number.
      branch_fns: a list of functions without arguments, a mapping from int to function, or pairs of
        those.
      default: the function for an index outside of branch_fns; without it, by default, that is the
        function with the highest number, and no number from 0 to the highest may be missing.
      name: of no effect.

    Returns:
      What the function gives; in a graph, as ``cond`` does.

    Raises:
      TypeError: for what are no functions numbered by ints, and for a default that is no function.
      ValueError: where there are no functions, two have one number, or one is missing without a
        default.
    """

    _check_default("switch_case", default)
    functions = _numbered(branch_fns)
    if default is None:
        missing = sorted(set(range(len(functions))) - set(functions))
        if missing:
            numbers = ", ".join(map(str, functions))
            raise ValueError(
                f"switch_case has functions for {numbers}, none for {missing[0]}: number them "
                "from 0 without gaps, or give a default"
            )
        default = functions.pop(max(functions))
    index = _core.convert_to_tensor(branch_index)
    predicates = [ops.equal(index, ops.cast(number, index.dtype)) for number in functions]
    return _first_true(predicates, list(functions.values()), default)


def _numbered(branch_fns: Any) -> dict[int, Callable[..., Any]]:
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
