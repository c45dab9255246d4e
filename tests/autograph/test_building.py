"""Objects that make their variables when they are first called, within branches and loops."""

import ferrograph as fg
import numpy as np
import pytest


class Dense:
    """A layer that is built when it is first called."""

    def __init__(self, size, initial=lambda shape: lambda: fg.ones(shape) * 0.5):
        self.size, self.initial = size, initial
        self.kernel, self.parts, self.facts, self.calls, self.is_built = None, [], {}, 0, False

    def __call__(self, x):
        if not self.is_built:
            self.kernel = fg.Variable(self.initial([x.shape[-1], self.size]))
            self.parts.append(self.kernel)
            self.facts["in"] = x.shape[-1]
            self.is_built = True
        self.calls += 1
        return x @ self.kernel

    def seen(self):
        return len(self.parts), dict(self.facts), self.is_built


def branch(one, two, x):
    if fg.reduce_sum(x) > 0:
        y = one(x)
        x = y
    else:
        x = x * 2
    return x


def both_branches(one, two, x):
    if fg.reduce_sum(x) > 0:
        x = one(x)
    else:
        y = two(x)
        x = y - 1
    return x


def ternary(one, two, x):
    return one(x) if fg.reduce_sum(x) > 0 else two(x)


def right_side_of_and(one, two, x):
    positive = fg.reduce_sum(x) > 0 and fg.reduce_sum(one(x)) > 0
    return fg.where(positive, x, -x)


def for_loop(one, two, x):
    for _ in fg.range(3):
        x = one(x)
    return x


def while_loop(one, two, x):
    while fg.reduce_sum(x) < 200:
        x = one(x) + two(x)
    return x


def nest_of_constructs(one, two, x):
    for _ in fg.range(3):
        if fg.reduce_sum(x) > 0:
            x = one(x)
            while fg.reduce_sum(x) > 5:
                x = two(x) * 0.1
        else:
            x = two(x)
    return x


def explicit_cond(one, two, x):
    return fg.cond(fg.reduce_sum(x) > 0, lambda: one(x), lambda: two(x))


def explicit_while_loop(one, two, x):
    return fg.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, one(x)), (0, x))[1]


def mapped(one, two, x):
    return fg.map_fn(lambda row: one(row[None])[0], x)


def list_that_grows(one, two, x):
    found = []
    for _ in fg.range(3):
        x = one(x)
        found.append(fg.reduce_sum(x))
    return fg.stack(found)


def comprehension(one, two, x):
    if fg.reduce_sum(x) > 0:
        first, second = [layer(x) for layer in (one, two)]
        x = first + second
    return x


def gradient(one, two, x):
    with fg.GradientTape() as tape:
        y = x
        if fg.reduce_sum(x) > 0:
            y = one(x)
        loss = fg.reduce_sum(y * y)
    return tape.gradient(loss, one.kernel)


def counts_of_calls(one, two, x):
    n = 0
    if fg.reduce_sum(x) > 0:
        x = one(x)
        n += 1
    return x + n + one.calls


def counts_in_loops(one, two, x):
    for _ in fg.range(2):
        x = one(x)
    return x + one.calls


PROGRAMS = [
    branch,
    both_branches,
    ternary,
    right_side_of_and,
    for_loop,
    while_loop,
    nest_of_constructs,
    explicit_cond,
    explicit_while_loop,
    mapped,
    list_that_grows,
    comprehension,
    gradient,
    counts_of_calls,
    counts_in_loops,
]
INITIAL = {
    "a function": lambda shape: lambda: fg.ones(shape) * 0.5,
    "a tensor": lambda shape: fg.fill(shape, 0.5),
}


@pytest.mark.parametrize("initial", INITIAL.values(), ids=INITIAL)
@pytest.mark.parametrize("program", PROGRAMS)
def test_layers_are_built_where_they_are_first_called(program, initial):
    x = fg.ones([2, 3])
    plain = Dense(3, initial), Dense(3, initial)
    eager = program(*plain, x)
    layers = Dense(3, initial), Dense(3, initial)
    traced = fg.function(lambda x: program(*layers, x))
    np.testing.assert_allclose(traced(x), eager, rtol=1e-6)
    assert layers[0].seen() == plain[0].seen()
    kernel = layers[0].kernel
    traced(x)
    assert layers[0].kernel is kernel and traced.experimental_get_tracing_count() == 1


def test_the_branch_that_is_not_taken_is_built_too():
    layers = Dense(3), Dense(3)
    traced = fg.function(lambda x: both_branches(*layers, x))
    traced(fg.ones([2, 3]))
    assert layers[1].is_built
    np.testing.assert_allclose(traced(-fg.ones([2, 3])), np.full([2, 3], -2.5))


def test_a_variable_of_each_trace_is_refused():
    @fg.function
    def f(x):
        if x > 0:
            x = x * fg.Variable(2.0)
        return x

    with pytest.raises(ValueError, match=r"test_building.py:\d+ is made each time"):
        f(fg.constant(1.0))


def test_an_initial_value_of_the_branch_is_refused():
    made = []

    @fg.function
    def f(x):
        if x > 0:
            if not made:
                made.append(fg.Variable(x * 2))
            x = x * made[0]
        return x

    with pytest.raises(ValueError, match="or from what a branch or loop computes: make"):
        f(fg.constant(1.0))


def test_an_initial_value_of_what_is_known_outside_is_taken():
    known, made = fg.constant([1.0, 2.0]), []

    @fg.function
    def f(x):
        if x > 0:
            if not made:
                made.append(fg.Variable(known * 2))
            x = fg.reduce_sum(x * made[0])
        return x

    assert float(f(fg.constant(1.0))) == 6.0


def test_what_a_trace_did_that_another_one_follows_is_undone():
    layer, other, log = Dense(3), Dense(3), [0]
    other(fg.ones([1, 3]))

    @fg.function
    def f(x):
        x = layer(x)
        for _ in fg.range(2):
            log[0] += 1
            x = other(x)
        return x + log[0] + other.calls

    plain, plain_other, plain_log = Dense(3), Dense(3), 2
    plain_other(fg.ones([1, 3]))
    expected = plain_other(plain_other(plain(fg.ones([2, 3])))) + plain_log + plain_other.calls
    np.testing.assert_allclose(f(fg.ones([2, 3])), expected)


def test_elements_are_mapped_by_what_is_built_then():
    layer = Dense(3)
    rows = fg.data.Dataset.from_tensor_slices(fg.ones([2, 3]))
    made = rows.map(lambda r: layer(r[None])[0] if fg.reduce_sum(r) > 0 else r)
    assert [row.numpy().tolist() for row in made] == [[1.5, 1.5, 1.5]] * 2
