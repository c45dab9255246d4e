"""Random programs give the same staged, run eagerly on tensors, and as plain Python."""

import linecache
import random

import ferrograph as fg
import pytest

NAMES = "abcd"
STATE = ", len(items), sum(items), box.v, box.n, len(box.kept), table['k']"


class Programs:
    """Makes the statements of one program; all its values stay within a few hundred."""

    def __init__(self, seed, objects=False):
        self.objects = objects  # whether statements change lists, dicts and objects
        self.random = random.Random(seed)
        self.count = 0

    def expression(self, depth=0):
        pick, kind = self.random.choice, self.random.random()
        if depth > 2 or kind < 0.35:
            return pick(NAMES)
        inner = [self.expression(depth + 1) for _ in range(2)]
        if kind < 0.5:
            return str(self.random.randint(-5, 9))
        if kind < 0.85:
            return f"({inner[0]} {pick('+-*')} {inner[1]}) % 97"
        if kind < 0.93:
            return f"({inner[0]} if {self.condition(depth + 1)} else {inner[1]})"
        return f"helper({inner[0]})"

    def condition(self, depth=0):
        pick, kind = self.random.choice, self.random.random()
        if depth > 2 or kind < 0.6:
            right = pick([pick(NAMES), str(self.random.randint(0, 60))])
            return f"{pick(NAMES)} {pick(['<', '>', '==', '!=', '<=', '>='])} {right}"
        if kind < 0.75:
            links = self.condition(depth + 1), self.condition(depth + 1)
            return f"({links[0]} {pick(['and', 'or'])} {links[1]})"
        if kind < 0.85:
            return f"(not {self.condition(depth + 1)})"
        return f"({pick(NAMES)} < {self.expression(depth + 1)} < {pick(NAMES)})"

    def block(self, depth, in_loop):
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, in_loop)
        return ["    " + line for line in lines]

    def statement(self, depth, in_loop):
        pick, kind = self.random.choice, self.random.random()
        if depth > 3 or kind < 0.4:
            return [f"{pick(NAMES)} = {self.expression()}"]
        if kind < 0.45:
            return [f"a, b = b, {self.expression()}"]
        if self.objects and self.random.random() < 0.3:
            return [self.effect()]
        if kind < 0.68:
            return self.conditional(depth, in_loop)
        if kind < 0.85:
            return self.loop(depth, in_loop)
        if kind < 0.93 and in_loop:
            return [pick(["break", "continue"])]
        if kind < 0.96:
            return [f"return {self.expression()}, {self.expression()}{STATE * self.objects}"]
        head = pick(["with scope():", "try:"])
        tail = ["finally:", "    d = (d + 1) % 97"] if head == "try:" else []
        return [head, *self.block(depth + 1, in_loop), *tail]

    def effect(self):
        """A statement that changes an object, by itself, a method or a function."""
        value = self.expression()
        return self.random.choice(
            [
                f"items.append({value})",
                f"items.append({value})",
                "b = (b + items.pop()) % 97 if len(items) > 1 else b",
                f"items[0] = {value}",
                f"box.add({value})",
                "box.count()",
                f"box.v = {value}",
                f"table['k'] = {value}",
                f"store(table, {value})",
                "c = (c + table['k'] + box.v + items[-1]) % 97",
                f"if {self.condition()}: box.keep({value})",
            ]
        )

    def conditional(self, depth, in_loop):
        lines = [f"if {self.condition()}:", *self.block(depth + 1, in_loop)]
        if self.random.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1, in_loop)]
        if self.random.random() < 0.5:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines

    def loop(self, depth, in_loop):
        self.count += 1
        i, pick = f"i{self.count}", self.random.choice
        lines = [f"for {i} in Range({pick(['3', '5', 'a % 7', '0'])}):", f"    a = (a + {i}) % 97"]
        if self.random.random() < 0.4:
            test = f"{i} < {pick(['3', 'c % 5'])} and {self.condition()}"
            lines = [f"{i} = Number(0)", f"while {test}:", f"    {i} += 1"]
        lines += self.block(depth + 1, True)
        if self.random.random() < 0.2:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines


def helper(x):
    if x > 50:
        return x - 50
    return x


class Box:
    """An object that methods change."""

    def __init__(self, v):
        self.v, self.n, self.kept = v, 0, []

    def add(self, k):
        if k > self.v:
            self.v = (self.v + k) % 97

    def count(self):
        self.n += 1

    def keep(self, value):
        self.kept.append(value)


def store(table, value):
    table["k"] = value


def make(seed, objects=False):
    """The function of a random program; its source is where the converter looks for it."""
    programs = Programs(seed, objects)
    body = [*programs.block(0, False), *programs.block(0, False)]
    lines = ["def f(a, b, Range, Number):", "    c, d = Number(1), Number(2)"]
    result = "a + c, b + d"
    if objects:
        lines.append("    items, box, table = [Number(3)], Box(Number(1)), {'k': Number(4)}")
        result += STATE
    text = "\n".join([*lines, *body, f"    return {result}", ""])
    filename = f"<random program {seed}{' with objects' * objects}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"helper": helper, "scope": lambda: fg.name_scope("scope")}
    namespace |= {"Box": Box, "store": store}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("seed", range(40))
def test_a_random_program(seed):
    check(make(seed))


@pytest.mark.parametrize("seed", range(40))
def test_a_random_program_that_changes_objects(seed):
    check(make(seed, objects=True))


def check(f):
    @fg.function
    def staged(a, b):
        return f(a, b, fg.range, fg.constant)

    for args in ((3, 40), (60, 5), (-4, 17)):
        tensors = [fg.constant(a) for a in args]
        expected = f(*args, range, int)
        assert [int(v) for v in f(*tensors, fg.range, fg.constant)] == list(expected)
        assert [int(v) for v in staged(*tensors)] == list(expected)
