"""Short ways for what a loop does again and again: the same call, the same object set.

A call, a store to an attribute or an item in a loop has a *site*, a place in the list
``ag__sites`` of its function, in which the operators leave what they were asked for last where
asking again would give the same::

    (ag__sites[1] if f is ag__sites[0] and not ag__.loud else ag__.called(ag__sites, 0, f))(x)

``ag__.loud`` is empty while no region is traced and nothing is stale: then a name that is the same
object has the same answer. The list belongs to one call of the function, so that every trace asks
for itself. Generators, whose frames outlive a trace, and nested functions that may do so have none.
"""

from __future__ import annotations

import _ast as ast

from ...context.ownership import SITES
from . import build

_BASE, _KEY, _CALLEE = "ag__base", "ag__key", "ag__callee"


class Sites:
    """The sites of one function."""

    def __init__(self) -> None:
        self.n = 0

    def take(self, count: int) -> int:
        """The first of so many places more."""
        self.n += count
        return self.n - count

    def head(self) -> list[ast.stmt]:
        """The statement that makes the list."""
        if not self.n:
            return []
        one = ast.List([build.constant(None)], ast.Load())
        return [build.assign(SITES, ast.BinOp(one, ast.Mult(), build.constant(self.n)))]


def _at(place: int) -> ast.expr:
    return ast.Subscript(build.name(SITES), build.constant(place), ast.Load())


def _is_at(value: ast.expr, place: int) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [_at(place)])


def _calm() -> ast.expr:
    loud = ast.Attribute(build.name(build.OPERATORS), "loud", ast.Load())
    return ast.UnaryOp(ast.Not(), loud)


def _short(test: ast.expr, known: ast.expr, asked: ast.expr) -> ast.expr:
    return ast.IfExp(ast.BoolOp(ast.And(), [test, _calm()]), known, asked)


def _asked(operator: str, place: int, *arguments: ast.expr) -> ast.expr:
    return build.call(operator, build.name(SITES), build.constant(place), *arguments)


def is_made(value: ast.expr) -> bool:
    """Whether a call of the program's gives a value: a name would keep what nothing else does, such
    as a view that its array cannot grow beside."""
    return isinstance(value, ast.Call) and not build.is_operator_call(value)


def callee(function: ast.expr, sites: Sites) -> ast.expr:
    """What is called in place of a function, or of a method, which is another object each time."""
    place, (first, again) = sites.take(2), _twice(function, _CALLEE)
    asked = _asked("called", place, again)
    if isinstance(function, ast.Name):
        return _short(_is_at(first, place), _at(place + 1), asked)
    methods = ast.Attribute(build.name(build.OPERATORS), "methods", ast.Load())
    is_method = ast.Compare(_class_of(first), [ast.In()], [methods])
    same = ast.Compare(again, [ast.Eq()], [_at(place)])
    known = ast.BoolOp(ast.Or(), [ast.BoolOp(ast.And(), [is_method, same]), _is_at(again, place)])
    return _short(known, _at(place + 1), asked)


def owner(value: ast.expr, attribute: str, text: str, sites: Sites) -> ast.expr:
    """What an attribute is set of."""
    if is_made(value):
        return build.call("owner", value, build.constant(attribute), build.constant(text))
    place, (first, again) = sites.take(1), _twice(value)
    labels = build.constant(attribute), build.constant(text)
    return _short(_is_at(first, place), again, _asked("stored", place, again, *labels))


def container(node: ast.Subscript, text: str, sites: Sites) -> ast.expr | None:
    """What an item is set in, whose key ``node`` then has at hand; None where there is no site.

    Of a dict the key makes no difference, of a list an integer is as good as another.
    """
    key = node.slice
    if is_made(node.value):
        return None
    if isinstance(key, ast.Constant):
        return _container_at(node, key, text, sites)
    if isinstance(key, ast.Name):
        kind = _class_of(build.name(key.id))
    elif isinstance(node.value, ast.Name) and _is_arithmetic(key):
        kind = _class_of(ast.NamedExpr(build.store(_KEY), key))
        node.slice = build.locate(build.name(_KEY), key)
    else:
        return None
    place, (first, again) = sites.take(2), _twice(node.value)
    asked = _asked("filled", place, again, build.constant(text), build.loaded(node.slice))
    integer = ast.Attribute(build.name(build.OPERATORS), "integer", ast.Load())
    is_int = ast.Compare(kind, [ast.Is()], [integer])
    if node.slice is key:
        of_list = ast.BoolOp(ast.And(), [_is_at(again, place + 1), is_int])
        test = ast.BoolOp(ast.Or(), [_is_at(first, place), of_list])
    else:
        of_list = ast.BoolOp(ast.And(), [is_int, _is_at(again, place + 1)])
        test = ast.BoolOp(ast.Or(), [of_list, _is_at(first, place)])
    return _short(test, again, asked)


def _container_at(node: ast.Subscript, key: ast.Constant, text: str, sites: Sites) -> ast.expr:
    place, (first, again) = sites.take(2), _twice(node.value)
    asked = _asked("filled", place, again, build.constant(text), build.loaded(key))
    tests = [_is_at(first, place), _is_at(again, place + 1)]
    return _short(ast.BoolOp(ast.Or(), tests), again, asked)


def _class_of(value: ast.expr) -> ast.expr:
    return ast.Attribute(value, "__class__", ast.Load())


def _is_arithmetic(key: ast.expr) -> bool:
    """Whether a key is made of names and constants by operators, so that it may come first."""
    if isinstance(key, ast.BinOp):
        return _is_arithmetic(key.left) and _is_arithmetic(key.right)
    if isinstance(key, ast.UnaryOp):
        return _is_arithmetic(key.operand)
    return isinstance(key, (ast.Name, ast.Constant))


def _twice(value: ast.expr, name: str = _BASE) -> tuple[ast.expr, ast.expr]:
    """Two expressions for one value, the second of them after the first."""
    if isinstance(value, ast.Name):
        return build.name(value.id), build.name(value.id)
    return ast.NamedExpr(build.store(name), value), build.name(name)
