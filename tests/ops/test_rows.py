"""Every operation against NumPy: run eagerly, traced without known sizes, and differentiated."""

import ferrograph as fg
import numpy as np
import pytest
from cases import REASONS, ROWS

ids = [f"{i}-{row}" for i, row in enumerate(ROWS)]
DIFFERENTIABLE = [row for row in ROWS if row.grad]


def as_arrays(value):
    return [np.asarray(t) for t in (value if isinstance(value, (list, tuple)) else [value])]


def assert_same(got, want, tol):
    got, want = as_arrays(got), as_arrays(want)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        if w.dtype == object:
            assert g.tolist() == w.tolist()
            continue
        assert g.dtype == w.dtype or g.dtype.kind == w.dtype.kind
        np.testing.assert_allclose(g, w, rtol=tol, atol=tol)


def traced(row):
    specs = [fg.TensorSpec([None] * a.ndim, fg.constant(a).dtype) for a in row.args]
    return fg.function(lambda *args: row.call(fg, *args), input_signature=specs, autograph=False)


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_eager(row):
    got = row.call(fg, *[fg.constant(a) for a in row.args])
    assert_same(got, row.expect(*row.args), row.tol)


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_traced_without_known_sizes(row):
    got = traced(row)(*[fg.constant(a) for a in row.args])
    assert_same(got, row.expect(*row.args), row.tol)


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_traced_shape_holds_the_value(row):
    """What tracing says of shapes and dtypes is true of the values."""
    concrete = traced(row).get_concrete_function()
    got = fg.nest.flatten(concrete(*[fg.constant(a) for a in row.args]))
    for tensor, static in zip(got, concrete.outputs, strict=True):
        assert tensor.dtype == static.dtype
        assert static.shape.is_compatible_with(tensor.shape)


def scalar_of(row, weights):
    """The row as a function to one number: its first floating results, weighted and summed."""

    def function(*args):
        total = 0.0
        outs = row.call(fg, *[fg.convert_to_tensor(a) for a in args])
        for out, weight in zip(as_list(outs), weights, strict=True):
            if out.dtype.is_complex:
                out = fg.math.real(out) + 2.0 * fg.math.imag(out)
            if out.dtype.is_floating:
                total = total + fg.reduce_sum(fg.cast(out, fg.float64) * weight)
        return total

    return function


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def weights_for(row):
    rng = np.random.default_rng(7)
    return [rng.uniform(0.5, 1.5, a.shape) for a in as_arrays(row.expect(*row.args))]


def finite_difference(function, args, which, step=1e-5):
    base = args[which]
    out = np.zeros(base.shape)
    for place in np.ndindex(base.shape):
        ends = []
        for sign in (1, -1):
            moved = base.copy()
            moved[place] += sign * step
            ends.append(function(*[moved if i == which else a for i, a in enumerate(args)]))
        out[place] = (float(ends[0]) - float(ends[1])) / (2 * step)
    return out


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=[str(row) for row in DIFFERENTIABLE])
@pytest.mark.parametrize("how", ["eager", "traced"])
def test_gradient(row, how):
    function = scalar_of(row, weights_for(row))
    args = [fg.constant(a) for a in row.args]

    def slopes(*args):
        sources = [args[i] for i in row.grad]
        with fg.GradientTape() as tape:
            for source in sources:
                tape.watch(source)
            out = function(*args)
        return [fg.convert_to_tensor(g) for g in tape.gradient(out, sources)]

    if how == "traced":
        specs = [
            fg.TensorSpec([None] * a.ndim, t.dtype) for a, t in zip(row.args, args, strict=True)
        ]
        slopes = fg.function(slopes, input_signature=specs, autograph=False)
    for which, slope in zip(row.grad, slopes(*args), strict=True):
        want = finite_difference(function, row.args, which)
        np.testing.assert_allclose(slope.numpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_no_gradient_but_those_stated(row):
    """An argument that the row does not list has none: None, or zeros where the slope is zero."""
    rest = [i for i, a in enumerate(row.args) if a.dtype.kind == "f" and i not in row.grad]
    args = [fg.constant(a) for a in row.args]
    with fg.GradientTape() as tape:
        for i in rest:
            tape.watch(args[i])
        outs = as_list(row.call(fg, *args))
    for slope in tape.gradient(outs, [args[i] for i in rest]):
        assert slope is None or not np.any(fg.convert_to_tensor(slope).numpy())


def test_every_operation_has_a_row_or_a_reason():
    known = {row.op for row in ROWS} | set(REASONS)
    assert sorted(set(fg._core.op_names()) - known) == []


def test_no_reason_without_an_operation_and_none_with_a_row():
    names = set(fg._core.op_names())
    assert sorted(set(REASONS) - names) == []
    assert sorted(set(REASONS) & {row.op for row in ROWS}) == []


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_call_emits_the_operation(row):
    """The row's public function is a Python name of the operation."""
    graph = traced(row).get_concrete_function().graph
    assert row.op in {operation.type for operation in graph.get_operations()}
