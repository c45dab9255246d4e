"""Parts of variables that are scattered into, as recorded from tensorflow 2.21."""

import ferrograph as fg
import pytest

MODES = pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])


def rows(values, indices):
    return fg.IndexedSlices(fg.constant(values), fg.constant(indices))


@MODES
def test_batches_take_rows_each(run):
    v = fg.Variable([[1, 2, 3], [4, 5, 6]])
    run(lambda: v.batch_scatter_update(rows([[9, 7], [8, 6]], [[0, 2], [1, 0]])))()
    assert v.numpy().tolist() == [[9, 2, 7], [6, 8, 6]]
    w = fg.Variable([1, 2, 3])
    run(lambda: w.batch_scatter_update(rows([9], [1])))()
    assert w.numpy().tolist() == [1, 9, 3]


@MODES
def test_extremes_at_places(run):
    v = fg.Variable([1.0, 5.0, 3.0])
    run(lambda: v.scatter_nd_max([[0], [1]], [4.0, 2.0]))()
    run(lambda: v.scatter_nd_min([[2], [1]], [4.0, 2.0]))()
    assert v.numpy().tolist() == [4.0, 2.0, 3.0]


@pytest.mark.parametrize("how", ["add", "sub", "mul", "div", "max", "min", "update"])
@MODES
def test_what_is_no_slices_is_refused(run, how):
    v = fg.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match="IndexedSlices"):
        run(lambda: getattr(v, f"scatter_{how}")(fg.constant([1.0])))()
