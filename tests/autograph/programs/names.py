"""Objects with two names: how the second one comes to be, where and how the object is changed, and
how it is read under each name.

In the texts ``{a}`` is an object, ``{b}`` another one of its kind, and ``{e}`` the second name.
"""

from __future__ import annotations

from dataclasses import dataclass

from .kit import HEAD, Family, Program, Writer, indented
from .name_kinds import (
    ARRAYS,
    BYTES,
    CARDS,
    CELLS,
    DEQUES,
    DICTS,
    LISTS,
    ROWS,
    SETS,
    SHELVES,
    Kind,
)

MODULE = """
Record = collections.namedtuple('Record', 'n kept')

@dataclasses.dataclass
class Card:
    n: object
    kept: object

class Cell:
    def __init__(self, v):
        self.v, self.rows = v, [v, 2]

    def add(self, v):
        self.v = (self.v + v) % 31

    def keep(self, v):
        self.rows.append(v)

def same(v):
    return v

def either(c, v, w):
    if c:
        return v
    return w

def packed(*args, **named):
    return args, named

def giving(v):
    while True:
        yield v

def size(v):
    return len(v)
"""


# What there is at first, the statement that gives the second name, and that name.
NAMES = (
    ("e = {b}", "e = {a}", "e"),
    ("e = {b}", "e = d = {a}", "e"),
    ("kept = [{b}]", "kept = [{a}]", "kept[0]"),
    ("kept = [{b}]", "kept[0] = {a}", "kept[0]"),
    ("kept = [{b}]", "kept.append({a})", "kept[-1]"),
    ("kept = [{b}]", "kept.insert(0, {a})", "kept[0]"),
    ("kept = [{b}]", "kept += [{a}]", "kept[-1]"),
    ("kept = [{b}]", "kept = [{a}, *kept]", "kept[0]"),
    ("kept = [{b}]", "kept = [{a}] * 2", "kept[1]"),
    ("kept = [{b}]", "kept = [v for v in ({a}, {b})]", "kept[0]"),
    ("kept = [{b}]", "kept = sorted([{a}, {b}], key={order})", "kept[0]"),
    ("kept = [{b}]", "kept = list(map(same, [{a}]))", "kept[0]"),
    ("kept = [{b}]", "kept = copy.copy([{a}])", "kept[0]"),
    ("kept = [{b}]", "kept = [{b}, {a}][::-1]", "kept[0]"),
    ("kept = [{b}]", "kept, e = [{a}], {a}", "kept[0]"),
    ("kept = ({b},)", "kept = ({a},)", "(kept[0])"),
    ("kept = ({b}, 1)", "kept = tuple([{a}, {n}])", "(kept[0])"),
    ("kept = collections.deque([{b}])", "kept.appendleft({a})", "kept[0]"),
    ("shelf = {'k': {b}}", "shelf = {'k': {a}}", "shelf['k']"),
    ("shelf = {'k': {b}}", "shelf['k'] = {a}", "shelf['k']"),
    ("shelf = {'k': {b}}", "shelf = dict(zip('kl', ({a}, {b})))", "shelf['k']"),
    ("shelf = {'k': {b}}", "shelf.update(k={a})", "shelf['k']"),
    ("shelf = {'k': {b}}", "shelf = {v: {a} for v in 'kl'}", "shelf['l' if 'l' in shelf else 'k']"),
    ("shelf = {}", "shelf.setdefault('k', {a})", "shelf.get('k', {b})"),
    ("box = Box()\nbox.p = {b}", "box.p = {a}", "box.p"),
    ("box = types.SimpleNamespace(p={b})", "box = types.SimpleNamespace(p={a})", "box.p"),
    ("box = Card({n}, {b})", "box = Card({n}, {a})", "box.kept"),
    ("box = Card({n}, {b})", "box = dataclasses.replace(box, kept={a})", "box.kept"),
    ("box = Record({n}, {b})", "box = Record({n}, {a})", "getattr(box, 'kept')"),
    ("box = Record({n}, {b})", "box = box._replace(kept={a})", "(box[1])"),
    ("def get():\n    return {b}", "def get():\n    return {a}", "get()"),
    ("def get():\n    return {b}", "def get(held={a}):\n    return held", "get()"),
    ("get = lambda: {b}", "get = lambda held={a}: held", "get()"),
    ("get = lambda: {b}", "get = functools.partial(same, {a})", "get()"),
    ("e = {b}", "generator = giving({a})\ne = next(generator)", "e"),
    ("generator = giving({b})", "generator = giving({a})", "next(generator)"),
    ("e = {b}", "e, *kept = [{a}, {n}]", "e"),
    ("kept = [{b}]", "*kept, e = [{a}, {b}]", "kept[0]"),
    ("e = {b}", "r = r + size((e := {a}).__class__.__name__)", "e"),
    ("e = {b}", "e = max([{a}, {b}], key={order})", "e"),
    ("e = {b}", "e = {a} if {c} else {b}", "e"),
    ("e = {b}", "e = {c} and {a} or {b}", "e"),
    ("e = {b}", "e = [{a}, {b}][{t} % 2]", "e"),
    ("e = {b}", "e = {0: {a}, 1: {b}}[({p}) % 2]", "e"),
    ("e = {b}", "match [{a}, {n}]:\n    case [e, _]:\n        pass", "e"),
    ("e = {b}", "for e in ({b}, {a}):\n    pass", "e"),
    ("e = {b}", "with contextlib.nullcontext({a}) as e:\n    pass", "e"),
    ("e = {b}", "e = packed({a}, {n})[0][0]", "e"),
    ("shelf = {'p': {b}}", "shelf = packed(p={a})[1]", "shelf['p']"),
    ("e = {b}", "e = same({a})", "e"),
    ("e = {b}", "e = either({c}, {a}, {b})", "e"),
    ("e = {b}", "e, a = a, {b}", "e"),
    ("e = {b}", "e = {copy}", "e"),
)

LOCALS = ("r", "a", "b", "d", "e", "kept", "shelf", "box", "get", "generator", "row", "o", "t")


@dataclass(frozen=True)
class Names(Family):
    """Programs about the names of objects of some kinds."""

    kinds: tuple[Kind, ...] = ()

    def program(self, seed: int) -> Program:
        return Naming(self, seed).program(seed)


class Naming(Writer):
    """Writes a program in which an object gets a second name."""

    family: Names

    def __init__(self, family: Names, seed: int):
        super().__init__(family, seed)
        self.kind: Kind = self.random.choice(family.kinds)
        self.first = self.pick("a", "a", "a", "o.p", "t['p']", "m[0]")
        self.second = "e"

    def said(self, text: str, a: str, b: str) -> list[str]:
        """The lines of a text about two objects."""
        for place, name in (("{order}", self.kind.order), ("{copy}", self.pick(*self.kind.copies))):
            text = text.replace(place, name)
        return self.filled(text.replace("{a}", a).replace("{b}", b))

    def named(self, stem: str) -> str:
        self.numbers = self.numbers[:4]  # targets of loops that are over are none
        return super().named(stem)

    def change(self) -> list[str]:
        places = [self.first, self.first, self.second, self.second, "b"]
        one, other = self.pick(*places), self.pick(*places)
        kind = self.random.random()
        if kind < 0.1 and "(" not in one:
            return self.said("{a} = " + self.pick(*self.kind.copies, "{b}"), one, other)
        if kind < 0.25:
            return self.said("r = (r + " + self.pick(*self.kind.reads) + ") % 97", one, other)
        changes = self.kind.changes
        if "(" in one:  # no target
            changes = tuple(
                text for text in changes if "{a}" not in text.split("= ")[0][:-1].split()
            )
        return self.said(self.pick(*changes), one, other)

    def within(self, lines: list[str]) -> list[str]:
        """Statements, mostly where a tensor decides whether or how often they run."""
        kind = self.random.random()
        if kind < 0.3:
            return lines
        if kind < 0.55:
            return [f"if {self.condition()}:", *indented(lines)]
        if kind < 0.62:
            other = self.change() if self.random.random() < 0.5 else ["pass"]
            return [f"if {self.condition()}:", *indented(other), "else:", *indented(lines)]
        if kind < 0.82:
            return [f"for {self.named('i')} in R({self.pick('2', '3', 'y')}):", *indented(lines)]
        if kind < 0.86:
            return [f"for {self.named('j')} in range(2):", *indented(lines)]
        if kind < 0.92:
            head = [f"{self.named('w')} = N(0)", f"while w{self.count} < {self.pick('2', 'y')}:"]
            return [*head, f"    w{self.count} = w{self.count} + 1", *indented(lines)]
        name = self.named("act")
        outer = ", ".join(n for n in LOCALS if n in self.bound)
        return [f"def {name}():", *indented([f"nonlocal {outer}", *lines]), f"{name}()"]

    def nested(self, lines: list[str]) -> list[str]:
        return self.within(self.within(lines) if self.random.random() < 0.3 else lines)

    def begun(self) -> list[str]:
        """The objects, and where the first of them is."""
        made = self.kind.made
        before = {"o.p": ["o = Box()"], "t['p']": ["t = {}"], "m[0]": ["m = [0]"]}
        lines = [*before.get(self.first, ()), f"{self.first} = {self.pick(*made)}"]
        lines += [] if self.first == "a" else [f"a = {self.first}"]
        return [f"k = {self.random.randint(0, 4)}", "r = x + k", *lines, f"b = {self.pick(*made)}"]

    def program(self, seed: int) -> Program:
        lines = self.begun()
        start, statement, second = self.random.choice(NAMES)
        lines += self.said(start, self.first, "b")
        self.bound = {
            "r",
            "a",
            "b",
            *(n for n in LOCALS if start.startswith((f"{n} ", f"def {n}"))),
        }
        self.second = second.replace("{b}", "b")
        if self.random.random() < 0.3:
            lines += self.nested(self.change())
        lines += self.nested(self.said(statement, self.first, "b"))
        for _ in range(self.random.randint(1, 3)):
            lines += self.nested(self.change())
        lines += self.results()
        text = "\n".join([MODULE, "def reset():", "    pass", "", HEAD, *indented(lines), ""])
        return Program(self.family.name, seed, text, is_shared=False)

    def results(self) -> list[str]:
        one, other = self.first, self.second
        found = [
            self.said(text, name, other)[0] for text in self.kind.reads for name in (one, other)
        ]
        found = self.random.sample(found, min(len(found), 5))
        if self.random.random() < 0.4:
            found.append(f"int({one} is {other})")
        found.append(self.said(self.pick(*self.kind.reads), "b", one)[0])
        return [f"z{i} = {text}" for i, text in enumerate(found)] + [
            "return r" + "".join(f", z{i}" for i in range(len(found)))
        ]


CONTAINERS = (LISTS, ROWS, DICTS, SHELVES, SETS, DEQUES, BYTES)
OBJECTS = (ARRAYS, CELLS, CARDS)

FAMILIES = (
    Names("names of containers", "", (), (), kinds=CONTAINERS),
    Names("names of arrays and objects", "", (), (), kinds=OBJECTS),
)
