"""NumPy's functions, sparse tensors and others of unknown rank are bit for bit as eagerly."""

import ferrograph as fg
import numpy as np
import pytest
from run import array_of

X = np.random.default_rng(0).uniform(1, 2, (2, 3, 4)).astype(np.float32)
V = X[0, 0]
S = X * (X > 1.5)
NUMPY = fg.experimental.numpy
REFUSALS = (ValueError, fg.errors.InvalidArgumentError)


def specs_of(arrays):
    """What a trace knows of the arguments: nothing, their ranks, all."""
    yield [fg.TensorSpec(None, a.dtype) for a in arrays]
    yield [fg.TensorSpec([None] * np.ndim(a), a.dtype) for a in arrays]
    yield [fg.TensorSpec(np.shape(a), a.dtype) for a in arrays]


def check(call, *arrays):
    args = [fg.constant(a) for a in arrays]
    wanted = array_of(call(*args))
    for specs in specs_of(arrays):
        found = array_of(fg.function(call, input_signature=specs, autograph=False)(*args))
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), specs
        if found.dtype == object:
            assert found.tolist() == wanted.tolist(), specs
        else:
            assert found.tobytes() == wanted.tobytes(), specs


@pytest.mark.parametrize(
    "axes", [(0, 1), (0, -1), (1, 0), (-1, 0), (2, 2), ([0, 1], [-1, 0]), ([2, 0], [0, 1])], ids=str
)
def test_axes_move(axes):
    check(lambda t: NUMPY.moveaxis(t, *axes), X)
    if isinstance(axes[0], int):
        check(lambda t: NUMPY.swapaxes(t, *axes), X)


@pytest.mark.parametrize("k", range(-1, 4))
def test_turns(k):
    check(lambda t: NUMPY.rot90(t, k), X)
    check(lambda t: NUMPY.rot90(t, k, (-1, 1)), X)


@pytest.mark.parametrize("k", [-5, -2, 0, 1, 3, 7])
def test_diagonals(k):
    check(lambda t: NUMPY.diagonal(t, k), X)
    check(lambda t: NUMPY.trace(t, k, 0, 2), X)
    check(lambda t: NUMPY.diag(t, k), X[0])
    check(lambda t: NUMPY.diag(t, k), V)


@pytest.mark.parametrize("sizes", [(3, 3), (1, 1), (2, 3, 2, 3)])
def test_diagonals_of_tensors(sizes):
    check(fg.linalg.tensor_diag_part, np.arange(np.prod(sizes)).reshape(sizes))


TURNED = X.transpose(0, 2, 1)
TWO, THREE = np.float32(2), np.float32(3)
PAIRS = [(X, V), (V, TURNED), (X, X[0].T), (V, V), (X[0], TURNED)]


@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_products(pair):
    check(NUMPY.dot, *PAIRS[pair])
    check(NUMPY.matmul, *PAIRS[pair])


@pytest.mark.parametrize("pair", [(V, TWO), (THREE, X), (THREE, TWO)], ids=["vs", "st", "ss"])
def test_products_with_scalars(pair):
    check(NUMPY.dot, *pair)
    check(NUMPY.inner, *pair)
    check(NUMPY.kron, *pair)


@pytest.mark.parametrize("pair", [(X, V), (V, X), (X, X[0]), (V, V)], ids=["tv", "vt", "tm", "vv"])
def test_inner_and_kronecker_products(pair):
    check(NUMPY.inner, *pair)
    check(NUMPY.kron, *pair)


@pytest.mark.parametrize("of_a", [2, 3])
@pytest.mark.parametrize("of_b", [2, 3])
def test_vector_products(of_a, of_b):
    a, b = X[..., :of_a], X[..., 1 : 1 + of_b]
    check(NUMPY.cross, a, b)
    check(NUMPY.cross, a, b[0, 0])
    check(lambda a, b: NUMPY.cross(a, b, axisc=0), a, b)
    check(lambda a, b: NUMPY.cross(a, b, axis=0), a.T, b.T)


@pytest.mark.parametrize(
    "reps", [2, [2], [1, 2], [2, 1, 3], [2, 1, 0, 3], np.array([1, 2])], ids=str
)
def test_tiles(reps):
    check(lambda t: NUMPY.tile(t, reps), X)


def test_sizes_that_are_known_stay_so():
    def shapes(x):
        padded = NUMPY.pad(x, [[1, 0], [0, 2]], "constant")
        return padded.shape, NUMPY.tile(x, fg.constant([2, 3])).shape, NUMPY.pad(x, 1).shape

    found = []
    fg.function(lambda x: found.append(shapes(x)))(fg.ones([2, 3]))
    assert [shape.as_list() for shape in found[0]] == [[3, 5], [4, 9], [4, 5]]


@pytest.mark.parametrize("mode", ["constant", "reflect", "symmetric"])
@pytest.mark.parametrize("width", [1, [1, 0], [[1, 0]], [[1, 0], [0, 2], [1, 1]]], ids=str)
def test_paddings(mode, width):
    check(lambda t: NUMPY.pad(t, width, mode), X)


@pytest.mark.parametrize(
    ("axis", "indices"),
    [(0, np.full((2, 1, 4), -1)), (1, [[[0, 1, 2, 0]]]), (-1, np.zeros((2, 3, 1), int))],
)
def test_elements_along_an_axis(axis, indices):
    check(lambda t, i: NUMPY.take_along_axis(t, i, axis), X, np.asarray(indices))


def test_arrays_of_as_many_axes():
    check(lambda t: NUMPY.array(t, ndmin=1), np.float32(1))
    check(lambda t: NUMPY.array(t, ndmin=5), X)
    check(lambda t: fg.convert_to_tensor(NUMPY.isscalar(t)), X)
    check(lambda t: fg.convert_to_tensor(NUMPY.isscalar(t)), TWO)


@pytest.mark.parametrize("one", [[1.0], [1.0, 1.0], [[1.0]], [2.0], []], ids=str)
def test_arrays_that_broadcast_are_not_equal(one):
    for other in ([1.0], [1.0, 1.0]):
        check(NUMPY.array_equal, np.array(one), np.array(other))


def test_moves_and_sizes_that_are_tensors():
    check(lambda t, n: NUMPY.roll(t, 1, n), X, np.int32(1))
    check(lambda t, n: NUMPY.roll(t, n, [0, 1]), X, np.int32(1))
    check(lambda t, n: NUMPY.roll(t, [1, 2], n), X, np.int32(2))
    check(lambda n: NUMPY.ones(n), np.int32(3))
    check(lambda n: NUMPY.full(n, 2), np.int32(3))
    check(lambda n: NUMPY.broadcast_to([[1], [2]], n), np.array([2, 3]))


SPARSE = fg.sparse


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 2], [-1, 0], []], ids=str)
def test_reductions_of_sparse_tensors(axis, keepdims):
    def as_sparse(t):
        return SPARSE.to_dense(SPARSE.reduce_sum(SPARSE.from_dense(t), axis, keepdims, True))

    check(lambda t: SPARSE.reduce_sum(SPARSE.from_dense(t), axis, keepdims), S)
    check(lambda t: SPARSE.reduce_max(SPARSE.from_dense(t), axis, keepdims), S)
    check(as_sparse, S)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axes_of_sparse_tensors(axis):
    def joined(t):
        return SPARSE.to_dense(SPARSE.concat(axis, [SPARSE.from_dense(t), SPARSE.from_dense(-t)]))

    check(joined, S)
    check(lambda t: SPARSE.to_dense(SPARSE.split(SPARSE.from_dense(t), 2, axis)[1]), S)
    check(lambda t: SPARSE.to_dense(SPARSE.expand_dims(SPARSE.from_dense(t), axis)), S)


def test_elements_of_sparse_tensors_that_stay():
    def kept(t, k):
        return SPARSE.to_dense(SPARSE.retain(SPARSE.from_dense(t), k))

    check(kept, np.array([[1, 0], [2, 3]]), np.array([True, False, True]))


def test_strings_and_images():
    check(lambda t: fg.strings.split(t).values, np.array([b"a b", b"c"], object))
    for image in (X, X[None]):
        check(lambda t: fg.image.stateless_random_flip_left_right(t, [1, 3]), image)
        check(lambda t: fg.image.stateless_random_flip_up_down(t, [1, 2]), image)


def test_repetitions():
    check(lambda t, n: fg.repeat(t, n, 1), X, np.array([2]))
    check(lambda t, n: fg.repeat(t, n), X, np.int32(2))
    check(lambda t, n: fg.repeat(t, n, -1), X, np.array([0, 1, 2, 1]))
    check(lambda t, n: fg.repeat(t, n, 0), X[:0], np.array([3]))


REFUSED = {
    "an axis beyond": lambda t: NUMPY.moveaxis(t, 5, 0),
    "an axis twice": lambda t: NUMPY.moveaxis(t, [0, 0], [1, 2]),
    "axes of another number": lambda t: NUMPY.moveaxis(t, [0, 1], 0),
    "a diagonal of three axes": NUMPY.diag,
    "vectors of four": lambda t: NUMPY.cross(t, t),
    "axes that swap": lambda t: NUMPY.swapaxes(t, 0, -4),
    "a plane": lambda t: NUMPY.rot90(t, 1, (0, 7)),
    "scalars of products": lambda t: NUMPY.matmul(t[0, 0, 0], t),
    "an odd rank": fg.linalg.tensor_diag_part,
    "contracted axes": lambda t: fg.tensordot(t, t, 5),
    "fewer than no axes": lambda t: fg.tensordot(t, t, -1),
    "a contracted axis": lambda t: fg.tensordot(t, t, [[4], [0]]),
    "repetitions": lambda t: fg.repeat(t, [1, 2, 3], 0),
    "a sum": lambda t: SPARSE.reduce_sum(SPARSE.from_dense(t), -4),
    "a new axis": lambda t: SPARSE.expand_dims(SPARSE.from_dense(t), 5).values,
    "joined along none": lambda t: SPARSE.concat(7, [SPARSE.from_dense(t)]).values,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_eagerly_is_refused_in_traces(name):
    with pytest.raises(REFUSALS):
        REFUSED[name](fg.constant(S))
    for specs in specs_of([S]):
        with pytest.raises(REFUSALS):
            fg.function(REFUSED[name], input_signature=specs, autograph=False)(S)
