"""Memoised values that code stores on objects while a region is traced, and that cannot be observed
afterwards.

An unset attribute that was set to an immutable Python value keeps it: code that reads it where it
is unset fails or computes the same value, since all code that sets it only memoises
(``convert/memos``), so the value is the same on every path. An item of a cache is removed again
where its value is a tensor of the region, which is invalid outside: code outside computes it again.
Other changes are no memos; see ``staging/side_effects``.
"""

from __future__ import annotations

import enum
import functools
import operator
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ..context import ownership
from ..context.hooks import hooks
from ..hints import Any
from ..native import _core
from ..values.dtypes import DType
from ..values.tensor_shape import Dimension, TensorShape
from . import frames
from .adapters.builtin_classes import SCALARS, is_function
from .frames import calls, changes, lists_attributes, sets, words_of
from .location import UNDEFINED, Attribute, Container
from .reachable import Walk
from .trace_context import thread as _thread

_VALUES = (*SCALARS, TensorShape, Dimension, enum.Enum)
_NO_FILLERS = frozenset({"__init__", "__new__", "__post_init__", "__setstate__"})


def settle(changed: list, snapshot: Any, graphs: set[int]) -> bool:
    """Let memos among what a region has changed stand, and take items out of caches; whether there
    were such. The region has traced these ``graphs``."""
    found = False
    changes = [(place, old, place.get()) for place, old in changed]
    is_alone = len(changes) == 1
    called_later = functools.cache(lambda: tuple(_called_later()))
    for place, old, new in changes:  # all that they hold stays until the last is looked at
        if isinstance(place, Attribute):
            if _stands(place, old, new, snapshot, is_alone, called_later):
                snapshot.accept(place.owner, place.key[2])
                found = True
        elif isinstance(place, Container) and type(place.owner) is dict and type(old) is dict:
            found |= _settle_cache(place, old, snapshot, graphs)
    return found


def is_static(value: Any) -> bool:
    """Whether a value is an immutable Python value, and no tensor."""
    if type(value) in (tuple, frozenset):
        return all(map(is_static, value))
    return isinstance(value, (*_VALUES, DType, type))


def _stands(
    place: Attribute,
    old: Any,
    new: Any,
    snapshot: Any,
    is_alone: bool,
    called_later: Callable[[], tuple],
) -> bool:
    if issubclass(type(place.owner), (type, types.FunctionType, types.ModuleType)):
        return False
    if not (old is UNDEFINED or old is None) or new is None or not is_static(new):
        return False
    name = place.key[2]
    computed = _in_class(type(place.owner), name)
    if isinstance(computed, functools.cached_property):
        return _only_computes(computed.func, is_alone) and not _is_enumerated(snapshot)
    fillers = list(_fillers(place.owner, name, snapshot))
    told = [hooks.fills_memo(f, name, False) for f in fillers]
    if any(told) and False not in told:
        return True
    # Where it held nothing, who reads it on another path fails, unless code asks whether it is
    # there: then it may not stand.
    return old is UNDEFINED and bool(fillers) and not _is_asked_for(name, snapshot, called_later)


def _fillers(owner: Any, name: str, snapshot: Any) -> Iterator[types.FunctionType]:
    """The functions that may set an attribute of an object: those of its class, and others that the
    region reaches."""
    of_class = (held for base in type(owner).__mro__ for held in vars(base).values())
    functions = {id(f): f for f in _functions((*of_class, *snapshot.seen()))}
    for function in functions.values():
        code = function.__code__
        if code.co_name not in _NO_FILLERS and name in words_of(code) and sets(code, name):
            yield function


def _functions(values: Iterable) -> Iterator[types.FunctionType]:
    for value in values:
        if type(value) is property:
            yield from _functions((value.fget, value.fset))
        elif isinstance(value, (staticmethod, classmethod)):
            yield from _functions((value.__func__,))
        elif is_function(value):
            yield value


_QUIET = frozenset(
    {"abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "len", "list"}
    | {"max", "min", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)


def _only_computes(function: Any, is_alone: bool) -> bool:
    """Whether a function has no side effect but the value that is cached. One that calls more than
    some builtins may have one: then nothing else was changed in the region."""
    if not is_function(function) or changes(function.__code__):
        return False
    names = set(function.__code__.co_names)
    return not calls(function.__code__) or names <= _QUIET or (is_alone and "print" not in names)


def _is_enumerated(snapshot: Any) -> bool:
    """Whether code may list or remove the attributes of an object."""
    codes = [f.__code__ for f in _functions(snapshot.seen())]
    codes += [frame.f_code for frame in frames.frames()]
    return any(map(lists_attributes, codes))


def _is_asked_for(name: str, snapshot: Any, called_later: Callable[[], tuple]) -> bool:
    """Whether code may detect that an attribute is missing: by its name in a string, as for
    ``hasattr``, or by handling the failed read. Code of the region may do so by any means;
    functions that are only ``called_later`` are judged by their own code."""
    codes = [f.__code__ for f in _functions(snapshot.seen())]
    codes += [frame.f_code for frame in frames.frames()]
    if any(_has_text(code, name) or _handles(code) for code in codes):
        return True
    return any(_may_ask(function.__code__, name) for function in called_later())


def _called_later() -> Iterator[types.FunctionType]:
    """The functions that the rest of the trace's code reaches."""
    walk = Walk()
    walk.run((), [_thread.roots, *frames.live_values()])
    return _functions(walk.seen.values())


def _may_ask(code: types.CodeType, name: str) -> bool:
    """Whether code reads an attribute by its name in a string, handles that it is missing, or, for
    user code alone, lists attributes."""
    if _has_text(code, name) or (name in code.co_names and frames.has_handlers(code)):
        return True
    lists = not _SHOWING.isdisjoint(code.co_names)
    if lists and not ownership.is_library_file(code.co_filename):
        return True
    return any(_may_ask(c, name) for c in code.co_consts if type(c) is types.CodeType)


_SHOWING = frozenset({"__dict__", "vars", "__getstate__"})
_ASKING = frozenset({"__dict__", "__getattr__", "__getattribute__", "getattr", "hasattr", "vars"})


def _handles(code: types.CodeType) -> bool:
    """Whether code continues where an attribute is missing."""
    if frames.has_handlers(code) or not _ASKING.isdisjoint(code.co_names):
        return True
    return any(_handles(c) for c in code.co_consts if type(c) is types.CodeType)


def _has_text(code: types.CodeType, text: str) -> bool:
    inner = (c for c in code.co_consts if type(c) is types.CodeType)
    return text in [c for c in code.co_consts if type(c) is str] or any(
        _has_text(c, text) for c in inner
    )


def _in_class(kind: type, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def _settle_cache(place: Container, old: dict, snapshot: Any, graphs: set[int]) -> bool:
    """Take items out of a cache that the region alone can use; whether it is one."""
    owner = place.owner
    added = [(key, value) for key, value in owner.items() if not _has(old, key)]
    kept = [value for key, value in owner.items() if _has(old, key)]
    if not added or len(kept) != len(old) or any(map(operator.is_not, kept, old.values())):
        return False
    own = [_is_identity(key, value, graphs) for key, value in added]
    others = [value for is_own, (_, value) in zip(own, added, strict=True) if not is_own]
    if others:
        is_plain = all(is_static(v) or _holds_symbols(v) for v in others)
        if not is_plain or not _is_filled_only(owner, snapshot):
            return False
    stays = dict(old)
    for is_own, (key, value) in zip(own, added, strict=True):
        if not is_own and not _is_made_in(value, graphs):
            stays[key] = value
    dict.clear(owner)
    dict.update(owner, stays)
    snapshot.accept(owner, None)
    return True


def _has(held: dict, key: Any) -> bool:
    """Whether a dict has a key, by identity: no user code compares them."""
    return any(key is other for other in held)


def _tensors(value: Any) -> list:
    if type(value) in (tuple, list):
        return [tensor for part in value for tensor in _tensors(part)]
    return [value] if isinstance(value, _core.SymbolicTensor) else []


def _holds_symbols(value: Any) -> bool:
    """Whether a value is a tensor of a graph, or a tuple or list of such."""
    if type(value) in (tuple, list):
        return bool(value) and all(map(_holds_symbols, value))
    return isinstance(value, _core.SymbolicTensor)


def _is_made_in(value: Any, graphs: set[int]) -> bool:
    return any(tensor._graph_id in graphs for tensor in _tensors(value))


def _is_identity(key: Any, value: Any, graphs: set[int]) -> bool:
    """Whether a key is the identity of a tensor of the region: it hashes as the id of one. Only
    code that has the tensor can look it up. The same holds for one whose object is gone."""
    if isinstance(key, weakref.ref) and key() is None:
        return True
    parts = [key() if isinstance(key, weakref.ref) else None]
    fields = getattr(key, "__dict__", None)
    parts += list(fields.values()) if type(fields) is dict else []
    parts += list(key) if type(key) is tuple else []
    if type(key) is int:  # which is an id while the item keeps the tensor alive
        parts = _tensors(value)
    tensors = [t for part in parts for t in _tensors(part) if t._graph_id in graphs]
    return any(hash(key) in (id(t), hash(id(t))) for t in tensors)


def _is_filled_only(owner: dict, snapshot: Any) -> bool:
    """Whether all code that sets items of a dict, which an object has as an attribute, fills it."""
    holders = [
        (holder, name)
        for adapter, holder, held in snapshot.entries()
        if adapter.is_of_attributes
        for name, value in held.items()
        if value is owner
    ]
    if len(holders) != 1:
        return False
    holder, name = holders[0]
    told = [hooks.fills_memo(f, name, True) for f in _fillers(holder, name, snapshot)]
    return any(told) and False not in told
