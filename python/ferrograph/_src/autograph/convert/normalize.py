"""Forms that depend on where the source is, rewritten so that it can be moved.

- private names (``self.__x``) get the name of their class,
- ``super()`` gets its two arguments,
- ``global`` and ``nonlocal`` statements move to the top of their function,
- ``match`` becomes a chain of ``if``,
- ``except`` does not catch what leaves a staged branch: it may not happen when the graph runs,
- annotated assignments to names lose the annotation, which Python does not evaluate there.
"""

from __future__ import annotations

import _ast as ast

from ...hints import Any
from .. import convert
from . import build, jumps, operator_methods, shapes


def mangle(node: ast.AST, class_name: str | None) -> None:
    """Write out the private names of ``class_name`` in ``node``."""
    prefix = (class_name or "").lstrip("_")
    if prefix:
        _Mangler(f"_{prefix}").visit(node)


_SPELT = ("global", "nonlocal", "super", "try")  # how forms begin that are written out


def normalize(function: ast.FunctionDef, text: str) -> None:
    """Bring the statements of one function, without those nested in it, to the plain forms.

    ``text`` has the words that it is written in.
    """
    body = convert.Lowering().block(function.body) if "match" in text else function.body
    is_plain = not any(word in text for word in _SPELT)
    if is_plain and not any(isinstance(s, ast.AnnAssign) for s in jumps.statements(body)):
        function.body = body
        return
    parameters = [*function.args.posonlyargs, *function.args.args]
    normalizer = _Normalizer(parameters[0].arg if parameters else None)
    body = normalizer.block(body)
    function.body = [*normalizer.declarations, *body]


class _Mangler:
    _FIELDS = ("id", "attr", "arg", "name", "asname", "rest")

    def __init__(self, prefix: str):
        self._prefix = prefix

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.ClassDef):
            self._class(node)
            return
        for field in self._FIELDS:
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, self._mangled(value))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [self._mangled(n) for n in node.names]
        for child in build.children(node):
            self.visit(child)

    def _class(self, node: ast.ClassDef) -> None:
        """A nested class has its own private names; only what is evaluated outside is ours."""
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        node.name = self._mangled(node.name)

    def _mangled(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and "." not in name
        return self._prefix + name if private else name


class _Normalizer(build.Transformer):
    def __init__(self, first_parameter: str | None):
        self._first = first_parameter
        self.declarations: list[ast.stmt] = []

    def _declaration(self, node: ast.stmt) -> ast.stmt:
        self.declarations.append(node)
        return build.copy_location(ast.Pass(), node)

    visit_Global = visit_Nonlocal = _declaration

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if not shapes.is_name(node.target):
            return node
        if node.value is not None:
            return build.copy_location(ast.Assign(targets=[node.target], value=node.value), node)
        declared = ast.If(  # the name stays one of the function, and stays unset
            test=build.constant(False),
            body=[ast.Assign(targets=[node.target], value=build.constant(None), lineno=0)],
            orelse=[],
        )
        declared.ag_plain = True
        return build.locate(declared, node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        whole = not node.args and not node.keywords and self._first
        if whole and shapes.called_name(node) == "super" and operator_methods.is_builtin("super"):
            names = build.name("__class__"), build.name(self._first)
            node.args = [build.locate(name, node) for name in names]
        return node

    def visit_Try(self, node: Any) -> Any:
        self.generic_visit(node)
        for handler in node.handlers:
            kinds = handler.type or build.name("BaseException")
            caught = build.call("catching", kinds)
            handler.type = build.locate(caught, handler.type or handler)
        if node.finalbody and jumps.swallows(node.finalbody):
            first = node.finalbody[0]
            node.finalbody.insert(0, build.locate(ast.Expr(build.call("passed_on")), first))
        return node

    visit_TryStar = visit_Try

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave
