"""Loops that change what a place holds and then put something else there."""

import ferrograph as fg
import pytest


class Box:
    def __init__(self, o):
        self.o = o


def rows_in_an_attribute(n):
    b = Box([[1, 2], [3, 4]])
    for _ in fg.range(n):
        b.o[0] = [v + 1 for v in b.o[0]]
        b.o = [[v + 1 for v in row] for row in b.o]
    return b.o


def rows_swapped_in_a_branch(n):
    b = Box([[1, 2], [3, 4]])
    for _ in fg.range(n):
        if n != 2:
            b.o[0], b.o[1] = b.o[1], b.o[0]
            b.o = [[v + 1 for v in row] for row in b.o]
    return b.o


def a_dict_in_an_attribute(n):
    b = Box({"a": [1, 2]})
    for _ in fg.range(n):
        b.o["a"] = [v + 1 for v in b.o["a"]]
        b.o = {k: [v + 1 for v in row] for k, row in b.o.items()}
    return list(b.o.values())


def rows_in_an_item(n):
    d = {"o": [[1, 2], [3, 4]]}
    for _ in fg.range(n):
        d["o"][0] = [v + 1 for v in d["o"][0]]
        d["o"] = [[v + 1 for v in row] for row in d["o"]]
    return d["o"]


def items_of_rows(n):
    b = Box([[1, 2], [3, 4]])
    for _ in fg.range(n):
        b.o[0][0] = b.o[0][0] + 1
        b.o[0] = [v + 1 for v in b.o[0]]
        b.o = [[v + 1 for v in row] for row in b.o]
    return b.o


def under_another_name(n):
    b = [[1, 2], [3, 4]]
    q = Box(b)
    for _ in fg.range(n):
        q.o[0] = [v + 1 for v in q.o[0]]
        q.o = [[v + 1 for v in row] for row in q.o]
    return q.o


def in_a_while_loop(n):
    b, i = Box([[1, 2], [3, 4]]), fg.constant(0)
    while i < n:
        b.o[0] = [v + 1 for v in b.o[0]]
        b.o = [[v + 1 for v in row] for row in b.o]
        i += 1
    return b.o


def changed_before_and_after(n):
    b = Box([[1, 2], [3, 4]])
    for _ in fg.range(n):
        b.o[0], b.o[1] = b.o[1], b.o[0]
        b.o = [[v + 1 for v in row] for row in b.o]
        b.o[0][1] += 5
    return b.o


def in_a_nested_loop(n):
    b = Box([[1, 2], [3, 4]])
    for i in fg.range(n):
        for _ in fg.range(i):
            b.o[1] = [v * 2 for v in b.o[1]]
            b.o = [b.o[1], b.o[0]]
    return b.o


def the_old_one_is_read_on(n):
    b = Box([[1, 2], [3, 4]])
    q = b.o
    for _ in fg.range(n):
        b.o[0] = [v + 1 for v in b.o[0]]
        b.o = [[v + 1 for v in row] for row in b.o]
    return b.o + q


STAGED = [
    rows_in_an_attribute,
    rows_swapped_in_a_branch,
    a_dict_in_an_attribute,
    rows_in_an_item,
    items_of_rows,
    under_another_name,
    in_a_while_loop,
    changed_before_and_after,
    in_a_nested_loop,
]


def numbers(rows):
    return [[int(v) for v in row] for row in rows]


@pytest.mark.parametrize("program", STAGED, ids=lambda p: p.__name__)
@pytest.mark.parametrize("n", range(4))
def test_each_iteration_begins_where_the_last_one_ended(program, n):
    n = fg.constant(n)
    assert numbers(fg.function(program)(n)) == numbers(program(n))


def test_an_object_that_is_read_on_is_not_changed_apart_from_the_new_one():
    with pytest.raises(fg.errors.StagingError, match=r"b\.o"):
        fg.function(the_old_one_is_read_on)(fg.constant(2))
