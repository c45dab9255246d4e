"""Names that people who come from JAX type: ``jit``, ``grad`` and ``vmap``."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..autodiff.tape import GradientTape
from ..batching.vectorized_map import vectorized_map
from ..function.function import function
from ..native import _core
from ..numpy_like.arrangement import moveaxis
from ..values import nest
from ..values.errors import shown
from ..values.public import public

__all__ = ["grad", "jit", "vmap"]


@public("jit")
def jit(fun: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``fg.function`` under JAX's name.

    Args:
      fun: the Python function; without it, a decorator is returned.
      **options: options of ``fg.function``.

    Returns:
      The traced function.

    Raises:
      TypeError: where fun is not callable.

    >>> @fg.jit
    ... def double(x):
    ...     return 2.0 * x
    >>> float(double(fg.constant(3.0)))
    6.0
    """
    if fun is not None and not callable(fun) and not isinstance(fun, (staticmethod, classmethod)):
        raise TypeError(f"jit: fun must be callable, got {shown(fun)}")
    return function(fun, **options)


@public("grad")
def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The function that computes the gradient of ``fun``, which gives a scalar.

    Args:
      fun: a function whose result is a scalar float tensor, or with ``has_aux`` a pair of one and
        anything else.
      argnums: the position, or the positions, of the arguments to derive by. An argument may be a
        structure of tensors, variables, arrays and Python floats.
      has_aux: whether ``fun`` returns such a pair.

    Returns:
      A function of the same arguments. It returns the gradient in the structure of the argument, or
      a tuple of them for several positions; with ``has_aux`` a pair of that and the rest.

    Raises:
      TypeError: for other argnums; in a call, where the result is not a scalar float tensor.

    >>> float(fg.grad(lambda x: x * x)(3.0))
    6.0
    >>> [float(g) for g in fg.grad(lambda x, y: x * y, argnums=(0, 1))(3.0, 4.0)]
    [4.0, 3.0]
    """
    is_one = not isinstance(argnums, (list, tuple))
    asked: Any = [argnums] if is_one else argnums
    try:
        places = [operator.index(n) for n in asked]
    except TypeError:
        problem = f"grad: argnums must be an int or several, got {shown(argnums)}"
        raise TypeError(problem) from None

    @functools.wraps(fun)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        given = list(args)
        for place in places:
            given[place] = nest.map_structure(_source, args[place])
        sources = [given[place] for place in places]
        with GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(sources)
            value = fun(*given, **kwargs)
            value, aux = value if has_aux else (value, None)
            value = _core.convert_to_tensor(value)
        if value.shape.rank != 0 or not (value.dtype.is_floating or value.dtype.is_complex):
            raise TypeError(
                f"grad: the function gives a {value.dtype.name} tensor of shape {value.shape}, and "
                "only a scalar float has one gradient: reduce it, or use `GradientTape.jacobian`"
            )
        found = tape.gradient(value, sources, unconnected_gradients="zero")
        found = found[0] if is_one else tuple(found)
        return (found, aux) if has_aux else found

    return gradient


def _source(leaf: Any) -> Any:
    """What is derived by: a variable as it is, anything else as a tensor."""
    return leaf if isinstance(leaf, _core.VariableBase) else _core.convert_to_tensor(leaf)


@public("vmap")
def vmap(fun: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
    """The function that applies ``fun`` to all slices of its arguments at once.

    Args:
      fun: a function of tensors of one element of the batch.
      in_axes: the axis of the batch in each argument, an int for all arguments or a sequence with
        an entry for each; None for an argument that all elements share.
      out_axes: the axis of the batch in the results.

    Returns:
      A function of whole batches.

    Raises:
      ValueError: in a call, where no argument has a batch, ``in_axes`` is not as long as the
        arguments, or batches differ in size.

    >>> rows, weights = fg.constant([[1.0, 2.0], [3.0, 4.0]]), fg.constant([1.0, 10.0])
    >>> fg.vmap(lambda r, w: fg.tensordot(r, w, 1), in_axes=(0, None))(rows, weights).numpy()
    array([21., 43.], dtype=float32)
    """

    @functools.wraps(fun)
    def batched(*args: Any) -> Any:
        is_one = in_axes is None or isinstance(in_axes, int)
        axes: list[Any] = [in_axes] * len(args) if is_one else [*in_axes]
        if len(axes) != len(args):
            raise ValueError(f"vmap: in_axes has {len(axes)} entries for {len(args)} arguments")
        places = [i for i, axis in enumerate(axes) if axis is not None]
        if not places:
            raise ValueError("vmap: in_axes is None for every argument, so there is no batch")
        moved = tuple(_moved(args[i], axes[i], 0) for i in places)

        def one(parts: Any) -> Any:
            given = list(args)
            for i, part in zip(places, parts, strict=True):
                given[i] = part
            return fun(*given)

        return _moved(vectorized_map(one, moved), 0, out_axes)

    return batched


def _moved(value: Any, source: int, target: int) -> Any:
    """Tensors of a structure with an axis moved to another place."""
    if source == target:
        return value
    return nest.map_structure(lambda leaf: moveaxis(leaf, source, target), value)
