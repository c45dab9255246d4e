"""From a seed to the text of a program: the statements of a family inside random control flow.

A family says which objects there are, which statements change them and which expressions read them.
Its texts hold these places, which are filled at random:

- ``{o}``: the object; a name of the function or of the module, an attribute, an item,
- ``{t}``: a number that may be a tensor; ``{p}``: one that is a plain int; ``{n}``: a constant,
- ``{c}``: a condition, mostly on tensors,
- ``{i}``: 0, 1 or 2.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

HEAD = "def program(x, y, R, N):"
_PLACES = re.compile(r"\{([otpnci])\}")


@dataclass(frozen=True)
class Family:
    """What programs of one kind do."""

    name: str
    object: str  # the expression that makes the object
    effects: tuple[str, ...]
    reads: tuple[str, ...]
    module: str = ""  # text in front of the function
    local: bool = False  # whether the object is always a name of the function
    shared: bool = False  # whether effects change what stands in front of the function

    def program(self, seed: int) -> Program:
        """The program of a seed."""
        return Writer(self, seed).program(seed)


@dataclass(frozen=True)
class Program:
    """The text of a program, and how it is to be run."""

    family: str
    seed: int
    text: str
    is_shared: bool  # whether the object outlives a call, so that each call needs a fresh one


def indented(lines: list[str], depth: int = 1) -> list[str]:
    return ["    " * depth + line for line in lines]


class Writer:
    """Writes the statements of one program; numbers stay below a few hundred."""

    def __init__(self, family: Family, seed: int):
        self.family, self.random = family, random.Random(f"{family.name} {seed}")
        self.ints = ["k"]  # names that hold plain ints
        self.numbers = ["x", "y", "r", "k"]  # names that hold numbers
        self.count = 0
        local = family.local or self.random.random() < 0.6
        self.holder = "o" if local else self.random.choice(["g", "box.o", "table['o']", "o"])

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def filled(self, text: str) -> list[str]:
        """The lines of a text with its places filled."""
        makers = {
            "o": lambda: self.holder,
            "t": self.number,
            "p": self.plain,
            "n": lambda: str(self.random.randint(1, 5)),
            "c": self.condition,
            "i": lambda: str(self.random.randint(0, 2)),
        }
        return _PLACES.sub(lambda found: makers[found[1]](), text).split("\n")

    def plain(self) -> str:
        if self.random.random() < 0.04:
            return self.number()
        return self.pick(*self.ints, str(self.random.randint(1, 9)), "k + 1")

    def number(self) -> str:
        kind = self.random.random()
        if kind < 0.4:
            return self.pick(*self.numbers)
        if kind < 0.55:
            return str(self.random.randint(-3, 9))
        left, right = self.pick(*self.numbers), self.pick(*self.numbers, "3")
        return f"({left} {self.pick('+', '-', '*')} {right}) % 23"

    def condition(self) -> str:
        kind = self.random.random()
        if kind < 0.12:
            return self.pick("k > 2", "k % 2 == 0", "True")
        one = f"{self.pick('x', 'y', 'r')} {self.pick('>', '<', '>=', '!=')} {self.pick('k', '2')}"
        if kind < 0.75:
            return one
        other = self.pick("x % 2 == 0", "y > 1", "r < 9", "x > y")
        return self.pick(f"{one} and {other}", f"{one} or {other}", f"not {other}")

    def effect(self) -> list[str]:
        return self.filled(self.random.choice(self.family.effects))

    def read(self) -> list[str]:
        found = self.filled(self.random.choice(self.family.reads))
        return [f"r = (r + {found[0]}) % 97"]

    def block(self, depth: int, size: int = 2) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, size)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.random.random()
        if depth > 2 or kind < 0.38:
            return self.effect()
        if kind < 0.52:
            return self.read()
        if kind < 0.58:
            return [f"r = {self.number()}"]
        if kind < 0.61:
            return [f"var.assign_add({self.number()})"]
        if kind < 0.63:
            return ["fg.print('r', r, output_stream=STREAM)"]
        makers = (self.conditional, self.conditional, self.conditional, self.loop, self.loop)
        others = (self.turning, self.called, self.unrolled, self.guarded)
        return self.random.choice(makers + others)(depth + 1)

    def conditional(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *indented(self.block(depth))]
        if self.random.random() < 0.45:
            lines += ["else:", *indented(self.block(depth))]
        return lines

    def named(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def scoped(self, depth: int, name: str, is_plain: bool = False) -> list[str]:
        """A block in which there is one number more."""
        self.numbers.append(name)
        if is_plain:
            self.ints.append(name)
        lines = self.block(depth)
        self.numbers.remove(name)
        if is_plain:
            self.ints.remove(name)
        return lines

    def loop(self, depth: int) -> list[str]:
        name = self.named("i")
        lines = self.scoped(depth, name)
        if self.random.random() < 0.15:
            jump = self.pick("break", "continue")
            lines = [f"if {name} == {self.random.randint(1, 2)}:", f"    {jump}", *lines]
        stop = self.pick("2", "3", "3", "y")
        return [f"for {name} in R({stop}):", *indented(lines)]

    def turning(self, depth: int) -> list[str]:
        name = self.named("w")
        lines = [f"{name} = {name} + 1", *self.scoped(depth, name)]
        return [f"{name} = N(0)", f"while {name} < {self.pick('2', '3', 'y')}:", *indented(lines)]

    def unrolled(self, depth: int) -> list[str]:
        name = self.named("j")
        lines = self.scoped(depth, name, is_plain=True)
        return [f"for {name} in range({self.random.randint(1, 3)}):", *indented(lines)]

    def called(self, depth: int) -> list[str]:
        name, parameter = self.named("act"), self.named("a")
        shared = "r, o" if self.holder == "o" else "r"
        lines = [f"nonlocal {shared}", *self.scoped(depth, parameter)]
        if self.holder == "g":
            lines.insert(0, "global g")
        call = [f"{name}({self.number()})"]
        if self.random.random() < 0.5:
            call = [f"if {self.condition()}:", *indented(call)]
        return [f"def {name}({parameter}):", *indented(lines), *call]

    def guarded(self, depth: int) -> list[str]:
        lines = self.block(depth)
        if self.random.random() < 0.5:
            return ["with scope():", *indented(lines)]
        return ["try:", *indented(lines), "finally:", "    r = (r + 1) % 97"]

    def program(self, seed: int) -> Program:
        body = [*self.conditional(0), *self.block(0, 3)]
        if self.random.random() < 0.5:
            body = [*self.block(0, 1), *body]
        if self.random.random() < 0.3:
            body = [*body[:0], *self.loop(0), *body]
        if self.random.random() < 0.85:
            body += [f"z{i} = {self.filled(t)[0]}" for i, t in enumerate(self.family.reads)]
            results = "".join(f", z{i}" for i in range(len(self.family.reads)))
        else:
            results = ""
        made, is_shared = self.family.object, self.holder == "g" or self.family.shared
        first = {
            "o": [f"o = {made}"],
            "g": ["global g"],
            "box.o": ["box = Box()", f"box.o = {made}"],
            "table['o']": [f"table = {{'o': {made}}}"],
        }[self.holder]
        lines = [*first, f"k = {self.random.randint(0, 4)}", "r = x + k", "seen.append(k)"]
        start = made if self.holder == "g" else None
        reset = ["def reset():", "    global g", f"    g = {start}"]
        main = [HEAD, *indented([*lines, *body, f"return r{results}"])]
        text = "\n".join([*self.family.module.strip().split("\n"), "", *reset, "", *main, ""])
        return Program(self.family.name, seed, text, is_shared)


def make(family: Family, seed: int) -> Program:
    """The program of a family and a seed."""
    return family.program(seed)
