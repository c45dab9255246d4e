"""Short ways for what a function does again and again: the same call, the same object set.

A call, a store to an attribute or an item has a *site*, a place in the list
``ag__sites`` of its function, in which the operators leave what they were asked for last where
asking again would give the same::

    (ag__sites[1] if f is ag__sites[0] and not ag__loud else ag__.called(ag__sites, 0, f))(x)

``ag__loud`` is false while no region is traced and nothing is stale: then a name that is the same
object has the same answer, and Python's own lists and dicts are set as they are. The list belongs
to the function as one trace converts it, or, of what runs once in a trace and of nested functions,
to one call; those have sites in loops alone. So every trace asks for itself. Generators, whose
frames outlive a trace, and lambdas have none.
"""

from __future__ import annotations

import _ast as ast
from typing import Any

from ...context.ownership import SITES
from . import build

_BASE, _KEY, _CALLEE, _OWNER = "ag__base", "ag__key", "ag__callee", "ag__owner"


class Sites:
    """The sites of one function."""

    def __init__(self, are_kept: bool = False) -> None:
        self.n = 0
        self.are_kept = are_kept  # for all calls of the function in a trace

    def take(self, count: int) -> int:
        """The first of so many places more."""
        self.n += count
        return self.n - count

    def head(self) -> list[ast.stmt]:
        """The statement that makes the list of one call."""
        if not self.n or self.are_kept:
            return []
        one = ast.List([build.constant(None)], ast.Load())
        return [build.assign(SITES, ast.BinOp(one, ast.Mult(), build.constant(self.n)))]


def _at(place: int) -> ast.expr:
    return ast.Subscript(build.name(SITES), build.constant(place), ast.Load())


def _is_at(value: ast.expr, place: int) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [_at(place)])


def short(known: ast.expr, asked: ast.expr, *tests: ast.expr) -> ast.expr:
    """``known`` where all ``tests`` hold and there is nothing to ask for."""
    calm = ast.UnaryOp(ast.Not(), build.is_loud())
    return ast.IfExp(ast.BoolOp(ast.And(), [*tests, calm]), known, asked)


def _asked(operator: str, place: int, *arguments: ast.expr) -> ast.expr:
    return build.call(operator, build.name(SITES), build.constant(place), *arguments)


def is_made(value: ast.expr) -> bool:
    """Whether a call of the program's gives a value: a name would keep what nothing else does, such
    as a view that its array cannot grow beside."""
    return isinstance(value, ast.Call) and not build.is_operator_call(value)


def callee(function: ast.expr, sites: Sites) -> ast.expr:
    """What is called in place of a function, or of a method, which is another object each time."""
    if sites.are_kept and isinstance(function, ast.Attribute) and is_made(function.value):
        return build.call("fn", function)
    place, (first, again) = sites.take(2), _twice(function, _CALLEE)
    asked = _asked("called", place, again)
    if isinstance(function, ast.Name):
        return short(_at(place + 1), asked, _is_at(first, place))
    made = ast.Call(build.name("ag__method"), [_at(place + 1), _object_of(again)], [])
    of_object = short(made, asked, *_is_method(again, place))
    return short(_at(place + 1), of_object, _is_at(first, place))


def _object_of(method: ast.expr) -> ast.expr:
    return ast.Attribute(method, "__self__", ast.Load())


def _is_method(value: ast.expr, place: int) -> list[ast.expr]:
    """Whether something is a method whose function is known at a place."""
    function = ast.Attribute(build.name(_CALLEE), "__func__", ast.Load())
    return [build.has_kind(value, "ag__method"), _is_at(function, place)]


_N_PLACES = 8  # of the call of a method: see ``runtime/sites.py``


def call_of_method(node: ast.Call, sites: Sites) -> ast.expr | None:
    """The call of what may be a method of the program's: as it stands, where it is known to run the
    same so, or of its converted form; None for other calls."""
    function: Any = node.func
    if node.keywords or len(node.args) > _MOST_ARGUMENTS or not all(map(is_arithmetic, node.args)):
        return None
    if is_made(function.value):
        return None
    place, (first, again) = sites.take(_N_PLACES), _twice(function.value, _OWNER)
    method = ast.Attribute(again, function.attr, ast.Load())
    stands = [_at(place + 3), _fit(node.args, place)] if node.args else [_at(place + 3)]
    changed = ast.Call(_at(place + 1), [again, *node.args], [])
    known = ast.IfExp(_all(stands), ast.Call(method, node.args, []), changed)
    called = build.name(_CALLEE)
    other = ast.Call(_at(place + 7), [_object_of(called), *node.args], [])
    tests = _is_method(_kept(method, _CALLEE), place)
    general = short(other, _call_asked(called, node, place), *tests)
    return short(known, general, _is_at(first, place + 2))


def _call_asked(method: ast.expr, node: ast.Call, place: int) -> ast.expr:
    """The call of what the operators know of a method."""
    function: Any = node.func
    facts = build.constant(function.attr), build.constant(len(node.args))
    return ast.Call(_asked("called", place, method, *facts), node.args, [])


def _fit(arguments: list[ast.expr], place: int) -> ast.expr:
    """Whether arguments are such that a method may run as it stands."""
    if not all(isinstance(a, (ast.Name, ast.Constant)) for a in arguments):
        return _at(place + 4)
    names = [a for a in arguments if isinstance(a, ast.Name)]
    if not names:
        return build.constant(True)
    told = [ast.Compare(_id_of(a), [ast.NotIn()], [_at(place + 5)]) for a in names]
    plain = [build.is_among(a, "ag__simple") for a in names]
    nothing = ast.UnaryOp(ast.Not(), _at(place + 5))
    are_told = ast.BoolOp(ast.Or(), [nothing, _all(told)])
    are_plain = ast.BoolOp(ast.Or(), [_at(place + 6), _all(plain)])
    return ast.BoolOp(ast.Or(), [_at(place + 4), _all([are_told, are_plain])])


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _id_of(value: ast.expr) -> ast.expr:
    return ast.Call(build.name("ag__id"), [value], [])


def owner(value: ast.expr, attribute: str, text: str, sites: Sites) -> ast.expr:
    """What an attribute is set of: told by itself, or, where sites are kept, by its class."""
    if is_made(value):
        return build.call("owner", value, build.constant(attribute), build.constant(text))
    place, (first, again) = sites.take(1), _twice(value)
    labels = build.constant(attribute), build.constant(text)
    if sites.are_kept:
        asked = _asked("stored_by_class", place, again, *labels)
        return short(again, asked, _is_at(build.kind_of(first), place))
    return short(again, _asked("stored", place, again, *labels), _is_at(first, place))


def settable(value: ast.Name, attribute: str, text: str) -> ast.expr:
    """The same where there are no sites: by the class of the object that a name holds."""
    asked = build.call("owner", value, build.constant(attribute), build.constant(text))
    known = ast.Compare(_id_of(build.kind_of(value)), [ast.In()], [build.name("ag__settable")])
    return short(value, asked, known)


def container(node: ast.Subscript, text: str) -> ast.expr | None:
    """What an item is set in, whose key ``node`` then has at hand; None without a short way.

    Of a dict the key makes no difference, of a list an integer is as good as another.
    """
    base, key = node.value, node.slice
    if is_made(base) or not is_arithmetic(key):
        return None
    first, again = _twice(base)
    asked = build.call("container", again, build.constant(text), _key_again(key))
    if isinstance(key, ast.Constant):
        return short(again, asked, _holds(first, again, key))
    tests = [ast.BoolOp(ast.And(), [_is_int(key), build.has_kind(again, "ag__list")])]
    if first is not again:  # it comes before the key
        tests.insert(0, ast.Compare(first, [ast.Is()], [build.name(build.OPERATORS)]))
    tests.append(build.has_kind(again, "ag__dict"))
    if not isinstance(key, ast.Name):
        node.slice = build.locate(build.name(_KEY), key)
    return short(again, asked, ast.BoolOp(ast.Or(), tests))


def _holds(first: ast.expr, again: ast.expr, key: ast.Constant) -> ast.expr:
    """Whether an object is a dict, or for a number a list."""
    if type(key.value) is not int:
        return build.has_kind(first, "ag__dict")
    return ast.BoolOp(
        ast.Or(), [build.has_kind(first, "ag__list"), build.has_kind(again, "ag__dict")]
    )


def _is_int(key: ast.expr) -> ast.expr:
    """Whether a key is an integer, one that is no name kept for later."""
    kept = build.name(key.id) if isinstance(key, ast.Name) else _kept(key, _KEY)
    return build.has_kind(kept, "ag__int")


def _key_again(key: ast.expr) -> ast.expr:
    return build.loaded(key) if isinstance(key, (ast.Name, ast.Constant)) else build.name(_KEY)


def item(node: ast.Subscript, inlines: bool) -> tuple[ast.expr | None, bool]:
    """Whether Python alone takes an item of what may be a list that staged code made grow: what to
    test beside ``ag__loud``, if anything, and whether that is known."""
    key = node.slice
    if isinstance(key, ast.Slice) or _is_constant(key):
        return None, True
    if isinstance(key, ast.Name):
        return _is_int(key), True
    if not (inlines and isinstance(node.value, ast.Name) and is_arithmetic(key)):
        return None, False
    test, node.slice = _is_int(key), build.locate(build.name(_KEY), key)
    return test, True


def _is_constant(key: ast.expr) -> bool:
    return isinstance(key.operand if isinstance(key, ast.UnaryOp) else key, ast.Constant)


# What methods of containers and texts do is the same whatever the trace; see ``callees.fn``.
_METHODS = {
    **dict.fromkeys(
        ("append", "extend", "clear", "remove", "reverse", "copy", "index"), "ag__list"
    ),
    **dict.fromkeys(("get", "items", "keys", "values", "setdefault", "update"), "ag__dict"),
    **dict.fromkeys(("add", "discard"), "ag__set"),
    **dict.fromkeys(("join", "split", "strip", "startswith", "endswith"), "ag__str"),
}


def method_call(node: ast.Call, sites: Sites) -> ast.expr | None:
    """The call of a method that one of Python's own containers may have, where Python alone does
    it if so; None for others."""
    function: Any = node.func
    kind = _METHODS.get(function.attr)
    simple = not node.keywords and len(node.args) <= 1 and all(map(is_arithmetic, node.args))
    if kind is None or not simple or is_made(function.value):
        return None
    first, again = _twice(function.value, _OWNER)
    plain = ast.Call(ast.Attribute(again, function.attr, ast.Load()), node.args, [])
    other = ast.Call(ast.Attribute(again, function.attr, ast.Load()), node.args, [])
    return short(plain, call_of_method(other, sites) or plain, build.has_kind(first, kind))


# Builtins that do as Python's own for arguments of some classes.
_BUILTINS = {
    "len": "ag__sized",
    **dict.fromkeys(("abs", "float", "int", "range", "round", "str"), "ag__simple"),
}
_MOST_ARGUMENTS = 3


def builtin_call(node: ast.Call, sites: Sites, names: bool) -> ast.expr | None:
    """The call of a builtin, where Python alone does it for the class of its argument; None for
    other calls. ``names`` says that a name may be bound there."""
    function: Any = node.func
    kinds = _BUILTINS.get(function.id)
    if kinds is None or node.keywords or not 0 < len(node.args) <= _MOST_ARGUMENTS:
        return None
    tests, arguments = [], []
    for value in node.args:
        is_attribute = names and isinstance(value, ast.Attribute) and len(node.args) == 1
        if not (is_attribute or isinstance(value, (ast.Name, ast.Constant))):
            return None
        first, again = (value, value) if isinstance(value, ast.Constant) else _twice(value)
        if first is not value:
            tests.append(build.is_among(first, kinds))
        arguments.append(again)
    tests.append(_is(build.name(function.id), build.name(f"ag__{function.id}")))
    plain = ast.Call(build.name(function.id), arguments, [])
    asked = ast.Call(callee(function, sites), arguments, [])
    return short(plain, asked, *tests)


def _is(value: ast.expr, other: ast.expr) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [other])


def is_arithmetic(key: ast.expr) -> bool:
    """Whether a key is made of names and constants by operators, so that it may come first."""
    if isinstance(key, ast.BinOp):
        return is_arithmetic(key.left) and is_arithmetic(key.right)
    if isinstance(key, ast.UnaryOp):
        return is_arithmetic(key.operand)
    return isinstance(key, (ast.Name, ast.Constant))


def _twice(value: ast.expr, name: str = _BASE) -> tuple[ast.expr, ast.expr]:
    """Two expressions for one value, the second of them after the first."""
    if isinstance(value, ast.Name):
        known = build.name(value.id)
        return known, known
    return _kept(value, name), build.name(name)


def _kept(value: ast.expr, name: str) -> ast.expr:
    return ast.NamedExpr(build.store(name), value)
