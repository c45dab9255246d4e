"""State machines, memos, linked objects, matrices, searches and numeric recipes."""

from .kit import Family

MACHINES = """
import enum

class Light(enum.IntEnum):
    RED = 0
    GREEN = 1
    AMBER = 2

class Mode(enum.Enum):
    IDLE = 'idle'
    BUSY = 'busy'

NEXT = {Light.RED: Light.GREEN, Light.GREEN: Light.AMBER, Light.AMBER: Light.RED}

class Machine:
    def __init__(self):
        self.state, self.mode, self.visits, self.steps = 0, Mode.IDLE, [0, 0, 0], 0

    def step(self, go):
        self.steps += 1
        if go:
            self.state = (self.state + 1) % 3
        else:
            self.state = 0
        return self.state

    def visit(self, n):
        self.visits[n] += 1

    def name(self):
        return self.mode.value
"""

MEMOS = """
class Memo:
    def __init__(self):
        self.known, self.hits = {0: 0, 1: 1}, 0

    def fib(self, n):
        if n in self.known:
            self.hits += 1
            return self.known[n]
        self.known[n] = self.fib(n - 1) + self.fib(n - 2)
        return self.known[n]

    def get(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

@functools.lru_cache(maxsize=None)
def square(n):
    return n * n
"""

LINKED = """
class Node:
    def __init__(self, v, rest=None):
        self.v, self.rest = v, rest

class Chain:
    def __init__(self):
        self.head, self.size = Node(1, Node(2, Node(3))), 3

    def push(self, v):
        self.head, self.size = Node(v, self.head), self.size + 1

    def pop(self):
        self.size -= 1
        v, self.head = self.head.v, self.head.rest
        return v

    def total(self):
        found, at = 0, self.head
        while at is not None:
            found, at = found + at.v, at.rest
        return found

    def reverse(self):
        done, at = None, self.head
        while at is not None:
            done, at.rest, at = at, done, at.rest
        self.head = done

    def __iter__(self):
        at = self.head
        while at is not None:
            yield at.v
            at = at.rest
"""

MATRICES = """
def product(a, b):
    return [[sum(p * q for p, q in zip(row, column)) % 31 for column in zip(*b)] for row in a]

def transposed(m):
    return [list(column) for column in zip(*m)]
"""

SEARCHES = """
def first_above(items, limit):
    for i, v in enumerate(items):
        if v > limit:
            return i
    return -1

def position(items, wanted):
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low

def has_pair(items, total):
    for i, a in enumerate(items):
        for b in items[i + 1:]:
            if a + b == total:
                return True
    return False
"""

RECIPES = """
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a

def digits(n):
    found = 0
    while n > 0:
        found, n = found + n % 10, n // 10
    return found

def collatz(n, limit):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else (3 * n + 1) % 50
        steps += 1
        if steps >= limit:
            break
    else:
        steps += 100
    return steps

def power(base, n):
    found = 1
    while n > 0:
        if n % 2 == 1:
            found = (found * base) % 97
        base, n = (base * base) % 97, n // 2
    return found
"""

FAMILIES = (
    Family(
        "state machines",
        "Machine()",
        (
            "r = r + {o}.step({c})",
            "{o}.visit({o}.state)",
            "{o}.visits[{i}] += 1",
            "{o}.mode = Mode.BUSY",
            "{o}.mode = Mode.IDLE if k > 2 else Mode.BUSY",
            "if {o}.mode is Mode.IDLE:\n    r = r + 1\nelse:\n    r = r + {t}",
            "if {o}.state == Light.GREEN:\n    r = r + {t}",
            "{o}.state = Light.AMBER",
            "{o}.state = NEXT[Light({i})]",
            "match {o}.state:\n    case Light.RED:\n        {o}.state = 1\n"
            "    case Light.GREEN:\n        r = r + {t}\n    case _:\n        {o}.state = 0",
            "match {o}.mode:\n    case Mode.IDLE:\n        r = r + 1\n"
            "    case _:\n        r = r - 1",
            "for light in Light:\n    r = r + light * {n}",
            "r = r + len({o}.name())",
        ),
        ("{o}.state", "{o}.steps", "sum({o}.visits)", "{o}.visits[{i}]", "len({o}.name())"),
        module=MACHINES,
    ),
    Family(
        "memos",
        "Memo()",
        (
            "r = r + {o}.fib({n})",
            "r = r + {o}.get({n}, lambda: {t})",
            "{o}.known[{n}] = {t}",
            "r = r + {o}.known.get({n}, {t})",
            "r = r + square({n})",
            "if {n} in {o}.known:\n    r = r + {o}.known[{n}]\nelse:\n    {o}.known[{n}] = {t}",
            "{o}.known.pop({n}, 0)",
            "r = r + sum(v for key, v in {o}.known.items() if key > {i})",
            "{o}.known = {key: v for key, v in {o}.known.items() if key < {n}}",
            "r = r + max({o}.known.values())",
        ),
        ("len({o}.known)", "{o}.hits", "sum({o}.known.values())", "{o}.known.get(2, 5)"),
        module=MEMOS,
    ),
    Family(
        "linked objects",
        "Chain()",
        (
            "{o}.push({t})",
            "{o}.head.v = {t}",
            "{o}.head.rest.v += {t}",
            "r = r + ({o}.pop() if {o}.size > 3 else {t})",
            "r = r + {o}.total()",
            "{o}.reverse()",
            "for v in {o}:\n    r = (r * 3 + v) % 31",
            "at = {o}.head\nat.v, at.rest.v = at.rest.v, at.v",
            "kept = {o}.head\n{o}.head = Node({t}, kept.rest)",
            "r = r + sum(v for v in {o} if v > {t})",
        ),
        ("{o}.head.v", "{o}.total()", "{o}.size", "len(list({o}))"),
        module=LINKED,
    ),
    Family(
        "matrices",
        "[[1, 2], [3, 4]]",
        (
            "{o} = product({o}, [[1, {t}], [0, 1]])",
            "{o} = transposed({o})",
            "{o}[{i} % 2][{i} % 2] = {t}",
            "{o}[0], {o}[1] = {o}[1], {o}[0]",
            "for row in {o}:\n    row[{i} % 2] += {t}",
            "for a in range(2):\n    for b in range(2):\n"
            "        {o}[a][b] = ({o}[a][b] * {n}) % 31",
            "{o} = [[v + {t} for v in row] for row in {o}]",
            "r = r + sum({o}[j][j] for j in range(2))",
            "r = r + sum(map(sum, {o}))",
            "{o}[1] = [a - b for a, b in zip(*{o})]",
            "r = r + max(max(row) for row in {o})",
            "row = {o}[0]\nrow[1] = row[0] + {t}",
        ),
        ("{o}[0][0]", "{o}[1][1]", "sum(sum(row) for row in {o})", "len({o})"),
        module=MATRICES,
    ),
    Family(
        "searches",
        "[1, 3, 4, 6, 9]",
        (
            "r = r + first_above({o}, {t})",
            "r = r + position({o}, {t})",
            "r = r + (2 if has_pair({o}, {t}) else 5)",
            "{o}.sort()",
            "{o}[{i}] = {t}",
            "{o}.append({t})",
            "r = r + next((v for v in {o} if v > {t}), 7)",
            "found = -1\nfor i, v in enumerate({o}):\n    if v == {t}:\n        found = i\n"
            "        break\nelse:\n    r = r + 1\nr = r + found",
            "best = {o}[0]\nfor v in {o}:\n    if v > best:\n        best = v\nr = r + best",
            "r = r + (1 if any(v == {t} for v in {o}) else 3)",
            "r = r + (1 if all(v > {n} for v in {o}) else 3)",
            "left, right = 0, len({o}) - 1\nwhile left < right and {o}[left] < {t}:\n"
            "    left += 1\nr = r + left",
            "i = N(0)\nwhile {o}[i] < {t} and i < 4:\n    i += 1\nr = r + i",
        ),
        ("{o}[0]", "len({o})", "sum({o})", "max({o})"),
        module=SEARCHES,
    ),
    Family(
        "numeric recipes",
        "{'n': 7, 'trace': []}",
        (
            "r = r + gcd({t} % 20 + 1, {n} * 6)",
            "r = r + digits(({t}) % 90)",
            "r = (r + collatz({t} % 20 + 1, {n})) % 97",
            "r = r + power({t}, {n})",
            "{o}['n'] = gcd({o}['n'], {t} % 9 + 1)",
            "{o}['n'] = {t}",
            "{o}['trace'].append(digits({n}))",
            "a, b = 0, 1\nfor _ in R({n}):\n    a, b = b, (a + b) % 50\nr = r + a",
            "s, sign = 0, 1\nfor v in R(4):\n    s += sign * v\n    sign = -sign\nr = r + s",
            "low, high = 0, {n} + 9\nwhile high - low > 1:\n    middle = (low + high) // 2\n"
            "    if middle * middle > {t} % 50:\n        high = middle\n    else:\n"
            "        low = middle\nr = r + low",
            "total, last = 0, None\nfor v in [{t}, {n}, {t}]:\n    if last is not None:\n"
            "        total += v - last\n    last = v\nr = r + total",
            "flag = False\nfor v in R(3):\n    flag = flag or v == {t}\nr = r + (1 if flag else 2)",
        ),
        ("{o}['n']", "len({o}['trace'])", "sum({o}['trace'])"),
        module=RECIPES,
    ),
)
