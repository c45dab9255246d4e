"""Variables among which the graph chooses: read as in plain Python, or refused."""

# ruff: noqa: SIM108 - as users write

import ferrograph as fg
import pytest

A, B = fg.Variable(2.0), fg.Variable(3.0)


def same_in_both(x):
    if x > 2:
        v = A
    else:
        v = A
    A.assign(7.0)
    return v * 1.0


def read_before(x):
    v = A if x > 2 else B
    r = v * 1.0
    A.assign(7.0)
    return r


def assigned_before(x):
    A.assign(5.0)
    v = A if x > 2 else B
    return v * 1.0


def assigned_what_was_chosen(x):
    v = A if x > 2 else B
    A.assign(v)
    return v * 1.0, A + B


def another_is_assigned(x):
    other = B
    v = A
    if x > 2:
        v = A * 2.0
    other.assign(9.0)
    return v * 1.0, B + 0.0


def loop_that_begins_with_one(x):
    v = A
    for _ in fg.range(3):
        v = v * 2.0
    A.assign(v + 1.0)
    return v, A + 0.0


@pytest.mark.parametrize(
    "function",
    [
        same_in_both,
        read_before,
        assigned_before,
        assigned_what_was_chosen,
        another_is_assigned,
        loop_that_begins_with_one,
    ],
)
def test_variables_are_read_as_in_python(function):
    traced = fg.function(function)
    for x in (1, 5):
        found = []
        for made in (function, traced):
            A.assign(2.0)
            B.assign(3.0)
            found.append([v.numpy() for v in fg.nest.flatten(made(fg.constant(x)))])
        assert found[0] == found[1]


def chosen_by_if(x):
    if x > 2:
        v = A
    else:
        v = B
    A.assign(7.0)
    return v * 1.0


def chosen_by_expression(x):
    v = A if x > 2 else B
    B.assign_add(7.0)
    return v


def chosen_by_a_function(x):
    def pick():
        if x > 2:
            return A
        return B

    v = pick()
    B.assign(9.0)
    return v * 1.0


def chosen_in_a_dict(x):
    d = {"v": A}
    if x > 2:
        d["v"] = B
    B.assign(9.0)
    return d["v"] * 1.0


def left_by_a_loop(x):
    v = A
    for _ in fg.range(x):
        v = B
    B.assign(9.0)
    return v * 1.0


def assigned_in_a_loop(x):
    v = A if x > 2 else B
    total = 0.0
    for _ in fg.range(3):
        total += v * 1.0
        A.assign_add(1.0)
    return total


def assigned_in_a_branch(x):
    v = A if x > 2 else B
    if x > 3:
        A.assign(1.0)
    return v * 1.0


def assigned_by_a_traced_function(x):
    @fg.function
    def change():
        A.assign(1.0)

    v = A if x > 2 else B
    change()
    return v * 1.0


def chosen_in_a_branch(x):
    v = A
    if x > 0:
        v = A if x > 2 else B
    A.assign(1.0)
    return v * 1.0


def chosen_and_assigned_in_a_branch(x):
    r = 0.0
    if x > 0:
        v = A if x > 2 else B
        A.assign(1.0)
        r = v * 1.0
    return r


def chosen_or_computed(x):
    v = A
    if x > 2:
        v = A * 2.0
    A.assign(9.0)
    return v * 1.0


@pytest.mark.parametrize(
    "function",
    [
        chosen_by_if,
        chosen_by_expression,
        chosen_by_a_function,
        chosen_in_a_dict,
        left_by_a_loop,
        assigned_in_a_loop,
        assigned_in_a_branch,
        assigned_by_a_traced_function,
        chosen_in_a_branch,
        chosen_and_assigned_in_a_branch,
        chosen_or_computed,
    ],
)
def test_values_that_variables_no_longer_have_are_refused(function):
    with pytest.raises(fg.errors.StagingError, match="one of several variables") as info:
        fg.function(function)(fg.constant(5))
    assert function.__code__.co_filename in str(info.value)
