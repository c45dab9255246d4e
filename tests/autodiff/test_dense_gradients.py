"""Gradients that are tensors where TensorFlow gives tensors, not rows of them.

Seen on tensorflow-cpu 2.21.0: ``gather`` along axis 0 gives ``IndexedSlices``, along an axis
counted from the end a tensor, and so does what gathers on its way to something else.
"""

import ferrograph as fg
import numpy as np
import pytest

LINE = np.arange(1, 13).astype("float32")
ROWS = LINE.reshape(3, 4)


def ragged(x):
    return fg.RaggedTensor.from_row_lengths(x, [4, 8])


def column(x):
    return fg.SparseTensor([[11 - i, 0] for i in range(12)], x, [12, 1])


DENSE = {
    "frame": (LINE, lambda x: fg.signal.frame(x, 4, 2)),
    "frame padded": (LINE, lambda x: fg.signal.frame(x, 4, 3, pad_end=True)),
    "frame of the first axis": (ROWS, lambda x: fg.signal.frame(x, 2, 1, axis=0)),
    "frame of rows": (ROWS, lambda x: fg.signal.frame(x, 2, 2)),
    "stft": (LINE, lambda x: fg.abs(fg.signal.stft(x, 4, 2)) ** 2),
    "mdct": (LINE, lambda x: fg.signal.mdct(x, 4)),
    "repeat": (ROWS, lambda x: fg.repeat(x, [1, 2, 0], axis=0)),
    "segment_sum": (ROWS, lambda x: fg.sparse.segment_sum(x, [0, 2], [0, 0])),
    "segment_mean": (ROWS, lambda x: fg.sparse.segment_mean(x, [0, 2], [0, 0])),
    "segment_sqrt_n": (ROWS, lambda x: fg.sparse.segment_sqrt_n(x, [0, 2], [0, 0])),
    "reorder": (LINE, lambda x: fg.sparse.reorder(column(x)).values),
    "transpose": (LINE, lambda x: fg.sparse.transpose(column(x)).values),
    "ragged mask": (LINE, lambda x: fg.ragged.boolean_mask(ragged(x), [True, False]).flat_values),
    "boolean_mask": (ROWS, lambda x: fg.boolean_mask(x, [True, False, True])),
    "check_numerics": (
        ROWS,
        lambda x: fg.gather(fg.debugging.check_numerics(x, "of a test"), [1]),
    ),
    "axis from the end": (ROWS, lambda x: fg.gather(x, [0, 2], axis=-2)),
    "reshape": (ROWS, lambda x: fg.gather(fg.reshape(x, [4, 3]), [1])),
}
SPARSE = {
    "gather": (ROWS, lambda x: fg.gather(x, [0, 2])),
    "embedding": (ROWS, lambda x: fg.nn.embedding_lookup(x, [0, 1])),
    "identity": (ROWS, lambda x: fg.gather(fg.identity(x), [0])),
    "twice": (ROWS, lambda x: fg.reduce_sum(fg.gather(x, [0])) + fg.reduce_sum(fg.gather(x, [1]))),
}


def gradient(f, x):
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def numeric(f, values):
    """The slope of the sum by each element, by differences."""
    found = np.zeros(values.size)
    for i in range(values.size):
        sides = []
        for step in (-0.05, 0.05):
            moved = values.astype("float64").ravel().copy()
            moved[i] += step
            x = fg.constant(moved.reshape(values.shape).astype("float32"))
            sides.append(float(fg.reduce_sum(f(x))))
        found[i] = (sides[1] - sides[0]) / 0.1
    return found.reshape(values.shape)


@pytest.mark.parametrize("name", DENSE)
def test_a_gradient_is_a_tensor(name):
    values, f = DENSE[name]
    x = fg.constant(values)
    kinds = []

    def traced(x):
        found = gradient(f, x)
        kinds.append(isinstance(found, fg.Tensor))
        return fg.convert_to_tensor(found)

    found = gradient(f, x)
    assert isinstance(found, fg.Tensor)
    np.testing.assert_allclose(found.numpy(), fg.function(traced)(x).numpy(), rtol=1e-5)
    assert kinds == [True]
    np.testing.assert_allclose(found.numpy(), numeric(f, values), rtol=2e-2, atol=2e-2)
    with fg.GradientTape() as tape:
        variable = fg.Variable(values)
        y = f(variable)
    assert isinstance(tape.gradient(y, variable), fg.Tensor)


@pytest.mark.parametrize("name", SPARSE)
def test_a_gradient_of_rows_is_of_rows(name):
    values, f = SPARSE[name]
    assert isinstance(gradient(f, fg.constant(values)), fg.IndexedSlices)


def test_a_gradient_of_frames_is_a_tensor_also_of_unknown_sizes():
    @fg.function(input_signature=[fg.TensorSpec([None], fg.float32)])
    def f(x):
        return gradient(lambda v: fg.abs(fg.signal.stft(v, 4, 2)) ** 2, x)[1:3] + 0.0

    np.testing.assert_allclose(
        f(fg.constant(LINE)).numpy(), gradient(DENSE["stft"][1], fg.constant(LINE)).numpy()[1:3],
        rtol=1e-5,
    )  # fmt: skip
