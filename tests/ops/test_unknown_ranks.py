"""Functions along an axis are the same in traces that do not know the ranks of their arguments."""

import ferrograph as fg
import numpy as np
import pytest
from run import array_of

X = np.random.default_rng(0).uniform(1, 2, (2, 3, 4)).astype(np.float32)
WORDS = np.array([["a", "b"], ["c", "d"]], object)
IDS = np.array([[0, 1], [1, 1]], np.int32)
PLACES = np.array([[0], [1]], np.int32)


def share(t, axis):
    return t / fg.reduce_sum(t, axis, keepdims=True)


def check(call, *arrays):
    args = [fg.constant(a) for a in arrays]
    specs = [fg.TensorSpec(None, a.dtype) for a in args]
    found = array_of(fg.function(call, input_signature=specs, autograph=False)(*args))
    wanted = array_of(call(*args))
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if wanted.dtype == object:
        assert found.tolist() == wanted.tolist()
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_along_an_axis(axis):
    check(lambda t: fg.nn.softmax(t, axis), X)
    check(lambda t: fg.nn.log_softmax(t, axis), X)
    check(lambda t: fg.sort(t, axis), X)
    check(lambda t: fg.argsort(t, axis), X)
    cost = fg.nn.softmax_cross_entropy_with_logits
    check(lambda t: cost(share(t, axis), 2 * t, axis=axis), X)


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -2, -4])
def test_linspace(axis):
    check(lambda t: fg.linspace(t, t + 1, 5, axis=axis), X)


@pytest.mark.parametrize("ids", [IDS[0], IDS], ids=["vector", "matrix"])
def test_embeddings_are_clipped_one_by_one(ids):
    check(lambda t, i: fg.nn.embedding_lookup(t, i, max_norm=0.5), X[0], ids)


@pytest.mark.parametrize("keepdims", [False, True])
def test_strings_are_joined_over_all_axes(keepdims):
    check(lambda t: fg.strings.reduce_join(t, keepdims=keepdims), WORDS)


def test_gather_nd_in_batches():
    check(lambda t, i: fg.gather_nd(t, i, batch_dims=1), X, PLACES)


def test_rows_are_stitched():
    rows = [np.array([[1, 2], [3, 4]]), np.array([[5, 6]])]
    places = [np.array([0, 2], np.int32), np.array([1], np.int32)]
    check(
        lambda i, d, j, e: fg.dynamic_stitch([i, j], [d, e]), places[0], rows[0], places[1], rows[1]
    )


EDGES = np.array([np.inf, -np.inf, np.nan, 1.0], np.float32)


@pytest.mark.parametrize("edge", EDGES)
def test_the_ends_of_a_line_are_what_they_are(edge):
    def line(a, b):
        return fg.linspace(a, b, 3)

    check(line, EDGES, np.full_like(EDGES, edge))
    check(line, edge, np.float32(3.0))
    check(line, np.float32(3.0), edge)
    first, _, last = line(fg.constant(edge), fg.constant(3.0)).numpy()
    assert np.array_equal(first, edge, equal_nan=True) and last == 3.0


# Calls that are refused eagerly for the shapes of their arguments.
COST, SIGMOID = (
    fg.nn.sparse_softmax_cross_entropy_with_logits,
    fg.nn.sigmoid_cross_entropy_with_logits,
)
CROP = fg.image.crop_to_bounding_box
FITTING = {
    "sparse labels": (COST, [IDS[0], X[0, :2]], [IDS, X[0, :2]]),
    "sparse labels of more axes": (COST, [IDS, X[:, :2]], [IDS[:, :1], X[0, :2]]),
    "sparse labels turned": (COST, [IDS[:1], X[:1, :2]], [IDS[:1], X[0, :2, None]]),
    "labels": (SIGMOID, [X, X], [X[:1], X]),
    "labels of fewer axes": (SIGMOID, [X, X], [X[0], X]),
    "a flipped image": (fg.image.flip_left_right, [X], [X[None, None]]),
    "a resized image": (lambda t: fg.image.resize(t, [2, 2]), [X], [X[None, None]]),
    "a crop": (lambda t, n: CROP(t, n, 0, 1, 1), [X, np.int32(1)], [X, np.int32(-1)]),
    "a crop beyond": (lambda t, n: CROP(t, 0, 0, n, 1), [X, np.int32(1)], [X, np.int32(3)]),
    "a crop of none": (lambda t, n: CROP(t, 0, 0, 1, n), [X, np.int32(1)], [X, np.int32(0)]),
}


@pytest.mark.parametrize("name", FITTING)
def test_what_is_refused_eagerly_is_refused_in_traces(name):
    call, good, bad = FITTING[name]
    check(call, *good)
    specs = [fg.TensorSpec(None, a.dtype) for a in bad]
    for run in (call, fg.function(call, input_signature=specs, autograph=False)):
        with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
            run(*map(fg.constant, bad))


def gradients_of(call):
    def gradients(*args):
        with fg.GradientTape() as tape:
            tape.watch(args)
            y = call(*args)
        return fg.concat([fg.reshape(g, [-1]) for g in tape.gradient(y, args)], 0)

    return gradients


PRODUCTS = np.random.default_rng(1).integers(-1, 3, (2, 3, 4)).astype(np.float32)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, [0, 2], [-1, 0], [1, 2], [2, 0, 1], []])
def test_slopes_of_products_with_zeros(axis, keepdims):
    check(gradients_of(lambda t: fg.reduce_prod(t, axis, keepdims)), PRODUCTS)
    check(gradients_of(lambda t: fg.reduce_prod(t, axis, keepdims)), PRODUCTS[:, :0])
    if axis != []:
        check(gradients_of(gradients_of(lambda t: fg.reduce_prod(t, axis, keepdims))), PRODUCTS)


@pytest.mark.parametrize("axis", [0, 1, -1, -2, -3])
def test_slopes_of_joined_parts(axis):
    check(gradients_of(lambda a, b: fg.concat([a, b * 2.0], axis)), X, X)


MATRICES = np.array([[[2, -2, 3], [4, 5, 2], [2, 3, 9]], [[np.inf, 1, 0], [1, 2, 3], [3, 1, 5]]])


@pytest.mark.parametrize("batch", [(), (2,), (2, 1), (0,)])
def test_rows_of_factorisations_are_put_back(batch):
    a = np.resize(MATRICES, (*batch, 3, 3)) if 0 not in batch else np.zeros((0, 3, 3))
    check(lambda t: fg.linalg.lu_reconstruct(*fg.linalg.lu(t)), a)
    check(lambda t: fg.linalg.lu_solve(*fg.linalg.lu(t), t[..., :1]), a)


def test_a_known_rank_is_a_number_of_the_graph():
    @fg.function
    def f(x, q):
        shape = fg.pad(fg.shape(x), [[0, fg.rank(q)]], constant_values=1)
        assert fg.reshape(x, shape).shape.rank == 2
        return shape

    assert f(fg.ones([3]), fg.ones([2])).numpy().tolist() == [3, 1]


@pytest.mark.parametrize("traced", [False, True])
def test_lists_of_integers_take_what_else_is_a_number(traced):
    x, two, one = fg.constant([[1.0, 2.0], [3.0, 4.0]]), fg.constant(2.0), fg.constant(1, fg.uint8)

    def f(two, one):
        return (
            fg.tile(x, [two, 1]),
            fg.transpose(x, [one, 0]),
            fg.reduce_sum(x, [True]),
            fg.reduce_sum(x, axis=[two - 1.0]),
            fg.pad(x, [[one, 0], [0, 0]]),
        )

    tiled, turned, sums, same, padded = (fg.function(f) if traced else f)(two, one)
    assert tiled.shape == [4, 2] and padded.shape == [3, 2]
    assert turned.numpy().tolist() == [[1, 3], [2, 4]]
    assert sums.numpy().tolist() == same.numpy().tolist() == [3, 7]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_pieces_along_an_axis(axis):
    check(lambda t: fg.signal.frame(t, 2, 1, axis=axis), X)
    check(lambda t: fg.signal.frame(t, 3, 2, pad_end=True, pad_value=5.0, axis=axis), X)
    check(lambda t: fg.repeat(t, 2, axis=axis), X)
    check(lambda t, n: fg.repeat(t, n, axis=axis), X, np.arange(X.shape[axis], dtype=np.int32))


def test_frames_added_up_and_their_spectra():
    check(lambda t: fg.signal.overlap_and_add(t, 2), X)
    check(lambda t: fg.signal.stft(t, 3, 1), X)
    check(lambda t: fg.signal.stft(t, 3, 1), X[0, 0])


@pytest.mark.parametrize(
    "equation",
    ["...j->...", "i...->...i", "...ij->...ji", "...i", "i...j->j...i", "...->..."],
)
def test_einsum_of_one_operand_with_an_ellipsis(equation):
    check(lambda t: fg.einsum(equation, t), X)


@pytest.mark.parametrize(
    ("equation", "other"),
    [
        ("...ij,...jk->...ik", X[0].T),
        ("...ij,...kj", X),
        ("i...,i->...", X[:, 0, 0]),
        ("...i,...->...i", X[0, :, 0]),
    ],
)
def test_einsum_of_operands_that_broadcast(equation, other):
    check(lambda t, s: fg.einsum(equation, t, s), X, other)


@pytest.mark.parametrize("axes", [0, 1, 2, [[0, 2], [-1, 1]], [1, -2], [[-1], [0]], [[], []]])
def test_tensordot(axes):
    cases = {"1": X.transpose(2, 0, 1), "2": X.transpose(1, 2, 0), "[1, -2]": X}
    cases |= {"[[0, 2], [-1, 1]]": X.transpose(1, 2, 0), "[[-1], [0]]": X.transpose(2, 0, 1)}
    check(lambda t, s: fg.tensordot(t, s, axes), X, cases.get(str(axes), X))


def test_images_and_blocks_of_one_rank():
    check(lambda t: fg.image.rgb_to_grayscale(t), X[..., :3])
    check(lambda t: fg.nn.local_response_normalization(t, 1), X[None])
    check(lambda t: fg.nn.space_to_depth(t, 2), np.arange(32.0).reshape(1, 4, 4, 2))
    check(lambda t: fg.dynamic_partition(t, [0, 1], 2)[1], X)
    check(lambda t, p: fg.dynamic_partition(t, p, 2)[0], X, X[..., 0].astype(np.int32) % 2)


def test_functions_of_numpys_names():
    space = fg.experimental.numpy
    check(space.flip, X)
    check(lambda a, b: space.hstack([a, b]), X, X)
    check(lambda a, b: space.hstack([a, b]), X[0, 0], X[0, 1])
    check(lambda a, b: space.vstack([a, b]), X[0, 0], X[0, 1])
    check(space.stack, X)
    check(lambda t: space.flip(t, -2), X)
    for x in (X, X[0], X[0, 0], X[0, 0, 0]):
        check(space.atleast_1d, x)
        check(space.atleast_2d, x)
        check(space.atleast_3d, x)
    check(lambda a, b: space.dstack([a, b]), X[0, 0], X[0, 1])
    check(lambda a, b: space.dstack([a, b]), X[0], X[1])
