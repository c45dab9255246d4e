"""Reads of objects that run no user code: walks over them, attributes, items, keys."""

from __future__ import annotations

import builtins
import collections
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ..context import ownership
from ..context.hooks import hooks
from ..context.ownership import is_own_module
from ..hints import Any
from .adapters import LEAVES, ORDERED, SCALARS, is_function
from .source_location import refusal
from .trace_context import is_proxy

_MOST = 10_000  # values to look through


def walked(value: Any, held: Callable[[Any], Iterable]) -> Iterator[Any]:
    """A value, what ``held`` says that it holds, and so on, each object once; plain numbers and
    strings inside are skipped."""
    pending, seen = [value], {id(value)}
    while pending and len(seen) < _MOST:
        part = pending.pop()
        yield part
        for inner in held(part):
            if type(inner) not in LEAVES and id(inner) not in seen:
                seen.add(id(inner))
                pending.append(inner)


def elements(value: Any) -> Iterable:
    """The elements of a sequence whose class is Python's or derives from one, by none of its
    methods."""
    if type(value) in ORDERED:
        return value
    return next(base for base in ORDERED if isinstance(value, base)).__iter__(value)


def keys(value: dict) -> Iterable:
    """The keys of a mapping whose class is Python's or derives from one, by none of its methods."""
    base = collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict
    return base.__iter__(value)


def fields(value: Any) -> list:
    """What an object has in its slots and attributes."""
    names = [name for base in type(value).__mro__ for name in _slots(base)]
    slots = [_slot(value, name) for name in names]
    return [*slots, *attributes(value).values()]


def attributes(value: Any) -> dict:
    """What an object keeps as attributes, without asking its class."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}


def _slot(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def _slots(base: type) -> tuple:
    found = base.__dict__.get("__slots__", ())
    return (found,) if isinstance(found, str) else tuple(found)


def proxied(proxy: Any) -> Any:
    """The object of a weak proxy, None where it has been freed; others themselves."""
    if type(proxy) not in weakref.ProxyTypes:
        return proxy
    try:
        return proxy.__repr__.__self__  # which the proxy asks of the object
    except ReferenceError:
        return None


def is_field(owner: Any, name: str) -> bool:
    """Whether an attribute of a record array, or a record, is one of its fields: an element."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not issubclass(type(owner), (numpy.recarray, numpy.record)):
        return False
    return name in (owner.dtype.names or ())


_MISSING = object()
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


def attribute_of(owner: Any, name: str) -> Any:
    """``owner.name``."""
    owner = proxied(owner)
    kind = type(owner)
    if is_proxy(owner) or is_own_module(kind.__module__):
        return getattr(owner, name)
    if is_function(kind.__getattribute__):
        raise LookupError(name)
    held = of_bases(kind.__mro__, name, _MISSING)
    if issubclass(kind, type):
        return _of_bases(owner, name, held)
    own = attributes(owner).get(name, _MISSING)
    if held is _MISSING or not hasattr(type(held), "__get__"):
        return _found(name, held if own is _MISSING else own)
    if type(held) in _SLOTS:
        return held.__get__(owner, kind)
    is_data = hasattr(type(held), "__set__") or hasattr(type(held), "__delete__")
    return _found(name, _MISSING if is_data else own)


def _of_bases(cls: type, name: str, held: Any) -> Any:
    """An attribute of a class, of whose own class ``held`` is one of that name."""
    found = of_bases(cls.__mro__, name, _MISSING)
    if isinstance(found, staticmethod):
        found = found.__func__
    if is_function(found):
        return found
    runs = hasattr(type(held), "__set__") or hasattr(type(found), "__get__")
    return _found(name, _MISSING if runs else found)


def of_bases(bases: Iterable[type], name: str, default: Any = None) -> Any:
    """What the first of some classes that has a name has under it."""
    return next((vars(base)[name] for base in bases if name in vars(base)), default)


def _found(name: str, value: Any) -> Any:
    if value is _MISSING:
        raise LookupError(name)
    return value


def item_of(owner: Any, key: Any) -> Any:
    """``owner[key]``."""
    owner = proxied(owner)
    kind = type(owner)
    if is_proxy(owner) or is_own_module(kind.__module__):
        return owner[key]
    getter = getattr(kind, "__getitem__", None)
    if getter is collections.UserDict.__getitem__ or getter is collections.UserList.__getitem__:
        return item_of(owner.data, key)
    if getter is collections.ChainMap.__getitem__:
        return _found(
            key, next((m[key] for m in owner.maps if type(m) is dict and key in m), _MISSING)
        )
    if getter is None or is_function(getter):
        raise LookupError(key)
    return _found(key, dict.get(owner, key, _MISSING)) if issubclass(kind, dict) else owner[key]


# Keys of dicts and members of sets with user-defined hashing and comparison. Python calls these
# wherever a dict or a set is rebuilt. Staging rebuilds one where a region changes it, which must
# have no side effects: so the methods may only read, as far as their source can be analysed.
_HASHED = ("__hash__", "__eq__")
# What expressions call of the objects in them.
_CALLED = frozenset(
    {"__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__", "__len__"}
    | {"__iter__", "__contains__", "__getitem__", "__index__", "__int__", "__float__", "__str__"}
    | {"__repr__", "__format__", "__add__", "__xor__", "__getattr__", "__getattribute__"}
)
_READING = frozenset(
    {abs, all, any, bool, bytes, callable, complex, divmod, enumerate, float, format, frozenset}
    | {getattr, hasattr, hash, id, int, isinstance, issubclass, len, list, map, max, min, ord, pow}
    | {range, repr, reversed, round, set, sorted, str, sum, super, tuple, type, zip, dict}
)
_METHODS = frozenset(
    {"casefold", "count", "encode", "endswith", "get", "index", "items", "join", "keys", "lower"}
    | {"lstrip", "replace", "rstrip", "split", "startswith", "strip", "tobytes", "tolist", "upper"}
    | {"values", "as_tuple", "format", "is_integer", "bit_length", "title", "swapcase", "copy"}
)


_known: weakref.WeakKeyDictionary[types.FunctionType, Any] = weakref.WeakKeyDictionary()


def have_effects(keys: Any) -> bool:
    """Whether hashing or comparing keys may have side effects, by user-defined methods."""
    others = set(map(type, keys)).difference(SCALARS)
    if not others or (others == {tuple} and all(map(_is_plain_tuple, keys))):
        return False
    kinds = _own_kinds(keys)
    if not any(_own(kind, name) for kind in kinds for name in _HASHED):
        return False
    seen: set[types.FunctionType] = set()
    return any(_acts(held, kinds, seen) for name in _CALLED for held in _named(name, kinds))


def _is_plain_tuple(key: Any) -> bool:
    return type(key) is not tuple or are_plain_keys(key)


def are_plain_keys(keys: Any) -> bool:
    """Whether keys are numbers and strings."""
    return SCALARS.issuperset(map(type, keys))


def are_same_keys(first: Any, second: Any) -> bool:
    """Whether two dicts have the same keys in the same order, or two sets the same members: 1 is
    another one than True."""
    if len(first) != len(second):
        return False
    if isinstance(first, dict):
        return all(map(_is_same, first, second))
    members = {member: member for member in second}
    return all(member in members and _is_same(member, members[member]) for member in first)


def copied(owner: dict, base: type[dict]) -> dict:
    """A copy of a mapping whose items ``base`` gives, by no method of its class, nor of its keys:
    refused where their classes would have to be asked and may do more than to read."""
    if base is dict and type(owner).__iter__ is dict.__iter__:
        return dict.copy(owner)
    if have_effects(list(dict.__iter__(owner))):
        refuse_keys(f"a {type(owner).__name__}", owner)
    return dict(base.items(owner))


def with_items(content: dict, items: Iterable) -> dict:
    """A copy of a dict with other values."""
    made = dict.copy(content)
    for (key, held), item in zip(content.items(), items, strict=True):
        if item is not held:
            made[key] = item
    return made


def _is_same(first: Any, second: Any) -> bool:
    """Whether a key is another one, or equal to it in class, value and all that both hold."""
    if first is second:
        return True
    if type(first) is not type(second) or first != second:
        return False
    if type(first) is not tuple and ownership.is_library_class(type(first)):
        return True
    parts = [list(_held(one)) for one in (first, second)]
    return len(parts[0]) == len(parts[1]) and all(map(_is_same, *parts))


def refuse_keys(label: str, owner: Any) -> Any:
    """Refuse that a region changes a dict or a set with such keys."""
    raise refusal(
        f"{label!r} is changed or rebuilt in a staged branch or loop, and has keys of classes "
        "whose `__hash__` or `__eq__` may have side effects: Python calls them wherever a dict or "
        "a set is rebuilt, which happens at trace time",
        "Use keys whose methods only read their attributes, such as tuples, strings or frozen "
        f"dataclasses, or change the {type(owner).__name__} outside of the branch or loop.",
    )


def _own_kinds(keys: Iterable) -> list[type]:
    """The program's classes among those of keys, and of what these hold."""
    kinds = {type(part) for part in walked(tuple(keys), _held)}.union(map(type, keys))
    return [kind for kind in kinds if not ownership.is_library_class(kind)]


def _held(value: Any) -> Iterable:
    for base in (tuple, frozenset, list, set, dict):
        if isinstance(value, base):
            held = list(base.__iter__(value))
            held += dict.values(value) if base is dict else ()
            return held + fields(value)
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return ()
    return () if ownership.is_library_class(type(value)) else fields(value)


def _own(kind: type, name: str) -> list:
    """What the program's classes among the bases of a class have under a name."""
    bases = [b for b in kind.__mro__ if name in vars(b) and not ownership.is_library_class(b)]
    return [vars(base)[name] for base in bases if vars(base)[name] is not None]


def _named(name: str, kinds: list[type]) -> Iterator[Any]:
    for kind in kinds:
        yield from _own(kind, name)


def _acts(held: Any, kinds: list[type], seen: set) -> bool:
    """Whether to read, or to call, what a class has may do more than to read."""
    if isinstance(held, (staticmethod, classmethod)):
        held = held.__func__
    elif type(held) is property:
        held = held.fget
    if not is_function(held):
        is_plain = isinstance(held, (type, *_OF_PYTHON)) or not callable(held)
        return not is_plain or (hasattr(type(held), "__get__") and type(held) not in _OF_PYTHON)
    if held in seen or _is_pythons(held, kinds):
        return False
    seen.add(held)
    if held not in _known:
        _known[held] = hooks.reads_of(held)
    reads = _known[held]
    if reads is None:
        return True
    if any(_acts_by_name(held, name, reads, kinds, seen) for name in reads.names):
        return True
    found = {name: list(_named(name, kinds)) for name in reads.attributes}
    if any(name not in _METHODS and not found[name] for name in reads.methods - _CALLED):
        return True
    return any(_acts(value, kinds, seen) for values in found.values() for value in values)


_OF_PYTHON = (
    types.WrapperDescriptorType, types.MethodDescriptorType, types.MemberDescriptorType,
    types.GetSetDescriptorType,
)  # fmt: skip


def _is_pythons(function: types.FunctionType, kinds: list[type]) -> bool:
    """Whether a function is a library's, or one that Python's own decorator made of the fields of
    a class."""
    if function.__code__.co_filename != "<string>":
        return ownership.is_library_file(function.__code__.co_filename)
    names = {kind.__qualname__ for kind in kinds if hasattr(kind, "__dataclass_fields__")}
    return function.__qualname__.rpartition(".")[0] in names


def _acts_by_name(
    function: types.FunctionType, name: str, reads: Any, kinds: list[type], seen: set
) -> bool:
    """Whether what a function does with what has a name may do more than to read."""
    value = _value(function, name)
    if is_function(value):
        return _acts(value, kinds, seen)
    if name not in reads.called:
        return False
    if isinstance(value, type) and not ownership.is_library_class(value):
        return True
    try:
        return value not in _READING
    except TypeError:
        return True


def _value(function: types.FunctionType, name: str) -> Any:
    """What a name means in a function."""
    free = function.__code__.co_freevars
    if name in free:
        try:
            return (function.__closure__ or ())[free.index(name)].cell_contents
        except ValueError:
            return None
    return function.__globals__.get(name, getattr(builtins, name, None))
