"""Gradients of a program: eager, of a call, traced, forwards, and by finite differences."""

import ferrograph as fg
import numpy as np
from run import tensors

_STEP = 1e-5


def loss(program, inputs):
    """One number that all floating results count in."""
    total = fg.constant(0.0, fg.float64)
    for k, x in enumerate(program.run(*inputs)):
        if x.dtype.is_complex:
            x = fg.math.real(x) + 2.0 * fg.math.imag(x)
        if x.dtype.is_floating:
            total += fg.reduce_sum(fg.cast(x, fg.float64)) * (0.5 + (k % 7) / 7)
    return total


class Slopes:
    """The gradients of a program by its floating inputs and its variables."""

    def __init__(self, program):
        self.program, self.inputs = program, program.inputs()
        self.places = [i for i, x in enumerate(self.inputs) if x.dtype.is_floating]
        self.call = fg.function(lambda *inputs: loss(program, inputs), autograph=False)

    def by(self, function, inputs):
        """The gradients that a tape around a function of the inputs finds."""
        sources = [inputs[i] for i in self.places] + self.program.variables
        with fg.GradientTape() as tape:
            tape.watch(sources)
            total = function(*inputs)
        found = tape.gradient(total, sources)
        return [
            fg.zeros_like(s) if g is None else fg.convert_to_tensor(g)
            for g, s in zip(found, sources, strict=True)
        ]

    def eager(self):
        return self.by(lambda *inputs: loss(self.program, inputs), self.inputs)

    def of_a_call(self):
        return self.by(self.call, self.inputs)

    def traced(self):
        inner = lambda *inputs: loss(self.program, inputs)  # noqa: E731
        whole = fg.function(lambda *inputs: self.by(inner, inputs), autograph=False)
        return tensors(whole(*self.inputs))

    def forwards(self, directions):
        """The slope along directions, by forward mode."""
        primals = [self.inputs[i] for i in self.places]
        with fg.autodiff.ForwardAccumulator(primals, directions) as accumulator:
            total = loss(self.program, self.inputs)
        found = accumulator.jvp(total)
        return 0.0 if found is None else float(found)

    def at(self, step, directions):
        """The loss some steps away along directions."""
        moved = list(self.inputs)
        for i, direction in zip(self.places, directions, strict=True):
            moved[i] = moved[i] + step * direction
        return float(self.call(*moved))


def slope_faults(program):
    """What is wrong with a program's gradients, a text each."""
    program.restart()
    slopes = Slopes(program)
    eager = slopes.eager()
    faults = []
    for name in ("of_a_call", "traced"):
        for k, (got, want) in enumerate(zip(getattr(slopes, name)(), eager, strict=True)):
            if not _close(got.numpy(), want.numpy(), 1e-9):
                faults.append(f"{name}: gradient {k} is {got.numpy()}, eagerly {want.numpy()}")
    if slopes.places and np.isfinite(slopes.at(0.0, [slopes.inputs[i] for i in slopes.places])):
        faults += _directional(slopes, eager)
    return [text[:300] for text in faults]


def _directional(slopes, eager):
    """The slope along a random direction, by forward mode and by finite differences."""
    rng = np.random.default_rng(0)
    directions = [fg.constant(rng.normal(size=slopes.inputs[i].shape)) for i in slopes.places]
    pairs = zip(eager, directions, strict=False)
    slope = float(sum(np.sum(g.numpy() * d.numpy()) for g, d in pairs))
    faults = []
    forward = slopes.forwards(directions)
    if not _close(forward, slope, 1e-7):
        faults.append(f"forward mode gives {forward}, reverse mode {slope}")
    measured = _measured(slopes, directions)
    if measured is not None and not _close(measured, slope, 1e-3):
        faults.append(f"finite differences give {measured}, the gradient {slope}")
    return faults


def _measured(slopes, directions):
    """The slope by finite differences; None where the loss has a corner, a jump or no value."""
    before, here, after = (slopes.at(k * _STEP, directions) for k in (-1, 0, 1))
    near = slopes.at(_STEP / 4, directions)
    backward, forward = (here - before) / _STEP, (after - here) / _STEP
    nearer = (near - here) / (_STEP / 4)
    steady = _close(backward, forward, 1e-3) and _close(nearer, forward, 1e-3)
    # Digits that cancel are no slope.
    exact = abs(here) * 1e-16 / _STEP < 1e-4 * max(1.0, abs(forward))
    return (after - before) / (2 * _STEP) if steady and exact else None


def _close(got, want, tolerance):
    """Whether numbers agree, NaN with NaN."""
    if not np.all(np.isfinite(got) == np.isfinite(want)):
        return False
    scale = np.max(np.abs(want), initial=1.0, where=np.isfinite(want))
    return np.allclose(got, want, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
