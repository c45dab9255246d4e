"""Context managers, exceptions, unpacking, ``match``, texts, and state of the graph."""

from .kit import Family

CONTEXTS = """
class Tracked:
    def __init__(self):
        self.depth, self.entered, self.left = 0, 0, 0

    def __enter__(self):
        self.depth += 1
        self.entered += 1
        return self

    def __exit__(self, kind, error, frames):
        self.depth -= 1
        self.left += 1
        return kind is KeyError

@contextlib.contextmanager
def shifted(held, n):
    held.depth += n
    try:
        yield held
    finally:
        held.depth -= n
"""

ERRORS = """
class Own(Exception):
    pass

def checked(v):
    if v > 30:
        raise ValueError('too large')
    return v

def failing(items):
    items.append(1)
    raise Own('always')
"""

FAMILIES = (
    Family(
        "context managers",
        "Tracked()",
        (
            "with {o}:\n    r = r + {t}",
            "with {o} as held:\n    held.left = {t}",
            "with shifted({o}, {n}) as held:\n    r = r + held.depth",
            "with contextlib.suppress(KeyError):\n    r = r + {t}",
            "with contextlib.ExitStack() as stack:\n    stack.enter_context({o})\n    r = r + 1",
            "with {o}:\n    if {c}:\n        r = r + {t}",
            "with contextlib.nullcontext({t}) as v:\n    r = r + v",
            "with contextlib.suppress(KeyError):\n    {o}.left = {n}\n    {}['no']",
            "with {o}, shifted({o}, 2):\n    r = r - 1",
        ),
        ("{o}.entered", "{o}.left", "{o}.depth"),
        module=CONTEXTS,
    ),
    Family(
        "exceptions",
        "[1]",
        (
            "try:\n    failing({o})\nexcept Own:\n    r = r + {t}",
            "try:\n    {o}.append({t})\n    {}['no']\nexcept KeyError:\n    r = r + 2",
            "try:\n    r = r + {t}\nexcept ValueError:\n    r = r - 1\nelse:\n    {o}[0] = {t}",
            "try:\n    {o}[{i}]\nexcept IndexError as e:\n    r = r + len(e.args)",
            "try:\n    r = r + {t}\nfinally:\n    {o}[0] = {n}",
            "with contextlib.suppress(Own):\n    {o}[0] = {t}\n    raise Own()",
            "if r > 95:\n    raise ValueError('large')",
            "assert r < 500, 'too large'",
            "r = checked(r % 29)",
            "try:\n    int('x')\nexcept (ValueError, TypeError):\n    {o}.append({n})",
            "if k > 8:\n    raise Own(k)",
        ),
        ("{o}[0]", "len({o})"),
        module=ERRORS,
    ),
    Family(
        "unpacking",
        "(1, [2, 3], 4)",
        (
            "a, (b, c), d = {o}\nr = r + a + b * c - d",
            "a, *b = {o}\nr = r + a + len(b)",
            "r, x = x, r",
            "{o} = ({t}, [{n}, {t}], 4)",
            "*a, b = {o}\nr = r + b + len(a)",
            "a = b = {t}\nr = r + a - b",
            "d = {'p': {n}, **{'q': {t}}}\nr = r + d['q']",
            "r = r + max(*{o}[1], {t})",
            "(a, b), c = ({t}, {n}), {t}\nr = r + a - b + c",
            "a, b = fg.stack([r, x])\nr = r + a - b",
            "for a, b in [(1, {t}), (2, {n})]:\n    r = (r + a * b) % 29",
            "{o}[1][0], {o}[1][1] = {o}[1][1], {t}",
        ),
        ("{o}[0]", "{o}[1][0]", "{o}[2]"),
    ),
    Family(
        "match statements",
        "{'kind': 1, 'items': [1, 2]}",
        (
            "match {n}:\n    case 1:\n        r = r + 1\n    case 2 | 3:\n        r = {t}\n"
            "    case _:\n        r = r - 1",
            "match {o}:\n    case {'kind': 1, 'items': [a, *rest]}:\n        r = a + len(rest)\n"
            "    case {'kind': v}:\n        r = r + v",
            "match {t}:\n    case 3:\n        r = 5\n    case v if v > {n}:\n        r = r + v\n"
            "    case _:\n        r = r + 1",
            "{o}['kind'] = {t}",
            "{o}['items'][0] = {t}",
            "match (x, {n}):\n    case (a, 1):\n        r = r + a\n    case (a, b):\n"
            "        r = r + a * b",
            "match {o}['items']:\n    case [a, b]:\n        r = r + a - b\n    case _:\n"
            "        r = r + 9",
        ),
        ("{o}['kind']", "{o}['items'][0]"),
    ),
    Family(
        "texts",
        "'ab'",
        (
            "{o} = {o} + 'c'",
            "{o} += '{n}'",
            "text = {o}\n{o} = f'{text}-{k}'",
            "{o} = {o}.upper() if k > 2 else {o}",
            "{o} = '%s%d' % ({o}, {n})",
            "{o} = ''.join([{o}, 'x'])",
            "r = r + (1 if 'c' in {o} else 2)",
            "{o} = '{}!'.format({o})",
            "{o} = {o} * 2 if len({o}) < 20 else 'z'",
        ),
        ("len({o})",),
    ),
    Family(
        "state of the graph",
        "fg.TensorArray(fg.int32, 4, clear_after_read=False).unstack([1, 2, 3, 4])",
        (
            "{o} = {o}.write({i}, {t})",
            "r = r + {o}.read({i})",
            "var.assign({t})",
            "r = r + var.read_value()",
            "var.assign_sub({t})",
            "r = r + fg.reduce_sum({o}.stack())",
            "r = var + {t}",
            "fg.print('at', {t}, output_stream=STREAM)",
            "{o} = {o}.write({i}, {o}.read({i}) + 1)",
        ),
        ("{o}.read({i})", "fg.reduce_sum({o}.stack())"),
        local=True,
    ),
)
