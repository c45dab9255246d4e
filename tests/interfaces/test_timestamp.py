"""``timestamp``: the time when it runs."""

import time

import ferrograph as fg


def test_the_time_is_that_of_the_call():
    now = fg.function(lambda: fg.timestamp())
    before = time.time()
    taken = [fg.timestamp(), now(), fg.timestamp(), now()]
    after = time.time()
    numbers = [float(t) for t in taken]
    assert before <= numbers[0] <= numbers[1] <= numbers[2] <= numbers[3] <= after
    assert all(t.dtype == fg.float64 and t.shape == [] for t in taken)


def test_each_iteration_of_a_loop_has_its_own():
    @fg.function
    def times(n):
        taken = fg.TensorArray(fg.float64, n)
        for i in fg.range(n):
            taken = taken.write(i, fg.timestamp())
        return taken.stack()

    seen = times(200).numpy()
    assert (seen[1:] >= seen[:-1]).all()
    assert seen[-1] > seen[0]
