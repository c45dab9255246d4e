"""Whether something refers to an object that no walk finds, since what runs holds it for itself.

A ``with`` statement holds the method that it will call, a loop its iterator, an expression the
operands that it has: none of these is a name, or part of an object of the program's. They are told
by the references that Python counts and those that can be found.
"""

from __future__ import annotations

import collections
import functools
import gc
import sys
import types

from ...context import ownership
from ...context.locals import locals_of
from ...hints import Any
from ..trace_context import Holder
from . import call_arguments

_PASSIVE = (list, dict, tuple, set, types.CellType, types.FrameType)  # which a walk finds
_CONTAINERS = frozenset({list, dict, set, collections.deque, collections.OrderedDict})
_MOST = 2  # objects such as methods and iterators between code under way and an object
_IS_COLLECTED = 1 << 14  # the flag of classes whose instances the collector follows


def is_held_unseen(targets: list, seen: dict[int, Any]) -> bool:
    """Whether something else holds one of these than ``seen`` objects, names, and this package.

    Objects between them and running code are asked next, all of one distance at once:
    finding who refers to objects walks the whole heap.
    """
    level = targets
    for _ in range(_MOST + 1):
        named, wanted = _named(), set(map(id, level))
        asked = tuple(level)  # which is a holder itself on some versions of Python
        # Of the references that are counted one is the argument, one that of ``asked``.
        counted = [sys.getrefcount(level[i]) - 2 for i in range(len(level))]
        holders = [h for h in gc.get_referrers(*asked) if h is not asked]
        found = collections.Counter(
            id(v) for holder in holders for v in gc.get_referents(holder) if id(v) in wanted
        )
        for i, n in enumerate(counted):
            # Holders of what the collector does not follow cannot be found.
            is_followed = type(level[i]).__flags__ & _IS_COLLECTED
            key = id(level[i])
            if not is_followed or n <= found[key] + named[key]:
                continue
            if n > found[key] + named[key] + call_arguments.handed_down()[key]:
                return True
        level = [h for h in holders if id(h) not in seen and not _is_passive(type(h))]
        if not level:
            return False
    return True


def is_in_library_module(value: Any) -> bool:
    """Whether a name of a library's module is a container's, as `sys.path`: code reads it there."""
    return id(value) in _in_library_modules(len(sys.modules))


@functools.lru_cache(maxsize=1)
def _in_library_modules(n_modules: int) -> dict[int, Any]:
    """By id, the containers to which names of libraries' modules refer."""
    found = {}
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and _is_library_module(module):
            held = list(ownership.names_of(module).values())
            found.update({id(value): value for value in held if type(value) in _CONTAINERS})
    return found


def _is_library_module(module: types.ModuleType) -> bool:
    file = ownership.said_by(module, "__file__")
    if file is None:
        return ownership.said_by(module, "__spec__") is not None
    return ownership.is_library_file(file)


def _is_passive(kind: type) -> bool:
    if issubclass(kind, _PASSIVE):
        return True
    return ownership.is_own_module(kind.__module__) and not issubclass(kind, Holder)


def _named() -> collections.Counter:
    """By id, how many names of running functions objects have, but for those in cells."""
    frame: Any = sys._getframe(1)
    found: collections.Counter = collections.Counter()
    while frame is not None:
        code, held = frame.f_code, locals_of(frame)
        plain = set(code.co_varnames).difference(code.co_cellvars)
        found.update(id(held[name]) for name in plain if name in held)
        frame = frame.f_back
    return found
