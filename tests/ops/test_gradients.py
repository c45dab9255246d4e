"""Gradients of the rows against finite differences, eagerly and traced."""

import ferrograph as fg
import numpy as np
import pytest
from executors import state_of
from families import ROWS
from run import expected, tensors, widened
from table import Vary

DIFFERENTIABLE = [(f"{i}-{row}", row) for i, row in enumerate(ROWS) if row.grad]
SETTLED = [(f"{i}-{row}", row) for i, row in enumerate(ROWS) if row.grad is not None]
# How far a gradient of a dtype may be from that of the wide one.
SMALLER = {"float32": 1e-4, "complex64": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}
# As in TensorFlow their gradients do not conjugate: on complex numbers they are no slopes.
NOT_CONJUGATED = ("SquaredDifference", "EuclideanNorm", "SegmentProd", "UnsortedSegmentProd")


def rows(named):
    return pytest.mark.parametrize("row", [r for _, r in named], ids=[name for name, _ in named])


def values(row):
    """The arguments at the row's first dtype."""
    return row.at(row.main)


def scalar_of(row, state, weights):
    """The row as a function to one number: its first floating results, weighted and summed."""

    def function(*args):
        total = 0.0
        outs = row.call(fg, *state, *[fg.convert_to_tensor(a) for a in args])
        for out, weight in zip(tensors(outs), weights, strict=True):
            if out.dtype.is_complex:
                out = fg.math.real(out) + 2.0 * fg.math.imag(out)
            if out.dtype.is_floating:
                total = total + fg.reduce_sum(fg.cast(out, fg.float64) * weight)
        return total

    return function


def weights_for(row, dtype=None):
    rng, dtype = np.random.default_rng(7), dtype or row.main
    return [rng.uniform(0.5, 1.5, a.shape) for a, _ in expected(row, row.at(dtype), dtype)]


def finite_difference(function, args, which, step=1e-5):
    """The slopes of a function to one number; for a complex x + iy those by x plus i times by y."""
    base = args[which]
    out = np.zeros(base.shape, base.dtype)
    for place in np.ndindex(base.shape):
        for unit in (1, 1j) if base.dtype.kind == "c" else (1,):
            ends = []
            for sign in (1, -1):
                moved = base.copy()
                moved[place] += sign * step * unit
                ends.append(function(*[moved if i == which else a for i, a in enumerate(args)]))
            out[place] += unit * (float(ends[0]) - float(ends[1])) / (2 * step)
    return out


def slopes_of(row, arrays, weights):
    """The gradients of a row by its arguments, as computed."""
    args = [fg.constant(a) for a in arrays]
    sources = [args[i] for i in row.grad]
    with fg.GradientTape() as tape:
        tape.watch(sources)
        out = scalar_of(row, state_of(row, args), weights)(*args)
    return [fg.convert_to_tensor(g) for g in tape.gradient(out, sources)]


@rows(DIFFERENTIABLE)
@pytest.mark.parametrize("how", ["eager", "traced"])
def test_gradient(row, how):
    args = [fg.constant(a) for a in values(row)]
    function = scalar_of(row, state_of(row, args), weights_for(row))

    def slopes(*args):
        sources = [args[i] for i in row.grad]
        with fg.GradientTape() as tape:
            for source in sources:
                tape.watch(source)
            out = function(*args)
        return [fg.convert_to_tensor(g) for g in tape.gradient(out, sources)]

    if how == "traced":
        specs = [fg.TensorSpec([None] * a.ndim, a.dtype) for a in args]
        slopes = fg.function(slopes, input_signature=specs, autograph=False)
    for which, slope in zip(row.grad, slopes(*args), strict=True):
        want = finite_difference(function, values(row), which)
        np.testing.assert_allclose(slope.numpy(), want, rtol=1e-4, atol=1e-5)


@rows(
    [
        (name, row)
        for name, row in DIFFERENTIABLE
        if "complex128" in row.dtypes and row.op not in NOT_CONJUGATED
    ]
)
def test_complex_gradient(row):
    args = row.at("complex128")
    weights = weights_for(row, "complex128")
    function = scalar_of(row, state_of(row, [fg.constant(a) for a in args]), weights)
    for which, slope in zip(row.grad, slopes_of(row, args, weights), strict=True):
        want = finite_difference(function, args, which)
        np.testing.assert_allclose(slope.numpy(), want, rtol=1e-4, atol=1e-5)


@rows(DIFFERENTIABLE)
def test_gradients_at_smaller_dtypes(row):
    """Gradients have the dtype of their source, and are those of the wide dtype up to rounding."""
    for dtype in set(row.dtypes) & set(SMALLER):
        args, weights = row.at(dtype), weights_for(row, dtype)
        pairs = zip(args, row.args, strict=True)
        wide = [widened(a) if isinstance(x, Vary) else a for a, x in pairs]
        found, wanted = slopes_of(row, args, weights), slopes_of(row, wide, weights)
        for which, slope, want in zip(row.grad, found, wanted, strict=True):
            assert slope.dtype == fg.as_dtype(args[which].dtype), dtype
            got, want = widened(slope.numpy()), want.numpy()
            tol = SMALLER[dtype] * row.tol
            scale = tol * max(1.0, np.abs(want).max(initial=0.0))
            np.testing.assert_allclose(got, want, rtol=tol, atol=scale, err_msg=dtype)


@rows(SETTLED)
def test_no_gradient_but_those_stated(row):
    """An argument that the row does not list has none: None, or zeros where the slope is zero."""
    rest = [i for i, a in enumerate(values(row)) if a.dtype.kind == "f" and i not in row.grad]
    args = [fg.constant(a) for a in values(row)]
    state = state_of(row, args)
    with fg.GradientTape() as tape:
        for i in rest:
            tape.watch(args[i])
        outs = tensors(row.call(fg, *state, *args))
    for slope in tape.gradient(outs, [args[i] for i in rest]):
        assert slope is None or not np.any(fg.convert_to_tensor(slope).numpy())


def test_the_gradient_of_distinct_elements_goes_to_the_first_of_each():
    x = fg.constant([3.0, 4.0, 3.0, 4.0, 5.0])
    for distinct in (fg.unique, fg.unique_with_counts):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = distinct(x)[0] * [1.0, 10.0, 100.0]
        assert tape.gradient(y, x).numpy().tolist() == [1.0, 10.0, 0.0, 0.0, 100.0]


def test_the_gradient_of_one_evenly_spaced_number_is_its_starts():
    ends = fg.constant(2.0), fg.constant(3.0)
    with fg.GradientTape() as tape:
        tape.watch(ends)
        y = fg.linspace(*ends, 1)
    assert [float(g) for g in tape.gradient(y, ends)] == [1.0, 0.0]


def test_what_has_no_gradient_says_so():
    x = fg.constant([1.0, 2.0])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.bitcast(x * 2, "float32")
    with pytest.raises(fg.errors.NotFoundError, match="no gradient is defined for operation"):
        tape.gradient(y, x)
