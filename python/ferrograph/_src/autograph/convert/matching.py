"""``match``: cases become a chain of ``if`` on the result of ``ag__.match`` of subject and pattern.

The subject is evaluated once. Where a pattern matches, its names are bound before the guard, as in
Python, and keep their values where the guard fails; the guard reads them from the match.
"""

from __future__ import annotations

import _ast as ast
import itertools

from ...hints import Any
from . import build, shapes
from .analysis import Scope, Uses


class Lowering(build.Transformer):
    """Replaces the ``match`` statements of one function, not those of functions nested in it."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def visit_Match(self, node: ast.Match) -> Any:
        self.generic_visit(node)
        number = next(self._numbers)
        subject = f"ag__subject_{number}"
        chain: list[ast.stmt] = []
        for i, case in reversed(list(enumerate(node.cases))):
            chain = self._case(case, subject, f"ag__match_{number}_{i}", chain)
        first = build.locate(build.assign(subject, node.subject), node, node.subject)
        return [first, *chain]

    def _case(
        self, case: ast.match_case, subject: str, found: str, rest: list[ast.stmt]
    ) -> list[ast.stmt]:
        like = case.pattern
        names = sorted(Uses(case.pattern).stores)
        if isinstance(like, ast.MatchAs) and like.pattern is None and case.guard is None:
            bound = [build.assign(n, build.name(subject)) for n in names]
            return [*(build.locate(b, like) for b in bound), *case.body]
        matched = build.assign(found, build.call("match", build.name(subject), pattern(like)))
        statements = [build.locate(matched, like)]
        binding = [self._binding(n, found, like) for n in names]
        test: ast.expr = _attribute(found, "test")
        if case.guard is not None:
            taken = set(names) - Uses(case.guard).walrus
            guard = _Captured(found, taken).visit(case.guard)
            test = ast.BoolOp(op=ast.And(), values=[test, guard])
        if names and case.guard is not None:
            early = ast.If(test=_attribute(found, "test"), body=binding, orelse=[])
            statements.append(build.locate(early, like))
            binding = [self._binding(n, found, like) for n in names]
        chosen = ast.If(test=test, body=[*binding, *case.body], orelse=rest)
        return [*statements, build.locate(chosen, like, case.guard or like)]

    def _binding(self, name: str, found: str, like: ast.AST) -> ast.stmt:
        return build.locate(build.assign(name, _captured(found, name)), like)

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave


def _attribute(name: str, attribute: str) -> ast.expr:
    return ast.Attribute(value=build.name(name), attr=attribute, ctx=ast.Load())


def _captured(found: str, name: str) -> ast.expr:
    return ast.Subscript(
        value=_attribute(found, "names"), slice=build.constant(name), ctx=ast.Load()
    )


class _Captured(build.Transformer):
    """Reads the names of a pattern off its match, but for those that the guard binds itself."""

    def __init__(self, found: str, names: set[str]):
        self._found, self._names = found, names

    def _without(self, bound: set[str], *nodes: Any) -> list:
        """The nodes, in which some names are others."""
        before, self._names = self._names, self._names - bound
        made = [self.visit(node) for node in nodes]
        self._names = before
        return made

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self.visit(node.args)
        (node.body,) = self._without(set(Scope(node).parameters), node.body)
        return node

    def _comprehension(self, node: Any) -> Any:
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        over, first.iter = first.iter, build.constant(None)  # which is visited with other names
        bound = Uses(*(g.target for g in node.generators)).stores
        before, self._names = self._names, self._names - bound
        self.generic_visit(node)
        self._names, first.iter = before, over
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Name(self, node: ast.Name) -> Any:
        if shapes.is_loaded(node) and node.id in self._names:
            return build.locate(_captured(self._found, node.id), node)
        return node


def pattern(node: ast.pattern) -> ast.expr:
    """A pattern as nested tuples: its kind and its parts."""
    return build.locate(_pattern(node), node)


def _pattern(node: ast.pattern) -> ast.expr:
    match node:
        case ast.MatchValue(value=value):
            return _tuple("value", value)
        case ast.MatchSingleton(value=one):
            return _tuple("is", build.constant(one))
        case ast.MatchSequence(patterns=patterns):
            return _tuple("sequence", *map(_pattern, patterns))
        case ast.MatchStar(name=name):
            return _tuple("star", build.constant(name))
        case ast.MatchMapping(keys=keys, patterns=patterns, rest=rest):
            return _tuple("mapping", build.tuple_of(keys), _all(patterns), build.constant(rest))
        case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=named):
            return _tuple("class", cls, _all(patterns), build.constant(tuple(names)), _all(named))
        case ast.MatchOr(patterns=patterns):
            return _tuple("or", *map(_pattern, patterns))
    assert isinstance(node, ast.MatchAs)
    inner = build.constant(None) if node.pattern is None else _pattern(node.pattern)
    return _tuple("as", inner, build.constant(node.name))


def _all(patterns: list[ast.pattern]) -> ast.expr:
    return build.tuple_of(map(_pattern, patterns))


def _tuple(kind: str, *parts: ast.expr) -> ast.expr:
    return build.tuple_of([build.constant(kind), *parts])
