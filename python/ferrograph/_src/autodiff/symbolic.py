"""``gradients`` and ``hessians``: derivatives within a graph under construction."""

from __future__ import annotations

from typing import Any

from ..native import _core
from ..state.variable import Variable
from ..values.composite import CompositeTensor
from ..values.errors import shown
from ..values.public import public
from .tape import GradientTape, UnconnectedGradients

__all__ = ["gradients", "hessians"]


@public("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradients of the sum of ``ys`` by each of ``xs``, in a list: inside traced functions.

    >>> @fg.function
    ... def slope(x):
    ...     return fg.gradients(x * x, x)
    >>> [float(g) for g in slope(fg.constant(3.0))]
    [6.0]

    Args:
      ys: a tensor or a list of tensors.
      xs: a tensor, a variable, or a list of such: the sources.
      grad_ys: a weight for each of ys, a tensor of its dtype and shape or None; None, the default,
        weights all with ones.
      name: of no effect.
      gate_gradients, aggregation_method: accepted, and change nothing.
      stop_gradients: a tensor or a list of tensors; what gives one of them counts as a constant.
        None by default.
      unconnected_gradients: what a source gives that ys do not depend on: None by default, zeros
        with ``UnconnectedGradients.ZERO``.

    Returns:
      A list with a tensor for each of xs, of its dtype and shape, or None.

    Raises:
      RuntimeError: outside a traced function, where a ``GradientTape`` records what is to be
        derived.
      ValueError: where there are not as many grad_ys as ys.
      TypeError: for a dict of ys or xs.
    """
    targets = _ends(ys)
    weights = [None] * len(targets) if grad_ys is None else _listed(grad_ys)
    if len(weights) != len(targets):
        raise ValueError(f"{len(weights)} grad_ys were given for {len(targets)} ys")
    weights = [_weight(weight, y) for weight, y in zip(weights, targets, strict=True)]
    sources = _ends(xs)
    tape = _followed("gradients", sources, _ends(stop_gradients))
    return tape.gradient(targets, sources, weights, unconnected_gradients)


@public("hessians")
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str | None = "hessians",
) -> list[Any]:
    """The second derivatives of the sum of ``ys`` by each of ``xs``: inside traced functions.

    >>> @fg.function
    ... def curvature(x):
    ...     return fg.hessians(fg.reduce_sum(x ** 3), x)
    >>> curvature(fg.constant([1.0, 2.0]))[0].numpy()
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)

    Args:
      ys: a tensor or a list of tensors.
      xs: a tensor, a variable, or a list of such: the sources.
      gate_gradients, aggregation_method: accepted, and change nothing.
      name: of no effect.

    Returns:
      A list with a tensor for each of xs, whose shape is that of the source twice.

    Raises:
      ValueError: for a source that ys do not depend on.
      RuntimeError: outside a traced function.
      TypeError: for a dict of ys or xs.
    """
    sources = _ends(xs)
    first = _followed("hessians", sources, [])
    return [_hessian(first, _ends(ys), source) for source in sources]


def _hessian(first: GradientTape, targets: list[Any], source: Any) -> Any:
    slope = first.gradient(targets, source)
    if slope is None:
        raise ValueError(f"hessians: ys do not depend on {shown(source)}")
    again = _followed("hessians", [source], [])
    return again.jacobian(slope, source, UnconnectedGradients.ZERO)


def _followed(name: str, sources: list[Any], stops: list[Any]) -> GradientTape:
    """A tape that has what was traced so far of these sources, and nothing behind ``stops``."""
    if _core.executing_eagerly():
        raise RuntimeError(
            f"{name} takes derivatives of a graph, and outside a traced function there is none: "
            "record what is to be derived in a GradientTape"
        )
    tape = GradientTape(persistent=True, watch_accessed_variables=False)
    tape.watch(sources)
    tape._follow(stops)
    return tape


def _listed(values: Any) -> list[Any]:
    """Tensors, variables and composites in a list. TypeError for other structures."""
    if values is None:
        return []
    if isinstance(values, dict):
        raise TypeError(f"expected a tensor or a list of tensors, got {shown(values)}")
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _ends(values: Any) -> list[Any]:
    return [_end(value) for value in _listed(values)]


def _weight(value: Any, target: Any) -> Any:
    if value is None or isinstance(value, (_core.Tensor, CompositeTensor)):
        return value
    return _core.convert_to_tensor(value, target.dtype)


def _end(value: Any) -> Any:
    if isinstance(value, (_core.Tensor, Variable, CompositeTensor)):
        return value
    return _core.convert_to_tensor(value)
