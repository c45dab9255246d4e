"""What errors of mixed dtypes say: both operands, how they were made, and the cast to write."""

import re

import ferrograph as fg
import pytest

VECTOR, WIDE = [1.0, 2.0], fg.float64
MIXED = {
    "AddV2": (lambda a, b: a + b, "y"),
    "Less": (lambda a, b: a < b, "y"),
    "Maximum": (lambda a, b: fg.maximum(a, b), "y"),
    "Minimum": (lambda a, b: fg.clip_by_value(a, b, b), "y"),
    "ConcatV2": (lambda a, b: fg.concat([a, b], 0), "values[1]"),
    "Pack": (lambda a, b: fg.stack([a, b]), "values[1]"),
    "AddN": (lambda a, b: fg.add_n([a, b]), "inputs[1]"),
    "SelectV2": (lambda a, b: fg.where(a > 0, a, b), "e"),
    "TensorScatterUpdate": (
        lambda a, b: fg.tensor_scatter_nd_update(a, [[0], [1]], b),
        "updates",
    ),
    "MatMul": (lambda a, b: fg.matmul(a[None], b[:, None]), "b"),
    "MatrixSolve": (lambda a, b: fg.linalg.solve(a[None, :1], b[None, :1]), "rhs"),
    "SquaredDifference": (lambda a, b: fg.math.squared_difference(a, b), "y"),
}


def told(function, *args):
    with pytest.raises((TypeError, ValueError, fg.errors.InvalidArgumentError)) as caught:
        function(*args)
    return str(caught.value)


@pytest.mark.parametrize("op", MIXED)
@pytest.mark.parametrize("traced", [False, True])
def test_both_operands_and_the_cast_are_named(op, traced):
    call, second = MIXED[op]
    run = fg.function(call) if traced else call
    text = told(run, fg.constant(VECTOR), fg.constant(VECTOR, WIDE))
    recorded = rf"cannot compute {op} as input #\d\(zero-based\) was expected to be a float tensor "
    assert re.search(recorded + rf"but is a double tensor \[Op:{op}\]", text), text
    assert re.search(rf"^  {re.escape(second)}: float64 of shape ", text, re.MULTILINE), text
    assert re.search(r"^  write fg\.cast\(.+, fg\.float32\)$", text, re.MULTILINE), text


def test_arguments_are_called_by_their_names():
    @fg.function
    def f(weights, prices):
        return weights * prices

    text = told(f, fg.constant(VECTOR), fg.constant(VECTOR, WIDE))
    assert "x: float32 of shape [2], the argument `weights` of " in text
    assert "y: float64 of shape [2], the argument `prices` of " in text
    assert "write fg.cast(prices, fg.float32)" in text


def test_nodes_name_the_lines_that_made_them():
    @fg.function
    def f(a):
        half = a * 0.5
        wide = fg.cast(a, fg.float64)
        return half + wide

    line = f.python_function.__code__.co_firstlineno
    text = told(f, fg.constant(VECTOR))
    assert re.search(rf"x: .*made by Mul `\w+` at .*test_mixed_dtypes\.py:{line + 2} in f", text)
    assert re.search(rf"y: .*made by Cast `\w+` at .*test_mixed_dtypes\.py:{line + 3} in f", text)


def test_the_cast_goes_to_the_richer_kind():
    text = told(lambda: fg.constant([1, 2]) + fg.constant(VECTOR))
    assert "write fg.cast(x, fg.float32)" in text
    text = told(lambda: fg.constant("a") + fg.constant(1))
    assert "write fg.strings.as_string(y)" in text


def test_scalars_tell_their_values():
    text = told(lambda: fg.constant(2.5) * fg.constant(3))
    assert "x: float32 of shape [], the value 2.5" in text
    assert "y: int32 of shape [], the value 3" in text


@pytest.mark.parametrize("traced", [False, True])
def test_what_holds_one_dtype_names_the_cast(traced):
    wrap = fg.function if traced else lambda f: f
    v = fg.Variable(VECTOR, name="weights")
    wide = fg.constant(VECTOR, WIDE)
    for call in (
        lambda b: v.assign(b),
        lambda b: v.assign_add(b),
        lambda b: v[:2].assign(b),
        lambda b: v.scatter_nd_add([[0], [1]], b),
        lambda b: fg.TensorArray(fg.float32, 2).write(0, b).stack(),
        lambda b: fg.one_hot([0], 2, fg.constant(1.0), b[0]),
        lambda b: fg.complex(fg.constant(VECTOR), b),
        lambda b: fg.pad(fg.constant(VECTOR), [[1, 1]], constant_values=b[0]),
        lambda b: fg.math.divide(fg.constant(VECTOR), b),
        lambda b: fg.convert_to_tensor(b, fg.float32),
    ):
        text = told(wrap(call), wide)
        assert re.search(r"^  write fg\.cast\(.+, fg\.float32\)$", text, re.MULTILINE), text
