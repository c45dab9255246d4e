"""Linear algebra, transforms and special functions against NumPy, SciPy and what they mean."""

import ferrograph as fg
import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.special
from drawn import FULL, both, close, fixed, floats, matrices
from hypothesis import given
from hypothesis import strategies as st

SMALL = st.integers(1, 4)


@fixed
@given(matrices(), st.booleans())
def test_orthogonal_factors(a, full):
    q, r = both(lambda t: list(fg.linalg.qr(t, full_matrices=full)), a)
    close(q @ r, a)
    close(q.T @ q, np.eye(q.shape[1]))
    close(np.tril(r, -1), np.zeros_like(r))


@fixed
@given(matrices(), st.booleans())
def test_singular_values(a, full):
    s, u, v = both(lambda t: list(fg.linalg.svd(t, full_matrices=full)), a)
    k = min(a.shape)
    close(u[:, :k] * s @ v[:, :k].T, a)
    close(u.T @ u, np.eye(u.shape[1]))
    close(v.T @ v, np.eye(v.shape[1]))
    close(s, np.linalg.svd(a, compute_uv=False))


@fixed
@given(SMALL, st.integers(0, 99), st.booleans())
def test_square_matrices(n, seed, adjoint):
    rng = np.random.default_rng(seed)
    a = rng.uniform(-1, 1, (n, n)) + 3.0 * np.eye(n)
    b = rng.uniform(-1, 1, (n, 2))
    kept = a.T if adjoint else a
    close(kept @ both(lambda t, s: fg.linalg.solve(t, s, adjoint=adjoint), a, b), b)
    close(a @ both(fg.linalg.inv, a), np.eye(n))
    close(both(fg.linalg.det, a), np.linalg.det(a))
    sign, log = both(lambda t: list(fg.linalg.slogdet(t)), a)
    close(sign * np.exp(log), np.linalg.det(a))
    lu, p = both(lambda t: list(fg.linalg.lu(t)), a)
    rebuilt = (np.tril(lu, -1) + np.eye(n)) @ np.triu(lu)
    close(rebuilt[np.argsort(p)] if n else rebuilt, a)
    close(both(fg.linalg.expm, a), scipy.linalg.expm(a), 1e-8)
    close(both(fg.linalg.pinv, a, ulps=8), np.linalg.pinv(a))


@fixed
@given(SMALL, st.integers(0, 99), st.booleans())
def test_symmetric_matrices(n, seed, lower):
    rng = np.random.default_rng(seed)
    m = rng.uniform(-1, 1, (n, n))
    a = m @ m.T + np.eye(n)
    factor = both(fg.linalg.cholesky, a)
    close(factor @ factor.T, a)
    close(np.triu(factor, 1), np.zeros((n, n)))
    e, v = both(lambda t: list(fg.linalg.eigh(t)), a)
    close(v * e @ v.T, a)
    close(e, np.linalg.eigvalsh(a))
    root = both(fg.linalg.sqrtm, a)
    close(root @ root, a)
    b = rng.uniform(-1, 1, (n, 3))
    half = np.tril(a) if lower else np.triu(a)
    close(half @ both(lambda t, s: fg.linalg.triangular_solve(t, s, lower=lower), a, b), b)
    close(a @ both(fg.linalg.cholesky_solve, factor, b), b)


@fixed
@given(matrices(st.integers(3, 5), st.integers(1, 3)), st.integers(0, 99))
def test_least_squares(a, seed):
    b = np.random.default_rng(seed).uniform(-1, 1, (a.shape[0], 2))
    close(both(fg.linalg.lstsq, a, b, ulps=8), np.linalg.lstsq(a, b, rcond=None)[0], 1e-7)


@fixed
@given(
    st.sampled_from(
        [
            "ij,jk->ik",
            "ij,jk",
            "bij,bjk->bki",
            "ij,ij->",
            "ij->ji",
            "ii->i",
            "ij->",
            "...i,...i->...",
            "i,j->ij",
            "ijk,k->ji",
            "ii",
            "ij,j,k->ki",
        ]
    ),
    st.integers(0, 99),
)
def test_sums_of_products(equation, seed):
    rng = np.random.default_rng(seed)
    sizes = {c: int(rng.integers(1, 4)) for c in "ijkb"}
    groups = equation.partition("->")[0].split(",")
    shapes = [[2] * ("..." in g) + [sizes[c] for c in g.replace("...", "")] for g in groups]
    arrays = [rng.uniform(-1, 1, s) for s in shapes]
    close(both(lambda *t: fg.einsum(equation, *t), *arrays), np.einsum(equation, *arrays))


@fixed
@given(st.integers(0, 2), st.integers(0, 99))
def test_contractions(n, seed):
    rng = np.random.default_rng(seed)
    shared = rng.integers(1, 4, n).tolist()
    a, b = rng.uniform(-1, 1, (2, *shared)), rng.uniform(-1, 1, (*shared, 3))
    close(both(lambda s, t: fg.tensordot(s, t, n), a, b), np.tensordot(a, b, n))


@fixed
@given(floats(FULL), st.integers(1, 7))
def test_fourier_transforms(x, n):
    z = x + 1j * np.flip(x)
    close(both(fg.signal.fft, z), np.fft.fft(z))
    close(both(lambda t: fg.signal.ifft(fg.signal.fft(t)), z), z)
    close(both(lambda t: fg.signal.rfft(t, [n]), x), np.fft.rfft(x, n))
    half = np.fft.rfft(x)
    close(both(lambda t: fg.signal.irfft(t, [x.shape[-1]]), half), np.fft.irfft(half, x.shape[-1]))
    close(both(fg.signal.fftshift, x), np.fft.fftshift(x))
    if x.ndim > 1:
        close(both(fg.signal.fft2d, z), np.fft.fft2(z))


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@fixed
@given(st.integers(2, 6), st.integers(0, 99))
def test_cosine_transforms(kind, n, seed):
    x = np.random.default_rng(seed).uniform(-1, 1, (2, n))
    close(both(lambda t: fg.signal.dct(t, kind), x), scipy.fft.dct(x, kind))
    back = both(lambda t: fg.signal.idct(fg.signal.dct(t, kind, norm=None), kind), x)
    close(back / (2 * (n - (kind == 1))), x)


POSITIVE = st.floats(0.0625, 20, width=32)
SPECIAL = {
    "lgamma": (fg.math.lgamma, scipy.special.gammaln),
    "digamma": (fg.math.digamma, scipy.special.digamma),
    "erf": (fg.math.erf, scipy.special.erf),
    "erfc": (fg.math.erfc, scipy.special.erfc),
    "ndtri": (
        lambda x: fg.math.ndtri(fg.sigmoid(x)),
        lambda x: scipy.special.ndtri(scipy.special.expit(x)),
    ),
    "i0e": (fg.math.special.bessel_i0e, scipy.special.i0e),
    "j0": (fg.math.special.bessel_j0, scipy.special.j0),
    "k1e": (fg.math.special.bessel_k1e, scipy.special.k1e),
    "dawsn": (fg.math.special.dawsn, scipy.special.dawsn),
    "spence": (fg.math.special.spence, scipy.special.spence),
    "expint": (fg.math.special.expint, scipy.special.expi),
    "fresnel": (fg.math.special.fresnel_sin, lambda x: scipy.special.fresnel(x)[0]),
}


@pytest.mark.parametrize("name", SPECIAL)
@fixed
@given(floats(elements=POSITIVE))
def test_special_functions(name, x):
    function, expected = SPECIAL[name]
    close(both(function, x), expected(x), 1e-7)


@fixed
@given(floats((3,), POSITIVE), floats((3,), POSITIVE), floats((3,), st.floats(0, 1, width=32)))
def test_special_functions_of_several_numbers(a, b, x):
    close(both(fg.math.igamma, a, b), scipy.special.gammainc(a, b))
    close(both(fg.math.igammac, a, b), scipy.special.gammaincc(a, b))
    close(both(fg.math.betainc, a, b, x), scipy.special.betainc(a, b, x))
    close(both(fg.math.zeta, a + 1.5, b), scipy.special.zeta(a + 1.5, b))
    close(both(fg.math.xlogy, x, b), scipy.special.xlogy(x, b))
    close(both(lambda s, t: fg.math.lbeta(fg.stack([s, t], -1)), a, b), scipy.special.betaln(a, b))


@fixed
@given(floats(FULL), st.data())
def test_softmax(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    close(both(lambda t: fg.nn.softmax(t, axis), x), scipy.special.softmax(x, axis))
    close(both(lambda t: fg.nn.log_softmax(t, axis), x), scipy.special.log_softmax(x, axis))
