"""What programs write with the language and its library: dataclasses, deques, heaps, texts."""

from .kit import Family

_DATACLASS = """
@dataclasses.dataclass
class Point:
    a: int = 1
    b: int = 2
    seen: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.total = self.a + self.b

    def moved(self, by):
        return dataclasses.replace(self, a=(self.a + by) % 23)

    @functools.cached_property
    def far(self):
        return self.a * 2 + self.b
"""
_DESCRIPTOR = """
class Bounded:
    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name, 3)

    def __set__(self, instance, value):
        setattr(instance, self.name, value % 17)

class Held:
    a = Bounded()
    b = Bounded()
"""
_MISSING = """
class Filled(dict):
    def __missing__(self, key):
        self[key] = len(key)
        return self[key]
"""
_CONTEXT = """
class Level:
    def __init__(self):
        self.depth, self.log = 0, [1, 2]

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind, error, trace):
        self.depth -= 1
        self.log[0] = self.log[0] + 1
        return kind is KeyError

@contextlib.contextmanager
def doubled(level):
    level.log[1] = level.log[1] * 2 % 19
    yield level
    level.log[1] = level.log[1] + 1
"""
_ERROR = """
class Failure(Exception):
    count = 0

    def __init__(self, code):
        super().__init__(code)
        self.code = code
        Failure.count += 1

def checked(held, value):
    if value > 3:
        raise Failure(value)
    held[0] = held[0] + value
"""
_SHAPES = """
class Circle:
    __match_args__ = ('r',)
    def __init__(self, r):
        self.r = r

class Square:
    __match_args__ = ('side', 'kind')
    def __init__(self, side, kind=1):
        self.side, self.kind = side, kind

def area(shape):
    match shape:
        case Circle(r):
            return r * 3
        case Square(side, kind=2):
            return side
        case Square(side):
            return side * 2
        case [first, *rest]:
            return first + len(rest)
        case {'a': value}:
            return value
    return 0
"""
_COUNTERS = """
def counter(start):
    n = start

    def up(by=1):
        nonlocal n
        n = (n + by) % 29
        return n

    def now():
        return n

    up.now = now
    return up
"""
_NESTED = """
def inner(items, by):
    for v in items:
        yield v + by

def outer(items, by):
    yield by
    yield from inner(items, by)
    for v in inner(inner(items, 1), by):
        yield v
"""

FAMILIES = (
    Family(
        "dataclasses with post-init",
        "Point()",
        (
            "{o}.a = {t}",
            "{o}.a += {n}",
            "{o} = {o}.moved({n})",
            "{o} = {o}.moved({t})",
            "{o}.seen.append({n})",
            "{o} = Point({o}.b, {p})",
            "{o}.total = {o}.total + {t}",
            "{o} = dataclasses.replace({o}, b={t})",
            "r = r + {o}.far",
            "r = r + dataclasses.astuple({o})[0]",
            "r = r + (1 if {o} == Point() else 2)",
        ),
        ("{o}.a", "{o}.b", "{o}.total", "len({o}.seen)"),
        module=_DATACLASS,
    ),
    Family(
        "descriptors with names",
        "Held()",
        (
            "{o}.a = {t}",
            "{o}.a += {n}",
            "{o}.b = {o}.a + {n}",
            "setattr({o}, 'b', {t})",
            "{o}.a, {o}.b = {o}.b, {o}.a",
            "vars({o})['_a'] = {n}",
        ),
        ("{o}.a", "{o}.b"),
        module=_DESCRIPTOR,
    ),
    Family(
        "missing keys",
        "Filled(a=1, bb=5)",
        (
            "{o}['a'] = {t}",
            "r = r + {o}['bb']",
            "{o}['a'] += {n}",
            "r = r + {o}['ccc']",
            "{o}.pop('bb', 0)",
            "r = r + {o}.get('dddd', 2)",
        ),
        ("{o}['a']", "{o}['bb']"),
        module=_MISSING,
    ),
    Family(
        "contexts with state",
        "Level()",
        (
            "with {o} as l:\n    l.log[0] = {t}",
            "with {o}:\n    r = r + {o}.depth",
            "with doubled({o}):\n    r = r + {o}.log[1]",
            "with doubled({o}), {o}:\n    {o}.log[{i} % 2] += {n}",
            "with {o}:\n    if {c}:\n        {o}.log[1] = {n}",
            "with {o}:\n    {o}.log[0] = {n}\n    raise KeyError",
            "with contextlib.suppress(KeyError):\n    r = r + {o}.log[0]\n    raise KeyError",
        ),
        ("{o}.depth", "{o}.log[0]", "{o}.log[1]"),
        module=_CONTEXT,
    ),
    Family(
        "exceptions with state",
        "[1]",
        (
            "try:\n    checked({o}, {n})\nexcept Failure as e:\n    r = r + e.code",
            "try:\n    checked({o}, {p})\nexcept Failure as e:\n    {o}[0] = e.code\n"
            "else:\n    r = r + 1",
            "try:\n    {o}[9] = 1\nexcept IndexError:\n    {o}[0] = {o}[0] + {n}",
            "try:\n    r = r + {'a': 1}['b']\nexcept KeyError as e:\n    r = r + len(e.args)\n"
            "finally:\n    {o}[0] += 1",
            "{o}[0] = {t}",
        ),
        ("{o}[0]", "Failure.count"),
        module=_ERROR,
        shared=True,
    ),
    Family(
        "shapes that match",
        "[Circle(2), Square(3), Square(4, 2), [5, 6], {'a': 7}]",
        (
            "r = r + area({o}[{i}])",
            "{o}[0].r = {t}",
            "{o}[1].side = {t}",
            "{o}[1].kind = {n}",
            "{o}[3][0] = {t}",
            "{o}[4]['a'] = {t}",
            "r = r + sum(area(s) for s in {o})",
            "{o}[0], {o}[1] = {o}[1], {o}[0]",
            "{o}[2] = Circle({n})",
            "match {o}[{i}]:\n    case Circle(v) | Square(v):\n        r = r + v\n"
            "    case _:\n        r = r - 1",
        ),
        ("area({o}[0])", "area({o}[1])", "area({o}[4])"),
        module=_SHAPES,
    ),
    Family(
        "counters in closures",
        "counter(1)",
        (
            "{o}()",
            "{o}({n})",
            "{o}({t})",
            "r = r + {o}({n})",
            "for _ in range(2):\n    {o}({p})",
            "r = r + sum([{o}(v) for v in (1, 2)])",
            "{o} = counter({n})",
            "r = (r + functools.reduce(lambda a, b: a + {o}(b), [1, 2], 0)) % 97",
        ),
        ("{o}.now()",),
        module=_COUNTERS,
    ),
    Family(
        "generators in generators",
        "[1, 2, 3]",
        (
            "r = r + sum(outer({o}, {n}))",
            "{o} = list(inner({o}, {n}))",
            "{o}[{i}] = {t}",
            "it = outer({o}, {p})\nr = r + next(it) + next(it)",
            "for v in inner({o}, {t}):\n    r = (r + v) % 97",
            "{o}[:] = [v % 11 for v in inner({o}, {n})]",
            "a, *b = outer({o}, 1)\nr = r + a + len(b)",
            "r = r + max(inner(inner({o}, 1), {n}))",
        ),
        ("{o}[{i}]", "sum({o})", "sum(outer({o}, 1)) % 97"),
        module=_NESTED,
    ),
    Family(
        "heaps and bisections",
        "[1, 4, 7]",
        (
            "heapq.heappush({o}, {n})",
            "r = r + heapq.heapreplace({o}, {n})",
            "bisect.insort({o}, {n})",
            "r = r + bisect.bisect({o}, {n})",
            "r = r + heapq.nsmallest(2, {o})[1]",
            "{o} = sorted({o})",
            "{o}[0] = {p}",
            "heapq.heapify({o})",
            "r = r + list(heapq.merge({o}, [2, 5]))[1]",
        ),
        ("{o}[0]", "len({o})", "sum({o})"),
    ),
    Family(
        "turned deques",
        "collections.deque([1, 2, 3], maxlen=4)",
        (
            "{o}.rotate({n})",
            "{o}.rotate(-1)",
            "{o}.append({t})",
            "{o}.appendleft({n})",
            "{o}[0] = {t}",
            "r = r + {o}.popleft()\n{o}.append({n})",
            "{o}.extend([{n}, 2])",
            "{o} = collections.deque({o}, maxlen=3)",
            "{o}.reverse()",
            "{o}.extendleft((1, {n}))",
        ),
        ("{o}[0]", "{o}[-1]", "len({o})", "sum({o})"),
    ),
    Family(
        "stores in slices",
        "[1, 2, 3, 4, 5, 6]",
        (
            "{o}[::2] = [{n}, {t}, 7]",
            "{o}[1::2] = {o}[::2]",
            "{o}[::-1] = list({o})",
            "{o}[2:4] = [{t}, {n}]",
            "{o}[-2:] = {o}[:2]",
            "{o}[{i}:{i}] = []",
            "{o}[:3], {o}[3:] = {o}[3:], {o}[:3]",
            "{o}[slice(0, 2)] = ({n}, {n})",
            "r = r + sum({o}[::3])",
            "{o}[1:5:3] = ({t}, {t})",
        ),
        ("{o}[{i}]", "sum({o}[1::2])", "len({o})"),
    ),
    Family(
        "copies",
        "{'a': [1, 2], 'b': {'c': 3}}",
        (
            "{o} = copy.copy({o})",
            "{o} = copy.deepcopy({o})",
            "d = copy.copy({o})\nd['a'][0] = {t}",
            "d = copy.deepcopy({o})\nd['a'][0] = {t}\nr = r + d['a'][0]",
            "{o}['b']['c'] = {t}",
            "{o}['a'] = {o}['a'].copy()",
            "d = {**{o}}\nd['b']['c'] += {n}",
            "{o}['a'][1] += {n}",
        ),
        ("{o}['a'][0]", "{o}['a'][1]", "{o}['b']['c']"),
    ),
    Family(
        "texts that are built",
        "['a', 'bc']",
        (
            "{o}.append('d')",
            "{o}[0] = {o}[0] + 'x'",
            "r = r + len(''.join({o}))",
            "{o}[1] = f'{k}-{r is None}'",
            "{o}[0] += f'{k:03d}'",
            "{o}[1] = {o}[1].replace('b', 'ee').upper()",
            "{o}[0] = '%d,%s' % (k, {o}[1])",
            "r = r + {o}[0].count('x')",
            "{o}.sort(key=len)",
        ),
        ("len({o})", "len({o}[0])", "len({o}[1])"),
    ),
    Family(
        "functions of operator",
        "[3, 1, 2]",
        (
            "operator.setitem({o}, {i}, {t})",
            "{o}[0] = operator.add({o}[0], {t})",
            "{o}[1] = operator.itemgetter(0)({o})",
            "{o} = list(map(operator.neg, {o}))",
            "r = r + functools.reduce(operator.mul, {o}, 1) % 7",
            "{o} = operator.concat({o}[:2], [{n}])",
            "r = r + operator.countOf({o}, {n})",
            "{o}[2] = operator.mod({t}, 5)",
            "{o}.sort(key=operator.neg)",
            "r = r + operator.methodcaller('index', {o}[0])({o})",
            "operator.iadd({o}, [])",
        ),
        ("{o}[{i}]", "sum({o})"),
    ),
    Family(
        "chained iterators",
        "[1, 2, 3]",
        (
            "{o} = list(itertools.accumulate({o}))",
            "r = r + sum(itertools.chain({o}, [{n}]))",
            "{o} = list(itertools.islice(itertools.cycle({o}), 1, 4))",
            "r = r + sum(a * b for a, b in itertools.product({o}, (1, 2))) % 31",
            "{o}[:] = [b - a for a, b in zip({o}, {o}[1:] + {o}[:1])]",
            "r = r + sum(1 for _ in itertools.takewhile(lambda v: v < 3, [1, 2, {n}]))",
            "{o}[{i}] = {t}",
            "r = r + len(list(itertools.groupby([1, 1, {n}])))",
            "it = iter({o})\nr = r + next(it) + sum(it)",
            "r = r + sum(y for v in {o} if (y := v + {n}) != 4)",
            "r = r + sum(a for a, _ in itertools.zip_longest({o}, [1], fillvalue=0))",
        ),
        ("{o}[{i}]", "sum({o})", "len({o})"),
    ),
    Family(
        "kept by weak references",
        "Kept()",
        (
            "weakref.ref({o})().a = {t}",
            "{o}.ref = weakref.ref({o})",
            "r = r + weakref.ref({o})().a",
            "{o}.a += {n}",
            "weakref.proxy({o}).a = {n}",
            "d = weakref.WeakValueDictionary()\nd['o'] = {o}\nd['o'].a = {t}",
            "TABLE[{o}] = {n}\nr = r + TABLE[{o}]",
        ),
        ("{o}.a",),
        module="class Kept:\n    def __init__(self):\n        self.a = 1\n\n"
        "TABLE = weakref.WeakKeyDictionary()",
        shared=True,
    ),
)
