"""Gradients of staged code compute what was asked for, and no more."""

import ferrograph as fg
import numpy as np
import pytest

ROWS = fg.constant(np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(3, 4))
WEIGHTS = fg.constant([0.5, -0.25, 1.0, 2.0])


def looped(rows, weights):
    state = fg.zeros([4])
    for i in fg.range(3):
        state = fg.tanh(rows[i] * weights + state)
    return fg.reduce_sum(state)


def chosen(rows, weights):
    is_small = fg.reduce_sum(rows) < 1.0
    state = fg.tanh(rows[0] * weights) if is_small else rows[1] * weights
    return fg.reduce_sum(state)


def called(rows, weights):
    return fg.function(looped)(rows, weights)


@pytest.mark.parametrize("loss", [looped, chosen, called])
@pytest.mark.parametrize("asked", ["weights", "rows", "both"])
def test_only_what_is_asked_for_is_computed(loss, asked):
    def gradient(rows, weights):
        sources = {"weights": [weights], "rows": [rows], "both": [weights, rows]}[asked]
        with fg.GradientTape() as tape:
            tape.watch(sources)
            value = loss(rows, weights)
        return tape.gradient(value, sources)

    staged = fg.function(gradient)
    for got, want in zip(staged(ROWS, WEIGHTS), gradient(ROWS, WEIGHTS), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
    text = staged.get_concrete_function(ROWS, WEIGHTS)._graph.text()
    assert ("StridedSliceGrad" in text) == (asked != "weights")


def test_one_tape_answers_for_different_sources():
    @fg.function
    def gradients(rows, weights):
        with fg.GradientTape(persistent=True) as tape:
            tape.watch([rows, weights])
            value = looped(rows, weights)
        return tape.gradient(value, weights), tape.gradient(value, rows)

    with fg.GradientTape() as tape:
        tape.watch([ROWS, WEIGHTS])
        value = looped(ROWS, WEIGHTS)
    want = tape.gradient(value, [WEIGHTS, ROWS])
    for got, expected in zip(gradients(ROWS, WEIGHTS), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_gradients_of_gradients_through_loops_stay():
    @fg.function
    def second(weights):
        with fg.GradientTape() as outer:
            outer.watch(weights)
            with fg.GradientTape() as inner:
                inner.watch(weights)
                value = looped(ROWS, weights)
            first = inner.gradient(value, weights)
            total = fg.reduce_sum(first * first)
        return outer.gradient(total, weights)

    step = 1e-3

    def first(weights):
        with fg.GradientTape() as tape:
            tape.watch(weights)
            value = looped(ROWS, weights)
        return fg.reduce_sum(tape.gradient(value, weights) ** 2).numpy()

    for i, got in enumerate(second(WEIGHTS).numpy()):
        move = fg.one_hot(i, 4) * step
        slope = (first(WEIGHTS + move) - first(WEIGHTS - move)) / (2 * step)
        np.testing.assert_allclose(got, slope, rtol=2e-2, atol=2e-3)
