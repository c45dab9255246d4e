"""What branches and loops changed is as it was before, once a trace fails."""

import array
import collections
import logging
import sys
import types

import ferrograph as fg
import numpy as np
import pytest


class Box:
    kind = 0

    def __init__(self):
        self.value = 0


class Slotted:
    __slots__ = ("value",)

    def __init__(self):
        self.value = 0


BOX, SLOTTED, TABLE, ROWS = Box(), Slotted(), {"k": 0}, [0]
QUEUE, MEMBERS, ARRAY = collections.deque([0]), {0}, np.zeros(2)
LOG = logging.getLogger("a logger of failed traces")
MODULE = types.ModuleType("a_module_of_failed_traces")
MODULE.value = 0
NAME = 0


def state():
    """All that the functions below set, in plain Python."""
    return repr(
        (vars(BOX), SLOTTED.value, TABLE, ROWS, QUEUE, sorted(MEMBERS), ARRAY.tolist(), NAME)
        + (Box.kind, "added" in vars(Box), LOG.propagate, MODULE.value, sys.dont_write_bytecode)
    )


def fails():
    int("no number")


def sets_attributes(x):
    BOX.value = x
    BOX.added = x
    SLOTTED.value = x


def sets_class(x):
    Box.kind = x
    Box.added = x


def sets_items(x):
    TABLE["k"] = x
    TABLE["new"] = x
    ROWS[0] = x
    ROWS.append(x)
    QUEUE.appendleft(x)
    MEMBERS.add(7)
    ARRAY[0] = 5.0


def sets_modules(x):
    MODULE.value = x
    sys.dont_write_bytecode = True
    LOG.propagate = x > 2


def sets_names(x):
    global NAME
    NAME = x


EFFECTS = [sets_attributes, sets_class, sets_items, sets_modules, sets_names]


def in_a_branch(x, change):
    if x > 1:
        change(x)
        fails()
    return x


def in_the_other_branch(x, change):
    if x > 1:
        change(x)
    else:
        change(-x)
        fails()
    return x


def in_a_for(x, change):
    for i in fg.range(x):
        change(x + i)
        fails()
    return x


def in_a_while(x, change):
    while x < 5:
        x = x + 1
        if x > 3:
            change(x)
            fails()
    return x


def in_cond(x, change):
    def true_fn():
        change(x)
        fails()

    return fg.cond(x > 1, true_fn, lambda: x)


def in_while_loop(x, change):
    def body(i):
        change(x)
        fails()

    return fg.while_loop(lambda i: i < x, body, [0])


def in_a_nest(x, change):
    if x > 1:
        for i in fg.range(x):
            if i > 0:
                change(i)
        fails()
    return x


PLACES = [
    in_a_branch,
    in_the_other_branch,
    in_a_for,
    in_a_while,
    in_cond,
    in_while_loop,
    in_a_nest,
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("change", EFFECTS)
def test_a_region_that_fails_is_undone(place, change):
    before = state()
    with pytest.raises(Exception) as error:  # noqa: PT011 - which depends on what was met first
        fg.function(place)(fg.constant(2), change)
    assert not isinstance(error.value, AssertionError)
    assert state() == before


def branch_then_failure(x, change):
    if x > 1:
        change(x)
    else:
        change(x + 1)
    fails()


def loop_then_failure(x, change):
    for i in fg.range(x):
        ROWS[0] = i
        BOX.value = BOX.value + i
    fails()


@pytest.mark.parametrize("place", [branch_then_failure, loop_then_failure])
@pytest.mark.parametrize("change", EFFECTS)
def test_what_regions_left_is_undone_when_the_trace_fails_later(place, change):
    before = state()
    with pytest.raises(Exception):  # noqa: B017, PT011 - which depends on what was met first
        fg.function(place)(fg.constant(2), change)
    assert state() == before


def test_a_refusal_undoes_both_branches():
    before = state()

    @fg.function
    def refused(x):
        if x > 1:
            sets_attributes(x)
            sets_modules(x)
        else:
            Box.added = 1
        return x

    with pytest.raises(ValueError, match="Box.added|Box' object|added"):
        refused(fg.constant(2))
    assert state() == before


def test_a_trace_within_a_branch_is_undone():
    before = state()

    @fg.function
    def inner(x):
        if x > 1:
            sets_attributes(x)
            sets_items(x)
        else:
            sets_attributes(x)
            sets_items(x)
        fails()

    @fg.function
    def outer(x):
        if x > 1:
            inner(x)
        return x

    with pytest.raises(Exception):  # noqa: B017, PT011
        outer(fg.constant(2))
    assert state() == before


def test_the_function_works_after_the_failure():
    broken = [True]
    box = Box()

    @fg.function
    def f(x):
        if x > 1:
            box.value = x
        else:
            box.value = x + 1
        if broken[0]:
            fails()
        return box.value * 2

    with pytest.raises(ValueError, match="no number"):
        f(fg.constant(2))
    assert box.value == 0
    broken[0] = False
    assert int(f(fg.constant(2))) == 4


def test_plain_python_stays_as_it_left_things():
    """What no branch and no loop of the graph did is Python's own, as without a trace."""
    box = Box()

    @fg.function
    def f(x):
        box.value = 5
        if x > 1:
            box.other = x
            fails()
        return x

    with pytest.raises(ValueError, match="no number"):
        f(fg.constant(2))
    assert vars(box) == {"value": 5}


def test_lists_of_several_lengths_that_a_loop_changes_fail_with_the_reason():
    """What stands for the lengths that a list may have is made of it, and no state to put back."""

    @fg.function
    def f(x, n):
        items = [1, 2, 3, 4]
        if x > 1:
            items.pop()
        while n > 0:
            n = n - 1
            if x > n:
                items.append(x)
            items.reverse()
        fails()

    with pytest.raises(ValueError, match="no number"):
        f(fg.constant(2), fg.constant(3))


def test_arrays_of_several_lengths_that_loops_change_fail_with_the_reason():
    numbers = array.array("i", [1, 2, 3, 4])

    @fg.function
    def f(x, n):
        if x > n:
            numbers.pop()
            numbers.pop()
        if n >= 0:
            while n > 0:
                n = n - 1
                if x > n:
                    numbers.pop()
                else:
                    numbers.extend([2, 2])
        else:
            x = x + sum(memoryview(numbers)[1:])
        while x > 0:
            x = x - 1
            numbers.reverse()
        return x

    with pytest.raises(fg.errors.StagingError):
        f(fg.constant(2), fg.constant(3))
    assert numbers.tolist() == [1, 2, 3, 4]
