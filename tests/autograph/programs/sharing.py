"""Objects that several places hold: names, attributes, tuples, methods, views, weak references."""

from .kit import Family

SHARED = """
class Shared:
    def __init__(self):
        self.a = [1, 2]
        self.b = self.a
        self.t = (self.a, {3})
        self.put = self.a.append
"""

REPLACED = """
class Replaced:
    def __init__(self):
        self.s, self.w, self.d = {1, 2}, {2, 5}, {'a': 1, 'b': 2}
"""

KEPT = """
class Kept:
    def __init__(self):
        self.d = {'a': 1, 'b': 2}
        self.view = self.d.values()
        self.size = self.d.__len__
        self.total = functools.partial(sum, self.view)
        self.data = bytearray(b'abc')
        self.bytes = memoryview(self.data)
"""

WEAK = """
import weakref

class Node:
    def __init__(self, v):
        self.v, self.kept = v, []

class Weak:
    def __init__(self):
        self.node = Node(1)
        self.other = Node(2)
        self.ref = weakref.ref(self.node)
        self.named = weakref.WeakValueDictionary(a=self.node)
"""

COPIED = """
import copy

@dataclasses.dataclass
class Record:
    a: int
    kept: list = dataclasses.field(default_factory=lambda: [1])
"""

FAMILIES = (
    Family(
        "lists with two names",
        "Shared()",
        (
            "{o}.a.append({t})",
            "{o}.b[0] = {t}",
            "{o}.a, {o}.b = {o}.b, {o}.a",
            "{o}.a = list({o}.a)",
            "{o}.b = {o}.a",
            "{o}.b = [1, 2]",
            "{o}.t[1].add({n})",
            "{o}.t = ({o}.b, {o}.t[1])",
            "{o}.put({t})",
            "{o}.a += [{n}]",
            "{o}.a = sorted({o}.b)",
            "{o}.a.reverse()",
            "held = {o}.a\nheld[1] = {t}\n{o}.b[0] = held[1]",
        ),
        ("{o}.a[0]", "len({o}.b)", "sum({o}.t[0])", "len({o}.t[1])", "sum({o}.b)"),
        module=SHARED,
    ),
    Family(
        "containers replaced",
        "Replaced()",
        (
            "{o}.s.add({n})",
            "{o}.s = {o}.s | {{n}}",
            "{o}.s = set({o}.s)",
            "{o}.s, {o}.w = {o}.w, {o}.s",
            "{o}.w = {o}.s",
            "{o}.w.discard({n})",
            "{o}.d = dict({o}.d)",
            "{o}.d['c'] = {t}",
            "{o}.d = {'a': {t}, 'b': {n}}",
            "{o}.d.pop('b', 0)",
            "{o}.d.setdefault('c', {n})",
            "del {o}.d['a']\n{o}.d['a'] = {n}",
            "r = r + {o}.d.popitem()[1] if len({o}.d) > 2 else r",
        ),
        ("len({o}.s)", "sum({o}.w)", "len({o}.d)", "{o}.d['a']", "{o}.d.get('c', 7)"),
        module=REPLACED,
    ),
    Family(
        "views and methods kept",
        "Kept()",
        (
            "{o}.d['a'] = {t}",
            "{o}.d['c'] = {n}",
            "r = r + {o}.size()",
            "r = r + sum({o}.view)",
            "{o}.data[{i}] = {n}",
            "r = r + {o}.bytes[{i}]",
            "{o}.d.pop('b', 0)",
            "{o}.d = {'a': {t}}",
            "{o}.view = {o}.d.values()",
        ),
        ("{o}.d['a']", "sum({o}.view)", "{o}.size()", "{o}.total()", "{o}.bytes[{i}]"),
        module=KEPT,
    ),
    Family(
        "weak references",
        "Weak()",
        (
            "{o}.ref().v = {t}",
            "{o}.node.v += {n}",
            "{o}.ref().kept.append({t})",
            "{o}.named['a'].v = {t}",
            "{o}.node, {o}.other = {o}.other, {o}.node",
            "{o}.named['b'] = {o}.other",
            "{o}.ref = weakref.ref({o}.other)",
            "r = r + len({o}.named)",
        ),
        ("{o}.node.v", "{o}.other.v", "{o}.ref().v", "len({o}.node.kept)", "{o}.named['a'].v"),
        module=WEAK,
    ),
    Family(
        "copies",
        "Record(1)",
        (
            "{o} = copy.copy({o})",
            "{o} = copy.deepcopy({o})",
            "{o} = dataclasses.replace({o}, a={t})",
            "{o}.kept.append({t})",
            "{o}.kept = {o}.kept[:]",
            "{o}.kept = copy.copy({o}.kept)",
            "{o}.a = {t}",
            "{o}.kept[0] = {t}",
            "r = r + len(dataclasses.astuple({o})[1])",
            "twin = copy.copy({o})\ntwin.a = {t}\ntwin.kept.append({n})",
            "twin = dataclasses.replace({o})\nr = r + twin.a",
        ),
        ("{o}.a", "len({o}.kept)", "{o}.kept[0]"),
        module=COPIED,
    ),
)
