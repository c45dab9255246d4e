"""Kinds of objects that programs have under two names: how they are made, changed, copied and read.

In the texts ``{a}`` is an object and ``{b}`` another one of its kind.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """Objects of one kind."""

    name: str
    made: tuple[str, ...]
    changes: tuple[str, ...]
    copies: tuple[str, ...]
    reads: tuple[str, ...]
    order: str = "len"  # a key by which they are put in order


LISTS = Kind(
    "list",
    ("[1, 2]", "[x, 2]", "[2, y, 1]", "[r, k, x]"),
    (
        "{a}.append({t})",
        "{a}[{i}] = {t}",
        "{a}[0] += {n}",
        "{a}[:1] = [{t}, {n}]",
        "{a} += [{t}]",
        "{a} *= 2",
        "{a}.sort()",
        "{a}.reverse()",
        "{a}.insert(0, {t})",
        "r = r + {a}.pop()",
        "{a}.extend([{n}, {t}])",
        "del {a}[0]",
        "{a}[-1], {a}[0] = {a}[0], {t}",
        "operator.setitem({a}, 0, {t})",
        "list.append({a}, {n})",
        "for {a}[0] in [{n}, {t}]:\n    pass",
    ),
    ("{a}[:]", "list({a})", "{a} + []", "[v for v in {a}]", "sorted({a})", "[*{a}]", "{a}.copy()"),
    (
        "{a}[0]",
        "len({a})",
        "sum({a})",
        "int({n} in {a})",
        "{a}[-1]",
        "sum(v for v in {a})",
        "max({a})",
        "int({a} == [1, 2])",
    ),
)

ROWS = Kind(
    "list of lists",
    ("[[1], [x, 2]]", "[[y, 1]] * 2", "[[v] for v in (1, x)]", "[[r], [2], [k]]"),
    (
        "{a}[{i}].append({t})",
        "{a}[0][0] = {t}",
        "{a}[0] = {a}[1]",
        "{a}.append([{t}])",
        "{a}[1] = [{n}]",
        "{a}[0] += [{n}]",
        "{a}.append({a}[0])",
        "for row in {a}:\n    row.append({t})",
        "for row in {a}:\n    row[0] = {n}",
        "max({a}, key=len).append({n})",
        "row = {a}[{i}]\nrow.append({t})",
        "first, *others = {a}\nothers[0].append({n})\nfirst[0] = {t}",
        "{a}[{t} % 2][0] = {n}",
        "{a}[0], {a}[1] = {a}[1], {a}[0]",
    ),
    (
        "{a}[:]",
        "list({a})",
        "[v for v in {a}]",
        "[v[:] for v in {a}]",
        "copy.deepcopy({a})",
        "sorted({a}, key=len)",
        "[*{a}, [{n}]]",
        "list(reversed({a}))",
        "list(map(same, {a}))",
        "list(filter(None, {a}))",
    ),
    (
        "{a}[0][0]",
        "len({a}[1])",
        "len({a})",
        "sum(len(v) for v in {a})",
        "sum(sum(v) for v in {a})",
        "int({a}[0] is {a}[1])",
        "int({a}[0] in {a}[1:])",
    ),
)

DICTS = Kind(
    "dict",
    ("{'u': 1, 'w': 2}", "{'u': x, 'w': 2}", "dict(u=y, w=k)"),
    (
        "{a}['u'] = {t}",
        "{a}['v'] = {t}",
        "{a}['w'] += {n}",
        "{a}.update(u={t})",
        "{a} |= {'w': {t}}",
        "{a}.pop('w', 0)",
        "r = r + {a}.setdefault('z', {n})",
        "{a}.clear()\n{a}['u'] = {n}",
        "r = r + {a}.popitem()[1]",
        "for key in {a}:\n    {a}[key] = {n}",
    ),
    ("dict({a})", "{**{a}}", "{a}.copy()", "{k: v for k, v in {a}.items()}", "{a} | {'w': {n}}"),
    (
        "{a}['u']",
        "len({a})",
        "{a}.get('w', 7)",
        "sum({a}.values())",
        "int('v' in {a})",
        "len(list({a}))",
    ),
)

SHELVES = Kind(
    "dict of lists",
    ("{'u': [1], 'w': [x, 2]}", "dict.fromkeys('uw', [y])", "dict(zip('uw', ([1], [2])))"),
    (
        "{a}['u'].append({t})",
        "{a}['w'][0] = {t}",
        "{a}['u'] = {a}['w']",
        "{a}['w'] = [{n}]",
        "{a}['u'] += [{n}]",
        "{a}.setdefault('u', []).append({n})",
        "for row in {a}.values():\n    row.append({n})",
        "{a}['u'], {a}['w'] = {a}['w'], {a}['u']",
        "row = {a}.get('u')\nrow[0] = {t}",
    ),
    (
        "dict({a})",
        "{key: v[:] for key, v in {a}.items()}",
        "copy.copy({a})",
        "copy.deepcopy({a})",
        "dict(zip('uw', {a}.values()))",
        "collections.ChainMap({a}, {})",
    ),
    ("{a}['u'][0]", "len({a}['w'])", "int({a}['u'] is {a}['w'])", "len({a})", "sum({a}['u'])"),
)

SETS = Kind(
    "set",
    ("{1, 2}", "{2, 5, 7}", "set(range(3))"),
    (
        "{a}.add({n})",
        "{a}.discard({n})",
        "{a} |= {{n}, 9}",
        "{a} &= {1, 2, {n}}",
        "{a}.update([{n}, 11])",
        "{a}.clear()",
        "{a} -= {{n}}",
        "{a} ^= {{n}}",
    ),
    ("set({a})", "{a} | set()", "{v for v in {a}}", "{a}.copy()", "{*{a}}"),
    ("len({a})", "sum({a})", "int({n} in {a})", "int({a} == {1, 2})", "sum(v for v in {a})"),
)

DEQUES = Kind(
    "deque",
    ("collections.deque([1, 2])", "collections.deque([x, 2, 1])", "collections.deque([1, y], 3)"),
    (
        "{a}.append({t})",
        "{a}.appendleft({n})",
        "r = r + {a}.popleft()",
        "{a}[0] = {t}",
        "{a}.rotate(1)",
        "{a} += [{n}]",
        "{a}.extend([{n}, {n}])",
        "{a}.reverse()",
    ),
    ("collections.deque({a})", "{a}.copy()", "copy.copy({a})"),
    ("{a}[0]", "len({a})", "sum({a})", "{a}[-1]"),
)

BYTES = Kind(
    "bytearray",
    ("bytearray(b'abc')", "bytearray([1, 2])", "bytearray(3)"),
    (
        "{a}.append({n})",
        "{a}[0] = {n}",
        "{a} += b'z'",
        "{a}[:1] = b'xy'",
        "{a}.reverse()",
        "{a}.extend([{n}])",
        "memoryview({a})[0] = {n}",
        "{a}.clear()\n{a}.append({n})",
    ),
    ("bytearray({a})", "{a}[:]", "{a}.copy()", "{a} + b''"),
    ("{a}[0]", "len({a})", "sum({a})", "{a}.count(b'a')"),
)

ARRAYS = Kind(
    "array",
    ("np.array([1, 2, 3])", "np.zeros(3, int)", "np.arange(4)", "np.ones((2, 2), int)"),
    (
        "{a}[0] = {n}",
        "{a}[...] = {n}",
        "{a} += {n}",
        "{a} *= {t}",
        "{a}[1:] += {n}",
        "{a}.fill({n})",
        "np.add({a}, {n}, out={a})",
        "{a}[{a} > 1] = {n}",
        "{a}.sort()",
        "np.copyto({a}, {n})",
        "{a}.flat[0] = {n}",
        "{a}.T[-1] = {n}",
    ),
    (
        "{a}.copy()",
        "{a}[:]",
        "{a} + {n}",
        "{a}.reshape(-1)",
        "{a}.T",
        "np.array({a})",
        "np.asarray({a})",
        "{a}.view()",
        "{a}.ravel()",
    ),
    ("{a}.sum()", "{a}.flat[0]", "{a}.max()", "{a}[-1].sum()", "{a}[0].sum()"),
    order="np.size",
)

CELLS = Kind(
    "object",
    ("Cell(1)", "Cell(x)", "Cell(y + 1)"),
    (
        "{a}.v = {t}",
        "{a}.v += {n}",
        "{a}.add({t})",
        "{a}.keep({t})",
        "{a}.rows = [{n}]",
        "{a}.rows[0] = {t}",
        "setattr({a}, 'v', {t})",
        "{a}.rows = {b}.rows",
        "vars({a})['v'] = {t}",
        "{a}.add.__self__.v = {n}",
    ),
    ("copy.copy({a})", "copy.deepcopy({a})", "Cell({a}.v)"),
    ("{a}.v", "len({a}.rows)", "{a}.rows[0]", "sum({a}.rows)", "int({a}.rows is {b}.rows)"),
    order="lambda v: len(v.rows)",
)

CARDS = Kind(
    "dataclass",
    ("Card(1, [2])", "Card(x, [y, 2])"),
    (
        "{a}.n = {t}",
        "{a}.kept.append({t})",
        "{a}.kept = [{n}]",
        "{a}.kept[0] = {t}",
        "{a}.kept += [{n}]",
        "{a}.n, {a}.kept = {n}, {b}.kept",
        "match {a}:\n    case Card(n, kept):\n        kept.append({n})",
    ),
    (
        "copy.copy({a})",
        "dataclasses.replace({a})",
        "dataclasses.replace({a}, n={t})",
        "dataclasses.replace({a}, kept={b}.kept)",
        "Card(*dataclasses.astuple({a}))",
        "Card({a}.n, {a}.kept)",
    ),
    ("{a}.n", "len({a}.kept)", "{a}.kept[0]", "int({a}.kept is {b}.kept)", "int({a} == {b})"),
    order="lambda v: len(v.kept)",
)
