"""What the functions given to ``cond``, ``while_loop``, ``map_fn`` and folds do to objects."""

# ruff: noqa: B023 - as users write

import ferrograph as fg
import numpy as np
import pytest


class Box:
    n = 0


EQUAL, UNREAD, REFUSED = [], [], []


def into(programs):
    def note(function):
        programs.append(function)
        return function

    return note


@into(EQUAL)
def item_in_one_function_of_cond(x):
    d = {"n": 0}

    def yes():
        d["n"] += 1
        return x

    return fg.cond(x > 0, yes, lambda: x), d["n"]


@into(EQUAL)
def name_in_both_functions_of_cond(x):
    n = 0

    def yes():
        nonlocal n
        n = n + 1
        return x

    def no():
        nonlocal n
        n = n + 10
        return x

    return fg.cond(x > 0, yes, no), n


@into(EQUAL)
def attribute_in_the_functions_of_case(x):
    o = Box()

    def one():
        o.n = 1
        return x

    def two():
        o.n = 2
        return x

    return fg.case([(x > 0, one), (x > -5, two)], default=lambda: x), o.n


@into(EQUAL)
def item_in_switch_case(x):
    d = {"n": 0}

    def one():
        d["n"] += 1
        return x

    def two():
        d["n"] += 10
        return x

    return fg.switch_case(x - 2, [one, two]), d["n"]


@into(EQUAL)
def item_in_while_loop(x):
    d = {"n": 0}

    def body(i):
        d["n"] += 1
        return [i + 1]

    return fg.while_loop(lambda i: i < 3, body, [x * 0]), d["n"]


@into(EQUAL)
def item_in_a_bounded_while_loop(x):
    d = {"n": 0.5}

    def body(i):
        d["n"] *= 2.0
        return [i + 1]

    return fg.while_loop(lambda i: i < 9, body, [x * 0], maximum_iterations=3), d["n"]


@into(EQUAL)
def attribute_in_while_loop(x):
    o = Box()

    def body(i, total):
        o.n = o.n + i
        return i + 1, total + o.n

    return fg.while_loop(lambda i, total: i < 3, body, (x * 0, x)), o.n


@into(EQUAL)
def name_in_while_loop(x):
    n = 0

    def body(i):
        nonlocal n
        n = n + 1
        return [i + 1]

    return fg.while_loop(lambda i: i < 3, body, [x * 0]), n


@into(EQUAL)
def tensor_in_a_list_in_while_loop(x):
    items = [x]

    def body(i):
        items[0] = items[0] + i
        return [i + 1]

    return fg.while_loop(lambda i: i < 3, body, [x * 0]), items[0]


@into(EQUAL)
def two_loops_one_after_another(x):
    d = {"n": x}

    def body(i):
        d["n"] += i
        return [i + 1]

    fg.while_loop(lambda i: i < 3, body, [x * 0])
    fg.while_loop(lambda i: i < 3, body, [x * 0])
    return d["n"]


@into(EQUAL)
def a_loop_in_a_loop(x):
    d = {"n": 0}

    def inner(j):
        d["n"] += 1
        return [j + 1]

    def body(i):
        fg.while_loop(lambda j: j < 2, inner, [x * 0])
        return [i + 1]

    fg.while_loop(lambda i: i < 3, body, [x * 0])
    return d["n"]


@into(EQUAL)
def item_in_map_fn(x):
    d = {"n": 0}

    def row(v):
        d["n"] += 1
        return v * d["n"]

    return fg.map_fn(row, fg.range(3) + x), d["n"]


@into(EQUAL)
def last_row_in_map_fn(x):
    items = [x]

    def row(v):
        items[0] = items[0] + v
        return items[0]

    return fg.map_fn(row, fg.range(3) + x), items[0]


@into(EQUAL)
def item_in_folds(x):
    d = {"n": 0}

    def step(total, v):
        d["n"] += 1
        return total + v

    return (
        fg.foldl(step, fg.range(3) + x),
        fg.foldr(step, fg.range(3) + x),
        fg.scan(step, fg.range(3) + x),
        d["n"],
    )


@into(UNREAD)
def list_that_grows_in_cond(x):
    items = []

    def yes():
        items.append("made")
        return x

    return fg.cond(x > 0, yes, lambda: x + 1)


@into(UNREAD)
def key_set_in_cond(x):
    kept = {}

    def yes():
        if "w" not in kept:
            kept["w"] = x + 1
        return kept["w"]

    return fg.cond(x > 0, yes, lambda: x + 1)


@into(UNREAD)
def list_that_grows_in_while_loop(x):
    items = []

    def body(i):
        items.append("made")
        return [i + 1]

    return fg.while_loop(lambda i: i < 3, body, [x * 0])


@into(UNREAD)
def array_written_in_map_fn(x):
    seen = np.zeros(3)

    def row(v):
        seen[0] += 1
        return v

    return fg.map_fn(row, fg.range(3) + x)


@into(UNREAD)
def key_set_in_map_fn(x):
    kept = {}

    def row(v):
        if "w" not in kept:
            kept["w"] = 2
        return v * kept["w"]

    return fg.map_fn(row, fg.range(3) + x)


@into(REFUSED)
def array_written_in_while_loop_and_read(x):
    seen = np.zeros(3)

    def body(i):
        seen[0] += 1
        return [i + 1]

    fg.while_loop(lambda i: i < 3, body, [x * 0])
    return seen[0]


@into(EQUAL)
def array_written_in_cond_and_read(x):
    seen = np.zeros(3)

    def yes():
        seen[0] += 1
        return x

    fg.cond(x > 0, yes, lambda: x)
    return seen[0]


@into(REFUSED)
def counted_in_the_condition_and_read(x):
    d = {"n": 0}

    def going(i):
        d["n"] += 1
        return i < 3

    fg.while_loop(going, lambda i: [i + 1], [x * 0])
    return d["n"]


@into(REFUSED)
def key_set_in_while_loop_and_read(x):
    kept = {}

    def body(i):
        kept["w"] = 2
        return [i + kept["w"]]

    fg.while_loop(lambda i: i < 3, body, [x * 0])
    return kept["w"]


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return np.asarray(value).tolist()


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("x", [3, -2])
@pytest.mark.parametrize("function", EQUAL + UNREAD, ids=lambda f: f.__name__)
def test_the_graph_gives_what_runs_eagerly(function, x, autograph):
    expected = plain(function(fg.constant(x)))
    traced = fg.function(function, autograph=autograph)
    assert plain(traced(fg.constant(x))) == expected


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_the_graph_cannot_carry_is_refused_where_it_is_read(function, autograph):
    with pytest.raises(fg.errors.StagingError):
        fg.function(function, autograph=autograph)(fg.constant(3))


def test_objects_seen_from_outside_are_stale_until_the_trace_ends():
    log = []

    def body(i):
        log.append("traced")
        return [i + 1]

    def looped(x):
        return fg.while_loop(lambda i: i < 3, body, [x])

    def read(x):
        looped(x)
        return len(log)

    assert int(fg.function(looped)(fg.constant(0))[0]) == 3
    assert set(log) == {"traced"}
    with pytest.raises(fg.errors.StagingError, match="'log' is read here"):
        fg.function(read)(fg.constant(0))


def test_lists_that_grow_in_a_loop_are_followed_in_converted_code_alone():
    def grown(x):
        items = []

        def body(i):
            items.append(i)
            return [i + 1]

        fg.while_loop(lambda i: i < 3, body, [x])
        return len(items)

    assert int(fg.function(grown)(fg.constant(0))) == 3
    with pytest.raises(fg.errors.StagingError, match="not converted"):
        fg.function(grown, autograph=False)(fg.constant(0))


def test_variables_may_be_made_in_a_function_of_a_loop():
    class Layer:
        w = None

        def __call__(self, v):
            if self.w is None:
                self.w = fg.Variable(2)
                self.built = True
            return v * self.w

    layer = Layer()

    @fg.function
    def mapped(x):
        return fg.map_fn(layer, x), layer(x)

    first, second = mapped(fg.constant([1, 2]))
    assert first.numpy().tolist() == second.numpy().tolist() == [2, 4]
