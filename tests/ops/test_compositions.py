"""Functions made of several operations against NumPy, eagerly and traced without known sizes."""

import ferrograph as fg
import numpy as np
import pytest

R = np.random.default_rng(3)
A, B, V = R.normal(size=(3, 4)), R.normal(size=(4, 2)), R.normal(size=4)
T = R.normal(size=(2, 3, 4))
M = R.normal(size=(3, 3))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def equations():
    for equation, *args in [
        ("ij,jk->ik", A, B),
        ("ij,jk", A, B),
        ("ij->ji", A),
        ("ij->", A),
        ("ij,ij->i", A, A),
        ("i,j->ij", V, V),
        ("bij,jk->bik", T, B),
        ("...ij,jk->...ik", T, B),
        ("bij,bkj->bik", T, T),
        ("ii->i", M),
        ("ii->", M),
        ("ij,jk,k->i", A, B, V[:2]),
        ("bij,j->ib", T, V),
        ("...a,...a->...", T, A),
        ("ab,cd->dacb", A, B),
    ]:
        yield (
            f"einsum {equation}",
            lambda *x, e=equation: fg.einsum(e, *x),
            lambda *x, e=equation: np.einsum(e, *x),
            args,
        )


def dilated(x, k, step, rate):
    """The largest sums of windows within images and filters."""
    height, width, _ = k.shape
    rows = (x.shape[1] - (height - 1) * rate - 1) // step + 1
    columns = (x.shape[2] - (width - 1) * rate - 1) // step + 1
    parts = [
        x[:, i * rate :: step, j * rate :: step][:, :rows, :columns] + k[i, j]
        for i in range(height)
        for j in range(width)
    ]
    return np.max(parts, axis=0)


def dilation(step, rate, padding="VALID"):
    steps, rates = [1, step, step, 1], [1, rate, rate, 1]
    return lambda x, k: fg.nn.dilation2d(x, k, steps, padding, "NHWC", rates)


IMAGES, FILTERS = R.normal(size=(2, 7, 6, 3)), R.normal(size=(3, 2, 3))
CASES = [
    *equations(),
    *(
        (
            f"dilation2d {step} {rate}",
            dilation(step, rate),
            lambda x, k, s=step, r=rate: dilated(x, k, s, r),
            [IMAGES, FILTERS],
        )
        for step in (1, 2)
        for rate in (1, 2)
    ),
    (
        "erosion2d",
        lambda x, k: fg.nn.erosion2d(x, k, [1] * 4, "VALID", "NHWC", [1] * 4),
        lambda x, k: -dilated(-x, k[::-1, ::-1], 1, 1),
        [IMAGES, FILTERS],
    ),
    ("tensordot 1", lambda a, b: fg.tensordot(a, b, 1), lambda a, b: np.tensordot(a, b, 1), [T, B]),
    ("tensordot 0", lambda a, b: fg.tensordot(a, b, 0), lambda a, b: np.tensordot(a, b, 0), [V, V]),
    (
        "tensordot pairs",
        lambda a, b: fg.tensordot(a, b, [[0, 2], [1, 0]]),
        lambda a, b: np.tensordot(a, b, [[0, 2], [1, 0]]),
        [T, R.normal(size=(4, 2, 5))],
    ),
    ("matvec", fg.linalg.matvec, lambda a, v: a @ v, [A, V]),
    ("trace", fg.linalg.trace, lambda x: np.trace(x, axis1=-2, axis2=-1), [T]),
    ("cross", fg.linalg.cross, np.cross, [M, M.T]),
    ("norm", fg.norm, np.linalg.norm, [A]),
    ("norm 1", lambda x: fg.norm(x, 1, 0), lambda x: np.linalg.norm(x, 1, 0), [A]),
    ("norm 2", lambda x: fg.norm(x, 2, [-2, -1]), lambda x: np.linalg.norm(x, 2), [A]),
    ("norm fro", lambda x: fg.norm(x, "fro", [0, 1]), lambda x: np.linalg.norm(x), [A]),
    ("norm inf", lambda x: fg.norm(x, np.inf, [-2, -1]), lambda x: np.linalg.norm(x, np.inf), [A]),
    ("adjoint", fg.linalg.adjoint, lambda x: np.swapaxes(x, -1, -2), [T]),
    ("variance", lambda x: fg.math.reduce_variance(x, 0), lambda x: x.var(0), [A]),
    ("std", lambda x: fg.math.reduce_std(x, 1, True), lambda x: x.std(1, keepdims=True), [A]),
    ("logsumexp", fg.reduce_logsumexp, lambda x: np.log(np.exp(x).sum()), [A]),
    (
        "cumulative_logsumexp",
        lambda x: fg.math.cumulative_logsumexp(x, 1, reverse=True),
        lambda x: np.log(np.exp(x)[:, ::-1].cumsum(1)[:, ::-1]),
        [A],
    ),
    ("sort", lambda x: fg.sort(x, 0), lambda x: np.sort(x, 0), [A]),
    ("argsort", lambda x: fg.argsort(x), lambda x: np.argsort(x).astype(np.int32), [A]),
    ("repeat", lambda x: fg.repeat(x, [2, 0, 1], 0), lambda x: np.repeat(x, [2, 0, 1], 0), [A]),
    ("repeat evenly", lambda x: fg.repeat(x, 3, 1), lambda x: np.repeat(x, 3, 1), [A]),
    ("boolean_mask", lambda x: fg.boolean_mask(x, x > 0), lambda x: x[x > 0], [A]),
    ("clip", lambda x: fg.clip_by_value(x, -0.5, 0.5), lambda x: np.clip(x, -0.5, 0.5), [A]),
    ("polyval", lambda x: fg.math.polyval([2.0, 1.0, 3.0], x), lambda x: 2 * x * x + x + 3, [A]),
    ("eye", lambda n: fg.eye(n, 4), lambda n: np.eye(n, 4, dtype=np.float32), [np.int32(3)]),
    ("meshgrid", lambda x, y: tuple(fg.meshgrid(x, y)), np.meshgrid, [V, A[0, :3]]),
    ("linspace", lambda a, b: fg.linspace(a, b, 5), lambda a, b: np.linspace(a, b, 5), [V, V + 1]),
    (
        "unravel_index",
        lambda i: fg.unravel_index(i, [3, 4]),
        lambda i: np.stack(np.unravel_index(i, (3, 4))).astype(np.int32),
        [np.array([0, 5, 11], np.int32)],
    ),
    (
        "bincount",
        fg.math.bincount,
        lambda x: np.bincount(x).astype(np.int32),
        [np.int32([1, 3, 1])],
    ),
    (
        "moments",
        lambda x: fg.nn.moments(x, [0]),
        lambda x: (x.mean(0), x.var(0)),
        [A],
    ),
    ("silu", fg.nn.silu, lambda x: x * sigmoid(x), [A]),
    (
        "sigmoid cross entropy",
        lambda z, x: fg.nn.sigmoid_cross_entropy_with_logits(z, x),
        lambda z, x: -z * np.log(sigmoid(x)) - (1 - z) * np.log(1 - sigmoid(x)),
        [sigmoid(A), A],
    ),
    (
        "weighted cross entropy",
        lambda z, x: fg.nn.weighted_cross_entropy_with_logits(z, x, 3.0),
        lambda z, x: -3 * z * np.log(sigmoid(x)) - (1 - z) * np.log(1 - sigmoid(x)),
        [sigmoid(A), A],
    ),
    (
        "l2_normalize",
        lambda x: fg.math.l2_normalize(x, 1),
        lambda x: x / np.linalg.norm(x, axis=1, keepdims=True),
        [A],
    ),
    (
        "depth_to_space",
        lambda x: fg.nn.depth_to_space(fg.nn.space_to_depth(x, 2), 2),
        lambda x: x,
        [R.normal(size=(2, 4, 6, 3))],
    ),
    (
        "batch_to_space",
        lambda x: fg.batch_to_space(
            fg.space_to_batch(x, [2, 3], [[1, 1], [0, 0]]), [2, 3], [[1, 1], [0, 0]]
        ),
        lambda x: x,
        [R.normal(size=(2, 4, 6, 3))],
    ),
    (
        "reverse_sequence",
        lambda x: fg.reverse_sequence(x, [2, 4, 1], 1),
        lambda x: np.stack([np.r_[r[:n][::-1], r[n:]] for r, n in zip(x, [2, 4, 1], strict=True)]),
        [A],
    ),
    (
        "dynamic_stitch",
        lambda x: fg.dynamic_stitch([[2, 0], [1]], [x[:2], x[2:]]),
        lambda x: x[[1, 2, 0]],
        [A],
    ),
]


@pytest.mark.parametrize("how", ["eager", "traced"])
@pytest.mark.parametrize("call, expect, args", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_against_numpy(how, call, expect, args):
    tensors = [fg.constant(a) for a in args]
    if how == "traced":
        specs = [fg.TensorSpec([None] * t.ndim, t.dtype) for t in tensors]
        call = fg.function(call, input_signature=specs, autograph=False)
    got, want = call(*tensors), expect(*args)
    if not isinstance(want, (list, tuple)):
        got, want = [got], [want]
    for g, w in zip(got, want, strict=True):
        assert g.shape == np.shape(w)
        assert g.dtype.as_numpy_dtype == np.asarray(w).dtype
        np.testing.assert_allclose(g, w, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shape", [None, [None] * 3], ids=["unknown rank", "unknown sizes"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("step, rate", [(1, 1), (1, 2), (2, 1)])
def test_filters_of_unknown_size_dilate_as_known_ones(step, rate, padding, shape):
    """Sums are whole and often equal: the first of the largest takes the gradient either way."""
    x, k = fg.round(2 * fg.constant(IMAGES)), fg.round(fg.constant(FILTERS))
    call = dilation(step, rate, padding)
    specs = [fg.TensorSpec([None] * 4, x.dtype), fg.TensorSpec(shape, k.dtype)]
    traced = fg.function(call, input_signature=specs, autograph=False)
    found = []
    for f in (call, traced):
        with fg.GradientTape() as tape:
            tape.watch([x, k])
            y = f(x, k)
            total = fg.reduce_sum(fg.square(y))
        found.append([y, *tape.gradient(total, [x, k])])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b)


def test_einsum_refuses_what_does_not_fit():
    for equation, args in [("ij,jk->ik", [A]), ("ijk->i", [A]), ("ij->k", [A]), ("i1->i", [A])]:
        with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
            fg.einsum(equation, *args)


def test_clip_by_global_norm_keeps_none():
    clipped, norm = fg.clip_by_global_norm([[3.0], None, [4.0]], 2.5)
    assert float(norm) == 5
    assert clipped[1] is None
    assert [t.numpy().tolist() for t in clipped if t is not None] == [[1.5], [2.0]]


def test_repeat_by_a_number_known_late_keeps_the_other_sizes():
    @fg.function(input_signature=[fg.TensorSpec([1, 4, 2]), fg.TensorSpec([], fg.int32)])
    def repeated(x, n):
        made = fg.repeat(x, n, axis=0)
        assert made.shape.as_list() == [None, 4, 2]
        return made

    assert repeated(fg.ones([1, 4, 2]), 3).shape == [3, 4, 2]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "uint64", "int64"])
def test_bincount_counts_integers_of_every_dtype(dtype):
    assert fg.math.bincount(fg.constant([1, 3, 1], dtype)).numpy().tolist() == [0, 2, 0, 1]


@pytest.mark.parametrize("least, most, size", [(5, 5, 5), (7, 4, 4), (2, 5, None), (5, None, None)])
def test_the_length_of_counts_is_known_where_numbers_cannot_change_it(least, most, size):
    @fg.function(input_signature=[fg.TensorSpec([None], fg.int32)])
    def counted(x):
        made = fg.math.bincount(x, minlength=least, maxlength=most)
        assert made.shape.as_list() == [size]
        return made

    for numbers in ([0, 3, 6, 3], [1], []):
        length = max([least] + [n + 1 for n in numbers])
        length = length if most is None else min(length, most)
        expected = np.bincount(np.int64([*numbers, 9]), minlength=10)[:length]
        assert counted(fg.constant(numbers, fg.int32)).numpy().tolist() == expected.tolist()
    with pytest.raises(fg.errors.InvalidArgumentError, match="not negative"):
        counted([2, -1])


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_histogram_tells_a_number_that_is_none_from_infinite_ones(bad):
    values = np.float32([np.inf, -np.inf, 1.5])
    assert fg.histogram_fixed_width(values, [0.0, 5.0], 5).numpy().tolist() == [1, 1, 0, 0, 1]
    values[bad] = np.nan
    with pytest.raises(fg.errors.InvalidArgumentError, match="NaN"):
        fg.histogram_fixed_width(values, [0.0, 5.0], 5)
