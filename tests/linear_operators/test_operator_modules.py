"""Linear operators are modules: their variables are found and saved as tensorflow does it."""

import ferrograph as fg
import pytest

L = fg.linalg


def v(value):
    return fg.Variable(fg.constant(value, fg.float32))


# How an operator is made, and what the variables in it are called in checkpoints of tensorflow.
MADE = {
    "full": (lambda: L.LinearOperatorFullMatrix(v([[2.0, 0], [0, 1]])), ["_matrix"]),
    "lower": (lambda: L.LinearOperatorLowerTriangular(v([[2.0, 0], [0, 1]])), ["_tril"]),
    "diag": (lambda: L.LinearOperatorDiag(v([2.0, 1])), ["_diag"]),
    "scaled": (lambda: L.LinearOperatorScaledIdentity(2, v(2.0)), ["_multiplier"]),
    "householder": (lambda: L.LinearOperatorHouseholder(v([1.0, 0])), ["_reflection_axis"]),
    "toeplitz": (lambda: L.LinearOperatorToeplitz(v([1.0, 0]), v([1.0, 0])), ["_col", "_row"]),
    "tridiag": (lambda: L.LinearOperatorTridiag(v([[1.0, 0]] * 3)), ["_diagonals"]),
    "update": (
        lambda: L.LinearOperatorLowRankUpdate(
            L.LinearOperatorDiag(v([2.0, 1])), v([[1.0], [2]]), v([1.0]), v([[1.0], [2]])
        ),
        ["_base_operator/_diag", "_diag_update", "_u", "_v"],
    ),
    "product": (
        lambda: L.LinearOperatorComposition([L.LinearOperatorDiag(v([2.0, 1])) for _ in "ab"]),
        ["_operators/0/_diag", "_operators/1/_diag"],
    ),
    "adjoint": (
        lambda: L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(v([[2.0, 0], [0, 1]]))),
        ["_operator/_matrix"],
    ),
    "permutation": (lambda: L.LinearOperatorPermutation(fg.Variable([1, 0])), ["_perm"]),
}


@pytest.mark.parametrize("name", MADE)
def test_variables_are_found_and_saved(name, tmp_path):
    make, names = MADE[name]
    module = fg.Module()
    module.operator = make()
    assert isinstance(module.operator, fg.Module)
    assert module.operator in module.submodules
    assert len(module.variables) == len(names) == len(module.operator.trainable_variables)
    path = fg.train.Checkpoint(module=module).save(tmp_path / "c")
    begin, end = "module/operator/", "/.ATTRIBUTES/VARIABLE_VALUE"
    saved = [key for key, _ in fg.train.list_variables(path) if key.startswith(begin)]
    assert [key.removeprefix(begin).removesuffix(end) for key in saved] == names


def test_what_was_trained_comes_back(tmp_path):
    def made(value):
        module = fg.Module()
        module.operator = L.LinearOperatorDiag(v([value, 1.0]))
        return module

    trained, fresh = made(5.0), made(0.0)
    with fg.GradientTape() as tape:
        loss = fg.reduce_sum(trained.operator.matvec([1.0, 2.0]))
    (gradient,) = tape.gradient(loss, trained.trainable_variables)
    assert gradient.numpy().tolist() == [1.0, 2.0]
    path = fg.train.Checkpoint(module=trained).save(tmp_path / "c")
    fg.train.Checkpoint(module=fresh).restore(path).assert_existing_objects_matched()
    assert fresh.operator.diag_part().numpy().tolist() == [5.0, 1.0]


def test_a_model_with_an_operator_is_saved(tmp_path):
    module = fg.Module()
    module.operator = L.LinearOperatorDiag(v([5.0, 1.0]))
    spec = [fg.TensorSpec([2])]
    module.f = fg.function(lambda x: module.operator.matvec(x), input_signature=spec)
    fg.saved_model.save(module, tmp_path / "m")
    loaded = fg.saved_model.load(tmp_path / "m")
    assert loaded.f(fg.constant([1.0, 2.0])).numpy().tolist() == [5.0, 2.0]
