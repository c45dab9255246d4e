"""Datasets with what Python runs over: ``zip``, ``list``, and ``max`` and ``min`` by static keys.

The right value is what plain Python gives for the same function called eagerly.
"""

import ferrograph as fg
import pytest


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def both(f, *args):
    wanted = plain(f(*args))
    assert plain(fg.function(f)(*args)) == wanted
    return wanted


NUMBERS = fg.data.Dataset.range(5)


def test_zip_of_a_dataset_with_ranges_and_lists():
    def f():
        total = fg.constant(0, fg.int64)
        for i, x in zip(range(3), NUMBERS, strict=False):
            total += x * (i + 1)
        return total

    assert both(f) == 8

    def g():
        total = fg.constant(0, fg.int64)
        for x, i in zip(NUMBERS, range(10, 100, 10), strict=False):
            total += x * i
        return total

    assert both(g) == 400

    def h():
        total = fg.constant(0, fg.int64)
        for w, x, k in zip([10, 20, 30], NUMBERS, (7, 8, 9, 1), strict=False):
            total += x * w + k
        return total

    assert both(h) == 104

    squares = NUMBERS.map(lambda v: v * v)

    def k():
        total, n = fg.constant(0, fg.int64), 0
        for n, (i, x) in enumerate(zip(range(4), squares, strict=False)):  # noqa: B007
            if x > 3:
                break
            total += x + i
        return total, n

    both(k)

    def rows(x):
        total = fg.constant(0)
        for i, v in zip(range(8), x[x > 1], strict=False):
            total += v * i
        return total

    assert both(rows, fg.constant([1, 2, 3, 4])) == 11


def test_zip_asks_for_no_element_behind_the_end_of_a_range():
    asked = []

    def element(v):
        asked.append(int(v))
        return v

    numbers = NUMBERS.map(lambda v: fg.py_function(element, [v], fg.int64))

    @fg.function
    def f():
        total = fg.constant(0, fg.int64)
        for _, x in zip(range(2), numbers, strict=False):
            total += fg.ensure_shape(x, [])
        return total

    assert int(f()) == 1
    assert asked == [0, 1]


def test_an_iterator_before_a_range_is_refused():
    it = iter(NUMBERS)

    @fg.function
    def f():
        total = fg.constant(0, fg.int64)
        for x, _ in zip(it, range(2), strict=False):
            total += x
        return total

    with pytest.raises(fg.errors.OperatorNotAllowedInGraphError, match="whose length is not known"):
        f()


def test_list_of_a_dataset():
    def two():
        a, b = list(NUMBERS.take(2))
        return a + b * 10

    assert both(two) == 10

    def grown():
        found = list(NUMBERS.filter(lambda v: v > 2))
        return fg.stack(found), len(found), found[0]

    assert plain(fg.function(grown)()) == [[3, 4], 2, 3]

    def of_a_tensor(n):
        found = list(NUMBERS.take(n))
        return found[-1], len(found)

    assert plain(fg.function(of_a_tensor)(fg.constant(3, fg.int64))) == [2, 3]

    def pairs():
        found = list(fg.data.Dataset.zip((NUMBERS, NUMBERS.skip(1))).take(2))
        return sum(a * b for a, b in found), len(found)

    assert both(pairs) == [2, 2]

    def of_tuple():
        return sum(tuple(NUMBERS.skip(2).batch(2).unbatch().take(3)))

    both(two)
    with pytest.raises(TypeError, match="known only when the graph runs"):
        fg.function(of_tuple)()

    def inside(x):
        total = x
        if x > 0:
            for v in list(NUMBERS.take(3)):
                total += v
        return total

    for start in (1, -1):
        both(inside, fg.constant(start, fg.int64))


def test_extremes_by_a_static_key():
    def f(a, b):
        return max([a, b], key=lambda t: t.shape[0])

    def g(a, b):
        return min(a, b, key=lambda t: len(t.shape))

    def h(a, b):
        return max({"p": a, "q": b}.items(), key=lambda pair: pair[1].shape[0])[1]

    def k(a, b):
        return min([a, b], key=fg.rank_of if hasattr(fg, "rank_of") else lambda t: -t.shape.rank)

    def by_values(a, b):
        return max([a, b], key=lambda t: fg.reduce_sum(t))

    a, b = fg.constant([1.0, 2.0]), fg.constant([7.0])
    assert both(f, a, b) == [1.0, 2.0]
    assert both(h, a, b) == [1.0, 2.0]
    assert both(g, fg.constant([[1.0]]), b) == [7.0]
    assert both(k, fg.constant([[1.0]]), b) == [[1.0]]
    assert both(by_values, fg.constant([1.0]), b) == [7.0]


def test_a_truth_as_an_index():
    """Python takes True for 1; an eager tensor of a truth is taken so, too."""

    def f(b):
        return ["no", "yes"][b]

    for truth in (True, False):
        assert f(fg.constant(truth)) == f(truth)
        found = fg.py_function(f, [fg.constant(truth)], fg.string)
        assert found.numpy().decode() == f(truth)
        traced = fg.function(lambda b: fg.py_function(f, [b], fg.string))
        assert traced(fg.constant(truth)).numpy().decode() == f(truth)
        chosen = fg.function(lambda b: [10, 20][b])
        assert int(chosen(fg.constant(truth))) == [10, 20][truth]
    with pytest.raises(TypeError, match="integer"):
        f(fg.constant(1.0))
