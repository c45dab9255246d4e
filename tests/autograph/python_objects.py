"""What staged code may do with objects of each Python type, tried type by type.

A row is a type: how to make an object, what changes it, and numbers that show what it holds. For
each change it is tried whether type adapters see it, and put it back; and whether a branch and a
loop of the graph that make it give what plain Python gives, or are refused.

    python_objects.py           print the page ``docs/python-objects.md``
    python_objects.py --write   write it
"""

# ruff: noqa: E731, B023 - changes are lambdas, which the converter reads from here

import array
import collections
import contextvars
import dataclasses
import functools
import io
import random
import sys
import types
import zlib
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import ferrograph as fg
import numpy as np
from ferrograph._src.heap.adapters import registry

PAGE = Path(__file__).parents[2] / "docs" / "python-objects.md"
FOLLOWED, MERGED, CARRIED, REFUSED = "followed", "merged", "carried", "refused"


class Plain:
    def __init__(self):
        self.a, self.b = 1, 2


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = 1, 2


@dataclasses.dataclass
class Data:
    a: int = 1
    b: int = 2


class OwnList(list):
    pass


class OwnDict(dict):
    pass


class Kept:
    number = 1


def keeping():
    return 1


def counting():
    yield from (1, 2, 3)


class Row(NamedTuple):
    make: Any
    show: Any
    changes: dict[str, Any]


def element():
    made = ElementTree.Element("a", k="3")
    made.text = "2"
    ElementTree.SubElement(made, "b")
    return made


def fresh_class():
    return type("Fresh", (), {"number": 1})


def fresh_function():
    made = types.FunctionType(keeping.__code__, {}, "keeping")
    made.number = 1
    return made


def noted():
    made = ValueError(1, 2)
    made.number = 1
    return made


def set_number(owner):
    owner.number = 5


def add_other(owner):
    owner.other = 5


def set_a(owner):
    owner.a = 5


def delete_b(owner):
    del owner.b


def set_first(owner):
    owner[0] = 5


def set_key(owner):
    owner["a"] = 5


def add_key(owner):
    owner["c"] = 5


def delete_key(owner):
    del owner["b"]


LIST = {
    "item set": set_first,
    "item added": lambda held: held.append(5),
    "item removed": lambda held: held.pop(),
    "reversed": lambda held: held.reverse(),
}
DICT = {"item set": set_key, "key added": add_key, "key removed": delete_key}
FIELDS = {"attribute set": set_a, "attribute added": add_other, "attribute deleted": delete_b}
PAIRS = {"a": 1, "b": 2}
of_pairs = lambda held: (len(held), sum(held.values()), held.get("a", 0))
of_items = lambda held: (len(held), sum(held), held[0])
of_fields = lambda held: (held.a, getattr(held, "b", 0), getattr(held, "other", 0))

ROWS = {
    "list": Row(lambda: [1, 2, 3], of_items, LIST),
    "subclass of list": Row(lambda: OwnList([1, 2, 3]), of_items, LIST),
    "collections.deque": Row(
        lambda: collections.deque([1, 2, 3]),
        of_items,
        {**LIST, "rotated": lambda held: held.rotate(1)},
    ),
    "collections.UserList": Row(lambda: collections.UserList([1, 2, 3]), of_items, LIST),
    "dict": Row(lambda: dict(PAIRS), of_pairs, DICT),
    "subclass of dict": Row(lambda: OwnDict(PAIRS), of_pairs, DICT),
    "collections.OrderedDict": Row(
        lambda: collections.OrderedDict(PAIRS),
        lambda held: (len(held), sum(held.values()), list(held.values())[0]),
        {**DICT, "moved to the end": lambda held: held.move_to_end("a")},
    ),
    "collections.defaultdict": Row(lambda: collections.defaultdict(int, PAIRS), of_pairs, DICT),
    "collections.Counter": Row(
        lambda: collections.Counter(PAIRS),
        of_pairs,
        {**DICT, "counted": lambda held: held.update(["a"])},
    ),
    "collections.UserDict": Row(lambda: collections.UserDict(PAIRS), of_pairs, DICT),
    "collections.ChainMap": Row(lambda: collections.ChainMap(dict(PAIRS)), of_pairs, DICT),
    "set": Row(
        lambda: {1, 2},
        lambda held: (len(held), sum(held)),
        {"member added": lambda held: held.add(5), "member removed": lambda held: held.discard(1)},
    ),
    "bytearray": Row(
        lambda: bytearray(b"abc"),
        of_items,
        {"byte set": set_first, "bytes added": lambda held: held.extend(b"de")},
    ),
    "array.array": Row(
        lambda: array.array("i", [1, 2, 3]),
        of_items,
        {"item set": set_first, "item added": lambda held: held.append(5)},
    ),
    "numpy.ndarray": Row(
        lambda: np.array([1, 2, 3]),
        lambda held: (len(held), held.sum(), held[0]),
        {"element set": set_first, "filled": lambda held: held.fill(4)},
    ),
    "object of a class": Row(Plain, of_fields, FIELDS),
    "object with slots": Row(
        Slotted,
        lambda held: (held.a, getattr(held, "b", 0)),
        {"attribute set": set_a, "attribute deleted": delete_b},
    ),
    "dataclass": Row(Data, of_fields, FIELDS),
    "types.SimpleNamespace": Row(lambda: types.SimpleNamespace(a=1, b=2), of_fields, FIELDS),
    "class": Row(
        fresh_class,
        lambda held: (held.number, getattr(held, "other", 0)),
        {"attribute set": set_number, "attribute added": add_other},
    ),
    "function": Row(
        fresh_function,
        lambda held: (held.number, getattr(held, "other", 0)),
        {"attribute set": set_number, "attribute added": add_other},
    ),
    "exception": Row(
        noted,
        lambda held: (held.number, getattr(held, "other", 0)),
        {"attribute set": set_number, "attribute added": add_other},
    ),
    "functools.partial": Row(
        lambda: functools.partial(max, 1),
        lambda held: getattr(held, "number", 0),
        {"attribute set": set_number},
    ),
    "io.StringIO": Row(
        lambda: io.StringIO("ab"),
        lambda held: (len(held.getvalue()), held.tell()),
        {"text written": lambda held: held.write("xyz"), "moved": lambda held: held.seek(1)},
    ),
    "io.BytesIO": Row(
        lambda: io.BytesIO(b"ab"),
        lambda held: (len(held.getvalue()), held.tell()),
        {"bytes written": lambda held: held.write(b"xyz"), "moved": lambda held: held.seek(1)},
    ),
    "random.Random": Row(
        lambda: random.Random(1),
        lambda held: held.random(),
        {"drawn from": lambda held: held.random(), "seeded": lambda held: held.seed(2)},
    ),
    "numpy.random.Generator": Row(
        lambda: np.random.default_rng(1),
        lambda held: held.random(),
        {"drawn from": lambda held: held.random()},
    ),
    "xml.etree.ElementTree.Element": Row(
        element,
        lambda held: (len(held), float(held.text), float(held.get("k"))),
        {
            "text set": lambda held: setattr(held, "text", "5"),
            "child added": lambda held: held.append(ElementTree.Element("c")),
            "child removed": lambda held: held.remove(held[0]),
            "attribute set": lambda held: held.set("k", "7"),
        },
    ),
    "contextvars.ContextVar": Row(
        lambda: contextvars.ContextVar("held", default=1),
        lambda held: held.get(),
        {"set": lambda held: held.set(5)},
    ),
    "iterator": Row(
        lambda: iter([1, 2, 3]), lambda held: next(held), {"advanced": lambda held: next(held)}
    ),
    "generator": Row(counting, lambda held: next(held), {"advanced": lambda held: next(held)}),
    "object of native code": Row(
        zlib.compressobj,
        lambda held: len(held.flush()),
        {"called": lambda held: held.compress(b"abc")},
    ),
}

CASES = [(kind, change) for kind, row in ROWS.items() for change in row.changes]


def plainly(value):
    """Numbers of what a program gave, whatever they are."""
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return [round(float(part), 5) for part in parts]


def outcome(program, argument, success):
    """What becomes of a program when it is traced: as in plain Python, or refused."""
    expected = plainly(program(argument))
    try:
        found = plainly(fg.function(program)(fg.constant(argument)))
    except (TypeError, ValueError, AttributeError) as error:
        assert "\n" in str(error), f"this refusal does not show its line: {error}"
        return REFUSED
    assert found == expected, f"{found}, in plain Python {expected}"
    return success


def in_a_branch(kind, change):
    make, show, changes = ROWS[kind]
    apply = changes[change]

    def program(x):
        held = make()
        if x > 0:
            apply(held)
        return show(held)

    found = {outcome(program, argument, MERGED) for argument in (1, -1)}
    assert len(found) == 1
    return found.pop()


def in_a_loop(kind, change):
    make, show, changes = ROWS[kind]
    apply = changes[change]

    def program(n):
        held = make()
        i = 0
        while i < n:
            if i < 1:
                apply(held)
            i = i + 1
        return show(held)

    found = {outcome(program, argument, CARRIED) for argument in (2, 0)}
    assert len(found) == 1
    return found.pop()


def held_by(owner):
    """How adapters hold an object."""
    return [(adapter, adapter.hold(owner)) for adapter in registry.adapters_of(type(owner))]


def inside(owner, depth=3):
    """The lists and dicts that an object holds, and those in them."""
    parts = [part for adapter, was in held_by(owner) for part in adapter.parts(owner, was)]
    found = [part for part in parts if type(part) in (list, dict)]
    return found + [inner for part in found if depth for inner in inside(part, depth - 1)]


def changed(owner, held):
    return [pair for pair in held if pair[0].differs(owner, pair[1])]


def seen(kind, change):
    """Whether adapters see a change, and put it back."""
    make, _, changes = ROWS[kind]
    owner = make()
    held = held_by(owner)
    within = [(part, held_by(part)) for part in inside(owner)]
    assert not changed(owner, held), "an object differs from itself"
    changes[change](owner)
    found = [
        pair
        for adapter, was in changed(owner, held)
        for pair in adapter.changes(owner, was, "held")
    ]
    if not found:
        if any(changed(part, was) for part, was in within):
            return "by what it holds"
        return "opaque" if registry.is_opaque(type(owner)) else "not seen"
    for place, old in found:
        if not getattr(place, "can_undo", True):
            return "seen"
        place.put(old)
    # Iterators over an object whose length changed fail, whatever it holds afterwards.
    assert all(adapter.ends_iterators for adapter, _ in changed(owner, held))
    return FOLLOWED


HEAD = """
# Python objects in staged code

Objects that a staged branch or loop changes. *Followed*: the type adapter detects the change,
however it is made, and can undo it; *seen*: it detects the change and cannot undo it; *opaque*: the
state cannot be read, and method calls are refused. *Merged*: after a branch on a tensor the object
has the same contents as in plain Python; *carried*: the same after a loop. *Refused*: an error
shows the line and the rewrite. No change is lost without an error.

`make generate` writes this page: each cell is the outcome of a program that was run. The rows are
in `tests/autograph/python_objects.py`; [add a Python type](add-a-python-type.md) says how to add
one.

| type | change | adapter | branch | loop |
| --- | --- | --- | --- | --- |
"""


def page():
    lines = HEAD.strip("\n").split("\n")
    for kind, change in CASES:
        cells = seen(kind, change), in_a_branch(kind, change), in_a_loop(kind, change)
        lines.append(f"| {kind} | {change} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page())
    else:
        print(page(), end="")
