"""What people of NumPy, JAX and PyTorch type: names that exist, and what unknown ones suggest."""

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.context.other_names import FUNCTIONS, METHODS


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_an_unknown_function_answers_with_one_that_exists(name):
    with pytest.raises(AttributeError) as raised:
        getattr(fg, name)
    assert str(raised.value).endswith(f": use fg.{FUNCTIONS[name]}")
    found = fg
    for part in FUNCTIONS[name].split("."):
        found = getattr(found, part)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_an_attribute_of_arrays_answers_with_what_to_write(name, run_python):
    assert not hasattr(fg.constant(1.0), name)
    path = METHODS[name].partition("(")[0].split(".")
    if path[0] == "{FG}":
        found = fg
        for part in path[1:]:
            found = getattr(found, part)


def test_the_suggestion_of_an_attribute_is_shown(run_python):
    program = "import ferrograph as fg\nfg.ones([2, 2]).flatten()\n"
    shown = run_python(program, check=False).stderr
    assert shown.rstrip().endswith("has no attribute 'flatten': write `fg.reshape(x, [-1])`")


def test_a_misspelt_name_has_one_suggestion():
    with pytest.raises(AttributeError) as raised:
        _ = fg.reduce_summ
    assert str(raised.value).count("'") == 6  # the module, the name and its like


def test_grad_of_arguments_and_structures():
    assert float(fg.grad(lambda x: x * x)(3.0)) == 6.0
    both = fg.grad(lambda x, y: fg.reduce_sum(x["a"] * y), argnums=(0, 1))
    of_x, of_y = both({"a": [1.0, 2.0]}, np.float32([3.0, 4.0]))
    assert [float(g) for g in of_x["a"]] == [3.0, 4.0]
    assert of_y.numpy().tolist() == [1.0, 2.0]


def test_grad_gives_zeros_for_what_does_not_matter():
    assert float(fg.grad(lambda x, y: x * x, argnums=1)(1.0, 2.0)) == 0.0


def test_grad_with_more_results():
    slope, aux = fg.grad(lambda x: (x * x, "more"), has_aux=True)(fg.constant(2.0))
    assert (float(slope), aux) == (4.0, "more")


def test_grad_of_a_variable_within_a_traced_function():
    v = fg.Variable(3.0)

    @fg.jit
    def slope():
        return fg.grad(lambda w: w * w * w)(v)

    assert float(slope()) == 27.0


@pytest.mark.parametrize("function", [lambda x: x * [1.0, 2.0], lambda x: fg.cast(x, fg.int32)])
def test_grad_refuses_what_is_no_scalar_float(function):
    with pytest.raises(TypeError, match="only a scalar float has one gradient"):
        fg.grad(function)(1.0)


def test_vmap_over_axes():
    rows, weights = fg.constant([[1.0, 2.0], [3.0, 4.0]]), fg.constant([1.0, 10.0])
    found = fg.vmap(lambda r, w: fg.tensordot(r, w, 1), in_axes=(0, None))(rows, weights)
    assert found.numpy().tolist() == [21.0, 43.0]
    columns = fg.vmap(fg.reduce_sum, in_axes=1)(rows)
    assert columns.numpy().tolist() == [4.0, 6.0]
    doubled = fg.vmap(lambda r: 2.0 * r, in_axes=1, out_axes=1)(rows)
    assert doubled.numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_vmap_of_grad():
    found = fg.vmap(fg.grad(lambda x: x**3))(fg.constant([1.0, 2.0]))
    assert found.numpy().tolist() == [3.0, 12.0]


@pytest.mark.parametrize(("axes", "said"), [((0,), "1 entries for 2"), (None, "no batch")])
def test_vmap_refuses_axes_that_do_not_fit(axes, said):
    with pytest.raises(ValueError, match=said):
        fg.vmap(lambda a, b: a + b, in_axes=axes)(fg.ones([2]), fg.ones([2]))


def test_assertions_of_tests():
    fg.testing.assert_allclose([fg.constant(1.0), {"a": [1.0]}], [1.0, {"a": fg.constant([1.0])}])
    fg.testing.assert_equal(fg.constant("text"), b"text")
    with pytest.raises(AssertionError, match=r"not equal at \['a'\]"):
        fg.testing.assert_allclose({"a": fg.constant([1.0, 2.0])}, {"a": [1.0, 2.1]})
    with pytest.raises(AssertionError, match="different keys"):
        fg.testing.assert_equal({"a": 1}, {"b": 1})
    with pytest.raises(AssertionError, match="shapes differ"):
        fg.testing.assert_equal(fg.ones([2, 1]), [1.0, 1.0])
    with pytest.raises(AssertionError, match="different lengths"):
        fg.testing.assert_equal([fg.ones([1])], [[1.0], [1.0]])


def test_versions_are_shown(run_python):
    program = "import ferrograph as fg, sys\nfg.show_versions(sys.stdout)"
    first, second, *rest = run_python(program).stdout.splitlines()
    assert first.split() == ["ferrograph", fg.__version__]
    assert second.startswith("python")
    assert any(line.split() == ["numpy", np.__version__] for line in rest)
