"""Inline caches of calls and stores that run often on the same object.

A call, or a store to an attribute or an item, has a *site*, an index in the list ``ag__sites`` of
its function. The operators keep the last object and its answer there, where asking again would give
the same::

    (ag__sites[1] if f is ag__sites[0] and not ag__loud else ag__.called(ag__sites, 0, f))(x)

``ag__loud`` is false while no region is traced and no object is invalidated: then the same object
has the same answer, and plain lists and dicts are set directly. The list belongs to one trace,
which passes it to the functions that it has made as the free name ``ag__kept`` while no nested
trace is active; without a trace it belongs to one call of the function. Generators, whose frames
outlive a trace, have no sites.
"""

from __future__ import annotations

import _ast as ast
import threading
import types
from collections.abc import Iterable

from ...context.ownership import KEPT, SITES, is_own_module
from ...hints import Any
from . import build, shapes

_BASE, _KEY, _CALLEE, _OWNER = "ag__base", "ag__key", "ag__callee", "ag__owner"


class _Thread(threading.local):
    def __init__(self) -> None:
        self.modules: frozenset[str] = frozenset()
        self.own: frozenset[str] = frozenset()  # those of this package
        self.taken = 0  # places of the function that is converted and of those nested in it


_thread = _Thread()


def begin(function: types.FunctionType) -> None:
    """A conversion begins: what is called of modules is no method."""
    names, known = function.__code__.co_names, function.__globals__
    _thread.taken = 0
    _thread.modules = frozenset(n for n in names if type(known.get(n)) is types.ModuleType)
    _thread.own = frozenset(n for n in _thread.modules if is_own_module(known[n].__name__))


def taken() -> int:
    """How many places the conversion has taken."""
    return _thread.taken


class Sites:
    """The sites of one function."""

    def __init__(self) -> None:
        self.is_empty = True

    def take(self, count: int) -> int:
        """The first of so many places more."""
        self.is_empty = False
        _thread.taken += count
        return _thread.taken - count

    def head(self) -> list[ast.stmt]:
        """The statement that finds or makes the list."""
        if self.is_empty:
            return []
        one = ast.List([build.constant(None)], ast.Load())
        made = ast.BinOp(one, ast.Mult(), build.constant(_thread.taken))
        return [build.assign(SITES, ast.BoolOp(ast.Or(), [build.name(KEPT), made]))]


def _at(place: int) -> ast.expr:
    return ast.Subscript(build.name(SITES), build.constant(place), ast.Load())


def _is_at(value: ast.expr, place: int) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [_at(place)])


def short(known: ast.expr, asked: ast.expr, *tests: ast.expr) -> ast.expr:
    """``known`` where all ``tests`` hold and there is nothing to ask for."""
    calm = ast.UnaryOp(ast.Not(), build.is_loud())
    return ast.IfExp(ast.BoolOp(ast.And(), [*tests, calm]), known, asked)


def _asked(
    operator: str, place: int, *arguments: ast.expr, let_go: tuple[ast.expr, ...] = ()
) -> ast.expr:
    """A question for a site; ``let_go`` are names that keep nothing from then on: what is there is
    an object that no site keeps, which may end soon."""
    last: dict[str, ast.expr] = {}
    for name in let_go:
        if shapes.is_name(name) and name.id in (_OWNER, _CALLEE):
            nothing = last.get("let_go") or build.constant(None)
            last["let_go"] = ast.NamedExpr(build.store(name.id), nothing)
    return build.call(operator, build.name(SITES), build.constant(place), *arguments, **last)


def may_grow(parts: Iterable[ast.expr]) -> bool:
    """Whether user code runs while expressions, not converted yet, are evaluated: afterwards a list
    may have grown, and ``ag__loud`` may have changed."""
    return any(map(_may_grow, parts))


_GROWS = "_ferrograph_grows"


def _may_grow(part: ast.AST) -> bool:
    """``may_grow`` of one expression; kept on its node, since each operation above asks again."""
    known = part.__dict__.get(_GROWS)
    if known is None:
        known = part.__dict__[_GROWS] = _found_to_grow(part)
    return known


def _found_to_grow(part: ast.AST) -> bool:
    match part:
        case ast.Name() | ast.Constant() | ast.Lambda():
            return False
        case ast.Call(func=called) if is_made(part) and shapes.root_name(called) not in _thread.own:
            return True
        case ast.ListComp():
            return True
        case ast.GeneratorExp(generators=[first, *_]):
            return _may_grow(first.iter)  # the rest runs later
    return any(map(_may_grow, build.children(part)))


def is_made(value: ast.expr) -> bool:
    """Whether a call of user code gives a value: a name would keep a reference that nothing else
    keeps, such as a view, with which its array cannot be resized."""
    return isinstance(value, ast.Call) and not shapes.is_operator_call(value)


def callee(
    function: ast.expr, sites: Sites, place: int = -1, *told: ast.expr, grows: bool = False
) -> ast.expr:
    """What is called in place of a function, or of a method, which is another object each time;
    ``told`` are the object and the arguments of a call of a method whose site is at ``place``.
    ``grows`` says that an argument, evaluated after this, may be a list that grew first."""
    place = sites.take(2) if place < 0 else place
    first, again = _twice(function, _CALLEE)
    operator = "called_of" if told else "called_later" if grows else "called"
    asked = _asked(operator, place, again, *told, let_go=(again, *told[:1]))
    if shapes.is_name(function):
        return short(_at(place + 1), asked, _is_at(first, place))
    same = ast.Compare(again, [ast.Eq()], [_at(place)])
    of_object = ast.BoolOp(ast.And(), [build.has_kind(first, "ag__method"), same])
    builtin = ast.BoolOp(ast.And(), [build.is_among(again, "ag__methods"), same])
    known = ast.BoolOp(ast.Or(), [of_object, _is_at(again, place), builtin])
    return short(_at(place + 1), asked, known)


def owner(value: ast.expr, attribute: str, text: str, sites: Sites) -> ast.expr:
    """What an attribute is set of."""
    if is_made(value):
        return build.call("owner", value, build.constant(attribute), build.constant(text))
    place, (first, again) = sites.take(1), _twice(value)
    labels = build.constant(attribute), build.constant(text)
    return short(again, _asked("stored", place, again, *labels), _is_at(first, place))


def settable(value: ast.Name, attribute: str, text: str) -> ast.expr:
    """The same where no loop is seen: by the class of the object that a name holds."""
    asked = build.call("owner", value, build.constant(attribute), build.constant(text))
    kind = ast.Call(build.name("ag__id"), [build.kind_of(value)], [])
    known = ast.Compare(kind, [ast.In()], [build.name("ag__settable")])
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
    if shapes.is_constant(key):
        return short(again, asked, _holds(first, again, key))
    tests = [ast.BoolOp(ast.And(), [_is_int(key), build.has_kind(again, "ag__list")])]
    if first is not again:  # it comes before the key
        tests.insert(0, ast.Compare(first, [ast.Is()], [build.name(build.OPERATORS)]))
    tests.append(build.has_kind(again, "ag__dict"))
    if not shapes.is_name(key):
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
    kept = build.name(key.id) if shapes.is_name(key) else _kept(key, _KEY)
    return build.has_kind(kept, "ag__int")


def _key_again(key: ast.expr) -> ast.expr:
    return build.loaded(key) if shapes.is_atom(key) else build.name(_KEY)


def item(node: ast.Subscript, inlines: bool) -> tuple[ast.expr | None, bool]:
    """Whether Python alone takes an item of what may be a list that staged code made grow: what to
    test beside ``ag__loud``, if anything, and whether that is known."""
    key = node.slice
    if isinstance(key, ast.Slice) or shapes.is_literal(key):
        return None, True
    if shapes.is_name(key):
        return _is_int(key), True
    if not (inlines and is_computed(node)):
        return None, False
    test, node.slice = _is_int(key), build.locate(build.name(_KEY), key)
    return test, True


def is_computed(node: ast.Subscript) -> bool:
    """Whether an item of what a name holds is read under a key that may come first."""
    key = node.slice
    is_plain = shapes.is_name(key) or shapes.is_literal(key)
    return not is_plain and shapes.is_name(node.value) and is_arithmetic(key)


def kept_key(key: ast.expr) -> tuple[ast.expr, ast.expr]:
    """A key that is kept for later, and what was kept."""
    return _kept(key, _KEY), build.name(_KEY)


# What methods of containers and texts do is the same whatever the trace; see ``callees.fn``.
_METHODS = {
    **dict.fromkeys(
        ("append", "extend", "clear", "remove", "reverse", "copy", "index"), "ag__list"
    ),
    **dict.fromkeys(("get", "items", "keys", "values", "setdefault", "update"), "ag__dict"),
    **dict.fromkeys(("add", "discard"), "ag__set"),
    **dict.fromkeys(("split", "strip", "startswith", "endswith"), "ag__str"),
}


def of_container(node: ast.Call) -> ast.expr | None:
    """The call of a method with at most one argument, which may be written twice, of a name that
    may be a plain Python container; None for other calls."""
    function: Any = node.func
    kind = _METHODS.get(function.attr)
    if function.attr == "pop" and not node.args:
        kind = "ag__list"
    if kind is None or node.keywords or len(node.args) > 1 or is_made(function.value):
        return None
    if not all(map(is_arithmetic, node.args)):
        return None
    first, again = _twice(function.value, _OWNER)
    method = ast.Attribute(again, function.attr, ast.Load())
    asked = ast.Call(build.call("fn", method), node.args, [])
    return short(ast.Call(method, node.args, []), asked, build.has_kind(first, kind))


_MOST_ARGUMENTS = 3  # of a call that is written out a second time


def method_call(node: ast.Call, sites: Sites) -> ast.expr | None:
    """The call of a method whose arguments may be written twice: by Python alone where the object
    is a plain Python container that has such a method, or where the site says that the converted
    form of the method does the same; None for other calls.

    The site keeps what was asked last and its answer, an object whose method is such a one, the
    ids of further ones, and an object together with the arguments with which it is.
    """
    function: Any = node.func
    if shapes.is_name(function.value) and function.value.id in _thread.modules:
        return None
    is_simple = not node.keywords and len(node.args) <= _MOST_ARGUMENTS
    if not is_simple or is_made(function.value) or not all(map(is_arithmetic, node.args)):
        return None
    first, again = _twice(function.value, _OWNER)
    method = ast.Attribute(again, function.attr, ast.Load())
    place = sites.take(5 + len(node.args))
    tests: list[ast.expr] = []
    kind = _METHODS.get(function.attr)
    if kind is not None and len(node.args) <= 1:
        tests.append(build.has_kind(first, kind))
        first = again
    identity = ast.Call(build.name("ag__id"), [again], [])
    among = ast.Compare(identity, [ast.In()], [_at(place + 3)])
    tests += [_is_at(first, place + 2), ast.BoolOp(ast.And(), [_at(place + 3), among])]
    is_named = all(map(shapes.is_atom, node.args))
    if is_named and any(map(shapes.is_name, node.args)):
        held = [_is_at(a, place + 5 + i) for i, a in enumerate(node.args) if shapes.is_name(a)]
        tests.append(ast.BoolOp(ast.And(), [_is_at(again, place + 4), *held]))
    asked = callee(method, sites, place, again, *node.args)
    plain = ast.Call(method, node.args, [])
    return short(plain, ast.Call(asked, node.args, []), ast.BoolOp(ast.Or(), tests))


# Builtins of one argument that do as Python's own for arguments of some classes.
_BUILTINS = {
    "len": "ag__sized",
    **dict.fromkeys(("abs", "float", "int", "round", "str"), "ag__simple"),
}


def range_call(node: ast.Call, asked: ast.expr) -> ast.expr | None:
    """``range`` of names and numbers, by Python alone where these are its integers, else what is
    ``asked``; None for other calls."""
    function: Any = node.func
    if function.id != "range" or node.keywords or not all(map(shapes.is_atom, node.args)):
        return None
    if not 0 < len(node.args) <= _MOST_ARGUMENTS:
        return None
    integers = [build.has_kind(a, "ag__int") for a in node.args if shapes.is_name(a)]
    is_own = ast.Compare(build.name("range"), [ast.Is()], [build.name("ag__range")])
    return short(ast.Call(build.name("range"), node.args, []), asked, *integers, is_own)


def builtin_call(node: ast.Call, asked: ast.expr, names: bool) -> ast.expr | None:
    """The call of a builtin, where Python alone does it for the class of its argument, else what
    is ``asked``; None for other calls. ``names`` says that a name may be bound there."""
    function: Any = node.func
    if function.id == "range":
        return range_call(node, ast.Call(asked, node.args, []))
    kinds = _BUILTINS.get(function.id)
    if kinds is None or node.keywords or len(node.args) != 1:
        return None
    value = node.args[0]
    if not shapes.is_name(value) and not (names and isinstance(value, ast.Attribute)):
        return None
    first, again = _twice(value)
    is_own = ast.Compare(build.name(function.id), [ast.Is()], [build.name(f"ag__{function.id}")])
    plain = ast.Call(build.name(function.id), [again], [])
    is_one: ast.expr = build.is_among(first, kinds)
    if function.id == "len":  # mostly of lists
        is_list = build.has_kind(first, "ag__list")
        is_one = ast.BoolOp(ast.Or(), [is_list, build.is_among(again, kinds)])
    return short(plain, ast.Call(asked, [again], []), is_one, is_own)


def is_arithmetic(key: ast.expr) -> bool:
    """Whether a key is made of names and constants by operators, so that it may come first."""
    match key:
        case ast.BinOp(left=left, right=right):
            return is_arithmetic(left) and is_arithmetic(right)
        case ast.UnaryOp(operand=operand):
            return is_arithmetic(operand)
    return shapes.is_atom(key)


def _twice(value: ast.expr, name: str = _BASE) -> tuple[ast.expr, ast.expr]:
    """Two expressions for one value, the second of them after the first."""
    if shapes.is_name(value):
        known = build.name(value.id)
        return known, known
    return _kept(value, name), build.name(name)


def _kept(value: ast.expr, name: str) -> ast.expr:
    return ast.NamedExpr(build.store(name), value)
