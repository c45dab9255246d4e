"""Which of some objects can be reached from others, by whatever holds them.

Objects of installed packages are looked into where code names them, or what it names holds them: a
container of a library's that the program keeps its objects in. Behind other names of its modules
they are not: a test runner's or a server's hold the whole program, and nothing that a trace makes.
"""

from __future__ import annotations

import collections
import sys
import types

from ..context import ownership
from ..context.by_class import ByClass
from ..context.referents import referents
from ..hints import Any
from ..native import _core
from .code_names import words_of
from .invalidated import Invalidated, behind

_ATOMS = (
    int, float, complex, str, bytes, bool, type(None), type(Ellipsis), _core.Tensor,
    _core.VariableBase, types.CodeType, types.BuiltinFunctionType, types.GetSetDescriptorType,
)  # fmt: skip
_leaves = ByClass()  # whether nothing is looked for in a class
_foreign = ByClass()  # whether a class is of an installed package
_MOST_FOREIGN = 20_000  # objects looked into behind those of installed packages


def reached(roots: list, wanted: list) -> set[int]:
    """The ids of those ``wanted`` objects that can be reached from ``roots``.

    Where installed packages hold too much to look through, those not found until then count too.
    """
    ids = {id(w) for w in wanted}
    found: set[int] = set()
    seen: set[int] = set()
    pending: collections.deque = collections.deque(roots)
    later: list[Any] = []
    named: list[Any] = []  # objects of installed packages
    limit, leaves = 0, _leaves.found
    while ids and (pending or named or later):
        if not pending:
            if named:
                limit = limit or len(seen) + _MOST_FOREIGN
                pending.extend(referents(named.pop()))
                continue
            limit = -1
            pending.append(later.pop())
        if 0 < limit < len(seen):
            return found | ids
        value = pending.popleft()
        kind = type(value)
        if kind is Invalidated:
            value = behind(value)
            kind = type(value)
        place = id(value)
        if place in ids:
            found.add(place)
            ids.discard(place)
        if place in seen:
            continue
        is_leaf = leaves.get(id(kind))
        if is_leaf or (is_leaf is None and _is_leaf(kind)):
            if limit >= 0 and _foreign.found.get(id(kind)):
                seen.add(place)
                named.append(value)
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
        pending.extend([value.__defaults__, value.__kwdefaults__])
        later.append(value.__dict__)
        if not ownership.is_library_file(value.__code__.co_filename):
            names, words = value.__globals__, words_of(value.__code__)
            pending.extend([names[word] for word in words if word in names])
            later.append(names)
    elif issubclass(kind, types.ModuleType):
        if not ownership.is_library_file(ownership.said_by(value, "__file__") or "<frozen"):
            later.append(ownership.names_of(value))
    elif issubclass(kind, type):
        if not ownership.is_library_class(value):
            pending.extend(vars(value).values())
            pending.extend(value.__bases__)
    else:
        pending.extend(referents(value))


def _is_leaf(kind: type) -> bool:
    """Whether nothing is looked for in instances of a class, found once and kept."""
    opened = (types.ModuleType, type)
    is_atom = issubclass(kind, _ATOMS)
    is_foreign = not is_atom and not issubclass(kind, opened) and _is_third_party(kind)
    _foreign.keep(kind, is_foreign)
    return _leaves.keep(kind, is_atom or is_foreign)


def _is_third_party(kind: type) -> bool:
    """Whether a class is of an installed package."""
    package = kind.__module__.partition(".")[0]
    is_ours = package in sys.stdlib_module_names or ownership.is_own_module(package)
    return not is_ours and ownership.is_library_class(kind)
