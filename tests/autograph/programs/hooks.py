"""What Python calls by itself: hooks of classes, descriptors, guards of patterns, jumps through
``finally``, assignments inside expressions, generators that delegate."""

from .kit import Family

CLASSES = """
class Named:
    def __set_name__(self, owner, name):
        self.name = '_' + name
        owner.names = getattr(owner, 'names', 0) + 1

    def __get__(self, held, kind=None):
        return self if held is None else getattr(held, self.name, 3)

    def __set__(self, held, value):
        held.sets += 1
        setattr(held, self.name, value)

    def __delete__(self, held):
        held.sets += 10

class Filled(dict):
    def __missing__(self, key):
        self[key] = value = len(self)
        return value

class Parent:
    made = 0

    def __init_subclass__(cls, step=1, **kwargs):
        Parent.made += step

class Hooked(Parent):
    first, second = Named(), Named()

    def __init__(self):
        self.sets = 0
        self.first, self.second = 1, 2
        self.filled = Filled(a=1)

    def __getattr__(self, name):
        if name == 'lazy':
            self.lazy = 4
            return 4
        raise AttributeError(name)

    def __reversed__(self):
        self.sets += 1
        return iter((2, 1))

    def __class_getitem__(cls, key):
        return key + 1

    @functools.cached_property
    def once(self):
        self.sets += 1
        return 5

def mark(held, v):
    held.sets += 1
    return v

"""

DELEGATES = """
def parts(items, limit):
    for v in items:
        if v > limit:
            yield v
        else:
            yield limit
    return len(items)

def both(items, limit):
    n = yield from parts(items, limit)
    yield n
    yield from (v + n for v in items)

class Log:
    def __init__(self):
        self.opened = self.closed = 0

    def items(self, *values):
        self.opened += 1
        try:
            yield from values
        finally:
            self.closed += 1
"""

FAMILIES = (
    Family(
        "hooks of classes",
        "Hooked()",
        (
            "{o}.first = {t}",
            "{o}.second += {n}",
            "{o}.first, {o}.second = {o}.second, {o}.first",
            "r = r + {o}.filled['a']",
            "{o}.filled['b'] = {t}",
            "r = r + {o}.filled['new']",
            "r = r + {o}.lazy",
            "r = r + {o}.once",
            "for v in reversed({o}):\n    r = (r * 2 + v) % 29",
            "r = r + Hooked[{t}]",
            "class Local(Hooked, step={n}):\n    first = {t}\nr = r + Local.first",
            "del {o}.first",
            "r = r + (1 if mark({o}, x) < mark({o}, {t}) < mark({o}, 4) else 2)",
            "r = r + (1 if mark({o}, {t}) > 2 and mark({o}, y) else 2)",
        ),
        ("{o}.first", "{o}.second", "{o}.sets", "len({o}.filled)"),
        module=CLASSES,
    ),
    Family(
        "guards of patterns",
        "{'kind': 1, 'items': [1, 2]}",
        (
            "a = {n}\nmatch (x, {t}):\n    case (a, 2) if a > 2:\n        r = r + 1\n"
            "    case (b, a) if b < a:\n        r = r + b\n    case _:\n        r = r - 1\n"
            "r = r + a",
            "match {o}:\n    case {'kind': v, **rest} if v > {t}:\n        r = r + len(rest)\n"
            "    case {'items': [v, *_]} if v != r:\n        r = r + v\n    case _:\n"
            "        {o}['kind'] = {t}",
            "match {t}:\n    case int() as v:\n        r = r + v\n    case v if v > 1:\n"
            "        r = r - v\n    case _:\n        r = r + 2",
            "match [r, *{o}['items']]:\n    case [a, _, *rest] if a > {n}:\n"
            "        r = r + len(rest)\n    case [*rest]:\n        r = r + rest[-1]",
            "{o}['items'].append({t})",
            "{o}['kind'] = {t}",
        ),
        ("{o}['kind']", "len({o}['items'])"),
    ),
    Family(
        "jumps",
        "[1, 2]",
        (
            "for v in R(3):\n    try:\n        if {c}:\n            continue\n        r = r + v\n"
            "    finally:\n        {o}[0] = {o}[0] + 1",
            "for v in R(4):\n    try:\n        if r > {n}:\n            break\n        r = r + 1\n"
            "    finally:\n        r = r + v\nelse:\n    r = r + 30",
            "w = N(0)\nwhile w < 4:\n    w = w + 1\n    if w > {t}:\n        break\nelse:\n"
            "    {o}[1] = {t}",
            "def leave():\n    try:\n        if {c}:\n            return {t}\n    finally:\n"
            "        {o}[0] = {n}\n    return r\nr = leave() % 31",
            "def leave():\n    for v in R(3):\n        with scope():\n            if v == {t}:\n"
            "                return v\n        {o}[1] = v\n    return {n}\nr = r + leave()",
            "if (w := {t}) > 2 and (v := w + 1) > {n}:\n    r = r + v\nelse:\n    r = r + w",
            "w = N(0)\nwhile (w := w + 1) < 3:\n    {o}[0] = w",
            "r = r + sum([last := v + {t} for v in range(3)]) % 17 + last",
            "r = r + sum(s for v in {o} if (s := v * 2) != 7)",
            "for a, *b in [(1, {t}), (2, 3, {n})]:\n    if r > a:\n        r = (r + b[-1]) % 31",
            "for {o}[0] in range(2):\n    r = r + {o}[0]",
            "for {o}[{i} % 2], v in [({t}, 1), (2, {n})]:\n    r = r + v",
            "{o}[:1] = [{t}]",
            "{o}[::2] = [{n}] * len({o}[::2])",
            "del {o}[2:]",
        ),
        ("{o}[0]", "{o}[1]", "len({o})"),
    ),
    Family(
        "delegating generators",
        "Log()",
        (
            "r = r + sum(both([1, {t}], {n}))",
            "for v in both([{t}], 2):\n    r = (r + v) % 31",
            "r = r + sum({o}.items({t}, {n}))",
            "for v in {o}.items(1, {t}):\n    if v > 1:\n        r = (r + v) % 31",
            "a, *b = both([1, 2], {n})\nr = r + a + len(b)",
            "it = {o}.items(1, 2)\nr = r + next(it)\nit.close()",
            "r = r + max(v for v in {o}.items({n}, 4))",
            "r = r + functools.reduce(lambda a, b: a + b if a > b else b - a, [r, {t}, 3])",
            "pairs = zip([1, {t}], enumerate({o}.items(1, 2), start={n}), strict=True)\n"
            "for v, (i, w) in pairs:\n    r = (r + v * i - w) % 31",
        ),
        ("{o}.opened", "{o}.closed"),
        module=DELEGATES,
    ),
)
