"""A second form of small functions, for calls in which Python alone decides: it has no cells.

What branches and loops of the graph set are names in cells, whose making costs more than a small
function. Where all that such a function does before its last test changes nothing, the function may
as well begin anew: its *lean* form has each ``if`` and loop for plain values alone, and where it
meets something else it gives what ``ag__whole``, the whole form, gives for the arguments::

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
from . import build, inline, jumps, methods, operator_methods
from .context import Context
from .loops import followed
from .pipeline import Statements, is_left_alone

_WORDS = ("yield", "await", "set_loop_options")
_MOST = 16  # tests, beyond which the cells count for little
_LEFT = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def convert(node: ast.FunctionDef, text: str) -> bool:
    """Convert a function in place, whose statements have their plain forms; whether it can be."""
    if any(word in text for word in _WORDS) or is_left_alone(node):
        return False
    facts = _Facts(node)
    facts.block(node.body, True)
    if facts.fails or not 0 < facts.n_tests <= _MOST:
        return False
    statements = _Statements(Context(node), text, node.args)
    body = statements.block(node.body)
    head = [build.locate(s, body[0], body[0]) for s in statements.head()]
    at = 1 if jumps.is_docstring(body[0]) else 0
    node.body = body[:at] + head + body[at:]
    return True


class _Facts:
    """Whether a function may begin anew at each of its tests."""

    def __init__(self, node: ast.FunctionDef):
        args = node.args
        every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
        self.parameters = frozenset(a.arg for a in every if a is not None)
        self.numbers = _numbers(node.body)
        self.fails, self.n_tests = False, 0

    def block(self, body: list[ast.stmt], pure: bool) -> bool:
        """Whether nothing has changed behind ``body``, if nothing has before it."""
        for statement in body:
            pure = self.statement(statement, pure)
            if self.fails or isinstance(statement, _LEFT):
                break
        return pure

    def statement(self, node: ast.stmt, pure: bool) -> bool:
        if isinstance(node, ast.If):
            self.test(node.test, pure)
            sides = [(body, self.block(body, pure)) for body in (node.body, node.orelse)]
            return all(found for body, found in sides if not _leaves(body))
        if isinstance(node, ast.For):
            self.iterates(node, pure)
            return self.repeated(node.body, pure) and self.block(node.orelse, pure)
        if isinstance(node, ast.While):
            self.fails |= bool(node.orelse)
            self.test(node.test, pure)
            before = self.n_tests
            inside = self.block(node.body, pure)
            self.fails |= pure and not inside and before > 0
            return inside
        if isinstance(node, (ast.Return, ast.Raise, ast.Expr, ast.Assign, ast.AugAssign)):
            if (choice := _as_if(node)) is not None:
                return self.statement(choice, pure)
            self.fails |= any(map(_is_general, build.walk(node)))
            self.fails |= any(n.id in self.parameters for n in _stored(node))
            return pure and self.keeps(node)
        self.fails |= not isinstance(node, (ast.Pass, ast.Break, ast.Continue))
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
        self.fails |= not isinstance(node.target, ast.Name) or bool(self.parameters & set(names))

    def test(self, node: ast.expr, pure: bool) -> None:
        node = _as_and(node)
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                self.test(value, pure)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.test(node.operand, pure)
        else:
            self.n_tests += 1
            self.fails |= not pure or not _is_pure(node)

    def keeps(self, node: ast.stmt) -> bool:
        """Whether a statement changes nothing but names of the function."""
        if isinstance(node, ast.Assign):
            named = all(isinstance(t, (ast.Name, ast.Tuple)) for t in node.targets)
            plain = all(isinstance(n, ast.Name) for t in node.targets for n in _parts(t))
            is_unpacking = any(isinstance(t, ast.Tuple) for t in node.targets)
            shown = not is_unpacking or isinstance(node.value, ast.Tuple)
            return named and plain and shown and _is_pure(node.value)
        if isinstance(node, ast.AugAssign):
            is_number = isinstance(node.target, ast.Name) and node.target.id in self.numbers
            return is_number and not methods.augments(node) and _is_pure(node.value)
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# What would need functions of its own for values that are no plain ones.
_GENERAL = (
    ast.BoolOp, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
    ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await,
)  # fmt: skip


def _is_general(node: ast.AST) -> bool:
    return isinstance(node, _GENERAL) or (isinstance(node, ast.Compare) and len(node.ops) > 1)


def _as_if(node: ast.stmt) -> ast.If | None:
    """A statement that returns or gives a name a conditional expression as an ``if``."""
    value = node.value if isinstance(node, (ast.Return, ast.Assign)) else None
    if not isinstance(value, ast.IfExp):
        return None
    sides: list[Any] = []
    for part in (value.body, value.orelse):
        if isinstance(node, ast.Return):
            side: ast.stmt = ast.Return(value=part)
        elif len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            target = build.store(node.targets[0].id)
            side = ast.Assign(targets=[target], value=part, lineno=0)
        else:
            return None
        sides.append([build.locate(side, part)])
    return build.copy_location(ast.If(test=value.test, body=sides[0], orelse=sides[1]), node)


def _as_and(node: ast.expr) -> ast.expr:
    """A chain of comparisons of names and numbers as an ``and`` of its links."""
    if not isinstance(node, ast.Compare) or len(node.ops) == 1:
        return node
    sides = [node.left, *node.comparators]
    if not all(isinstance(s, (ast.Name, ast.Constant)) for s in sides[1:-1]):
        return node
    links: list[ast.expr] = [
        build.copy_location(ast.Compare(a, [op], [b]), node)
        for a, op, b in zip(sides, node.ops, sides[1:], strict=False)
    ]
    return build.copy_location(ast.BoolOp(ast.And(), links), node)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether what stands behind a branch does not run after it."""
    return bool(body) and isinstance(body[-1], _LEFT)


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple) else [target]


def _stored(node: ast.AST) -> list[ast.Name]:
    found = [n for n in build.walk(node) if isinstance(n, ast.Name)]
    return [n for n in found if not isinstance(n.ctx, ast.Load)]


def _numbers(body: list[ast.stmt]) -> set[str]:
    """Names to which a function assigns numbers alone, beside what is added to them: what they hold
    is new, so that no augmented assignment to them changes what others see."""
    found: set[str] = set()
    others: set[str] = set()
    for node in (n for statement in body for n in build.walk(statement)):
        if isinstance(node, ast.Assign):
            value, names = node.value, {n.id for t in node.targets for n in _stored(t)}
            is_number = isinstance(value, ast.Constant) and isinstance(value.value, (int, float))
            (found if is_number else others).update(names)
        elif isinstance(node, ast.For):
            others.update(n.id for n in _stored(node.target))
    return found - others


def _is_range(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id == "range" and 0 < len(node.args) < 4 and not node.keywords


def _is_simple(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Constant) and type(node.value) is int
    )


def _is_pure(node: ast.expr) -> bool:
    """Whether evaluating an expression once more gives the same and changes nothing."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return True
    if isinstance(node, ast.Attribute):
        return not operator_methods.has_attribute(node.attr) and _is_pure(node.value)
    if isinstance(node, ast.Tuple):
        return all(map(_is_pure, node.elts))
    if isinstance(node, ast.UnaryOp):
        return not methods.is_special(node) and _is_pure(node.operand)
    if isinstance(node, ast.BinOp):
        shows = isinstance(node.op, ast.Mod) and operator_methods.has(
            "__str__", "__repr__", "__index__"
        )
        sides = _is_pure(node.left) and _is_pure(node.right)
        return not shows and not methods.is_special(node) and sides
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        looks = isinstance(node.ops[0], (ast.In, ast.NotIn))
        sides = _is_pure(node.left) and _is_pure(node.comparators[0])
        return not looks and not methods.is_special(node) and sides
    return False


class _Statements(Statements):
    """Converts the statements of a function to their forms for plain values."""

    def __init__(self, context: Context, text: str, args: ast.arguments):
        super().__init__(context, text, stops=False, once=False)
        self._args = args

    def _anew(self, like: ast.stmt, unless: ast.expr) -> ast.stmt:
        """The statement that begins anew with the whole form."""
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
        if isinstance(node, ast.BoolOp):
            found = self._tested(node.values[0], name, like)
            inner = found
            for value in node.values[1:]:
                going: ast.expr = build.name(name)
                if isinstance(node.op, ast.Or):
                    going = ast.UnaryOp(ast.Not(), going)
                body = self._tested(value, name, like)
                inner.append(build.locate(ast.If(test=going, body=body, orelse=[]), value))
                inner = body
            return found
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found = self._tested(node.operand, name, like)
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
            calm += [build.has_kind(a, "ag__int") for a in node.iter.args if _is_name(a)]
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


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)
