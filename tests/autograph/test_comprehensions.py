"""List comprehensions over tensors and ranges, with filters that tensors decide, as eagerly."""

# ruff: noqa: B023, B905, C400, C416, C419, C417, C401, C414 - the comprehensions are what is under test

import ferrograph as fg
import pytest

LENGTHS = [4, 1, 0]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def filtered(n, row):
    kept = [v for v in row if v > 1.0]
    return len(kept), sum(kept)


def filtered_python_values(n, row):
    kept = [v * n for v in (1, 2, 3) if v < n]
    total = 0
    for v in kept:
        total = total + v
    return len(kept), total, kept[-1] if len(kept) > 0 else n


def over_a_range(n, row):
    squares = [i * i for i in fg.range(n)]
    return len(squares), sum(squares), fg.stack([v + 1 for v in squares])


def over_an_unknown_length(n, row):
    part = [v + 1.0 for v in row[:n]]
    return fg.stack(part), len(part)


def over_pairs(n, row):
    pairs = [i * 10 + fg.cast(v, fg.int32) for i, v in enumerate(row[:n]) if v < 3.0]
    zipped = [a + b for a, b in zip(fg.range(n), fg.range(1, n + 1))]
    return len(pairs), sum(pairs), sum(zipped)


def two_filters(n, row):
    kept = [v for v in (1, 2, 3, 4) if v != n if v % 2 == 0]
    return len(kept), sum(kept)


def two_generators(n, row):
    kept = [a * b for a in (1, 2, n) if a > 1 for b in range(3) if a + b > n]
    return len(kept), sum(kept)


def plain_and_staged_tests(n, row):
    tests = [True, n > 1, False, n > 3, 1, None]
    kept = [i for i in range(6) if tests[i]]
    return len(kept), sum(kept)


def a_plain_test_before_a_staged_one(n, row):
    kept = [v for v in range(6) if v % 2 if v < n]
    turned = [v for v in range(6) if v < n if v % 2]
    return len(kept), sum(kept), len(turned), sum(turned)


def filters_that_speak(n, row):
    told = []

    def is_small(v):
        told.append(v)
        return v < n

    kept = [v for v in (1, 2, 3) if is_small(v)]
    return len(kept), len(told), sum(told)


def names_stay(n, row):
    v, items = 5, [1, 2, 3]
    items = [items for items in items if items > 1]
    made = [lambda: v for v in range(3) if v]
    return v, items, [f() for f in made], n


def while_it_changes(n, row):
    items = [1, 2, 3]
    [items.append(9) for v in items if len(items) < 6]
    return len(items), [v for v in (k for k in (1, 2)) if v > 1], n


def in_a_loop(n, row):
    total = 0
    for i in fg.range(n):
        kept = [v for v in (1, 2, 3) if v > i]
        total = total + len(kept)
    return total


def in_a_branch(n, row):
    total = 0
    if n > 2:
        kept = [v for v in (n, 2, 3) if v > 2]
        total = sum(kept) * len(kept)
    return total


def elements_only_where_kept(n, row):
    kept = [6 // v for v in (n, 2, 0) if v != 0]
    return len(kept), sum(kept)


def consumed(n, row):
    low = sum(v for v in (1, 2, 3) if v < n)
    return low, max(v for v in (0, 2, n) if v >= 0), sum([v for v in fg.range(n)])


def with_names_around(n, row):
    shift, v = 2, 7
    add = [v + shift for v in fg.range(n) if v != shift]
    calls = [(lambda k: k + shift)(v) for v in (1, 2) if v < n]
    return sum(add), sum(calls), v


def nested(n, row):
    return [sum([i * j for j in fg.range(n)]) for i in range(3)]


FUNCTIONS = [
    filtered,
    filtered_python_values,
    over_a_range,
    over_an_unknown_length,
    over_pairs,
    two_filters,
    plain_and_staged_tests,
    a_plain_test_before_a_staged_one,
    filters_that_speak,
    names_stay,
    while_it_changes,
    two_generators,
    in_a_loop,
    in_a_branch,
    elements_only_where_kept,
    consumed,
    with_names_around,
    nested,
]


# An empty list has no stack eagerly.
STACKS = (over_a_range, over_an_unknown_length)
CASES = [(f, n) for f in FUNCTIONS for n in LENGTHS if n or f not in STACKS]


@pytest.mark.parametrize(("function", "length"), CASES)
def test_tensors_may_decide(function, length):
    row = fg.constant([0.5, 2.0, 3.5, 1.5])
    traced = fg.function(
        function, input_signature=[fg.TensorSpec([], fg.int32), fg.TensorSpec([4], fg.float32)]
    )
    args = fg.constant(length), row
    assert plain(traced(*args)) == plain(function(*args))


def test_python_decides_where_it_can():
    calls = []

    def seen(v):
        calls.append(v)
        return v

    @fg.function
    def f(x):
        made = [seen(v) for v in range(4) if seen(v) % 2]
        assert type(made) is list
        return x + sum(made)

    assert int(f(fg.constant(0))) == 4
    assert calls == [0, 1, 1, 2, 3, 3]


def test_gradients_go_through_a_filter():
    @fg.function
    def f(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = sum([v * v for v in fg.unstack(x, num=3) if v > 1.0])
        return tape.gradient(y, x)

    assert f(fg.constant([1.0, 2.0, 3.0])).numpy().tolist() == [0.0, 4.0, 6.0]


def test_an_error_names_the_line():
    @fg.function
    def f(x):
        return [v.nothing for v in fg.range(x) if v > 1]  # here

    with pytest.raises(AttributeError, match="nothing") as info:
        f(fg.constant(3))
    assert info.traceback[-1].lineno + 1 == f.python_function.__code__.co_firstlineno + 2


@pytest.mark.parametrize("kind", ["set", "dict", "generator"])
def test_other_comprehensions_with_a_tensor_filter_are_refused(kind):
    def by_set(x):
        return len({v for v in (1, 2) if v > x})

    def by_dict(x):
        return len({v: v for v in (1, 2) if v > x})

    def by_generator(x):
        return any(v for v in (1, 2) if v > x)

    function = {"set": by_set, "dict": by_dict, "generator": by_generator}[kind]
    with pytest.raises(fg.errors.StagingError, match="comprehension"):
        fg.function(function)(fg.constant(1))
