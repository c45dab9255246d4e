"""Which of some objects can be reached from others, by whatever holds them."""

from __future__ import annotations

import collections
import gc
import sys
import types
from typing import Any

from ..context import ownership
from ..native import _core
from .kinds import is_library_class
from .stale import behind

_ATOMS = (
    int, float, complex, str, bytes, bool, type(None), type(Ellipsis), _core.Tensor,
    _core.VariableBase, types.CodeType, types.BuiltinFunctionType, types.GetSetDescriptorType,
)  # fmt: skip


def reached(roots: list, wanted: list) -> set[int]:
    """The ids of those ``wanted`` objects that can be reached from ``roots``."""
    ids = {id(w) for w in wanted}
    found: set[int] = set()
    seen: set[int] = set()
    pending: collections.deque = collections.deque(roots)
    later: list[Any] = []
    while ids and (pending or later):
        if not pending:
            pending.append(later.pop())
        value = behind(pending.popleft())
        if id(value) in ids:
            found.add(id(value))
            ids.discard(id(value))
        if isinstance(value, _ATOMS) or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is types.FunctionType:
            pending.extend(value.__closure__ or ())
            pending.extend([value.__defaults__, value.__kwdefaults__, value.__dict__])
            if not ownership.is_library_file(value.__code__.co_filename):
                later.append(value.__globals__)
        elif type(value) is dict:
            pending.extend(value.values())
        elif isinstance(value, types.ModuleType):
            if not ownership.is_library_file(getattr(value, "__file__", None) or "<frozen"):
                later.append(vars(value))
        elif isinstance(value, type):
            if not is_library_class(value):
                pending.extend(vars(value).values())
                pending.extend(value.__bases__)
        elif not _is_third_party(type(value)):
            pending.extend(gc.get_referents(value))
    return found


def _is_third_party(kind: type) -> bool:
    """Whether a class is of an installed package: its objects, as a test runner's or a server's,
    hold the whole program, and nothing that a trace makes."""
    package = kind.__module__.partition(".")[0]
    is_ours = package in sys.stdlib_module_names or ownership.is_own_module(package)
    return not is_ours and is_library_class(kind)
