"""Transforms along any axes, windows of images, steps of quantized numbers, few diagonals."""

import ferrograph as fg
import numpy as np
import pytest

R = np.random.default_rng(5)
REAL = R.normal(size=(2, 3, 4, 2))
COMPLEX = REAL + 1j * R.normal(size=REAL.shape)
AXES = [(None, None), (None, [0]), (None, [2, 0]), ([3, 5], [1, -1]), ([2, 2, 3, 4], None)]
AXES += [([1, 4, 2], [0, 2, 1]), ([4], None), (None, [3, 2, 1, 0])]
TRANSFORMS = {
    "fftnd": (np.fft.fftn, COMPLEX),
    "ifftnd": (np.fft.ifftn, COMPLEX),
    "rfftnd": (np.fft.rfftn, REAL),
    "irfftnd": (np.fft.irfftn, COMPLEX),
}


def ways(call, *tensors):
    """A function eagerly, and traced for unknown sizes."""
    specs = [fg.TensorSpec([None] * t.ndim, t.dtype) for t in tensors]
    yield call(*tensors)
    yield fg.function(call, input_signature=specs, autograph=False)(*tensors)


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("lengths, axes", AXES)
def test_transforms_along_axes(name, norm, lengths, axes):
    expect, x = TRANSFORMS[name]
    along = axes if axes is not None or lengths is None else list(range(-len(lengths), 0))
    want = expect(x, lengths, along, norm)
    call = getattr(fg.signal, name)
    for found in ways(lambda x: call(x, lengths, axes, norm), fg.constant(x)):
        assert found.dtype.as_numpy_dtype == want.dtype
        np.testing.assert_allclose(found, want, atol=1e-12)


def test_lengths_of_transforms_may_be_tensors():
    @fg.function
    def changed(x, n):
        return fg.signal.fftnd(x, n, axes=[0, 1])

    found = changed(fg.constant(COMPLEX), fg.constant([4, 2]))
    np.testing.assert_allclose(found, np.fft.fftn(COMPLEX, [4, 2], [0, 1]), atol=1e-12)


@pytest.mark.parametrize(
    "fields", [{"axes": [4]}, {"axes": [0, 0]}, {"axes": []}, {"norm": "other"}, {"axes": [0, -4]}]
)
def test_transforms_refuse_what_is_no_axis(fields):
    with pytest.raises(ValueError):
        fg.signal.fftnd(COMPLEX, **fields)


def real_part(x):
    return fg.math.real(x) + 2.0 * fg.math.imag(x)


SMOOTH = {
    "fftnd": (
        lambda x: real_part(fg.signal.fftnd(fg.cast(x, fg.complex128), [3, 2], [0, 2])),
        (2, 2, 3),
    ),
    "rfftnd": (lambda x: real_part(fg.signal.rfftnd(x, [3, 4], [2, 0])), (3, 2, 2)),
    "irfftnd": (
        lambda x: fg.signal.irfftnd(fg.complex(x, x * x), None, [1, 0], "ortho"),
        (3, 2),
    ),
    "tridiagonal_matmul": (
        lambda x: fg.linalg.tridiagonal_matmul(x[:, :3], x[:, 3:]),
        (3, 5),
    ),
    "tridiagonal_solve": (
        lambda x: fg.linalg.tridiagonal_solve(x[:, :3] + [[0.0], [5.0], [0.0]], x[:, 3:]),
        (3, 5),
    ),
    "banded_triangular_solve lower": (
        lambda x: fg.linalg.banded_triangular_solve(x[:2] + [[3.0], [0.0]], fg.transpose(x)),
        (3, 4),
    ),
    "banded_triangular_solve upper": (
        lambda x: fg.linalg.banded_triangular_solve(
            x[:2] + [[0.0], [3.0]], fg.transpose(x), lower=False, adjoint=True
        ),
        (3, 4),
    ),
    "sqrtm": (lambda x: fg.linalg.sqrtm(x + 5.0 * fg.eye(3, dtype=x.dtype)), (2, 3, 3)),
    "logm": (
        lambda x: real_part(
            fg.linalg.logm(fg.complex(x, x * x) + 5.0 * fg.eye(3, dtype=fg.complex128))
        ),
        (2, 3, 3),
    ),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("how", ["eager", "traced", "loop", "branch"])
def test_first_and_second_derivatives(name, how):
    function, shape = SMOOTH[name]
    x = fg.constant(R.uniform(-1, 1, shape))

    def looped(x):
        y = function(x)
        for _ in fg.range(2):
            y = y + function(x)
        return y

    def branched(x):
        return fg.cond(fg.reduce_sum(x * x) > 0.0, lambda: function(x), lambda: 2.0 * function(x))

    call = {"eager": function, "traced": fg.function(function, autograph=False)}
    call |= {"loop": fg.function(looped), "branch": fg.function(branched)}

    def total(x):
        return fg.reduce_sum(fg.sin(call[how](x)))

    def slope(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = total(x)
        return fg.reduce_sum(tape.gradient(y, x) * fg.cos(x))

    for f in (total, slope):
        theory, numeric = fg.test.compute_gradient(f, [x], delta=1e-5)
        np.testing.assert_allclose(theory[0], numeric[0], rtol=1e-5, atol=1e-6)


def banded(bands, upper):
    """The matrix of diagonals whose elements stand at the places of their rows."""
    n = bands.shape[-1]
    full = np.zeros((n, n), bands.dtype)
    for d, diagonal in enumerate(bands):
        for i in range(n):
            if 0 <= i + upper - d < n:
                full[i, i + upper - d] = diagonal[i]
    return full


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 7])
def test_few_diagonals_against_whole_matrices(dtype, n):
    drawn = R.normal(size=(3, n)) + 1j * R.normal(size=(3, n))
    bands = drawn.astype(dtype) if dtype == "complex128" else drawn.real.astype(dtype)
    rhs = R.normal(size=(n, 2)).astype(dtype)
    full = banded(bands, 1)
    close = {"rtol": 1e-3, "atol": 1e-3} if dtype == "float32" else {"rtol": 1e-7, "atol": 1e-9}
    np.testing.assert_allclose(fg.linalg.tridiagonal_matmul(bands, rhs), full @ rhs, **close)
    for found in ways(fg.linalg.tridiagonal_solve, fg.constant(bands), fg.constant(rhs)):
        np.testing.assert_allclose(full @ found.numpy(), rhs, **close)
    for lower, adjoint in ((True, False), (True, True), (False, True)):
        full = banded(bands + 3.0, 0 if lower else 2)
        full = np.conj(full.T) if adjoint else full
        found = fg.linalg.banded_triangular_solve(bands + 3.0, rhs, lower, adjoint)
        np.testing.assert_allclose(full @ found.numpy(), rhs, **close)


def test_few_diagonals_take_time_in_proportion():
    """A whole matrix of that size would take terabytes."""
    n = 500_000
    bands = fg.stack([fg.ones([n]), 4.0 * fg.ones([n]), fg.ones([n])])
    x = fg.linalg.tridiagonal_solve(bands, fg.ones([n]))
    assert abs(float(x[n // 2]) - 1 / 6) < 1e-6


def test_a_singular_matrix_of_few_diagonals_is_refused():
    for bands, rhs in (([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [1.0, 2.0]),):
        with pytest.raises(fg.errors.InvalidArgumentError, match="not invertible"):
            fg.linalg.tridiagonal_solve(fg.constant(bands), rhs)
    with pytest.raises(fg.errors.InvalidArgumentError, match="not invertible"):
        fg.linalg.banded_triangular_solve([[0.0, 2.0], [1.0, 1.0]], [[1.0], [1.0]])


def test_windows_cover_what_they_must():
    boxes = np.array([[[0.2, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.9]]], np.float32)
    shapes = set()
    for i in range(30):
        begin, size, window = fg.image.stateless_sample_distorted_bounding_box(
            [50, 80, 3], boxes, [i, 3], 0.5, (0.5, 2.0), (0.1, 0.6)
        )
        top, left, bottom, right = window.numpy().ravel()
        shares = [
            max(0, min(bottom, b[2]) - max(top, b[0])) * max(0, min(right, b[3]) - max(left, b[1]))
            for b in boxes[0]
        ]
        areas = [(b[2] - b[0]) * (b[3] - b[1]) for b in boxes[0]]
        assert max(s / a for s, a in zip(shares, areas, strict=True)) > 0.499
        assert 0.1 <= (bottom - top) * (right - left) <= 0.6001
        assert 0.45 < size[1] / size[0] < 2.2
        assert fg.slice(fg.zeros([50, 80, 3]), begin, size).shape == [*size[:2], 3]
        shapes.add(tuple(size.numpy()))
    assert len(shapes) > 10


def test_windows_without_an_attempt_that_fits_are_the_image():
    box = [[[0.0, 0.0, 0.01, 0.01]]]
    found = fg.image.sample_distorted_bounding_box(
        [10, 12, 3], box, 1, 1.0, area_range=(0.01, 0.02), max_attempts=1
    )
    assert found.size.numpy().tolist() == [10, 12, -1]
    with pytest.raises((ValueError, fg.errors.OpError)):
        fg.image.sample_distorted_bounding_box([10, 12, 3], fg.zeros([1, 0, 4]))
    with pytest.raises(fg.errors.InvalidArgumentError, match="coordinates"):
        fg.image.sample_distorted_bounding_box([10, 12, 3], [[[0.0, 0.0, 1.5, 1.0]]])


def test_noise_of_glimpses_is_like_the_image():
    image = fg.random.stateless_normal([2, 6, 6, 1], [1, 2]) + [[[[5.0]]], [[[-5.0]]]]
    for noise, spread in (("uniform", 3.0), ("gaussian", 6.0)):
        found = fg.image.extract_glimpse(image, [40, 40], [[0.0, 0.0]] * 2, noise=noise).numpy()
        assert abs(found[0].mean() - 5) < 1.5 and abs(found[1].mean() + 5) < 1.5
        assert np.abs(found[0] - 5).max() < spread


def test_the_gradient_of_a_glimpse_is_that_of_its_pixels():
    x = fg.ones([1, 3, 3, 1])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.image.extract_glimpse(x, [2, 4], [[1.0, 1.0]], False, False)
    want = [[0, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert tape.gradient(y, x).numpy()[0, ..., 0].tolist() == want


def test_counts_of_classes_come_from_a_file(tmp_path):
    def drawn(file):
        return fg.random.fixed_unigram_candidate_sampler(
            [[0]], 1, 4, False, 2, vocab_file=str(file)
        )

    counts = tmp_path / "counts.csv"
    counts.write_text("first,0\nsecond,3\n")
    assert drawn(counts).sampled_candidates.numpy().tolist() == [1] * 4
    with pytest.raises(fg.errors.NotFoundError, match="nowhere.csv' cannot be read"):
        drawn(tmp_path / "nowhere.csv")
