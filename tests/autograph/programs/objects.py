"""Classes: special methods, properties, descriptors, slots, class attributes, dataclasses."""

from .kit import Family

OPERATORS = """
class Money:
    def __init__(self, n):
        self.n, self.log = n, {'calls': 0}

    def __iadd__(self, other):
        self.n = (self.n + other) % 41
        return self

    def __add__(self, other):
        self.log['calls'] += 1
        return Money((self.n + other) % 41)

    def __getitem__(self, key):
        self.log['calls'] += 1
        return self.n + key

    def __setitem__(self, key, value):
        if value > 3:
            self.n = value + key
        else:
            self.n = key

    def __contains__(self, value):
        self.n = self.n + 1
        return value == 2

    def __len__(self):
        self.log['calls'] += 1
        return 3

    def __call__(self, value):
        if value > 1:
            self.n = (self.n + value) % 41
        return self.n

    def __eq__(self, other):
        self.log['calls'] += 1
        return self.n == other

    __hash__ = None

    def __neg__(self):
        self.n = -self.n
        return self

    def __lt__(self, other):
        self.log['calls'] += 1
        return self.n < other

    def __bool__(self):
        self.log['calls'] += 1
        return True

    def __format__(self, spec):
        self.log['calls'] += 1
        return 'money'

    def __iter__(self):
        self.log['calls'] += 1
        return iter([self.n, 2])

    def __delitem__(self, key):
        self.log['calls'] += key
"""

ATTRIBUTES = """
class Typed:
    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, held, owner=None):
        return getattr(held, self.name, 0)

    def __set__(self, held, value):
        setattr(held, self.name, value)
        held.sets = held.sets + 1

class Account:
    total = 5
    typed = Typed()

    def __init__(self):
        self.v, self.sets, self.inner = 1, 0, Inner()

    @property
    def doubled(self):
        self.sets = self.sets + 1
        return self.v * 2

    @doubled.setter
    def doubled(self, value):
        if value > 4:
            self.v = value + 1
        else:
            self.v = value

    @classmethod
    def bump(cls, n):
        cls.total = (cls.total + n) % 31

    @staticmethod
    def change(held, n):
        held.v = n

class Inner:
    w = 3

class Slotted:
    __slots__ = ('v', 'w')

    def __init__(self):
        self.v, self.w = 1, 2
"""

GUARDED = """
class Guarded:
    def __init__(self):
        object.__setattr__(self, 'held', {'a': 1})
        object.__setattr__(self, 'sets', 0)

    def __setattr__(self, name, value):
        self.held[name] = value
        object.__setattr__(self, 'sets', self.sets + 1)

    def __getattr__(self, name):
        if name == 'missing':
            return 7
        if name in self.held:
            return self.held[name]
        raise AttributeError(name)

    def __delattr__(self, name):
        self.held[name] = 0

class Base:
    def __init__(self):
        self.a, self.sets = 1, 0

    def grow(self, n):
        self.a = (self.a + n) % 37

class Derived(Base):
    def grow(self, n):
        self.sets = self.sets + 1
        if n > 2:
            super().grow(n)
        else:
            super().grow(1)
"""

DATA = """
@dataclasses.dataclass
class Point:
    a: int = 1
    b: int = 2
    tags: list = dataclasses.field(default_factory=lambda: [0])

    def moved(self, n):
        return dataclasses.replace(self, a=self.a + n)
"""

FAMILIES = (
    Family(
        "operators of classes",
        "Money(3)",
        (
            "{o} += {t}",
            "{o} = {o} + {t}",
            "r = r + {o}[{t}]",
            "{o}[{n}] = {t}",
            "r = r + (1 if {n} in {o} else 2)",
            "r = r + len({o})",
            "r = r + {o}({t})",
            "r = r + (1 if {o} == {n} else 3)",
            "-{o}",
            "r = r + (1 if {o} < {t} else 0)",
            "if {o}:\n    r = r + {t}",
            "money = {o}\nr = r + len(f'{money:x}')",
            "for v in {o}:\n    r = (r + v) % 31",
            "del {o}[{n}]",
            "a, b = {o}\nr = r + b",
        ),
        ("{o}.n", "{o}.log['calls']"),
        module=OPERATORS,
    ),
    Family(
        "properties and attributes",
        "Account()",
        (
            "{o}.v = {t}",
            "{o}.v += {t}",
            "{o}.doubled = {t}",
            "r = r + {o}.doubled",
            "{o}.typed = {t}",
            "setattr({o}, 'v', {t})",
            "vars({o}).update(v={t})",
            "{o}.__dict__['v'] = {t}",
            "object.__setattr__({o}, 'v', {n})",
            "{o}.inner.w = {t}",
            "Account.change({o}, {t})",
            "{o}.new = {n}",
            "{o}.inner, other = Inner(), {o}.inner",
            "operator.attrgetter('inner')({o}).w = {t}",
        ),
        ("{o}.v", "{o}.sets", "{o}.inner.w", "{o}.typed", "getattr({o}, 'new', 4)"),
        module=ATTRIBUTES,
    ),
    Family(
        "slots",
        "Slotted()",
        (
            "{o}.v = {t}",
            "{o}.v += {t}",
            "setattr({o}, 'w', {t})",
            "{o}.v, {o}.w = {o}.w, {o}.v",
            "Slotted.v.__set__({o}, {n})",
            "object.__setattr__({o}, 'w', {n})",
        ),
        ("{o}.v", "{o}.w"),
        module=ATTRIBUTES,
    ),
    Family(
        "class attributes",
        "type('Local', (), {'total': 1, 'items': [1]})",
        (
            "{o}.total = {t}",
            "{o}.total += {n}",
            "{o}.items.append({t})",
            "{o}().items[0] = {t}",
            "setattr({o}, 'total', {n})",
            "type.__setattr__({o}, 'total', {n})",
            "type({o}()).total = {t}",
        ),
        ("{o}.total", "{o}().items[0]", "len({o}.items)"),
    ),
    Family(
        "own attribute access",
        "Guarded()",
        (
            "{o}.a = {t}",
            "{o}.a += {n}",
            "{o}.b = {n}",
            "del {o}.a",
            "setattr({o}, 'a', {t})",
            "r = r + {o}.missing",
        ),
        ("{o}.a", "{o}.sets", "len({o}.held)"),
        module=GUARDED,
    ),
    Family(
        "inheritance",
        "Derived()",
        (
            "{o}.grow({t})",
            "Base.grow({o}, {t})",
            "{o}.sets = {t}",
            "super(Derived, {o}).grow({t})",
            "grow = {o}.grow\ngrow({t})",
            "getattr({o}, 'grow')({t})",
            "operator.methodcaller('grow', {n})({o})",
            "functools.partial({o}.grow, {t})()",
        ),
        ("{o}.a", "{o}.sets"),
        module=GUARDED,
    ),
    Family(
        "dataclasses",
        "Point()",
        (
            "{o}.a = {t}",
            "{o} = {o}.moved({t})",
            "{o} = dataclasses.replace({o}, b={t})",
            "{o}.a, {o}.b = {o}.b, {o}.a",
            "{o}.tags.append({n})",
            "{o}.tags[0] = {t}",
            "{o} = Point({t}, {o}.b)",
            "match {o}:\n    case Point(a=1):\n        r = r + 1\n    case Point(a, b):\n"
            "        r = r + a - b",
        ),
        ("{o}.a", "{o}.b", "{o}.tags[0]", "len({o}.tags)"),
        module=DATA,
    ),
    Family(
        "name spaces",
        "types.SimpleNamespace(a=1, b=[2])",
        (
            "{o}.a = {t}",
            "{o}.a += {t}",
            "{o}.b.append({t})",
            "{o}.b[0] = {t}",
            "vars({o})['a'] = {n}",
            "{o}.__dict__.update(a={n})",
            "{o} = types.SimpleNamespace(a={t}, b={o}.b)",
        ),
        ("{o}.a", "{o}.b[0]", "len({o}.b)"),
    ),
)
