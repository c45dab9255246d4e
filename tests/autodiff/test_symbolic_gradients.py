"""``gradients`` and ``hessians`` inside functions; rules that run when a gradient is taken."""

import ferrograph as fg
import numpy as np
import pytest


def values(found):
    return [None if g is None else g.numpy().tolist() for g in found]


def traced(f, *args):
    return values(fg.function(f)(*(fg.constant(a) for a in args)))


PAIR = [1.0, 2.0]


def test_targets_are_summed_and_weighted():
    assert traced(lambda x: fg.gradients([x * x, x], x), PAIR) == [[3.0, 5.0]]
    assert traced(lambda x: fg.gradients(x * x, [x], grad_ys=[fg.constant([10.0, 1.0])]), PAIR) == [
        [20.0, 4.0]
    ]
    weighted = traced(lambda x: fg.gradients([x * x, x], x, grad_ys=[None, [3.0, 3.0]]), PAIR)
    assert weighted == [[5.0, 7.0]]


def test_unconnected_sources():
    def f(x):
        loose = fg.constant([1.0, 1.0])
        found = fg.gradients(x * x, [loose, 2.0])
        zeros = fg.gradients(x * x, loose, unconnected_gradients="zero")
        return [found[0] is None, found[1] is None, *zeros]

    found = fg.function(f)(fg.constant(PAIR))
    assert [bool(found[0]), bool(found[1]), found[2].numpy().tolist()] == [True, True, [0.0, 0.0]]


def test_gradients_of_gradients_and_of_integers():
    assert traced(lambda x: fg.gradients(fg.gradients(x**3, x)[0], x), PAIR) == [[6.0, 12.0]]
    assert traced(lambda x: fg.gradients(fg.cast(x, fg.int32), x), PAIR) == [None]


def test_what_gives_a_stop_counts_as_constant():
    def f(a):
        b = 2.0 * a
        c = a + b
        return fg.gradients(c, [a, b], stop_gradients=[a, b]) + fg.gradients(c, [a, b])

    assert traced(f, 1.0) == [1.0, 1.0, 3.0, 1.0]


def test_by_variables_and_captured_tensors():
    v, outside = fg.Variable(PAIR), fg.constant(PAIR)
    assert traced(lambda x: fg.gradients(v * x, [v, x]), [3.0, 4.0]) == [[3.0, 4.0], PAIR]
    assert traced(lambda: fg.gradients(outside * outside, outside)) == [[2.0, 4.0]]
    (rows,) = fg.function(lambda: fg.gradients(fg.gather(v, [0]), v))()
    assert isinstance(rows, fg.IndexedSlices)


def test_through_loops_branches_and_calls():
    @fg.function
    def cube(x):
        return x * x * x

    @fg.function
    def f(x, n):
        y = x
        for _ in fg.range(n):
            y = y * x
        if n > 1:
            y = y + cube(x)
        return fg.gradients(y, x)

    assert values(f(fg.constant(2.0), fg.constant(2))) == [24.0]
    assert values(f(fg.constant(2.0), fg.constant(1))) == [4.0]


def test_inside_a_branch_of_what_was_made_around_it():
    def f(x):
        y = x * x
        positive = fg.reduce_sum(x) > 0.0
        around = fg.cond(positive, lambda: fg.gradients(y, x)[0], lambda: x)
        within = fg.cond(positive, lambda: fg.gradients(y * x, x)[0], lambda: x)
        return [around, within]

    assert traced(f, PAIR) == [[2.0, 4.0], [3.0, 12.0]]


def test_a_constant_that_regions_copy_is_refused():
    def f(x):
        c = fg.constant(2.0)
        y = fg.cond(x > 0.0, lambda: c * x, lambda: x)
        return fg.gradients(y, c)

    with pytest.raises(ValueError, match=r"fg\.identity"):
        traced(f, 1.0)


def test_hessians():
    cubes = traced(lambda x: fg.hessians(fg.reduce_sum(x**3) + x[0] * x[1], x), PAIR)
    assert cubes == [[[6.0, 1.0], [1.0, 12.0]]]
    assert traced(lambda x: fg.hessians(fg.reduce_sum(x), x), PAIR) == [[[0.0, 0.0], [0.0, 0.0]]]
    matrix = np.arange(4.0, dtype=np.float32).reshape(2, 2)
    (found,) = traced(lambda x: fg.hessians(fg.reduce_sum(x @ x), x), matrix)
    assert np.shape(found) == (2, 2, 2, 2)
    with pytest.raises(ValueError, match="do not depend"):
        traced(lambda x: fg.hessians(fg.reduce_sum(fg.cast(x, fg.int32)), x), PAIR)


@pytest.mark.parametrize("take", [fg.gradients, fg.hessians])
def test_outside_a_function_there_is_no_graph(take):
    x = fg.constant(2.0)
    with pytest.raises(RuntimeError, match="GradientTape"):
        take(x * x, x)
    with pytest.raises(TypeError, match="list of tensors"):
        fg.function(lambda x: take(x * x, {"x": x}))(x)


def test_a_rule_runs_when_its_gradient_is_taken():
    said = []

    @fg.custom_gradient
    def square(x):
        def rule(upstream):
            said.append(float(upstream))
            return 2.0 * x * upstream

        return x * x, rule

    x = fg.Variable(3.0)
    with fg.GradientTape(persistent=True) as tape:
        y = 5.0 * square(x)
    assert said == []
    assert [float(tape.gradient(y, x)) for _ in range(2)] == [30.0, 30.0]
    assert said == [5.0, 5.0]


def test_an_exception_of_a_rule_arrives_as_it_is():
    class Refused(Exception):
        pass

    @fg.custom_gradient
    def f(x):
        def rule(upstream):
            raise Refused("not today")

        return x * x, rule

    x = fg.Variable(1.0)
    with fg.GradientTape() as tape:
        y = f(x)
    with pytest.raises(Refused, match="not today"):
        tape.gradient(y, x)


def test_recomputing_runs_again_for_the_gradient_and_has_second_derivatives():
    calls = []

    @fg.recompute_grad
    def cube(x):
        calls.append(1)
        return x * x * x

    x = fg.constant(2.0)
    with fg.GradientTape() as outer:
        outer.watch(x)
        with fg.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        assert len(calls) == 1
        slope = inner.gradient(y, x)
    assert (len(calls), float(slope), float(outer.gradient(slope, x))) == (2, 12.0, 12.0)


def test_products_with_bools():
    t = fg.constant([True, False])
    for other in (2.0, 1, [3.0, 4.0], True, fg.constant([1.0, 2.0]), t):
        assert (t * other).numpy().tolist() == [True, False]
        assert fg.function(lambda a, b=other: a * b)(t).numpy().tolist() == [True, False]
    assert (True * t).numpy().tolist() == [True, False]
    assert (t * 0.5).numpy().tolist() == [False, False]
    with pytest.raises(TypeError):
        2.0 * t
