"""What a trace took for granted of shapes that it did not know is checked when it runs.

tensorflow-cpu 2.21.0 raises InvalidArgumentError in each of these runs, too, but for that of
``gather_nd``, which it does not trace without a rank.
"""

import ferrograph as fg
import pytest

RUNS = {
    "betainc": (lambda a, b: fg.math.betainc(a, b, b), (5, 2, 3), (2, 3)),
    "cross": (lambda a, b: fg.linalg.cross(a, b), (5, 2, 3), (2, 3)),
    "tridiagonal_matmul": (lambda a, b: fg.linalg.tridiagonal_matmul(a, b), (5, 3, 4), (4, 2)),
    "tridiagonal_solve": (lambda a, b: fg.linalg.tridiagonal_solve(a, b), (5, 3, 4), (4, 2)),
    "lstsq": (lambda a, b: fg.linalg.lstsq(a, b, fast=False), (5, 4, 4), (4, 2)),
    "dynamic_stitch": (lambda a, b: fg.dynamic_stitch([[0, 2], [1]], [a, b]), (2, 2, 2), (1, 4)),
    "einsum": (lambda a, b: fg.einsum("bij,bjk->bik", a, b), (3, 4, 5), (2, 5, 6)),
    "ReluGrad": (lambda a, b: fg.raw_ops.ReluGrad(gradients=a, features=b), (5, 3, 4), (3, 4)),
    "TanhGrad": (lambda a, b: fg.raw_ops.TanhGrad(y=a, dy=b), (5, 3, 4), (3, 4)),
    "SigmoidGrad": (lambda a, b: fg.raw_ops.SigmoidGrad(y=a, dy=b), (5, 3, 4), (3, 4)),
    "set_diag": (lambda a, b: fg.linalg.set_diag(a, b), (3, 3, 4), (2, 3)),
    "in_top_k": (lambda a, b: fg.math.in_top_k([1, 0, 2], a, 1), (5, 4), ()),
    "reverse_sequence": (lambda a, b: fg.reverse_sequence(a, [1, 2], 1, 0), (3, 3), ()),
    "gather_nd": (lambda a, b: fg.gather_nd(a, [[0], [1]], batch_dims=1), (3, 2), ()),
    "tensor_diag_part": (lambda a, b: fg.linalg.tensor_diag_part(a), (2, 3), ()),
}


@pytest.mark.parametrize("name", RUNS)
def test_other_shapes_are_refused(name):
    call, first, second = RUNS[name]
    traced = fg.function(call, input_signature=[fg.TensorSpec(None), fg.TensorSpec(second)])
    with pytest.raises(fg.errors.InvalidArgumentError):
        traced(fg.fill(first, 0.5), fg.fill(second, 0.5))


def test_einsum_takes_no_letter_for_two_sizes():
    # As many elements in another shape were reshaped.
    open_ = fg.TensorSpec([None, None])
    traced = fg.function(lambda a, b: fg.einsum("ij,ij->ij", a, b), input_signature=[open_, open_])
    with pytest.raises(fg.errors.InvalidArgumentError):
        traced(fg.ones([2, 3]), fg.ones([3, 2]))


@pytest.mark.parametrize("op", ["ReluGrad", "TanhGrad", "SigmoidGrad"])
def test_gradients_of_activations_broadcast_neither_eagerly_nor_traced(op):
    def emit(a, b):
        return fg._core.emit(op, (a, b), None, None)

    with pytest.raises(fg.errors.InvalidArgumentError):
        emit(fg.ones([3, 4]), fg.ones([4]))
    with pytest.raises(ValueError):
        fg.function(emit)(fg.ones([3, 4]), fg.ones([4]))


def test_jacobians_of_activations_take_rows_of_one_operand():
    x = fg.constant([-1.0, 0.5, 2.0])
    for function in (fg.nn.relu, fg.tanh, fg.sigmoid):
        with fg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(x)
        one_by_one = fg.linalg.diag(tape.gradient(y, x))
        assert bool(fg.reduce_all(fg.abs(tape.jacobian(y, x) - one_by_one) < 1e-6))
