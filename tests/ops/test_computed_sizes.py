"""Sizes that a traced function computes are held against the elements when it runs."""

from __future__ import annotations

import ferrograph as fg
import pytest
from ferrograph.errors import InvalidArgumentError

SHAPES = {
    "a vector": lambda x, n: fg.reshape(x, [n]),
    "rows": lambda x, n: fg.reshape(x, [n, 2]),
    "and back": lambda x, n: fg.reshape(fg.reshape(x, [n, 2]), [4]),
    "summed": lambda x, n: fg.reduce_sum(fg.reshape(x, [n, 2]) + 1.0, 0),
    "taken apart": lambda x, n: fg.unstack(fg.reshape(x, [n, 2]), 2)[0],
}
WAYS = {
    "eager": lambda f: f,
    "traced": fg.function,
    "of unknown sizes": lambda f: fg.function(
        f, input_signature=[fg.TensorSpec([None]), fg.TensorSpec([], fg.int32)]
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", SHAPES)
def test_sizes_that_contradict_the_elements_are_refused(shape, way):
    f = WAYS[way](SHAPES[shape])
    x = fg.range(4.0)
    right = {"a vector": 4}.get(shape, 2)
    assert float(fg.reduce_sum(f(x, fg.constant(right)))) > 0.0
    with pytest.raises(InvalidArgumentError, match="cannot reshape a tensor of shape"):
        f(x, fg.constant(3))


@pytest.mark.parametrize("way", WAYS)
def test_no_elements_take_no_shape_that_has_some(way):
    f = WAYS[way](SHAPES["a vector"])
    with pytest.raises(InvalidArgumentError):
        f(fg.zeros([0]), fg.constant(3))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_extrema_of_infinities_in_segments(sign):
    infinite = fg.constant([sign * float("inf"), sign * float("inf"), 1.0])
    for extremum in (fg.math.segment_max, fg.math.segment_min):
        assert extremum(infinite, [0, 0, 2]).numpy().tolist() == [sign * float("inf"), 0.0, 1.0]


@pytest.mark.parametrize("adjoint", [False, True])
def test_products_of_unknown_rank_have_the_same_bits(adjoint):
    a, b = fg.random.normal([5, 7], seed=3), fg.random.normal([5, 7], seed=4)
    product = lambda x, y: fg.matmul(x, y, adjoint_b=adjoint, transpose_b=not adjoint)  # noqa: E731
    unknown = fg.function(product, input_signature=[fg.TensorSpec(None), fg.TensorSpec(None)])
    assert unknown(a, b).numpy().tobytes() == product(a, b).numpy().tobytes()
