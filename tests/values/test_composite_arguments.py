"""Ragged and sparse arguments by keyword, in functions of segments and of logic."""

import ferrograph as fg
import numpy as np
import pytest

ROWS = [[1.0, 2.5], [], [-3.0]]
EAGER = [False, True]


def rows():
    return fg.ragged.constant(ROWS)


def run(call, value, traced):
    return fg.function(call)(value) if traced else call(value)


@pytest.mark.parametrize("traced", EAGER)
def test_by_keyword(traced):
    assert float(run(lambda r: fg.reduce_sum(input_tensor=r, name="n"), rows(), traced)) == 0.5
    found = run(lambda r: fg.atan2(y=1.5, x=r), rows(), traced).to_list()
    np.testing.assert_allclose(found[0], np.arctan2(1.5, ROWS[0]), rtol=1e-6)
    found = run(lambda r: fg.math.zeta(x=r + 4.0, q=0.5), rows(), traced)
    assert [len(row) for row in found.to_list()] == [2, 0, 1]
    sparse = fg.SparseTensor([[0, 1]], [1.5], [1, 2])
    found = run(lambda s: fg.cast(x=s, dtype="int32", name="n"), sparse, traced)
    assert (found.dtype, found.values.numpy().tolist()) == (fg.int32, [1])


@pytest.mark.parametrize("traced", EAGER)
def test_pairs_and_reductions(traced):
    found = run(lambda r: fg.complex(r, r), rows(), traced)
    assert found.to_list() == [[1 + 1j, 2.5 + 2.5j], [], [-3 - 3j]]
    assert bool(run(fg.reduce_any, rows(), traced))
    assert run(lambda r: fg.reduce_all(r, axis=1), rows(), traced).numpy().all()
    found = run(lambda r: fg.reduce_logsumexp(r, axis=1), rows(), traced).numpy()
    np.testing.assert_allclose(found, [np.log(np.exp(1) + np.exp(2.5)), -np.inf, -3], rtol=1e-6)
    whole = fg.ragged.constant([[1, 2], [], [3]])
    found = run(fg.math.reduce_std, whole, traced)
    assert found.dtype == fg.float64
    np.testing.assert_allclose(float(found), np.std([1, 2, 3]))


@pytest.mark.parametrize("traced", EAGER)
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("sum", [4.0, 6.0, 5.0]),
        ("prod", [3.0, 8.0, 5.0]),
        ("max", [3.0, 4.0, 5.0]),
        ("min", [1.0, 2.0, 5.0]),
        ("mean", [2.0, 3.0, 5.0]),
        ("sqrt_n", [4.0 / 2**0.5, 6.0 / 2**0.5, 5.0]),
    ],
)
def test_segments_of_rows(name, first, traced):
    data = fg.ragged.constant([[1.0, 2.0], [3.0, 4.0, 5.0], [7.0]])
    segment = getattr(fg.math, f"unsorted_segment_{name}")
    found = run(lambda r: segment(r, [0, 0, 2], num_segments=3, name="n"), data, traced).to_list()
    np.testing.assert_allclose(found[0], first, rtol=1e-6)
    assert found[1:] == [[], [7.0]]
    with pytest.raises(ValueError, match="segment_ids must be a vector"):
        segment(data, [[0], [0], [2]], 3)


def test_sparse_divided_by_dense():
    x = fg.SparseTensor([[0, 0], [1, 1]], [6.0, 8.0], [2, 2])
    found = fg.divide(x, [2.0, 4.0])
    assert found.values.numpy().tolist() == [3.0, 2.0]


@pytest.mark.parametrize("traced", EAGER)
def test_logic_of_arrays(traced):
    ones, zeros = np.array([1, 0, 2]), np.array([1.0, 1.0, 0.0])
    flag = fg.constant([True, True, True])
    assert run(lambda t: fg.logical_and(ones, t), flag, traced).numpy().tolist() == [
        True,
        False,
        True,
    ]
    assert run(lambda t: fg.logical_or(zeros, ones), flag, traced).numpy().all()
    assert run(lambda t: fg.logical_not(ones), flag, traced).numpy().tolist() == [
        False,
        True,
        False,
    ]


def test_dtypes_are_told_of_composites():
    fg.debugging.assert_type(fg.SparseTensor([[0]], [1.0], [2]), fg.float32)
    fg.debugging.assert_type(rows(), fg.float32)
    with pytest.raises(TypeError, match="expected dtype int32, got float32"):
        fg.debugging.assert_type(rows(), fg.int32)


def test_printed_parts_of_a_sparse_tensor():
    text = str(fg.SparseTensor([[0]], [1.0], [2]))
    assert "values=fg.Tensor([1.], shape=(1,), dtype=float32)" in text
