"""Iterators over lists that branches and loops of the graph advance, as eagerly."""

# ruff: noqa: B007, C400 - the loops are what is under test

import itertools

import ferrograph as fg
import pytest


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def in_a_branch(n, x):
    numbers, total = iter([1, 2, 3, 4]), 0
    if x > 0:
        total = total + next(numbers)
    return total + next(numbers), next(numbers, 9)


def in_a_loop(n, x):
    numbers, total = iter((1, 2, 3, 4)), 0
    for i in fg.range(n):
        total = total * 3 + next(numbers)
    return total, next(numbers, 9), next(numbers, -1)


def the_rest_in_a_loop(n, x):
    numbers, total = iter(range(5)), 0
    if x > 0:
        next(numbers)
    for v in numbers:
        total = total * 3 + v
        if total > 9:
            break
    return total, next(numbers, 7)


def left_and_gone_on(n, x):
    numbers, total = iter([1, 2, 3, 4]), 0
    for v in numbers:
        total = total + v
        if total > 2:
            break
    for v in numbers:
        total = total * n + v
    return total


def pairs(n, x):
    rows = iter([(x, 2), (3, n), (5, 6)])
    if x > 0:
        next(rows)
    p, q = next(rows)
    return p * 10 + q


def exhausted(n, x):
    numbers, total = iter([x, x + 1]), 0
    while n > 0:
        n = n - 1
        total = total * 2 + next(numbers, -1)
    return total


def by_the_standard_library(n, x):
    numbers = iter([1, 2, 3, 4, 5])
    total = sum(itertools.islice(numbers, 2)) if x > 0 else next(numbers)
    return total, next(numbers)


def of_an_object(n, x):
    class Reader:
        def __init__(self, items):
            self.items = iter(items)

        def read(self):
            return next(self.items, 0)

    reader = Reader([4, 5, 6])
    total = reader.read()
    if x > 0:
        total = total + reader.read()
    for i in fg.range(n):
        total = total * 2 + reader.read()
    return total


def in_a_comprehension(n, x):
    numbers = iter([1, 2, 3])
    if x > 0:
        next(numbers)
    return sum([v * n for v in numbers])


FUNCTIONS = [
    in_a_branch,
    in_a_loop,
    the_rest_in_a_loop,
    left_and_gone_on,
    pairs,
    exhausted,
    by_the_standard_library,
    of_an_object,
    in_a_comprehension,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("args", [(3, 2), (2, -1), (0, 1)])
def test_the_position_is_what_it_is_eagerly(function, args):
    args = [fg.constant(a) for a in args]
    traced = fg.function(function, input_signature=[fg.TensorSpec([], fg.int32)] * 2)
    assert plain(traced(*args)) == plain(function(*args))


def test_an_iterator_at_its_end_fails_when_the_graph_runs():
    @fg.function
    def f(x):
        numbers = iter([1])
        if x > 0:
            next(numbers)
        return next(numbers)

    assert int(f(fg.constant(-1))) == 1
    with pytest.raises(fg.errors.InvalidArgumentError, match="StopIteration"):
        f(fg.constant(1))


def test_an_iterator_is_live_as_that_of_a_list():
    @fg.function
    def f(x):
        items = [1, 2]
        numbers = iter(items)
        first = next(numbers)
        items.append(5)
        rest = list(numbers)
        items.append(6)
        return x + first * 100 + rest[1] * 10 + len(list(numbers))

    assert int(f(fg.constant(0))) == 150
