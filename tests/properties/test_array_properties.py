"""Elementwise functions, reductions and movements of arrays against NumPy, on drawn arrays."""

import ferrograph as fg
import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from drawn import FULL, NUMBERS, both, close, fixed, floats, integers
from hypothesis import given
from hypothesis import strategies as st

UNARY = {
    "abs": (fg.abs, np.abs),
    "exp": (fg.exp, np.exp),
    "expm1": (fg.math.expm1, np.expm1),
    "sin": (fg.sin, np.sin),
    "cosh": (fg.cosh, np.cosh),
    "tanh": (fg.tanh, np.tanh),
    "asinh": (fg.asinh, np.arcsinh),
    "atan": (fg.atan, np.arctan),
    "sign": (fg.sign, np.sign),
    "round": (fg.round, np.round),
    "floor": (fg.floor, np.floor),
    "square": (fg.square, np.square),
    "sigmoid": (fg.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "softplus": (fg.nn.softplus, lambda x: np.logaddexp(x, 0)),
}


@pytest.mark.parametrize("name", UNARY)
@fixed
@given(floats())
def test_functions_of_each_element(name, x):
    function, expected = UNARY[name]
    close(both(function, x), expected(x))


PAIRS = {
    "add": (fg.add, np.add),
    "subtract": (fg.subtract, np.subtract),
    "multiply": (fg.multiply, np.multiply),
    "maximum": (fg.maximum, np.maximum),
    "less": (fg.less, np.less),
    "not_equal": (fg.not_equal, np.not_equal),
    "squared_difference": (fg.math.squared_difference, lambda x, y: (x - y) ** 2),
    "atan2": (fg.atan2, np.arctan2),
    "divide_no_nan": (
        fg.math.divide_no_nan,
        lambda x, y: np.divide(x, y, out=np.zeros(np.broadcast(x, y).shape), where=y != 0),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@fixed
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3), st.data())
def test_operands_broadcast(name, shapes, data):
    function, expected = PAIRS[name]
    x, y = (data.draw(floats(s)) for s in shapes.input_shapes)
    close(both(function, x, y), expected(x, y))


@pytest.mark.parametrize(
    "pair",
    [
        (fg.math.floordiv, np.floor_divide),
        (fg.math.floormod, np.mod),
        (fg.bitwise.bitwise_xor, np.bitwise_xor),
        (fg.math.truncatemod if hasattr(fg.math, "truncatemod") else fg.truncatemod, np.fmod),
    ],
    ids=["floordiv", "floormod", "xor", "truncatemod"],
)
@fixed
@given(integers(), st.integers(-5, 5).filter(bool))
def test_integers(pair, x, by):
    function, expected = pair
    y = np.full_like(x, by)
    assert np.array_equal(both(function, x, y), expected(x, y))


def axes_of(x):
    """No axis, one, or several, counted from either end."""
    n = x.ndim
    if n == 0:
        return st.just(None)
    one = st.integers(-n, n - 1)
    several = st.lists(one, max_size=n, unique_by=lambda a: a % n).map(tuple)
    return st.one_of(st.none(), one, several)


REDUCTIONS = {
    "sum": (fg.reduce_sum, np.sum),
    "prod": (fg.reduce_prod, np.prod),
    "mean": (fg.reduce_mean, np.mean),
    "max": (fg.reduce_max, np.max),
    "min": (fg.reduce_min, np.min),
    "std": (fg.math.reduce_std, np.std),
    "variance": (fg.math.reduce_variance, np.var),
    "euclidean": (
        fg.math.reduce_euclidean_norm,
        lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    ),
    "logsumexp": (
        fg.reduce_logsumexp,
        lambda x, axis, keepdims: np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims)),
    ),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@fixed
@given(floats(FULL), st.booleans(), st.data())
def test_reductions(name, x, keepdims, data):
    function, expected = REDUCTIONS[name]
    axis = data.draw(axes_of(x))
    found = both(lambda t: function(t, axis, keepdims), x)
    close(found, expected(x, axis=axis, keepdims=keepdims))


@fixed
@given(floats(FULL), st.data())
def test_keys(x, data):
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True, max_dims=5))
    close(both(lambda t: t[key], x), x[key])


@fixed
@given(floats(FULL), st.data())
def test_slices_by_sizes(x, data):
    begin = [data.draw(st.integers(0, n)) for n in x.shape]
    size = [data.draw(st.integers(-1, n - b)) for n, b in zip(x.shape, begin, strict=True)]
    spans = [slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True)]
    close(both(lambda t: fg.slice(t, begin, size), x), x[tuple(spans)])


@fixed
@given(floats(FULL), st.booleans(), st.booleans(), st.data())
def test_cumulative(x, exclusive, reverse, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    turned = np.flip(x, axis) if reverse else x
    for function, expected, first in (
        (fg.cumsum, np.cumsum, 0.0),
        (fg.math.cumprod, np.cumprod, 1.0),
    ):
        wanted = expected(turned, axis=axis)
        if exclusive:
            head = np.full_like(np.take(wanted, [0], axis), first)
            wanted = np.concatenate([head, np.delete(wanted, -1, axis)], axis)
        wanted = np.flip(wanted, axis) if reverse else wanted
        close(both(lambda t, f=function: f(t, axis, exclusive, reverse), x), wanted)


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "SYMMETRIC"])
@fixed
@given(floats(FULL), st.data())
def test_paddings(mode, x, data):
    most = {"CONSTANT": lambda n: 3, "REFLECT": lambda n: n - 1, "SYMMETRIC": lambda n: n}[mode]
    counts = [tuple(data.draw(st.integers(0, most(n))) for _ in range(2)) for n in x.shape]
    found = both(lambda t: fg.pad(t, counts, mode), x)
    close(found, np.pad(x, counts, mode.lower()))


@fixed
@given(floats(FULL), st.data())
def test_rearrangements(x, data):
    order = data.draw(st.permutations(range(x.ndim)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shift = data.draw(st.integers(-5, 5))
    times = data.draw(st.lists(st.integers(0, 2), min_size=x.ndim, max_size=x.ndim))
    close(both(lambda t: fg.transpose(t, order), x), x.transpose(order))
    close(both(lambda t: fg.roll(t, shift, axis), x), np.roll(x, shift, axis))
    close(both(lambda t: fg.reverse(t, [axis]), x), np.flip(x, axis))
    close(both(lambda t: fg.tile(t, times), x), np.tile(x, times))
    close(both(lambda t: fg.concat([t, t * 2.0], axis), x), np.concatenate([x, x * 2], axis))
    close(both(lambda t: fg.stack([t, -t], axis), x), np.stack([x, -x], axis))
    close(both(lambda t: fg.expand_dims(t, axis), x), np.expand_dims(x, axis))


@fixed
@given(floats(FULL, elements=NUMBERS), st.sampled_from(["ASCENDING", "DESCENDING"]), st.data())
def test_orders(x, direction, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    wanted = np.sort(x, axis)
    wanted = wanted if direction == "ASCENDING" else np.flip(wanted, axis)
    close(both(lambda t: fg.sort(t, axis, direction), x), wanted)
    places = both(lambda t: fg.argsort(t, axis, direction, stable=True), x)
    signed = x if direction == "ASCENDING" else -x
    assert np.array_equal(places, np.argsort(signed, axis, kind="stable"))
    k = data.draw(st.integers(0, x.shape[-1]))
    values, indices = both(lambda t: fg.math.top_k(t, k), x)
    close(values, -np.sort(-x, -1)[..., :k])
    assert np.array_equal(indices, np.argsort(-x, -1, kind="stable")[..., :k])
    assert np.array_equal(both(lambda t: fg.argmax(t, axis), x), np.argmax(x, axis))


@fixed
@given(integers(st.tuples(st.integers(0, 8))), integers(st.tuples(st.integers(0, 5))))
def test_sorted_places_and_distinct_values(x, values):
    ordered = np.sort(x)
    for side in ("left", "right"):
        found = both(lambda s, v, side=side: fg.searchsorted(s, v, side), ordered, values)
        assert np.array_equal(found, np.searchsorted(ordered, values, side))
    distinct, places = both(lambda t: list(fg.unique(t)), x)
    assert np.array_equal(distinct[places], x) and len(set(x.tolist())) == len(distinct)


@fixed
@given(floats(FULL), st.data())
def test_gathers(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shape = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)
    places = data.draw(integers(shape, 0, x.shape[axis] - 1, np.int32))
    found = both(lambda t, i: fg.gather(t, i, axis=axis), x, places)
    close(found, np.take(x, places, axis))
    rows = data.draw(integers((3, 1), 0, x.shape[0] - 1, np.int32))
    close(both(fg.gather_nd, x, rows), x[rows[:, 0]])


@fixed
@given(floats(st.tuples(st.integers(1, 5), st.integers(0, 3))), st.data())
def test_scatters_and_segments(x, data):
    ids = data.draw(integers((x.shape[0],), 0, 3, np.int32))
    wanted = np.zeros((4, x.shape[1]))
    np.add.at(wanted, ids, x)
    close(both(lambda t, i: fg.math.unsorted_segment_sum(t, i, 4), x, ids), wanted)
    close(both(lambda t, i: fg.scatter_nd(i[:, None], t, [4, x.shape[1]]), x, ids), wanted)
    base = np.ones((4, x.shape[1]))
    found = both(lambda b, t, i: fg.tensor_scatter_nd_add(b, i[:, None], t), base, x, ids)
    close(found, base + wanted)
    most = np.full((4, x.shape[1]), -np.inf)
    np.maximum.at(most, ids, x)
    present = np.isin(np.arange(4), ids)
    found = both(lambda t, i: fg.math.unsorted_segment_max(t, i, 4), x, ids)
    close(found[present], most[present])
    ordered = np.sort(ids)
    found = both(fg.math.segment_sum, x, ordered)
    wanted = np.zeros((ordered[-1] + 1, x.shape[1]))
    np.add.at(wanted, ordered, x)
    close(found, wanted)
