"""Calls with an argument of a wrong rank or size: errors say what was given, in words of ours."""

import re

import ferrograph as fg
import numpy as np
import pytest
from families import ROWS

KINDS = (ValueError, TypeError, IndexError, NotImplementedError, fg.errors.OpError)
# What Python itself says of values that code did not look at.
UNCHECKED = re.compile(
    r"not supported between|index out of range|only 0-dim|only length-1|unsupported operand"
    r"|bad operand|NoneType|values to unpack|object has no attribute|cannot be interpreted"
    r"|invalid literal|must be a real number|object is not (iterable|callable|subscriptable)"
)
# What is said where no row can say a shape: that something is missing, or is of another kind.
TOLD = re.compile(r"\d|got|scalar|End of sequence|'|must|needs|known")
PLAIN = [r for r in ROWS if not r.state and not r.hidden and r.args]


def variants(array):
    """The array with axes more, one less, one that is longer, and none."""
    yield array[None, None]
    if array.ndim and array.shape[0]:
        yield array[0]
        yield np.concatenate([array, array[-1:], array[-1:]])
    yield np.array(b"", object) if array.dtype == object else np.zeros([], array.dtype)


def outcome(row, args):
    """The error of a call, None where it has a result."""
    try:
        row.call(fg, *map(fg.constant, args))
    except KINDS as e:
        return e
    return None


@pytest.mark.parametrize("turn", range(8))
def test_errors_say_what_was_given(turn, share):
    refused, shown = 0, []
    for n, row in enumerate(share(PLAIN, 8, turn)):
        args = row.at(row.main)
        for i, array in enumerate(args):
            wrong = share(list(variants(np.asarray(array))), 2, n)
            for other in wrong:
                error = outcome(row, [*args[:i], other, *args[i + 1 :]])
                text = "" if error is None else str(error)
                refused += error is not None
                if error is not None and (UNCHECKED.search(text) or not TOLD.search(text)):
                    shown.append(f"{row}, argument {i} of shape {np.shape(other)}: {text[:120]}")
    assert refused > 20
    assert not shown, "\n".join(shown)


WRONG = [[1, 2], "a", None, 0.5, 9, -9]
AXES = {
    "softmax": lambda axis: fg.nn.softmax(fg.ones([2, 3]), axis),
    "sort": lambda axis: fg.sort(fg.ones([2, 3]), axis),
    "stack": lambda axis: fg.stack([fg.ones([2, 3])], axis),
    "concat": lambda axis: fg.concat([fg.ones([2, 3])] * 2, axis),
    "repeat": lambda axis: fg.repeat(fg.ones([2, 3]), 2, axis),
    "reduce_sum": lambda axis: fg.reduce_sum(fg.ones([2, 3]), axis),
    "cumsum": lambda axis: fg.cumsum(fg.ones([2, 3]), axis),
    "expand_dims": lambda axis: fg.expand_dims(fg.ones([2, 3]), axis),
    "gather": lambda axis: fg.gather(fg.ones([2, 3]), [0], axis=axis),
    "reverse": lambda axis: fg.reverse(fg.ones([2, 3]), [axis]),
    "argmax": lambda axis: fg.argmax(fg.ones([2, 3]), axis),
    "one_hot": lambda axis: fg.one_hot([0, 1], 2, axis=axis),
    "unstack": lambda axis: fg.unstack(fg.ones([2, 3]), axis=axis),
    "split": lambda axis: fg.split(fg.ones([2, 3]), 1, axis),
    "squeeze": lambda axis: fg.squeeze(fg.ones([1, 1]), axis),
    "frame": lambda axis: fg.signal.frame(fg.ones([2, 3]), 1, 1, axis=axis),
    "fftshift": lambda axis: fg.signal.fftshift(fg.ones([2, 3]), axis),
    "roll": lambda axis: fg.roll(fg.ones([2, 3]), 1, axis),
    "boolean_mask": lambda axis: fg.boolean_mask(fg.ones([2, 3]), [True, True], axis),
    "cross entropy": lambda axis: fg.nn.softmax_cross_entropy_with_logits(
        fg.ones([2, 3]), fg.ones([2, 3]), axis
    ),
    "flip": lambda axis: fg.experimental.numpy.flip(fg.ones([2, 3]), axis),
    "moveaxis": lambda axis: fg.experimental.numpy.moveaxis(fg.ones([2, 3]), axis, 0),
}


@pytest.mark.parametrize("name", AXES)
def test_wrong_axes_are_named(name):
    refused = 0
    for axis in WRONG:
        try:
            AXES[name](axis)
        except KINDS as e:
            refused += 1
            assert not UNCHECKED.search(str(e)), (axis, str(e))
            if isinstance(axis, int):
                assert re.search(r"-?\d+", str(e)), (axis, str(e))
    assert refused >= 3
