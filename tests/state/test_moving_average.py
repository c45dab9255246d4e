"""Moving averages, counting and scalar updates of variables."""

import ferrograph as fg
import numpy as np
import pytest

Average = fg.train.ExponentialMovingAverage


@pytest.mark.parametrize("traced", [False, True])
def test_averages_move(traced):
    weight, average = fg.Variable(10.0, name="w"), Average(0.9)

    def step():
        average.apply([weight])

    step = fg.function(step) if traced else step
    step()
    held = average.average(weight)
    assert float(held) == 10.0 and not held.trainable
    assert held.name == "w/ExponentialMovingAverage:0"
    weight.assign(20.0)
    step()
    np.testing.assert_allclose(float(average.average(weight)), 11.0, rtol=1e-6)
    assert average.average(fg.Variable(1.0)) is None
    assert average.name == "ExponentialMovingAverage"
    assert average.variables_to_restore() == {"w/ExponentialMovingAverage": weight}


def test_early_averages_move_faster():
    weight, average = fg.Variable(10.0), Average(0.99, num_updates=3)
    average.apply([weight, weight])
    weight.assign(20.0)
    average.apply([weight])
    np.testing.assert_allclose(float(average.average(weight)), 16.923077, rtol=1e-6)


def test_averages_that_are_refused():
    with pytest.raises(TypeError, match="variables"):
        Average(0.9).apply([fg.constant(1.0)])
    with pytest.raises(TypeError, match="int32"):
        Average(0.9).apply([fg.Variable(1)])
    with pytest.raises(ValueError, match="var_list"):
        Average(0.9).apply()


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_counting(traced, dtype):
    steps = fg.Variable(0, dtype=dtype)

    def count():
        return steps.count_up_to(2)

    count = fg.function(count) if traced else count
    assert [int(count()), int(count())] == [0, 1]
    with pytest.raises(fg.errors.OutOfRangeError, match="Reached limit of 2"):
        count()
    assert int(steps) == 2


def test_what_does_not_count():
    with pytest.raises((TypeError, ValueError, fg.errors.InvalidArgumentError)):
        fg.Variable(2.0).count_up_to(3)
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
        fg.Variable([2]).count_up_to(3)


@pytest.mark.parametrize("traced", [False, True])
def test_scalars_stand_for_rows(traced):
    rows = fg.Variable([[1.0, 2.0], [3.0, 4.0]])

    def change():
        rows.scatter_add(fg.IndexedSlices(fg.constant(5.0), fg.constant([0, 1])))
        rows.scatter_mul(fg.IndexedSlices(fg.constant(2.0), fg.constant([1])))
        rows.scatter_update(fg.IndexedSlices(fg.constant(5.0), fg.constant(0)))

    (fg.function(change) if traced else change)()
    assert rows.numpy().tolist() == [[5.0, 5.0], [16.0, 18.0]]
