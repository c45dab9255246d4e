"""Places that hold one object in some iterations of a loop and several in others."""

import ferrograph as fg
import pytest


class Shared:
    """Two attributes, and a place in a tuple, that hold one list."""

    def __init__(self):
        self.a = [1, 2]
        self.b = self.a
        self.held = (self.a,)


def told_apart(x):
    o = Shared()
    for _ in fg.range(x):
        o.b = [x, 2]
        o.a = [v + 1 for v in o.a]
    return o.a[0], o.b[0], o.held[0][0]


def told_apart_later(x):
    o = Shared()
    for _ in fg.range(x):
        o.a = list(o.a)
    o.b = o.a
    for _ in fg.range(x):
        o.b = [x, 2]
        o.a = list(o.a)
    return o.a[0], o.b[0]


def made_one(x):
    a, b = [1, 2], [3, 4]
    for _ in fg.range(x):
        b = [b[0] + 1, x]
        a = b
    return a[0], b[0], a[1]


def names(x):
    a = [1, 2]
    b = a
    for _ in fg.range(x):
        b = [x, 2]
        a = [v * 2 for v in a]
    return a[0], b[0]


def in_a_dict(x):
    a = {"k": [1, 2]}
    b = a
    for _ in fg.range(x):
        b = {"k": [x, 2]}
        a = {"k": [v * 2 for v in a["k"]]}
    return a["k"][0], b["k"][0]


def exchanged(x):
    a, b = [1, 2], [3, 4]
    for _ in fg.range(x):
        a, b = b, a
        a[0] = a[0] + x
    return a[0], b[0]


def seen_by_another(x):
    a, b = [1, 2], [3, 4]
    for _ in fg.range(x):
        b = [a[0], 4]
        a[0] = a[0] + x
    return a[0], b[0]


@pytest.mark.parametrize(
    "function",
    [told_apart, told_apart_later, made_one, names, in_a_dict, exchanged, seen_by_another],
)
def test_what_is_not_changed_in_place_is_told_apart(function):
    traced = fg.function(function)
    for n in (0, 1, 2, 3):
        x = fg.constant(n)
        assert list(map(int, traced(x))) == list(map(int, function(x)))


def replaced_after_a_store(x):
    a = [1, 2]
    b = a
    for _ in fg.range(x):
        b[0] = x
        a = list(a)
    return a[0], b[0]


def attribute_replaced_after_a_store(x):
    o = Shared()
    for _ in fg.range(x):
        o.b[0] = x
        o.a = list(o.a)
    return o.a[0], o.b[0]


def stored_then_made_one(x):
    a, b = [1, 2], [3, 4]
    for _ in fg.range(x):
        a[0] = a[0] + 1
        b[1] = b[1] + a[0]
        a = b
    return a[0], b[0], a[1]


def changed_in_a_loop_inside(x):
    o = Shared()
    for _ in fg.range(x):
        for _ in fg.range(x):
            o.a, o.b = o.b, o.a
            o.a.reverse()
    return o.a[0], o.held[0][0]


@pytest.mark.parametrize(
    "function",
    [
        replaced_after_a_store,
        attribute_replaced_after_a_store,
        stored_then_made_one,
        changed_in_a_loop_inside,
    ],
)
def test_what_is_changed_in_place_is_refused_at_the_loop(function):
    line = function.__code__.co_firstlineno
    with pytest.raises(fg.errors.StagingError, match="in place") as info:
        fg.function(function)(fg.constant(3))
    assert f"{__file__}:{line}" not in str(info.value)
    assert any(f"{__file__}:{line + k}" in str(info.value) for k in range(1, 6))


def asked_which(x):
    a, n = [1], 0
    b = a
    for i in fg.range(x):
        if a is b:
            n = n + 1
        a = [i]
    return n


def asked_by_number(x):
    a, n = [1], 0
    b = a
    for i in fg.range(x):
        n = n + (id(a) == id(b))
        a = [i]
    return n


def asked_for_none(x):
    a, n = [1], 0
    for i in fg.range(x):
        if a is not None:
            n = n + i
        a = [i]
    return n + a[0]


@pytest.mark.parametrize("function", [asked_which, asked_by_number])
def test_which_object_an_iteration_has_is_not_known(function):
    with pytest.raises(fg.errors.StagingError, match="which object a container is") as info:
        fg.function(function)(fg.constant(3))
    assert f"{__file__}:" in str(info.value)


def test_a_container_is_never_none():
    x = fg.constant(3)
    assert int(fg.function(asked_for_none)(x)) == int(asked_for_none(x)) == 5
