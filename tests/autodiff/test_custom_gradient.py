"""Gradients of the program's own, eagerly and across functions; gradients through branches."""

import ferrograph as fg
import pytest


@fg.custom_gradient
def ten_times_steeper(x):
    return x * x, lambda upstream: 10.0 * 2.0 * x * upstream


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_the_rule_given_is_used_and_differentiated(wrap):
    f = wrap(ten_times_steeper)
    x = fg.constant(3.0)
    with fg.GradientTape() as outer:
        outer.watch(x)
        with fg.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    assert (float(y), float(first)) == (9.0, 60.0)
    assert float(outer.gradient(first, x)) == 20.0


def test_the_rule_is_used_where_the_tape_is_inside_the_function():
    @fg.function
    def slope(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = ten_times_steeper(x)
        return tape.gradient(y, x)

    assert float(slope(fg.constant(2.0))) == 40.0


def test_variables_are_handed_to_the_rule():
    v = fg.Variable(2.0)

    @fg.custom_gradient
    def scaled(x):
        def grad_fn(upstream, variables=None):
            assert [w is v for w in variables] == [True]
            return upstream * 100.0, [upstream * 7.0]

        return x * v, grad_fn

    x = fg.constant(3.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [100.0, 7.0]


def test_a_wrong_number_of_gradients_is_refused():
    @fg.custom_gradient
    def product(x, y):
        return x * y, lambda upstream: upstream

    v = fg.Variable(1.0)
    with fg.GradientTape() as tape:
        y = product(v, fg.constant(2.0))
    with pytest.raises(ValueError, match="gave 1 gradients for 2 arguments"):
        tape.gradient(y, v)

    @fg.function
    def traced():
        with fg.GradientTape():
            return product(v, fg.constant(2.0))

    with pytest.raises(ValueError, match="gave 1 gradients for 2 arguments"):
        traced()


def test_a_variable_passed_as_argument_has_a_gradient_through_branches_in_a_loop():
    @fg.function
    def f(x, n):
        total = fg.constant(0.0)
        for i in fg.range(n):
            if i % 2 == 0:
                total += x * x
            else:
                total += 1.0
        return total

    x = fg.Variable(3.0)
    with fg.GradientTape() as tape:
        y = f(x, fg.constant(5))
    assert (float(y), float(tape.gradient(y, x))) == (29.0, 18.0)


class Doubling:
    """An object with a method whose gradient is its own."""

    def __init__(self, factor):
        self.factor = factor

    @fg.custom_gradient
    def times(self, x):
        return self.factor * x, lambda upstream: upstream * 100.0

    @staticmethod
    @fg.custom_gradient
    def alone(x):
        return x * 2.0, lambda upstream: upstream * 7.0


@pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_methods_have_gradients_of_their_own(run):
    made = Doubling(3.0)

    def slope(f):
        def of(x):
            with fg.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return y, tape.gradient(y, x)

        return [float(v) for v in run(of)(fg.constant(2.0))]

    assert slope(made.times) == [6.0, 100.0]
    assert slope(made.alone) == [4.0, 7.0]
    assert slope(Doubling.alone) == [4.0, 7.0]


def test_second_gradients_in_a_function_reach_variables_that_a_nested_one_reads_backwards():
    w = fg.Variable(3.0)

    @fg.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * 7.0 * w, [dy * x * 11.0]

        return x * w, grad

    nested = fg.function(lambda x: scaled(x), input_signature=[fg.TensorSpec([], fg.float32)])

    @fg.function
    def second(x):
        with fg.GradientTape() as outer:
            outer.watch(x)
            with fg.GradientTape() as tape:
                tape.watch(x)
                y = nested(x)
            found = tape.gradient(y, [x, w])
        return outer.gradient(found, [x, w])

    # Seen in tensorflow 2.21.
    assert [float(g) for g in second(fg.constant(2.0))] == [11.0, 7.0]
