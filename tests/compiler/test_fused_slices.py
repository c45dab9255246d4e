"""Slices that fused steps read without a copy give the bits that they give one by one."""

import ferrograph as fg
import numpy as np
import pytest
from test_fused_steps import checked


def data(shape, dtype="float32", seed=0):
    rng = np.random.default_rng(seed)
    if dtype.startswith("int"):
        return fg.constant(rng.integers(-1000, 1000, shape).astype(dtype))
    return fg.constant(rng.standard_normal(shape).astype(dtype))


def takes_slices(text, n):
    assert text.count("StridedSlice,") + text.count("StridedSlice ") >= n, text
    steps = [line for line in text.splitlines() if "kernel(" in line and " of " in line]
    assert any("StridedSlice" in line for line in steps), text


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "float16", "bool"])
def test_neighbours_in_a_row(dtype):
    def f(x):
        if dtype == "bool":
            return fg.logical_or(fg.logical_and(x[:-2], x[1:-1]), x[2:])
        return (x[:-2] + x[1:-1]) * x[2:]

    x = fg.cast(data([20_001], seed=1) > 0.0, fg.bool) if dtype == "bool" else data([20_001], dtype)
    takes_slices(checked(f, x), 3)


@pytest.mark.parametrize("width", [20, 100, 193, 194, 256, 700])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_neighbours_in_a_plane(width, dtype):
    def f(u):
        near = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return near * 2 - u[1:-1, 1:-1], fg.reduce_max(near, 1)

    takes_slices(checked(f, data([90 if width > 50 else 2000, width], dtype)), 5)


def test_planes_of_images():
    def f(x):
        across = x[:, 1:-1, 2:] - x[:, 1:-1, :-2]
        down = x[:, 2:, 1:-1] - x[:, :-2, 1:-1]
        return fg.sqrt(across * across + down * down)

    checked(f, data([8, 64, 80]))


def test_parts_of_rows():
    def f(x):
        q, k, v = x[:, :, :64], x[:, :, 64:128], x[:, :, 128:]
        return q * k + v, fg.reduce_sum(q * k, -1)

    takes_slices(checked(f, data([8, 40, 192])), 3)


def test_steps_mirrors_and_new_axes_keep_their_own_ways():
    def f(x):
        return (x[::2] + x[1::2]) * x[::-1][:5000], x[:5000, None] * 2.0 + x[5000:, None]

    checked(f, data([10_000]))


def test_what_was_just_made_is_there_before_it_is_sliced():
    def f(x):
        y = fg.tanh(x * 2.0)
        z = y[1:] - y[:-1]
        return z[1:] * z[:-1] + y[2:]

    checked(f, data([9_000]))


def test_slices_of_variables_that_change():
    v = fg.Variable(data([9_000]))

    @fg.function
    def step():
        v.assign(fg.concat([v[1:] * 0.5 + v[:-1], v[:1]], 0))
        return v[1:] * 2.0 - v[:-1]

    for _ in range(4):
        before = v.numpy()
        found = step().numpy()
        wanted = np.concatenate([before[1:] * np.float32(0.5) + before[:-1], before[:1]])
        np.testing.assert_array_equal(v.numpy(), wanted)
        np.testing.assert_array_equal(found, wanted[1:] * np.float32(2.0) - wanted[:-1])


def test_sweeps_in_a_loop():
    def f(u):
        for _ in fg.range(5):
            inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            u = fg.pad(inner, [[1, 1], [1, 1]])
        return u

    x = data([200, 300])
    wanted = x.numpy()
    for _ in range(5):
        inner = wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]
        wanted = np.pad(np.float32(0.25) * inner, 1)
    np.testing.assert_array_equal(fg.function(f)(x).numpy(), wanted)
