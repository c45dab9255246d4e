"""What tests ask of a concrete function: other executors of its graph, and its plan as text."""

import ferrograph as fg
import pytest
from ferrograph import _core


def branching():
    v = fg.Variable(2.0)

    @fg.function
    def f(x, n):
        y = x * v
        for _ in fg.range(n):
            if fg.reduce_sum(y) < 100.0:
                y = y + x
                y = y * 2.0
            else:
                y = y - 1.0
        return y, fg.shape(y)

    spec = fg.TensorSpec([None], fg.float32)
    return f.get_concrete_function(spec, fg.TensorSpec([], fg.int32))


@pytest.mark.parametrize("run", [_core.interpret, _core.run_planned])
def test_every_executor_computes_what_a_call_does(run):
    concrete = branching()
    x, n = fg.constant([1.0, 2.0, 30.0]), fg.constant(7)
    y, shape = concrete(x, n)
    flat = run(concrete, [x, n])
    assert [t.numpy().tolist() for t in flat] == [y.numpy().tolist(), shape.numpy().tolist()]


@pytest.mark.parametrize("optimised", [True, False])
def test_a_plan_is_text(optimised):
    concrete = branching()
    text = _core.plan_text(concrete, [fg.constant([1.0]), fg.constant(3)], optimised=optimised)
    assert text.startswith('plan "')
    for part in ("while {", "} body {", "if s", "} else {", 'ReadVariableOp "', "return "):
        assert part in text, text


def test_an_executor_refuses_what_a_call_refuses():
    concrete = branching()
    with pytest.raises(TypeError, match="takes 2 flat tensors, got 1"):
        _core.interpret(concrete, [fg.constant([1.0])])


def test_plans_are_sound():
    concrete = branching()
    x, n = fg.constant([1.0, 2.0, 30.0]), fg.constant(7)
    assert _core.verify_plan(concrete, [x, n]) == []


def test_the_suite_runs_verified():
    assert _core.verifies()
