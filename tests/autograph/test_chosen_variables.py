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


def list_of_them_read_before(x):
    items = []
    for _ in fg.range(x):
        items.append(A)
    r = items[0] * 1.0 + fg.reduce_sum(fg.stack(items))
    A.assign(7.0)
    return r


def ordered_and_read_before(x):
    first, second = sorted([B, A], key=lambda v: v * fg.cast(x, fg.float32))
    r = first - second
    A.assign(7.0)
    return r


def loop_of_unknown_length_that_begins_with_one(x):
    v = A
    for _ in fg.range(x):
        v = v * 2.0
    A.assign(7.0)
    return v * 1.0


def condition_that_begins_with_one(x):
    v, n = A, x
    while n > 0:
        v, n = v * 2.0, n - 1
    A.assign(7.0)
    return v * 1.0


def grown_in_a_branch(x):
    items = [A]
    if x > 2:
        items.append(B)
    B.assign(9.0)
    return items[-1] * 1.0


def exchanged_and_read_before(x):
    v, w = A, B
    for _ in fg.range(x):
        v, w = w, v
    r = v - w
    A.assign(7.0)
    return r


def loop_that_assigns_what_it_begins_with(x):
    v = A
    for _ in fg.range(x):
        v = v * 2.0
        A.assign(v)
    return v + A


def nested_loops_that_begin_with_one(x):
    v, total = A, 0.0
    for _ in fg.range(x):
        for _ in fg.range(x):
            v = v + 1.0
            total += v
        B.assign_add(1.0)
    return total + v + B


@pytest.mark.parametrize(
    "function",
    [
        exchanged_and_read_before,
        loop_that_assigns_what_it_begins_with,
        nested_loops_that_begin_with_one,
        grown_in_a_branch,
        list_of_them_read_before,
        ordered_and_read_before,
        loop_of_unknown_length_that_begins_with_one,
        condition_that_begins_with_one,
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


def grown_in_a_loop(x):
    items = []
    for _ in fg.range(x):
        items.append(A)
    A.assign(9.0)
    return items[0] * 1.0


def grown_and_stacked(x):
    items = [B]
    for _ in fg.range(x):
        items.append(A)
    A.assign(9.0)
    return fg.stack(items)


def assigned_while_a_list_grows(x):
    items = []
    for _ in fg.range(x):
        items.append(A)
        A.assign_add(1.0)
    return fg.add_n([items[0], items[1]])


def put_in_order(x):
    items = sorted([B, A], key=lambda v: v * fg.cast(x, fg.float32))
    A.assign(9.0)
    return items[0] * 1.0


def taken_by_an_index(x):
    items, total = [A, B], 0.0
    for i in fg.range(x - 3):
        v = items[i]
        B.assign(9.0)
        total += v
    return total


def given_by_an_iterator(x):
    given = iter([A, B])
    if x > 2:
        next(given)
    v = next(given)
    B.assign(9.0)
    return v * 1.0


def set_by_an_index(x):
    items = [A, B]
    items[x % 2] = fg.constant(1.0)
    A.assign(9.0)
    return items[0] * 1.0


def least_by_a_key(x):
    v = min([A, B], key=lambda v: v * fg.cast(x, fg.float32))
    A.assign(9.0)
    return v * 1.0


def exchanged_in_a_loop(x):
    v, w = A, B
    for _ in fg.range(x):
        v, w = w, v
    A.assign(9.0)
    return w * 1.0


def exchanged_and_assigned_in_a_loop(x):
    v, w, total = A, B, 0.0
    for _ in fg.range(x):
        v, w = w, v
        A.assign_add(1.0)
        total += v
    return total


def exchanged_in_a_dict(x):
    held = {"v": A, "w": B}
    for _ in fg.range(x):
        held["v"], held["w"] = held["w"], held["v"]
    A.assign(9.0)
    return held["w"] * 1.0


def assigned_before_an_iteration_reads_it(x):
    v, total = A, 0.0
    for _ in fg.range(x):
        A.assign_add(1.0)
        total += v
        v = v * 2.0
    return total


@pytest.mark.parametrize(
    "function",
    [
        exchanged_in_a_loop,
        exchanged_and_assigned_in_a_loop,
        exchanged_in_a_dict,
        assigned_before_an_iteration_reads_it,
        grown_in_a_loop,
        grown_and_stacked,
        assigned_while_a_list_grows,
        put_in_order,
        taken_by_an_index,
        given_by_an_iterator,
        set_by_an_index,
        least_by_a_key,
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


@pytest.mark.parametrize(
    "function",
    [loop_of_unknown_length_that_begins_with_one, condition_that_begins_with_one],
)
def test_a_loop_without_an_iteration_leaves_the_variable_itself(function):
    A.assign(2.0)
    with pytest.raises(fg.errors.InvalidArgumentError, match="which had no iteration"):
        fg.function(function)(fg.constant(0))


def test_elements_of_datasets_may_make_no_iteration():
    def last(dataset):
        v = A
        for x in dataset:
            v = v + x
        A.assign(9.0)
        return v * 1.0

    traced = fg.function(last)
    for values in ([1.0, 2.0], [3.0]):
        A.assign(2.0)
        assert float(traced(fg.data.Dataset.from_tensor_slices(values))) == 2.0 + sum(values)
    A.assign(2.0)
    nothing = fg.data.Dataset.from_tensor_slices([1.0]).take(0)
    with pytest.raises(fg.errors.InvalidArgumentError, match="which had no iteration"):
        traced(nothing)
