"""Windows, frames, and transforms of frames, against what defines them; traced as eagerly."""

import ferrograph as fg
import numpy as np
import pytest

S = fg.signal
SIGNAL = np.sin(np.arange(20.0))


def near(got, want, tol=1e-6):
    np.testing.assert_allclose(np.asarray(got), want, rtol=tol, atol=tol)


def cosine(x, kind, n):
    """The cosine transform by its definition."""
    j, k = np.arange(n), np.arange(n)[:, None]
    if kind == 1:
        inner = 2.0 * np.cos(np.pi * j * k / (n - 1))
        inner[:, [0, -1]] /= 2.0
        return inner @ x
    if kind == 2:
        return 2.0 * np.cos(np.pi * k * (2 * j + 1) / (2 * n)) @ x
    if kind == 3:
        inner = 2.0 * np.cos(np.pi * (2 * k + 1) * j / (2 * n))
        inner[:, 0] /= 2.0
        return inner @ x
    return 2.0 * np.cos(np.pi * (2 * k + 1) * (2 * j + 1) / (4 * n)) @ x


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [5, 3, 8])
def test_cosine_transforms_are_as_defined(kind, n):
    x = fg.constant([1.0, 2.0, -3.0, 4.0, 0.5], fg.float64)
    padded = np.zeros(n)
    padded[: min(n, 5)] = x.numpy()[:n]
    near(S.dct(x, kind, n=n), cosine(padded, kind, n))


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_orthonormal_cosine_transforms_keep_lengths_and_invert(kind):
    x = fg.constant([[1.0, 2.0, -3.0], [0.0, 5.0, 1.0]], fg.float64)
    turned = S.dct(x, kind, norm="ortho")
    near(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1))
    near(S.idct(turned, kind, norm="ortho"), x.numpy())


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"type": 5}, ValueError),
        ({"norm": "x"}, ValueError),
        ({"n": 0}, ValueError),
        ({"axis": 0}, NotImplementedError),
        ({"type": 1, "norm": "ortho"}, ValueError),
        ({"type": 1, "n": 1}, ValueError),
    ],
)
def test_other_cosine_transforms_are_refused(wrong, error):
    with pytest.raises(error):
        S.dct([1.0, 2.0], **wrong)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_windows_are_numpys(n):
    near(S.hann_window(n, periodic=False, dtype=fg.float64), np.hanning(n))
    near(S.hamming_window(n, periodic=False, dtype=fg.float64), np.hamming(n))
    near(S.kaiser_window(n, 8.0, dtype=fg.float64), np.kaiser(n, 8.0))
    even = S.hann_window(n, dtype=fg.float64)
    near(even, np.hanning(n + 1)[:n] if n % 2 == 0 else np.hanning(n))


@pytest.mark.parametrize("window", [S.vorbis_window, S.kaiser_bessel_derived_window])
def test_squares_of_halves_make_one(window):
    half = window(8, dtype=fg.float64).numpy() ** 2
    near(half[:4] + half[4:], np.ones(4))


@pytest.mark.parametrize("pad_end", [False, True])
@pytest.mark.parametrize(("length", "step"), [(4, 2), (3, 5), (5, 3), (30, 7), (1, 1)])
def test_frames_and_their_sum(pad_end, length, step):
    x = np.arange(1.0, 21.0)
    count = -(-20 // step) if pad_end else max(0, (20 - length + step) // step)
    long = np.concatenate([x, np.full(60, -1.0)])
    want = np.reshape([long[i * step : i * step + length] for i in range(count)], (count, length))
    frames = S.frame(x, length, step, pad_end, -1.0)
    near(frames, want)
    columns = S.frame(np.stack([x, x], 1), length, step, pad_end, -1.0, axis=0)
    near(columns, np.stack([want, want], -1))
    total = np.zeros(max(0, (count - 1) * step + length))
    for i, row in enumerate(want):
        total[i * step : i * step + length] += row
    near(S.overlap_and_add(frames, step), total)


def test_steps_of_nothing_are_refused():
    for make in (lambda: S.frame([1.0], 1, 0), lambda: S.overlap_and_add([[1.0]], 0)):
        with pytest.raises(fg.errors.InvalidArgumentError, match="zero"):
            make()
        with pytest.raises(ValueError, match="zero"):
            fg.function(make)()


@pytest.mark.parametrize("length", [4, 6, 8])
def test_short_time_transforms_invert(length):
    step = 2
    frames = S.stft(SIGNAL, length, step)
    window = S.inverse_stft_window_fn(step)
    back = S.inverse_stft(frames, length, step, window_fn=window)
    near(back[length:-length], SIGNAL[length : back.shape[0] - length])
    cut = S.frame(SIGNAL, length, step) * S.hann_window(length, dtype=fg.float64)
    near(frames, np.fft.rfft(cut.numpy(), 4 if length == 4 else 8))


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("window", [None, S.vorbis_window, S.kaiser_bessel_derived_window])
def test_modified_cosine_transforms_invert(norm, window):
    frames = S.mdct(SIGNAL, 8, window, norm=norm)
    near(S.inverse_mdct(frames, window, norm=norm)[4:-4], SIGNAL[4:-4])
    with pytest.raises(ValueError, match="multiple of 4"):
        S.mdct(SIGNAL, 6)


def test_mel_weights_rise_and_fall():
    weights = S.linear_to_mel_weight_matrix(3, 5, 8000.0, 100.0, 3000.0, fg.float64).numpy()
    want = np.zeros((5, 3))
    want[1, :2], want[2, 2] = (0.0312545, 0.9687455), 0.8229472
    near(weights, want)
    for wrong in ((0, 5), (3, 5, 0.0), (3, 5, 8000.0, -1.0), (3, 5, 8000.0, 10.0, 5000.0)):
        with pytest.raises(ValueError):
            S.linear_to_mel_weight_matrix(*wrong)


def test_cepstral_coefficients_are_scaled_cosine_transforms():
    x = np.arange(12.0).reshape(3, 4)
    want = [cosine(row, 2, 4) / np.sqrt(8.0) for row in x]
    near(S.mfccs_from_log_mel_spectrograms(x), want)


@pytest.mark.parametrize("axes", [None, 0, [1], (-1,), [0, 1]])
def test_shifts_are_numpys(axes):
    x = np.arange(15).reshape(3, 5)
    near(S.fftshift(x, axes), np.fft.fftshift(x, axes))
    near(S.ifftshift(x, axes), np.fft.ifftshift(x, axes))


def everything(x, n):
    frames = S.stft(x, n, 2)
    back = S.inverse_stft(frames, n, 2, window_fn=S.inverse_stft_window_fn(2))
    windows = [S.hann_window(n), S.hamming_window(n, periodic=False), S.kaiser_window(n)]
    windows += [S.vorbis_window(n), S.kaiser_bessel_derived_window(n)]
    cosines = [S.dct(x, kind) for kind in (1, 2, 3, 4)]
    pieces = [S.frame(x, n, n // 2, True), S.overlap_and_add(S.frame(x, 4, n - 2), n - 3)]
    real = [S.rfft(x), S.irfft(S.rfft(x)), S.inverse_mdct(S.mdct(x, 4)), S.fftshift(x)]
    return [frames, back, *windows, *cosines, *pieces, *real]


def test_unknown_sizes_and_lengths_give_the_same():
    specs = [fg.TensorSpec([None], fg.float64), fg.TensorSpec([], fg.int32)]
    traced = fg.function(everything, input_signature=specs)
    args = fg.constant(SIGNAL), fg.constant(6)
    for eager, staged in zip(everything(*args), traced(*args), strict=True):
        np.testing.assert_array_equal(eager.numpy(), staged.numpy())


def test_transforms_of_unknown_rank():
    specs = [fg.TensorSpec(None, fg.float64)]
    f = fg.function(lambda x: (S.rfft(x), S.irfft(S.rfft(x)), S.fftshift(x)), input_signature=specs)
    x = np.arange(24.0).reshape(2, 3, 4)
    for got, want in zip(f(x), (np.fft.rfft(x), x, np.fft.fftshift(x)), strict=True):
        near(got, want)


def test_second_derivatives_of_a_spectrum():
    x = fg.constant(SIGNAL)
    with fg.GradientTape() as outer:
        outer.watch(x)
        with fg.GradientTape() as inner:
            inner.watch(x)
            power = fg.reduce_sum(fg.square(fg.abs(S.fft(fg.cast(x, fg.complex128)))))
        slope = inner.gradient(power, x)
    # The power of a spectrum is the length times that of the signal.
    near(slope, 2 * 20 * SIGNAL)
    near(outer.gradient(slope, x), np.full(20, 40.0))


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_along_axes_that_are_no_integers(name):
    with pytest.raises(TypeError, match=f"^{name}: axes must be an integer, got 1.5"):
        getattr(S, name)(fg.constant([1, 2]), axes=[1.5])
