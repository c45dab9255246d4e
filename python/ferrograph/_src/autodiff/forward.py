"""Forward mode: derivatives along a direction."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from ..native import _core
from ..values import nest
from ..values.public import public
from .tape import GradientTape, UnconnectedGradients

__all__ = ["ForwardAccumulator"]


class _Entered(threading.local):
    """The accumulators whose blocks the thread is in, from the outermost in."""

    def __init__(self) -> None:
        self.accumulators: list[ForwardAccumulator] = []


_entered = _Entered()


@public("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Derivatives of what a block computes, along ``tangents`` from ``primals``.

    ``primals`` and ``tangents`` are a tensor or variable and its direction, or structures of them.

    >>> x = fg.constant([2.0, 3.0])
    >>> with fg.autodiff.ForwardAccumulator(x, fg.constant([1.0, 0.0])) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy().tolist()
    [4.0, 0.0]
    """

    # A gradient is linear in the weights of its target: its own gradient by those weights, weighted
    # by the tangents, is the derivative along them.

    def __init__(self, primals: Any, tangents: Any):
        nest.require_same_structure(primals, tangents, check_types=False)
        self._primals = nest.flatten(primals, expand_composites=True)
        pairs = zip(self._primals, nest.flatten(tangents, expand_composites=True), strict=True)
        self._tangents = [_tangent(primal, tangent) for primal, tangent in pairs]
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._recording = False
        self._around: list[ForwardAccumulator] = []

    def __enter__(self) -> ForwardAccumulator:
        self._around = [a for a in _entered.accumulators if a is not self]
        _entered.accumulators.append(self)
        self._tape.__enter__()
        self._recording = True
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *exc: Any) -> None:
        self._recording = False
        self._tape.__exit__(*exc)
        _entered.accumulators.remove(self)

    def jvp(
        self,
        primals: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The derivatives of ``primals``, tensors that the block computed, in their structure.

        What does not depend on the accumulator's primals gives None, or zeros if
        ``unconnected_gradients`` says so.
        """
        unconnected = UnconnectedGradients(unconnected_gradients)
        flat = nest.flatten(primals, expand_composites=True)
        with contextlib.ExitStack() as stack:
            for accumulator in self._around:
                stack.enter_context(accumulator._following())
            found = [self._derivative(value, unconnected) for value in flat]
        return nest.pack_sequence_as(primals, found, expand_composites=True)

    @contextlib.contextmanager
    def _following(self) -> Iterator[None]:
        """A block whose derivatives this accumulator has, also after its own block has ended."""
        if self._recording:
            yield
            return
        with self._tape:
            yield

    def _derivative(self, value: Any, unconnected: UnconnectedGradients) -> Any:
        target = _core.convert_to_tensor(value)
        found = self._along(target) if target.dtype.is_differentiable else None
        if found is None and unconnected is UnconnectedGradients.ZERO:
            return _core.emit("ZerosLike", (target,))
        return found

    def _along(self, target: Any) -> Any:
        weights = _core.emit("OnesLike", (target,))
        with GradientTape(watch_accessed_variables=False) as outer:
            outer.watch(weights)
            gradients = self._unrecorded(target, weights)
            # Rows of a table become the table where the outer tape sees it.
            dense = [g if g is None else _core.convert_to_tensor(g) for g in gradients]
        pairs = zip(dense, self._tangents, strict=True)
        connected = [(g, t) for g, t in pairs if g is not None]
        if not connected:
            return None
        targets, tangents = zip(*connected, strict=True)
        found = outer.gradient(list(targets), weights, list(tangents))
        return _core.emit("ZerosLike", (target,)) if found is None else found

    def _unrecorded(self, target: Any, weights: Any) -> list[Any]:
        """The gradients of ``target`` by the primals, which the accumulator need not follow."""
        if not self._recording:
            return self._tape.gradient(target, self._primals, weights)
        with self._tape.stop_recording():
            return self._tape.gradient(target, self._primals, weights)


def _tangent(primal: Any, tangent: Any) -> Any:
    """A direction as a tensor. ValueError where it has not the shape of the primal."""
    made = _core.convert_to_tensor(tangent, dtype_hint=primal.dtype)
    if made.dtype != primal.dtype or not made.shape.is_compatible_with(primal.shape):
        raise ValueError(
            f"a tangent of {made.dtype.name} and shape {made.shape} does not fit a primal of "
            f"{primal.dtype.name} and shape {primal.shape}"
        )
    return made
