"""What Python keeps aside of objects: caches, proxies, defaults, memos; and who keeps errors."""

from .kit import Family

CACHED = """
class Cached:
    def __init__(self):
        self.calls = 0
        self.listed = functools.cache(lambda k: [k, k + 1])
        self.named = functools.lru_cache(lambda k: {'a': k, 'b': [k]})
        self.plain = functools.cache(lambda k: k * 3)
    @functools.cached_property
    def slow(self):
        self.calls += 1
        return [self.calls, 2]
"""

PROXIED = """
class Node:
    def __init__(self, v):
        self.v, self.kept, self.named = v, [v], {'a': v}

class Proxied:
    def __init__(self):
        self.node, self.other = Node(1), Node(2)
        self.proxy = weakref.proxy(self.node)
        self.proxies = [self.proxy, weakref.proxy(self.other)]

def put(target, v):
    target.v = v
"""

DEFAULTS = """
class Defaults:
    def __init__(self):
        def plain(a=1, b=2):
            if a > b:
                return a - b
            return a + b
        def named(*, k=3):
            return k * 2
        self.plain, self.named = plain, named
        self.static = staticmethod(plain)
    def method(self, a=4):
        if a > 5:
            return a
        return a * 2

def give(function, *values):
    function.__defaults__ = values
"""

MATCHED = """
class Part:
    __match_args__ = ('v', 'w')
    def __init__(self, v, w):
        self.v, self.w, self.asked = v, w, 0
    @property
    def seen(self):
        self.asked += 1
        return self.asked

class Same:
    def __init__(self, v):
        self.v, self.asked = v, 0
    def __eq__(self, other):
        self.asked += 1
        return self.v == other

class Matched:
    def __init__(self):
        self.part, self.same = Part(1, 2), Same(2)
"""

KEEPING = """
class Keeping:
    def __init__(self):
        self.n = 0
    def __enter__(self):
        self.n += 1
        return self
    def __exit__(self, kind, error, traceback):
        self.n += 2
        return kind is KeyError

class Lock(Keeping):
    pass

@contextlib.contextmanager
def name_scope(name):
    try:
        yield name
    except KeyError:
        pass
"""

RECURSIVE = """
class Recursive:
    def power(self, n):
        if n <= 0:
            return 1
        return 3 * self.power(n - 1)
    def both(self, n):
        if n <= 0:
            return 0, 1
        a, b = self.both(n - 1)
        return b, a + b
"""

IDENTIFIED = """
class Identified:
    def __init__(self):
        self.a, self.b, self.c = [1], [2], (3, 4)
        self.known = {}
    def visit(self, value):
        if id(value) in self.known:
            return 0
        self.known[id(value)] = value
        return 1
"""

RECORDED = """
def recorded():
    kind = [('o', object), ('n', int)]
    made = np.zeros(3, dtype=kind)
    for i in range(3):
        made[i] = ([i], i)
    return made.view(np.recarray)

class Recorded:
    def __init__(self):
        self.a, self.row = recorded(), np.zeros(2, dtype=[('v', object)])
        self.row['v'][0] = {'k': 1}
"""

ITERATED = """
import re

class Iterated:
    def __init__(self):
        self.found = re.finditer('a', 'a' * 30)
        self.flat = np.arange(30).flat
        self.items = []
"""

FAMILIES = (
    Family(
        "record arrays",
        "Recorded()",
        (
            "{o}.a['o'][{i}].append({n})",
            "{o}.a.o[{i}].append({t})",
            "{o}.a.n[{i}] = {p}",
            "{o}.a['n'] = {n}",
            "{o}.a.n = {n}",
            "{o}.a[{i}] = ([{n}], {n})",
            "{o}.row['v'][0]['k'] = {t}",
            "r = r + int({o}.a['n'][{i}])",
        ),
        ("len({o}.a['o'][{i}])", "int({o}.a.n[{i}])", "{o}.row['v'][0]['k']"),
        module=RECORDED,
    ),
    Family(
        "iterators without positions",
        "Iterated()",
        (
            "{o}.items.append(next({o}.found).end())",
            "{o}.items.extend(m.end() for m, _ in zip({o}.found, [1]))",
            "r = r + int(next({o}.flat))",
            "r = r + sum(map(int, itertools.islice({o}.flat, 2)))",
            "for m in re.finditer('b', 'abab'):\n    r = r + m.end()",
            "r = r + len(list(re.finditer('a', 'aba')))",
        ),
        ("len({o}.items)", "{o}.flat.index", "{t}"),
        module=ITERATED,
    ),
    Family(
        "ranges of tensors",
        "[1]",
        (
            "for i in fg.range({t} % 9):\n    r = (r + i) % 41",
            "for i in fg.range({n}, 5 + {t} % 9):\n    r = (r + i) % 41",
            "for i in fg.range(5 + {t} % 7, {n}, -1):\n    r = r + 1",
            "for i in fg.range({t} % 5, 4 + {t} % 8, 1 + {p} % 3):\n    r = r + i",
            "for i in range({p}):\n    for j in fg.range(i, i + {n}):\n        r = r + j",
            "if {c}:\n    for i in fg.range({t} % 6):\n        {o}[0] = i",
        ),
        ("{o}[0]", "{t}"),
    ),
    Family(
        "caches of functions",
        "Cached()",
        (
            "{o}.listed({i}).append({t})",
            "{o}.listed({i})[0] = {t}",
            "{o}.named({i})['a'] = {t}",
            "{o}.named({i})['b'].append({n})",
            "r = r + {o}.plain({i})",
            "{o}.slow.append({n})",
            "r = r + {o}.slow[0]",
            "found = {o}.listed({i})\nfound[1] = {t}",
        ),
        ("len({o}.listed({i}))", "{o}.named({i})['a']", "len({o}.slow)", "{o}.listed({i})[0]"),
        module=CACHED,
    ),
    Family(
        "weak proxies",
        "Proxied()",
        (
            "{o}.proxy.v = {t}",
            "{o}.proxies[1].v += {n}",
            "put({o}.proxy, {t})",
            "{o}.proxy.kept.append({t})",
            "{o}.proxy.named['a'] = {t}",
            "for p in {o}.proxies:\n    p.v = (p.v + {n}) % 31",
            "r = r + {o}.proxy.v",
        ),
        ("{o}.node.v", "{o}.other.v", "len({o}.node.kept)", "{o}.node.named['a']"),
        module=PROXIED,
    ),
    Family(
        "defaults of functions",
        "Defaults()",
        (
            "{o}.plain.__defaults__ = ({n}, {n})",
            "{o}.named.__kwdefaults__['k'] = {n}",
            "{o}.named.__kwdefaults__ = {'k': {t}}",
            "give({o}.plain, {p}, {n})",
            "{o}.static.extra = {n}",
            "r = r + {o}.plain()",
            "r = r + {o}.method()",
            "r = r + {o}.named(k={t})",
        ),
        ("{o}.plain()", "{o}.named()", "{o}.method()", "{o}.plain({t})"),
        module=DEFAULTS,
    ),
    Family(
        "matches in turn",
        "Matched()",
        (
            "match ({t}, {o}.part):\n    case (1, _):\n        r = {n}\n"
            "    case (_, Part(seen=1)):\n        r = r + 1\n    case (a, _):\n        r = a",
            "match {t}:\n    case 1 | 2:\n        r = {n}\n    case a if {c}:\n        r = a",
            "match [{t}, {o}.same]:\n    case [2, 2] | [1, 3]:\n        r = r + {n}",
            "match {o}.part:\n    case Part(v=1, w=b) if {c}:\n        r = b\n"
            "    case Part(a, b):\n        r = a + b",
            "{o}.part.v = {t}",
            "{o}.part = Part({t}, {n})",
        ),
        ("{o}.part.v", "{o}.part.asked", "{o}.same.asked"),
        module=MATCHED,
    ),
    Family(
        "managers that keep errors",
        "Keeping()",
        (
            "with {o}:\n    r = {t}\n    if {c}:\n        r = r + {n}\n    {}['a']\n    r = 9",
            "with Lock() as m:\n    if {c}:\n        r = {n}\n    {}['a']\n    r = 8",
            "with name_scope('a'):\n    if {c}:\n        r = {n}\n    {}['a']\n    r = 7",
            "with contextlib.suppress(KeyError):\n    r = {t}\n    {}['a']",
            "with {o}:\n    {o}.n += {t}",
        ),
        ("{o}.n", "{t}"),
        module=KEEPING,
    ),
    Family(
        "recursions of integers",
        "Recursive()",
        (
            "r = {o}.power({t} % 4)",
            "r = r + {o}.power({p} % 5)",
            "a, b = {o}.both({t} % 6)\nr = a + b",
            "for i in R({o}.power(1)):\n    r = r + i",
        ),
        ("{o}.power({t} % 3)", "{o}.both({t} % 5)[1]"),
        module=RECURSIVE,
    ),
    Family(
        "identities kept",
        "Identified()",
        (
            "r = r + {o}.visit({o}.a)",
            "r = r + {o}.visit({o}.b)",
            "{o}.a = {o}.b",
            "{o}.a = [{t}]",
            "{o}.a[0] = {t}",
            "{o}.c = ({t}, 4)",
            "k = {o}.c\nr = r + (1 if k is {o}.c else 2)",
            "r = r + (3 if {o}.a is {o}.b else 4)",
        ),
        ("{o}.a[0]", "len({o}.known)", "{o}.c[0]", "(1 if id({o}.b) in {o}.known else 2)"),
        module=IDENTIFIED,
    ),
)
