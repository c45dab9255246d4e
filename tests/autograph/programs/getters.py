"""Stores through what runs code, attributes that classes have as well, containers with constructors
of their own, arrays under several names, and iterations that end in branches."""

from __future__ import annotations

from .kit import Family

_LAZY = """
class Leaf:
    def __init__(self):
        self.v, self.rows = 1, [1, 2, 3]

class Lazy:
    def __init__(self, keys):
        self.asked, self.kids, self.leaf = 0, collections.defaultdict(Leaf), Leaf()
        self.tables = collections.defaultdict(dict)
        for key in keys:
            self.kids[key].v = key

    @property
    def part(self):
        self.asked = (self.asked + 1) % 29
        return self.leaf

    @functools.cached_property
    def made(self):
        self.asked = (self.asked + 3) % 29
        return Leaf()

    def __getitem__(self, key):
        self.asked = (self.asked + 2) % 29
        return self.kids[key]

    def __getattr__(self, name):
        if not name.startswith('late'):
            raise AttributeError(name)
        found = self.__dict__[name] = Leaf()
        return found
"""

_SPOT = """
class Spot:
    n, m = 3, 1

    def grow(self, v):
        self.n = (self.n + v) % 31

    def own(self):
        return 'n' in self.__dict__
"""

_OWN = """
class Row(list):
    def __init__(self, *items):
        super().__init__(items)

    def total(self):
        return sum(self)

class Twice(tuple):
    def __new__(cls, items):
        return super().__new__(cls, [v * 2 for v in items])

class Bag(dict):
    def __init__(self, **items):
        super().__init__(items)
        self['size'] = len(items)

class Keyed(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__

class Point(collections.namedtuple('Point', 'a b')):
    def __new__(cls, a, b=4):
        return super().__new__(cls, a + 1, b)

class Odd(list):
    def __iter__(self):
        return iter([9])
"""

_ARRAYS = """
def added(v, n):
    v += n

def given(v, n):
    v = v + n
    v -= 1
    return v

class Held:
    def __init__(self, v):
        self.v = v
"""

_ENDS = """
class Items:
    def __init__(self, data):
        self.data, self.most = data, 9

    def __getitem__(self, i):
        if i >= self.most:
            raise IndexError(i)
        return self.data[i]

    @property
    def first(self):
        return self.data[0]

    @property
    def late(self):
        if self.most > 5:
            return self.missing
        return 3

    def walk(self):
        for v in self.data:
            if v > self.most:
                return
            yield v

    def __len__(self):
        return self.most - 3

    def __contains__(self, v):
        return self.most - v

class Steps:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n
"""

FAMILIES = (
    Family(
        "stores through getters",
        "Lazy([0, 1, 2])",
        (
            "{o}.tables[{i}]['n'] = {t}",
            "{o}.kids[{i}].v = {t}",
            "{o}.kids[{i}].rows[{i}] = {t}",
            "{o}.part.v = {t}",
            "{o}.part.rows[{i}] += {n}",
            "{o}.made.v += {n}",
            "{o}[{i}].v = {t}",
            "{o}[{i}].rows[0] += {n}",
            "r = (r + {o}.made.v) % 97",
            "r = (r + {o}[{i}].v) % 97",
            "r = (r + len({o}.kids) * 3) % 97",
        ),
        (
            "len({o}.tables)",
            "{o}.asked",
            "{o}.leaf.v",
            "{o}.part.rows[{i}]",
        ),
        _LAZY,
    ),
    Family(
        "attributes that classes have",
        "Spot()",
        (
            "{o}.n = {t}",
            "{o}.n += {n}",
            "{o}.grow({t})",
            "{o}.n = 3",
            "if 'n' in vars({o}):\n    del {o}.n",
            "{o}.__dict__['n'] = {t}",
            "{o}.__dict__.pop('n', None)",
            "vars({o}).update(m={t})",
            "setattr({o}, 'm', {n})",
            "r = (r + len(vars({o}))) % 97",
            "r = (r + {o}.own()) % 97",
        ),
        (
            "{o}.n",
            "{o}.m * 2",
            "copy.copy({o}).n",
            "getattr({o}, 'n', 7)",
            "hasattr({o}, 'n')",
        ),
        _SPOT,
    ),
    Family(
        "containers with constructors",
        "[Row(1, 2), Twice([1, 2]), Bag(a=1), Keyed(a=2), Point(5), Odd([1, 2])]",
        (
            "{o}[0] = Row({t}, {n})",
            "{o}[1] = Twice([{t}, {n}])",
            "{o}[2] = Bag(a={t})",
            "{o}[4] = Point({t})",
            "{o}[4] = Point({t}, {n})",
            "{o}[0][{i} % 2] = {t}",
            "{o}[2]['a'] = {t}",
            "{o}[3].a = {t}",
            "{o}[3]['a'] += {n}",
            "{o}[5][0] = {t}",
            "{o}[0] = Row(*[v + 1 for v in {o}[0]])",
        ),
        (
            "{o}[0].total()",
            "{o}[1][{i} % 2]",
            "{o}[2]['a'] + {o}[2]['size']",
            "{o}[3].a",
            "{o}[4].a * 2 + {o}[4].b",
            "len({o}[{i}])",
            "{o}[5][0] + sum({o}[5])",
        ),
        _OWN,
    ),
    Family(
        "arrays under names in turn",
        "np.array([1, 2, 3])",
        (
            "{o} = {o} + {n}",
            "{o} += {n}",
            "{o}[{i}] = {p}",
            "e = {o}\ne += {n}",
            "e = {o}[1:]\ne *= 2",
            "e = {o} * 2\ne -= {n}\n{o} = e",
            "for v in [{o}]:\n    v += {n}",
            "added({o}, {n})",
            "{o} = given({o}, {n})",
            "kept = [{o}, {o}]\nkept[0] += {n}",
            "held = Held({o})\nheld.v -= {n}",
            "{o} = {o} if {c} else {o} + 1",
            "np.add({o}, {n}, out={o})",
            "{o}.sort()",
            "for v in {o}:\n    r = (r + fg.cast(v, fg.int32)) % 97",
        ),
        (
            "fg.cast({o}[{i}], fg.int32)",
            "fg.cast(fg.reduce_sum({o}), fg.int32) % 41",
            "len({o})",
        ),
        _ARRAYS,
        local=True,
    ),
    Family(
        "iterations that end somewhere",
        "Items([1, 2, 3])",
        (
            "{o}.most = {t}",
            "{o}.most = {n}",
            "{o}.data.append({t})",
            "{o}.data[{i}] = {t}",
            "{o}.data = {o}.data[:2] + [{n}]",
            "{o}.data = [{n}, {t}, 1]",
            "for v in {o}:\n    r = (r + v) % 97",
            "r = (r + sum({o})) % 97",
            "r = (r + len(list({o}.walk()))) % 97",
            "r = (r + next({o}.walk(), 9)) % 97",
            "r = (r + getattr({o}, 'late', 5)) % 97",
            "r = (r + hasattr({o}, 'late')) % 97",
            "r = (r + ({n} in {o})) % 97",
        ),
        (
            "getattr({o}, 'first', 5)",
            "sum(Steps({n}))",
            "(1 if {o} else 2)",
        ),
        _ENDS,
    ),
)
