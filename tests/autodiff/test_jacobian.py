"""Jacobians, and derivatives along a direction."""

import ferrograph as fg
import numpy as np
import pytest


def test_the_shape_is_that_of_the_target_and_then_of_the_source():
    x = fg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    w = fg.Variable([[1.0, -1.0], [0.5, 2.0]])
    with fg.GradientTape() as tape:
        y = x @ w
    found = tape.jacobian(y, w)
    assert found.shape == [3, 2, 2, 2]
    expected = np.einsum("ik,jl->ijkl", x.numpy(), np.eye(2))
    np.testing.assert_allclose(found.numpy(), expected)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.jacobian(y, w)


def test_sources_in_structures_and_unconnected_ones():
    a, b, c = fg.Variable(2.0), fg.Variable([1.0, 3.0]), fg.Variable([[5.0]])
    with fg.GradientTape(persistent=True) as tape:
        y = a * b
    found = tape.jacobian(y, {"a": a, "b": b, "c": c})
    assert found["a"].numpy().tolist() == [1, 3] and found["c"] is None
    assert found["b"].numpy().tolist() == [[2, 0], [0, 2]]
    zeros = tape.jacobian(y, c, unconnected_gradients="zero")
    assert zeros.shape == [2, 1, 1] and not zeros.numpy().any()


@pytest.mark.parametrize("shape", [[None], [3], None])
def test_in_functions(shape):
    seen = []

    @fg.function(input_signature=[fg.TensorSpec(shape, fg.float32)])
    def jacobian(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = x * fg.reduce_sum(x)
        found = tape.jacobian(y, x)
        seen.append(found.shape)
        return found

    assert jacobian(fg.constant([1.0, 2.0, 0.0])).numpy().tolist() == [
        [4, 1, 1],
        [2, 5, 2],
        [0, 0, 3],
    ]
    assert seen[0].is_compatible_with([3, 3])
    assert shape is None or seen[0].as_list() == shape * 2


def test_rows_through_gathers_and_loops():
    x = fg.constant([1.0, 2.0, 3.0])

    @fg.function
    def program(x):
        total = x
        for _ in fg.range(2):
            total = total * x
        return fg.gather(total, [2, 0])

    with fg.GradientTape() as tape:
        tape.watch(x)
        y = program(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[0, 0, 27], [3, 0, 0]]


@pytest.mark.parametrize("traced", [False, True])
def test_rows_apart(traced):
    def program(x):
        with fg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = fg.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], x[:, 1]], axis=1)
            first = y[:, 0]
        return tape.batch_jacobian(y, x), tape.batch_jacobian(first, x)

    specs = [fg.TensorSpec([None, 2], fg.float32)]
    f = fg.function(program, input_signature=specs) if traced else program
    found, first = f(fg.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert found.numpy().tolist() == [
        [[2, 0], [2, 1], [0, 1]],
        [[6, 0], [4, 3], [0, 1]],
    ]
    assert first.numpy().tolist() == [[2, 0], [6, 0]]


def test_rows_must_match():
    x = fg.ones([2, 2])
    with fg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = fg.concat([x, x], axis=0)
        total = fg.reduce_sum(x)
    with pytest.raises(ValueError, match="as many rows"):
        tape.batch_jacobian(y, x)
    with pytest.raises(ValueError, match="as many rows"):
        tape.batch_jacobian(total, x)


def test_a_hessian():
    x = fg.Variable([1.0, 2.0])
    with fg.GradientTape() as outer:
        with fg.GradientTape() as inner:
            y = x[0] ** 2 * x[1]
        slopes = inner.gradient(y, x)
    assert outer.jacobian(slopes, x).numpy().tolist() == [[4, 2], [2, 0]]


def test_derivatives_along_a_direction():
    x, y = fg.constant([1.0, 2.0]), fg.Variable([3.0, 4.0])
    tangents = [fg.constant([1.0, 0.0]), fg.constant([0.0, 1.0])]
    with fg.autodiff.ForwardAccumulator([x, y], tangents) as acc:
        z = {"product": x * y, "loose": fg.constant(1.0)}
        inside = acc.jvp(z["product"])
    found = acc.jvp(z)
    assert found["product"].numpy().tolist() == inside.numpy().tolist() == [3, 2]
    assert found["loose"] is None and acc.jvp(x).numpy().tolist() == [1, 0]
    assert float(acc.jvp(z["loose"], unconnected_gradients="zero")) == 0
    with pytest.raises(ValueError, match="tangent"):
        fg.autodiff.ForwardAccumulator(x, fg.constant([1.0]))


def test_directions_in_functions_and_of_directions():
    @fg.function
    def along(x, t):
        with fg.autodiff.ForwardAccumulator(x, t) as outer:
            with fg.autodiff.ForwardAccumulator(x, t) as inner:
                y = x**4
            first = inner.jvp(y)
        return first, outer.jvp(first)

    first, second = along(fg.constant(2.0), fg.constant(1.0))
    assert (float(first), float(second)) == (32, 48)


def test_differences_agree_with_gradients():
    x, y = fg.constant([[0.1, 0.2]], fg.float64), fg.constant([[1.0], [2.0]], fg.float64)
    computed, measured = fg.test.compute_gradient(lambda a, b: fg.sin(a) @ b, [x, y])
    assert [j.shape for j in computed] == [(1, 2), (1, 2)]
    for one, other in zip(computed, measured, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_jacobian_has_one_target():
    x = fg.constant([1.0, 2.0])
    with fg.GradientTape() as tape:
        tape.watch(x)
        targets = [x * x, x + 1.0]
    with pytest.raises(TypeError, match="one tensor"):
        tape.jacobian(targets, x)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_tape_that_recorded_nothing_has_no_gradients(persistent):
    x = fg.constant(1.0)
    for ask in ("gradient", "jacobian"):
        with pytest.raises(RuntimeError, match="recorded nothing"):
            getattr(fg.GradientTape(persistent), ask)(x, x)
