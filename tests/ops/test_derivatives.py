"""Derivatives of the rows in every order of modes, against finite differences in double precision.

The gradients themselves are held in `test_gradients.py`; here they are the reference of what comes
on top of them.
"""

import ferrograph as fg
import numpy as np
import pytest
from executors import state_of
from families import ROWS
from test_gradients import finite_difference, scalar_of, values, weights_for

DIFFERENTIABLE = [
    (f"{i}-{row}", row)
    for i, row in enumerate(ROWS)
    if row.grad and all(a.dtype == np.float64 for a in (row.at(row.main)[i] for i in row.grad))
]
SETTLED = [(f"{i}-{row}", row) for i, row in enumerate(ROWS) if row.grad is not None]
# Operations that end gradients by their definition or by what is documented of them.
STOPS = {
    "StopGradient": "its purpose",
    "Zeta": "no formula for the first argument",
    "Polygamma": "the first argument counts",
    "Betainc": "it is documented so for the parameters",
    "IgammaGradAA": "no formula for the third derivative by the parameter",
    "CTCGreedyDecoder": "decoders have no gradient",
    "CTCBeamSearchDecoder": "decoders have no gradient",
    "StatefulPartitionedCall": "elements of datasets have no gradient",
}
# Whose second derivatives are beyond those.
ENDS = {"IgammaGradA"}
# Their gradients hold where labels sum to 1, as distributions do.
DISTRIBUTIONS = {"SoftmaxCrossEntropyWithLogits"}


def rows(named):
    return pytest.mark.parametrize("row", [r for _, r in named], ids=[name for name, _ in named])


class Point:
    """A row as a function of its differentiable arguments, at a place and along a direction."""

    def __init__(self, row):
        args = [fg.constant(a) for a in values(row)]
        self.args, self.which = args, row.grad
        self.function = scalar_of(row, state_of(row, args), weights_for(row))
        self.sources = [args[i] for i in row.grad]
        rng = np.random.default_rng(11)
        self.along = [fg.constant(rng.uniform(-1, 1, s.shape)) for s in self.sources]

    def scalar(self, *sources):
        args = list(self.args)
        for i, source in zip(self.which, sources, strict=True):
            args[i] = source
        return self.function(*args)

    def slope(self, *sources):
        """The derivative along the direction, by reverse mode."""
        with fg.GradientTape() as tape:
            tape.watch(sources)
            y = self.scalar(*sources)
        found = tape.gradient(y, sources)
        return sum(fg.reduce_sum(g * d) for g, d in zip(found, self.along, strict=True) if some(g))

    def slopes(self, sources):
        """The gradients at a place as arrays."""
        with fg.GradientTape() as tape:
            tape.watch(sources)
            y = self.scalar(*sources)
        found = tape.gradient(y, sources, unconnected_gradients=fg.UnconnectedGradients.ZERO)
        return [fg.convert_to_tensor(g).numpy() for g in found]

    def curvature(self, step=1e-5):
        """How the gradients change along the direction, by central differences."""
        ends = [
            self.slopes(
                [s + sign * step * d for s, d in zip(self.sources, self.along, strict=True)]
            )
            for sign in (1.0, -1.0)
        ]
        return [(a - b) / (2 * step) for a, b in zip(*ends, strict=True)]


def some(gradient):
    return gradient is not None


def forward(point, *sources):
    """The derivative along the direction, by forward mode."""
    with fg.autodiff.ForwardAccumulator(list(sources), point.along) as acc:
        y = point.scalar(*sources)
    return acc.jvp(y)


def forward_over_reverse(point, *sources):
    with fg.autodiff.ForwardAccumulator(list(sources), point.along) as acc:
        with fg.GradientTape() as tape:
            tape.watch(sources)
            y = point.scalar(*sources)
        found = tape.gradient(y, sources)
        found = [fg.convert_to_tensor(g) if some(g) else None for g in found]
    return [acc.jvp(g) if some(g) else None for g in found]


def reverse_over_reverse(point, *sources):
    with fg.GradientTape() as tape:
        tape.watch(sources)
        y = point.slope(*sources)
    return tape.gradient(y, sources) if some(y) else [None] * len(sources)


def reverse_over_forward(point, *sources):
    with fg.GradientTape() as tape:
        tape.watch(sources)
        y = forward(point, *sources)
    return tape.gradient(y, sources) if some(y) else [None] * len(sources)


def as_arrays(found, point):
    """Gradients as arrays; None as zeros."""
    zeros = [np.zeros(s.shape) for s in point.sources]
    return [
        zero if g is None else fg.convert_to_tensor(g).numpy()
        for g, zero in zip(found, zeros, strict=True)
    ]


def traced(point, mode):
    """A mode, in a function of tensors of known rank alone."""
    specs = [fg.TensorSpec([None] * s.ndim, s.dtype) for s in point.sources]

    def run(*sources):
        found = mode(point, *sources)
        if not isinstance(found, (list, tuple)):
            return found
        pairs = zip(found, sources, strict=True)
        return [fg.zeros_like(s) if g is None else fg.convert_to_tensor(g) for g, s in pairs]

    return fg.function(run, input_signature=specs, autograph=False)


@rows(DIFFERENTIABLE)
@pytest.mark.parametrize("how", ["eager", "traced"])
def test_forward(row, how):
    point = Point(row)
    pairs = zip(point.slopes(point.sources), point.along, strict=True)
    want = sum(float(np.sum(g * d.numpy())) for g, d in pairs)
    run = traced(point, forward) if how == "traced" else lambda *s: forward(point, *s)
    np.testing.assert_allclose(float(run(*point.sources)), want, rtol=1e-9, atol=1e-12)


MODES = [forward_over_reverse, reverse_over_reverse, reverse_over_forward]
SECOND = [
    pytest.param(row, mode, id=f"{name}-{mode.__name__}")
    for name, row in DIFFERENTIABLE
    for mode in MODES
    if (mode is forward_over_reverse or row.op not in DISTRIBUTIONS) and row.op not in ENDS
]


@pytest.mark.parametrize(("row", "mode"), SECOND)
@pytest.mark.parametrize("how", ["eager", "traced"])
def test_second_derivatives(row, mode, how):
    """None stands for zeros alone: what finite differences find must be there."""
    point = Point(row)
    run = traced(point, mode) if how == "traced" else lambda *s: mode(point, *s)
    found = as_arrays(run(*point.sources), point)
    for got, want in zip(found, point.curvature(), strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)


def in_a_loop_and_a_branch(point):
    """The row's value three times: by two passes of a loop of the graph, and by a branch of it."""

    def scalar(*sources):
        def body(i, total):
            return i + 1, total + point.scalar(*sources)

        zero = fg.constant(0.0, fg.float64)
        _, twice = fg.while_loop(lambda i, _: i < 2, body, [fg.constant(0), zero])
        chosen = fg.cond(fg.size(sources[0]) >= 0, lambda: point.scalar(*sources), lambda: zero)
        return twice + chosen

    return scalar


class Within(Point):
    """A row's point whose function runs in a loop and in a branch."""

    def __init__(self, row):
        super().__init__(row)
        inner = Point.__new__(Point)
        inner.__dict__.update(self.__dict__)
        self.staged = in_a_loop_and_a_branch(inner)

    def scalar(self, *sources):
        return self.staged(*sources)


def reverse(point, *sources):
    with fg.GradientTape() as tape:
        tape.watch(sources)
        y = point.scalar(*sources)
    return tape.gradient(y, sources)


@rows(DIFFERENTIABLE)
def test_in_a_loop_and_a_branch(row):
    point = Within(row)
    run = traced(point, reverse)
    for got, want in zip(as_arrays(run(*point.sources), point), wanted(row), strict=True):
        np.testing.assert_allclose(got, 3 * want, rtol=1e-7, atol=1e-9)


def wanted(row):
    """The row's gradients, which are held against finite differences in ``test_gradients``."""
    point = Point(row)
    return point.slopes(point.sources)


@pytest.mark.parametrize(("row", "mode"), SECOND)
def test_second_derivatives_in_a_loop_and_a_branch(row, mode):
    point = Within(row)
    found = as_arrays(traced(point, mode)(*point.sources), point)
    for got, want in zip(found, Point(row).curvature(), strict=True):
        np.testing.assert_allclose(got, 3 * want, rtol=6e-4, atol=6e-4)


def test_every_differentiable_operation_is_walked():
    """But for those of complex numbers, whose slopes ``test_gradients`` holds."""
    walked = {row.op for _, row in DIFFERENTIABLE}
    transforms = {f"{i}FFT{n}" for i in ("", "I", "IR") for n in ("", "2D", "3D")}
    slopes = {row.op for row in ROWS if row.grad}
    assert slopes - walked == {*transforms, "MatrixLogarithm"}


@rows(SETTLED)
def test_none_only_where_there_is_no_slope(row):
    """An argument that the row does not list has no slope by finite differences either."""
    args = values(row)
    rest = [i for i, a in enumerate(args) if a.dtype == np.float64 and i not in row.grad]
    if not rest or row.op in STOPS:
        return
    state = state_of(row, [fg.constant(a) for a in args])
    function = scalar_of(row, state, weights_for(row))
    for which in rest:
        # A step function jumps now and then; a slope is everywhere.
        slope = finite_difference(function, [np.array(a) for a in args], which)
        assert not np.any((np.abs(slope) > 1e-6) & (np.abs(slope) < 1e3)), which


@pytest.mark.parametrize(
    "function, shape",
    [
        (lambda x: fg.math.top_k(x, 0)[0], [2, 3]),
        (lambda x: fg.math.top_k(x, 0)[0], [0, 3]),
        (lambda x: fg.math.top_k(x, 2)[0], [0, 3]),
        (lambda x: fg.reduce_prod(x, [1, 2]), [0, 3, 4]),
        (lambda x: fg.reduce_prod(x, [0, 2]), [2, 0, 4]),
        (lambda x: fg.gather(x, [0, 1]), [3, 0]),
        (lambda x: fg.gather(x, [[0], [1]]), [3, 0]),
        (lambda x: fg.math.unsorted_segment_sum(x, [0, 1, 0], 2), [3, 0]),
    ],
)
def test_gradients_of_nothing(function, shape):
    """Twice, since the gradient of one is often another one."""
    x = fg.ones(shape)
    with fg.GradientTape() as outer:
        outer.watch(x)
        with fg.GradientTape() as inner:
            inner.watch(x)
            y = function(x * x)
        slope = fg.convert_to_tensor(inner.gradient(y, x))
    assert slope.shape == x.shape
    assert fg.convert_to_tensor(outer.gradient(slope, x)).shape == x.shape
