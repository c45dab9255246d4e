"""``if``: the branches become functions, ``ag__.if_stmt`` chooses while the program runs."""

from __future__ import annotations

import _ast as ast

from . import build, inline
from .analysis import summary, together
from .context import Context
from .jumps import live_at_exit


class Facts:
    """What the text of an ``if`` says."""

    __slots__ = ("keywords", "names", "places", "stores")

    def __init__(
        self,
        names: tuple[str, ...],
        keywords: dict[str, object],
        places: ast.expr,
        stores: tuple[set[str], set[str]],
    ):
        self.names, self.keywords = names, keywords
        self.places, self.stores = places, stores


def prepare(node: ast.If, context: Context) -> Facts:
    """Read off ``node``, before its branches are converted, what ``convert`` needs."""
    sides = summary(node.body), summary(node.orelse)
    both = together(*sides)
    names, live, soft = context.state(both, node.ag_live)
    private = tuple(n for n in live if n not in context.scope.always_live)
    unread = tuple(_unread(private, body) for body in (node.body, node.orelse))
    keywords = {"line": node.lineno, "live": live}
    if soft:
        keywords["soft"] = soft
    if any(unread):
        keywords["unread"] = unread
    stores = sides[0].stores, sides[1].stores
    return Facts(names, keywords, context.places(both), stores)


def convert(
    node: ast.If, facts: Facts, context: Context, is_repeated: bool = True
) -> list[ast.stmt]:
    """The statements that replace ``node``, whose branches are converted already; a plain form is
    among them where it ``is_repeated``."""
    number = context.number()
    functions, branches = [], []
    total = inline.weight(node.body) + inline.weight(node.orelse)
    is_small = is_repeated and inline.is_allowed(total)
    for word, body, stores in zip(
        ("then", "else"), (node.body, node.orelse), facts.stores, strict=True
    ):
        if not body:
            branches.append(build.constant(None))
            continue
        body = inline.general(body) if is_small else body
        functions.append(context.body_function(f"ag__{word}_{number}", body, stores, node))
        branches.append(build.name(functions[-1].name))
    test, taken = node.test, f"ag__taken_{number}"
    if is_small:
        test = build.name(taken)
    staged = build.call(
        "if_stmt",
        test,
        *branches,
        context.names(facts.names, facts.stores[0] | facts.stores[1]),
        facts.places,
        build.constant(tuple(facts.keywords.items())),
    )
    general = [*functions, build.locate(ast.Expr(value=staged), node, node.test)]
    if test is node.test:
        return general
    plain = ast.If(test=build.name(taken), body=node.body or [ast.Pass()], orelse=node.orelse)
    plain.ag_weight = total
    return [
        build.locate(build.assign(taken, node.test), node, node.test),
        inline.choose(inline.is_plain(taken), [plain], general, node, node.test),
    ]


def _unread(live: tuple[str, ...], body: list[ast.stmt]) -> tuple[str, ...]:
    """The names that are not read after ``body`` because it jumps away."""
    read = live_at_exit(body)
    if read is None:
        return ()
    return tuple(n for n in live if n not in read and not n.startswith("ag__"))
