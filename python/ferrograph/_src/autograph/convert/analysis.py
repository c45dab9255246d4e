"""What a function does with its names: which it owns, what a statement binds, what is read later.

``Scope`` answers for one function. ``Liveness`` walks its statements backwards and leaves on each
``if``, ``while`` and ``for`` the sets that the converters need:

- ``ag_live``: names that are read after the statement,
- ``ag_entry``: for a loop, names that an iteration reads before it sets them,
- ``ag_target_live``: on ``break``, ``continue`` and ``return``, names that are read where the jump
  lands.

A name that a nested function reads may be read whenever that function runs: such names are
``Scope.captured``.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterable

from ...hints import Any
from . import build, operator_methods, shapes

# Builtins that find all names of the function that calls them.
_READ_TEXT = frozenset({"eval", "exec"})
_READ_ALL = _READ_TEXT | {"locals", "vars", "dir"}

Names = frozenset[str]
NONE: Names = frozenset()

_DISPLAYS = (ast.Tuple, ast.List, ast.Starred)
_VISITS: Any = {}
_LIST_METHODS = frozenset(
    {"append", "extend", "insert", "pop", "clear", "remove", "sort", "reverse"}
)


class Uses:
    """Names that a piece of code loads and binds at the level of its own function."""

    # What few pieces of code have, and is put together anew where one does.
    captured: Names = NONE  # read by nested functions
    captors: frozenset[tuple[str, int]] = frozenset()  # these, each with a function that reads it
    rebound: Names = NONE  # bound by nested functions, through nonlocal
    globals: Names = NONE
    nonlocals: Names = NONE
    walrus: Names = NONE
    grown: Names = NONE  # the texts of what is changed by a method of lists
    extended: Names = NONE  # names to which a list is added in place
    maybe: Names = NONE  # those of the bound ones that an expression need not bind
    reads_all: Names = NONE  # calls that may read every name
    targets: Names = NONE  # of ``for`` statements
    calls = False

    def __init__(self, *nodes: ast.AST | None):
        self.loads: set[str] = set()
        self.stores: set[str] = set()
        self.places: dict[str, ast.Attribute | ast.Subscript] = {}
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit(self, node: ast.AST) -> None:
        method = _VISITS.get(node.__class__)
        if method is None:
            method = getattr(Uses, f"visit_{type(node).__name__}", Uses.generic_visit)
            _VISITS[node.__class__] = method
        method(self, node)

    def generic_visit(self, node: ast.AST) -> None:
        for child in build.children(node):
            self.visit(child)

    def visit_Constant(self, node: ast.Constant) -> None:
        pass

    def visit_Name(self, node: ast.Name) -> None:
        if not shapes.is_loaded(node):
            self.stores.add(node.id)
        if not isinstance(node.ctx, ast.Store):  # what is deleted has to be bound
            self.loads.add(node.id)
            if node.id in _READ_ALL and not hasattr(node, "ag_called"):
                self.reads_all |= {node.id}

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.ListComp):
            made = (build.text_of(t) for t in node.targets if not isinstance(t, _DISPLAYS))
            self.grown = self.grown.union(made)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if shapes.is_name(node.target):
            self.loads.add(node.target.id)
            if is_extension(node):
                self.extended |= {node.target.id}
                self.grown |= {node.target.id}
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not shapes.is_loaded(node):
            self.places.setdefault(build.text_of(node), node)
        if node.attr in _READ_ALL and build.text_of(node.value) == "builtins":
            self.reads_all |= {node.attr}
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not shapes.is_loaded(node):
            self.places.setdefault(build.text_of(node), node)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.walrus |= {node.target.id}
        self.generic_visit(node)

    def _seldom(self, *nodes: ast.AST | None) -> None:
        """Visit what may not run: it need not bind the names that it does."""
        known = frozenset(self.stores) - self.maybe
        for node in nodes:
            if node is not None:
                self.visit(node)
        self.maybe |= self.stores - known

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])
        self._seldom(*node.values[1:])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        self._seldom(node.body, node.orelse)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.visit(node.left)
        self.visit(node.comparators[0])
        self._seldom(*node.comparators[1:])

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)
        self._seldom(node.msg)

    def visit_Call(self, node: ast.Call) -> None:
        self.calls = True
        match node.func:
            case ast.Attribute(value=owner, attr=method) if method in _LIST_METHODS:
                self.grown |= {build.text_of(owner)}
            case ast.Name(id=name) if name in _READ_ALL:
                node.func.ag_called = True
                if len(node.args) == (name in _READ_TEXT):
                    self.reads_all |= {name}
            case ast.Name(id=name) if node.args and name in operator_methods.CONSUMERS:
                if operator_methods.is_builtin(name):
                    node.args[0].ag_consumed = True
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals = self.globals.union(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.nonlocals = self.nonlocals.union(node.names)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.stores.add(node.asname or node.name.split(".")[0])

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.stores.add(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.stores.add(node.rest)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.stores.add(node.name)
        for part in (*node.decorator_list, node.returns):
            if part is not None:
                self.visit(part)
        self._nested(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._nested(node)

    def _nested(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._enclose(Scope(node), node)

    def _enclose(self, inner: Scope, node: ast.AST) -> None:
        self.loads |= inner.free
        self._capture(inner.free, node)
        self.grown |= inner.grown
        self.walrus |= inner.walrus
        self.rebound |= inner.nonlocals | (inner.rebound - inner.bound)

    def _capture(self, names: Iterable[str], node: ast.AST) -> None:
        self.captured |= frozenset(names)
        self.captors |= {(name, id(node)) for name in names}

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.stores.add(node.name)
        for part in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(part)
        body = Uses(*node.body)
        self.loads |= body.loads
        self._capture(body.captured, node)
        self.rebound |= body.rebound | body.nonlocals

    def _comprehension(self, node: Any) -> None:
        first, inner = node.generators[0].iter, Uses()
        inner.generic_visit(node)
        targets = Uses(*(g.target for g in node.generators)).stores
        self.loads |= (inner.loads - targets) | Uses(first).loads  # which the function itself reads
        self.maybe |= inner.stores - targets - self.stores
        self.stores |= inner.stores - targets
        self._capture(inner.captured - targets, node)
        if isinstance(node, ast.GeneratorExp) and not getattr(node, "ag_consumed", False):
            self._capture(inner.loads - targets, node)  # which it reads during iteration
        self.rebound |= inner.rebound
        self.calls |= inner.calls
        self.walrus |= inner.walrus
        self.grown |= inner.grown

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def add(self, other: Uses) -> None:
        """Take in what another piece of code uses."""
        self.loads |= other.loads
        self.stores |= other.stores
        if other.calls:
            self.calls = True
        if len(other.__dict__) > _USUAL:
            for name in other.__dict__.keys() & _RARE:
                setattr(self, name, getattr(self, name) | getattr(other, name))
        for text, node in other.places.items():
            self.places.setdefault(text, node)


_RARE = frozenset(
    {
        "captured",
        "captors",
        "rebound",
        "globals",
        "nonlocals",
        "walrus",
        "grown",
        "extended",
        "maybe",
    }
    | {"reads_all", "targets"}
)
_USUAL = len(Uses().__dict__)
_BLOCKS = (ast.If, ast.While, ast.For, ast.With)
_OTHER_BLOCKS = (ast.AsyncFor, ast.AsyncWith, ast.Try, getattr(ast, "TryStar", ast.Try), ast.Match)


def uses_of(body: Iterable[ast.AST]) -> Uses:
    """What ``body`` uses, whose blocks may change yet, and simple statements not."""
    total = Uses()
    _add_uses(body, total)
    return total


def _add_uses(body: Iterable[ast.AST], total: Uses) -> None:
    for node in body:
        if isinstance(node, _BLOCKS):
            if isinstance(node, ast.For):
                total.targets |= Uses(node.target).stores
            _add_uses(build.children(node), total)
        elif isinstance(node, (*_OTHER_BLOCKS, ast.withitem)):
            total.visit(node)
        else:
            total.add(_of_simple(node))


def _of_simple(node: Any) -> Uses:
    """What a statement without blocks, or an expression, uses; found once."""
    known = getattr(node, "ag_summary", None)
    if known is None:
        known = node.ag_summary = Uses(node)
    return known


def summary(body: Iterable[Any]) -> Uses:
    """What ``body``, which is not converted yet and changes no more until then, uses."""
    total = Uses()
    for node in body:
        known = getattr(node, "ag_summary", None)
        if known is None and isinstance(node, _BLOCKS):
            known = node.ag_summary = Uses()
            parts = build.children(node)
            known.add(summary([p for p in parts if isinstance(p, ast.stmt)]))
            for part in parts:
                if not isinstance(part, ast.stmt):
                    known.visit(part)
        total.add(_of_simple(node) if known is None else known)
    return total


def together(*parts: Uses) -> Uses:
    """What several pieces of code use."""
    total = Uses()
    for part in parts:
        total.add(part)
    return total


def is_extension(node: ast.AST) -> bool:
    """Whether a statement is ``name += [...]``."""
    match node:
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=ast.List() | ast.ListComp()):
            return True
    return False


def only_extended(body: list[ast.stmt]) -> tuple[str, ...]:
    """The names that ``body`` binds by ``name += [...]`` alone: a list keeps its place."""
    uses = summary(body)
    names = set(uses.extended - uses.rebound - uses.walrus)
    if not names:
        return ()
    extensions = {id(n.target) for n in build.walk(*body) if is_extension(n)}
    for node in build.walk(*body):
        if not shapes.is_name(node):  # some bind names without a ``Name`` in the text
            names -= {getattr(node, field, None) for field in ("name", "asname", "rest")}
        elif not shapes.is_loaded(node) and id(node) not in extensions:
            names.discard(node.id)
    return tuple(sorted(names))


class Scope:
    """The names of one function."""

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        uses: Uses | None = None,
    ):
        self.parameters = frozenset(a.arg for a in build.parameters(node.args))
        if uses is None:
            uses = Uses(*build.body_of(node))
        self.globals = frozenset(uses.globals)
        self.nonlocals = frozenset(uses.nonlocals)
        self.bound = (self.parameters | uses.stores) - self.globals - self.nonlocals
        self.captured = frozenset(uses.captured)
        self.captors = uses.captors
        self.rebound = frozenset(uses.rebound)
        self.walrus = frozenset(uses.walrus)
        self.grown = frozenset(uses.grown)
        self.read_by_text = (self.bound - uses.targets) if uses.reads_all else NONE
        touched = uses.loads | uses.captured | uses.nonlocals
        self.free = frozenset(touched - self.bound - self.globals)

    @property
    def always_live(self) -> Names:
        """Names that others may read at any time: nested functions, outer ones, the module."""
        always = self.captured | self.rebound | self.nonlocals | self.globals
        return always | self.read_by_text

    def captured_only_in(self, uses: Uses) -> Names:
        """Names that others read only by functions which a piece of code with these ``uses`` makes
        itself."""
        others = {name for name, _ in self.captors - uses.captors}
        always = self.rebound | self.nonlocals | self.globals | self.read_by_text
        return uses.captured - others - always

    def modified(self, uses: Uses) -> Names:
        """Names that statements with these ``uses`` may rebind, by themselves or through a nested
        function that they call."""
        return frozenset(uses.stores | (self.rebound if uses.calls else NONE))


def places_set(uses: Uses) -> dict[str, ast.Attribute | ast.Subscript]:
    """The attributes and items that statements with these ``uses`` set, by their text, if that
    means one place in them.

    The root name must not be rebound there, nor any name in a key; keys are constants and names.
    """
    return {text: node for text, node in uses.places.items() if _is_stable(node, uses.stores)}


def _is_stable(node: ast.expr, rebound: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name not in rebound
        case ast.Attribute(value=owner) | ast.Subscript(value=owner, slice=ast.Constant()):
            return _is_stable(owner, rebound)
        case ast.Subscript(value=owner, slice=ast.Name(id=key)):
            return key not in rebound and _is_stable(owner, rebound)
    return False


class Liveness:
    """Walks a function body backwards; see the module's text for what it leaves on the nodes."""

    def __init__(self, body: list[ast.stmt], shared: Names = NONE):
        self._break: Names = NONE
        self._continue: Names = NONE
        self._caught: Names = NONE  # read by the handlers around, wherever the body stops
        self._shared = shared  # read by others after the function
        self._settles = True  # whether what is left on the nodes stays there
        self.entry = self.block(body, shared)

    def block(self, body: list[ast.stmt], live: Names) -> Names:
        """Names live before ``body`` when ``live`` are live after it."""
        for statement in reversed(body):
            live = self.statement(statement, live) | self._caught
        return live

    def statement(self, node: ast.stmt, live: Names) -> Names:
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is not None:
            return method(node, live)
        return _before(node, live)

    def _If(self, node: ast.If, live: Names) -> Names:
        node.ag_live = live
        then, other = self.block(node.body, live), self.block(node.orelse, live)
        after_test = (then - _bound_by(node.test, True)) | (other - _bound_by(node.test, False))
        return _before(node.test, after_test)

    def _While(self, node: ast.While, live: Names) -> Names:
        node.ag_live = live
        self._enter(node, [node.test])
        after = self.block(node.orelse, live)
        return self._loop(node, [node.test], after, live)

    def _For(self, node: ast.For, live: Names) -> Names:
        node.ag_live = live
        self._enter(node, [])
        after = self.block(node.orelse, live)
        return _before(node.iter, self._loop(node, [], after, live))

    _AsyncFor = _For

    def _enter(self, node: ast.For | ast.While, test: list[ast.expr]) -> None:
        """Leave on a loop what an iteration reads before it sets it."""
        if self._settles:
            self._settles = False
            node.ag_entry = self._loop(node, test, NONE, NONE)
            self._settles = True

    def _loop(
        self, node: ast.For | ast.While, test: list[ast.expr], after: Names, broken: Names
    ) -> Names:
        """Names live where the loop decides whether to go on. One walk through the body finds them
        all, since it reads and sets the same each time; another one leaves them on its nodes."""
        saved, settles = (self._break, self._continue), self._settles
        target = _of_simple(node.target) if isinstance(node, (ast.For, ast.AsyncFor)) else Uses()
        found = (getattr(node, "ag_broke", None), getattr(node, "ag_returned", None))
        flags: Names = frozenset(name for name in found if name is not None)
        head: Names = after.union(flags, *(_of_simple(part).loads for part in test))
        self._break, self._continue, self._settles = broken, head, False
        inside = self.block(node.body, head)
        head = head | ((inside - target.stores) | target.loads)
        if settles:
            self._continue, self._settles = head, True
            self.block(node.body, head)
        self._break, self._continue = saved
        return head

    def _Break(self, node: ast.Break, live: Names) -> Names:
        node.ag_target_live = self._break | self._caught
        return self._break

    def _Continue(self, node: ast.Continue, live: Names) -> Names:
        node.ag_target_live = self._continue | self._caught
        return self._continue

    def _Return(self, node: ast.Return, live: Names) -> Names:
        node.ag_target_live = self._caught | self._shared
        return frozenset(Uses(node.value).loads) | self._shared

    def _Raise(self, node: ast.Raise, live: Names) -> Names:
        return frozenset(Uses(node).loads) | self._shared

    def _With(self, node: ast.With, live: Names) -> Names:
        saved = self._caught
        if any(_may_suppress(item.context_expr) for item in node.items):
            self._caught = saved | live
        live = self.block(node.body, live)
        self._caught = saved
        for item in reversed(node.items):
            uses = Uses(item)
            live = (live - uses.stores) | uses.loads
        return live

    _AsyncWith = _With

    def _Try(self, node: ast.Try, live: Names) -> Names:
        saved = self._caught
        finally_reads = self.block(node.finalbody, NONE)
        after = self.block(node.finalbody, live)
        handlers: Names = after
        self._caught = saved | finally_reads  # whatever ends the other blocks
        for handler in node.handlers:
            inside = self.block(handler.body, after) - {handler.name}
            handlers = handlers | inside | Uses(handler.type).loads
        normal = self.block(node.orelse, after)
        self._caught = saved | handlers
        live = self.block(node.body, normal)
        self._caught = saved
        return live | handlers

    _TryStar = _Try

    def _Match(self, node: ast.Match, live: Names) -> Names:
        before: Names = live
        for case in node.cases:
            uses = Uses(case.pattern, case.guard)
            before = before | (self.block(case.body, live) - uses.stores) | uses.loads
        return before | Uses(node.subject).loads


def _bound_by(test: ast.expr, outcome: bool) -> Names:
    """The names that a test certainly binds where it is true, or where it is not."""
    uses = _of_simple(test)
    if not uses.stores:
        return NONE
    match test, outcome:
        case (ast.BoolOp(op=ast.And()), True) | (ast.BoolOp(op=ast.Or()), False):
            return NONE.union(*(_bound_by(value, outcome) for value in test.values))
        case ast.UnaryOp(op=ast.Not(), operand=operand), _:
            return _bound_by(operand, not outcome)
        case ast.Compare(), True:
            return frozenset(uses.stores)
    return frozenset(uses.stores - uses.maybe)


# Calls of this package whose context managers let exceptions pass.
_PASS_ON = frozenset(
    {"GradientTape", "name_scope", "control_dependencies", "device", "init_scope"}
    | {"stop_recording", "ForwardAccumulator"}
)


def _may_suppress(manager: ast.expr) -> bool:
    """Whether the body of a ``with`` statement may stop anywhere, and what follows it go on: the
    program may have managers of its own under any name."""
    match manager:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _PASS_ON:
            if (module := shapes.root_name(owner)) and operator_methods.is_ours(module):
                return False
        case ast.Call(func=ast.Name(id=name)) if name in _PASS_ON:
            pass
        case _:
            return True
    return operator_methods.has("__exit__", "contextlib")


def _before(node: Any, live: Names) -> Names:
    """Names live before something without blocks, of which the text does not change."""
    known = getattr(node, "ag_uses", None)
    if known is None:
        uses = Uses(node) if isinstance(node, _OTHER_BLOCKS) else _of_simple(node)
        known = node.ag_uses = frozenset(uses.stores - uses.maybe), frozenset(uses.loads)
    return (live - known[0]) | known[1]
