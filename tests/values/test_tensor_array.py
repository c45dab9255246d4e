"""Tensor arrays, run eagerly and in graphs."""

import ferrograph as fg
import numpy as np
import pytest


def both(program, *arguments):
    """What a program gives eagerly and traced, which must agree; as NumPy values."""
    arguments = [fg.constant(a) for a in arguments]
    eager = fg.nest.map_structure(np.asarray, program(*arguments))
    traced = fg.nest.map_structure(np.asarray, fg.function(program)(*arguments))
    for a, b in zip(fg.nest.flatten(eager), fg.nest.flatten(traced), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    return eager


def test_what_is_written_is_read_and_stacked():
    def program(x):
        ta = fg.TensorArray(fg.float32, size=3, clear_after_read=False)
        for i in range(3):
            ta = ta.write(i, [x, x * i])
        return ta.stack(), ta.read(2), ta.size(), ta.gather([2, 0])

    stacked, row, size, picked = both(program, 2.0)
    assert stacked.tolist() == [[2, 0], [2, 2], [2, 4]]
    assert row.tolist() == [2, 4] and size == 3 and picked.tolist() == [[2, 4], [2, 0]]


def test_rows_pieces_and_scattered_rows():
    def program(x):
        rows = fg.TensorArray(fg.int32, size=3).unstack(x)
        pieces = fg.TensorArray(fg.int32, size=2, infer_shape=False).split(x[:, 0], [1, 2])
        put = fg.TensorArray(fg.int32, size=4, element_shape=[2]).scatter([3, 0, 1], x)
        return rows.stack(), pieces.concat(), put.stack(), pieces.read(1)

    rows, joined, put, piece = both(program, [[1, 2], [3, 4], [5, 6]])
    assert rows.tolist() == [[1, 2], [3, 4], [5, 6]] and joined.tolist() == [1, 3, 5]
    assert put.tolist() == [[3, 4], [5, 6], [0, 0], [1, 2]] and piece.tolist() == [3, 5]


def test_an_array_grows_only_where_told():
    def program(n):
        ta = fg.TensorArray(fg.int32, size=0, dynamic_size=True).write(n, n)
        return ta.stack(), ta.size()

    stacked, size = both(program, 2)
    assert stacked.tolist() == [0, 0, 2] and size == 3
    fixed = fg.TensorArray(fg.int32, size=1)
    with pytest.raises(fg.errors.OutOfRangeError):
        fixed.write(1, 1)
    with pytest.raises(fg.errors.OutOfRangeError):
        fixed.scatter([0, 1], [1, 2])
    with pytest.raises(fg.errors.OutOfRangeError):
        fixed.read(-1)
    with pytest.raises(fg.errors.OutOfRangeError):
        fg.function(lambda: fg.TensorArray(fg.int32, size=1).write(1, 1).stack())()


def test_a_place_is_read_once_unless_told_otherwise():
    once = fg.TensorArray(fg.int32, size=2).unstack([7, 8])
    assert int(once.read(0)) == 7 and int(once.read(1)) == 8
    with pytest.raises(fg.errors.InvalidArgumentError, match="clear_after_read"):
        once.read(0)
    assert int(once.write(0, 9).read(0)) == 9
    keep = fg.TensorArray(fg.int32, size=1, clear_after_read=False).unstack([7])
    assert int(keep.read(0)) == int(keep.read(0)) == 7


def test_eager_writes_need_not_be_kept():
    ta = fg.TensorArray(fg.int32, size=2)
    ta.write(0, 1)
    ta.write(1, 2)
    assert ta.stack().numpy().tolist() == [1, 2]


@pytest.mark.parametrize("traced", [False, True])
def test_elements_must_fit(traced):
    def run(program):
        return fg.function(program)() if traced else program()

    with pytest.raises(ValueError, match="shape"):
        run(lambda: fg.TensorArray(fg.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]).stack())
    with pytest.raises(ValueError, match="shape"):
        run(lambda: fg.TensorArray(fg.float32, 2, element_shape=[3]).write(0, 1.0).stack())
    wrong = TypeError if traced else fg.errors.InvalidArgumentError
    with pytest.raises(wrong, match="float32"):
        run(lambda: fg.TensorArray(fg.float32, 1).write(0, fg.constant(1)).stack())
    with pytest.raises(ValueError, match="fixed size"):
        run(lambda: fg.TensorArray(fg.int32, 2).unstack([1, 2, 3]).stack())


def test_nothing_at_all_stacks_to_nothing():
    assert fg.TensorArray(fg.int32, size=0, dynamic_size=True).stack().shape == [0]
    assert fg.TensorArray(fg.int32, size=0, element_shape=[None, 3]).stack().shape == [0, 0, 3]


def test_shapes_are_known_while_tracing():
    seen = []

    @fg.function(input_signature=[fg.TensorSpec([None, 4])])
    def f(x):
        ta = fg.TensorArray(fg.float32, size=fg.shape(x)[0])
        for i in fg.range(fg.shape(x)[0]):
            ta = ta.write(i, x[i])
        fixed = fg.TensorArray(fg.float32, size=2).write(0, x[0])
        seen.extend([ta.element_shape, ta.stack().shape, ta.read(0).shape, fixed.stack().shape])
        return ta.stack()

    f(fg.ones([2, 4]))
    assert [s.as_list() for s in seen] == [[4], [None, 4], [4], [2, 4]]


def test_arrays_are_state_of_loops_and_branches():
    def program(xs):
        kept = fg.TensorArray(fg.int32, size=0, dynamic_size=True)
        signs = fg.TensorArray(fg.int32, size=fg.size(xs))
        for i in fg.range(fg.size(xs)):
            if xs[i] % 2 == 0:
                kept = kept.write(kept.size(), xs[i])
            else:
                signs = signs.write(i, -1)
        return kept.stack(), signs.stack()

    kept, signs = both(program, [4, 7, 8, 3])
    assert kept.tolist() == [4, 8] and signs.tolist() == [0, -1, 0, -1]


def test_an_array_first_made_in_a_branch():
    @fg.function
    def f(x):
        if x > 0:
            ta = fg.TensorArray(fg.int32, size=2).unstack([x, x])
        else:
            ta = fg.TensorArray(fg.int32, size=2).unstack([0, x])
        return ta.stack()

    assert f(fg.constant(3)).numpy().tolist() == [3, 3]
    assert f(fg.constant(-3)).numpy().tolist() == [0, -3]


def test_arrays_are_arguments_and_results_of_functions():
    traces = []

    @fg.function
    def push(ta, value):
        traces.append(1)
        return ta.write(ta.size(), value), ta.size()

    ta = fg.TensorArray(fg.int32, size=0, dynamic_size=True)
    for i in range(3):
        ta, before = push(ta, fg.constant(i))
        assert isinstance(ta, fg.TensorArray) and int(before) == i
    assert ta.stack().numpy().tolist() == [0, 1, 2] and ta.element_shape == []
    assert len(traces) <= 2

    @fg.function
    def outer(x):
        return push(fg.TensorArray(fg.int32, size=0, dynamic_size=True), x)[0].stack()

    assert outer(fg.constant(5)).numpy().tolist() == [5]


def test_results_of_a_function_learn_their_shapes_apart():
    @fg.function
    def make():
        return fg.TensorArray(fg.float32, size=0, dynamic_size=True)

    @fg.function
    def size_after_a_write(ta):
        return ta.write(0, [1.0, 2.0, 3.0]).size()

    first, second = make(), make()
    first.write(0, [1.0, 2.0])
    assert int(size_after_a_write(second)) == 1
    assert first.element_shape == [2] and second.element_shape.rank is None
    second.write(0, 1.0)


def test_gradients_go_through_arrays():
    def stacked(x):
        ta = fg.TensorArray(fg.float32, size=3).unstack(x * x)
        return ta.stack() * [1.0, 2.0, 3.0]

    def written(x):
        ta = fg.TensorArray(fg.float32, size=2)
        return ta.write(0, x[0] * x[1]).write(1, x[2]).stack()

    def gathered(x):
        return fg.TensorArray(fg.float32, size=3).unstack(x * x).gather([0, 2])

    x = fg.constant([1.0, 2.0, 3.0])
    expected = {stacked: [2, 8, 18], written: [2, 1, 1], gathered: [2, 0, 6]}
    for program, slopes in expected.items():
        for f in (program, fg.function(program)):
            with fg.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            assert tape.gradient(y, x).numpy().tolist() == slopes


def test_gradients_of_arrays_that_loops_fill():
    @fg.function
    def powers(x, n):
        ta = fg.TensorArray(fg.float32, size=n)
        p = x
        for i in fg.range(n):
            ta = ta.write(i, p)
            p = p * x
        return ta.stack()

    x = fg.constant(2.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = powers(x, fg.constant(4))
    assert y.numpy().tolist() == [2, 4, 8, 16]
    assert float(tape.gradient(y, x)) == 1 + 4 + 12 + 32


def eager_and_traced(fn):
    return [[x.numpy().tolist() for x in run()] for run in (fn, fg.function(fn))]


def test_pieces_of_unequal_lengths():
    def pieces():
        array = fg.TensorArray(fg.float32, 3).split([1.0, 2.0, 3.0, 4.0], [1, 0, 3])
        return array.read(2), array.size()

    def joined():
        return (fg.TensorArray(fg.float32, 2).split([1.0, 2.0, 3.0], [1, 2]).concat(),)

    assert eager_and_traced(pieces) == [[[2.0, 3.0, 4.0], 3]] * 2
    assert eager_and_traced(joined) == [[[1.0, 2.0, 3.0]]] * 2
    declared = fg.TensorArray(fg.float32, 2, element_shape=[2])
    with pytest.raises(ValueError, match="cannot hold one of shape"):
        declared.split([1.0, 2.0, 3.0], [1, 2])


@pytest.mark.parametrize("run", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_a_place_is_a_scalar(run):
    with pytest.raises(ValueError, match="is a scalar"):
        run(lambda: fg.TensorArray(fg.float32, 2).write([0], 1.0).stack())()
    with pytest.raises(ValueError, match="is a scalar"):
        run(lambda: fg.TensorArray(fg.float32, 2).unstack([1.0, 2.0]).read([0]))()
