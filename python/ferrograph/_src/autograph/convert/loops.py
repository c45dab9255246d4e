"""``while`` and ``for``: test and body become functions that ``ag__.while_stmt`` or
``ag__.for_stmt`` runs."""

from __future__ import annotations

import _ast as ast

from . import build, inline, shapes, unpacking
from . import inline_caches as short_ways
from .analysis import only_extended, summary, together
from .context import Context

_OPTIONS = "set_loop_options"
_PLAIN = "ag__unrolled"  # classes over which Python alone iterates


class Facts:
    """What the text of a loop says."""

    __slots__ = ("body_stores", "constants", "keywords", "names", "places", "test_stores")

    def __init__(
        self,
        names: tuple[str, ...],
        constants: dict[str, object],
        keywords: dict[str, ast.expr],
        places: ast.expr,
        body_stores: set[str],
        test_stores: set[str],
    ):
        self.names, self.constants = names, tuple(constants.items())
        self.keywords, self.places = keywords, places
        self.body_stores, self.test_stores = body_stores, test_stores


def prepare(node: ast.While | ast.For, context: Context) -> Facts:
    """Read off ``node``, before its body is converted, what converting it needs."""
    is_while = isinstance(node, ast.While)
    head = node.test if is_while else node.target
    in_head, in_body = summary([head]), summary(node.body)
    uses = together(in_head, in_body)
    names, live, soft = context.state(uses, node.ag_live | node.ag_entry)
    constants = {
        "line": node.lineno,
        "live": live,
        "entry": tuple(n for n in names if n in node.ag_entry),
        "after": tuple(n for n in names if n in node.ag_live),
    }
    # Functions that an iteration makes and that read a name are not called after it: no function
    # leaves a region.
    soft = tuple(n for n in soft if n not in context.scope.captured_only_in(uses))
    if soft:
        constants["soft"] = soft
    extended = only_extended(node.body)
    if extended:
        constants["extended"] = extended
    if not is_while:
        constants["targets"] = tuple(sorted(in_head.stores))
    keywords: dict[str, ast.expr] = {}
    if node.ag_broke:
        keywords["broke"] = build.thunk(build.name(node.ag_broke))
    if node.ag_returned:
        keywords["returned"] = build.thunk(build.name(node.ag_returned))
    options = _take_options(node.body)
    if options is not None:
        keywords["options"] = build.thunk(options)
    places = context.places(uses)
    if is_while:
        return Facts(names, constants, keywords, places, in_body.stores, in_head.stores)
    return Facts(names, constants, keywords, places, in_body.stores | in_head.stores, set())


def convert_while(node: ast.While, facts: Facts, context: Context) -> list[ast.stmt]:
    """The statements that replace ``node``, whose parts are converted already."""
    number = context.number()
    plain, taken = _is_small(node), f"ag__taken_{number}"
    steps = inline.general(node.body) if plain else node.body
    body = context.body_function(f"ag__body_{number}", steps, facts.body_stores, node)
    test, functions = _test(node, facts, context, number)
    alone = [body, *functions, _run("while_stmt", test, node.test, body, node, facts, context)]
    if not plain:
        return alone
    facts.keywords["first"] = build.name(taken)
    general = [body, *functions, _run("while_stmt", test, node.test, body, node, facts, context)]
    ends = ast.UnaryOp(op=ast.Not(), operand=build.name(taken))
    left = build.locate(ast.If(test=ends, body=[ast.Break()], orelse=[]), node, node.test)
    general.append(build.locate(ast.Break(), node, node.test))
    asked, once = node.test, [left, *node.body]
    if node.ag_broke:
        is_set = ast.Compare(
            left=build.name(node.ag_broke), ops=[ast.Is()], comparators=[build.constant(True)]
        )
        out = ast.If(test=is_set, body=[ast.Break()], orelse=[])
        once.append(build.locate(out, node, node.test))
        stopped = ast.Attribute(value=build.name(build.OPERATORS), attr="stopped", ctx=ast.Load())
        unset = ast.Compare(
            left=build.name(node.ag_broke), ops=[ast.Is()], comparators=[build.constant(False)]
        )
        asked = ast.IfExp(test=unset, body=node.test, orelse=stopped)
    steps = [
        build.locate(build.assign(taken, asked), node, node.test),
        inline.choose(inline.is_plain(taken), once, general, node, node.test),
    ]
    loop = ast.While(test=build.constant(True), body=steps, orelse=[])
    loop.ag_weight, loop.ag_general = inline.weight(steps), alone
    return [build.locate(loop, node, node.test)]


def _is_small(node: ast.While | ast.For) -> bool:
    """Whether the loop is written out a second time, for plain values."""
    return not node.ag_returned and inline.is_allowed(inline.weight(node.body))


def _stops(node: ast.For, rest: list[ast.stmt]) -> list[ast.stmt]:
    if not node.ag_broke:
        return []
    return [build.locate(inline.stop(node.ag_broke, rest), node, node.iter)]


def convert_for(node: ast.For, facts: Facts, context: Context) -> list[ast.stmt]:
    """The statements that replace ``node``, whose parts are converted already."""
    number = context.number()
    item = f"ag__item_{number}"
    take = ast.Assign(targets=[node.target], value=build.name(item), lineno=0)
    first = unpacking.convert_assign(build.locate(take, node.target))
    name, is_small = f"ag__body_{number}", _is_small(node)
    steps = [first, *(inline.general(node.body) if is_small else node.body)]
    body = context.body_function(name, steps, facts.body_stores, node, [item])
    if not is_small:
        return [body, _run("for_stmt", node.iter, node.iter, body, node, facts, context)]
    run_over = f"ag__over_{number}"
    drive = build.name(run_over)
    general = [body, _run("for_stmt", drive, node.iter, body, node, facts, context)]
    named = shapes.is_name(node.target)
    rest = [body, _run("rest_of_for", drive, node.iter, body, node, facts, context)]
    stops = _stops(node, rest)
    loop = ast.For(
        target=node.target if named else build.store(item),
        iter=drive if stops else followed(run_over),
        body=[*node.body, *stops] if named else [first, *node.body, *stops],
        orelse=[],
    )
    loop.ag_weight = inline.weight(loop.body)
    plainly = [build.locate(loop, node, node.iter)]
    if stops:  # where a tensor decides, other code continues with the same iterator
        begun = build.call("begun", followed(run_over))
        plainly.insert(0, build.locate(build.assign(run_over, begun), node, node.iter))
    plain = _unrolls(run_over)
    found = [
        build.locate(build.assign(run_over, node.iter), node, node.iter),
        inline.choose(plain, plainly, general, node, node.iter),
    ]
    if short_ways.is_made(node.iter):  # such as a generator, which ends with its last reference
        let_go = build.assign(run_over, build.constant(None))
        found.append(build.locate(let_go, node, node.iter))
    return found


def _unrolls(name: str) -> ast.expr:
    """Whether Python runs a loop over what has a name."""
    is_one = ast.BoolOp(
        ast.Or(),
        [build.has_kind(build.name(name), "ag__range"), build.is_among(build.name(name), _PLAIN)],
    )
    calm = ast.UnaryOp(ast.Not(), build.is_loud())
    asked = build.call("unrolls", build.name(name))
    return ast.BoolOp(ast.Or(), [ast.BoolOp(ast.And(), [calm, is_one]), asked])


def followed(name: str) -> ast.expr:
    """What a Python loop iterates over: only a list needs an iterator that follows its changes."""
    is_steady = build.is_among(build.name(name), "ag__steady")
    return ast.IfExp(is_steady, build.name(name), build.call("followed", build.name(name)))


def _run(
    operator: str,
    drive: ast.expr,
    end: ast.expr,
    body: ast.FunctionDef,
    node: ast.stmt,
    facts: Facts,
    context: Context,
) -> ast.stmt:
    staged = build.call(
        operator,
        drive,
        build.name(body.name),
        context.names(facts.names, facts.body_stores | facts.test_stores),
        facts.places,
        build.constant(facts.constants),
        **facts.keywords,
    )
    return build.locate(ast.Expr(value=staged), node, end)


def _test(
    node: ast.While, facts: Facts, context: Context, number: int
) -> tuple[ast.expr, list[ast.stmt]]:
    """The test as something to call; one that binds names needs a function of its own."""
    if not facts.test_stores:
        return build.locate(build.thunk(node.test), node.test), []
    answer = build.copy_location(ast.Return(value=node.test), node.test)
    name = f"ag__test_{number}"
    return build.name(name), [context.body_function(name, [answer], facts.test_stores, node)]


def _take_options(body: list[ast.stmt]) -> ast.expr | None:
    """What sets the options of a loop: the call of ``set_loop_options`` in its ``body``, which is
    evaluated before the loop. A user function of that name stays where it is."""
    for i, statement in enumerate(body):
        match statement:
            case ast.Expr(value=ast.Call(func=called) as call):
                if shapes.last_name(called) != _OPTIONS:
                    continue
                import copy  # which most programs do not need

                is_own = build.call("sets_options", build.loaded(called))
                nothing = build.constant(None)
                elsewhere = ast.IfExp(test=is_own, body=nothing, orelse=copy.deepcopy(call))
                body[i] = build.locate(ast.Expr(value=elsewhere), statement)
                return build.locate(ast.IfExp(test=is_own, body=call, orelse=nothing), statement)
    return None
