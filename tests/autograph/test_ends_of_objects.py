"""What a statement makes ends with it, as eagerly, which a ``__del__`` and a ``finally`` see."""

# ruff: noqa: F841, B007, SIM105, SIM108 - as users write

import itertools
import sys
import weakref

import ferrograph as fg
import pytest
from ferrograph._src.context.locals import keeps_arguments

LOG = []


class Seen:
    def __init__(self, n):
        self.n = n

    def doubled(self, v):
        return v * 2.0 if v > 0.0 else v

    def __call__(self, v):
        return v + 1.0

    def __del__(self):
        LOG.append(self.n)


def watched():
    try:
        yield 1
        yield 2
    finally:
        LOG.append("closed")


def methods_of_new_objects(x):
    for _ in range(2):
        y = Seen(1).doubled(x)
        LOG.append("after")


def new_objects_that_are_called(x):
    y = Seen(1)(x)
    LOG.append("after")


def comprehensions_over_new_objects(x):
    found = [o.n for o in [Seen(1), Seen(2)]]
    LOG.append("after")


def comprehensions_that_raise(x):
    try:
        found = [1 // o.n for o in [Seen(1), Seen(0)]]
    except ZeroDivisionError:
        pass
    LOG.append("after")


def generators_of_comprehensions_that_raise(x):
    for is_filtered in (False, True):
        try:
            if is_filtered:
                found = [1 // 0 for v in watched() if v]
            else:
                found = [1 // 0 for v in watched()]
        except ZeroDivisionError:
            pass
        LOG.append("after")


def seen(count):
    return [Seen(n) for n in range(1, count + 1)]


def told(value):
    LOG.append(("told", value))
    return value


class Owner:
    @property
    def parts(self):
        return seen(3)


class Plain:
    def __init__(self, n):
        self.n = n

    def larger(self, v):
        return v if v > self.n else self.n

    def __call__(self, v):
        return v + self.n


class Holder:
    def __init__(self):
        self.part = Seen(9)

    def larger(self, v):
        return v if v > 1 else 1

    def __call__(self, v):
        return v


def objects_that_loops_ask_again(x):
    one = Seen(1)
    for i in range(3):
        y = one.doubled(x + i)
        one.last = i
    LOG.append("before")
    del one
    LOG.append("after")
    one = Seen(2)
    f = one.doubled
    for i in range(3):
        y = one(i)
        y = f(x)
    del one, f
    LOG.append("after")
    one = Holder()
    for i in range(3):
        y = one.larger(i) + one(i)
    del one
    LOG.append("after")


def objects_that_are_referred_to_weakly(x):
    for kind in (Plain, Plain):
        one = kind(1)
        told_of = weakref.ref(one, lambda _: LOG.append("gone"))
        for i in range(3):
            y = one.larger(i) + one(i)
        del one
        LOG.append("after")


def objects_made_in_each_iteration(x):
    for i in range(3):
        one = Seen(i)
        LOG.append("made")
        y = one.doubled(x) + one(x)
        LOG.append("used")
    LOG.append("after")


def loops_that_are_left(x):
    for o in seen(3):
        if o.n == 2:
            break
    LOG.append("left")
    o = None
    LOG.append("after")


def comprehensions_with_filters(x):
    found = [told(o.n) for o in seen(3) if o.n > 1]
    LOG.append("after")
    found = [told(o.n) for o in (Seen(4), Seen(5), Seen(6)) if o.n > 4]
    LOG.append("after")
    found = [told(o.n) for i, o in enumerate(seen(3)) if i]
    LOG.append("after")
    found = [told(o.n) for o in Owner().parts if o.n > 1]
    LOG.append("after")


def comprehensions_with_two_loops(x):
    found = [told(o.n + k) for o in seen(3) if o.n > 1 for k in (1, 2)]
    LOG.append("after")


def comprehensions_over_what_a_call_gives(x):
    found = [told(o.n) for o in seen(3)]
    LOG.append("after")
    found = [told(o.n) for o in Owner().parts]
    LOG.append("after")


def comprehensions_over_what_a_name_holds(x):
    parts = seen(3)
    found = [told(o.n) for o in parts]
    found = [told(o.n) for o in parts if o.n > 1]
    del parts
    LOG.append("after")


def filters_that_raise(x):
    for wrong in (1, 2, 3):
        try:
            found = [Seen(10 + 1 // (o.n - wrong)) for o in seen(3) if o.n > 0]
        except ZeroDivisionError:
            LOG.append("caught")
        try:
            found = [1 // (o.n - wrong) for o in seen(3)]
        except ZeroDivisionError:
            LOG.append("caught")
        LOG.append("after")


def consumed_generators(x):
    y = sum(o.n for o in seen(3) if o.n > 1)
    LOG.append("after")
    y = {o.n for o in seen(3) if o.n > 1}
    LOG.append("after")
    y = {o.n: told(o.n) for o in seen(3) if o.n > 1}
    LOG.append("after")


def loops_over_what_a_call_gives(x):
    for o in seen(3):
        told(o.n)
    LOG.append("after")


FUNCTIONS = [
    objects_that_loops_ask_again,
    objects_that_are_referred_to_weakly,
    objects_made_in_each_iteration,
    loops_that_are_left,
    comprehensions_with_filters,
    comprehensions_with_two_loops,
    comprehensions_over_what_a_call_gives,
    comprehensions_over_what_a_name_holds,
    filters_that_raise,
    consumed_generators,
    loops_over_what_a_call_gives,
    methods_of_new_objects,
    new_objects_that_are_called,
    comprehensions_over_new_objects,
    comprehensions_that_raise,
    generators_of_comprehensions_that_raise,
]


# Whether this Python runs a comprehension in the frame of the function around it.
IS_INLINED = [sys._getframe() for _ in range(1)] == [sys._getframe()]


OF_COMPREHENSIONS = (
    comprehensions_with_filters,
    comprehensions_with_two_loops,
    comprehensions_over_what_a_call_gives,
    consumed_generators,
)


def sorted_between_marks(log):
    """A log without the order of the ends that no mark stands between."""
    groups = itertools.groupby(log, lambda entry: type(entry) is not int)
    return [e for is_mark, entries in groups for e in (entries if is_mark else sorted(entries))]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_objects_end_in_the_same_order(function):
    logs = []
    for made in (function, fg.function(function)):
        LOG.clear()
        made(fg.constant(2.0))
        logs.append(list(LOG))
    is_raising = function is filters_that_raise and IS_INLINED
    if is_raising or (function in OF_COMPREHENSIONS and keeps_arguments()):
        # An error lets go of the iterable before the list there; in a trace the iterable ends last.
        # Where callers keep arguments, what an operator of a trace runs over ends with its call.
        logs = [sorted_between_marks(log) for log in logs]
    assert logs[0] == logs[1]
    assert "after" in logs[0]
