"""fg.cond, fg.case, fg.switch_case and fg.while_loop called directly, eagerly and in a graph."""

import collections

import ferrograph as fg
import pytest

Pair = collections.namedtuple("Pair", ["left", "right"])


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def both(f, *args):
    """The result of ``f`` run eagerly, which must be that of ``f`` staged."""
    tensors = [fg.constant(a) for a in args]
    result = plain(f(*tensors))
    assert plain(fg.function(f)(*tensors)) == result
    return result


def absolute(x):
    if x < 0:
        return -x
    return x


def test_cond():
    def f(x):
        return fg.cond(x > 0, lambda: {"a": x, "b": (x, [1])}, lambda: {"a": -x, "b": (0, [x])})

    assert both(f, 3) == {"a": 3, "b": [3, [1]]}
    assert both(f, -3) == {"a": 3, "b": [0, [-3]]}
    assert both(lambda x: fg.cond(x > 0, lambda: absolute(x), lambda: absolute(x) + 1), -3) == 4
    with pytest.raises(TypeError):
        fg.cond(fg.constant(True), 1, 2)
    with pytest.raises(TypeError, match="true_fn"):
        fg.function(lambda x: fg.cond(x, lambda: 1, lambda: 0.5))(fg.constant(True))


def test_case():
    def f(x):
        return fg.case([(x > 10, lambda: 2), (x > 0, lambda: 1)], default=lambda: absolute(x))

    assert [both(f, v) for v in (11, 5, -4)] == [2, 1, 4]

    def partial(x):
        return fg.case([(x > 10, lambda: 2), (x < 0, lambda: 1)])

    assert [both(partial, v) for v in (11, -1)] == [2, 1]

    def exclusive(x):
        return fg.case([(x > 10, lambda: 2), (x > 0, lambda: 1)], lambda: 0, exclusive=True)

    assert both(exclusive, 5) == 1
    for f, value in ((partial, 5), (exclusive, 50)):
        with pytest.raises(fg.errors.InvalidArgumentError):
            fg.function(f)(fg.constant(value))
        with pytest.raises(fg.errors.InvalidArgumentError):
            f(fg.constant(value))
    with pytest.raises(ValueError):
        fg.case([])
    with pytest.raises(TypeError):
        fg.case([(fg.constant(True), 5)])


def test_switch_case():
    def f(i):
        return fg.switch_case(i, [lambda: 10, lambda: 11], default=lambda: -1)

    assert [both(f, v) for v in (0, 1, 2, -1)] == [10, 11, -1, -1]

    def by_number(i):
        return fg.switch_case(i, {1: lambda: 101, 0: lambda: 100})

    assert [both(by_number, v) for v in (0, 1, 7)] == [100, 101, 101]
    with pytest.raises(ValueError, match="none for 1"):
        fg.switch_case(fg.constant(0), {0: lambda: 100, 5: lambda: 105})
    with pytest.raises(ValueError):
        fg.switch_case(fg.constant(0), [(1, lambda: 1), (1, lambda: 2)])
    with pytest.raises(TypeError):
        fg.switch_case(fg.constant(0), {"a": lambda: 1})


def test_while_loop():
    def f(n):
        def body(i, state):
            pair = state["pair"]
            return i + 1, {"pair": Pair(pair.right, pair.left + pair.right), "log": [i]}

        start = (fg.constant(0), {"pair": Pair(fg.constant(0), fg.constant(1)), "log": [0]})
        return fg.while_loop(lambda i, s: i < n, body, start)

    assert both(f, 6) == [6, {"pair": [8, 13], "log": [5]}]
    assert both(f, 0) == [0, {"pair": [0, 1], "log": [0]}]


def test_while_loop_limits_and_shapes():
    def limited(n, limit):
        return fg.while_loop(lambda i: i < n, lambda i: i + 1, [0], maximum_iterations=limit)

    assert both(limited, 10, 4) == [4]
    assert both(limited, 2, 4) == [2]

    def growing(n):
        return fg.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, fg.concat([x, x], 0)),
            (0, fg.ones([1])),
            shape_invariants=(fg.TensorShape([]), fg.TensorShape([None])),
        )

    assert both(growing, 2) == [2, [1.0] * 4]


def test_while_loop_refusals():
    def run(body, start):
        return fg.function(lambda n: fg.while_loop(lambda i, x: i < n, body, start))(fg.constant(3))

    with pytest.raises(ValueError, match="shape"):
        run(lambda i, x: (i + 1, fg.concat([x, x], 0)), (0, fg.ones([1])))
    with pytest.raises(TypeError, match="dtype"):
        run(lambda i, x: (i + 1, fg.cast(x, fg.float32)), (0, fg.constant(1)))
    with pytest.raises(TypeError):
        run(lambda i, x: (i + 1, [x, x]), (0, [fg.constant(1)]))
    with pytest.raises(ValueError):
        run(lambda i, x: i + 1, (0, fg.constant(1)))
    with pytest.raises(ValueError):
        fg.while_loop(lambda: True, lambda: None, [])
    with pytest.raises(TypeError):
        fg.while_loop(1, 2, [0])


def test_lambdas_of_constants_on_one_line_are_told_apart():
    made = [lambda: 10, lambda: "ten", lambda: "other", lambda: (1, "a"), lambda: (1, "b")]
    found = [fg.nest.map_structure(lambda t: t.numpy(), fg.function(f)()) for f in made]
    assert found == [10, b"ten", b"other", (1, b"a"), (1, b"b")]
