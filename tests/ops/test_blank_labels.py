"""``nn.ctc_loss`` of labels that are the blank, as tensorflow 2.21 takes them."""

import ferrograph as fg
import numpy as np
import pytest

LOGITS = np.random.RandomState(0).randn(9, 4, 4).astype(np.float32)
LABELS = np.array([[1, 0, 2], [0, 0, 1], [1, 2, 3], [2, 2, 0]], np.int32)
TIMES = [9, 8, 9, 5]


def loss_and_slope(logits, labels, lengths, **options):
    with fg.GradientTape() as tape:
        tape.watch(logits)
        loss = fg.nn.ctc_loss(labels, logits, lengths, TIMES, **options)
    return loss, tape.gradient(loss, logits)


def found(*args, **options):
    """The loss and its slope, eager and traced, which give the same."""
    eager = loss_and_slope(*args, **options)
    traced = fg.function(lambda *a: loss_and_slope(*a, **options))(*args)
    for one, other in zip(eager, traced, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6)
    return [value.numpy() for value in eager]


# What tensorflow 2.21 gives for these.
RECORDED = [
    ([3, 3, 3, 3], 0, [9.8368, 7.9248, 9.1691, 6.1174]),
    ([1, 1, 3, 2], 0, [7.5863, 8.8013, 9.1691, 5.0003]),
    ([3, 3, 3, 3], -1, [8.2574, 7.4698, 8.9030, 6.1240]),
]


@pytest.mark.parametrize(("lengths", "blank", "recorded"), RECORDED)
def test_losses_are_those_of_tensorflow(lengths, blank, recorded):
    loss, _ = found(fg.constant(LOGITS), fg.constant(LABELS), lengths, blank_index=blank)
    np.testing.assert_allclose(loss, recorded, atol=6e-5)


def test_the_gradient_is_that_of_the_loss():
    labels, lengths = fg.constant(LABELS), [3, 3, 3, 3]
    _, slope = found(fg.constant(LOGITS), labels, lengths)
    # A softmax stands before all else: what one class gains the others lose.
    np.testing.assert_allclose(slope.sum(axis=2), 0, atol=1e-5)
    step = np.zeros_like(LOGITS)
    for place in [(0, 0, 0), (1, 0, 0), (2, 1, 0), (3, 3, 2)]:
        step[place] = 0.01
        up = fg.nn.ctc_loss(labels, LOGITS + step, lengths, TIMES)
        down = fg.nn.ctc_loss(labels, LOGITS - step, lengths, TIMES)
        near = (up - down).numpy().sum() / 0.02
        np.testing.assert_allclose(slope[place], near, atol=2e-3)
        step[place] = 0


def test_labels_of_other_classes_are_not_touched_by_the_class_of_the_blank():
    labels = np.where(LABELS == 0, 3, LABELS)
    alone, _ = found(fg.constant(LOGITS), fg.constant(labels), [3, 3, 3, 3])
    beside = labels.copy()
    beside[3, 2] = 0
    mixed, slope = found(fg.constant(LOGITS), fg.constant(beside), [3, 3, 3, 3])
    np.testing.assert_allclose(alone[:3], mixed[:3], rtol=1e-6)
    assert alone[3] != mixed[3] and np.isfinite(slope).all()


def test_a_blank_amid_the_classes_is_the_class_before():
    dense, _ = found(fg.constant(LOGITS), fg.constant(LABELS), [3, 3, 3, 3], blank_index=1)
    before = np.where(LABELS == 1, 0, LABELS)
    same, _ = found(fg.constant(LOGITS), fg.constant(before), [3, 3, 3, 3], blank_index=1)
    np.testing.assert_array_equal(dense, same)
    sparse = fg.sparse.from_dense(LABELS[2:3])
    loss = fg.nn.ctc_loss(sparse, LOGITS[:, 2:3], None, TIMES[2:3], blank_index=1)
    np.testing.assert_allclose(loss.numpy(), dense[2:3], rtol=1e-6)


def test_classes_of_unknown_number():
    @fg.function(input_signature=[fg.TensorSpec([None, None, None])])
    def loss(logits):
        return fg.nn.ctc_loss(LABELS, logits, [3, 3, 3, 3], TIMES)

    np.testing.assert_allclose(loss(LOGITS).numpy(), RECORDED[0][2], atol=6e-5)
