"""A trace that asks which variable an argument is serves that variable alone."""

import ferrograph as fg


def counting():
    """A function that keeps a count for each variable by its identity, as optimizers keep slots."""
    counts = {}
    traced = []

    @fg.function
    def step(v):
        traced.append(v._unique_id)
        count = counts[v._unique_id]
        count.assign_add(1)
        v.assign_add(fg.cast(count, fg.float32))
        return v.value()

    return step, counts, traced


def test_variables_of_one_type_keep_their_own_state():
    step, counts, traced = counting()
    a, b = fg.Variable(0.0), fg.Variable(100.0)
    counts.update({v._unique_id: fg.Variable(0) for v in (a, b)})
    for _ in range(3):
        step(a)
    step(b)
    assert (float(a), float(b)) == (6.0, 101.0)
    assert traced == [a._unique_id, b._unique_id]


def test_an_outer_function_is_of_the_variable_too():
    step, counts, _ = counting()
    a, b = fg.Variable(0.0), fg.Variable(100.0)
    counts.update({v._unique_id: fg.Variable(0) for v in (a, b)})

    @fg.function
    def outer(variables):
        return step(variables[0]) + 0.0

    outer([a])
    outer([a])
    outer([b])
    assert (float(a), float(b)) == (3.0, 101.0)


def test_globals_that_such_a_trace_read_guard_it():
    _, counts, _ = counting()
    a = fg.Variable(0.0)
    counts[a._unique_id] = fg.Variable(0)
    factor = 2.0

    @fg.function
    def scaled(v):
        assert v._unique_id in counts
        return v * factor

    a.assign(3.0)
    assert float(scaled(a)) == 6.0
    factor = 3.0
    assert float(scaled(a)) == 9.0


def test_other_functions_share_traces_as_before():
    @fg.function
    def double(v):
        return v * 2.0

    assert float(double(fg.Variable(1.0))) == 2.0 and float(double(fg.Variable(2.0))) == 4.0
    assert double.experimental_get_tracing_count() == 1
