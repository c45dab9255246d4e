"""Views of dicts show what their dict holds now: the graph does not choose among them."""

import ferrograph as fg
import pytest


class Kept:
    def __init__(self):
        self.items = {"a": 1, "b": 2}
        self.view = self.items.values()


def a_name(x):
    items = {"a": 1, "b": 2}
    view = items.values()
    if x != 1:
        view = items.values()
        items["a"] = 6
    return sum(view)


def an_attribute(x):
    kept = Kept()
    if x != 1:
        kept.view = kept.items.values()
    kept.items["a"] = 6
    return sum(kept.view)


def in_a_tuple(x):
    items = {"a": 1, "b": 2}
    pair = items.values(), 1
    if x != 1:
        pair = items.values(), 2
    items["a"] = 6
    return sum(pair[0]) + pair[1]


def an_expression(x):
    items = {"a": 1, "b": 2}
    pairs = items.items()
    pairs = items.items() if x != 1 else pairs
    items["a"] = 6
    return sum(v for _, v in pairs)


def in_a_loop(x):
    items = {"a": 1, "b": 2}
    view = items.values()
    while x > 0:
        view = items.values()
        x -= 1
    items["a"] = 6
    return sum(view)


@pytest.mark.parametrize("function", [a_name, an_attribute, in_a_tuple, an_expression, in_a_loop])
def test_other_views_in_branches_and_loops_are_refused(function):
    with pytest.raises(TypeError, match=r"views of dicts|changes its structure") as info:
        fg.function(function)(fg.constant(2))
    assert f"{__file__}:" in str(info.value)


def test_a_view_that_stays_shows_what_branches_change():
    def f(x):
        items = {"a": 1, "b": 2}
        view = items.values()
        if x != 1:
            items["a"] = 6
        return sum(view)

    for x in (1, 2):
        assert int(fg.function(f)(fg.constant(x))) == f(x)


def test_copies_of_views_are_chosen():
    def f(x):
        items = {"a": 1, "b": 2}
        values = list(items.values())
        if x != 1:
            items["a"] = 6
            values = list(items.values())
        return sum(values)

    for x in (1, 2):
        assert int(fg.function(f)(fg.constant(x))) == f(x)
