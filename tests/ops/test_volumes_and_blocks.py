"""Functions that few programs call, against what tensorflow 2.21 gives for them."""

import ferrograph as fg
import numpy as np
import pytest

VOLUME = fg.reshape(fg.range(54.0), [1, 3, 3, 3, 2])
BOX = fg.extract_volume_patches


@pytest.mark.parametrize("wrap", [lambda f: f, fg.function])
def test_patches_of_volumes(wrap):
    valid = wrap(lambda v: BOX(v, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID"))(VOLUME)
    assert valid.shape == [1, 2, 2, 2, 16]
    first = [0, 1, 2, 3, 6, 7, 8, 9, 18, 19, 20, 21, 24, 25, 26, 27, 2, 3, 4, 5, 8, 9, 10, 11]
    assert valid.numpy().ravel()[:24].tolist() == first
    same = wrap(lambda v: BOX(v, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"))(VOLUME)
    assert same.shape == [1, 2, 2, 2, 16]
    assert float(fg.reduce_sum(same)) == 1431.0
    assert same.numpy()[0, 1, 1, 1].tolist() == [52.0, 53.0] + [0.0] * 14
    wide = wrap(lambda v: BOX(v, [1, 3, 3, 3, 1], [1, 2, 2, 2, 1], "SAME"))(VOLUME)
    assert (wide.shape.as_list(), float(fg.reduce_sum(wide))) == ([1, 2, 2, 2, 54], 3392.0)


def test_patches_of_volumes_of_unknown_sizes():
    @fg.function(input_signature=[fg.TensorSpec([None] * 5)])
    def f(v):
        return [BOX(v, [1, 2, 2, 2, 1], [1, 2, 1, 1, 1], padding) for padding in ("SAME", "VALID")]

    for found, padding in zip(f(VOLUME), ("SAME", "VALID"), strict=True):
        expected = BOX(VOLUME, [1, 2, 2, 2, 1], [1, 2, 1, 1, 1], padding)
        assert np.array_equal(found, expected)


def test_approximate_orders_are_exact():
    x = fg.constant([[1.0, 5.0, 3.0, 2.0], [4.0, 4.0, 9.0, 0.0]])
    found = fg.math.approx_max_k(x, 2)
    assert found.values.numpy().tolist() == [[5.0, 3.0], [9.0, 4.0]]
    assert found.indices.numpy().tolist() == [[1, 2], [2, 0]]
    least = fg.nn.approx_min_k(x, 1, reduction_dimension=0)
    assert least.values.numpy().tolist() == [[1.0, 4.0, 3.0, 0.0]]
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.approx_top_k(x, 1, is_max_k=False).values
    assert tape.gradient(y, x).numpy().tolist() == [[1.0, 0, 0, 0], [0, 0, 0, 1.0]]


def test_empty_rows_are_filled():
    filled = fg.ragged_fill_empty_rows([0, 0, 2], [5, 6, 7], 4, -1)
    assert [part.numpy().tolist() for part in filled] == [
        [0, 0, 1, 2, 3],
        [5, 6, -1, 7, -1],
        [False, True, False, True],
        [0, 1, 3],
    ]
    none = fg.function(lambda rows: fg.ragged_fill_empty_rows(rows, fg.zeros([0]), 2, 1.0))
    assert none(fg.zeros([0], fg.int64)).output_values.numpy().tolist() == [1.0, 1.0]
    found = fg.ragged_fill_empty_rows_grad([0, 1, 3], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert (found.d_values.numpy().tolist(), float(found.d_default_value)) == ([1, 2, 4], 8.0)
    with pytest.raises(fg.errors.InvalidArgumentError):
        fg.ragged_fill_empty_rows([0, 5], [5, 6], 4, -1)


def test_paddings_of_blocks():
    def required(*args):
        return [part.numpy().tolist() for part in fg.required_space_to_batch_paddings(*args)]

    assert required([5, 7], [2, 3]) == [[[0, 1], [0, 2]], [[0, 1], [0, 2]]]
    assert required([5, 7], [2, 3], [[1, 0], [0, 1]]) == [[[1, 0], [0, 2]], [[0, 0], [0, 1]]]


def test_masked_slices_and_old_normalisation():
    rows = fg.IndexedSlices([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 2, 4], [5, 2])
    kept = fg.sparse.mask(rows, [2, 0])
    assert (kept.indices.numpy().tolist(), kept.values.numpy().tolist()) == ([4], [[5.0, 6.0]])
    assert fg.sparse.mask(rows, [7]).indices.shape == [3]
    x = fg.constant([[[[1.0, 2.0]]]])
    args = ([0.0, 1.0], [1.0, 4.0], [1.0, 1.0], [2.0, 2.0], 1e-3)
    norm = fg.nn.batch_norm_with_global_normalization
    assert np.allclose(norm(x, *args, True), [2.9990008, 1.9998751])
    assert np.allclose(norm(x, *args, False), [1.9995004, 1.4999375])


@pytest.mark.parametrize(
    "call",
    [
        lambda: BOX(VOLUME, [1, 2, 2, 2], [1, 1, 1, 1, 1], "VALID"),
        lambda: BOX(VOLUME, [2, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID"),
        lambda: BOX(VOLUME, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "FULL"),
        lambda: fg.approx_top_k([1.0], 1, recall_target=2.0),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match=r"ksizes|padding|recall"):
        call()
