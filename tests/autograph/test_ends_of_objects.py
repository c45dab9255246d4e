"""What a statement makes ends with it, as eagerly, which a ``__del__`` and a ``finally`` see."""

# ruff: noqa: F841, B007, SIM105, SIM108 - as users write

import ferrograph as fg
import pytest

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


FUNCTIONS = [
    methods_of_new_objects,
    new_objects_that_are_called,
    comprehensions_over_new_objects,
    comprehensions_that_raise,
    generators_of_comprehensions_that_raise,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_objects_end_in_the_same_order(function):
    logs = []
    for made in (function, fg.function(function)):
        LOG.clear()
        made(fg.constant(2.0))
        logs.append(list(LOG))
    assert logs[0] == logs[1]
    assert "after" in logs[0]
