"""``break``, ``continue`` and early ``return`` become flags.

A jump sets its flag; what follows it in the block, and in the blocks around it, moves into the
other branch of the ``if`` around the jump, or, where several paths meet, under an ``if not flag``.
The loops read their break flag through a ``stop`` test that the loop converter attaches.

The assignment that replaces a jump keeps, as ``ag_target_live``, the names that are read where the
jump lands.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Sequence

from ...heap.source_location import ConversionError
from . import build, shapes

RESULT = "ag__result"
RETURNED = "ag__returned"

_LOOPS = (ast.While, ast.For, ast.AsyncFor)
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_JUMPS = (ast.Return, ast.Break, ast.Continue)
_TRIES = (ast.Try, ast.TryStar) if hasattr(ast, "TryStar") else (ast.Try,)
# The blocks of statements, beside those of handlers and cases.
_BLOCKS: dict[type[ast.AST], tuple[str, ...]] = {
    **dict.fromkeys((ast.If, *_LOOPS), ("body", "orelse")),
    **dict.fromkeys((ast.With, ast.AsyncWith), ("body",)),
    **dict.fromkeys(_TRIES, ("body", "orelse", "finalbody")),
    ast.Match: (),
}


def lower(function: ast.FunctionDef) -> None:
    """Replace the jumps of ``function``; a function whose returns need no flag keeps them.

    ConversionError where one leaves a ``finally`` block and may end an exception.
    """
    if any(map(_ends_exceptions, statements(function.body))):
        raise ConversionError(
            f"a jump out of a `finally` block in {function.name!r} (`return`, `break` or "
            "`continue`), which ends an exception, has no form in the graph: catch that, and jump "
            "after the `try` statement"
        )
    returns = _returns_early(function.body)
    if not returns and not any(map(_is_loop, statements(function.body))):
        return
    if returns and not always_jumps(function.body):
        last = function.body[-1]
        function.body.append(_after(ast.Return(value=build.constant(None)), last))
        function.body[-1].ag_target_live = frozenset()
    jumping: set[int] = set()
    _find_jumping(function.body, jumping)
    lowering = _Lowering(returns, jumping)
    body = lowering.block(function.body, None)
    if returns:
        body.append(build.locate(ast.Return(value=build.name(RESULT)), body[-1]))
        if RETURNED in lowering.read:
            at = 1 if len(body) > 1 and shapes.is_docstring(body[0]) else 0
            body.insert(at, build.locate(build.assign(RETURNED, build.constant(False)), body[at]))
    function.body = _without_unread(body, lowering.read)


def _find_jumping(body: list[ast.stmt], found: set[int]) -> bool:
    """Add the ids of the statements in ``body`` that are jumps or hold some; whether any are."""
    before = len(found)
    for node in body:
        holds = [_find_jumping(block, found) for block in _blocks(node)]
        if any(holds) or isinstance(node, _JUMPS):
            found.add(id(node))
    return len(found) > before


def always_jumps(body: list[ast.stmt]) -> bool:
    """Whether no path runs off the end of ``body``."""
    if not body:
        return False
    match body[-1]:
        case ast.If(body=then, orelse=other):
            return always_jumps(then) and always_jumps(other)
        case ast.While(test=ast.Constant(value=value), body=inside) as loop:
            is_endless = bool(value) and not getattr(loop, "ag_broke", None)
            return is_endless and not _has(inside, ast.Break)
        case last:  # a context manager may swallow an exception and go on
            return shapes.is_exit(last) or hasattr(last, "ag_target_live")


def live_at_exit(body: list[ast.stmt]) -> frozenset[str] | None:
    """Names read where the jumps that end a lowered ``body`` land, None if a path does not jump."""
    if not body:
        return None
    match body[-1]:
        case ast.Raise():
            return frozenset()
        case ast.If(body=first, orelse=second):
            then, other = live_at_exit(first), live_at_exit(second)
            return None if then is None or other is None else then | other
        case last:
            return getattr(last, "ag_target_live", None)


def swallows(body: list[ast.stmt]) -> bool:
    """Whether a jump leaves a ``finally`` block, which ends the active exception."""
    return any(_has(body, kind) for kind in _JUMPS)


def _ends_exceptions(node: ast.stmt) -> bool:
    """Whether a jump leaves the ``finally`` block of a statement in which exceptions are raised."""
    if not isinstance(node, _TRIES) or not swallows(node.finalbody):
        return False
    return any(isinstance(n, (ast.Raise, ast.Assert)) for n in statements([node]))


class _Loop:
    __slots__ = ("broke", "skipped")

    def __init__(self, broke: str, skipped: str):
        self.broke, self.skipped = broke, skipped


class _Lowering:
    def __init__(self, returns: bool, jumping: set[int]):
        self.returns = returns  # whether returns are lowered too
        self.jumping = jumping  # the ids of statements that are jumps or hold some
        self.read: set[str] = set()  # flags that something tests
        self.count = 0
        self.ending: list[_Loop | None] = []  # the loops around ``finally`` blocks that it is in

    def block(self, body: list[ast.stmt], loop: _Loop | None) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        pending = list(body)
        while pending:
            statement = pending.pop(0)
            if id(statement) not in self.jumping:
                out.append(statement)
                if _blocks(statement):
                    pending[:0] = self._quiet(statement, loop)
                continue
            lowered = self._jump(statement, loop)
            if lowered is not None:
                return out + lowered
            if _is_loop(statement):
                flag = self._loop(statement)
                if flag is not None:
                    unset = build.assign(flag, build.constant(False))
                    out.append(build.locate(unset, statement, statement))
                if statement.orelse:
                    pending[:0] = self._otherwise(statement, flag)
                out.append(statement)
            else:
                if isinstance(statement, ast.If) and self._flags([statement], loop):
                    pending = _into_branches(statement, pending)
                out.append(self._parts(statement, loop))
            flags = self._flags([statement], loop, lowered=True)
            if flags and pending and not always_jumps([statement]):
                out.append(self._guard(flags, self.block(pending, loop), statement))
                return out
            if flags and pending:
                return out
        return out

    def _quiet(self, node: ast.stmt, loop: _Loop | None) -> list[ast.stmt]:
        """Lower a statement that no jump leaves; what of it comes behind."""
        if not _is_loop(node):
            self._parts(node, loop)
            return []
        self._loop(node)
        return self._otherwise(node, None)

    def _jump(self, node: ast.stmt, loop: _Loop | None) -> list[ast.stmt] | None:
        """What takes the place of a jump; None of what stays."""
        result = []
        match node:
            case ast.Return(value=value) if self.returns:
                flag = RETURNED
                result = [build.locate(build.assign(RESULT, value or build.constant(None)), node)]
            case ast.Break() if loop is not None:
                flag = loop.broke
            case ast.Continue() if loop is not None:
                flag = loop.skipped
            case _:
                return None
        return [*result, *self._ended(loop, flag, node), self._flag(flag, node)]

    def _ended(self, loop: _Loop | None, flag: str, node: ast.stmt) -> list[ast.stmt]:
        """Clear the flags of the other jumps, which may be set, at a jump out of a ``finally``
        block."""
        if loop not in self.ending:
            return []
        others = ({RETURNED} if self.returns else set()) - {flag}
        if loop is not None:
            others |= {loop.broke, loop.skipped} - {flag}
        undone = (build.assign(name, build.constant(False)) for name in sorted(others))
        return [build.locate(s, node) for s in undone]

    def _flag(self, flag: str, node: ast.stmt) -> ast.stmt:
        assignment = build.locate(build.assign(flag, build.constant(True)), node)
        assignment.ag_target_live = node.ag_target_live
        return assignment

    def _loop(self, node: ast.While | ast.For) -> str | None:
        """Lower the jumps inside ``node``; the name of its break flag where it breaks."""
        self.count += 1
        loop = _Loop(f"ag__broke_{self.count}", f"ag__skipped_{self.count}")
        breaks, returns = _has(node.body, ast.Break), self.returns and _has(node.body, ast.Return)
        first = node.body[0]
        node.body = self.block(node.body, loop)
        if loop.skipped in self.read:
            reset = build.assign(loop.skipped, build.constant(False))
            node.body.insert(0, build.locate(reset, first, first))
        node.ag_broke = loop.broke if breaks else None
        node.ag_returned = RETURNED if returns else None
        self.read.update(flag for flag in (node.ag_broke, node.ag_returned) if flag)
        return node.ag_broke

    def _otherwise(self, node: ast.While | ast.For, flag: str | None) -> list[ast.stmt]:
        """The ``else`` of a loop as statements after it."""
        orelse, node.orelse = node.orelse, []
        if flag is None:
            return orelse
        made = _located_if(_negation([flag]), orelse, node)
        if not self.jumping.isdisjoint(map(id, orelse)):
            self.jumping.add(id(made))
        return [made]

    def _parts(self, node: ast.stmt, loop: _Loop | None) -> ast.stmt:
        """``node`` with its blocks lowered."""
        for part in ("body", "orelse"):
            if block := getattr(node, part, None):
                setattr(node, part, self.block(block, loop))
        is_try = isinstance(node, _TRIES)
        if is_try:
            self.ending.append(loop)
            node.finalbody = self.block(node.finalbody, loop)
            self.ending.pop()
        for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            handler.body = self.block(handler.body, loop)
        if is_try:
            flags = self._flags(node.body, loop, lowered=True)
            if flags and node.orelse:
                node.orelse = [self._guard(flags, node.orelse, node)]
            for handler in node.handlers:  # the exception came in the place of a jump
                first = handler.body[0]
                undone = (build.assign(flag, build.constant(False)) for flag in flags)
                handler.body[:0] = [build.locate(s, first, first) for s in undone]
        return node

    def _flags(self, body: list[ast.stmt], loop: _Loop | None, lowered: bool = False) -> list[str]:
        """The flags that running ``body`` may set, of the jumps that leave it."""
        found: set[str] = set()
        for node in statements(body):
            if not hasattr(node, "ag_target_live"):
                continue
            match node:
                case ast.Assign(targets=[ast.Name(id=flag)]) if lowered:
                    found.add(flag)
                case ast.Return() if self.returns:
                    found.add(RETURNED)
        outer = {RETURNED} | ({loop.broke, loop.skipped} if loop else set())
        if not lowered and loop is not None:
            found |= {loop.broke} if _has(body, ast.Break) else set()
            found |= {loop.skipped} if _has(body, ast.Continue) else set()
        return sorted(found & outer)

    def _guard(self, flags: list[str], body: list[ast.stmt], place: ast.stmt) -> ast.stmt:
        self.read.update(flags)
        return _located_if(_negation(flags), body, place)


def _into_branches(node: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
    """Move ``rest`` into the branch of ``node`` that alone reaches it; what could not be moved."""
    if rest and always_jumps(node.body):
        node.orelse = node.orelse + rest
        return []
    if rest and always_jumps(node.orelse):
        node.body = node.body + rest
        return []
    return rest


def _negation(flags: list[str]) -> ast.expr:
    tests = [ast.UnaryOp(op=ast.Not(), operand=build.name(flag)) for flag in flags]
    return tests[0] if len(tests) == 1 else ast.BoolOp(op=ast.And(), values=tests)


def _located_if(test: ast.expr, body: list[ast.stmt], place: ast.stmt) -> ast.If:
    """An ``if`` at the location of a statement that has run, so that no source line is added."""
    return build.locate(ast.If(test=test, body=body, orelse=[]), place)


def _after(node: ast.stmt, last: ast.stmt) -> ast.stmt:
    return build.locate(node, last, last)


def _returns_early(body: list[ast.stmt]) -> bool:
    """Whether some return stands inside a statement that turns into functions."""
    return any(
        isinstance(node, (ast.If, *_LOOPS)) and _has([node], ast.Return)
        for node in statements(body)
    )


def yields(body: list) -> bool:
    """Whether a generator stops in ``body``: it then has to stay in the generator's own frame."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(node, _NESTED):
            pending.extend(build.children(node))
    return False


def _has(body: list[ast.stmt], kind: type) -> bool:
    """Whether a jump of this kind leaves ``body``."""
    loops_end_it = kind is not ast.Return
    for node in body:
        if isinstance(node, kind):
            return True
        blocks = [node.orelse] if loops_end_it and _is_loop(node) else _blocks(node)
        if any(_has(block, kind) for block in blocks):
            return True
    return False


def _is_loop(node: ast.stmt) -> bool:
    return isinstance(node, _LOOPS)


def _blocks(node: ast.stmt) -> Sequence[list[ast.stmt]]:
    """The blocks right inside a statement, except those of functions and classes."""
    fields = _BLOCKS.get(node.__class__)
    if fields is None:
        return ()
    held = node.__dict__
    parts = (*held.get("handlers", ()), *held.get("cases", ()))
    return [held[field] for field in fields] + [part.body for part in parts]


def statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of ``body`` and those inside them, except in functions and classes."""
    found = list(body)
    for node in found:
        for block in _blocks(node):
            found += block
    return found


def _without_unread(body: list[ast.stmt], read: set[str]) -> list[ast.stmt]:
    """``body`` where setting a flag that nothing reads is a ``pass`` that keeps its facts."""
    for i, node in enumerate(body):
        live = getattr(node, "ag_target_live", None)
        if live is not None and isinstance(node, ast.Assign) and node.targets[0].id not in read:
            body[i] = build.copy_location(ast.Pass(), node)
            body[i].ag_target_live = live
        for block in _blocks(node):
            _without_unread(block, read)
    return body
