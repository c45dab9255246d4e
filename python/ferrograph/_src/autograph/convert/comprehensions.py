"""List comprehensions that tensors may decide: over unknown lengths, with tensor filters.

``[e for v in it if t]`` becomes ``ag__.listed(plain, it, made, ...)``: ``plain`` is the
comprehension itself, for what Python decides; ``made`` gives the body of a loop that adds the
elements one by one::

    ag__.listed(lambda ag__it: [e for v in ag__it if t], it,
                lambda ag__add: lambda v: ag__.if_stmt(t, lambda: ag__add(e), ...), ...)

One that binds names by ``:=``, or unpacks into more than names, stays as it is.
"""

from __future__ import annotations

import _ast as ast

from . import build, inline

_CONSUMERS = frozenset({"sum", "list", "tuple", "sorted", "min", "max", "set"})


def is_convertible(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether a comprehension, not converted yet, has such a form."""
    binds = any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in build.walk(node))
    plain = all(not g.is_async and _names(g.target) for g in node.generators)
    return plain and not binds


def is_consumed(node: ast.Call) -> bool:
    """Whether a call, not converted yet, takes all of one filtered generator at once."""
    if not isinstance(node.func, ast.Name) or node.func.id not in _CONSUMERS:
        return False
    if not node.args or not isinstance(node.args[0], ast.GeneratorExp):
        return False
    inner = node.args[0]
    return any(g.ifs for g in inner.generators) and is_convertible(inner)


def convert(node: ast.ListComp, inlines: bool) -> ast.expr:
    """``node``, whose parts are converted already."""
    first, given = node.generators[0], "ag__it"
    source = first.iter
    has_tests = any(g.ifs for g in node.generators)
    made = _body(node.generators, node.elt, inlines)
    rest = [
        ast.comprehension(target=first.target, iter=build.name(given), ifs=first.ifs, is_async=0),
        *node.generators[1:],
    ]
    plain = ast.ListComp(elt=node.elt, generators=rest)
    call = build.call(
        "listed",
        ast.Lambda(args=build.arguments([given]), body=plain),
        source,
        ast.Lambda(args=build.arguments(["ag__add"]), body=made),
        build.constant(node.lineno),
        build.constant(has_tests),
    )
    return build.locate(call, node)


def convert_consumed(callee: ast.expr, lazy: ast.GeneratorExp, whole: ast.expr) -> ast.expr:
    """The argument of a call that takes all of ``lazy``: ``whole``, where it is such a builtin."""
    sides = build.thunk(whole), build.thunk(lazy)
    return build.locate(build.call("taken", callee, *sides), lazy)


def _body(generators: list[ast.comprehension], element: ast.expr, inlines: bool) -> ast.Lambda:
    """What is done with each element of the first generator."""
    first, *others = generators
    inner: ast.expr = ast.Call(func=build.name("ag__add"), args=[element], keywords=[])
    if others:
        line = build.constant(others[0].iter.lineno)
        inner = build.call("each", others[0].iter, _body(others, element, inlines), line)
    for test in reversed(first.ifs):
        inner = build.locate(_tested(test, inner, inlines), test)
    names = _names(first.target) or []
    if isinstance(first.target, ast.Name):
        return ast.Lambda(args=build.arguments(names), body=inner)
    unpacking = ast.Call(
        func=ast.Lambda(args=build.arguments(names), body=inner),
        args=[ast.Starred(value=_unpacked(len(names)), ctx=ast.Load())],
        keywords=[],
    )
    return ast.Lambda(args=build.arguments(["ag__item"]), body=unpacking)


def _unpacked(count: int) -> ast.expr:
    return build.call("unpacked", build.name("ag__item"), build.constant((None,) * count))


def _tested(test: ast.expr, inner: ast.expr, inlines: bool) -> ast.expr:
    """``inner`` where ``test`` holds."""
    facts = build.constant((("line", test.lineno), ("live", ())))
    none = [build.constant(None)] * 3
    if not inlines:
        return build.call("if_stmt", test, build.thunk(inner), *none, facts)
    taken = f"ag__t_{test.lineno}_{test.col_offset}_{test.end_col_offset}"
    named = ast.NamedExpr(target=build.store(taken), value=test)
    plain = ast.IfExp(test=build.name(taken), body=inner, orelse=build.constant(None))
    general = build.call("if_stmt", build.name(taken), build.thunk(inner), *none, facts)
    is_plain = inline.is_plain_value(named, build.name(taken))
    return ast.IfExp(test=is_plain, body=plain, orelse=general)


def _names(target: ast.expr) -> list[str] | None:
    """The names of a target of names, None for another."""
    if isinstance(target, ast.Name):
        return [target.id]
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    if not all(isinstance(part, ast.Name) for part in target.elts):
        return None
    return [part.id for part in target.elts if isinstance(part, ast.Name)]
