"""Objects under several names: the graph keeps them one, or refuses to make them two."""

# ruff: noqa: F841, RET503, RET504, RET505, SIM108, B007 - as users write

import array
import collections
import dataclasses

import ferrograph as fg
import numpy as np
import pytest


@dataclasses.dataclass
class Point:
    v: int = 0


class Holder:
    def __init__(self, held):
        self.held = held


class Adder:
    def __init__(self):
        self.n = 0

    def __iadd__(self, other):
        self.n += other
        return self


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return np.asarray(value).tolist()


EQUAL, REFUSED = [], []


def equal(function):
    EQUAL.append(function)
    return function


def refused(at):
    """The traced program is refused, at the line with the comment ``# at``."""

    def note(function):
        REFUSED.append((function, at))
        return function

    return note


@equal
def one_list_in_both_branches(x):
    a = [1, 2]
    if x > 0:
        c = a
    else:
        c = a
    c[0] = 9
    return a[0], c[0]


@equal
def two_names_of_one_new_list(x):
    if x > 0:
        c = d = [1, 2]
    else:
        c = d = [3, 4]
    c[0] = 9
    return c[0], d[0], d[1]


@equal
def nested_list_of_both_branches(x):
    a = [1]
    if x > 0:
        c = (a, 1)
    else:
        c = (a, 2)
    c[0][0] = 9
    return a[0], c[0][0], c[1]


@equal
def choice_between_lists_that_nobody_else_reads(x):
    a, b = [1, 2], [3, 4]
    if x > 0:
        c = a
    else:
        c = b
    c[0] = 9
    c.append(7)
    return c[0], c[1], len(c)


@equal
def choice_between_lists_that_nobody_changes(x):
    a, b = [1, 2], [3, 4]
    c = a if x > 0 else b
    return a[0] + c[0], b[1] + c[1]


@equal
def others_are_read_before_the_change(x):
    a, b = [1, 2], [3, 4]
    c = a if x > 0 else b
    total = a[0] + b[0]
    c[0] = 9
    return total, c[0], c[1]


@equal
def swapped_in_a_loop(x):
    a, b = [1, 2], [3, 4]
    for i in fg.range(3):
        a[0] = a[0] + 1
        a, b = b, a
    return a[0], b[0]


@refused("for i in fg.range(3):")
def two_names_through_a_loop(x):
    c = d = [1]
    for i in fg.range(3):
        c[0] = c[0] + 1
        c = d
    return c[0], d[0]


@equal
def attribute_set_in_a_branch(x):
    o = Holder([1])
    if x > 0:
        o.held = [2]
    o.held[0] = o.held[0] + 5
    return o.held[0]


@equal
def array_that_is_a_name_alone(x):
    a = np.zeros(3)
    for i in fg.range(3):
        a += 1.0
    return a


@equal
def array_that_is_rebound(x):
    a = np.zeros(3)
    view = a
    for i in fg.range(3):
        view = view + 1.0
    return a, view


@equal
def number_of_numpy(x):
    a = np.float64(1.0)
    view = a
    for i in fg.range(3):
        view += 1.0
    return a, view


@equal
def list_extended_under_a_second_name(x):
    a = [1]
    view = a
    for i in fg.range(3):
        view += [2]
    return len(a)


@equal
def object_that_adds_in_place(x):
    a = Adder()
    view = a
    for i in fg.range(3):
        view += 2
    if x > 0:
        view += 10
    return a.n


@equal
def item_under_a_second_name(x):
    a = [1, 2]
    view = a
    for i in fg.range(3):
        view[0] += 1
    return a[0]


@refused("c[0] = 100")
def list_of_one_branch_changed(x):
    a, b = [1, 2], [3, 4]
    if x > 0:
        c = a
    else:
        c = b
    c[0] = 100
    return a[0], b[0]


@refused("c.append(7)")
def list_of_one_branch_grows(x):
    a, b = [1, 2], [3, 4]
    if x > 0:
        c = a
    else:
        c = b
    c.append(7)
    return len(a), len(b)


@refused("a[0] = 50")
def what_was_chosen_is_read(x):
    a, b = [1, 2], [3, 4]
    c = a if x > 0 else b
    a[0] = 50
    return c[0]


@refused("c['k'] = 100")
def dict_of_one_branch_changed(x):
    a, b = {"k": 1}, {"k": 3}
    c = a if x > 0 else b
    c['k'] = 100  # fmt: skip
    return a["k"], b["k"]


@refused("c.v = 9")
def dataclass_of_one_branch_changed(x):
    a, b = Point(1), Point(2)
    if x > 0:
        c = a
    else:
        c = b
    c.v = 9
    return a.v, b.v


@refused("c[0][0] = 9")
def list_in_a_tuple_changed(x):
    a, b = [1], [2]
    if x > 0:
        c = (a, 1)
    else:
        c = (b, 2)
    c[0][0] = 9
    return a[0], b[0]


@refused("o.held[0] = 9")
def attribute_bound_to_an_outer_list(x):
    a, b = [1], [2]
    o = Holder(a)
    if x > 0:
        o.held = b
    o.held[0] = 9
    return a[0], b[0]


@refused("c[0] = 9")
def returned_from_branches(x):
    a, b = [1, 2], [3, 4]

    def chosen():
        if x > 0:
            return a
        return b

    c = chosen()
    c[0] = 9
    return a[0], b[0]


@refused("c += [5]")
def extended_by_a_statement(x):
    a, b = [1, 2], [3, 4]
    c = a if x > 0 else b
    c += [5]
    return len(a), len(b)


@refused("for i in fg.range(2):")
def list_bound_in_a_loop(x):
    a, b = [1, 2], [3, 4]
    c = a
    for i in fg.range(2):
        c[0] = 5
        c = b
    return a[0], b[0], c[0]


@refused("c[0] = 9")
def list_bound_in_a_loop_changed_after_it(x):
    a, b = [1, 2], [3, 4]
    c = a
    for i in fg.range(2):
        c = b
    c[0] = 9
    return a[0], b[0]


@refused("if x > 0:")
def changed_by_a_function_of_the_library(x):
    a, b = [2, 1], [4, 3]
    if x > 0:
        c = a
    else:
        c = b
    list.reverse(c)
    return a[0], b[0]


@refused("for i in fg.range(3):")
def array_under_a_second_name(x):
    a = np.zeros(3)
    view = a
    for i in fg.range(3):
        view += 1.0
    return a


@refused("for i in fg.range(3):")
def slice_of_an_array(x):
    a = np.zeros(3)
    view = a[:2]
    for i in fg.range(3):
        view += 1.0
    return a


@refused("for i in fg.range(3):")
def transposed_array_in_a_list(x):
    a = np.zeros((2, 2))
    views = [a.T]
    for i in fg.range(3):
        views[0] *= 2.0
    return a


@refused("for i in fg.range(3):")
def array_in_an_attribute(x):
    o = Holder(np.zeros(3))
    view = o.held
    for i in fg.range(3):
        o.held += 1.0
    return view


@refused("while i < 3:")
def array_read_in_a_closure(x):
    a, i = np.zeros(3), fg.constant(0)
    view = a

    def total():
        return fg.reduce_sum(a)

    while i < 3:
        view += 1.0
        i += 1
    return total()


@refused("for i in fg.range(3):")
def array_read_in_the_loop(x):
    a, total = np.zeros(2), fg.constant(0.0, fg.float64)
    view = a
    for i in fg.range(3):
        view += 1.0
        total += a[0]
    return total


@refused("if x > 0:")
def array_changed_in_a_branch(x):
    a = np.zeros(3)
    view = a
    if x > 0:
        view += 1.0
    return a


@refused("c = a if x > 0 else b")
def array_chosen_and_changed(x):
    a, b = np.zeros(2), np.ones(2)
    c = a if x > 0 else b
    c += 1.0
    return a, b


@refused("a[0] = 5.0")
def array_changed_after_the_choice(x):
    a, b = np.zeros(2), np.ones(2)
    c = a if x > 0 else b
    a[0] = 5.0
    return c


@refused("if x > 0:")
def array_of_the_standard_library(x):
    a = array.array("i", [1])
    view = a
    if x > 0:
        view += array.array("i", [2])
    return len(a)


@refused("if x > 0:")
def bytes_under_a_view(x):
    a = bytearray(b"abc")
    view = memoryview(a)
    if x > 0:
        view[0] = 65
    return a[0]


@equal
def views_of_a_dict(x):
    a = {1: 2}
    items = a.values()
    for i in fg.range(3):
        a[1] += 1
    return sum(items)


@equal
def maps_over_one_dict(x):
    inner = {"k": 1}
    chain = collections.ChainMap(inner)
    if x > 0:
        chain["k"] += 1
    return inner["k"]


@pytest.mark.parametrize("function", EQUAL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [3, -2])
def test_the_graph_gives_what_runs_eagerly(function, x):
    expected = plain(function(fg.constant(x)))
    assert plain(fg.function(function)(fg.constant(x))) == expected


@pytest.mark.parametrize(("function", "at"), REFUSED, ids=lambda f: getattr(f, "__name__", ""))
def test_what_would_differ_is_refused_at_its_line(function, at):
    plain(function(fg.constant(3)))
    with pytest.raises(fg.errors.StagingError) as refusal:
        fg.function(function)(fg.constant(3))
    assert at in str(refusal.value)


class Held:
    """Lists in two attributes, one of them in a tuple as well."""

    def __init__(self):
        self.a, self.b = [1, 2], [1, 2]
        self.t = (self.a, {3})


def held_in_a_tuple(x):
    o = Held()
    if x > 0:
        o.t = (o.b, o.t[1])
        if x > 5:
            o.b = o.a
    o.b[0] = 4
    return o.t[0][0]


def test_what_a_branch_makes_of_one_object_in_two_places_is_one():
    with pytest.raises(fg.errors.StagingError, match="changed in place"):
        fg.function(held_in_a_tuple)(fg.constant(3))
