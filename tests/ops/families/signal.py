"""Fourier transforms."""

import struct

import numpy as np
from table import Vary, row

PARTS = ("float64", "float32")
COMPLEX = ("complex128", "complex64")
LETTERS = {1: "", 2: "2d", 3: "3d"}


def axes(rank):
    return tuple(range(-rank, 0))


def complex_of(t):
    return {"float32": "complex64", "float64": "complex128"}[t]


def real_of(t):
    return {"complex64": "float32", "complex128": "float64"}[t]


def emptied(expect):
    """``expect`` of arrays that hold something; NumPy refuses a transform of no numbers."""
    return lambda x: expect(x) if x.size else x


SHAPES = {1: (2, 5), 2: (3, 4), 3: (2, 3, 4)}

for rank, letters in LETTERS.items():
    shape = SHAPES[rank]
    last = shape[-rank:]
    for op, function, expect in (
        ("FFT", f"fft{letters}", np.fft.fftn),
        ("IFFT", f"ifft{letters}", np.fft.ifftn),
    ):
        row(
            op + letters.upper(),
            lambda fg, x, f=function: getattr(fg.signal, f)(x),
            [Vary(*shape)],
            emptied(lambda x, f=expect, rank=rank: f(x, axes=axes(rank))),
            (0,),
            dtypes=COMPLEX,
            tol=10,
            forms={
                "stack": [Vary(2, 2, *last)],
                "ones": [Vary(*(1,) * rank)],
                "prime": [Vary(*last[:-1], 17)],
                "no rows": [Vary(0, *last)],
                "none": [Vary(*last[:-1], 0)],
            },
        )
    for about, change in (("", 0), ("longer", 3), ("shorter", -1)):
        sizes = [max(1, n + change) for n in last]
        row(
            f"RFFT{letters.upper()}",
            lambda fg, x, f=f"rfft{letters}", n=sizes: getattr(fg.signal, f)(x, n),
            [Vary(*shape)],
            lambda x, n=sizes, rank=rank: np.fft.rfftn(x, n, axes(rank)),
            (0,),
            dtypes=PARTS,
            out=complex_of,
            tol=10,
            forms={
                "stack": [Vary(2, 2, *last)],
                "prime": [Vary(*last[:-1], 17)],
                "ones": [Vary(*(1,) * rank)],
            },
            about=about,
        )
        row(
            f"IRFFT{letters.upper()}",
            lambda fg, x, f=f"irfft{letters}", n=sizes: getattr(fg.signal, f)(x, n),
            [Vary(*shape)],
            lambda x, n=sizes, rank=rank: np.fft.irfftn(x, n, axes(rank)),
            (0,),
            dtypes=COMPLEX,
            out=real_of,
            tol=10,
            forms={
                "stack": [Vary(2, 2, *last)],
                "prime": [Vary(*last[:-1], 17)],
                "ones": [Vary(*(1,) * rank)],
            },
            about=about,
        )


def wav(x, rate):
    """The contents of a file."""
    samples = (x * 32768).astype("<i2").tobytes()
    head = struct.pack(
        "<IHHIIHH", 16, 1, x.shape[1], rate, 2 * x.shape[1] * rate, 2 * x.shape[1], 16
    )
    size = struct.pack("<I", len(samples))
    whole = struct.pack("<I", len(samples) + 36)
    return np.array(b"RIFF" + whole + b"WAVEfmt " + head + b"data" + size + samples, object)


STEPS = np.array([[0.0, 0.5], [-1.0, 0.25]], np.float32)
row(
    "EncodeWav",
    lambda fg, x: fg.audio.encode_wav(x, 8000),
    [STEPS],
    lambda x: wav(x, 8000),
    out="string",
)
row(
    "DecodeWav",
    lambda fg, s: tuple(fg.audio.decode_wav(s)),
    [np.asarray(wav(STEPS, 8000))],
    lambda s: (STEPS, np.int32(8000)),
    out=("float32", "int32"),
)
