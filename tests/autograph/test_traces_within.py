"""What functions do to objects while they are traced within a branch or a loop stays done."""

import ferrograph as fg
import pytest


class Model:
    def __init__(self):
        self.built, self.steps, self.log, self.table, self.v = False, 0, [], {}, None

    @fg.function
    def making(self, x):
        if not self.built:
            self.built = True
            self.v = fg.Variable(2)
            self.log.append("built")
            self.table["made"] = "yes"
        self.steps += 1
        self.log.append("traced")
        return x + self.v

    @fg.function
    def plain(self, x):
        self.built = True
        self.steps += 1
        self.log.append("traced")
        self.table["made"] = "yes"
        return x + 2

    def state(self):
        return self.built, self.steps, self.log, self.table, self.v is not None


def in_cond(call, x):
    return fg.cond(x > 0, lambda: call(x), lambda: x)


def in_both(call, x):
    return fg.cond(x > 0, lambda: call(x), lambda: call(x) * 2)


def in_while_loop(call, x):
    return fg.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, call(a)), (0, x))[1]


def in_switch_case(call, x):
    return fg.switch_case(x % 2, [lambda: x, lambda: call(x)])


def in_map_fn(call, x):
    return fg.reduce_sum(fg.map_fn(call, fg.stack([x, x])))


def in_cond_in_loop(call, x):
    def step(i, a):
        return i + 1, fg.cond(i > 0, lambda: call(a), lambda: a)

    return fg.while_loop(lambda i, a: i < 3, step, (0, x))[1]


def in_if(call, x):
    if x > 0:
        x = call(x)
    return x


def in_while(call, x):
    i = fg.constant(0)
    while i < 2:
        x = call(x)
        i += 1
    return x


def in_for(call, x):
    for _ in fg.range(3):
        x = call(x)
    return x


def in_if_in_for(call, x):
    for i in fg.range(3):
        if i > 0:
            x = call(x)
    return x


def in_for_in_if(call, x):
    if x > 0:
        for _ in fg.range(3):
            x = call(x)
    return x


CALLS = [in_cond, in_both, in_while_loop, in_switch_case, in_map_fn, in_cond_in_loop]
STATEMENTS = [in_if, in_while, in_for, in_if_in_for, in_for_in_if]
WORKS = [(work, True) for work in CALLS + STATEMENTS] + [(work, False) for work in CALLS]


def itself(model, method):
    return getattr(model, method)


def around(model, method):
    """What calls the method of a model that the branches and loops reach."""
    return lambda x: getattr(model, method)(x)


@pytest.mark.parametrize("method", ["making", "plain"])
@pytest.mark.parametrize("called", [itself, around])
@pytest.mark.parametrize(("work", "autograph"), WORKS)
def test_objects_are_left_as_they_are_eagerly(work, autograph, called, method):
    eager, staged = Model(), Model()
    expected = [int(work(called(eager, method), fg.constant(v))) for v in (3, 5)]

    @fg.function(autograph=autograph)
    def traced(x):
        return work(called(staged, method), x)

    assert [int(traced(fg.constant(v))) for v in (3, 5)] == expected
    assert staged.state() == eager.state()


def test_what_a_trace_in_a_loop_changed_is_not_read_after_it():
    model = Model()

    @fg.function
    def traced(x):
        for _ in fg.range(x):
            x = model.plain(x)
        return x + len(model.log)

    with pytest.raises(fg.errors.StagingError, match="is read here, but a staged branch or loop"):
        traced(fg.constant(3))
    assert model.log == ["traced"]


class Layers:
    """An object that keeps its variables in a list."""

    def __init__(self):
        self.built, self.layers = False, []

    @fg.function
    def run(self, x):
        if not self.built:
            self.layers += [fg.Variable(1), fg.Variable(2)]
            self.built = True
        for layer in self.layers:
            x = x + layer
        return x


def test_a_function_finds_in_the_next_iteration_what_its_trace_has_left():
    model = Layers()

    @fg.function
    def traced(x):
        for _ in fg.range(2):
            x = model.run(x)
        return x

    assert [int(traced(fg.constant(v))) for v in (3, 5)] == [9, 11]
    assert model.built
    assert len(model.layers) == 2


def read_before(model, x):
    for _ in fg.range(3):
        x = x + len(model.log)
        x = model.plain(x)
    return x


def read_before_in_a_branch(model, x):
    for i in fg.range(3):
        x = x + model.steps
        if i > 0:
            x = model.plain(x)
    return x


def read_before_in_while_loop(model, x):
    def step(i, a):
        a = a + len(model.log)
        return i + 1, model.plain(a)

    return fg.while_loop(lambda i, a: i < 3, step, (0, x))[1]


@pytest.mark.parametrize("work", [read_before, read_before_in_a_branch, read_before_in_while_loop])
def test_what_a_trace_in_a_loop_changed_is_not_read_in_the_next_iteration(work):
    model = Model()
    with pytest.raises(fg.errors.StagingError, match="is read here, but a staged branch or loop"):
        fg.function(lambda x: work(model, x))(fg.constant(3))
