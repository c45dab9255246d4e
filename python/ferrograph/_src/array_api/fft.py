"""The extension ``fft``: Fourier transforms."""

from __future__ import annotations

import sys
from typing import Any

from .. import ops
from ..ops import fourier, fourier_nd, numeric
from ..values.dtypes import complex64, complex128, float64
from .arrays import array, check_device, dtype_given, inexact
from .table import table

__all__ = [
    *("fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft"),
    *("irfft", "irfftn", "rfft", "rfftfreq", "rfftn"),
]

# Who divides by how many numbers there are, of a transform and of one in the other direction.
_OTHER = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _complex(x: Any) -> Any:
    x = inexact(x)
    if x.dtype.is_complex:
        return x
    return ops.cast(x, complex64 if x.dtype.size <= 4 else complex128)


def _one(n: int | None, axis: int) -> dict[str, Any]:
    return {"fft_length": None if n is None else [n], "axes": [axis]}


def _several(s: Any, axes: Any) -> dict[str, Any]:
    return {
        "fft_length": None if s is None else list(s),
        "axes": None if axes is None else list(axes),
    }


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The Fourier transform along an axis."""
    return fourier_nd.fftnd(_complex(x), **_one(n, axis), norm=norm)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The inverse of ``fft``."""
    return fourier_nd.ifftnd(_complex(x), **_one(n, axis), norm=norm)


def fftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The Fourier transform along several axes."""
    return fourier_nd.fftnd(_complex(x), **_several(s, axes), norm=norm)


def ifftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The inverse of ``fftn``."""
    return fourier_nd.ifftnd(_complex(x), **_several(s, axes), norm=norm)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The Fourier transform of real numbers along an axis, up to half its length."""
    return fourier_nd.rfftnd(inexact(x), **_one(n, axis), norm=norm)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The inverse of ``rfft``; an odd length has to be given."""
    return fourier_nd.irfftnd(_complex(x), **_one(n, axis), norm=norm)


def rfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The Fourier transform of real numbers along several axes, up to half the last one."""
    return fourier_nd.rfftnd(inexact(x), **_several(s, axes), norm=norm)


def irfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The inverse of ``rfftn``; an odd last length has to be given."""
    return fourier_nd.irfftnd(_complex(x), **_several(s, axes), norm=norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The Fourier transform of a signal of which a half is given, as the rest mirrors it."""
    return irfft(numeric.conj(_complex(x)), n=n, axis=axis, norm=_opposite(norm))


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The inverse of ``hfft``."""
    return numeric.conj(rfft(x, n=n, axis=axis, norm=_opposite(norm)))


def _opposite(norm: str) -> str:
    """The norm for the transform in the other direction; what is none stays it, to be refused."""
    return _OTHER.get(norm, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of ``fft`` of ``n`` numbers that are ``d`` apart."""
    return _frequencies(ops.range(-(n // 2), n - n // 2), n, d, dtype, device, shift=-(n // 2))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of ``rfft`` of ``n`` numbers that are ``d`` apart."""
    return _frequencies(ops.range(n // 2 + 1), n, d, dtype, device, shift=0)


def _frequencies(counts: Any, n: int, d: float, dtype: Any, device: Any, shift: int) -> Any:
    check_device(device)
    made = ops.cast(counts, float64) / (n * d)
    return ops.cast(ops.roll(made, shift, 0) if shift else made, dtype_given(dtype, float64))


def fftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The array with the frequency 0 in the middle of axes, all by default."""
    return fourier.fftshift(array(x), axes)


def ifftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The inverse of ``fftshift``."""
    return fourier.ifftshift(array(x), axes)


# As ``array_api.names`` does it.
names, find = table("array_api.fft", sys.modules[__name__])
