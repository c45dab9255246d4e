"""Variables where functions take the rows of a tensor, or its rank, and texts in messages."""

import ferrograph as fg
import pytest


@pytest.mark.parametrize("traced", [False, True])
def test_rows_of_variables(traced):
    v = fg.Variable([[1.0, 2.0], [3.0, 4.0]])

    def call():
        return fg.add_n(v), *fg.identity_n(v)

    total, first, second = fg.function(call)() if traced else call()
    assert total.numpy().tolist() == [4.0, 6.0]
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_convolved_variables():
    x, kernel = fg.Variable(fg.ones([2, 2, 3, 1])), fg.Variable(fg.ones([2, 1, 1]))
    assert fg.nn.conv1d(x, kernel, 1, "VALID").shape == [2, 2, 2, 1]


def test_a_text_fills_a_shape():
    proto = fg.make_tensor_proto("ab", shape=[2, 1])
    assert fg.make_ndarray(proto).tolist() == [[b"ab"], [b"ab"]]


def test_padding_that_is_no_text():
    images, ones = fg.ones([1, 4, 4, 3]), [1, 1, 1, 1]
    with pytest.raises(ValueError, match=r'padding must be "VALID" or "SAME", got \[\[0, 0\]\]'):
        fg.image.extract_patches(images, [1, 2, 2, 1], ones, ones, [[0, 0]])
