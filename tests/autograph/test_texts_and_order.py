"""Formatted texts, messages of failures and sorting, where tensors decide, as eagerly."""

# ruff: noqa: B904, UP031, RET503, RET505, RET506, C414 - what the functions under test do is the point

import ferrograph as fg
import numpy as np
import pytest

ARGUMENTS = [(3, 1.25), (-2, -0.5), (0, 1e6)]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    value = value.numpy() if hasattr(value, "numpy") else value
    return value.decode() if isinstance(value, bytes) else value


def same(function, *args):
    args = [fg.constant(a) for a in args]
    assert plain(fg.function(function)(*args)) == plain(function(*args))


def fixed(n, x):
    return f"{x:.2f}", f"{x:8.3f}|", f"{x:<9.1f}|", f"{x:09.2f}", f"{x:+.1f}", f"{n:.1f}"


def exponents(n, x):
    return f"{x:e}", f"{x:.1e}", f"{x:g}", f"{x:12g}"


def integers(n, x):
    return f"{n:d}", f"{n:5d}|", f"{n:<5}|", f"{n:05d}", f"{n:>4}", f"{n:+d}", format(n, "3d")


def mixed(n, x):
    width = 7
    return f"{width} of {x:{width}.2f}, {'text':>6} {n:d}{{}}"


def in_branches(n, x):
    text = f"{n:d}"
    if x > 0:
        text = f"{x:.1f}"
    for i in fg.range(2):
        text = text + f"{i:d}"
    return text


@pytest.mark.parametrize("function", [fixed, exponents, integers, mixed, in_branches])
@pytest.mark.parametrize("args", ARGUMENTS)
def test_a_format_specification_makes_a_string_tensor(function, args):
    same(function, *args)


def known_floats(n, x):
    p = 0.15 if n > 0 else 2.675
    q = 0.35
    if x > 1:
        q = -0.0
    elif x > 0:
        q = 1e30
    return f"{p:.1f} {p:.2f} {p:.12f}", f"{q:.1f} {q:g} {q:+.3e}"


def floats_of_which_one_is_no_number(n, x):
    p = float("nan") if n > 0 else 0.05
    return f"{p:.1f} {p:6.2f}"


def computed_floats(n, x):
    total, least = 0.0, 1.0
    for _ in fg.range(3):
        total += 0.25
        least = least * 0.5 if n > 0 else 0.75
    return f"{total:.3f} {least:.2e} {total:g}"


def scalars_of_numpy(n, x):
    counts, sums = np.zeros(2, int), np.zeros(2)
    if n > 0:
        counts[0] = 5
        sums[1] = 2.5
    return f"{counts[0]} {counts[1] + 2}", f"{sums[1]:.3f} {sums[0] + 1:.1f}"


@pytest.mark.parametrize(
    "function",
    [known_floats, floats_of_which_one_is_no_number, computed_floats, scalars_of_numpy],
)
@pytest.mark.parametrize("args", ARGUMENTS)
def test_numbers_of_python_that_the_graph_chose_show_their_own_digits(function, args):
    same(function, *args)


def many_digits(x):
    total = 0.0
    for _ in fg.range(3):
        total += 0.1
    return f"{total:.9f}"


def element_of_an_array(x):
    sums = np.zeros(2)
    if x > 0:
        sums[1] = 2.5
    return f"{sums[1]}"


def scalar_of_a_loop(x):
    total = np.float64(0.5)
    for _ in fg.range(3):
        total = total + np.float64(0.25)
    return "%s" % total


@pytest.mark.parametrize("function", [many_digits, element_of_an_array, scalar_of_a_loop])
def test_digits_that_a_graph_does_not_have_are_refused(function):
    with pytest.raises(fg.errors.StagingError, match="Python (float|number)|NumPy") as info:
        fg.function(function)(fg.constant(1.0))
    assert "    return " in str(info.value)


def test_digits_beyond_single_precision_fail_when_the_graph_runs():
    @fg.function
    def f(x):
        total = 0.0
        for _ in fg.range(3):
            total += 123456.78
        return f"{total:.2f}"

    with pytest.raises(fg.errors.InvalidArgumentError, match="more digits here than"):
        f(fg.constant(1.0))


def test_without_a_specification_the_text_is_that_of_the_symbolic_tensor():
    seen = []

    @fg.function
    def f(x):
        seen.append(f"{x}")
        return x

    f(fg.constant(1))
    assert seen[0].startswith("Tensor(")


@pytest.mark.parametrize("spec", ["^9d", "x", ",d", "*<5d", "%", "8"])
def test_other_specifications_are_refused_at_their_line(spec):
    @fg.function
    def f(x):
        return f"{x:{spec}}"  # here

    with pytest.raises(fg.errors.StagingError, match="as_string") as info:
        f(fg.constant(1.5 if spec in ("%", "8") else 15))
    assert "# here" in str(info.value)


def test_a_specification_that_python_refuses_is_python_s_error():
    with pytest.raises(ValueError, match="Precision not allowed"):
        fg.function(lambda x: f"{x:.2d}")(fg.constant(1))


def raises(x):
    if x > 8:
        raise ValueError(f"{x:d} is over 8")
    if x > 4:
        raise KeyError("over 4:", x)
    assert x != 3, f"three: {x:3d}"
    assert x != 2, ("two", x)
    if x < 0:
        if x < -5:
            raise ValueError("far below")
        else:
            raise TypeError(f"below: {x:d}")
    return x


MESSAGES = {
    9: "ValueError: 9 is over 8",
    5: r"KeyError:\] \[over 4:\] \[5\]",
    3: "three:   3",
    2: r"\[two\] \[2\]",
    -6: "ValueError: far below",
    -1: "TypeError: below: -1",
}


@pytest.mark.parametrize("value", MESSAGES)
def test_messages_hold_the_values_when_the_graph_runs(value):
    f = fg.function(raises)
    assert int(f(fg.constant(1))) == 1
    with pytest.raises(fg.errors.InvalidArgumentError, match=MESSAGES[value]):
        f(fg.constant(value))


def both_raise(x):
    try:
        if x > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
    except ValueError:
        x = x + 1
    except KeyError:
        x = x - 1
    return x


def both_raise_alike(x):
    try:
        if x > 0:
            raise ValueError("no")
        else:
            raise ValueError("no")
    except ValueError:
        x = x + 1
    return x


def test_no_handler_takes_one_exception_for_another():
    with pytest.raises(ValueError, match="positive"):
        fg.function(both_raise)(fg.constant(1))
    same(both_raise_alike, 1)
    same(both_raise_alike, -1)


def by_value(n, x):
    items = [n, n - 2, -n, 5]
    items.sort()
    return items, sorted(items, reverse=True)


def by_key(n, x):
    items = [n, n - 2, -n, 5]
    items.sort(key=lambda v: v * v, reverse=True)
    return items, sorted(items, key=lambda v: -v)


def by_two_keys(n, x):
    pairs = [(n, x), (2, 0.5), (n, -x), (2, x)]
    pairs.sort(key=lambda p: (p[0], -p[1]))
    return pairs, sorted(pairs, reverse=True)


def in_a_branch(n, x):
    items = [n, 1, -n]
    if n > 0:
        items.sort()
    for i in fg.range(2):
        items.sort(key=lambda v: -v)
        items[i] = items[i] + 2
    return items


def plain_keys(n, x):
    items = [(2, n), (1, n + 1), (2, n + 2)]
    items.sort(key=lambda p: p[0])
    return items


@pytest.mark.parametrize("function", [by_value, by_key, by_two_keys, in_a_branch, plain_keys])
@pytest.mark.parametrize("args", ARGUMENTS)
def test_lists_are_sorted_by_tensors(function, args):
    same(function, *args)
