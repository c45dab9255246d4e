"""Functions with custom gradients: ``custom_gradient`` and what is built on it."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from ..context import thread
from ..context.hooks import hooks
from ..native import _core
from ..state.variable import Variable
from ..values import nest
from ..values.public import public
from .tape import GradientTape, IndexedSlices

__all__ = ["custom_gradient", "grad_pass_through", "recompute_grad"]


@public("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorate ``f(*args) -> (result, grad_fn)``: ``grad_fn`` gives the gradient of the result.

    ``grad_fn(*upstream)`` takes one gradient for each tensor of the result and gives one for each
    argument, None where there is none. Where ``f`` reads variables, ``grad_fn`` takes them as
    ``variables=`` and gives a pair: gradients of the arguments, and a list for the variables.
    ``grad_fn`` runs when a gradient is taken; in a traced function it is traced where ``f`` is
    called, if a gradient may be asked for.

    >>> @fg.custom_gradient
    ... def clipped(x):
    ...     return x * x, lambda upstream: fg.clip_by_value(2.0 * x * upstream, -1.0, 1.0)
    >>> x = fg.Variable(5.0)
    >>> with fg.GradientTape() as tape:
    ...     y = clipped(x)
    >>> float(tape.gradient(y, x))
    1.0

    Args:
      f: a function of tensors that gives a pair, its result and ``grad_fn``; None, the default,
        gives the decorator.

    Returns:
      A function of the arguments of f that gives the result alone: tensors in the structure of it.

    Raises:
      TypeError: for an f that cannot be called, and at a call where f reads variables and
        ``grad_fn`` does not take them.
      ValueError: where ``grad_fn`` gives a wrong number of gradients.
    """
    if f is None:
        return custom_gradient
    _check_function(f)

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if args and _is_method_of(f, args[0]):
            return _call(types.MethodType(f, args[0]), args[1:], kwargs)
        return _call(f, args, kwargs)

    return decorated


def _check_function(f: Any) -> None:
    if not callable(f):
        text = f"f must be a function, got {_core.described(f)}"
        raise _core.about_argument(f, TypeError(text))


def _is_method_of(f: Callable[..., Any], instance: Any) -> bool:
    """Whether a function was written in the class of an object, which is then no argument of it."""
    name = getattr(f, "__qualname__", "").rpartition("<locals>.")[2]
    return "." in name and hasattr(type(instance), f.__name__)


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    inputs = nest.map_structure(_tensor, args)
    flat_args = nest.flatten(inputs)
    staged = f if _core.executing_eagerly() else hooks.converted_callback(f)
    with GradientTape() as tape:
        result, grad_fn = staged(*inputs, **kwargs)
    given = {id(v) for v in nest.flatten(args) if isinstance(v, Variable)}
    variables = [v for v in tape.watched_variables() if id(v) not in given]
    flat_result = [_core.convert_to_tensor(r) for r in nest.flatten(result)]
    if variables and not _takes_variables(grad_fn):
        raise TypeError(
            f"{_name_of(f)}() reads variables, so its grad_fn must take the argument `variables` "
            "and return a pair: gradients of the arguments, and those of the variables"
        )
    if not _core.may_be_followed([*flat_args, *variables]):
        return nest.map_structure(lambda r: _core.emit("StopGradient", (r,)), result)
    sources = [*flat_args, *variables]
    if _core.executing_eagerly():
        later = _Later(f, grad_fn, len(flat_args), variables)
        outputs = _core.emit_deferred_gradient(flat_result, sources, later)
    else:
        region, places = _backward(f, grad_fn, flat_result, len(flat_args), variables)
        outputs = _core.emit_custom_gradient(flat_result, sources, region, places)
    return nest.pack_sequence_as(result, outputs)


class _Later:
    """``grad_fn`` for later: from gradients of the results to those of the sources."""

    __slots__ = ("_f", "_grad_fn", "_n_args", "_variables")

    def __init__(
        self, f: Callable[..., Any], grad_fn: Callable[..., Any], n_args: int, variables: list[Any]
    ):
        self._f, self._grad_fn = f, grad_fn
        self._n_args, self._variables = n_args, variables

    def __call__(self, upstream: list[Any]) -> list[Any]:
        found = _gradients(self._f, self._grad_fn, upstream, self._n_args, self._variables)
        return [None if g is None else _dense(g) for g in found]


def _tensor(value: Any) -> Any:
    return _core.convert_to_tensor(value)


def _backward(
    f: Callable[..., Any],
    grad_fn: Callable[..., Any],
    results: list[Any],
    n_args: int,
    variables: list[Any],
) -> tuple[Any, list[Any]]:
    """``grad_fn`` traced, and for each argument and variable the output that is its gradient."""
    region = _core.Region("custom_gradient")
    upstream = [region.add_input(r.dtype, r.shape, "upstream") for r in results]
    with thread.tracing(region):
        grads = _gradients(f, grad_fn, upstream, n_args, variables)
        kept = [_dense(g) for g in grads if g is not None]
        region.finish(kept)
    order = iter(range(len(kept)))
    return region, [None if g is None else next(order) for g in grads]


def _gradients(
    f: Callable[..., Any],
    grad_fn: Callable[..., Any],
    upstream: list[Any],
    n_args: int,
    variables: list[Any],
) -> list[Any]:
    name = _name_of(f)
    of_variables: list[Any] = []
    if variables:
        found, of_variables = grad_fn(*upstream, variables=variables)
        of_variables = list(of_variables)
        if len(of_variables) != len(variables):
            raise ValueError(
                f"the grad_fn of {name}() gave {len(of_variables)} gradients for "
                f"{len(variables)} variables"
            )
    else:
        found = grad_fn(*upstream)
    listed = list(found) if isinstance(found, (list, tuple)) else [found]
    listed = [leaf for g in listed for leaf in ([None] if g is None else nest.flatten(g))]
    if len(listed) != n_args:
        raise ValueError(
            f"the grad_fn of {name}() gave {len(listed)} gradients for {n_args} arguments"
        )
    return listed + of_variables


def _name_of(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", "f")


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    import inspect

    params = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is inspect.Parameter.VAR_KEYWORD for p in params)


def _dense(grad: Any) -> Any:
    return _core.convert_to_tensor(
        grad.__tf_tensor__() if isinstance(grad, IndexedSlices) else grad
    )


@public("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f`` with the gradient of the identity: what comes from above goes to the argument.

    Argument and result must have the same shape. For steps without a gradient of their own, such as
    rounding.

    >>> @fg.grad_pass_through
    ... def rounded(x):
    ...     return fg.round(x)
    >>> x = fg.constant(1.7)
    >>> with fg.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = rounded(x)
    >>> float(y), float(tape.gradient(y, x))
    (2.0, 1.0)

    Args:
      f: a function whose results have the shapes of its arguments, as many as those.

    Returns:
      A function of the arguments of f that gives its results.

    Raises:
      TypeError: for an f that cannot be called.
    """
    _check_function(f)

    @custom_gradient
    def through(*args: Any, **kwargs: Any) -> Any:
        def grad_fn(*upstream: Any, variables: Any = None) -> Any:
            if variables is not None:
                return list(upstream), [None] * len(variables)
            return list(upstream)

        return f(*args, **kwargs), grad_fn

    return functools.wraps(f)(through)


@public("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """``f`` with a gradient that runs it again instead of keeping its intermediate values.

    Memory for time: arguments are kept, what was computed from them is not.

    >>> f = fg.recompute_grad(lambda x: fg.exp(x) * x)
    >>> x = fg.constant(0.0)
    >>> with fg.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = f(x)
    >>> float(tape.gradient(y, x))
    1.0

    Args:
      f: a function of tensors.

    Returns:
      A function of the arguments of f that gives its results.

    Raises:
      TypeError: for an f that cannot be called.
    """
    _check_function(f)

    @custom_gradient
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        def grad_fn(*upstream: Any, variables: Any = None) -> Any:
            again = [_core.emit("Identity", (a,)) for a in args]
            with GradientTape() as tape:
                tape.watch(again)
                result = f(*again, **kwargs)
            sources = (again, list(variables or []))
            found, of_variables = tape.gradient(result, sources, list(upstream))
            return found if variables is None else (found, of_variables)

        return f(*args, **kwargs), grad_fn

    return functools.wraps(f)(recomputed)
