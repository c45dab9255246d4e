"""A list that the graph grows, seen by all that looks at lists: as it is in Python, or refused."""

import collections  # noqa: F401 - the programs name these modules
import copy  # noqa: F401
import functools  # noqa: F401
import itertools  # noqa: F401
import linecache
import operator  # noqa: F401
import random  # noqa: F401

import ferrograph as fg
import pytest


def F(value):
    return fg.cast(value, fg.float32)


def third(*values):
    return float(len(values))


class lib:
    @staticmethod
    def stack(values):
        return float(len(values))


def concat(values):
    return F(len(values))


READS = {
    "a, *b = items": "a, *b = items\n    return x + F(len(b))",
    "a, b, c = items": "a, b, c = items\n    return x + a + b",
    "f(*items)": "return x + third(*items)",
    "deque": "return x + F(len(collections.deque(items)))",
    "__len__": "return x + items.__len__()",
    "hint": "return x + operator.length_hint(items)",
    "list.__len__": "return x + list.__len__(items)",
    "[*items]": "return x + F(len([*items]))",
    "(*items,)": "return x + F(len((*items,)))",
    "tuple": "return x + F(len(tuple(items)))",
    "set(range)": "return x + F(len(set([1 for v in items])))",
    "copy": "return x + F(len(copy.copy(items)))",
    "copy2": "return x + F(len(items.copy()))",
    "slice": "return x + F(len(items[:]))",
    "add": "return x + F(len(items + [x]))",
    "mul": "return x + F(len(items * 2))",
    "enumerate": "n = 0.\n    for i, v in enumerate(items):\n        n = n + 1.\n    return x + n",
    "zip": "n = 0.\n    for i, v in zip(items, items):\n        n = n + 1.\n    return x + n",
    "dict": "return x + F(len(dict(a=items)['a']))",
    "str": "return x + float(len(str(items)) > 20)",
    "eq": "return x + float(items == [1,2,3])",
    "chain": "return x + F(len(list(itertools.chain(items, items))))",
    "islice": "return x + F(len(list(itertools.islice(items, 2))))",
    "in": "return x + float(len(items) > 0 and 1.0 in [1.0])",
    "isinst": "return x + F(len([v for v in items]))",
    "sorted": "return x + F(len(sorted([1 for _ in items])))",
    "map": "return x + F(len(list(map(lambda v: v, items))))",
    "format": "return x + float(len(f'{items}') > 20)",
    "choice": "return x + random.choice(items)",
    "unpack nested": "(a, *b), c = (items, 1)\n    return x + F(len(b))",
    "kwargs": "return x + (lambda **k: float(len(k['v'])))(v=items)",
    "lambda": "return x + (lambda v: float(len(v)))(items)",
    "for else": "n = 0.\n    for v in items:\n        n += 1.\n    else:\n"
    "        n += 10.\n    return x + n",
    "bool": "return x + (1.0 if items else 2.0)",
    "index": "return x + items.index(x)",
    "count": "return x + items.count(x)",
    "del": "del items[0]\n    return x + F(len(items))",
    "imul": "items *= 2\n    return x + F(len(items))",
    "iadd": "items += items\n    return x + F(len(items))",
    "dictval": "d = {'a': items}\n    return x + F(len(d['a']))",
    "attr": "d = type('B', (), {})()\n    d.a = items\n    return x + d.a[0]",
    "deque2": "d = collections.deque()\n    d.extend(items)\n    return x + F(len(d))",
    "ext": "d = []\n    d.extend(items)\n    return x + F(len(d))",
    "slice assign": "d = [1]\n    d[:] = items\n    return x + F(len(d))",
    "counter": "return x + F(len(collections.UserList(items)))",
    "partial": "import functools\n    return x + functools.partial(len, items)()",
    "getitem op": "return x + operator.getitem(items, 1)",
    "itemgetter": "return x + operator.itemgetter(1)(items)",
    "methodcaller": "return x + operator.methodcaller('__len__')(items)",
    "truth not": "return x + (1.0 if not items else 2.0)",
    "while pop": "n = 0.\n    while items:\n        items.pop()\n        n += 1.\n    return x + n",
    "match": "match items:\n        case [a, *b]:\n            return x + len(b)\n"
    "        case _:\n            return x",
    "sum": "return x + sum(items)",
    "max": "return x + max(items)",
    "min": "return x + min(*items)",
    "nest": "return x + F(len(fg.nest.flatten(items)))",
    "star2": "return x + third(*items, *items)",
    "dstar": "return x + third(1, *items)",
    "another stack": "return x + lib.stack(items)",
    "another concat": "return x + concat(items)",
}


def build(name, counting):
    """The program that grows a list in a loop over ``counting`` and reads it."""
    head = "def program(x):\n    items = []\n    for i in counting(3):\n        items.append(x)\n"
    text = f"{head}    {READS[name]}\n"
    filename = f"<grown list, {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {**globals(), "counting": counting, "__name__": "grown", "__file__": filename}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"], filename


@pytest.mark.parametrize("name", READS)
def test_reading(name):
    expected = float(build(name, range)[0](fg.constant(1.0)))
    program, filename = build(name, fg.range)
    try:
        found = float(fg.function(program)(fg.constant(1.0)))
    except Exception as e:
        assert filename in str(e), repr(e)
    else:
        assert found == expected


SHARED = [1, 2, 3]


class Held:
    items = SHARED


def stored_in_a_branch(x):
    for i in fg.range(3):
        SHARED.append(i)
        if i > x:
            SHARED[1] = i
    return SHARED[1], len(SHARED)


def stored_in_an_inner_loop(x):
    if x > 0:
        SHARED[0], SHARED[1] = SHARED[1], SHARED[0]
    for i in fg.range(3):
        SHARED.append(i)
        n = fg.constant(0)
        while n < x:
            n = n + 1
            SHARED[1] = i + n
    return SHARED[0], SHARED[1], len(SHARED)


def stored_through_an_attribute(x):
    for i in fg.range(3):
        Held.items.append(i)
        if i > x:
            Held.items[1] = i
    return Held.items[1], len(Held.items)


@pytest.mark.parametrize(
    "function", [stored_in_a_branch, stored_in_an_inner_loop, stored_through_an_attribute]
)
@pytest.mark.parametrize("x", [1, 0, 5])
def test_a_shared_list_that_a_loop_makes_grow_takes_stores_of_inner_ones(function, x):
    SHARED[:] = [1, 2, 3]
    eager = [int(v) for v in function(fg.constant(x))]
    SHARED[:] = [1, 2, 3]
    assert [int(v) for v in fg.function(function)(fg.constant(x))] == eager


def test_what_a_branch_left_stale_is_refused_where_it_is_read_also_after_stores_in_a_loop():
    SHARED[:] = [1, 2, 3]

    @fg.function
    def f(x):
        if x > 0:
            if x > 1:
                SHARED[0], SHARED[1] = SHARED[1], SHARED[0]
            SHARED.extend([x, 3])
        for i in fg.range(3):
            SHARED[1] = i
        return SHARED[1]

    with pytest.raises(fg.errors.StagingError, match="'SHARED' is read here, but"):
        f(fg.constant(1))
