"""The conversion of one function: one module a construct, applied here in order.

1. ``normalize``: forms that depend on their place are written out.
2. ``jumps``: break, continue and return become flags.
3. ``conditionals``, ``loops``: statements become functions and a call that chooses, inside out.
4. ``logical``, ``calls``, ``texts``, ``unpacking``, ``asserts``, ``raises``, ``stores``: what is
   in expressions.

Functions nested in the converted one go through the same steps, except decorated ones, which are
converted when they are called. Statements of a generator in which it yields stay where they are.
"""

from __future__ import annotations

import _ast as ast
import itertools
from collections.abc import Callable

from ...hints import Any
from .. import convert
from . import (
    analysis,
    asserts,
    build,
    calls,
    comprehensions,
    conditionals,
    inline,
    jumps,
    logical,
    loops,
    methods,
    normalize,
    raises,
    shapes,
    stores,
    texts,
    unpacking,
)
from . import inline_caches as short_ways
from .context import Context
from .inline_caches import Sites


def convert_function(
    node: ast.FunctionDef | ast.Lambda,
    text: str,
    class_name: str | None,
    other: Callable[[ast.FunctionDef, str], bool] | None = None,
) -> ast.FunctionDef | ast.Lambda:
    """Convert ``node`` in place; ``text`` is its source, and it has the private names of a class.
    It gets the ``other`` form where that is possible."""
    normalize.mangle(node, class_name)
    if isinstance(node, ast.Lambda):
        _lambda(node)
        return node
    normalize.normalize(node, text)
    if other is None or not other(node, text):
        _function(node, text, inline.is_run_once())
    return node


def is_left_alone(node: ast.FunctionDef) -> bool:
    """Whether a nested function keeps its text: what decorates it may rely on it."""
    return bool(node.decorator_list)


def _function(node: ast.FunctionDef, text: str, once: bool = False) -> None:
    stops = ("yield" in text or "await" in text) and jumps.yields(node.body)
    if stops:
        convert.hoist(node)
    scope = analysis.Scope(node, analysis.uses_of(node.body))
    shared = scope.nonlocals | scope.globals
    analysis.Liveness(node.body, shared)
    jumps.lower(node)
    analysis.Liveness(node.body, shared)
    context = Context(node)
    first = node.body[0]
    announced = context.shared_names(first)
    statements = Statements(context, text, stops, once)
    node.body = statements.block(node.body)
    head = [build.locate(s, first, first) for s in statements.head()]
    declarations = list(filter(shapes.is_declaration, node.body))
    rest = list(itertools.filterfalse(shapes.is_declaration, node.body))
    at = 1 if rest and shapes.is_docstring(rest[0]) else 0
    head = declarations + context.binding(first) + head + announced
    node.body = rest[:at] + head + rest[at:]


def _lambda(node: ast.Lambda) -> None:
    if not _binds(node):
        node.body = _Expressions().visit(node.body)


def _binds(node: ast.Lambda) -> bool:
    """Whether a lambda binds names of its own by a walrus; its operands must then stay in it."""
    return any(build.find(ast.NamedExpr, node.body))


class _Expressions(build.Transformer):
    """Converts the expressions of one statement, inside out."""

    def __init__(self) -> None:
        self.inlines = inline.is_allowed()  # also whether assignment expressions may stand here
        self._sites: Sites | None = None  # of the function, where it has some
        self._depth = 0  # of loops around what is converted, as far as the function runs them
        self._once = False  # whether what stands in no loop runs once

    @property
    def _repeats(self) -> bool:
        """Whether plain forms may stand here, and spare something."""
        return self.inlines and (self._depth > 0 or not self._once)

    def _in_loop(self) -> Sites | None:
        return self._sites if self._depth else None

    def _again(self) -> Sites | None:
        """The sites of what runs more than once."""
        return self._sites if self._repeats else None

    def _at_depth(self, node: Any, depth: int) -> Any:
        """``node`` with its parts converted, at another depth of loops."""
        before, self._depth = self._depth, depth
        self.generic_visit(node)
        self._depth = before
        return node

    _stops = False  # whether what is converted may yield, which only its own frame can

    def _stays(self, node: ast.AST) -> bool:
        """Whether an expression yields, and so cannot become a function of its own."""
        return self._stops and jumps.yields([node])

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if self._stays(node):
            self.generic_visit(node)
            node.values[:-1] = [convert.certain(v, "an operand") for v in node.values[:-1]]
            return node
        return logical.convert_bool_op(self.generic_visit(node), self._repeats)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return logical.convert_not(node, self._repeats)
        return methods.convert_unary(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        grows = short_ways.may_grow((node.left, node.right))
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod):
            texts.convert_percent(node)
        return methods.convert_binary(node, grows)

    def visit_Compare(self, node: ast.Compare) -> Any:
        if self._stays(node):
            return self.generic_visit(node)
        grows = short_ways.may_grow((node.left, *node.comparators))
        return logical.convert_compare(self.generic_visit(node), self._repeats, grows)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if self._stays(node):
            self.generic_visit(node)
            node.test = convert.certain(node.test, "a conditional expression")
            return node
        return logical.convert_if_exp(self.generic_visit(node), self._repeats)

    grown: frozenset[str] = frozenset()

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        text = build.text_of(node.value) if self.grown else ""
        grows = short_ways.may_grow((node.value, node.slice))
        self.generic_visit(node)
        if not shapes.is_loaded(node):
            return node
        if text in self.grown:
            return unpacking.convert_subscript(node, self.inlines, grows)
        plain = methods.convert_item(node)
        return unpacking.convert_other_subscript(node, plain, grows, self.inlines)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        return methods.convert_attribute(node) if shapes.is_loaded(node) else node

    def visit_Set(self, node: ast.Set) -> Any:
        unpacking.note_starred(node.elts, "spread_in_set")
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> Any:
        unpacking.note_starred(node.elts, "spread_in_list")
        return self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> Any:
        self.generic_visit(node)
        return unpacking.convert_starred(node) if shapes.is_loaded(node) else node

    def visit_Call(self, node: ast.Call) -> Any:
        if shapes.is_operator_call(node):
            return self.generic_visit(node)
        match node.args:
            case [ast.GeneratorExp() as lazy, *_] if comprehensions.is_consumed(node):
                node.args[0] = self._consumed(node.func, lazy)
        sites = self._again() or self._in_loop()
        grows = short_ways.may_grow((*node.args, *(k.value for k in node.keywords)))
        return calls.convert(self.generic_visit(node), sites, self.inlines, self._repeats, grows)

    def _consumed(self, callee: ast.expr, lazy: ast.GeneratorExp) -> ast.expr:
        """The generator that a call takes as a whole, as a list where tensors decide."""
        import copy

        whole = ast.ListComp(elt=copy.deepcopy(lazy.elt), generators=copy.deepcopy(lazy.generators))
        build.locate(whole, lazy)
        return comprehensions.convert_consumed(build.loaded(callee), lazy, whole)

    def _comprehension(self, node: Any) -> Any:
        for generator in node.generators:
            generator.iter = unpacking.run_over(generator.iter)
        before, self.inlines = self.inlines, False
        self._at_depth(node, 0 if isinstance(node, ast.GeneratorExp) else self._depth + 1)
        self.inlines = before
        unpacking.convert_generators(node.generators, "a comprehension")
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        if not comprehensions.is_convertible(node):
            return self._comprehension(node)
        before, self.inlines = self.inlines, False
        for generator in node.generators:
            generator.iter = unpacking.run_over(generator.iter)
        kept = comprehensions.is_kept(node.generators[0].iter)
        self._at_depth(node, self._depth + 1)
        self.inlines = before
        return comprehensions.convert(node, before, kept)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        grows = short_ways.may_grow((node,))
        return texts.convert(self.generic_visit(node), grows)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node if _binds(node) else self._at_depth(node, 0)


class Statements(_Expressions):
    """Converts the statements of one function, the inner ones first."""

    def __init__(self, context: Context, text: str, stops: bool, once: bool):
        super().__init__()
        self._once = once
        self._context, self._text = context, text
        self._sites = Sites() if self.inlines and not stops else None
        self._stops = stops  # whether the function is a generator
        self.grown = context.scope.grown

    def visit_If(self, node: ast.If) -> Any:
        if getattr(node, "ag_plain", False):
            return node
        if self._stops and jumps.yields([node]):
            return convert.plain_if(self.generic_visit(node))
        facts = conditionals.prepare(node, self._context)
        self.generic_visit(node)
        return conditionals.convert(node, facts, self._context, self._repeats)

    def visit_While(self, node: ast.While) -> Any:
        if self._stops and jumps.yields([node]):
            return convert.plain_while(self.generic_visit(node))
        facts = loops.prepare(node, self._context)
        return loops.convert_while(self._at_depth(node, self._depth + 1), facts, self._context)

    def visit_For(self, node: ast.For) -> Any:
        if self._stops and jumps.yields([node]):
            return convert.plain_for(self.generic_visit(node))
        facts = loops.prepare(node, self._context)
        node.iter = self.visit(unpacking.run_over(node.iter))
        self._depth += 1
        node.target, node.body = self.visit(node.target), self.block(node.body)
        self._depth -= 1
        return loops.convert_for(node, facts, self._context)

    def head(self) -> list[ast.stmt]:
        """What the function begins with, once its statements are converted."""
        return [] if self._sites is None else self._sites.head()

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        node.value = stores.convert_value(node.value)
        return unpacking.convert_assign(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if stores.is_read_before(node):
            return self.block(stores.in_steps(node, self._context.number()))
        named = [self.visit(s) for s in stores.name_parts(node, self._context.number())]
        changed = stores.changed_in_place(node, self._context.scope.parameters)
        is_extension = analysis.is_extension(node)
        self.generic_visit(node)
        steps = methods.convert_augmented(node, self._context.number())
        if is_extension:
            return [stores.announcement(changed, node), stores.extension(node, steps)]
        released = stores.released(named)
        if changed is not None:
            named.append(stores.announcement(changed, node))
        return [*named, *steps, *released]

    def visit_With(self, node: ast.With) -> Any:
        return methods.convert_with(self.generic_visit(node))

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if shapes.is_loaded(node):
            return super().visit_Attribute(node)
        text = getattr(node, "ag_text", "") or build.text_of(node)
        node = self.generic_visit(node)
        return stores.convert_attribute(node, text, self._in_loop(), self._repeats)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if shapes.is_loaded(node):
            return super().visit_Subscript(node)
        text = build.text_of(node.value)
        return stores.convert_subscript(self.generic_visit(node), text, self._repeats)

    def visit_Raise(self, node: ast.Raise) -> Any:
        return raises.convert(self.generic_visit(node))

    def visit_Assert(self, node: ast.Assert) -> Any:
        if self._stays(node):
            return self.generic_visit(node)
        is_compared = self.inlines and isinstance(node.test, ast.Compare)
        return asserts.convert(self.generic_visit(node), is_compared)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if not is_left_alone(node):
            self._defaults(node)
            normalize.normalize(node, self._text)
            _function(node, self._text)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node  # its methods are converted when they are called

    def _defaults(self, node: ast.FunctionDef) -> None:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
