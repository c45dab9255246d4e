"""What Python asks of objects and numbers: their class, their text, an index, a copy; what context
managers made of generators do; leaf methods that loops call again and again."""

from .kit import Family

MANAGERS = """
class Held:
    def __init__(self, v, rows):
        self.v, self.rows = v, rows

    @contextlib.contextmanager
    def raised(self, by):
        before = self.v
        if by > 1:
            self.v = self.v + by
        try:
            yield self
        finally:
            self.v = before + 1

@contextlib.contextmanager
def counted(held, by):
    if by > 2:
        held.rows[0] += 1
    yield held.rows[0] + by
    held.rows[1] = (held.rows[1] + by) % 31
"""

TEXTS = """
class Shown:
    def __init__(self, v):
        self.v, self.asked = v, 0

    def __str__(self):
        self.asked += 1
        return 'large' if self.v > 2 else 'small'

    def __repr__(self):
        if self.v > 1:
            return 'more'
        return 'less'

    def __index__(self):
        self.asked += 1
        if self.v > 2:
            return 1
        return 0
"""

LEAVES = """
class Leaf:
    def __init__(self, v):
        self.v, self.n = v, 0

    def add(self, v):
        self.n = (self.n + v) % 31
        self.v += 1

    def sum(self, v):
        return v + self.v

    def both(self, other):
        return self.v + other.n

class Branched(Leaf):
    def sum(self, v):
        if v > self.v:
            return v
        return self.v - v

class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second
"""

FAMILIES = (
    Family(
        "managers of generators",
        "Held(1, [0, 2])",
        (
            "with {o}.raised({t}) as held:\n    r = (r + held.v) % 31",
            "with {o}.raised({t}):\n    {o}.rows[0] = (r + {n}) % 31",
            "with counted({o}, {t}) as v:\n    r = (r + v) % 31",
            "with counted({o}, {t}), {o}.raised({n}):\n    r = (r + {o}.v) % 31",
            "with contextlib.ExitStack() as stack:\n"
            "    v = stack.enter_context(counted({o}, {t}))\n    r = (r + v) % 31",
            "with counted({o}, {n}) as v:\n    if {c}:\n        {o}.v = v\n    r = r + 1",
            "{o}.v = {t}",
        ),
        ("{o}.v", "{o}.rows[0]", "{o}.rows[1]"),
        module=MANAGERS,
    ),
    Family(
        "texts and indices",
        "Shown(1)",
        (
            "r = r + len('ab' + str({n}))",
            "r = r + (1 if str({o}) == 'large' else 2)",
            "s = {o}\nr = r + (1 if f'{ s }' == 'small' else 3)",
            "r = r + (2 if repr({o}) == 'more' else 1)",
            "r = r + [3, 4][{o}]",
            "r = r + (5, {t})[{o}]",
            "for v in range({o}):\n    r = r + v + 1",
            "r = r + operator.index({o})",
            "{o}.v = {t}",
        ),
        ("{o}.v", "{o}.asked"),
        module=TEXTS,
    ),
    Family(
        "classes of numbers",
        "[1, 2]",
        (
            "a = 1\nif {c}:\n    a = {n}\nr = r + (a if isinstance(a, int) else 7)",
            "a = 1\nif {c}:\n    a = 2\nr = r + (1 if type(a) is int else 2)",
            "a = True\nif {c}:\n    a = False\nr = r + (1 if type(a) is bool else 2)",
            "a = 1\nif {c}:\n    a = {t}\nr = r + (1 if isinstance(a, (list, str)) else 2)",
            "a = int({t})\nr = r + (1 if a.__class__ is int else 2)",
            "{o}[0] = {n}",
            "if {c}:\n    {o}[1] = {n}",
            "r = r + (1 if isinstance({o}[1], float) else 2)",
            "a = {n}\nif {c}:\n    a = 3\nmatch a:\n    case float():\n        r = r + 5\n"
            "    case int(v):\n        r = r + v",
        ),
        ("{o}[0]", "{o}[1]"),
    ),
    Family(
        "deep copies",
        "Pair(1, [2, 3])",
        (
            "c = copy.deepcopy({o})\nc.second[0] = {t}\nr = (r + c.second[0] + c.first) % 31",
            "c = copy.copy({o})\nc.second[1] = {t}\nc.first = {n}\nr = (r + {o}.second[1]) % 31",
            "a = copy.deepcopy([{t}, {o}.second])\na[1][0] = a[0]\nr = (r + a[1][0]) % 31",
            "{o}.first = copy.deepcopy({t})",
            "{o} = copy.deepcopy({o})",
            "{o}.second[{i} % 2] = {t}",
        ),
        ("{o}.first", "{o}.second[0]", "{o}.second[1]"),
        module=LEAVES,
    ),
    Family(
        "leaf methods",
        "[Leaf(1), Leaf(2), Branched(3)]",
        (
            "for i in range(3):\n    {o}[i].add({t})",
            "part = {o}[0]\nfor i in range(4):\n    part.add(i)\n    r = (r + part.sum(i)) % 31",
            "for part in {o}:\n    r = (r + part.sum({t})) % 31",
            "for part in {o}:\n    for i in range(2):\n        part.add({n})\n"
            "        r = (r + part.both({o}[i])) % 31",
            "part, other = {o}[1], {o}[2]\nfor i in range(3):\n"
            "    r = (r + part.both(other)) % 31\n    if {c}:\n        other.add(i)",
            "part = {o}[{i}]\nfor i in R(3):\n    part.add(i)\n    r = (r + part.sum({t})) % 31",
        ),
        ("{o}[0].n", "{o}[1].v", "{o}[2].sum(2)", "{o}[0].both({o}[2])"),
        module=LEAVES,
    ),
)
