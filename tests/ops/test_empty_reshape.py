"""The size that ``reshape`` infers where other sizes are 0, as recorded from tensorflow 2.21."""

import ferrograph as fg
import numpy as np
import pytest

RECORDED = [
    ([0, 3], [-1, 0], (3, 0)),
    ([0, 3], [0, -1], (0, 3)),
    ([2, 0, 3], [-1, 0, 2], (3, 0, 2)),
    ([0], [-1, 0], (1, 0)),
    ([4, 0], [0, -1, 2], (0, 2, 2)),
    ([0, 3], [-1, 2, 0], (1, 2, 0)),
    ([0, 3], [-1], (0,)),
    ([0, 3], [-1, 7], (0, 7)),
    ([0, 3], [0, 2**40, 2**40, -1], (0, 2**40, 2**40, 0)),
]


@pytest.mark.parametrize(("shape", "target", "expected"), RECORDED)
def test_a_missing_size_beside_zeros(shape, target, expected):
    x = np.zeros(shape, np.float32)
    assert fg.reshape(x, target).shape == expected
    traced = fg.function(lambda x: fg.reshape(x, target))
    assert traced(x).shape == expected
    unknown = fg.function(
        lambda x, t: fg.shape(fg.reshape(x, t), out_type=fg.int64),
        input_signature=[fg.TensorSpec([None] * len(shape)), fg.TensorSpec([None], fg.int64)],
    )
    assert tuple(unknown(x, fg.constant(target, fg.int64)).numpy()) == expected


@pytest.mark.parametrize("target", [[-1, 0], [0]])
def test_elements_do_not_vanish(target):
    with pytest.raises(fg.errors.InvalidArgumentError, match="cannot reshape"):
        fg.reshape(fg.zeros([2, 3]), target)
