"""The search for NaN and infinity in what operations compute, eagerly and in functions."""

import re

import ferrograph as fg
import numpy as np
import pytest

debugging = fg.debugging


@pytest.fixture(autouse=True)
def checked():
    debugging.enable_check_numerics()
    yield
    debugging.disable_check_numerics()


def logarithm(x):
    y = fg.math.log(x)
    return y + 1.0


@pytest.mark.parametrize("traced", [False, True])
def test_an_operation_that_makes_nan_is_named_with_its_line_and_counts(traced):
    run = fg.function(logarithm) if traced else logarithm
    with pytest.raises(fg.errors.InvalidArgumentError) as caught:
        run(fg.constant([1.0, -1.0, 0.0, 0.0]))
    text = str(caught.value)
    kind = "graph" if traced else "eagerly-executing"
    assert f'in output 0 of {kind} op "Log" (# of outputs: 1)' in text
    assert "# of -Inf elements: 2" in text
    assert "# of NaN elements: 1" in text
    assert "+Inf" not in text
    assert ": Tensor had -Inf and NaN values" in text
    line = logarithm.__code__.co_firstlineno + 1
    assert re.search(rf"Made at: .*test_check_numerics\.py:{line} in logarithm", text), text


@pytest.mark.parametrize("traced", [False, True])
def test_finite_results_pass(traced):
    run = fg.function(logarithm) if traced else logarithm
    np.testing.assert_allclose(run(fg.constant([1.0, np.e])), [1.0, 2.0], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_each_floating_dtype_is_checked(dtype):
    x = fg.cast(fg.constant([1.0, -1.0]), dtype)
    with pytest.raises(
        fg.errors.InvalidArgumentError, match=r"-Inf, \+Inf, and NaN|-Inf and \+Inf"
    ):
        x / fg.cast(fg.constant([0.0, 0.0]), dtype)


def test_what_only_moves_elements_is_not_checked():
    x = fg.constant([[np.inf, 1.0]])
    assert fg.transpose(fg.reshape(x, [1, 2])).shape == [2, 1]
    assert np.isinf(fg.concat([x, x], 0).numpy()).any()


def test_gradients_are_checked():
    x = fg.Variable(0.0)
    with fg.GradientTape() as tape:
        y = fg.sqrt(x)
    with pytest.raises(fg.errors.InvalidArgumentError, match="Inf"):
        tape.gradient(y, x)


def test_gradients_flow_through_the_checks():
    x = fg.constant([1.0, 4.0])

    @fg.function
    def slope():
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.sqrt(x)
        return tape.gradient(y, x)

    np.testing.assert_allclose(slope(), [0.5, 0.25])


def test_a_function_keeps_the_checks_that_it_was_traced_with():
    early = fg.function(logarithm)
    late = fg.function(logarithm)
    bad = fg.constant([0.0])
    with pytest.raises(fg.errors.InvalidArgumentError):
        early(bad)
    debugging.disable_check_numerics()
    with pytest.raises(fg.errors.InvalidArgumentError):
        early(bad)
    assert np.isinf(late(bad).numpy()).all()
    debugging.enable_check_numerics()
    assert np.isinf(late(bad).numpy()).all()


def test_staged_loops_and_branches_are_checked():
    @fg.function
    def f(x):
        for _ in fg.range(3):
            x = fg.math.log(x)
        return x

    with pytest.raises(fg.errors.InvalidArgumentError, match='op "Log"'):
        f(fg.constant(2.0))
