"""Functions that call themselves: unrolled where Python ends it, refused where a tensor would."""

import ferrograph as fg
import pytest


@fg.function
def factorial(n):
    if n <= 1:
        return fg.constant(1)
    return n * factorial(n - 1)


@fg.function
def is_even(n):
    return fg.cond(n == 0, lambda: fg.constant(True), lambda: is_odd(n - 1))


@fg.function
def is_odd(n):
    return fg.cond(n == 0, lambda: fg.constant(False), lambda: is_even(n - 1))


@pytest.mark.parametrize("f", [factorial, is_even])
def test_recursion_on_a_tensor_is_refused(f):
    with pytest.raises(RecursionError, match=r"calls itself while it is traced.*`while` loop"):
        f(fg.constant(5))
    assert f.experimental_get_tracing_count() == 0


def test_recursion_on_python_values_unrolls():
    @fg.function
    def double(x, times):
        return x if times == 0 else double(x * 2, times - 1)

    assert int(double(fg.constant(3), 4)) == 48


def test_an_endless_helper_is_no_recursion_of_the_function():
    def helper(x):
        return helper(x)

    @fg.function
    def f(x):
        return helper(x)

    with pytest.raises(RecursionError) as e:
        f(fg.constant(1))
    assert "is traced" not in str(e.value)
