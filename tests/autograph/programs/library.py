"""What Python's library gives: enumerations, caches, dispatch, abstract classes, views."""

import sys

from .kit import Family

# Groups of exceptions came with Python 3.11, and `except*` is no syntax before.
_GROUPS = (
    "try:\n    raise ExceptionGroup('g', [KeyError(1), ValueError({n})])\n"
    "except* KeyError:\n    r = r + 1\nexcept* ValueError as eg:\n"
    "    r = r + eg.exceptions[0].args[0]",
)
_GROUPS = _GROUPS if sys.version_info >= (3, 11) else ()

_ENUMS = """
import enum

class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 4

    def after(self):
        if self is Colour.RED:
            return Colour.GREEN
        return Colour.BLUE

    @property
    def weight(self):
        return self.value * 2

    @classmethod
    def _missing_(cls, value):
        return cls.BLUE

class Access(enum.IntFlag):
    READ = 1
    WRITE = 2
    RUN = 4

class Order(enum.IntEnum):
    LOW = 1
    HIGH = 5
"""
_CACHED = """
class Cached:
    calls = 0

    def __init__(self):
        self.n, self.made = 2, 0

    @functools.cached_property
    def heavy(self):
        self.made += 1
        return self.n * 3

    @functools.lru_cache(maxsize=4)
    def times(self, k):
        return k * 3 + 1

    @functools.singledispatchmethod
    def add(self, v):
        self.n = (self.n + v) % 31

    @add.register
    def _(self, v: str):
        self.n = (self.n + len(v)) % 31

    @add.register(list)
    def _many(self, v):
        for w in v:
            self.n = (self.n + w) % 31

    def plus(self, a, b=0):
        return self.n + a + b

    more = functools.partialmethod(plus, b=3)

@functools.singledispatch
def sized(v):
    return 1

@sized.register
def _(v: int):
    return v + 1

@sized.register
def _(v: list):
    return len(v) + 2

@functools.total_ordering
class Ranked:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n
"""
_ABSTRACT = """
import abc
import collections.abc

class Store(collections.abc.MutableMapping):
    def __init__(self):
        self.held, self.sets = {'a': 1, 'b': 2}, 0

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        self.sets += 1
        self.held[key] = value

    def __delitem__(self, key):
        del self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)

class Row(collections.abc.Sequence):
    def __init__(self, *items):
        self.items = items

    def __getitem__(self, key):
        return self.items[key]

    def __len__(self):
        return len(self.items)

class Animal(abc.ABC):
    legs = 4

    @abc.abstractmethod
    def walk(self, n): ...

    @property
    def size(self):
        return self.walk(2)

class Dog(Animal):
    def walk(self, n):
        if n > 2:
            return n * self.legs % 31
        return self.legs
"""
_ORDERED = """
class Recent:
    def __init__(self):
        self.held, self.size, self.missed = collections.OrderedDict(a=1, b=2), 3, 0

    def get(self, key, value):
        if key in self.held:
            self.held.move_to_end(key)
            return self.held[key]
        self.missed += 1
        self.held[key] = value
        if len(self.held) > self.size:
            self.held.popitem(last=False)
        return value
"""
_WATCHED = """
class Subject:
    def __init__(self):
        self.watchers, self.value, self.calls = [], 1, 0

    def watch(self, f):
        self.watchers.append(f)
        return lambda: self.watchers.remove(f)

    def set(self, v):
        self.value = v
        for f in self.watchers:
            f(self, v)

    def count(self, held, v):
        self.calls += 1

def doubled(held, v):
    if v > 2:
        held.value = held.value * 2 % 31

ACTS = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'max': max}
"""
_COMPARED = """
from typing import NamedTuple

@dataclasses.dataclass(order=True)
class Pair:
    items: list = dataclasses.field(default_factory=list)
    n: int = 1

@dataclasses.dataclass
class Deep:
    pair: Pair = dataclasses.field(default_factory=Pair)
    table: dict = dataclasses.field(default_factory=dict)

class Named(NamedTuple):
    items: list
    n: int = 2

class Plain:
    def __init__(self, items):
        self.items = items

    def __eq__(self, other):
        return isinstance(other, Plain) and self.items == other.items

    __hash__ = None
"""
_COPIED = """
class Own:
    def __init__(self, n, items):
        self.n, self.items, self.copied = n, items, 0

    def __copy__(self):
        made = Own(self.n, self.items)
        made.copied = self.copied + 1
        return made

    def __deepcopy__(self, memo):
        self.copied += 1
        return Own(self.n, [v for v in self.items])

class Plain:
    def __init__(self):
        self.own, self.rows = Own(1, [1, 2]), [[1], [2]]
"""

FAMILIES = (
    Family(
        "enumerations",
        "[Colour.RED, Access.READ, 1]",
        (
            "{o}[0] = Colour.GREEN",
            "{o}[0] = {o}[0].after()",
            "r = r + {o}[0].value",
            "r = r + {o}[0].weight",
            "{o}[1] = {o}[1] | Access.WRITE",
            "{o}[1] = {o}[1] & ~Access.READ",
            "r = r + (1 if Access.WRITE in {o}[1] else 2)",
            "if {o}[0] is Colour.RED:\n    r = r + {t}\nelse:\n    r = r + 1",
            "if {o}[0] == Colour.GREEN:\n    {o}[2] = {t}",
            "{o}[0] = Colour({n})",
            "{o}[0] = Colour['BLUE'] if {c} else Colour.BLUE",
            "for colour in Colour:\n    r = (r + colour.value * {t}) % 97",
            "{o}[2] = {'RED': 1, 'GREEN': {t}, 'BLUE': 3}[{o}[0].name]",
            "r = r + (Order.LOW if {c} else Order.HIGH)",
            "match {o}[0]:\n    case Colour.RED:\n        {o}[2] = 1\n    case Colour.GREEN:\n"
            "        {o}[2] = {t}\n    case _:\n        r = r + 1",
        ),
        ("{o}[0].value", "int({o}[1])", "{o}[2]", "len({o}[0].name)"),
        module=_ENUMS,
    ),
    Family(
        "caches and dispatch",
        "Cached()",
        (
            "r = r + {o}.heavy",
            "{o}.n = {t}",
            "{o}.__dict__.pop('heavy', None)",
            "r = r + {o}.times({n})",
            "{o}.add({n})",
            "{o}.add({t})",
            "{o}.add('ab')",
            "{o}.add([{n}, {t}])",
            "r = r + {o}.more({t})",
            "r = r + sized({p}) + sized([{t}])",
            "r = r + (1 if Ranked({t}) > Ranked({n}) else 2)",
            "r = r + (1 if Ranked({t}) <= Ranked(x) else 2)",
            "r = r + max([Ranked({t}), Ranked({n})]).n",
            "r = r + sorted([Ranked(3), Ranked({n})])[0].n",
            "r = r + functools.reduce(lambda a, b: a + b if a > b else b, [{t}, {n}, r])",
        ),
        ("{o}.n", "{o}.made", "{o}.heavy"),
        module=_CACHED,
    ),
    Family(
        "abstract classes",
        "Store()",
        (
            "{o}['a'] = {t}",
            "{o}['b'] += {n}",
            "{o}.update(a={t})",
            "r = r + {o}.get('a', 5) + {o}.get('z', {t})",
            "r = r + {o}.setdefault('b', {n})",
            "r = r + {o}.pop('z', {n})",
            "r = r + sum({o}.values())",
            "for key, v in {o}.items():\n    r = (r + v) % 97",
            "r = r + (1 if 'a' in {o} else 2)",
            "r = r + Row({t}, {n}, 2).count(2)",
            "r = r + Row({t}, {n})[-1]",
            "a, b = Row({t}, {n})\nr = r + a - b",
            "r = r + (1 if {n} in Row(1, 2, 3) else 2)",
            "r = r + Row(5, {n}).index({n})",
            "r = r + Dog().walk({t})",
            "r = r + Dog().size",
            "dog = Dog()\ndog.legs = {t}\nr = r + dog.size",
            "for v in reversed(Row({t}, 2)):\n    r = (r * 2 + v) % 97",
        ),
        ("{o}['a']", "{o}['b']", "len({o})", "{o}.sets"),
        module=_ABSTRACT,
    ),
    Family(
        "recently used",
        "Recent()",
        (
            "r = r + {o}.get('a', {t})",
            "r = r + {o}.get('c', {n})",
            "r = r + {o}.get('d', {t})",
            "{o}.held['a'] = {t}",
            "{o}.held.move_to_end('a')",
            "{o}.held.move_to_end('b', last=False)",
            "r = r + next(iter({o}.held.values()))",
            "r = r + list({o}.held.items())[-1][1]",
            "{o}.held['b'] += {n}",
            "r = r + (1 if list({o}.held)[0] == 'a' else 2)",
            "for key in reversed({o}.held):\n    r = (r * 2 + {o}.held[key]) % 97",
        ),
        ("len({o}.held)", "{o}.missed", "sum({o}.held.values())", "len(next(iter({o}.held)))"),
        module=_ORDERED,
    ),
    Family(
        "watchers and tables",
        "Subject()",
        (
            "{o}.watch(doubled)",
            "{o}.watch({o}.count)",
            "{o}.watch(lambda held, v: setattr(held, 'calls', held.calls + 1))",
            "{o}.set({t})",
            "{o}.set({n})",
            "drop = {o}.watch(doubled)\n{o}.set({t})\ndrop()",
            "r = r + ACTS['add'](r, {t})",
            "r = r + ACTS['max']({t}, {n})",
            "r = r + {o: n for o, n in zip('ab', ({t}, {n}))}['a']",
            "{o}.watchers.clear()",
            "r = r + sum(f({t}, {n}) for f in ACTS.values())",
            "for name, f in ACTS.items():\n    if name != 'max':\n        {o}.value = f({t}, 1)",
        ),
        ("{o}.value", "{o}.calls", "len({o}.watchers)"),
        module=_WATCHED,
    ),
    Family(
        "compared containers",
        "Pair()",
        (
            "{o}.items.append({t})",
            "{o}.items.append({n})",
            "{o}.n = {t}",
            "r = r + (1 if {o} == Pair([{n}, 2], 1) else 2)",
            "r = r + (1 if {o} != Pair([1, 2, 3]) else 2)",
            "r = r + (1 if ({o}.items, 1) == ([{n}], 1) else 2)",
            "r = r + (1 if Named({o}.items) == Named([1, 2, 3]) else 2)",
            "r = r + (1 if {'a': {o}.items} == {'a': [{t}]} else 2)",
            "r = r + (1 if Deep({o}) == Deep(Pair([1, {n}])) else 2)",
            "r = r + (1 if Plain({o}.items) == Plain([1, 2]) else 2)",
            "r = r + (1 if {o} in [Pair(), Pair([1])] else 2)",
            "r = r + (1 if [{o}.items] == [[1, 2]] else 2)",
            "r = r + [[1], [2, 3], {o}.items].index({o}.items)",
            "r = r + [[1], [2, {n}]].count({o}.items)",
            "r = r + (1 if ({o}.items, 2) in [([1], 2), ([2, 3], 2)] else 2)",
            "r = r + (1 if {o}.items < [2, 3] else 2)",
            "r = r + (1 if Pair([1]) <= {o} else 2)",
            "{o}.items = [{n}, {t}]",
            "{o} = Pair(list({o}.items), {n})",
        ),
        ("len({o}.items)", "sum({o}.items)", "{o}.n"),
        module=_COMPARED,
    ),
    Family(
        "own ways to copy",
        "Plain()",
        (
            "{o}.own = copy.copy({o}.own)",
            "{o}.own = copy.deepcopy({o}.own)",
            "{o}.own.n = {t}",
            "{o}.own.items[0] = {t}",
            "{o}.rows[{i} % 2][0] = {t}",
            "{o} = copy.copy({o})",
            "{o}.rows = {o}.rows.copy()",
            "{o}.rows = [list(row) for row in {o}.rows]",
            "other = copy.copy({o}.own)\nother.n = {t}\nother.items[1] = {n}",
            "other = copy.copy({o})\nother.rows[0][0] += {n}",
        ),
        ("{o}.own.n", "{o}.own.items[0]", "{o}.own.items[1]", "{o}.rows[0][0]", "{o}.own.copied"),
        module=_COPIED,
    ),
    Family(
        "streams of itertools",
        "[1, 2, 3, 4]",
        (
            "a, b = itertools.tee({o})\nr = r + sum(a) - next(b)",
            "r = r + sum(k * len(list(g)) for k, g in itertools.groupby([1, 1, {n}, {n}]))",
            "r = r + sum(itertools.islice({o}, 1, 3))",
            "{o} = list(itertools.accumulate({o}, lambda a, b: (a + b) % 31))",
            "{o} = list(itertools.accumulate({o}, lambda a, b: a if a > b else b))",
            "r = r + sum(itertools.compress({o}, [1, 0, 1, 0]))",
            "r = r + sum(itertools.starmap(lambda a, b: a * b, zip({o}, {o}[1:]))) % 31",
            "r = r + sum(a * b for a, b in itertools.pairwise({o})) % 31",
            "r = r + sum(itertools.repeat({t}, {n})) % 31",
            "r = r + sum(v for v in itertools.takewhile(lambda v: v < {t}, [1, 2, 3]))",
            "r = r + sum(v for v in itertools.dropwhile(lambda v: v < {n}, [1, 2, 3, {t}]))",
            "r = r + sum(1 for _ in itertools.filterfalse(lambda v: v > {n}, {o}))",
            "{o}[{i}] = {t}",
            "{o}.append({t})",
            "r = r + sum(a for a, in itertools.combinations({o}[:3], 1))",
            "it = itertools.chain.from_iterable([{o}, [{t}]])\nr = r + next(it) + sum(it)",
            "r = r + len(list(itertools.permutations({o}[:3])))",
            "r = r + len(list(itertools.chain({o}, {o})))",
            "r = r + sum(map(len, [{o}, [1]]))",
            "r = r + len(max([{o}, [1]], key=len))",
        ),
        ("{o}[{i}]", "len({o})", "sum({o})"),
    ),
    Family(
        "arrays and views of memory",
        "array.array('i', [1, 2, 3, 4])",
        (
            "{o}[{i}] = {p}",
            "{o}[-1] += {n}",
            "memoryview({o})[1] = {n}",
            "{o}.append({n})",
            "{o}.extend([{n}, 2])",
            "{o}.pop()",
            "{o}.reverse()",
            "{o}[1:3] = array.array('i', [{n}, 9])",
            "r = r + sum(memoryview({o})[1:])",
            "r = r + {o}.count({n})",
            "{o} = array.array('i', [v + {n} for v in {o}])",
            "view = memoryview({o})\nview[0] = view[-1]",
            "data = bytearray({o}.tobytes())\ndata[0] = {n}\nr = r + data[0]",
            "{o}.byteswap()\n{o}.byteswap()",
        ),
        ("{o}[0]", "{o}[-1]", "len({o})", "sum({o})"),
    ),
    Family(
        "numbers of all kinds",
        "{'big': 3_000_000_000, 'part': 1.5, 'n': 7}",
        (
            "{o}['big'] = ({o}['big'] * 5 + {n}) % 9_000_000_011",
            "r = r + {o}['big'] % 31",
            "{o}['n'] = {t}",
            "{o}['n'] = {o}['n'] ** 2 % 31",
            "r = r + {o}['n'] // {n}",
            "r = r + divmod({o}['n'], {n})[1]",
            "{o}['part'] = {o}['part'] * 2 if {o}['part'] < 9 else 0.5",
            "{o}['part'] = {o}['part'] + {n}",
            "{o}['part'] += 0.25",
            "r = r + int({o}['part'])",
            "r = r + round({o}['part'])",
            "r = r + (1 if {o}['part'] > {n} else 2)",
            "r = r + (-{o}['n']) % 5 - (-7 // {n})",
            "r = r + min({t}, {n}, r) + max({t}, 2)",
            "r = r + abs({t} - 5)",
            "r = r + ({n} << 2) + (k >> 1) + (k ^ {n})",
            "{o}['big'] += 2**33",
            "r = r + (k + True) * {n}",
            "r = r + int('{n}') + int(2.7)",
            "r = r + (3 if {o}['n'] == 7.0 else 4)",
        ),
        ("{o}['big'] % 97", "{o}['part']", "{o}['n']"),
    ),
    Family(
        "places that tensors say",
        "[4, 5, 6, 7]",
        (
            "r = r + {o}[{t} % 4]",
            "r = r + {o}[-({t} % 4) - 1]",
            "{o}[{t} % 4] = {n}",
            "{o}[-1 - {t} % 4] = {t}",
            "{o}[{t} % 4] += {n}",
            "{o}[-1], {o}[{t} % 4] = {o}[{t} % 4], {n}",
            "v = fg.stack({o})\nr = r + v[{t} % 4]",
            "v = fg.stack({o})\nr = r + fg.reduce_sum(v[: {t} % 4])",
            "v = fg.stack({o})\nr = r + fg.reduce_sum(v[{t} % 4 :])",
            "v = fg.stack({o})\n{o} = [v[-1], v[0], v[{t} % 4], v[1]]",
            "r = r + (5, 6, 7)[{t} % 3]",
            "r = r + [{t}, {n}, r][{t} % 3]",
            "{o}[{n} % 4 - 4] = {t}",
            "{o}.insert({n} % 3, {t})\n{o}.pop()",
            "r = r + {o}.pop({t} % 3)\n{o}.append({n})",
            "r = r + range(3, 9)[{n}]",
            "for v in {o}[-2:]:\n    r = (r + v) % 97",
            "for v in {o}[:1:-1]:\n    r = (r * 2 + v) % 97",
        ),
        ("{o}[0]", "{o}[-1]", "{o}[1]", "len({o})"),
    ),
    Family(
        "errors within errors",
        "[1, 0]",
        (
            "try:\n    try:\n        raise KeyError({n})\n    except KeyError as e:\n"
            "        raise ValueError(2) from e\nexcept ValueError as e:\n"
            "    r = r + e.__cause__.args[0]",
            "try:\n    {o}[{n} + 9]\nexcept (IndexError, KeyError):\n    {o}[1] = {t}\n"
            "else:\n    r = r + 1\nfinally:\n    {o}[0] = {o}[0] + 1",
            *_GROUPS,
            "e = ValueError({t})\nr = r + e.args[0]",
            "try:\n    if {c}:\n        raise LookupError\n    {o}[1] = {t}\n"
            "except LookupError:\n    pass\nfinally:\n    {o}[0] = {n}",
            "found = None\ntry:\n    {}[{n}]\nexcept KeyError as e:\n    found = e\n"
            "r = r + found.args[0]",
            "try:\n    [].pop()\nexcept IndexError:\n    {o}[1] += {n}",
            "def deep(n):\n    if n == 0:\n        raise KeyError('deep')\n    deep(n - 1)\n"
            "try:\n    deep({n})\nexcept KeyError as e:\n    {o}[1] = len(e.args[0])",
            "{o}[0] = {t}",
        ),
        ("{o}[0]", "{o}[1]"),
    ),
)
