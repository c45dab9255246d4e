"""Closures, globals, calls, recursion, generators and iterators."""

from .kit import Family

CLOSURES = """
total = 3

def counter(start):
    count = start
    def step(n=1):
        nonlocal count
        if n > 2:
            count = (count + n) % 43
        else:
            count = count + 1
        return count
    return step

def stored(key, value):
    globals()[key] = value

def bump(n):
    global total
    total = (total + n) % 43

def keeping(n, kept=[0]):
    kept[0] = kept[0] + n
    return kept[0]

def remembered(f):
    calls = {'n': 0}
    @functools.wraps(f)
    def inner(*args):
        calls['n'] += 1
        return f(*args)
    inner.calls = calls
    return inner

@remembered
def double(v):
    if v > 3:
        return v * 2
    return v
"""

RECURSION = """
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)

def depth(tree):
    return 1 + max(depth(t) for t in tree) if isinstance(tree, list) and tree else 0

def total(tree):
    if isinstance(tree, list):
        return sum(total(t) for t in tree)
    return tree

def even(n):
    return True if n == 0 else odd(n - 1)

def odd(n):
    return False if n == 0 else even(n - 1)

def filled(items, n):
    if n > 0:
        items.append(n)
        filled(items, n - 1)
"""

GENERATORS = """
def counting(n):
    for j in range(n):
        yield j

def running(start):
    total = start
    while True:
        got = yield total
        total = total + (1 if got is None else got)

def choosing(items, limit):
    for v in items:
        if v > limit:
            yield v
        else:
            yield limit

def chained(*parts):
    for part in parts:
        yield from part
"""

ITERATORS = """
class Steps:
    def __init__(self, n):
        self.n, self.at = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.n:
            raise StopIteration
        self.at += 1
        return self.at

class Fresh:
    def __init__(self):
        self.opened = 0

    def __iter__(self):
        self.opened += 1
        return iter((1, 2, 3))
"""

FAMILIES = (
    Family(
        "closures and cells",
        "counter(2)",
        (
            "{o}({t})",
            "r = r + {o}()",
            "{o}({n})",
            "{o} = counter({t})",
            "r = r + double({t})",
            "keep = lambda v, d={t}: v + d\nr = r + keep({n})",
            "def local():\n    return r + {n}\nr = r + local()",
        ),
        ("{o}(1)", "double.calls['n']"),
        module=CLOSURES,
        shared=True,
    ),
    Family(
        "globals",
        "[0]",
        (
            "bump({t})",
            "stored('total', {n})",
            "globals()['total'] = {n}",
            "r = r + keeping({n})",
            "{o}[0] = total",
            "globals().update(total={t})",
        ),
        ("total", "{o}[0]"),
        module=CLOSURES,
        shared=True,
    ),
    Family(
        "calls that change",
        "{'a': 1, 'l': [1, 2]}",
        (
            "dict.update({o}, a={t})",
            "{o}['l'].__setitem__(0, {t})",
            "operator.methodcaller('append', {n})({o}['l'])",
            "functools.partial({o}.__setitem__, 'a')({t})",
            "put = {o}['l'].append\nput({t})",
            "list(map({o}['l'].append, [{n}]))",
            "functools.reduce(lambda a, v: a.append(v) or a, [{n}], {o}['l'])",
            "operator.iadd({o}['l'], [{n}])",
            "operator.setitem({o}, 'a', {t})",
            "any({o}['l'].append({n}) for _ in (1,))",
            "(lambda d: d.update(a={n}))({o})",
            "{o}.get('l').append({t})",
            "[*map({o}.pop, ['b'], [{n}])]",
            "getattr({o}['l'], 'append')({t})",
            "exec('d[\"a\"] = 4', {'d': {o}})",
            "list.__iadd__({o}['l'], [{n}])",
            "slot = {o}.setdefault\nslot('a', {n})",
        ),
        ("{o}['a']", "{o}['l'][0]", "len({o}['l'])", "sum({o}['l'])"),
    ),
    Family(
        "recursion",
        "[[1, 2], [3, [4]]]",
        (
            "r = r + fact({n})",
            "r = r + total({o})",
            "r = r + depth({o})",
            "r = r + (1 if even({n}) else 2)",
            "{o}.append({t})",
            "filled({o}, {n})",
            "{o}[1][0] = {t}",
            "def walk(n):\n    return 0 if n == 0 else {t} + walk(n - 1)\nr = r + walk({n})",
        ),
        ("total({o})", "depth({o})", "len({o})"),
        module=RECURSION,
    ),
    Family(
        "generators",
        "running(1)",
        (
            "r = r + next({o})",
            "next({o})\nr = r + {o}.send({t})",
            "r = r + sum(counting({n}))",
            "for v in counting({n}):\n    r = r + v",
            "r = r + sum(choosing([1, 2, {t}], {n}))",
            "for v in choosing([1, {t}], 2):\n    r = (r + v) % 29",
            "r = r + sum(chained([1], counting({n})))",
            "local = counting(3)\nr = r + next(local) + next(local)",
            "a, b, *c = counting(4)\nr = r + a + b + len(c)",
        ),
        ("next({o})",),
        module=GENERATORS,
    ),
    Family(
        "iterators",
        "iter([1, 2, 3, 4, 5, 6, 7, 8, 9])",
        (
            "r = r + next({o}, 2)",
            "for v in {o}:\n    r = (r + v) % 29\n    break",
            "r = r + sum(itertools.islice({o}, 2))",
            "first = next({o}, {n})\nr = r + first",
            "r = r + sum(Steps({n}))",
            "own = Steps(3)\nr = r + next(own)",
            "for v, w in zip(Steps(2), {o}):\n    r = r + v * w",
            "pairs = list(zip(itertools.count(), [1, {t}]))\nr = r + pairs[1][1]",
        ),
        ("next({o}, 0)",),
        module=ITERATORS,
    ),
    Family(
        "own iterables",
        "Fresh()",
        (
            "for v in {o}:\n    r = (r + v) % 29",
            "r = r + sum({o})",
            "a, b, c = {o}\nr = r + a + c",
            "r = r + len(list({o}))",
            "r = r + max(v for v in {o})",
            "r = r + (1 if {n} in {o} else 2)",
            "steps = Steps({n})\nr = r + sum(steps) + steps.at",
        ),
        ("{o}.opened",),
        module=ITERATORS,
    ),
)
