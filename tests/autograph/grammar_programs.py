"""Programs for the probe of the grammar: constructs, the places they stand in, the values they get.

A construct is a few lines over the names ``x``, ``y`` and ``r``; a place nests them in another
statement; a kind of values says which of them are tensors. ``R`` counts like ``range``, ``N`` makes
a number. ``grammar_refusals.txt`` lists what is refused, by construct, kind and place; run as a
program this module prints how many programs get which verdict, and writes that list anew.
"""

import collections
import contextlib
import dataclasses
import functools
import heapq
import io
import itertools
import linecache
import pathlib
import random
import re
import sys
import traceback
from dataclasses import dataclass

import ferrograph as fg

HEAD = "def program(x, y, R, N):"


@dataclass
class Construct:
    name: str
    lines: list
    loops_only: bool = False  # whether it makes sense inside loops alone

    def places(self):
        return [p for p in PLACES if p in IN_LOOPS or not self.loops_only]

    def pairs(self):
        """The places it stands in, each with each kind of values."""
        return [(place, kind) for place in self.places() for kind in KINDS]

    def verdicts(self, pairs):
        """How it fares in places on kinds of values."""
        return {pair: run(self, *pair) for pair in pairs}


def indented(lines, depth=1):
    return ["    " * depth + line for line in lines]


def place_plain(lines):
    return lines


def place_if(lines):
    return ["if y > 2:", *indented(lines)]


def place_else(lines):
    return ["if y > 2:", "    r = r + 1", "else:", *indented(lines)]


def place_for(lines):
    return ["for i in R(3):", *indented(lines), "    r = r + i"]


def place_while(lines):
    return ["turn = N(0)", "while turn < 3:", "    turn = turn + 1", *indented(lines)]


def place_for_if(lines):
    return ["for i in R(4):", "    if i > y - 2:", *indented(lines, 2)]


def place_function(lines):
    head = "def inner(x, y, r):"
    return [head, *indented(lines), "    return x, r", "x, r = inner(x, y, r)"]


def place_closure(lines):
    return [
        "def inner():",
        "    nonlocal x, r",
        *indented(lines),
        "for i in R(3):",
        "    inner()",
    ]


def place_method(lines):
    body = ["class Owner:", "    def method(self, x, y, r):", *indented(lines, 2)]
    return [*body, "        return x, r", "if y > 1:", "    x, r = Owner().method(x, y, r)"]


def place_try(lines):
    return ["try:", *indented(lines), "finally:", "    r = r + 1"]


def place_with(lines):
    return ["with scope():", *indented(lines), "    if y > 3:", "        r = r + 2"]


PLACES = {name[6:]: maker for name, maker in list(globals().items()) if name.startswith("place_")}
IN_LOOPS = ("for", "while", "for_if")

# For each kind of values: whether x, y, R and N are tensors.
KINDS = {
    "tensor": (True, True, True, True),
    "python": (False, False, False, False),
    "mixed": (True, False, False, True),
    "crossed": (False, True, True, False),
}
INPUTS = ((3, 4), (-4, 1), (0, 2))


def scope():
    return fg.name_scope("scope")


def compiled(text, filename, extra):
    """The function ``program`` of ``text``, whose source the converter finds."""
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"fg": fg, "scope": scope, **extra}
    linecache.cache["<names>"] = (len(NAMES), None, NAMES.splitlines(True), "<names>")
    exec(compile(NAMES, "<names>", "exec"), namespace)
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"]


def source_of(construct, place):
    """The text of a program, and the numbers of the lines of the construct."""
    marked = PLACES[place]([f"{line}\0" for line in construct.lines])
    body = [HEAD, *indented(["r = N(0)", *marked, "return x, r"])]
    own = [i + 1 for i, line in enumerate(body) if "\0" in line]
    heads = ("    if ", "    for ", "    while ", "        if ")  # of the statements around them
    own += [i + 1 for i, line in enumerate(body) if line.startswith(heads)]
    return "\n".join(body).replace("\0", "") + "\n", own


def plain(value):
    """What a program returns as Python values."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "numpy"):
        value = value.numpy().tolist()
    return round(value, 4) if isinstance(value, float) else value


def constructs():
    """All constructs, from the text file beside this one."""
    found, here = [], pathlib.Path(__file__).with_name("grammar_constructs.txt")
    for part in here.read_text().split("\n== "):
        head, *lines = part.removeprefix("== ").rstrip("\n").split("\n")
        name, _, options = head.partition(" ")
        if "[3.11]" in options and sys.version_info < (3, 11):
            continue
        found.append(Construct(name, lines, "[loops]" in options))
    return found


REFUSALS = pathlib.Path(__file__).with_name("grammar_refusals.txt")


def refusals():
    """For each construct the places and kinds in which it is refused."""
    found = {}
    for line in REFUSALS.read_text().splitlines():
        name, _, parts = line.partition(": ")
        for part in parts.split("; "):
            kinds, places = (words.split() for words in part.split(" in "))
            found.setdefault(name, set()).update((p, k) for p in places for k in kinds)
    return found


def listed(name, pairs):
    """A line of that list."""
    kinds_of = {p: tuple(k for k in KINDS if (p, k) in pairs) for p in PLACES}
    groups = {}
    for place, kinds in kinds_of.items():
        groups.setdefault(kinds, []).append(place)
    parts = [
        f"{' '.join(kinds)} in {' '.join(places)}" for kinds, places in groups.items() if kinds
    ]
    return f"{name}: {'; '.join(parts)}\n"


# The names of a module that functions of it set.
NAMES = """
total = 0

def reset():
    global total
    total = 0

def bump(n):
    global total
    total = total + n

def get():
    return total
"""

SHARED = {
    "functools": functools,
    "itertools": itertools,
    "contextlib": contextlib,
    "collections": collections,
    "dataclasses": dataclasses,
    "heapq": heapq,
    "random": random,
    "K": 5,
}


def run(construct, place, kind):
    """How a program fares traced: "equal", "refused", or what is wrong with it."""
    text, own = source_of(construct, place)
    filename = f"<{construct.name} in {place}>"
    helpers = [
        fg.range if KINDS[kind][2] else range,
        fg.constant if KINDS[kind][3] else int,
    ]
    program, traced = (compiled(text, filename, SHARED) for _ in range(2))
    staged = fg.function(lambda x, y: traced(x, y, *helpers))
    verdict = "equal", ""
    for values in INPUTS:
        args = [fg.constant(v) if t else v for v, t in zip(values, KINDS[kind], strict=False)]
        expected = outcome(lambda: program(*args, *helpers), filename)  # noqa: B023
        found = outcome(lambda: staged(*args), filename)  # noqa: B023
        verdict = max(verdict, compare(expected, found, own), key=lambda v: ORDER.index(v[0]))
    return verdict


ORDER = ["equal", "fails eagerly", "refused", "wrong line", "differs"]


def outcome(call, filename):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return "value", plain(call())
    except Exception as e:
        lines = [f.lineno for f in traceback.extract_tb(e.__traceback__) if f.filename == filename]
        named = [int(n) for n in re.findall(re.escape(filename) + r":(\d+)", str(e))]
        return "raises", f"{type(e).__name__}: {e}", lines[-1:], named


def compare(expected, found, own):
    if expected[0] == "raises":
        return "fails eagerly", expected[1][:300]
    if found[0] == "value":
        same = found[1] == expected[1]
        return ("equal", "") if same else ("differs", f"{found[1]}, eagerly {expected[1]}")
    lines = found[2] or found[3]
    if not set(lines) & set(own):
        return "wrong line", f"{found[1][:300]} at {found[2:]}"
    return "refused", found[1][:300]


def main():
    counts, lines = collections.Counter(), []
    for construct in constructs():
        verdicts = construct.verdicts(construct.pairs())
        counts.update(kind for kind, _ in verdicts.values())
        refused = {pair for pair, verdict in verdicts.items() if verdict[0] == "refused"}
        lines += [listed(construct.name, refused)] if refused else []
    REFUSALS.write_text("".join(lines))
    print(sum(counts.values()), "programs:", dict(counts))


if __name__ == "__main__":
    main()
