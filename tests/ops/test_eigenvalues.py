"""The order of eigenvalues beside tensorflow 2.21 (recorded/record_eigenvalues.py)."""

import json
import pathlib

import ferrograph as fg
import numpy as np
import pytest

ROWS = json.loads((pathlib.Path(__file__).parent / "recorded" / "eigenvalues.json").read_text())
# Where rounding decides which eigenvalue is found first: so many matrices at most.
OTHERS = {"float32": 4, "float64": 0}


def numbers(pairs):
    return np.array([complex(*pair) for pair in pairs])


@pytest.mark.parametrize("dtype", sorted(OTHERS))
def test_real_matrices_have_the_order_of_their_schur_form(dtype):
    assert len(ROWS) == 50
    others = 0
    for row in ROWS:
        a = np.array(row["matrix"], dtype)
        found, vectors = fg.linalg.eig(a)
        np.testing.assert_allclose(fg.linalg.eigvals(a), found, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(a @ vectors.numpy(), vectors * found, atol=1e-3)
        wanted = numbers(row[dtype])
        others += not np.allclose(found, wanted, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(
            np.sort(np.abs(found)), np.sort(np.abs(wanted)), rtol=1e-3, atol=1e-3
        )
    assert others <= OTHERS[dtype]


def test_complex_matrices_have_them_by_their_absolute_values():
    draws = np.random.default_rng(3)
    a = draws.normal(size=(5, 7, 7)) + 1j * draws.normal(size=(5, 7, 7))
    assert np.all(np.diff(np.abs(fg.linalg.eigvals(a).numpy())) >= 0)


def test_large_matrices_have_all_of_them():
    a = np.random.default_rng(4).normal(size=(70, 70))
    wanted = np.sort_complex(np.round(np.linalg.eigvals(a), 6))
    found = fg.linalg.eigvals(a).numpy()
    np.testing.assert_allclose(np.sort_complex(np.round(found, 6)), wanted, atol=1e-5)
