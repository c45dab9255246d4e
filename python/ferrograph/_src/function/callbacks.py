"""Python callbacks in graphs: ``py_function``, ``numpy_function``, and ``timestamp``."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from ..autodiff.tape import GradientTape
from ..native import _core
from ..values import nest
from ..values.composite import CompositeTensor
from ..values.dtypes import DType, as_dtype, float64
from ..values.errors import shown
from ..values.public import public
from ..values.tensor_spec import TensorSpec, TypeSpec

__all__ = ["numpy_function", "py_function", "timestamp"]


@public("py_function")
def py_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """Call ``func`` with eager tensors each time the graph runs; its results as tensors.

    Gradients flow through what ``func`` does with tensors. Where it raises, the operation does:
    ValueError and TypeError become InvalidArgumentError, StopIteration OutOfRangeError,
    NotImplementedError UnimplementedError, others UnknownError.

    >>> @fg.function
    ... def shown(x):
    ...     return fg.py_function(lambda x: print(int(x)) or 2 * x, [x], fg.int32)
    >>> int(shown(fg.constant(3)))
    3
    6

    Args:
      func: a function of as many arguments as inp has; without it, by default, the result is a
        decorator, of a function whose calls are calls of ``py_function``.
      inp: a list of values: tensors, and ragged tensors, sparse ones and extension types, which
        func gets as they are. None by default.
      Tout: the dtype or the ``TypeSpec`` of the result, or a list of these; None, the default, for
        no result. NumPy results are cast to the dtype, tensors must have it; the shapes of results
        given by a dtype are unknown while tracing.
      name: of no effect.

    Returns:
      A tensor or another value of Tout, a list of such where Tout is a list, an empty list for
        None.

    Raises:
      ValueError: where func cannot be called, or inp is given without func.
      InvalidArgumentError: when it runs, where a result does not fit Tout.
    """
    if func is None:
        return _decorator(inp, lambda call, args: py_function(call, args, Tout, name))
    return _with_values(func, list(inp or []), Tout)


@public("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call ``func`` with NumPy arrays each time the graph runs; its results as tensors.

    No gradient flows through it. Errors in ``func`` become those that ``py_function`` makes of
    them.

    >>> import numpy as np
    >>> @fg.function
    ... def ordered(x):
    ...     return fg.numpy_function(np.sort, [x], fg.int32)
    >>> ordered(fg.constant([3, 1, 2])).numpy()
    array([1, 2, 3], dtype=int32)

    Args:
      func: a function of as many arrays as inp has; without it, by default, the result is a
        decorator, of a function whose calls are calls of ``numpy_function``.
      inp: a list of tensors, or of what converts to such; None by default.
      Tout: the dtype of the result, which arrays must have, or a list of these; None, the default,
        for no result.
      stateful: a bool, True by default; with False a call whose results are unused does not run.
      name: of no effect.

    Returns:
      A tensor, a list of such where Tout is a list, an empty list for None.

    Raises:
      ValueError: where func cannot be called, or inp is given without func.
      InvalidArgumentError: when it runs, where a result does not fit Tout.
    """
    if func is None:
        return _decorator(inp, lambda call, args: numpy_function(call, args, Tout, stateful, name))
    return _call(func, inp, Tout, eager=False, stateful=stateful)


@public("timestamp")
def timestamp(name: str | None = None) -> Any:
    """Seconds since 1970 when it runs: in a traced function at each call.

    >>> now = fg.function(lambda: fg.timestamp())
    >>> bool(now() <= now())
    True

    Args:
      name: a name for the operation.

    Returns:
      A float64 scalar.
    """
    now = _core.emit_callback(time.time, [], [float64], False, True)[0]
    now.set_shape([])
    return now if name is None else _core.emit("Identity", (now,), None, name)


def _decorator(
    inp: Any, called: Callable[[Callable[..., Any], list[Any]], Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What makes of a function one whose calls go through ``called``."""
    if inp is not None:
        raise ValueError("inp is given with func; the function that is decorated gets its own")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any) -> Any:
            return called(function, list(args))

        return call

    return decorate


def _with_values(func: Callable[..., Any], inp: list[Any], wanted: Any) -> Any:
    """Call ``func`` with values, which the operation takes and gives as the tensors in them."""
    several = isinstance(wanted, (list, tuple))
    specs = [] if wanted is None else [_as_spec(w) for w in (wanted if several else [wanted])]
    plain = all(isinstance(spec, DType) for spec in specs)
    if plain and not any(isinstance(value, CompositeTensor) for value in inp):
        return _call(func, inp, wanted, eager=True, stateful=True)
    if not callable(func):
        raise ValueError(f"expected a function to call, got {shown(func)}")
    kinds = [v._type_spec._for_trace() if isinstance(v, CompositeTensor) else None for v in inp]
    parts = [nest.flatten(v, True) if isinstance(v, CompositeTensor) else [v] for v in inp]

    def call(*tensors: Any) -> Any:
        rest = iter(tensors)
        values = [next(rest) if kind is None else kind.from_tensors(rest) for kind in kinds]
        result = func(*values)
        if not specs:
            return []
        results = _listed(result, specs)
        return [t for spec, r in zip(specs, results, strict=True) for t in _parts(spec, r)]

    outputs = [p for spec in specs for p in ([spec] if isinstance(spec, DType) else spec.flatten())]
    dtypes = [p if isinstance(p, DType) else p.dtype for p in outputs]
    inputs = [tensor for value in parts for tensor in value]
    found = _core.emit_callback(call, inputs, dtypes, True, True)
    for tensor, part in zip(found, outputs, strict=True):
        if not isinstance(part, DType):
            tensor.set_shape(part.shape)
    rest = iter(found)
    made = [next(rest) if isinstance(s, DType) else s.from_tensors(rest) for s in specs]
    return made if several or wanted is None else made[0]


def _as_spec(wanted: Any) -> Any:
    return wanted if isinstance(wanted, TypeSpec) else as_dtype(wanted)


def _listed(result: Any, specs: list[Any]) -> list[Any]:
    """The results of a callback, one for each spec."""
    values = list(result) if len(specs) > 1 or isinstance(result, (list, tuple)) else [result]
    values = [result] if len(specs) == 1 and len(values) != 1 else values
    if len(values) != len(specs):
        raise ValueError(f"the callback returned {len(values)} values, expected {len(specs)}")
    return values


def _parts(spec: Any, value: Any) -> list[Any]:
    """The tensors of a result. ValueError where it does not fit the spec."""
    if isinstance(spec, DType):
        return [_tensor(value, spec, True)]
    if isinstance(spec, TensorSpec):
        value = _tensor(value, spec.dtype, True)
    if not spec.is_compatible_with(value):
        raise ValueError(f"the callback returned {shown(value)}, expected a value of {spec!r}")
    return spec.to_tensors(value)


def _call(func: Callable[..., Any], inp: Any, dtypes: Any, *, eager: bool, stateful: bool) -> Any:
    if not callable(func):
        raise ValueError(f"expected a function to call, got {shown(func)}")
    several = isinstance(dtypes, (list, tuple))
    listed = [] if dtypes is None else [as_dtype(d) for d in (dtypes if several else [dtypes])]
    results = _core.emit_callback(func, list(inp or []), listed, eager, stateful)
    return results if several or dtypes is None else results[0]


def run_callback(
    func: Callable[..., Any], inputs: list[Any], dtypes: list[Any], eager: bool
) -> tuple[list[Any], Any]:
    """Run a callback; its results as tensors of these dtypes, and what its gradient needs."""
    if not eager:
        return _results(func(*[_array(t) for t in inputs]), dtypes, False), None
    sources = [t for t in inputs if t.dtype.is_differentiable]
    if not sources or not any(d.is_differentiable for d in dtypes):
        return _results(func(*inputs), dtypes, True), None
    with GradientTape() as tape:
        tape.watch(sources)
        results = _results(func(*inputs), dtypes, True)
    targets = [t for t in results if t.dtype.is_differentiable]
    return results, (tape, targets, sources)


def callback_gradient(
    left: Any, seeds: list[Any], dtypes: list[Any], eager: bool
) -> tuple[list[Any], None]:
    """The gradients of a callback's inputs; zeros where it does not depend on one."""
    if left is None:
        raise ValueError("the py_function has no inputs or results that a gradient could flow to")
    tape, targets, sources = left
    return tape.gradient(targets, sources, seeds, unconnected_gradients="zero"), None


def _array(tensor: Any) -> Any:
    value = tensor.numpy()
    return value.copy() if hasattr(value, "flags") and not value.flags.writeable else value


def _results(result: Any, dtypes: list[Any], casts: bool) -> list[Any]:
    if not dtypes:
        return []
    return [_tensor(v, d, casts) for v, d in zip(_listed(result, dtypes), dtypes, strict=True)]


def _tensor(value: Any, dtype: Any, casts: bool) -> Any:
    """A result as a tensor of the dtype; with ``casts`` arrays are cast to it."""
    if not hasattr(value, "dtype") or casts and not isinstance(value.dtype, DType):
        return _core.convert_to_tensor(value, dtype)
    made = _core.convert_to_tensor(value)
    if made.dtype != dtype:
        raise TypeError(f"the callback returned {made.dtype.name}, expected {dtype.name}")
    return made
