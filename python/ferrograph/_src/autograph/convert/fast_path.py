"""The fast path of small functions: a second form without cells, for calls on plain values.

Names that staged branches and loops set are in cells, which cost more to make than a small function
takes to run. Where such a function has no side effects before its last test, it can be restarted:
its fast path has each ``if`` and loop for plain values alone, and where a test gives anything else
it returns what ``ag__whole``, the full form, returns for the arguments::

    ag__taken_1 = x > 10
    if not (ag__taken_1 is True or ag__taken_1 is False or ag__kind(ag__taken_1) in ag__plain):
        return ag__.anew(ag__whole)(x)
    if ag__taken_1:
        return 10
    return x
"""

from __future__ import annotations

import _ast as ast

from ...context.ownership import WHOLE
from ...hints import Any
from . import build, inline, methods, operator_methods, shapes
from .context import Context
from .loops import followed
from .pipeline import Statements, is_left_alone

_WORDS = ("yield", "await", "set_loop_options")
_MOST = 16  # tests, beyond which the cells count for little


def convert(node: ast.FunctionDef, text: str) -> bool:
    """Convert a function in place to its fast path; its statements have their plain forms. Whether
    it could be."""
    if any(word in text for word in _WORDS) or is_left_alone(node):
        return False
    facts = _Facts(node)
    facts.block(node.body, True)
    if facts.fails or not 0 < facts.n_tests <= _MOST:
        return False
    statements = _Statements(Context(node), text, node.args)
    body = statements.block(node.body)
    head = [build.locate(s, body[0], body[0]) for s in statements.head()]
    at = 1 if shapes.is_docstring(body[0]) else 0
    node.body = body[:at] + head + body[at:]
    return True


class _Facts:
    """Whether a function may be restarted at each of its tests."""

    def __init__(self, node: ast.FunctionDef):
        self.parameters = frozenset(a.arg for a in build.parameters(node.args))
        self.numbers = _numbers(node.body)
        self.fails, self.n_tests = False, 0

    def block(self, body: list[ast.stmt], pure: bool) -> bool:
        """Whether nothing has changed behind ``body``, if nothing has before it."""
        for statement in body:
            pure = self.statement(statement, pure)
            if self.fails or shapes.is_exit(statement):
                break
        return pure

    def statement(self, node: ast.stmt, pure: bool) -> bool:
        match _as_if(node) or node:
            case ast.If(test=test, body=then, orelse=other):
                self.test(test, pure)
                sides = [(body, self.block(body, pure)) for body in (then, other)]
                return all(found for body, found in sides if not shapes.ends_by_exit(body))
            case ast.For(body=body, orelse=other) as loop:
                self.iterates(loop, pure)
                return self.repeated(body, pure) and self.block(other, pure)
            case ast.While(test=test, body=body, orelse=other):
                self.fails |= bool(other)
                self.test(test, pure)
                before = self.n_tests
                inside = self.block(body, pure)
                self.fails |= pure and not inside and before > 0
                return inside
            case ast.Return() | ast.Raise() | ast.Expr() | ast.Assign() | ast.AugAssign():
                self.fails |= any(map(_is_general, build.walk(node)))
                self.fails |= any(n.id in self.parameters for n in _stored(node))
                return pure and self.keeps(node)
            case ast.Pass() | ast.Break() | ast.Continue():
                return pure
        self.fails = True
        return pure

    def repeated(self, body: list[ast.stmt], pure: bool) -> bool:
        """The same of the body of a loop, in which a test comes after what is behind it, too."""
        before = self.n_tests
        inside = self.block(body, pure)
        self.fails |= not inside and self.n_tests > before
        return inside

    def iterates(self, node: ast.For, pure: bool) -> None:
        """A loop over a range of integers, or over what evaluating once more gives again."""
        self.n_tests += 1
        is_range = _is_range(node.iter) and all(map(_is_simple, node.iter.args))
        names = [n.id for n in _stored(node.target)]
        self.fails |= not pure or not (is_range or _is_pure(node.iter))
        self.fails |= not shapes.is_name(node.target) or bool(self.parameters & set(names))

    def test(self, node: ast.expr, pure: bool) -> None:
        match _as_and(node):
            case ast.BoolOp(values=values):
                for value in values:
                    self.test(value, pure)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.test(operand, pure)
            case _:
                self.n_tests += 1
                self.fails |= not pure or not _is_pure(node)

    def keeps(self, node: ast.stmt) -> bool:
        """Whether a statement changes nothing but names of the function."""
        match node:
            case ast.Assign(targets=targets, value=value):
                plain = all(shapes.is_name(part) for t in targets for part in shapes.parts_of(t))
                shown = all(map(shapes.is_name, targets)) or isinstance(value, ast.Tuple)
                return plain and shown and _is_pure(value)
            case ast.AugAssign(target=ast.Name(id=name), value=value) if name in self.numbers:
                return not methods.augments(node) and _is_pure(value)
            case ast.Expr(value=ast.Constant()):
                return True
        return False


# What would need functions of its own for values that are no plain ones.
_GENERAL = (
    ast.BoolOp, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
    ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await,
)  # fmt: skip


def _is_general(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[_, _, *_]):
            return True
    return isinstance(node, _GENERAL)


def _as_if(node: ast.stmt) -> ast.If | None:
    """A statement that returns or gives a name a conditional expression as an ``if``."""
    match node:
        case ast.Return(value=ast.IfExp(test=test, body=then, orelse=other)):
            sides: list[ast.stmt] = [ast.Return(then), ast.Return(other)]
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.IfExp(test=test, body=then, orelse=other)
        ):
            sides = [build.assign(name, then), build.assign(name, other)]
        case _:
            return None
    first, second = map(build.locate, sides, (then, other))
    return build.copy_location(ast.If(test=test, body=[first], orelse=[second]), node)


def _as_and(node: ast.expr) -> ast.expr:
    """A chain of comparisons of names and numbers as an ``and`` of its links."""
    match node:
        case ast.Compare(left=left, ops=[_, _, *_] as ops, comparators=[*inner, last]):
            if all(map(shapes.is_atom, inner)):
                sides = zip([left, *inner], ops, [*inner, last], strict=True)
                links = [build.copy_location(ast.Compare(a, [op], [b]), node) for a, op, b in sides]
                return build.copy_location(ast.BoolOp(ast.And(), links), node)
    return node


def _stored(node: ast.AST) -> list[ast.Name]:
    return [n for n in build.find(ast.Name, node) if not shapes.is_loaded(n)]


def _numbers(body: list[ast.stmt]) -> set[str]:
    """Names to which a function assigns numbers alone, beside what is added to them: what they hold
    is new, so that no augmented assignment to them changes what others see."""
    found: set[str] = set()
    others: set[str] = set()
    for node in build.find((ast.Assign, ast.For), *body):
        match node:
            case ast.Assign(targets=targets, value=ast.Constant(value=int() | float())):
                found.update(n.id for t in targets for n in _stored(t))
            case ast.Assign(targets=targets):
                others.update(n.id for t in targets for n in _stored(t))
            case ast.For(target=target):
                others.update(n.id for n in _stored(target))
    return found - others


def _is_range(node: ast.expr) -> bool:
    if shapes.called_name(node) != "range":
        return False
    return 0 < len(node.args) < 4 and not node.keywords


def _is_simple(node: ast.expr) -> bool:
    return shapes.is_name(node) or shapes.is_constant(node) and type(node.value) is int


def _is_pure(node: ast.expr) -> bool:
    """Whether evaluating an expression once more gives the same and changes nothing."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value, attr=name):
            return not operator_methods.has_attribute(name) and _is_pure(value)
        case ast.Tuple(elts=parts):
            return all(map(_is_pure, parts))
        case ast.BinOp(op=ast.Mod()) if operator_methods.has("__str__", "__repr__", "__index__"):
            return False
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if not shapes.is_lookup(op):
            parts = [left, right]
        case _:
            return False
    return not methods.is_special(node) and all(map(_is_pure, parts))


class _Statements(Statements):
    """Converts the statements of a function to their forms for plain values."""

    def __init__(self, context: Context, text: str, args: ast.arguments):
        super().__init__(context, text, stops=False, once=False)
        self._args = args

    def _anew(self, like: ast.stmt, unless: ast.expr) -> ast.stmt:
        """The statement that restarts in the full form."""
        args = self._args
        given: list[ast.expr] = [build.name(a.arg) for a in (*args.posonlyargs, *args.args)]
        named = [ast.keyword(a.arg, build.name(a.arg)) for a in args.kwonlyargs]
        if args.vararg is not None:
            given.append(ast.Starred(build.name(args.vararg.arg), ast.Load()))
        if args.kwarg is not None:
            named.append(ast.keyword(None, build.name(args.kwarg.arg)))
        whole = build.call("anew", build.name(WHOLE))
        begins = ast.Return(value=ast.Call(whole, given, named))
        test = ast.UnaryOp(ast.Not(), unless)
        return build.locate(ast.If(test=test, body=[begins], orelse=[]), like, like)

    def _tested(self, node: ast.expr, name: str, like: ast.stmt) -> list[ast.stmt]:
        """Statements that give a name to what a test gives."""
        node = _as_and(node)
        match node:
            case ast.BoolOp(op=op, values=[first, *others]):
                inner = found = self._tested(first, name, like)
                for value in others:
                    going: ast.expr = build.name(name)
                    if isinstance(op, ast.Or):
                        going = ast.UnaryOp(ast.Not(), going)
                    body = self._tested(value, name, like)
                    inner.append(build.locate(ast.If(test=going, body=body, orelse=[]), value))
                    inner = body
                return found
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                found = self._tested(operand, name, like)
                turned = build.assign(name, ast.UnaryOp(ast.Not(), build.name(name)))
                return [*found, build.locate(turned, node)]
        value = self.visit(node)
        taken = build.locate(build.assign(name, value), node)
        return [taken, self._anew(taken, inline.is_plain(name))]

    def visit_Return(self, node: ast.Return) -> Any:
        choice = _as_if(node)
        return self.generic_visit(node) if choice is None else self.visit_If(choice)

    def visit_Assign(self, node: ast.Assign) -> Any:
        choice = _as_if(node)
        return super().visit_Assign(node) if choice is None else self.visit_If(choice)

    def visit_If(self, node: ast.If) -> Any:
        name = f"ag__taken_{self._context.number()}"
        head = self._tested(node.test, name, node)
        node.test = build.locate(build.name(name), node.test)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return [*head, node]

    def visit_While(self, node: ast.While) -> Any:
        name = f"ag__taken_{self._context.number()}"
        self._depth += 1
        head = self._tested(node.test, name, node)
        body = self.block(node.body)
        self._depth -= 1
        ends = ast.UnaryOp(ast.Not(), build.name(name))
        left = build.locate(ast.If(test=ends, body=[ast.Break()], orelse=[]), node, node.test)
        node.test = build.locate(build.constant(True), node.test)
        node.body = [*head, left, *body]
        return node

    def visit_For(self, node: ast.For) -> Any:
        over = f"ag__over_{self._context.number()}"
        head = []
        if _is_range(node.iter):
            calm: list[ast.expr] = [ast.UnaryOp(ast.Not(), build.is_loud())]
            calm += [build.has_kind(a, "ag__int") for a in node.iter.args if shapes.is_name(a)]
            calm.append(ast.Compare(build.name("range"), [ast.Is()], [build.name("ag__range")]))
            head.append(self._anew(node, ast.BoolOp(ast.And(), calm)))
            iterable = node.iter
        else:
            node.iter = self.visit(node.iter)
            calm = [ast.UnaryOp(ast.Not(), build.is_loud())]
            calm.append(build.is_among(build.name(over), "ag__unrolled"))
            head.append(build.locate(build.assign(over, node.iter), node.iter))
            head.append(self._anew(node, ast.BoolOp(ast.And(), calm)))
            iterable = build.locate(followed(over), node.iter)
        node.iter = iterable
        self._depth += 1
        node.body = self.block(node.body)
        self._depth -= 1
        node.orelse = self.block(node.orelse)
        return [*head, node]
