"""Helpers that make syntax tree nodes, which have no location until ``locate`` sets one.

The classes of nodes come from ``_ast``: importing all of ``ast`` would slow the first call of a
function.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterable, Iterator, Sequence

from ...context.ownership import LOUD, OPERATORS
from ...hints import Any, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)

# Which all nodes share, as the parser's do.
_LOAD, _STORE, _IS, _IN = ast.Load(), ast.Store(), ast.Is(), ast.In()


def name(identifier: str) -> ast.Name:
    return ast.Name(identifier, _LOAD)


def store(identifier: str) -> ast.Name:
    return ast.Name(identifier, _STORE)


def constant(value: Any) -> ast.Constant:
    return ast.Constant(value)


def tuple_of(items: Iterable[ast.expr]) -> ast.Tuple:
    return ast.Tuple(list(items), _LOAD)


def assign(identifier: str, value: ast.expr) -> ast.Assign:
    return ast.Assign(targets=[store(identifier)], value=value, lineno=0)


def call(operator: str, *args: ast.expr, **keywords: ast.expr) -> ast.Call:
    """``ag__.operator(*args, **keywords)``."""
    function = ast.Attribute(name(OPERATORS), operator, _LOAD)
    return ast.Call(function, list(args), [ast.keyword(k, v) for k, v in keywords.items()])


def is_loud() -> ast.Name:
    """Whether there may be something to ask the operators for."""
    return name(LOUD)


def has_kind(value: ast.expr, kind: str) -> ast.Compare:
    """Whether a value is of a class, by its name among the tests."""
    return ast.Compare(kind_of(value), [_IS], [name(kind)])


def is_among(value: ast.expr, kinds: str) -> ast.Compare:
    """Whether the class of a value is one of several."""
    return ast.Compare(kind_of(value), [_IN], [name(kinds)])


def kind_of(value: ast.expr) -> ast.Call:
    """The class of a value."""
    return ast.Call(name("ag__kind"), [value], [])


def arguments(names: Sequence[str] = ()) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(arg=n) for n in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def thunk(body: ast.expr) -> ast.Lambda:
    """``lambda: body``."""
    return ast.Lambda(args=arguments(), body=body)


def function(
    identifier: str, body: list[ast.stmt], parameters: Sequence[str] = ()
) -> ast.FunctionDef:
    node = ast.FunctionDef(
        name=identifier,
        args=arguments(parameters),
        body=body or [ast.Pass()],
        decorator_list=[],
        returns=None,
    )
    node.type_params = []  # a field from Python 3.12 on
    return node


# Nodes that have no place of their own.
_NOWHERE = frozenset({ast.arguments, ast.comprehension, ast.withitem, ast.match_case})


def locate(node: Any, like: ast.AST, end: ast.AST | None = None) -> Any:
    """``node`` with its unplaced parts at the place of ``like``, up to the end of ``end``.

    What is placed so stays on one line: a part of it that ran would count as its last line.
    """
    end = end or like
    line = like.lineno
    place = {
        "lineno": line,
        "col_offset": like.col_offset,
        "end_lineno": line,
        "end_col_offset": end.end_col_offset if end.end_lineno == line else like.col_offset,
    }
    pending = [node]
    for current in pending:
        held = current.__dict__
        if held.get("lineno"):
            continue
        kind = current.__class__
        names = _parts[kind]
        if not names:  # of a name or a constant, for one
            held.update(place)
            continue
        if kind not in _NOWHERE:
            held.update(place)
        if kind in _WITH_GAPS:
            pending += children(current)
            continue
        for name in names:
            value = held.get(name)
            if value.__class__ is list:
                pending += value
            elif value is not None:
                pending.append(value)
    return node


def copy_location(node: Any, like: ast.AST) -> Any:
    """``node``, where ``like`` is."""
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, name, getattr(like, name))
    return node


def parsed(text: str, filename: str = "<unknown>", mode: str = "exec") -> Any:
    """The tree of a source text."""
    return compile(text, filename, mode, ast.PyCF_ONLY_AST, dont_inherit=True)


def unparsed(node: ast.AST) -> str:
    """The source of a tree."""
    import ast as whole

    return whole.unparse(node)


# Fields that never hold a node but one that says how another is used.
_PLAIN = frozenset(
    {"ctx", "id", "attr", "arg", "op", "ops", "kind", "type_comment", "is_async", "level"}
    | {"module", "conversion", "simple", "asname", "rest", "kwd_attrs", "str"}
)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.alias)


class _Parts(dict):
    """The fields of each kind of node that may hold nodes, or lists of them, and nothing else but
    None."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = [name for name in kind._fields if name not in _PLAIN]
        if "name" in fields and (kind in _NAMED or issubclass(kind, ast.pattern)):
            fields.remove("name")
        found = self[kind] = tuple(fields)
        return found


_parts = _Parts(dict.fromkeys((ast.Constant, ast.Name, ast.Global, ast.Nonlocal), ()))
_parts[ast.MatchSingleton] = ()
_WITH_GAPS = frozenset({ast.Dict, ast.arguments})  # in whose lists None may stand


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below ``node``, without those that only say how it is used."""
    found: list[ast.AST] = []
    held, kind = node.__dict__, node.__class__
    for name in _parts[kind]:
        value = held.get(name)
        if value.__class__ is list:
            found += value
        elif value is not None:
            found.append(value)
    return [part for part in found if part is not None] if kind in _WITH_GAPS else found


def walk(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Nodes and all those below them that ``children`` gives."""
    for node in nodes:
        pending = [node]
        for found in pending:
            pending += children(found)
            yield found


def find(kinds: type[_Node] | tuple[type[_Node], ...], *nodes: ast.AST) -> Iterator[_Node]:
    """The nodes of some kinds that ``walk`` gives."""
    return (node for node in walk(*nodes) if isinstance(node, kinds))


def parameters(args: ast.arguments) -> list[ast.arg]:
    """All parameters of a function."""
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return [arg for arg in every if arg is not None]


def body_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[Any]:
    """The statements of a function, or the one expression of a lambda."""
    return function.body if isinstance(function.body, list) else [function.body]


class Transformer:
    """``ast.NodeTransformer`` with less work for each node; ``visit_X`` methods are looked up once.

    A method gives the node that takes the place of its own; for a statement it may give a list.
    """

    _methods: Any = None  # of each class its own: the method for each kind of node
    _passed: frozenset[type] = frozenset()  # kinds of nodes without parts for which it has none

    def __init_subclass__(cls) -> None:
        cls._methods = {}
        kinds = (ast.Name, ast.Constant)
        cls._passed = frozenset(k for k in kinds if not hasattr(cls, f"visit_{k.__name__}"))

    def visit(self, node: Any) -> Any:
        kind = node.__class__
        method = self._methods.get(kind)
        if method is None:
            name = f"visit_{kind.__name__}"
            method = getattr(type(self), name, type(self).generic_visit)
            self._methods[kind] = method
        return method(self, node)

    def generic_visit(self, node: Any) -> Any:
        held, passed = node.__dict__, self._passed
        for name in _parts[node.__class__]:
            value = held.get(name)
            kind = value.__class__
            if kind is list:
                if value:
                    value[:] = self.block(value)
            elif value is not None and kind not in passed:
                held[name] = self.visit(value)
        return node

    def block(self, items: list) -> list:
        """What takes the place of nodes that stand one after the other."""
        out: list = []
        for item in items:
            is_visited = item is not None and item.__class__ not in self._passed
            found = self.visit(item) if is_visited else item
            if found.__class__ is list:
                out.extend(found)
            else:
                out.append(found)
        return out


def text_of(node: ast.expr) -> str:
    """The source of an expression."""
    match node:
        case ast.Name(id=identifier):
            return identifier
        case ast.Attribute(value=owner, attr=attribute):
            return f"{text_of(owner)}.{attribute}"
        case ast.Subscript(value=owner, slice=ast.Name() | ast.Constant() as key):
            return f"{text_of(owner)}[{text_of(key)}]"
        case ast.Constant(value=value):
            return repr(value)
    return unparsed(node)


def loaded(node: ast.expr) -> ast.expr:
    """A copy of a name, attribute or item for reading, without a place."""
    match node:
        case ast.Name(id=identifier):
            return name(identifier)
        case ast.Attribute(value=owner, attr=attribute):
            return ast.Attribute(loaded(owner), attribute, ast.Load())
        case ast.Subscript(value=owner, slice=key):
            return ast.Subscript(loaded(owner), loaded(key), ast.Load())
        case ast.Constant(value=value):
            return constant(value)
    return parsed(unparsed(node), mode="eval").body
