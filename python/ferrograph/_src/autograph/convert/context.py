"""What the converters of one function share: its scope, and the making of body functions."""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterable, Sequence

from . import analysis, build, inline, shapes


class Context:
    """The state of converting one function.

    What it says about statements it reads from their text, so it must be asked before they are
    converted.
    """

    def __init__(self, function: ast.FunctionDef):
        self.scope = analysis.Scope(function, analysis.uses_of(function.body))
        self.moved = set(self.scope.walrus & self.scope.bound)  # bound in inner functions
        self._count = 0

    def number(self) -> int:
        self._count += 1
        return self._count

    def state(
        self, uses: analysis.Uses, live: Iterable[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The names that statements with these ``uses`` bind; of them, those read later, and those
        others may read."""
        modified = self.scope.modified(uses)
        names = tuple(sorted(modified - self.scope.globals))
        hard = tuple(n for n in names if n in live)
        soft = tuple(n for n in names if n in self.scope.always_live and n not in live)
        self.moved.update(names)
        return names, hard, soft

    def names(self, names: tuple[str, ...], stores: set[str]) -> ast.expr:
        """The names, whose cells the operators find in the closures of the functions around them
        that set ``stores``; where some are set elsewhere ``lambda: (x, y)``, for its closure."""
        if not names:
            return build.constant(None)
        if stores.issuperset(names):
            return build.constant(names)
        return build.thunk(build.tuple_of(build.name(n) for n in names))

    def places(self, uses: analysis.Uses) -> ast.expr:
        """``(("a.b", ("a",), "b"), ...)`` for what else statements with these ``uses`` set;
        ``state.location_of`` says how."""
        found = [_place(text, node) for text, node in analysis.places_set(uses).items()]
        for identifier in sorted(uses.stores & self.scope.globals):
            parts = build.constant(identifier), build.thunk(build.name(identifier))
            found.append(build.tuple_of([*parts, build.constant(None)]))
        if all(map(shapes.is_constant, found)):
            return build.constant(tuple(place.value for place in found) or None)
        return build.tuple_of(found)

    def body_function(
        self,
        name: str,
        body: list[ast.stmt],
        stores: Iterable[str],
        like: ast.stmt,
        parameters: Sequence[str] = (),
    ) -> ast.FunctionDef:
        """A function of ``body``, whose ``stores`` are names of the function around it."""
        function = build.function(name, self.declarations(stores) + body, parameters)
        function.ag_weight = inline.weight(body)
        return build.locate(function, like, like)

    def declarations(self, stores: Iterable[str]) -> list[ast.stmt]:
        """The statements under which ``stores`` in an inner function mean the function's names."""
        outside = sorted(n for n in set(stores) & self.scope.globals)
        inside = sorted(n for n in set(stores) - self.scope.globals)
        self.moved.update(inside)
        found: list[ast.stmt] = []
        if outside:
            found.append(ast.Global(names=outside))
        if inside:
            found.append(ast.Nonlocal(names=inside))
        return found

    def shared_names(self, like: ast.stmt) -> list[ast.stmt]:
        """A statement that announces the names of others that the function sets."""
        found = []
        if self.scope.nonlocals:
            names = build.tuple_of(build.name(n) for n in sorted(self.scope.nonlocals))
            found.append(build.call("cells", build.thunk(names)))
        if self.scope.globals:
            places = [
                build.call("global_name", build.constant(n), build.thunk(build.name(n)))
                for n in sorted(self.scope.globals)
            ]
            found.append(build.call("names_of_module", *places))
        return [build.locate(ast.Expr(value=call), like, like) for call in found]

    def binding(self, like: ast.stmt) -> list[ast.stmt]:
        """A statement that never runs and makes the moved names the function's own."""
        own = sorted((self.moved & self.scope.bound) - self.scope.parameters)
        if not own:
            return []
        value = ast.Assign(
            targets=[build.store(n) for n in own], value=build.constant(None), lineno=0
        )
        never = ast.If(test=build.constant(False), body=[value], orelse=[])
        return [build.locate(never, like, like)]


def _place(text: str, node: ast.Attribute | ast.Subscript) -> ast.expr:
    path = _path(node.value)
    if isinstance(node, ast.Attribute):
        return build.constant((text, path, node.attr))
    return build.constant((text, (path, *_key(node.slice))))


def _path(node: ast.expr) -> tuple:
    """A name, attributes and items of it: see ``location.location_of``."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=owner, attr=attribute):
            return (*_path(owner), attribute)
    return (*_path(node.value), _key(node.slice))


def _key(node: ast.expr) -> tuple:
    return (node.id,) if shapes.is_name(node) else (None, node.value)
