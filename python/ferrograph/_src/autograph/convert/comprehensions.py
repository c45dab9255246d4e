"""List comprehensions that tensors may decide: over unknown lengths, with tensor filters.

``[e for v in it]`` becomes ``ag__.listed(plain, it, made, ...)``: ``plain`` is the comprehension
itself, for what Python decides; ``made`` gives the body of a loop that adds the elements one by
one::

    ag__.listed(lambda ag__it: [e for v in ag__it()], it, lambda ag__add: lambda v: ag__add(e), ...)

Where that keeps nothing for longer Python makes the list in place, unless the iterable is staged::

    ag__.fresh([e for v in <ag__it_1 followed>], ag__it_1 := None)
    if ag__.unrolls_list(ag__it_1 := ag__.elements_or_staged(it))
    else ag__.added(ag__it_1, lambda ag__add: lambda v: ag__add(e), 1)

With tests Python makes the list of the elements before the first test without a plain value. From
that one on ``ag__rest`` has something in it, and elements are added to a list that the graph may
hold::

    ag__.sieved(ag__rest := [], [e for v in <as above> if (
        ag__t if <(ag__t := t) is plain> and not ag__rest
        else ag__.sift(ag__t, lambda: ag__.put(ag__rest, e), ag__rest, ...))], ag__it_1 := None)

where nothing is kept for longer, else::

    ag__.sifted(lambda ag__it, ag__rest: [e for v in ag__it() if <as above>], it, ...)

For what is staged the latter adds one element at a time, or the last argument, where names are
unpacked.

One that binds names by ``:=``, or unpacks into more than names, stays as it is.
"""

from __future__ import annotations

import _ast as ast

from . import build, inline, shapes
from .loops import followed

_CONSUMERS = frozenset({"sum", "list", "tuple", "sorted", "min", "max", "set"})


def is_convertible(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether a comprehension, not converted yet, has such a form."""
    plain = all(not g.is_async and _names(g.target) for g in node.generators)
    return plain and not any(build.find((ast.NamedExpr, ast.Await), node))


def is_consumed(node: ast.Call) -> bool:
    """Whether a call, not converted yet, takes all of one generator at once."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as lazy, *_]):
            return name in _CONSUMERS and is_convertible(lazy)
    return False


def is_kept(iterable: ast.expr) -> bool:
    """Whether something else than a comprehension holds its iterable, not converted yet, or its
    lifetime is unknown."""
    return shapes.is_name(iterable) or shapes.called_name(iterable) == "range"


def convert(node: ast.ListComp, inlines: bool, kept: bool) -> ast.expr:
    """``node``, whose parts are converted already; ``kept`` says whether its iterable
    ``is_kept``."""
    first, given = node.generators[0], "ag__it"
    source = first.iter
    has_tests = any(g.ifs for g in node.generators)
    if isinstance(source, ast.Tuple) and not has_tests:
        return build.locate(build.call("fresh", node), node)  # over which Python always iterates
    is_single = len(node.generators) == 1
    is_sieve = has_tests and is_single and kept and shapes.is_name(first.target)
    if inlines and has_tests and is_single and not is_sieve:
        return build.locate(_sifted(node), node)
    made = _body(node.generators, node.elt, inlines)
    if inlines and kept and (is_sieve or not has_tests):
        return build.locate(_unrolled(node, made), node)
    rest = [
        ast.comprehension(target=first.target, iter=_taken(given), ifs=first.ifs, is_async=0),
        *_within(node),
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


def _unrolled(node: ast.ListComp, made: ast.Lambda) -> ast.expr:
    """A comprehension that runs on the spot where Python decides: without tests, or with a single
    generator."""
    first = node.generators[0]
    where = f"{node.lineno}_{node.col_offset}_{node.end_col_offset}"
    name, rest = f"ag__it_{where}", f"ag__rest_{where}"
    over = build.name(name)
    kept = ast.NamedExpr(build.store(name), first.iter)
    known = ast.BoolOp(
        ast.Or(), [build.has_kind(kept, "ag__range"), build.is_among(over, "ag__unrolled")]
    )
    calm = ast.BoolOp(ast.And(), [known, ast.UnaryOp(ast.Not(), build.is_loud())])
    asked = ast.NamedExpr(build.store(name), build.call("elements_or_staged", over))
    tests = _sieve(node, rest)
    generators = [
        ast.comprehension(target=first.target, iter=followed(name), ifs=tests, is_async=0),
        *_within(node),
    ]
    plain = ast.ListComp(elt=node.elt, generators=generators)
    let_go = ast.NamedExpr(build.store(name), build.constant(None))
    unrolled = build.call("fresh", plain, let_go)
    if tests:
        empty = ast.NamedExpr(build.store(rest), ast.List(elts=[], ctx=ast.Load()))
        unrolled = build.call("sieved", empty, plain, let_go)
    return ast.IfExp(
        ast.BoolOp(ast.Or(), [calm, build.call("unrolls_list", asked)]),
        unrolled,
        build.call(
            "added",
            over,
            ast.Lambda(args=build.arguments(["ag__add"]), body=made),
            build.constant(node.lineno),
        ),
    )


def _sieve(node: ast.ListComp, rest: str) -> list[ast.expr]:
    """The tests of a comprehension's first generator: the elements from the first one on that has
    no plain value go to the list ``rest``."""
    found: list[ast.expr] = []
    later: ast.expr = build.call("put", build.name(rest), node.elt)
    for test in reversed(node.generators[0].ifs):
        named, taken = _named(test)
        asked = build.call("sift", taken, build.thunk(later), build.name(rest), _facts_of(test))
        is_first = ast.UnaryOp(ast.Not(), build.name(rest))
        is_plain = ast.BoolOp(ast.And(), [inline.is_plain_value(named, taken), is_first])
        found.insert(0, build.locate(ast.IfExp(test=is_plain, body=taken, orelse=asked), test))
        later = build.locate(_tested(test, later, True), test)
    return found


def _within(node: ast.ListComp) -> list[ast.comprehension]:
    """The generators within the first one, as Python runs them."""
    return [
        ast.comprehension(
            target=g.target,
            iter=build.locate(build.call("elements", g.iter), g.iter),
            ifs=g.ifs,
            is_async=0,
        )
        for g in node.generators[1:]
    ]


def _taken(giving: str) -> ast.expr:
    """The iterable of a comprehension, which nothing else holds from then on."""
    return ast.Call(func=build.name(giving), args=[], keywords=[])


def _sifted(node: ast.ListComp) -> ast.expr:
    """A comprehension with one generator, whose tests choose among its elements."""
    (only,) = node.generators
    over = _taken("ag__it")
    tests = _sieve(node, "ag__rest")
    sieve = ast.comprehension(target=only.target, iter=over, ifs=tests, is_async=0)
    call = build.call(
        "sifted",
        ast.Lambda(
            args=build.arguments(["ag__it", "ag__rest"]),
            body=ast.ListComp(elt=node.elt, generators=[sieve]),
        ),
        only.iter,
        build.constant(node.lineno),
    )
    if not shapes.is_name(only.target):  # what unpacks into names may be a tensor
        body = _body(node.generators, node.elt, True)
        call.args.append(ast.Lambda(args=build.arguments(["ag__add"]), body=body))
    return call


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
    if shapes.is_name(first.target):
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
    facts = _facts_of(test)
    none = [build.constant(None)] * 3
    if not inlines:
        return build.call("if_stmt", test, build.thunk(inner), *none, facts)
    named, taken = _named(test)
    plain = ast.IfExp(test=taken, body=inner, orelse=build.constant(None))
    general = build.call("if_stmt", taken, build.thunk(inner), *none, facts)
    is_plain = inline.is_plain_value(named, taken)
    return ast.IfExp(test=is_plain, body=plain, orelse=general)


def _facts_of(test: ast.expr) -> ast.Constant:
    return build.constant((("line", test.lineno), ("live", ())))


def _named(test: ast.expr) -> tuple[ast.NamedExpr, ast.Name]:
    """A test that gets a name, and what reads the name."""
    taken = f"ag__t_{test.lineno}_{test.col_offset}_{test.end_col_offset}"
    return ast.NamedExpr(target=build.store(taken), value=test), build.name(taken)


def _names(target: ast.expr) -> list[str] | None:
    """The names of a target of names, None for another."""
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if all(map(shapes.is_name, parts)):
            return [part.id for part in parts]
    return None
