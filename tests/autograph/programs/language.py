"""What the language itself can do: scopes, jumps, deletions, classes and closures."""

from .kit import Family

_SCOPES = """
def tower(start):
    a = start

    def middle(by):
        nonlocal a
        b = a

        def inner(n):
            nonlocal a, b
            a, b = (a + n) % 31, a
            return b
        found = inner(by) + inner(1)
        a = (a + found) % 31
        return a

    def both(by):
        if by > 2:
            return middle(by)
        return middle(1) + middle(2)

    return both, lambda: a
"""
_LATE = """
def made(n):
    late, bound = [], []
    for i in range(n):
        late.append(lambda v: v + i)
        bound.append(lambda v, i=i: v * 2 + i)
    return {'late': late, 'bound': bound, 'by': [0]}

def kept(by, seen=[1]):
    seen[0] = (seen[0] + by) % 31
    return seen[0]

def grown(v, table={}):
    table[v] = table.get(v, 0) + 1
    return table[v]
"""
_LEAVING = """
def first(items, v):
    try:
        for w in items:
            if w > v:
                return w
        else:
            return -1
    finally:
        items[0] = items[0] + 1

def swallowed(items, v):
    for w in items:
        try:
            if w == v:
                raise LookupError(w)
        except LookupError:
            break
        else:
            items[1] = items[1] + 1
        finally:
            items[2] = items[2] + 1
    return items[1] + items[2]

def overridden(v):
    try:
        if v > 2:
            return 1
        return 2
    finally:
        v = v + 1

def nested(items, v):
    try:
        try:
            if v > 3:
                raise ValueError(v)
        finally:
            items[0] = v
    except ValueError as e:
        return e.args[0]
    return 0
"""
_BODIES = """
class Shape:
    sides, log = 0, []

    def area(self):
        return self.sides

def shaped(n, double):
    class Local(Shape):
        sides = n
        if double:
            factor = 2
        else:
            factor = 1

        def area(self):
            if self.sides > 2:
                return super().area() * self.factor
            return self.factor
    return Local()
"""
_SENT = """
def averaging():
    total, n = 0, 0
    while True:
        try:
            v = yield total
        except KeyError:
            total, n = 0, 0
        else:
            if v is None:
                continue
            n += 1
            total = (total + v) % 31

def limited(held):
    try:
        while held['n'] < 3:
            held['n'] += 1
            yield held['n']
    finally:
        held['closed'] += 1

def started(held):
    made = limited(held)
    next(made)
    return made
"""
_MANY = """
class Depth:
    def __init__(self):
        self.log, self.depth = [0, 0], 0

    @contextlib.contextmanager
    def at(self, n):
        self.depth += n
        try:
            yield self.depth
        except KeyError:
            self.log[0] += 1
        finally:
            self.depth -= n

    def leave(self, n):
        self.log[1] = (self.log[1] + n) % 31

class Closing:
    def __init__(self, held):
        self.held = held

    def close(self):
        self.held.log[0] = self.held.log[0] + 2
"""
_CHAINS = """
class Noted:
    def __init__(self):
        self.n, self.asked = 2, 0

    def of(self, v):
        self.asked += 1
        return v

    def turn(self):
        self.n = (self.n * 3 + 1) % 7
        return self.n
"""
_LEFT = """
class Bag:
    def __init__(self):
        self.a, self.b, self.items, self.table = 1, 2, [1, 2, 3, 4], {'p': 1, 'q': 2}

    def __delattr__(self, name):
        if name == 'b':
            self.a = self.a + 1
        else:
            object.__delattr__(self, name)
"""

FAMILIES = (
    Family(
        "towers of scopes",
        "tower(2)",
        (
            "{o}[0]({n})",
            "{o}[0]({t})",
            "r = r + {o}[0]({p})",
            "r = r + {o}[1]()",
            "{o} = tower({t})",
            "step, now = {o}\nstep({n})\nr = r + now()",
            "def local():\n    nonlocal r\n    def deeper():\n        nonlocal r\n"
            "        r = (r + {t}) % 97\n    deeper()\n    deeper()\nlocal()",
        ),
        ("{o}[1]()",),
        module=_SCOPES,
    ),
    Family(
        "closures made in loops",
        "made(3)",
        (
            "r = r + {o}['late'][{i}]({t})",
            "r = r + {o}['bound'][{i}]({t})",
            "{o}['by'][0] = sum(f(1) for f in {o}['bound'])",
            "{o}['bound'].append(lambda v, w={t}: v + w)",
            "{o}['bound'][0] = {o}['late'][0]",
            "r = r + kept({n})",
            "r = r + kept({t})",
            "r = r + grown({n})",
            "acts = [lambda: {o}['by'].__setitem__(0, j) for j in range(2)]\nacts[0]()",
            "fs = []\nfor j in R(2):\n    fs = [lambda v: v + 1]\nr = r + fs[0](r)",
            "{o} = made({n})",
        ),
        ("{o}['by'][0]", "{o}['bound'][-1](2)", "kept(0)"),
        module=_LATE,
        shared=True,
    ),
    Family(
        "ways out of blocks",
        "[1, 2, 3]",
        (
            "r = r + first({o}, {t})",
            "r = r + first({o}, {n})",
            "r = r + swallowed({o}, {n})",
            "r = r + swallowed({o}, {t})",
            "r = r + overridden({t})",
            "r = r + nested({o}, {n})",
            "r = r + nested({o}, {t})",
            "for v in (1, 2, 3):\n    try:\n        if {c}:\n            continue\n"
            "        r = r + v\n    finally:\n        {o}[0] = {o}[0] + 1",
            "for v in R(3):\n    try:\n        if {c}:\n            break\n"
            "    finally:\n        {o}[1] = v\nelse:\n    r = r + 2",
            "while True:\n    try:\n        {o}[2] = {t}\n        break\n    finally:\n"
            "        r = r + 1",
            "def leave(v):\n    with contextlib.suppress(KeyError):\n        if v > {n}:\n"
            "            return v\n        raise KeyError(v)\n    return {n}\nr = r + leave({t})",
        ),
        ("{o}[0]", "{o}[1]", "{o}[2]"),
        module=_LEAVING,
    ),
    Family(
        "class bodies",
        "shaped(3, True)",
        (
            "r = r + {o}.area()",
            "{o} = shaped({n}, False)",
            "{o} = shaped({t}, True)",
            "class Here(Shape):\n    sides = {t}\n{o} = Here()",
            "type({o}).sides = {n}",
            "Shape.log.append({n})",
            "class Here:\n    a = [v for v in range({n})]\n    b = len(a)\nr = r + Here.b",
            "class Here:\n    a = r\n    a = a + {n}\nr = Here.a",
            "r = r + len(type({o}).__mro__)",
            "{o} = type('Made', (Shape,), {'sides': {t}})()",
            "r = r + (1 if isinstance({o}, Shape) else 2)",
        ),
        ("{o}.area()", "{o}.sides", "len(Shape.log)"),
        module=_BODIES,
        shared=True,
    ),
    Family(
        "generators that are told",
        "{'n': 0, 'closed': 0}",
        (
            "g = averaging()\nnext(g)\nr = r + g.send({t})",
            "g = averaging()\nnext(g)\ng.send({n})\nr = r + g.throw(KeyError)",
            "g = averaging()\nnext(g)\nr = r + g.send({n}) + g.send({t})",
            "g = limited({o})\nr = r + next(g)\ng.close()",
            "g = limited({o})\nr = r + sum(g)",
            "for v in limited({o}):\n    if v > {n}:\n        break\n    r = r + v",
            "r = r + next(limited({o}), {t})",
            "with contextlib.closing(limited({o})) as left:\n    r = r + next(left, 1)",
            "{o}['n'] = 0",
            "{o}['closed'] = {t}",
            "r = r + len(list(limited({o})))",
        ),
        ("{o}['n']", "{o}['closed']"),
        module=_SENT,
    ),
    Family(
        "several managers",
        "Depth()",
        (
            "with {o}.at({n}) as a, {o}.at(a) as b:\n    r = r + b",
            "with ({o}.at({n}) as a, contextlib.closing(Closing({o}))):\n    r = r + a",
            "with {o}.at({t}) as a:\n    r = r + a",
            "with {o}.at({n}):\n    {o}.log[1] = {t}\n    raise KeyError",
            "with contextlib.ExitStack() as s:\n    s.callback({o}.leave, {n})\n"
            "    r = r + s.enter_context({o}.at({n}))",
            "with contextlib.ExitStack() as s:\n    s.push(lambda *e: {o}.leave({n}))\n"
            "    if {c}:\n        r = r + {o}.depth",
            "with {o}.at(1):\n    for v in R(3):\n        if {c}:\n            break\n"
            "        {o}.log[0] = v",
            "with {o}.at(1), scope():\n    if {c}:\n        {o}.log[0] += {n}",
            "def leave():\n    with {o}.at({n}) as a:\n        if {c}:\n            return a\n"
            "    return {o}.depth\nr = r + leave()",
        ),
        ("{o}.log[0]", "{o}.log[1]", "{o}.depth"),
        module=_MANY,
    ),
    Family(
        "chains of comparisons",
        "Noted()",
        (
            "r = r + (1 if 0 < {o}.of({t}) < {o}.of(4) else 2)",
            "r = r + (1 if {n} <= {o}.turn() <= 5 else 2)",
            "r = r + (1 if {t} == {o}.n == {n} else 3)",
            "r = r + (1 if x < y < {t} < r else 2)",
            "r = r + (2 if not ({o}.of(1) < {t} != {o}.of(2)) else 1)",
            "if {o}.of({t}) > 1 and {o}.of({n}) > 2 or {o}.of(r) < 5:\n    r = r + 1",
            "{o}.n = {t}",
            "r = r + (1 if {n} in [1, 2] != [] else 2)",
            "r = r + (1 if None is not {o} is {o} else 2)",
            "r = r + (4 if {t} < 3 else 1 if {t} > 5 else 0)",
            "b = {t} > 2\nr = r + (3 if b == (x > 1) else 1)",
            "r = r + ({o}.of({t}) or {n})",
        ),
        ("{o}.n", "{o}.asked"),
        module=_CHAINS,
    ),
    Family(
        "deletions",
        "Bag()",
        (
            "del {o}.items[{i}]\n{o}.items.append({n})",
            "del {o}.items[0]\n{o}.items.append({t})",
            "del {o}.b",
            "{o}.c = {t}\ndel {o}.c",
            "del {o}.table['p']\n{o}.table['p'] = {t}",
            "{o}.table['s'] = {n}\ndel {o}.table['s']",
            "v = {t}\nr = r + v\ndel v",
            "v = w = {n}\ndel v, w\nr = r + {t}",
            "del {o}.items[1:3]\n{o}.items += [{n}, {t}]",
            "del {o}.items[::2]\n{o}.items[:0] = [1, {n}]",
            "{o}.table.pop('q')\n{o}.table['q'] = {t}",
            "r = r + list({o}.table)[0].count('p')",
            "{o}.a = {t}",
        ),
        ("{o}.a", "{o}.items[0]", "{o}.items[-1]", "{o}.table['p']", "len({o}.items)"),
        module=_LEFT,
    ),
    Family(
        "walrus and conditions within",
        "[[1, 2], [3, 4]]",
        (
            "r = r + sum(w for row in {o} for v in row if (w := v * 2) > {n})",
            "r = r + sum(v for row in {o} for v in row if v > {t})",
            "{o} = [[v + {t} for v in row if v is not None] for row in {o}]",
            "{o} = [[v if v > {t} else {n} for v in row] for row in {o}]",
            "if (n := {t} + 1) > 2:\n    r = r + n",
            "while (m := len({o})) < 3:\n    {o}.append([{t}, m])",
            "r = r + len([v for row in {o} for v in row if v > {t}])",
            "r = r + sum({a: b for a, b in zip('pq', {o}[0])}.values())",
            "r = r + max((v for row in {o} for v in row if v > {t}), default={n})",
            "{o}[{i} % 2] = [(s := {t}), s + 1]",
            "r = r + (1 if any(v == {t} for row in {o} for v in row) else 2)",
            "first, *rest = (v for row in {o} for v in row)\nr = r + first + len(rest)",
            "a, (b, *c), *d = {t}, {o}[0], 3\nr = r + a + b + len(c) + d[0]",
            "[*a, b], c = {o}[1], {t}\nr = r + b + c + len(a)",
        ),
        ("{o}[0][0]", "{o}[1][-1]", "len({o})"),
    ),
)
