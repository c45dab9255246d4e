"""Whether the source of a function shows that it only memoises: it sets an attribute, or an item of
a dict, where it has just found none, to a value that depends on the object and the key alone.

Then the result of the function is the same with and without the memoised value. The forms are
``if self.x is None:``, ``if not hasattr(self, "x"):``, ``if k not in self.d:``, their opposites
with ``else`` or an early ``return``, ``try: ... except AttributeError:`` (``KeyError``), and a name
that was given ``self.x`` or ``self.d.get(k)`` and is None.
"""

from __future__ import annotations

import _ast as ast
import collections
import types
from collections.abc import Iterator

from ...heap.source_location import ConversionError
from ...hints import Any
from . import build, shapes
from .parse import parse

_ABSENT = {"AttributeError": ast.Attribute, "KeyError": ast.Subscript}


def fills(function: types.FunctionType, name: str, items: bool) -> bool | None:
    """Whether all that a function sets under an attribute's name is a memo: the attribute, or with
    ``items`` the items of the dict in it. None where it sets nothing there, or has no source."""
    try:
        node = parse(function).node
    except ConversionError:
        return None
    if isinstance(node, ast.Lambda):
        return None
    reading = _Reading(name, items, node)
    reading.block(node.body, frozenset())
    return all(reading.found) if reading.found else None


class _Reading:
    """One walk through the text of a function."""

    def __init__(self, name: str, items: bool, function: ast.FunctionDef):
        self.name, self.items = name, items
        self.found: list[bool] = []  # of what is set, whether that is a memo
        self._parameters = {arg.arg for arg in build.parameters(function.args)}
        self._known: dict[str, str] = {}  # names that were given what a place holds
        self._made_of: dict[str, set[str]] = {}  # names of the function, and those in their values
        self._n_read = _n_read(function.body)

    def block(self, body: list[ast.stmt], absent: frozenset[str]) -> None:
        """``absent`` are the places that hold nothing there."""
        for statement in body:
            self._statement(statement, absent)
            match statement:
                case ast.If(test=test, body=body) if shapes.ends_by_exit(body):
                    absent |= self._absent_where(test, False)

    def _statement(self, node: ast.stmt, absent: frozenset[str]) -> None:
        match node:
            case ast.If(test=test, body=body, orelse=other):
                self._guarded(body, absent | self._absent_where(test, True), absent)
                self._guarded(other, absent | self._absent_where(test, False), absent)
            case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
                self.block(body, absent)
                for handler in handlers:
                    kind = _ABSENT.get(build.text_of(handler.type)) if handler.type else None
                    tried = {build.text_of(n) for n in _loads(body, kind)} if kind else set()
                    self._guarded(handler.body, absent | tried, absent)
                self.block([*other, *last], absent)
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value, absent)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign([target], value, absent)
            case ast.AnnAssign():
                pass
            case _:  # loops, functions and others, which no memo needs
                self.found += [False for n in build.walk(node) if self._is_changed_by(n)]

    def _guarded(self, body: list[ast.stmt], absent: frozenset[str], before: frozenset) -> None:
        """A block that runs where more places hold nothing; what it does beside filling these
        would be seen."""
        n, met = len(self.found), self._parameters | self._made_of.keys()
        self.block(body, absent)
        if absent != before and not (all(map(_only_sets, body)) and self._is_quiet(body, met)):
            self.found[n:] = [False] * (len(self.found) - n)

    def _is_quiet(self, body: list[ast.stmt], met: set[str]) -> bool:
        """Whether a block that fills memos has no other effect: it sets names that are not read
        after it, or names, and results, with the value of a memo."""
        assigned = list(build.find(ast.Assign, *body))
        filling = [n for n in assigned if any(map(self._is_wanted, n.targets))]
        targets = [t for n in filling for t in n.targets]
        kept = {n.id for n in (*targets, *(n.value for n in filling)) if shapes.is_name(n)}
        places = set(map(build.text_of, targets))
        own = {t.id for n in assigned for t in n.targets if shapes.is_name(t)} - kept
        inside = _n_read(body)
        if any(name in met or self._n_read[name] != inside[name] for name in own):
            return False
        given = [n.value for n in build.find(ast.Return, *body)]
        return all(v is None or build.text_of(v) in places | kept for v in given)

    def _assign(self, targets: list[ast.expr], value: ast.expr, absent: frozenset[str]) -> None:
        names = _names(value)
        for part in (part for target in targets for part in shapes.parts_of(target)):
            if shapes.is_name(part):
                self._made_of.setdefault(part.id, set()).update(names)
                place = self._place_read(value)
                if place:
                    self._known[part.id] = place
            elif self._is_wanted(part) and not shapes.is_none(value):
                self.found.append(build.text_of(part) in absent and self._is_own(part, names))

    def _is_own(self, target: ast.expr, names: set[str]) -> bool:
        """Whether a value depends on nothing but the object and the key of its memo."""
        allowed = self._behind(_names(target))
        return not (self._behind(names) & self._parameters) - allowed

    def _behind(self, names: set[str]) -> set[str]:
        found, pending = set(), list(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self._made_of.get(name, ()))
        return found

    def _is_wanted(self, node: ast.expr) -> bool:
        """Whether a target, or what is deleted, is what is asked for."""
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                return name == self.name and not self.items
            case ast.Subscript(value=ast.Attribute(attr=name), ctx=ast.Store() | ast.Del()):
                return name == self.name and self.items
        return False

    def _is_changed_by(self, node: ast.AST) -> bool:
        """Whether a node sets or deletes what is asked for, a call of a method may change such a
        dict, or ``setattr`` such an attribute."""
        match node:
            case ast.Attribute() | ast.Subscript():
                return self._is_wanted(node)
            case ast.Call(ast.Name("setattr" | "delattr"), [_, ast.Constant(value=name), *_]):
                return name == self.name
            case ast.Call(ast.Name("setattr" | "delattr")):
                return True
            case ast.Call(ast.Attribute(ast.Attribute(attr=name), method)):
                is_reading = method in ("get", "keys", "values", "items")
                return self.items and name == self.name and not is_reading
        return False

    def _place_read(self, value: ast.expr) -> str:
        """The place whose content a value is, or "": ``self.x``, ``self.d.get(k)``."""
        match value:
            case ast.Attribute() | ast.Subscript():
                return build.text_of(value)
            case ast.Call(ast.Name("getattr"), [_, _, ast.Constant(None)]):
                return _attribute(value)
            case ast.Call(ast.Attribute(held, "get"), [key] | [key, ast.Constant(None), *_]):
                return _item(held, key)
        return ""

    def _absent_where(self, test: ast.expr, outcome: bool) -> frozenset[str]:
        """The places that hold nothing where a test is true, or where it is not."""
        match test, outcome:
            case ast.UnaryOp(ast.Not(), operand), _:
                return self._absent_where(operand, not outcome)
            case (ast.Compare(left, [ast.Is() | ast.Eq()], [ast.Constant(None)]), True) | (
                ast.Compare(left, [ast.IsNot() | ast.NotEq()], [ast.Constant(None)]),
                False,
            ):
                place = self._held_by(left)
            case (ast.Compare(left, [ast.NotIn()], [right]), True) | (
                ast.Compare(left, [ast.In()], [right]),
                False,
            ):
                place = _item(right, left)
            case ast.Call(ast.Name("hasattr")), False:
                return frozenset([_attribute(test)])
            case _, False:  # ``if not self.x:``
                place = self._held_by(test)
            case _:
                place = ""
        return frozenset([place] if place else [])

    def _held_by(self, node: ast.expr) -> str:
        return self._known.get(node.id, "") if shapes.is_name(node) else self._place_read(node)


def _attribute(call: ast.Call) -> str:
    """What ``hasattr`` or ``getattr`` asks for."""
    match call.args:
        case [held, ast.Constant(value=name), *_]:
            return f"{build.text_of(held)}.{name!r}".replace("'", "")
    return ""


def _item(container: ast.expr, key: ast.expr) -> str:
    return build.text_of(ast.Subscript(value=container, slice=key, ctx=ast.Load()))


def _n_read(body: list[ast.stmt]) -> collections.Counter:
    """How often names are read."""
    return collections.Counter(n.id for n in _loads(body, ast.Name))


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in build.find(ast.Name, node)}


def _loads(body: list[ast.stmt], kind: type) -> Iterator[Any]:
    return filter(shapes.is_loaded, build.find(kind, *body))


def _only_sets(node: ast.stmt) -> bool:
    """Whether a statement sets names, attributes and items, or leaves the function."""
    match node:
        case ast.If(body=body, orelse=other) | ast.Try(body=body, orelse=other):
            return all(map(_only_sets, [*body, *other]))
        case ast.Expr(value=ast.Constant()):
            return True
    return isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return, ast.Pass, ast.Raise))
