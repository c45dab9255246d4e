"""Matrices, transforms and sums over named axes."""

import numpy as np

from shapes.arrays import case, ints, numbers, scalar

SQUARE = (numbers(2, 3, 3) + 3 * np.eye(3)).astype(np.float32)
SYMMETRIC = SQUARE + SQUARE.transpose(0, 2, 1)
MATRIX, WIDE = (2, 3, 4), (2, 4, 5)
case("matmul", lambda m, x, y: m.matmul(x, y), (3, 4), (4, 5))
case("matmul in batches", lambda m, x, y: m.matmul(x, y), MATRIX, WIDE)
case("matmul broadcast", lambda m, x, y: m.matmul(x, y), (2, 1, 3, 4), (5, 4, 2))
case("matmul transposed", lambda m, x, y: m.matmul(x, y, transpose_a=True), (4, 3), (4, 5))
case("matmul adjoint", lambda m, x, y: m.matmul(x, y, adjoint_b=True), MATRIX, (2, 5, 4))
case("matvec", lambda m, x, y: m.linalg.matvec(x, y), MATRIX, (2, 4))
for equation, shapes in {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 5)),
    "...ij,jk->...ik": ((2, 3, 4), (4, 5)),
    "ij->ji": ((2, 3),),
    "ii->i": ((3, 3),),
    "ij->": ((2, 3),),
    "i,j->ij": ((2,), (3,)),
    "bhqd,bhkd->bhqk": ((2, 3, 4, 5), (2, 3, 6, 5)),
}.items():
    case(f"einsum {equation}", lambda m, *xs, e=equation: m.einsum(e, *xs), *shapes)
for axes in (0, 1, 2, [[1], [0]], [[0, 2], [1, 0]]):
    shapes = {0: ((2, 3), (4,)), 1: ((2, 3), (3, 4)), 2: ((5, 2, 3), (2, 3, 4))}
    given = (
        shapes[axes]
        if isinstance(axes, int)
        else ((2, 3, 4), (3, 5))
        if len(axes[0]) == 1
        else ((2, 3, 4), (4, 2, 5))
    )
    case(f"tensordot {axes}", lambda m, x, y, a=axes: m.tensordot(x, y, a), *given)
for name in (
    "cholesky",
    "inv",
    "det",
    "slogdet",
    "logdet",
    "expm",
    "sqrtm",
    "eigh",
    "eigvalsh",
    "eig",
    "eigvals",
    "svd",
    "qr",
    "lu",
    "pinv",
    "trace",
    "adjoint",
):
    given = SYMMETRIC if name not in ("lu", "qr") else SQUARE
    case(name, lambda m, x, f=name: getattr(m.linalg, f)(x), given)
for name in ("svd", "qr", "pinv", "trace", "adjoint"):
    case(f"{name} of rectangles", lambda m, x, f=name: getattr(m.linalg, f)(x), MATRIX)
case("svd of values", lambda m, x: m.linalg.svd(x, compute_uv=False), MATRIX)
case("svd whole", lambda m, x: m.linalg.svd(x, full_matrices=True), MATRIX)
case("qr whole", lambda m, x: m.linalg.qr(x, full_matrices=True), (2, 4, 3))
case("solve", lambda m, a, b: m.linalg.solve(a, b), SQUARE, (2, 3, 5))
case("triangular_solve", lambda m, a, b: m.linalg.triangular_solve(a, b), SQUARE, (2, 3, 5))
case(
    "triangular_solve broadcast",
    lambda m, a, b: m.linalg.triangular_solve(a, b),
    SQUARE[0],
    (2, 3, 5),
)
case("cholesky_solve", lambda m, a, b: m.linalg.cholesky_solve(a, b), SQUARE, (2, 3, 5))
case("lstsq", lambda m, a, b: m.linalg.lstsq(a, b), (2, 4, 3), (2, 4, 5))
case("lstsq exact", lambda m, a, b: m.linalg.lstsq(a, b, fast=False), (2, 4, 3), (2, 4, 5))
case("matrix_rank", lambda m, a: m.linalg.matrix_rank(a), MATRIX)
case("norm", lambda m, x: m.norm(x), MATRIX)
case(
    "norm along an axis",
    lambda m, x: (m.norm(x, axis=1), m.norm(x, 1, axis=-1, keepdims=True)),
    MATRIX,
)
case("norm of matrices", lambda m, x: m.norm(x, "fro", axis=[-2, -1]), MATRIX)
case("normalize", lambda m, x: m.linalg.normalize(x, axis=1), MATRIX)
case("tridiagonal_matmul", lambda m, d, x: m.linalg.tridiagonal_matmul(d, x), (2, 3, 4), (2, 4, 5))
case("tridiagonal_solve", lambda m, d, x: m.linalg.tridiagonal_solve(d, x), (2, 3, 4), (2, 4, 5))
case(
    "tridiagonal_solve of a vector",
    lambda m, d, x: m.linalg.tridiagonal_solve(d, x),
    (2, 3, 4),
    (2, 4),
)
case(
    "lu_solve",
    lambda m, a, p, b: m.linalg.lu_solve(a, p, b),
    SQUARE,
    [[0, 1, 2], [0, 1, 2]],
    (2, 3, 5),
)
case(
    "lu_matrix_inverse",
    lambda m, a, p: m.linalg.lu_matrix_inverse(a, p),
    SQUARE,
    [[0, 1, 2], [0, 1, 2]],
)
case(
    "lu_reconstruct", lambda m, a, p: m.linalg.lu_reconstruct(a, p), SQUARE, [[0, 1, 2], [0, 1, 2]]
)
case(
    "banded_triangular_solve",
    lambda m, a, b: m.linalg.banded_triangular_solve(a, b),
    (2, 2, 3),
    (2, 3, 5),
)
case("matrix_square_root", lambda m, x: m.linalg.sqrtm(x), SQUARE)
case("logm", lambda m, x: m.linalg.logm(x), SQUARE.astype(np.complex64))
case("global_norm", lambda m, x, y: m.linalg.global_norm([x, y]), (2, 3), (4,))
case("l2", lambda m, x: m.math.l2_normalize(x, -1), MATRIX)
C = numbers(2, 4, 6).astype(np.complex64)
for name in ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "fftshift", "ifftshift"):
    case(name, lambda m, x, f=name: getattr(m.signal, f)(x), C)
for name in ("rfft", "rfft2d", "rfft3d"):
    case(name, lambda m, x, f=name: getattr(m.signal, f)(x), (2, 4, 6))
for name in ("irfft", "irfft2d", "irfft3d"):
    case(name, lambda m, x, f=name: getattr(m.signal, f)(x), C)
case("rfft of a length", lambda m, x: m.signal.rfft(x, [8]), (2, 5))
case("irfft of a length", lambda m, x: m.signal.irfft(x, [9]), C)
case("rfft of an argument", lambda m, x, n: m.signal.rfft(x, n), (2, 5), ints(8))
case("rfft of a computed length", lambda m, x: m.signal.rfft(x, [m.shape(x)[1] * 2]), (2, 5))
case("irfft2d of lengths", lambda m, x: m.signal.irfft2d(x, [3, 9]), C)
case("fftnd", lambda m, x: m.signal.fftnd(x, [4, 5], [1, 2]), C)
case("dct", lambda m, x: m.signal.dct(x), (2, 5))
case("dct of a length", lambda m, x: m.signal.dct(x, n=8), (2, 5))
case("idct", lambda m, x: m.signal.idct(x), (2, 5))
for end in (False, True):
    case(
        f"frame {end}",
        lambda m, x, e=end: m.signal.frame(x, 4, 3, pad_end=e),
        (2, 11),
    )
    case(
        f"stft {end}",
        lambda m, x, e=end: m.signal.stft(x, 4, 3, pad_end=e),
        (2, 11),
    )
case("frame along the first axis", lambda m, x: m.signal.frame(x, 4, 3, axis=0), (11, 2))
case("frame computed", lambda m, x, n: m.signal.frame(x, n, 3), (2, 11), scalar(4))
case("stft of a length", lambda m, x: m.signal.stft(x, 4, 2, fft_length=9), (2, 11))
case("stft computed", lambda m, x, n: m.signal.stft(x, n, 2), (2, 11), scalar(4))
case(
    "inverse_stft",
    lambda m, x: m.signal.inverse_stft(x, 8, 3),
    numbers(2, 5, 5).astype(np.complex64),
)
case("overlap_and_add", lambda m, x: m.signal.overlap_and_add(x, 2), (2, 3, 4))
case(
    "overlap_and_add computed", lambda m, x, n: m.signal.overlap_and_add(x, n), (2, 3, 4), scalar(2)
)
case("mdct", lambda m, x: m.signal.mdct(x, 4), (2, 8))
case("mdct padded", lambda m, x: m.signal.mdct(x, 4, pad_end=True), (2, 9))
case("inverse_mdct", lambda m, x: m.signal.inverse_mdct(x), (2, 3, 4))
case("hann_window", lambda m: m.signal.hann_window(5))
case("hamming_window computed", lambda m, n: m.signal.hamming_window(n), scalar(5))
case("kaiser_window", lambda m: m.signal.kaiser_window(5))
case("linear_to_mel_weight_matrix", lambda m: m.signal.linear_to_mel_weight_matrix(6, 9, 8000))
case("mfccs", lambda m, x: m.signal.mfccs_from_log_mel_spectrograms(x), (2, 3, 4))
