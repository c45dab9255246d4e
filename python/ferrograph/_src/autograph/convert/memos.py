"""Whether the text of a function says that it only fills memos: it sets an attribute, or an item of
a dict, where it has just found none, to what depends on nothing but the object and the key.

Then nobody can tell by what the function gives whether the memo was there before. The forms are
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
from . import build
from .parse import parse

_JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ABSENT = {"AttributeError": ast.Attribute, "KeyError": ast.Subscript}


def fills(function: types.FunctionType, name: str, items: bool) -> bool | None:
    """Whether all that a function sets under an attribute's name is a memo: the attribute, or with
    ``items`` the items of the dict in it. None where it sets nothing there, or has no source."""
    try:
        node = parse(function).node
    except ConversionError:
        return None
    if not isinstance(node.body, list):
        return None
    args = node.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    reading = _Reading(name, items, [a.arg for a in every if a is not None], node.body)
    reading.block(node.body, frozenset())
    return all(reading.found) if reading.found else None


class _Reading:
    """One walk through the text of a function."""

    def __init__(self, name: str, items: bool, parameters: list[str], body: list[ast.stmt]):
        self.name, self.items = name, items
        self.found: list[bool] = []  # of what is set, whether that is a memo
        self._parameters = set(parameters)
        self._known: dict[str, str] = {}  # names that were given what a place holds
        self._made_of: dict[str, set[str]] = {}  # names of the function, and those in their values
        self._n_read = _n_read(body)

    def block(self, body: list[ast.stmt], absent: frozenset[str]) -> None:
        """``absent`` are the places that hold nothing there."""
        for statement in body:
            self._statement(statement, absent)
            if isinstance(statement, ast.If) and _ends(statement.body):
                absent |= self._absent_where(statement.test, False)

    def _statement(self, node: ast.stmt, absent: frozenset[str]) -> None:
        if isinstance(node, ast.If):
            self._guarded(node.body, absent | self._absent_where(node.test, True), absent)
            self._guarded(node.orelse, absent | self._absent_where(node.test, False), absent)
        elif isinstance(node, ast.Try):
            self.block(node.body, absent)
            for handler in node.handlers:
                kind = _ABSENT.get(build.text_of(handler.type)) if handler.type else None
                tried = {build.text_of(n) for n in _loads(node.body, kind)} if kind else set()
                self._guarded(handler.body, absent | tried, absent)
            self.block([*node.orelse, *node.finalbody], absent)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            self._assign(node, absent)
        else:
            for inner in build.walk(node):  # loops, functions and others, which no memo needs
                is_place = isinstance(inner, (ast.Attribute, ast.Subscript))
                if is_place and self._is_wanted(inner):
                    self.found.append(False)
                if isinstance(inner, ast.Call) and self._is_changed_by(inner):
                    self.found.append(False)

    def _guarded(self, body: list[ast.stmt], absent: frozenset[str], before: frozenset) -> None:
        """A block that runs where more places hold nothing; what it does beside filling these
        would be seen."""
        n, met = len(self.found), self._parameters | self._made_of.keys()
        self.block(body, absent)
        if absent != before and not (all(map(_only_sets, body)) and self._is_quiet(body, met)):
            self.found[n:] = [False] * (len(self.found) - n)

    def _is_quiet(self, body: list[ast.stmt], met: set[str]) -> bool:
        """Whether a block that fills memos leaves nothing else: of names those that nobody reads
        after it, and those that have what is in a memo, as has what it returns."""
        nodes = [inner for statement in body for inner in build.walk(statement)]
        assigned = [n for n in nodes if isinstance(n, ast.Assign)]
        filling = [n for n in assigned if any(map(self._is_wanted, n.targets))]
        kept = {n.value.id for n in filling if isinstance(n.value, ast.Name)}
        kept |= {t.id for n in filling for t in n.targets if isinstance(t, ast.Name)}
        places = {build.text_of(t) for n in filling for t in n.targets}
        own = {t.id for n in assigned for t in n.targets if isinstance(t, ast.Name)} - kept
        inside = _n_read(body)
        if any(name in met or self._n_read[name] != inside[name] for name in own):
            return False
        given = [n.value for n in nodes if isinstance(n, ast.Return)]
        return all(v is None or build.text_of(v) in places | kept for v in given)

    def _assign(self, node: ast.Assign | ast.AnnAssign, absent: frozenset[str]) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        value = node.value
        if value is None:
            return
        parts = [p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t])]
        names = _names(value)
        for part in parts:
            if isinstance(part, ast.Name):
                self._made_of.setdefault(part.id, set()).update(names)
                place = self._place_read(value)
                if place:
                    self._known[part.id] = place
            elif self._is_wanted(part) and not _is_none(value):
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
        if isinstance(node.ctx, ast.Load):
            return False
        held = node.value if self.items and isinstance(node, ast.Subscript) else node
        is_kind = isinstance(node, ast.Subscript) is self.items
        return is_kind and isinstance(held, ast.Attribute) and held.attr == self.name

    def _is_changed_by(self, call: ast.Call) -> bool:
        """Whether a call of a method may change such a dict, or ``setattr`` such an attribute."""
        if isinstance(call.func, ast.Name) and call.func.id in ("setattr", "delattr"):
            given = call.args[1] if len(call.args) > 1 else None
            return not isinstance(given, ast.Constant) or given.value == self.name
        held = call.func.value if isinstance(call.func, ast.Attribute) else None
        is_held = isinstance(held, ast.Attribute) and held.attr == self.name
        return self.items and is_held and call.func.attr not in ("get", "keys", "values", "items")

    def _place_read(self, value: ast.expr) -> str:
        """The place whose content a value is, or None: ``self.x``, ``self.d.get(k)``."""
        if isinstance(value, (ast.Attribute, ast.Subscript)):
            return build.text_of(value)
        if not isinstance(value, ast.Call) or not value.args:
            return ""
        if build.text_of(value.func) == "getattr" and len(value.args) == 3:
            return _attribute(value) if _is_none(value.args[2]) else ""
        is_get = isinstance(value.func, ast.Attribute) and value.func.attr == "get"
        is_none = len(value.args) == 1 or _is_none(value.args[1])
        if is_get and is_none:
            return _item(value.func.value, value.args[0])
        return ""

    def _absent_where(self, test: ast.expr, outcome: bool) -> frozenset[str]:
        """The places that hold nothing where a test is true, or where it is not."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._absent_where(test.operand, not outcome)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            op, left, right = test.ops[0], test.left, test.comparators[0]
            asks = isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)) and _is_none(right)
            if asks and isinstance(op, (ast.Is, ast.Eq)) is outcome:
                return frozenset(filter(None, [self._held_by(left)]))
            if isinstance(op, (ast.In, ast.NotIn)) and isinstance(op, ast.NotIn) is outcome:
                return frozenset([_item(right, left)])
        if outcome:
            return frozenset()
        if isinstance(test, ast.Call) and build.text_of(test.func) == "hasattr":
            return frozenset([_attribute(test)])
        return frozenset(filter(None, [self._held_by(test)]))  # ``if not self.x:``

    def _held_by(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._known.get(node.id, "")
        return self._place_read(node)


def _ends(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], _JUMPS)


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _attribute(call: ast.Call) -> str:
    """What ``hasattr`` or ``getattr`` asks for."""
    if len(call.args) < 2 or not isinstance(call.args[1], ast.Constant):
        return ""
    return f"{build.text_of(call.args[0])}.{call.args[1].value!r}".replace("'", "")


def _item(container: ast.expr, key: ast.expr) -> str:
    return build.text_of(ast.Subscript(value=container, slice=key, ctx=ast.Load()))


def _n_read(body: list[ast.stmt]) -> collections.Counter:
    """How often names are read."""
    nodes = (inner for statement in body for inner in build.walk(statement))
    return collections.Counter(
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in build.walk(node) if isinstance(n, ast.Name)}


def _loads(body: list[ast.stmt], kind: type) -> Iterator[ast.AST]:
    nodes = (inner for statement in body for inner in build.walk(statement))
    return (n for n in nodes if isinstance(n, kind) and isinstance(n.ctx, ast.Load))


def _only_sets(node: ast.stmt) -> bool:
    """Whether a statement sets names, attributes and items, or leaves the function."""
    if isinstance(node, (ast.If, ast.Try)):
        inner = [*node.body, *node.orelse]
        return all(map(_only_sets, inner))
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return, ast.Pass, ast.Raise))
