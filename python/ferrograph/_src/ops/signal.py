"""Signals: frames, and transforms of frames."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..values.dtypes import as_dtype
from ..values.errors import shown
from ..values.public import public
from ._base import (
    Tensor,
    TensorLike,
    convert,
    emit,
    float32,
    int32,
    is_tensor,
    refined,
    refusal,
    static_value,
)
from ._dispatch import told
from ._numbers import flag, real, whole
from ._ranks import in_three, split_shape
from .arithmetic import divide, maximum, minimum, multiply
from .arrays import concat, expand_dims, pad, reshape, reverse, shape, tile, transpose
from .creation import linspace, range
from .elementwise import log, rsqrt, square
from .fourier import dct, fitted, irfft, rfft, size_along
from .numeric import cast
from .reductions import reduce_sum
from .selection import gather
from .windows import hann_window, number, scalar, vorbis_window

__all__: list[str] = []

Window = Callable[..., Tensor]


@public("signal.frame")
def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Pieces of ``frame_length`` along an axis, each ``frame_step`` after the one before.

    >>> fg.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)

    Args:
      signal: a tensor.
      frame_length: the length of a frame.
      frame_step: from the beginning of one to that of the next.
      pad_end: whether frames go on as long as they begin inside, filled with ``pad_value``.
      pad_value: a scalar.
      axis: the axis, in whose place come the frames and their elements.
      name: a name for the operation.

    Raises:
      ValueError: where a length is not a scalar, or the signal is.
    """
    x, axis = convert(signal), whole(axis, "frame: axis", ValueError)
    if (rank := x.ndim) is None:
        x, before, behind = in_three(x, axis)
        made = frame(x, frame_length, frame_step, pad_end, pad_value, 1)
        return reshape(made, concat([before, shape(made)[1:3], behind], 0), name)
    if rank == 0:
        raise ValueError(f"Shape {x.shape} must have rank at least 1")
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} is not in [{-rank}, {rank})")
    length, step, axis = scalar(frame_length), _step(frame_step), axis % rank
    size = size_along(x, axis)
    if flag(pad_end, "frame: pad_end"):
        count = -(-size // step)
        missing = _at_least_zero(length + step * (count - 1) - size)
        around = [[0, missing if i == axis else 0] for i in _axes(rank)]
        x = pad(x, around, constant_values=pad_value)
    else:
        count = _at_least_zero((size - length + step) // step)
    places = expand_dims(range(count) * step, 1) + expand_dims(range(length), 0)
    return gather(x, places, axis=axis - rank, name=name)  # from the end: its gradient is dense


def _step(value: Any) -> Any:
    """A step between frames, which is not zero."""
    step = scalar(value)
    if not is_tensor(step) and step == 0:
        raise refusal("Integer division by zero: the step between frames is 0")
    return step


def _axes(rank: int) -> list[int]:
    return [*(i for i, _ in enumerate([None] * rank))]


def _at_least_zero(n: Any) -> Any:
    return maximum(n, 0) if is_tensor(n) else max(n, 0)


@public("signal.overlap_and_add")
def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Frames added up, each ``frame_step`` after the one before.

    >>> fg.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 1).numpy()
    array([ 1, 12, 23, 30], dtype=int32)

    Args:
      signal: frames ``[..., frames, frame_length]``.
      frame_step: an integer.
      name: a name for the operation.

    Raises:
      ValueError: for a step that is no integer or no scalar, or a signal of rank below 2.
    """
    x = convert(signal)
    if (rank := x.ndim) is None:
        lead, frames, _ = split_shape(x, -2, 2)
        made = overlap_and_add(reshape(x, _pack([-1, frames[0], frames[1]])), frame_step)
        return reshape(made, concat([lead, shape(made)[1:]], 0), name)
    if rank < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2")
    given = convert(frame_step)
    if not given.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {given.dtype}")
    step = _step(cast(given, int32))
    lead = [size_along(x, i) for i in _axes(rank - 2)]
    frames, length = size_along(x, -2), size_along(x, -1)
    parts = -(-length // step)
    x = reshape(fitted(x, parts * step), _pack([*lead, frames, parts, step]))
    # Part p of frame f belongs to place p + f: frames are continued by as many as there are parts,
    # and each row of parts then begins a place later than that before.
    order = [*_axes(rank - 2), rank - 1, rank - 2, rank]
    x = transpose(x, order)
    x = pad(x, _pack_rows([[0, 0]] * (rank - 1) + [[0, parts], [0, 0]]))
    places = frames + parts
    x = reshape(x, _pack([*lead, parts * places, step]))[..., : parts * (places - 1), :]
    x = reduce_sum(reshape(x, _pack([*lead, parts, places - 1, step])), axis=-3)
    x = reshape(x, _pack([*lead, (places - 1) * step]))
    return x[..., : (frames - 1) * step + length]


def _pack(sizes: list[Any]) -> Any:
    """A vector of sizes, some of which may be tensors."""
    return emit("Pack", sizes, {"axis": 0}, None) if any(map(is_tensor, sizes)) else sizes


def _pack_rows(rows: list[list[Any]]) -> Any:
    return emit("Pack", [convert(_pack(row), int32) for row in rows], {"axis": 0}, None)


@public("signal.stft")
@told
def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The Fourier transforms of the frames of real signals.

    >>> fg.signal.stft(fg.ones([8]), 4, 2, window_fn=None).shape
    TensorShape([3, 3])

    Args:
      signals: real signals along the last axis.
      frame_length: the length of a frame.
      frame_step: from the beginning of one to that of the next.
      fft_length: the length of the transforms, by default the power of two that a frame fits in.
      window_fn: makes what frames are multiplied by, from a length and a ``dtype``; or None.
      pad_end: whether frames go on as long as they begin inside.
      name: a name for the operation.

    Returns:
      Complex numbers ``[..., frames, fft_length // 2 + 1]``.
    """
    signals = convert(signals, dtype_hint=float32)
    length = scalar(frame_length)
    n = _enclosing_power_of_two(length) if fft_length is None else scalar(fft_length)
    frames = frame(signals, length, frame_step, pad_end)
    if window_fn is not None:
        frames = multiply(frames, window_fn(length, dtype=frames.dtype))
    return rfft(frames, _pack([n]), name)


def _enclosing_power_of_two(n: Any) -> Any:
    if not is_tensor(n):
        return 1 << max(n - 1, 0).bit_length()
    powers = convert([2**k for k in (*_axes(31),)], int32)
    return powers[reduce_sum(cast(powers < n, int32))]


@public("signal.inverse_stft")
@told
def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """Signals out of the transforms of their frames: these back, windowed, and added up.

    >>> frames = fg.signal.stft(fg.ones([8]), 4, 4, window_fn=None)
    >>> fg.signal.inverse_stft(frames, 4, 4, window_fn=None).numpy()
    array([1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)

    With ``signal.inverse_stft_window_fn`` it undoes ``signal.stft`` wherever windows overlap.

    Args:
      stfts: what ``signal.stft`` gave, or like it.
      frame_length: the length of a frame.
      frame_step: from the beginning of one to that of the next.
      fft_length: the length of the transforms, by default the power of two that a frame fits in.
      window_fn: as for ``signal.stft``.
      name: a name for the operation.
    """
    length = scalar(frame_length)
    n = _enclosing_power_of_two(length) if fft_length is None else scalar(fft_length)
    frames = fitted(irfft(stfts, _pack([n])), length)
    if window_fn is not None:
        frames = multiply(frames, window_fn(length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step, name)


@public("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Window = hann_window, name: str | None = None
) -> Window:
    """A window for ``signal.inverse_stft`` with which it undoes ``signal.stft``.

    >>> fg.signal.inverse_stft_window_fn(2)(4, dtype=fg.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)

    Args:
      frame_step: the step of the frames.
      forward_window_fn: the window that they were made with.
      name: a name for the operation.

    Returns:
      A function of a frame's length and a ``dtype``.
    """

    def inverse_window(frame_length: TensorLike, dtype: Any) -> Tensor:
        length, step = scalar(frame_length), _step(frame_step)
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        squares = fitted(square(forward), overlaps * step)
        sums = reduce_sum(reshape(squares, _pack([overlaps, step])), axis=0)
        sums = tile(sums, _pack([overlaps]))[:length]
        return emit("DivNoNan", (forward, sums), None, None)

    return inverse_window


@public("signal.mdct")
@told
def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Window | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transforms of frames that overlap by half.

    >>> fg.signal.mdct(fg.ones([8]), 4).shape
    TensorShape([3, 2])

    Args:
      signals: real signals along the last axis.
      frame_length: the length of a frame, a multiple of 4.
      window_fn: makes what frames are multiplied by; None for the square root of a half.
      pad_end: whether frames go on as long as they begin inside.
      norm: None, or "ortho".
      name: a name for the operation.

    Raises:
      ValueError: for a length that is no multiple of 4, or another norm.
    """
    signals = convert(signals, dtype_hint=float32)
    length = scalar(frame_length)
    if not is_tensor(length) and length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    half, quarter = length // 2, length // 4
    frames = _windowed(frame(signals, length, half, pad_end), length, window_fn)
    a, b = frames[..., :quarter], frames[..., quarter:half]
    c, d = frames[..., half : half + quarter], frames[..., half + quarter :]
    folded = concat([-_reversed(c) - d, a - _reversed(b)], -1)
    out = dct(folded, type=4, norm=norm, name=name)
    return out if frames.ndim is None else refined(out, *frames.shape.as_list()[:-1], half)


@public("signal.inverse_mdct")
@told
def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Window | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Signals out of ``signal.mdct``; what less than two frames cover is not restored.

    >>> frames = fg.signal.mdct(fg.ones([8]), 4)
    >>> fg.signal.inverse_mdct(frames).numpy()[2:6].round(4)
    array([1., 1., 1., 1.], dtype=float32)

    Args:
      mdcts: a tensor of float32 or float64, or what converts to one: frames
        ``[..., frames, half]``, half of the length of a frame being even.
      window_fn: makes what frames are multiplied by, a function of a length and a ``dtype``;
        ``signal.vorbis_window`` by default, None for the square root of a half.
      norm: None (the default), or "ortho", as for ``signal.mdct``.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``mdcts``: ``[..., (frames + 1) * half]``.

    Raises:
      ValueError: for another norm, and for a rank below 2.
      TypeError: for another dtype, and where ``window_fn`` is no function.
    """
    mdcts = convert(mdcts, dtype_hint=float32)
    half = size_along(mdcts, -1)
    folded = dct(mdcts, type=4, norm=norm)
    if norm is None:
        folded = divide(folded, number(2 * half, folded.dtype))
    first, second = folded[..., : half // 2], folded[..., half // 2 :]
    frames = concat([second, -_reversed(second), -_reversed(first), -first], -1)
    return overlap_and_add(_windowed(frames, 2 * half, window_fn), half, name)


def _reversed(x: Any) -> Tensor:
    return reverse(x, [-1])


def _windowed(frames: Any, length: Any, window_fn: Window | None) -> Tensor:
    if window_fn is None:
        return frames * math.sqrt(0.5)
    if not callable(window_fn):
        raise TypeError(f"window_fn must be a function of a length, got {shown(window_fn)}")
    return multiply(frames, window_fn(length, dtype=frames.dtype))


@public("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Tensor:
    """The matrix that takes spectra in even steps of frequency to spectra in even steps of mel.

    >>> fg.signal.linear_to_mel_weight_matrix(2, 4).shape
    TensorShape([4, 2])

    Args:
      num_mel_bins: how many steps of mel.
      num_spectrogram_bins: how many steps of frequency, from 0 to half the sample rate.
      sample_rate: samples a second.
      lower_edge_hertz: where the first step of mel begins.
      upper_edge_hertz: where the last one ends.
      dtype: the dtype, a floating point one.
      name: a name for the operation.

    Raises:
      ValueError: for edges or numbers that make no sense.
    """
    what = "linear_to_mel_weight_matrix"
    lower_edge_hertz = real(lower_edge_hertz, f"{what}: lower_edge_hertz", ValueError)
    upper_edge_hertz = real(upper_edge_hertz, f"{what}: upper_edge_hertz", ValueError)
    if not is_tensor(num_mel_bins):
        num_mel_bins = whole(num_mel_bins, f"{what}: num_mel_bins", ValueError)
    rate = static_value(cast(convert(sample_rate), float32))
    _check_mel(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, as_dtype(dtype))
    dtype = as_dtype(dtype)
    nyquist = cast(convert(sample_rate), dtype) / 2.0
    zero = convert(0.0, dtype)
    hertz = linspace(zero, nyquist, num_spectrogram_bins)[1:]
    bins = expand_dims(_mel(hertz), 1)
    low, high = (_mel(convert(edge, dtype)) for edge in (lower_edge_hertz, upper_edge_hertz))
    edges = linspace(low, high, num_mel_bins + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rise = (bins - lower) / (center - lower)
    fall = (upper - bins) / (upper - center)
    return pad(maximum(minimum(rise, fall), 0.0), [[1, 0], [0, 0]], name=name)


def _mel(hertz: Any) -> Tensor:
    return log(1.0 + hertz / 700.0) * 1127.0


def _check_mel(bins: Any, rate: Any, lower: Any, upper: Any, dtype: Any) -> None:
    if not is_tensor(bins) and bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} >= upper_edge_hertz {upper}")
    if rate is not None and rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if rate is not None and upper > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {upper} for sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {shown(dtype)}")


@public("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Tensor:
    """Cepstral coefficients: cosine transforms of logarithms of mel spectra.

    >>> fg.signal.mfccs_from_log_mel_spectrograms([[1.0, 1.0]]).numpy().round(4)
    array([[2., 0.]], dtype=float32)

    Args:
      log_mel_spectrograms: a tensor of float32 or float64, or what converts to one; the last axis
        has the steps of mel.
      name: a name for the operation.

    Returns:
      A tensor of the dtype and the shape of ``log_mel_spectrograms``.

    Raises:
      ValueError: for spectra of no steps.
      TypeError: for another dtype.
    """
    spectra = convert(log_mel_spectrograms, dtype_hint=float32)
    n = size_along(spectra, -1)
    if not is_tensor(n) and n == 0:
        raise ValueError(f"num_mel_bins must be positive. Got shape {spectra.shape}")
    return multiply(dct(spectra, type=2), rsqrt(number(2 * n, spectra.dtype)), name)
