"""From a converted tree to a function object that shares everything but its code with the original.

The code is compiled under the user's file name with the user's line numbers, so tracebacks,
breakpoints and coverage refer to the user's lines. The new function has the globals, defaults and
closure cells of the original: late binding and ``nonlocal`` keep working between the two.
"""

from __future__ import annotations
import __future__ as future_features

import _ast as ast
import re
import types
import weakref
from collections.abc import Callable

from ... import uncollected
from ...context import tracebacks
from ...context.ownership import KEPT, MET, TESTS, UNMET, WHOLE, loud_cell
from ...hints import Any
from . import build, fast_path, inline, inline_caches, operator_methods, parse, pipeline, shapes

_FACTORY = "ag__factory"
_MADE_PART = re.compile(r"\.<locals>\.ag__\w+")  # in qualified names
_FUNCTION = "ag__function"  # in the factory, so that the function's own name means what it did
_CELLS = {build.LOUD: loud_cell} | {n: types.CellType(v) for n, v in TESTS.items()}
_CELLS |= {MET: types.CellType(None), UNMET: types.CellType(())}  # which tell nothing
_CELLS |= {KEPT: types.CellType(None), WHOLE: types.CellType(None)}
_FUTURE_FLAGS = 0
_OPTIMIZED = 0x01  # the flag of the code of a function
for _feature in future_features.all_feature_names:
    _FUTURE_FLAGS |= getattr(future_features, _feature).compiler_flag


# The parameters whose objects a function tells: that of a method's object, if any, and others.
Asked = tuple["str | None", tuple[str, ...]]


class _Converted:
    """The converted code of a code object, what its conversion asked of ``specials``, and what was
    known to it."""

    __slots__ = ("asked", "code", "known", "n_sites", "of", "once", "tells")

    def __init__(
        self,
        of: weakref.ref,
        code: types.CodeType,
        asked: frozenset[str],
        known: frozenset[str],
        once: bool,
        tells: bool,
        n_sites: int,
    ):
        self.n_sites = n_sites
        self.of, self.code, self.asked, self.known = of, code, asked, known
        self.tells = tells  # whether it may tell its arguments
        self.once = once  # whether it is made for functions that run once


class Whole:
    """The full form of a function that has a fast path, made when the fast path first needs it."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], types.FunctionType]):
        self._make = make
        self._made: types.FunctionType | None = None

    def form(self) -> types.FunctionType:
        """The function."""
        if self._made is None:
            self._made = self._make()
        return self._made


_cache: dict[tuple[int, bool], _Converted] = {}  # by the code, and whether it may have a fast path


def converted_tree(fn: types.FunctionType, is_lean: bool = False) -> ast.FunctionDef | ast.Lambda:
    """The converted tree of ``fn``, without its decorators, defaults and annotations; that of its
    fast path if there is one and it ``is_lean``."""
    source = parse.parse(fn)
    node = source.node
    _strip(node)
    other = fast_path.convert if is_lean else None
    return pipeline.convert_function(node, source.text, source.class_name, other)


def converted_code(
    fn: types.FunctionType, once: bool = False, asked: Asked | None = None, is_lean: bool = False
) -> types.CodeType:
    """The converted code of ``fn``, which runs ``once`` in a trace or may do so more often; made
    once for each code object and what it depends on. It can tell the arguments it is ``asked``."""
    code = fn.__code__
    key = id(code), is_lean
    held, known = _cache.get(key), operator_methods.known_to(fn)
    if held is not None and held.of() is code:
        known |= held.known
        is_same = held.asked & known == held.asked & held.known
        if is_same and (once or not held.once) and (held.tells or asked is None):
            return held.code
    operator_methods.begin(known)
    inline_caches.begin(fn)
    with uncollected(), inline.run_once(once):
        node = converted_tree(fn, is_lean)
        if asked is not None:
            _tell(node, *asked)
        made = _compile(node, fn)
        del node  # while no garbage collection runs
    cache = _cache  # the global name is gone when the interpreter ends
    gone = weakref.ref(code, lambda _: cache.pop(key, None))
    facts = once, asked is not None, inline_caches.taken()
    cache[key] = _Converted(gone, made, operator_methods.asked(), known, *facts)
    return made


def instantiate(
    fn: types.FunctionType,
    operators: Any,
    once: bool = False,
    asked: Asked | None = None,
    lend: Callable[[int], types.CellType] | None = None,
    whole: Callable[[], types.FunctionType] | None = None,
) -> types.FunctionType:
    """A function like ``fn`` that runs its converted code with these operators; ``once`` in a trace
    if it is what is traced. It reports no arguments before ``telling``. A trace may ``lend`` it the
    list for its inline caches; it may be the fast path where ``whole`` is given, which makes its
    full form."""
    is_lean = whole is not None
    code = fn.__code__
    if not is_converted(code):
        code = converted_code(fn, once, asked, is_lean)
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    cells |= _CELLS
    cells[build.OPERATORS] = types.CellType(operators)
    if whole is not None and WHOLE in code.co_freevars:
        cells[WHOLE] = types.CellType(Whole(whole))
        tracebacks.lean.add(code)
    held = _cache.get((id(fn.__code__), is_lean))
    if lend is not None and held is not None and held.code is code and KEPT in code.co_freevars:
        cells[KEPT] = lend(held.n_sites)
    return _with_cells(fn, code, cells)


def telling(fn: types.FunctionType, met: Any, unmet: Any) -> types.FunctionType:
    """A converted function like ``fn`` that reports to ``unmet`` the arguments that were asked for;
    that of a method's object unless ``met`` is None."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    cells |= {MET: types.CellType(met), UNMET: types.CellType(unmet)}
    return _with_cells(fn, fn.__code__, cells)


def _with_cells(
    fn: types.FunctionType, code: types.CodeType, cells: dict[str, types.CellType]
) -> types.FunctionType:
    """A function like ``fn`` that runs ``code`` with these free names."""
    closure = tuple(cells[name] for name in code.co_freevars)
    new = types.FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    new.__kwdefaults__ = fn.__kwdefaults__
    new.__doc__ = fn.__doc__
    new.__module__ = fn.__module__
    new.__qualname__ = fn.__qualname__
    if hasattr(fn, "__annotate__"):  # from Python 3.14 on annotations are evaluated when asked for
        new.__annotate__ = fn.__annotate__
    else:
        new.__annotations__ = fn.__annotations__
    new.__dict__.update(fn.__dict__)
    return new


def is_converted(code: types.CodeType) -> bool:
    """Whether ``code`` comes from here. Converted code that uses no operator counts as plain."""
    return build.OPERATORS in code.co_freevars


def is_form(code: types.CodeType, of: types.CodeType) -> bool:
    """Whether ``code`` is the converted code of another one."""
    forms = (_cache.get((id(of), is_lean)) for is_lean in (True, False))
    return any(held is not None and held.code is code and held.of() is of for held in forms)


def whole_code(fn: types.FunctionType, of: types.FunctionType) -> types.CodeType | None:
    """The code of the full form of ``of``, which ``fn`` is a form of; None where ``fn`` is the fast
    path and the full form has not been made."""
    if WHOLE not in fn.__code__.co_freevars:
        return fn.__code__
    held = _cache.get((id(of.__code__), False))
    return held.code if held is not None and held.of() is of.__code__ else None


def tells(code: types.CodeType) -> bool:
    """Whether converted code can tell the arguments of a function."""
    return UNMET in code.co_freevars


def _tell(node: ast.FunctionDef | ast.Lambda, first: str | None, others: tuple[str, ...]) -> None:
    """Let a function tell arguments at its head, where there is something new in them."""
    unknown: list[ast.expr] = []
    if first is not None:
        is_method = ast.Compare(build.name(MET), [ast.IsNot()], [build.constant(None)])
        unknown.append(ast.BoolOp(ast.And(), [is_method, _is_in(first, ast.NotIn(), MET)]))
    if others:
        found = [_is_in(name, ast.In(), UNMET) for name in others]
        found = [ast.BoolOp(ast.Or(), found)] if len(found) > 1 else found
        unknown.append(ast.BoolOp(ast.And(), [build.name(UNMET), *found]))
    test = ast.BoolOp(ast.Or(), unknown) if len(unknown) > 1 else unknown[0]
    told = [build.name(name) for name in (first, *others) if name is not None]
    call = ast.Call(ast.Attribute(build.name(UNMET), "tell", ast.Load()), told, [])
    if isinstance(node, ast.Lambda):
        is_done = ast.BoolOp(ast.Or(), [ast.UnaryOp(ast.Not(), test), call])
        node.body = build.locate(ast.BoolOp(ast.And(), [is_done, node.body]), node.body)
        return
    at = next((i for i, s in enumerate(node.body) if not _comes_first(s)), len(node.body))
    like = node.body[min(at, len(node.body) - 1)]
    head = ast.If(test=test, body=[ast.Expr(value=call)], orelse=[])
    node.body.insert(at, build.locate(head, like, like))


def _comes_first(statement: ast.stmt) -> bool:
    """Whether nothing may stand before a statement."""
    return shapes.is_docstring(statement) or shapes.is_declaration(statement)


def _is_in(name: str, how: ast.cmpop, ids: str) -> ast.expr:
    """Whether the object of a name is, or is not, among others by their ids."""
    identity = ast.Call(build.name("ag__id"), [build.name(name)], [])
    return ast.Compare(identity, [how], [build.name(ids)])


def _strip(node: ast.FunctionDef | ast.Lambda) -> None:
    """Take off what belongs to the making of the function, which has happened."""
    args = node.args
    args.defaults = []
    args.kw_defaults = [None] * len(args.kwonlyargs)
    # Positions after a default need none themselves, so dropping all of them keeps the signature.
    for arg in build.parameters(args):
        arg.annotation = None
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.returns = None
        if hasattr(node, "type_params"):
            node.type_params = []


def _compile(node: ast.FunctionDef | ast.Lambda, fn: types.FunctionType) -> types.CodeType:
    body: list[ast.stmt]
    like = fn.__code__
    if isinstance(node, ast.Lambda):
        name, body = "<lambda>", [ast.Return(value=node)]
    else:
        node.name = name = _FUNCTION
        body = [node]
    free = [*like.co_freevars, build.OPERATORS, *_CELLS]
    factory = build.locate(build.function(_FACTORY, body, free), node)
    module = ast.Module(body=[factory], type_ignores=[])
    flags = like.co_flags & _FUTURE_FLAGS
    compiled = compile(module, like.co_filename, "exec", flags=flags, dont_inherit=True)
    code = _inner(_inner(compiled, _FACTORY), name)
    if not hasattr(code, "co_qualname"):
        code = _qualified(code, f"{_FACTORY}.<locals>.{name}", fn.__qualname__)
    return _renamed(code, like.co_name, getattr(like, "co_qualname", None))


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


def _qualified(code: types.CodeType, made: str, qualname: str) -> types.CodeType:
    """``code`` whose functions and classes bear the program's qualified names, which are constants
    before Python 3.11."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            constant = _qualified(constant, made, qualname)
        elif type(constant) is str and constant.startswith(made):
            constant = qualname + _MADE_PART.sub("", constant[len(made) :])
        constants.append(constant)
    return code.replace(co_consts=tuple(constants))


def _renamed(code: types.CodeType, name: str, qualname: str | None) -> types.CodeType:
    """``code`` where functions made of parts of a function bear its name, as tracebacks show it."""
    constants: list[Any] = []
    is_class = bool(qualname) and not code.co_flags & _OPTIMIZED
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = constant.co_name
            made = inner.startswith("ag__")
            inner_qualname = getattr(constant, "co_qualname", inner).rsplit(".", 1)[-1]
            link = ".<locals>." if code.co_flags & _OPTIMIZED else "."
            own = f"{qualname}{link}{inner_qualname}" if qualname else None
            constant = _renamed(constant, name if made else inner, qualname if made else own)
            if made:
                tracebacks.parts.add(constant)
        elif is_class and constant == code.co_qualname:
            constant = qualname  # which the body of a class gives the class
        constants.append(constant)
    changes: dict[str, Any] = {"co_consts": tuple(constants), "co_name": name}
    if qualname is not None and hasattr(code, "co_qualname"):
        changes["co_qualname"] = qualname
    return code.replace(**changes)
