"""Variables made inside a function: on the first call, in one trace where that can be told."""

import functools

import ferrograph as fg
import numpy as np
import pytest

ONE = fg.constant(1.0)


class Lazy:
    """Makes its variable in ways that subclasses say; ``traced`` counts."""

    def __init__(self):
        self.v = None
        self.w = None
        self.is_built = False
        self.traced = 0
        self.calls = fg.Variable(0)

    def count(self):
        self.traced += 1


class IsNone(Lazy):
    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.v = fg.Variable(10.0)
        self.count()
        return self.v.assign_add(x)


class HasAttribute(Lazy):
    def __init__(self):
        super().__init__()
        del self.v

    @fg.function
    def __call__(self, x):
        """Adds up."""
        if not hasattr(self, "v"):
            self.v = fg.Variable(10.0)
        self.count()
        return self.v.assign_add(x)


class Built(Lazy):
    @fg.function
    def __call__(self, x):
        if not self.is_built:
            self.w = fg.Variable(x * 4.0 + 2.0)
            self.v = fg.Variable(self.w + 4.0)
            self.is_built = True
        self.count()
        return self.v.assign_add(x)


class TwoGuards(Lazy):
    @fg.function
    def __call__(self, x):
        if self.w is None:
            self.w = fg.Variable(fg.ones([2]) * 3.0)
        if self.v is None:
            self.v = fg.Variable(fg.reduce_sum(self.w) + 4.0)
        self.count()
        return self.v.assign_add(x)


class RandomStart(Lazy):
    @fg.function
    def __call__(self, x):
        if not self.is_built:
            self.w = fg.Variable(fg.random.normal([3]))
            self.v = fg.Variable(fg.reduce_sum(self.w) * 0.0 + 10.0)
            self.is_built = True
        self.count()
        return self.v.assign_add(x)


ONCE = [IsNone, HasAttribute, Built, TwoGuards, RandomStart]


@pytest.mark.parametrize("kind", ONCE)
def test_one_trace_is_enough_behind_a_plain_guard(kind):
    a, b = kind(), kind()
    assert [float(a(ONE)), float(a(ONE))] == [11, 12]
    assert a.traced == 1
    assert float(b(ONE)) == 11 and float(a(fg.constant(3.0))) == 15
    assert (a.traced, b.traced) == (1, 1)
    assert float(a.v) == 15 and float(b.v) == 11


def test_random_numbers_are_drawn_once():
    model = RandomStart()
    model(ONE)
    first = model.w.numpy().tolist()
    fg.random.set_seed(3)
    wanted = fg.random.normal([2]).numpy().tolist()
    fg.random.set_seed(3)
    model(ONE)
    assert fg.random.normal([2]).numpy().tolist() == wanted
    assert model.w.numpy().tolist() == first
    assert (
        "normal" not in str(model.__call__.get_concrete_function(ONE).graph.as_graph_def()).lower()
    )


def test_a_list_of_variables():
    state, traced = [], []

    @fg.function
    def f(x):
        if not state:
            state.append(fg.Variable(x * 2.0))
        traced.append(1)
        return state[0].assign_add(x)

    assert [float(f(ONE)), float(f(ONE))] == [3, 4]
    assert len(traced) == 1 and len(state) == 1


class Scales(Lazy):
    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.v = fg.Variable(x * 3.0)
        self.count()
        return self.v * x


def test_gradients_reach_the_variable():
    model = Scales()
    for n in (1, 2):
        with fg.GradientTape() as tape:
            y = model(fg.constant(2.0)) * float(n)
        assert float(y) == 12.0 * n
        assert float(tape.gradient(y, model.v)) == 2.0 * n
    assert model.traced == 1


class Assigns(Lazy):
    """An effect behind the guard, which later calls must not repeat."""

    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.v = fg.Variable(10.0)
            self.v.assign(20.0)
        self.count()
        return self.v.assign_add(x)


class CountsBefore(Lazy):
    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.calls.assign_add(1)
            self.v = fg.Variable(10.0)
        self.count()
        return self.v.assign_add(x)


class Else(Lazy):
    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.v = fg.Variable(10.0)
        else:
            x = x * 2.0
        self.count()
        return self.v.assign_add(x)


class LocalName(Lazy):
    @fg.function
    def __call__(self, x):
        factor = 2.0
        if self.v is None:
            self.v = fg.Variable(10.0)
            factor = 1.0
        self.count()
        return self.v.assign_add(x * factor)


class LookedBefore(Lazy):
    @fg.function
    def __call__(self, x):
        first = self.v is None
        if self.v is None:
            self.v = fg.Variable(10.0)
        self.count()
        return self.v.assign_add(x if first else x * 2.0)


class Builds(Lazy):
    def build(self, x):
        self.v = fg.Variable(x * 10.0)
        self.v.assign(self.v * 2.0)

    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.build(x)
        self.count()
        return self.v.assign_add(x)


class Keeps(Lazy):
    """Keeps a value of the first call; a later call finds it out of scope."""

    @fg.function
    def __call__(self, x):
        if self.v is None:
            self.w = x * 3.0
            self.v = fg.Variable(10.0)
        self.count()
        return self.v.assign_add(self.w)


def second_trace_result(model):
    """What the trace without creation gives, which all calls run."""
    return [float(model(ONE)) for _ in range(2)]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (Assigns, [11, 12]),
        (CountsBefore, [11, 12]),
        (Else, [12, 14]),
        (LocalName, [12, 14]),
        (LookedBefore, [12, 14]),
        (Builds, [11, 12]),
    ],
)
def test_anything_else_is_traced_again_without_the_creation(kind, values):
    model = kind()
    assert second_trace_result(model) == values
    assert model.traced == 2
    assert int(model.calls) == 0


def test_a_value_of_the_first_call_is_out_of_scope_in_the_next():
    with pytest.raises((TypeError, ValueError)):
        second_trace_result(Keeps())


def test_a_variable_at_every_call_is_an_error_that_names_the_line():
    kept = []

    @fg.function
    def f(x):
        kept.append(fg.Variable(1.0))
        return kept[-1] + x

    with pytest.raises(ValueError, match=r"test_variable_creation.py:\d+.*behind a guard"):
        f(ONE)


def test_a_guard_that_does_not_refuse_is_an_error():
    kept = []
    always = True

    @fg.function
    def f(x):
        if always is not None:
            kept.append(fg.Variable(1.0))
        return kept[-1] + x

    with pytest.raises(ValueError, match="behind a guard"):
        f(ONE)

    @fg.function
    def g(x):
        if not kept[0:0]:
            kept.append(fg.Variable(1.0))
        return kept[-1] + x

    with pytest.raises(ValueError, match="behind a guard"):
        g(ONE)


def test_a_cached_maker():
    made = []

    @functools.lru_cache
    def variable():
        made.append(1)
        return fg.Variable(5.0)

    @fg.function
    def f(x):
        return variable() + x

    assert [float(f(ONE)), float(f(ONE))] == [6, 6]
    assert made == [1]


def test_a_key_for_each_dtype():
    made = {}

    @fg.function
    def f(x):
        if x.dtype not in made:
            made[x.dtype] = fg.Variable(fg.ones([], x.dtype))
        return made[x.dtype].assign_add(x)

    assert float(f(ONE)) == 2
    with pytest.raises(ValueError, match="not its first"):
        f(fg.constant(1))
    assert float(f(ONE)) == 3


class Nested(Lazy):
    """Makes its variable on the first call, while another function is being traced."""

    def __init__(self, initial):
        super().__init__()
        self.initial = initial

    @fg.function
    def inner(self, x):
        if self.v is None:
            self.v = fg.Variable(self.initial(x))
        self.count()
        return self.v.assign_add(x)

    @fg.function
    def outer(self, x):
        return self.inner(x * 2.0)


@pytest.mark.parametrize(
    "initial",
    [
        lambda x: 10.0,
        lambda x: lambda: fg.fill([], 10.0),
        lambda x: fg.ones_like(x) * 10.0,
        lambda x: fg.cast(fg.size(x), fg.float32) * 10.0,
    ],
)
def test_a_nested_function_makes_its_variable_on_the_first_call(initial):
    made = Nested(initial)
    assert float(made.outer(ONE)) == 12.0
    assert float(made.outer(ONE)) == 14.0
    assert float(made.inner(ONE)) == 15.0


def test_random_values_of_a_nested_function_are_drawn_once():
    made = Nested(lambda x: fg.random.uniform([], 1.0, 2.0))
    first = float(made.outer(ONE))
    assert float(made.outer(ONE)) == pytest.approx(first + 2.0)


def test_a_nested_variable_cannot_begin_with_an_argument():
    made = Nested(lambda x: x + 1.0)
    with pytest.raises(ValueError, match="depends on an argument"):
        made.outer(ONE)


class Built:
    """An object that is set up by its first call: its variable is in a list of a list."""

    def __init__(self):
        self.parts, self.is_built, self.n_calls = [], False, 0

    def __call__(self, x):
        self.n_calls += 1
        if not self.is_built:
            self.parts.append([fg.Variable(2.0)])
            self.is_built = True
        return x * self.parts[0][0]


def in_cond(step, x):
    return fg.cond(x > 0, lambda: step(x), lambda: x)


def in_other_branch(step, x):
    return fg.cond(x > 0, lambda: x, lambda: step(x))


def in_loop(step, x):
    def body(i, total):
        return i + 1, fg.cond(i >= 0, lambda: step(total), lambda: total)

    return fg.while_loop(lambda i, total: i < 2, body, [0, x])[1]


def in_statement(step, x):
    y = x
    for i in fg.range(2):
        if i >= 0:
            y = step(y)
    return y


@pytest.mark.parametrize("construct", [in_cond, in_other_branch, in_loop, in_statement])
def test_objects_that_a_nested_function_sets_up_in_a_region_stay_so(construct):
    built = Built()
    step = fg.function(built)
    outer = fg.function(lambda x: construct(step, x))
    expected = float(construct(Built(), fg.constant(3.0)))
    assert float(outer(fg.constant(3.0))) == expected
    assert built.is_built and len(built.parts) == 1
    built.parts[0][0].assign(5.0)
    again = Built()
    again.parts, again.is_built = [[fg.Variable(5.0)]], True
    for x in (3.0, -3.0):
        assert float(outer(fg.constant(x))) == float(construct(again, fg.constant(x)))
    assert built.n_calls == 2  # one trace makes the variable, one is kept


def test_what_a_region_changes_beside_a_nested_function_is_chosen_by_the_graph():
    built, seen = Built(), fg.Module()
    seen.last = fg.constant(0.0)
    step = fg.function(built)

    @fg.function
    def f(x):
        if x > 0:
            seen.last = x
            y = step(x)
            seen.last = seen.last + 1
        else:
            y = x
        return y, seen.last

    assert [float(v) for v in f(fg.constant(3.0))] == [6.0, 4.0]
    assert [float(v) for v in f(fg.constant(-3.0))][0] == -3.0
    assert built.is_built


class ByShapes(fg.Module):
    """Makes variables from the shapes of what it computes."""

    v = w = None

    def __call__(self, x):
        mean = fg.reduce_mean(x, 0)
        if self.v is None:
            self.v = fg.Variable(fg.random.normal([2]))
        y = fg.reduce_mean(x * self.v)
        if self.w is None:
            self.w = fg.Variable(fg.zeros_like(mean))
        return y + self.w


@pytest.mark.parametrize("shape", [[3, 2], [None, 2]])
def test_types_of_tensors_are_enough_for_values_that_depend_on_shapes(shape):
    module = ByShapes()
    concrete = fg.function(module.__call__).get_concrete_function(fg.TensorSpec(shape))
    assert module.w.numpy().tolist() == [0, 0]
    expected = fg.reduce_mean(fg.ones([3, 2]) * module.v)
    assert np.allclose(concrete(fg.ones([3, 2])), [expected, expected])


def test_types_of_tensors_are_not_enough_for_values_that_depend_on_elements():
    class ByElements(fg.Module):
        v = None

        def __call__(self, x):
            if self.v is None:
                self.v = fg.Variable(x * 2.0)
            return self.v + x

    with pytest.raises(ValueError, match="depends on an argument"):
        fg.function(ByElements().__call__).get_concrete_function(fg.TensorSpec([2]))


class Begun(fg.Module):
    """A variable that begins with what ``first`` makes of the first call's argument."""

    def __init__(self, first, spec):
        super().__init__()
        self.v = None

        def call(x):
            if self.v is None:
                self.v = fg.Variable(first(x))
            return self.v + x

        self.call = fg.function(call, input_signature=[spec])


# As tensorflow 2.21 does: the variable keeps what the first call gave.
@pytest.mark.parametrize("shape", [[2], [None], None])
@pytest.mark.parametrize("first", [lambda x: x, lambda x: fg.reduce_sum(x) * 2.0])
def test_an_argument_of_an_input_signature_is_what_a_variable_begins_with(first, shape, tmp_path):
    begun = Begun(first, fg.TensorSpec(shape))
    x, y = fg.constant([1.0, 2.0]), fg.constant([0.5, 0.5])
    wanted = (first(x) + y).numpy().tolist()
    assert begun.call(x).numpy().tolist() == (first(x) + x).numpy().tolist()
    assert begun.call(y).numpy().tolist() == wanted
    fg.saved_model.save(begun, tmp_path)
    loaded = fg.saved_model.load(tmp_path)
    assert loaded.call(y).numpy().tolist() == wanted
    assert loaded.v.numpy().tolist() == first(x).numpy().tolist()


def test_an_argument_without_a_value_is_refused_where_a_variable_begins_with_it():
    spec = fg.TensorSpec([2])
    with pytest.raises(ValueError, match="call the function once"):
        Begun(lambda x: x, spec).call.get_concrete_function()
    begun = Begun(lambda x: x, spec)
    with pytest.raises(ValueError, match="call the function once"):
        fg.function(lambda x: begun.call(x))(fg.constant([1.0, 2.0]))


@pytest.mark.parametrize("dtype", ["bool", "string", "int8", "complex64", "bfloat16"])
def test_variables_are_made_beside_arguments_of_every_dtype(dtype):
    """A first call whose variables the function around it makes, under arguments of any dtype."""
    made = []

    @fg.function
    def inner(x):
        if not made:
            made.append(fg.Variable(fg.ones([2])))
        return made[0] * 2.0, x

    @fg.function
    def outer(x):
        return inner(x)

    x = fg.constant(["a", "b"]) if dtype == "string" else fg.cast([0, 1], dtype)
    doubled, same = outer(x)
    assert doubled.numpy().tolist() == [2.0, 2.0]
    assert same.dtype.name == dtype and same.numpy().tolist() == x.numpy().tolist()
