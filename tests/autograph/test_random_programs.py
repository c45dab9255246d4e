"""Random programs give the same staged, run eagerly on tensors, and as plain Python."""

import linecache
import random

import ferrograph as fg
import pytest

NAMES = "abcd"


class Programs:
    """Makes the statements of one program; all its values stay within a few hundred."""

    def __init__(self, seed):
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
        if kind < 0.68:
            return self.conditional(depth, in_loop)
        if kind < 0.85:
            return self.loop(depth, in_loop)
        if kind < 0.93 and in_loop:
            return [pick(["break", "continue"])]
        if kind < 0.96:
            return [f"return {self.expression()}, {self.expression()}"]
        head = pick(["with scope():", "try:"])
        tail = ["finally:", "    d = (d + 1) % 97"] if head == "try:" else []
        return [head, *self.block(depth + 1, in_loop), *tail]

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


def make(seed):
    """The function of a random program; its source is where the converter looks for it."""
    programs = Programs(seed)
    body = [*programs.block(0, False), *programs.block(0, False)]
    lines = ["def f(a, b, Range, Number):", "    c, d = Number(1), Number(2)"]
    text = "\n".join([*lines, *body, "    return a + c, b + d", ""])
    filename = f"<random program {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"helper": helper, "scope": lambda: fg.name_scope("scope")}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("seed", range(40))
def test_a_random_program(seed):
    f = make(seed)

    @fg.function
    def staged(a, b):
        return f(a, b, fg.range, fg.constant)

    for args in ((3, 40), (60, 5), (-4, 17)):
        tensors = [fg.constant(a) for a in args]
        expected = f(*args, range, int)
        assert [int(v) for v in f(*tensors, fg.range, fg.constant)] == list(expected)
        assert [int(v) for v in staged(*tensors)] == list(expected)
