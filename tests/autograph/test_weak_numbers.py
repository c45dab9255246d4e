"""Numbers and texts of Python's among which the graph chose do beside tensors as plain ones do."""

# ruff: noqa: RET505, SIM108 - as users write

import ferrograph as fg
import numpy as np
import pytest

VARIABLE = fg.Variable(2.0)


def picked(x):
    n = 2
    if x > 0.0:
        n = 5
    return n


def arithmetic(x):
    n = picked(x)
    return x + n, n - x, x * n, n / (x + 10.0), x // n, (x + 20.0) % n, n ** (x / 10.0), -n + x


def in_place(x):
    n = picked(x)
    y = x
    y += n
    y *= n
    y -= n
    y /= n
    return x, y


def comparisons(x):
    n = picked(x)
    return x == n, x != n, x < n, n < x, n >= x, max(x, n), min(n, x), abs(n) * x


def dtypes_of_all_kinds(x):
    n, row = picked(x), fg.stack([x, 1.0])
    return (
        row * n,
        fg.cast(row, fg.float64) - n,
        fg.cast(row, fg.int64) + n,
        VARIABLE * n,
        n * VARIABLE,
    )


def means(x):
    n, total, start = 0, 0.0, x
    while x > 0.0:
        n += 1
        total += x
        x = x - 1.0
    return total / (n + 1), start * (n / 3)


def counted_in_nests(x):
    n = 0
    for k in fg.range(3):
        if x > fg.cast(k, fg.float32):
            n += 2
    counts = {"n": n}
    for v in (1.0, 2.0):
        if x > v:
            counts["n"] += 1
    return x * n, x / (n + 1), x * counts["n"]


def large_ones(x):
    n = 16777217
    if x > 0.0:
        n = 33554433
    return x + n


def shifted(x):
    n = picked(x)
    return n << 1, n >> 1, n << 4 | 1, (n << 2) * x, -n >> 1, divmod(n, 3), divmod(-n, 3)


def beside_fractions(x):
    n, grown = picked(x), [1]
    for _ in fg.range(3):
        if x > 1.0:
            grown.append(2)
    size = len(grown)
    return (
        *(n + 2.5, 2.5 * n, n - 0.5, 0.5 / n, n**0.5, n // 2.0, 7.5 % n, n < 2.5, n == 2.0, n * 2j),
        *(size * 0.5, (size + n) * 1.5, 2.5 * size * x, -n * 16777217.5),
    )


def beside_arrays(x):
    n = picked(x)
    return n * np.float32(2.5), n + np.array([1.5, 2.0]), np.array([1.5, 2.0]) / n


def with_a_gradient(x):
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = x * picked(x) * x
    return tape.gradient(y, x)


FUNCTIONS = [
    arithmetic,
    in_place,
    comparisons,
    dtypes_of_all_kinds,
    means,
    counted_in_nests,
    large_ones,
    shifted,
    beside_fractions,
    beside_arrays,
    with_a_gradient,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_take_the_dtypes_of_tensors(function):
    traced = fg.function(function)
    for x in (2.0, -1.0, 5.0, 0.0):
        eager = fg.nest.flatten(function(fg.constant(x)))
        found = fg.nest.flatten(traced(fg.constant(x)))
        for a, b in zip(eager, found, strict=True):
            if isinstance(a, fg.Tensor):
                assert a.dtype == b.dtype
            expected = a.numpy() if isinstance(a, fg.Tensor) else a
            assert b.numpy() == pytest.approx(expected, rel=1e-6)


def test_tensors_of_integers_stay_what_they_are():
    @fg.function
    def f(x):
        n = fg.constant(2)
        if x > 0.0:
            n = fg.constant(5)
        return x * n

    with pytest.raises(TypeError, match="fg.cast"):
        f(fg.constant(1.0))


@pytest.mark.parametrize("fraction", [2.5, 2j, np.float32(2.5)])
def test_what_may_be_a_tensor_takes_no_fraction(fraction):
    def f(x):
        n = 7
        for _ in fg.range(2):
            n = x * 2
        return n * fraction

    for made in (f, fg.function(f)):
        with pytest.raises(TypeError):
            made(fg.constant(5))


def test_integers_among_bools_stay_what_they_are():
    @fg.function
    def f(x):
        n = True
        if x > 0.0:
            n = 5
        return x * n

    with pytest.raises(TypeError):
        f(fg.constant(1.0))


def test_what_a_loop_makes_a_tensor_of_has_no_divmod():
    def f(x):
        n = 7
        for _ in fg.range(2):
            x = x + divmod(n, 3)[1]
            n = x * 2
        return x

    for made in (f, fg.function(f)):
        with pytest.raises(TypeError, match="divmod"):
            made(fg.constant(5))


def test_texts_are_joined():
    def f(x):
        parts = ["a", "b"]
        if x > 0.0:
            parts[0] = "z"
        made = (str(i) for i in range(3))
        return "-".join(parts), "/".join((parts[0], "t")), "".join(made), ", ".join(["q", "r"])

    traced = fg.function(f)
    for x in (1.0, -1.0):
        found = [t.numpy().decode() for t in traced(fg.constant(x))]
        assert found == list(f(fg.constant(x)))
