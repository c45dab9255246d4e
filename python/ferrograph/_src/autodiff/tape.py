"""``GradientTape`` and related functions."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Iterator
from typing import Any

from ..context import thread
from ..context.hooks import hooks
from ..native import FG, _core
from ..state.variable import Variable, variable_by_id
from ..values import nest
from ..values.composite import CompositeTensor, IndexedSlices
from ..values.errors import StagingError, shown
from ..values.public import public
from .why import WhyNone, why_none

__all__ = ["GradientTape", "IndexedSlices", "UnconnectedGradients"]


@public("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """What ``gradient`` gives for a source that the target does not depend on.

    ``NONE`` gives None, ``ZERO`` zeros in the shape of the source.

    >>> x, y = fg.constant(1.0), fg.constant(2.0)
    >>> with fg.GradientTape() as tape:
    ...     tape.watch([x, y])
    ...     z = x * x
    >>> float(tape.gradient(z, y, unconnected_gradients=fg.UnconnectedGradients.ZERO))
    0.0
    """

    NONE = "none"
    ZERO = "zero"


@public("GradientTape", "autodiff.GradientTape")
class GradientTape(_core.TapeBase):
    """Records operations on watched values, to take gradients of what was computed from them.

    Trainable variables are watched when they are read, unless ``watch_accessed_variables`` is
    False; other values by ``watch``. Without ``persistent`` one gradient may be taken.

    >>> x = fg.constant(3.0)
    >>> with fg.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    def __new__(
        cls, persistent: bool = False, watch_accessed_variables: bool = True
    ) -> GradientTape:
        return super().__new__(cls, watch_accessed_variables, persistent)

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self._persistent = persistent
        self._recording = False
        self._branches = 0  # how many regions of the graph it began in
        self._used = self._entered = False
        self._variables: dict[int, Variable] = {}

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError("Tape is still recording, this tape has been entered already.")
        self._begin()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._recording:
            self._end()

    def _follow(self, stops: list[Any]) -> None:
        """Takes in what was traced so far, up to ``stops``."""
        super()._follow(stops)
        self._entered = True

    def _begin(self) -> None:
        self._branches = thread.n_branches()
        self._start()
        self._recording = self._entered = True

    def _end(self) -> None:
        self._stop()
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Record what depends on these tensors or variables. ValueError for anything else."""
        for value in nest.flatten(tensor, expand_composites=True):
            watched = value
            if getattr(value, "_should_act_as_resource_variable", False):
                watched = value.handle
            if not isinstance(watched, (_core.Tensor, Variable)):
                raise ValueError(f"a tape watches tensors and variables, got {shown(value)}")
            self._watch(watched)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """What runs in a block is not recorded: what it computes is a constant to the tape.

        In a staged branch or loop that the tape began outside of, and records as a whole,
        it is one to whatever differentiates that graph.

        ValueError where the tape is not recording; StagingError in such a branch or loop where
        another tape records that as a whole, too.
        """
        if not self._recording:
            raise ValueError("Tape is not recording, so it cannot stop.")
        if thread.n_branches() > self._branches:
            with self._left_out():
                yield
            return
        self._end()
        try:
            yield
        finally:
            self._begin()

    @contextlib.contextmanager
    def _left_out(self) -> Iterator[None]:
        """``stop_recording`` in a branch or a loop that the tape records as a whole."""
        if self._is_joined():
            raise StagingError(
                "`stop_recording` in a staged branch or loop, which two tapes record as a "
                "whole that began outside of it: it would stop both. Use "
                f"`{FG}.stop_gradient(value)` "
                "for what is a constant to both, or begin the other tape within the branch or loop"
            )
        self._recording = False
        self._begin_unrecorded()
        try:
            yield
        finally:
            self._end_unrecorded()
            self._recording = True

    def reset(self) -> None:
        """Forget what was recorded."""
        self._reset()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched so far, in order of their construction."""
        found = (variable_by_id(i) for i in sorted(self._watched_ids()))
        return tuple(v for v in found if v is not None)

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of the targets by each source, in the structure of ``sources``.

        ``output_gradients`` weights the targets. A source that the targets do not depend on gives
        None, or zeros if ``unconnected_gradients`` says so. RuntimeError where a tape that is not
        persistent is asked twice, and where it has recorded nothing.
        """
        self._use()
        unconnected = UnconnectedGradients(unconnected_gradients)
        targets, seeds = _weighted(_parts(target), output_gradients)
        flat = _parts(sources)
        ends = [self._read(t) for t in targets]
        found = self._gradient(ends, [_endpoint(s) for s in flat], seeds)
        self._used_up()
        results = [_finish(g, s, unconnected) for g, s in zip(found, flat, strict=True)]
        return _like_sources(sources, results)

    def why_none(self, target: Any, source: Any) -> WhyNone | None:
        """Why ``gradient(target, source)`` is None: the first place that lets no gradient through.

        Its ``reason`` says what the matter is, ``file`` and ``line`` where, and its text both: the
        source is not watched, a value was made while nothing was recorded, left for NumPy, has a
        dtype without gradients, was stopped by ``stop_gradient`` or went through an operation
        without a gradient, or the target does not depend on the source. None where a gradient
        flows. RuntimeError where the tape has forgotten what it recorded: one that is not
        persistent has, once it has given gradients.

        >>> x = fg.constant(3.0)
        >>> with fg.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = fg.stop_gradient(x) * 2.0
        >>> tape.gradient(y, x)
        >>> tape.why_none(y, x).reason
        'stop_gradient'
        """
        return why_none(self._why_none(_endpoint(target), _endpoint(source)))

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of ``target`` by each element of each source.

        A result has the shape of the target followed by that of the source. The gradients of all
        elements are computed at once; with ``experimental_use_pfor=False`` one after the other.
        ``parallel_iterations`` is accepted and changes nothing. TypeError for several targets.
        """
        if isinstance(target, (list, tuple, dict)):
            raise TypeError("jacobian takes one tensor for a target, no structure of them")
        fill = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        self._use()
        flat = nest.flatten(sources, expand_composites=True)
        target = _endpoint(target)
        found = hooks.jacobian(self._rows(target, flat), target, flat, fill, experimental_use_pfor)
        self._used_up()
        return nest.pack_sequence_as(sources, found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each row of ``target`` by the same row of ``source``.

        Row ``i`` of the target must depend on row ``i`` of the source alone. Where the target does
        not depend on the source at all there are zeros, whatever ``unconnected_gradients`` says.
        ValueError where they have different numbers of rows, or the source is no single tensor. The
        last two arguments are those of ``jacobian``.
        """
        if isinstance(source, (list, tuple, dict)):
            raise ValueError("batch_jacobian takes one tensor for a source, no list of them")
        target = _endpoint(target)
        rows = [
            None if t.shape.rank is None else [*t.shape.as_list(), 0][0] for t in (target, source)
        ]
        scalar = 0 in (target.shape.rank, source.shape.rank)
        if scalar or (None not in rows and rows[0] != rows[1]):
            raise ValueError(
                f"batch_jacobian needs a target and a source of as many rows, got shapes "
                f"{target.shape} and {source.shape}"
            )
        UnconnectedGradients(unconnected_gradients)
        self._use()
        gradients = self._rows(target, [source])
        found = hooks.batch_jacobian(gradients, target, source, experimental_use_pfor)
        self._used_up()
        return found

    def _rows(self, target: Any, flat: list[Any]) -> Any:
        """A function from the weights of a target to the gradients of the sources."""
        ends = [_endpoint(source) for source in flat]

        def gradients(seed: Any) -> list[Any]:
            found = self._gradient([target], ends, [seed])
            return [
                _finish(g, s, UnconnectedGradients.NONE) for g, s in zip(found, flat, strict=True)
            ]

        return gradients

    def _read(self, target: Any) -> Any:
        """A target as a tensor: a variable is read where this tape sees it."""
        if not isinstance(target, Variable):
            return _endpoint(target)
        if self._recording:
            return _core.convert_to_tensor(target)
        with self:
            return _core.convert_to_tensor(target)

    def _use(self) -> None:
        """RuntimeError where the tape was used up, or has recorded nothing."""
        if not self._entered:
            raise RuntimeError(
                "the tape has recorded nothing: compute the target in a block of `with tape:`"
            )
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        if self._recording and not self._persistent:
            self._end()

    def _used_up(self) -> None:
        if not self._persistent:
            self._used = True
            self._release()


def _parts(structure: Any) -> list[Any]:
    """The leaves of a structure, for a composite value the tensors that it has gradients by."""
    found: list[Any] = []
    for leaf in nest.flatten(structure):
        if isinstance(leaf, CompositeTensor):
            found += leaf._gradient_parts()
        else:
            found += nest.flatten(leaf, expand_composites=True)
    return found


def _like_sources(sources: Any, results: list[Any]) -> Any:
    """Gradients in the structure of the sources."""
    flat, rest = [], iter(results)
    for leaf in nest.flatten(sources):
        if isinstance(leaf, CompositeTensor):
            flat.append(leaf._with_gradient_parts([next(rest) for _ in leaf._gradient_parts()]))
        else:
            flat.append(next(rest))
    return nest.pack_sequence_as(sources, flat)


def _weighted(targets: list[Any], output_gradients: Any) -> tuple[list[Any], list[Any]]:
    """The targets that are something, and the weight of each. ValueError for too few or many."""
    given = [None] * len(targets) if output_gradients is None else _parts(output_gradients)
    if len(given) != len(targets):
        raise ValueError(f"{len(given)} output_gradients were given for {len(targets)} targets")
    pairs = [(t, _seed(t, seed)) for t, seed in zip(targets, given, strict=True) if t is not None]
    return [t for t, _ in pairs], [seed for _, seed in pairs]


def _seed(target: Any, given: Any) -> Any:
    """The weight of a target. A variable, as it is no value, needs one that says what it holds."""
    if given is not None or not isinstance(target, Variable) or not _differentiable(target.dtype):
        return given
    return _core.emit("OnesLike", (target._read(),))


def _differentiable(dtype: Any) -> bool:
    return dtype.is_differentiable


def _endpoint(value: Any) -> Any:
    """What a gradient is taken of or by: a tensor or a variable.

    A wrapper of a variable says so, and has its ``handle``.
    """
    if isinstance(value, (_core.Tensor, Variable)):
        return value
    if getattr(value, "_should_act_as_resource_variable", False):
        return value.handle
    return _core.convert_to_tensor(value)


def _finish(grad: Any, source: Any, unconnected: UnconnectedGradients) -> Any:
    if isinstance(grad, tuple):
        return IndexedSlices(*grad)
    if grad is None and unconnected is UnconnectedGradients.ZERO:
        return _core.emit("ZerosLike", (source,))
    return grad
