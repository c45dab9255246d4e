"""Every special method of a class, by every expression and statement that asks for it.

Each method notes that it ran. Traced code must run the same ones in the same order as plain Python,
wherever it stands; several statements make one program.
"""

import tempfile
from pathlib import Path

import pytest
from programs import kit, run

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"]
BINARY += ["lshift", "rshift", "divmod"]
IN_PLACE = [f"i{name}" for name in BINARY if name != "divmod"]
UNARY = ["neg", "pos", "invert", "abs"]
GIVEN = {
    "lt": (", o", "True"), "le": (", o", "True"), "gt": (", o", "True"), "ge": (", o", "True"),
    "eq": (", o", "True"), "ne": (", o", "False"), "hash": ("", "3"), "bool": ("", "True"),
    "len": ("", "2"), "length_hint": ("", "2"), "iter": ("", "iter([1, 2])"),
    "reversed": ("", "iter([2, 1])"), "contains": (", o", "True"), "getitem": (", k", "4"),
    "setitem": (", k, v", "None"), "delitem": (", k", "None"), "call": (", *a, **k", "9"),
    "enter": ("", "self"), "exit": (", *e", "False"), "str": ("", "'s'"), "repr": ("", "'r'"),
    "format": (", s", "'f'"), "bytes": ("", "b'b'"), "int": ("", "1"), "float": ("", "1.5"),
    "complex": ("", "1j"), "index": ("", "1"), "round": (", n=None", "2"), "trunc": ("", "1"),
    "floor": ("", "1"), "ceil": ("", "1"), "getattr": (", n", "11"), "delattr": (", n", "None"),
    "dir": ("", "['a']"), "copy": ("", "self"), "deepcopy": (", memo", "self"),
    "fspath": ("", "'/'"), "set_name": (", o, n", "None"), "get": (", i, o=None", "12"),
}  # fmt: skip


def methods():
    """The text of a class with all of them."""
    given = dict.fromkeys(BINARY, (", o", "5"))
    given |= {f"r{name}": (", o", "5") for name in BINARY}
    given |= dict.fromkeys(IN_PLACE, (", o", "self"))
    given |= dict.fromkeys(UNARY, ("", "7")) | GIVEN
    for code, (name, (parameters, value)) in enumerate(given.items(), 2):
        yield f"    def __{name}__(self{parameters}):"
        yield f"        note({code})"
        yield f"        return {value}"


SIGNS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]
SIGNS += ["<", "<=", ">", ">=", "==", "!="]
OPERATORS = [text for o in SIGNS for text in (f"c {o} 1", f"1 {o} c")]
EXPRESSIONS = """
divmod(c, 2); divmod(2, c); pow(c, 2); pow(2, c); -c; +c; ~c; abs(c); c < 1 < 3; 0 < 1 < c; not c
c and 1; c or 1; 1 and c; 1 if c else 2; bool(c); len(c); iter(c); list(c); tuple(c); set(c)
frozenset(c); sorted(c); reversed(c); list(reversed(c)); sum(c); max(c); min(c); any(c); all(c)
[*c]; (*c,); {*c}; 1 in c; 1 not in c; c in [1]; c in [c]; c in (1, 2); [1].index(c); [c].index(1)
[1, c].count(1); c[0]; c[1:2]; c['a']; c(); c(1, k=2); str(c); repr(c); f'{c}'; f'{c!r}'; f'{c:x}'
f'{c!s:x}'; format(c); format(c, 'x'); '%s' % c; '%r' % c; '%d' % c; '{}'.format(c)
'{0:x}'.format(c); bytes(c); int(c); float(c); complex(c); round(c); round(c, 1); range(c)
[1, 2, 3][c]; (1, 2)[c]; 'abc'[c]; [1, 2][:c]; range(5)[c]; hex(c); chr(c); bin(c); hash(c); {c: 1}
{c}; {c: 1}[c]; {c: 1}.get(c); c in {c: 1}; c in {1}; isinstance(c, All); callable(c); dir(c)
getattr(c, 'zz'); getattr(c, 'n'); hasattr(c, 'zz'); c.zz; c.n; vars(c); type(c); print(c)
enumerate(c); list(enumerate(c)); list(zip(c, c)); list(map(str, c)); list(filter(None, [c]))
list(map(lambda a: c + a, [1])); list(filter(lambda a: c, [1])); [v for v in c]; {v for v in c}
{v: c for v in c}; list(v for v in c); sum(v for v in c); [c for v in [1] if c]; max(c, 1)
min(1, c); sorted([c, c]); sorted([2, 1], key=lambda v: c); max([1, 2], key=lambda v: c)
sum([c, c]); sum([1, c]); any([c]); all([c, 0]); dict.fromkeys(c); dict([(c, 1)]); next(iter(c))
','.join(map(str, [c])); copy.copy(c); copy.deepcopy(c); operator.add(c, 1); operator.index(c)
operator.getitem(c, 1); operator.contains(c, 1); operator.truth(c); operator.neg(c)
operator.length_hint(c); operator.iadd(c, 1); operator.methodcaller('zz')
operator.attrgetter('n')(c); operator.itemgetter(0)(c); functools.reduce(operator.add, [c, 1])
functools.partial(c, 1)(); list(itertools.chain(c, c)); list(itertools.islice(c, 1))
list(itertools.accumulate([1, c])); list(itertools.product(c, c)); collections.deque(c)
collections.Counter(c); collections.Counter([c]); [c] == [1]; [c] == [c]; (c,) < (1,); [1] * c
c * [1]; 'a' * c; bytearray(c); math.floor(c); math.ceil(c); math.trunc(c); math.sqrt(c)
math.gcd(c, 2); math.prod([c, 2]); os.fspath(c); [].extend(c); [1, 2].insert(c, 5); [1, 2].pop(c)
[c].remove(1); {}.setdefault(c, 1); {c: 1}.pop(c); {1}.discard(c); {1, 2}.union(c)
bisect.bisect([1, 2], c); heapq.nlargest(1, [c, c]); (lambda *a: len(a))(*c); c is None
next(iter(lambda: c, 5)); super(All, c).__init__(); All.__add__(c, 1); c.__len__(); c.__bool__()
c.__getitem__(0); c.__call__(); weakref.ref(c)(); copy.deepcopy({1: c}); repr([c]); str((c,))
types.SimpleNamespace(a=c) == types.SimpleNamespace(a=1); repr({1: c}); f'{[c]}'; repr(Pair(c))
Pair(c) == Pair(1); Pair(c)._asdict(); Pair(c).index(1)
"""
STATEMENTS = """
c += 1;; c -= 1;; c *= 2;; c @= 1;; c |= 1;; c <<= 1;; c **= 2;; c[0] = 1;; c[0] += 1;; del c[0]
c[1:2] = [1];; c.z = 1;; c.n += 1;; a, b = c;; a, *b = c;; [a, b] = c;; (a, b), d = c, 1
for v in c: pass;; for i, v in enumerate(c): pass;; for a, b in zip(c, c): pass
for v in reversed(c): pass;; with c: pass;; with c as d: pass;; with c, c: pass;; assert c
assert c == 1, c;; if c: pass;; if not c: pass;; if c and c: pass;; x2 = c if c else c
z = (w := c) + 1;; setattr(c, 'q', 1);; delattr(c, 'q');; c.append(1);; l = [1]; l += c
l = [3]; l *= c;; s = {1}; s.update(c);; d = {}; d[c] = 1; d[c];; d = {c: 1}; del d[c]
d = collections.defaultdict(int); d[c] += 1;; l = [1, 2]; l[c] = 5;; a = b = c; a == b
l = [c, c]; l.sort();; r = [v + 1 for v in c if c];; f = lambda: c + 1; f()
"""
BLOCKS = [
    ["while c:", "    break"],
    ["if c < 1: pass", "elif c: pass"],
    ["match c:", "    case 1: pass"],
    ["match c:", "    case [a, b]: pass", "    case _: pass"],
    ["match c:", "    case All(n=2): pass"],
    ["match 1:", "    case c.zz: pass", "    case _: pass"],
    ["def f(v=c): return v + 1", "f()"],
    ["def g():", "    yield from c", "list(g())"],
    ["class K:", "    q = c", "K().q"],
    ["class K:", "    q = c", "K.q = 1"],
    ["try:", "    raise ValueError(c)", "except ValueError as e:", "    str(e)"],
    ["try:", "    c + 1", "finally:", "    c - 1"],
    ["r = 0", "for i in range(c): r += i"],
]
HEAD = """import math, os
Pair = collections.namedtuple("Pair", "a")
def reset():
    pass
def program(x, y, R, N):
    H = [0, 0]
    def note(k):
        H[0] = (H[0] * 7 + k) % 1000
        H[1] += 1
    class All:
        def __init__(self, n=2):
            self.n = n
"""


def statements():
    """The blocks of lines that are tried, one after another."""
    yield from ([f"r_ = {text}"] for text in OPERATORS)
    for line in EXPRESSIONS.strip().split("\n"):
        yield from ([f"r_ = {text}"] for text in line.split("; "))
    for line in STATEMENTS.strip().split("\n"):
        yield from ([text] for text in line.split(";; "))
    yield from BLOCKS


ALL = list(statements())
SIZE = 8
PLACES = {"plain": None, "branch": "if x > 1:", "loop": "for q_ in R(2):", "function": "def f():"}


def program(blocks, place):
    lines = []
    for block in blocks:
        lines += ["c = All()", *block]
    if PLACES[place] is not None:
        lines = [PLACES[place], *kit.indented(lines)]
    if place == "function":
        lines.append("f()")
    text = HEAD + "\n".join(kit.indented([*methods(), *lines, "return H[0], H[1]"]))
    return kit.Program("special methods", 0, text + "\n", True)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("start", range(0, len(ALL), SIZE))
def test_the_same_methods_run(start, place):
    blocks = ALL[start : start + SIZE]
    with tempfile.TemporaryDirectory() as folder, run.quiet():
        together = run.run(program(blocks, place), Path(folder, "printed"))
        if together.kind == "equal":
            return
        for block in blocks:  # one that is refused hides the others
            found = run.run(program([block], place), Path(folder, "printed"))
            assert found.kind in ("equal", "refused"), (block, found.why)
