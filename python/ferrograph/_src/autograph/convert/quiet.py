"""Methods that run the same as they stand and converted, while no region is traced.

Such a method does nothing but read and set attributes, compute, and choose by values that are plain
where some of its arguments are: a loop may then call it as the program wrote it. What it needs for
that is read off its text; whether that holds is asked where it is called, see ``sites.py``.
"""

from __future__ import annotations

import _ast as ast
from typing import Any

_MOST = 80  # nodes in a function that is looked at
_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow",
}  # fmt: skip
_ORDERS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_UNARY = {ast.USub: "neg", ast.UAdd: "pos"}
_PLAIN = (bool, int, float, str, bytes, type(None))
_ALWAYS: frozenset[str] = frozenset()


class Quiet:
    """What a method needs to run as it stands."""

    __slots__ = ("plain", "sets", "words")

    def __init__(self) -> None:
        self.plain: set[str] = set()  # parameters that must be plain values
        self.words: set[str] = set()  # attributes and special methods that no class may give code
        self.sets = False  # whether it sets attributes of its object


class _Loud(Exception):
    """Something that may not run as it stands."""


def look_at(node: ast.FunctionDef | ast.Lambda) -> Quiet | None:
    """What ``node``, a function that is not converted yet, needs; None where it has to be
    converted."""
    args = node.args
    others = args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg
    if isinstance(node, ast.Lambda) or others or not args.args:
        return None
    try:
        found = _Look([a.arg for a in args.args])
        found.block(node.body)
    except _Loud:
        return None
    return found.quiet


class _Look:
    """One look at a function, statement by statement.

    A value is the set of those parameters that have to be plain for it to be plain, or None where
    nothing is known of it.
    """

    def __init__(self, parameters: list[str]):
        self.quiet, self._first, self._left = Quiet(), parameters[0], _MOST
        self._names: dict[str, Any] = {p: frozenset([p]) for p in parameters[1:]}

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        self._count()
        if isinstance(node, ast.Return):
            if node.value is not None:
                self._value(node.value)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._store(node.targets[0], self._value(node.value))
        elif isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            pass
        elif not isinstance(node, ast.Pass):
            raise _Loud

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _Loud

    def _store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            if target.id == self._first:
                raise _Loud
            self._names[target.id] = value
        elif isinstance(target, ast.Attribute):
            self._attribute(target)
            if not (isinstance(target.value, ast.Name) and target.value.id == self._first):
                raise _Loud
            self.quiet.sets = True
        else:
            raise _Loud

    def _augment(self, node: ast.AugAssign) -> None:
        self._word(node.op, "", "r", "i")
        value = self._value(node.value)
        if isinstance(node.target, ast.Name):
            was = self._names.get(node.target.id)
            if was is None or value is None:
                raise _Loud  # a container may change in place
            self._store(node.target, was | value)
        else:
            if value is None:
                raise _Loud
            self.quiet.plain |= value
            self._store(node.target, None)

    def _if(self, node: ast.If) -> None:
        self._test(self._value(node.test))
        before = dict(self._names)
        self.block(node.body)
        after, self._names = self._names, before
        self.block(node.orelse)
        for name in {*after, *self._names}:
            self._names[name] = _either(after.get(name), self._names.get(name))

    def _test(self, value: Any) -> None:
        """Take note of what Python tests: that must be plain."""
        if value is None:
            raise _Loud
        self.quiet.plain |= value

    def _word(self, op: ast.AST, *prefixes: str) -> None:
        """Take note of what an operator may run."""
        name = _BINARY.get(type(op)) or _ORDERS.get(type(op)) or _UNARY.get(type(op))
        if name is None:
            raise _Loud
        self.quiet.words.update(f"__{prefix}{name}__" for prefix in prefixes)

    def _attribute(self, node: ast.Attribute) -> None:
        if node.attr.startswith("__"):
            raise _Loud
        self.quiet.words.add(node.attr)

    def _value(self, node: ast.expr) -> Any:
        self._count()
        look = _VALUES.get(type(node))
        if look is None:
            raise _Loud
        return look(self, node)

    def _name(self, node: ast.Name) -> Any:
        return self._names.get(node.id)

    def _constant(self, node: ast.Constant) -> Any:
        return _ALWAYS if isinstance(node.value, _PLAIN) else None

    def _load(self, node: ast.Attribute) -> Any:
        self._attribute(node)
        self._value(node.value)

    def _tuple(self, node: ast.Tuple) -> Any:
        for part in node.elts:
            self._value(part)

    def _binary(self, node: ast.BinOp) -> Any:
        self._word(node.op, "", "r")
        found = _either(self._value(node.left), self._value(node.right))
        if found is None and (isinstance(node.op, ast.Mod) or _is_text(node.left, node.right)):
            raise _Loud  # a text may show or repeat what the graph chose
        return found

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            self._test(value)
        else:
            self._word(node.op, "")
        return value

    def _compare(self, node: ast.Compare) -> Any:
        values = [self._value(part) for part in (node.left, *node.comparators)]
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            if len(values) == 2 and _is_none(node.comparators[0]):
                return _ALWAYS
            raise _Loud
        found = values[0]
        for op, value in zip(node.ops, values[1:], strict=True):
            self._word(op, "")
            found = _either(found, value)
        if len(values) > 2:
            self._test(found)
        return found

    def _logic(self, node: ast.BoolOp) -> Any:
        *tests, last = (self._value(part) for part in node.values)
        for value in tests:
            self._test(value)
        return last if last is None else last.union(*tests)

    def _choice(self, node: ast.IfExp) -> Any:
        self._test(self._value(node.test))
        return _either(self._value(node.body), self._value(node.orelse))


_VALUES: dict[type, Any] = {
    ast.Name: _Look._name,
    ast.Constant: _Look._constant,
    ast.Attribute: _Look._load,
    ast.Tuple: _Look._tuple,
    ast.BinOp: _Look._binary,
    ast.UnaryOp: _Look._unary,
    ast.Compare: _Look._compare,
    ast.BoolOp: _Look._logic,
    ast.IfExp: _Look._choice,
}


def _either(first: Any, second: Any) -> Any:
    return None if first is None or second is None else first | second


def _is_text(*parts: ast.expr) -> bool:
    return any(isinstance(p, ast.Constant) and isinstance(p.value, (str, bytes)) for p in parts)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
