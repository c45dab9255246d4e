"""What a branch or a loop can reach and does not touch stays out of it.

The right value is what plain Python gives for the same function called eagerly.
"""

import collections
import gc
import importlib.util
import itertools
import sys
import types

import ferrograph as fg
import numpy as np
import pytest


class Holds:
    def __init__(self, it):
        self.it, self.n = it, 2

    def f(self, x):
        self.n = 2
        return x + 1


def reaching(held):
    one = Holds(held)

    @fg.function
    def f(x):
        if x > 0:
            x = one.f(x)
        for _ in fg.range(2):
            x = one.f(x)
        return fg.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, one.f(v)), [0, x])[1]

    return int(f(fg.constant(1)))


ITERATORS = {
    "range": lambda: iter(range(9)),
    "long range": lambda: iter(range(2**70)),
    "generator": lambda: (i for i in range(9)),
    "generator of ranges": lambda: (j for i in range(3) for j in range(i, 5)),
    "reversed range": lambda: reversed(range(9)),
    "cycle": lambda: itertools.cycle([1, 2]),
    "enumerate": lambda: enumerate(range(9)),
    "zip": lambda: zip(range(9), range(5), strict=False),
    "map": lambda: map(str, range(9)),
    "filter": lambda: filter(None, range(9)),
    "islice": lambda: itertools.islice(range(9), 7),
    "chain": lambda: itertools.chain(range(3), range(3)),
    "product": lambda: itertools.product(range(3), range(2)),
    "accumulate": lambda: itertools.accumulate(range(9)),
    "list": lambda: iter([1, 2, 3]),
    "dict": lambda: iter({1: 2, 3: 4}),
    "count": lambda: itertools.count(0.5),
}


@pytest.mark.parametrize("name", ITERATORS)
@pytest.mark.parametrize("advanced", [0, 1, 2])
def test_an_iterator_in_reach_is_not_said_to_move(name, advanced):
    iterator, like = ITERATORS[name](), ITERATORS[name]()
    for _ in range(advanced):
        assert next(iterator) == next(like)
    assert reaching(iterator) == 6
    assert list(itertools.islice(iterator, 3)) == list(itertools.islice(like, 3))


def test_an_iterator_that_moves_is_refused():
    class Moves(Holds):
        def f(self, x):
            return x + next(self.it)

    one = Moves(iter(range(5)))

    @fg.function(autograph=False)
    def f(x):
        return fg.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, one.f(v)), [0, x])[1]

    with pytest.raises(fg.errors.StagingError, match="the position of 'one.it'"):
        f(fg.constant(1))


class Optional(types.ModuleType):
    """A module that cannot be loaded when it is touched."""

    def __getattr__(self, name):
        raise ImportError(f"{self} is not installed ({name})")


def by_function():
    module = types.ModuleType("optional_by_function")

    def find(name):
        raise ImportError(f"not installed ({name})")

    module.__getattr__ = find
    return module


def by_loader():
    spec = importlib.util.find_spec("this")
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("made", [lambda: Optional("optional"), by_function, by_loader])
def test_a_module_that_loads_late_is_not_asked_to(made):
    module = made()
    kind = type(module)
    assert reaching([module]) == 6
    assert reaching({"a": (module,)}) == 6
    sys.modules["a_module_that_loads_late"] = module
    try:
        assert reaching([module]) == 6
    finally:
        del sys.modules["a_module_that_loads_late"]
    assert type(module) is kind  # one of ``LazyLoader`` that was loaded has another class


def test_functions_of_modules_in_cpp():
    tree = pytest.importorskip("optree", reason="Keras brings optree, a module of pybind11")

    @fg.function
    def f(n):
        s = {"a": fg.zeros(2), "b": (fg.ones(3),)}
        for _ in fg.range(n):
            s = tree.tree_map(lambda x: x + 1.0, s)
        if n > 1:
            s = tree.tree_map(lambda x: x * 2.0, s)
        leaves, structure = tree.tree_flatten(s)
        i = fg.constant(0)
        while i < 2:
            leaves = tree.tree_leaves(tree.tree_map(lambda x: x - 1.0, s))
            i += 1
        s = tree.tree_unflatten(structure, leaves)
        return s["a"], s["b"][0]

    found = [v.numpy().tolist() for v in f(fg.constant(2))]
    assert found == [[3.0, 3.0], [5.0, 5.0, 5.0]]


def test_which_object_a_value_within_a_loop_is():
    def choose(p, a, b):
        if a is b:
            return a
        return fg.where(p, a, b)

    @fg.function
    def f(x):
        y = x
        for _ in fg.range(2):
            y = choose(x > 0, y + 1.0, y)
        return y

    assert [float(f(fg.constant(v))) for v in (1.0, -1.0)] == [3.0, -1.0]

    @fg.function
    def g(x):
        y, n = x, 0
        for _ in fg.range(3):
            z = y * 2.0
            n += 10 if z is y else 1
            y = z
        return n

    assert int(g(fg.constant(1.0))) == 3


def test_which_object_a_loop_leaves_is_refused():
    @fg.function
    def f(x):
        y = x
        for _ in fg.range(3):
            y = y * 2.0
        return 1 if y is x else 2

    with pytest.raises(fg.errors.StagingError, match="which object a value is"):
        f(fg.constant(1.0))


@pytest.mark.parametrize("n", [0, 2])
def test_which_object_it_is_where_no_iteration_may_run(n):
    @fg.function
    def f(x, n):
        y = x
        for _ in fg.range(n):
            y = y + 1.0
        return 1 if y is x else 0

    @fg.function
    def g(x, n):
        y = x
        for _ in fg.range(3):
            if x > n:
                y = y + 1.0
        return 1 if y is x else 0

    @fg.function
    def h(x, n):
        y, found = x, 0
        for _ in fg.range(3):
            found += 1 if y is x else 0
            y = y + 1.0
        return found

    for function in (f, g, h):
        with pytest.raises(fg.errors.StagingError, match="which object a value is"):
            function(fg.constant(1.0), fg.constant(n) if function is f else fg.constant(float(n)))


def deque_in_a_branch(x):
    held = collections.deque([1.0])
    if x > 0:
        held.append(2.0)
    return fg.add_n(list(held))


def array_in_a_branch(x):
    held = np.ones(2)
    if x > 0:
        held[0] = 2.0
    return fg.reduce_sum(held)


@pytest.mark.parametrize("thresholds", [(20, 1, 1), (50, 2, 1), (200, 5, 3), (3000, 10, 10)])
def test_references_are_counted_whenever_the_collector_runs(thresholds):
    before = gc.get_threshold()
    try:
        for first in range(thresholds[0], thresholds[0] + 40):
            gc.set_threshold(first, *thresholds[1:])
            f = fg.function(deque_in_a_branch)
            assert f(fg.constant(1)).numpy() == 3.0 and f(fg.constant(-1)).numpy() == 1.0
    finally:
        gc.set_threshold(*before)


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="the stack of a caller holds arguments, which no object has"
)
@pytest.mark.parametrize("program", [deque_in_a_branch, array_in_a_branch])
def test_references_are_found_without_a_walk_of_the_heap(monkeypatch, program):
    fg.function(program)(fg.constant(1))  # imports what is needed
    asked = []
    monkeypatch.setattr(gc, "get_referrers", lambda *values: asked.append(values) or [])
    gc.disable()
    try:
        assert fg.function(program)(fg.constant(1)).numpy() == 3.0
    finally:
        gc.enable()
    assert not asked
