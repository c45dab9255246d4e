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
from .stale import Stale, behind

_ATOMS = (
    int, float, complex, str, bytes, bool, type(None), type(Ellipsis), _core.Tensor,
    _core.VariableBase, types.CodeType, types.BuiltinFunctionType, types.GetSetDescriptorType,
)  # fmt: skip
_leaves: dict[type, bool] = dict.fromkeys(_ATOMS, True)  # whether nothing is looked for in a class
_MOST_CLASSES = 4096


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
        value = pending.popleft()
        kind = type(value)
        if kind is Stale:
            value = behind(value)
            kind = type(value)
        place = id(value)
        if place in ids:
            found.add(place)
            ids.discard(place)
        if place in seen:
            continue
        is_leaf = _leaves.get(kind)
        if is_leaf or (is_leaf is None and _is_leaf(kind)):
            continue
        seen.add(place)
        if kind is dict:
            pending.extend(value.values())
        else:
            _open(value, kind, pending, later)
    return found


def _open(value: Any, kind: type, pending: collections.deque, later: list) -> None:
    """Add what an object holds; names of modules, which are many, come last."""
    if kind is types.FunctionType:
        pending.extend(value.__closure__ or ())
        pending.extend([value.__defaults__, value.__kwdefaults__, value.__dict__])
        if not ownership.is_library_file(value.__code__.co_filename):
            later.append(value.__globals__)
    elif isinstance(value, types.ModuleType):
        if not ownership.is_library_file(getattr(value, "__file__", None) or "<frozen"):
            later.append(vars(value))
    elif isinstance(value, type):
        if not is_library_class(value):
            pending.extend(vars(value).values())
            pending.extend(value.__bases__)
    else:
        pending.extend(gc.get_referents(value))


def _is_leaf(kind: type) -> bool:
    """Whether nothing is looked for in instances of a class, found once and kept."""
    opened = (types.ModuleType, type)
    found = issubclass(kind, _ATOMS) or (not issubclass(kind, opened) and _is_third_party(kind))
    if len(_leaves) >= _MOST_CLASSES:
        _leaves.clear()
    _leaves[kind] = found
    return found


def _is_third_party(kind: type) -> bool:
    """Whether a class is of an installed package: its objects, as a test runner's or a server's,
    hold the whole program, and nothing that a trace makes."""
    package = kind.__module__.partition(".")[0]
    is_ours = package in sys.stdlib_module_names or ownership.is_own_module(package)
    return not is_ours and is_library_class(kind)
