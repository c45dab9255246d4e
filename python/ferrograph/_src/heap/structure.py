"""Structures of values: leaves and how to rebuild values of them, the parts of containers and
arrays, and containers that staging merges.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Iterable, Iterator

from ..context import ownership
from ..context.by_class import ByClass
from ..hints import Any
from ..native import _core
from ..values import nest
from . import walk
from .adapters import COMPARED, ORDERED, STRUCTURES, registry
from .trace_context import thread as _thread

# Classes that are no structures elsewhere but open here: how to take their values apart, and how to
# put others together like one of them.
COMPOSITES: dict[type, tuple[Callable, Callable]] = {
    collections.ChainMap: (lambda chain: list(chain.maps), lambda chain, maps: type(chain)(*maps)),
}


class _Opened:
    """A value of such a class, or a dataclass, in the form that ``nest`` opens."""

    def __init__(self, value: Any, parts: list, rebuild: Callable):
        self._value, self._parts, self._rebuild = value, parts, rebuild

    def _component_list(self) -> list:
        return self._parts

    def _from_components(self, parts: list) -> Any:
        return self._rebuild(self._value, parts)


def _open(value: Any) -> Any:
    """``value`` with such values in it opened."""
    kind = type(value)
    if kind in nest.LEAVES:
        return value
    if kind in (list, tuple):
        return kind([_open(v) for v in value])
    if kind is dict:
        _check_keys(value)
        return {k: _open(v) for k, v in value.items()}
    known = COMPOSITES.get(kind)
    if known is not None:
        return _opened_kind(kind)(value, known[0](value), known[1])
    if is_dataclass(kind):
        names = names_of(value)
        parts = [_open(getattr(value, name)) for name in names]
        return _opened_kind(kind, names)(value, parts, _replaced)
    if is_object(kind) or has_attributes(value):
        return _opened_kind(kind)(value, [_held(value)], lambda _, parts: parts[0].value)
    return value


def _check_keys(mapping: dict) -> None:
    """Refuse to rebuild a dict whose keys have user-defined hashing with side effects."""
    keys = list(walk.keys(mapping)) if type(mapping) is not dict else mapping
    if walk.have_effects(keys):
        walk.refuse_keys(f"a {type(mapping).__name__}", mapping)


def has_attributes(value: Any) -> bool:
    """Whether a container was given attributes, which its class may have others in place of."""
    return issubclass(type(value), COMPARED) and bool(getattr(value, "__dict__", None))


@functools.lru_cache(maxsize=256)
def _opened_kind(kind: type, names: tuple[str, ...] = ()) -> type[_Opened]:
    """The class of such values that have attributes of these names."""
    return type(kind.__name__, (_Opened,), {})


class _Held:
    """A leaf for an object that is no structure here, though its class is a mapping or sequence, or
    it was given attributes: it may hold more than its items, and cannot be rebuilt from them."""

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


_objects = ByClass()


def is_object(kind: type) -> bool:
    """Whether a class of mappings, or a user-defined one of sequences, derives from no builtin one
    that can be taken apart."""
    known = _objects.found.get(id(kind))
    if known is not None:
        return known
    is_mapping = issubclass(kind, collections.abc.Mapping)
    is_own = issubclass(kind, collections.abc.Sequence) and not ownership.is_library_class(kind)
    return _objects.keep(kind, (is_mapping or is_own) and not issubclass(kind, _OPENED))


_OPENED = (*STRUCTURES, *COMPOSITES)


def _held(value: Any) -> _Held:
    """The one leaf of an object in a trace."""
    if _thread.trace is None:
        return _Held(value)
    return _thread.trace.containers.held.setdefault(id(value), _Held(value))


def is_dataclass(kind: type) -> bool:
    """Whether instances of a class are taken apart by their fields."""
    return hasattr(kind, "__dataclass_fields__") and not hasattr(kind, "__tf_flatten__")


def names_of(value: Any) -> tuple[str, ...]:
    """The attributes of a dataclass instance: its fields, and others that it was given."""
    fields = [n for n in type(value).__dataclass_fields__ if hasattr(value, n)]
    others = set(getattr(value, "__dict__", ())).difference(fields)
    return (*fields, *sorted(others))


def _replaced(value: Any, parts: list) -> Any:
    """A copy of a dataclass instance with other values."""
    import copy

    made = copy.copy(value)
    for name, part in zip(names_of(value), parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def leaves_of(value: Any) -> list:
    if type(value) in nest.LEAVES:
        return [value]
    return nest.flatten(_open(value), expand_composites=True)


def pack(structure: Any, leaves: list) -> Any:
    if type(structure) in nest.LEAVES and len(leaves) == 1:
        return leaves[0]
    return nest.pack_sequence_as(_open(structure), leaves, expand_composites=True)


def holds_view(value: Any) -> bool:
    """Whether a value is a view of a dict, or a tuple, list or dict that holds one: what shows the
    changes of another object."""
    if type(value) in (tuple, list):
        return any(map(holds_view, value))
    if type(value) is dict:
        return any(map(holds_view, value.values()))
    return isinstance(value, collections.abc.MappingView)


def learns_type(value: Any, later: Any) -> bool:
    """Whether ``value`` takes its type from a later value, as an empty optional does, and takes
    that of ``later``."""
    learn = getattr(type(value), "_learn_type", None)
    return learn is not None and learn(value, later)


def check_same_structure(first: Any, second: Any) -> str | None:
    """What differs between two structures, None where they agree."""
    if type(first) in nest.LEAVES and type(second) in nest.LEAVES:
        return None
    try:
        nest.require_same_structure(_open(first), _open(second), expand_composites=True)
    except (TypeError, ValueError) as e:
        return str(e).splitlines()[0]
    return other_settings(first, second)


def other_settings(first: Any, second: Any) -> str | None:
    """The settings in which two containers differ, None where they agree."""
    for name in ("maxlen", "default_factory"):
        if issubclass(type(first), _SETTINGS[name]) and issubclass(type(second), _SETTINGS[name]):
            settings = getattr(first, name), getattr(second, name)
            if settings[0] != settings[1]:
                return f"`{name}` is {settings[0]!r} of one and {settings[1]!r} of the other"
    if issubclass(type(first), dict) and issubclass(type(second), dict):
        if type(first) is not type(second):
            return f"a `{type(first).__name__}` against a `{type(second).__name__}`"
        _check_keys(first)
        _check_keys(second)
        keys = [list(walk.keys(held)) for held in (first, second)]
        kinds = {key: type(key) for key in keys[1]}
        if any(kinds.get(key, type(key)) is not type(key) for key in keys[0]):
            return f"the keys {keys[0]} against {keys[1]}"
    return _first_of(other_settings, first, second)


def _first_of(differ: Callable[[Any, Any], str | None], first: Any, second: Any) -> str | None:
    """What differs first in what two containers hold at the same positions."""
    pairs: Any = ()
    if issubclass(type(first), dict) and issubclass(type(second), dict):
        get = dict.__getitem__
        keys = [key for key in walk.keys(first) if dict.__contains__(second, key)]
        pairs = [(get(first, key), get(second, key)) for key in keys]
    elif issubclass(type(first), ORDERED) and issubclass(type(second), ORDERED):
        pairs = zip(walk.elements(first), walk.elements(second), strict=False)
    return next((found for pair in pairs if (found := differ(*pair))), None)


_SETTINGS = {"maxlen": collections.deque, "default_factory": collections.defaultdict}


def other_order(first: Any, second: Any) -> str | None:
    """What differs in the order of keys in the dicts of two values of one structure, None where
    they agree."""
    if issubclass(type(first), dict):
        keys = list(walk.keys(first)), list(walk.keys(second))
        if keys[0] != keys[1]:
            return f"a dict with the keys {keys[0]} against one with {keys[1]}"
    return _first_of(other_order, first, second)


# By the classes of containers: the keys, and how to read and to set what is under one of them.
_Access = tuple[Callable[[Any], list], Callable[[Any, Any], Any], Callable[[Any, Any, Any], None]]
_DATA: _Access = (lambda held: ["data"], getattr, setattr)
_ACCESS: dict[type, _Access] = {
    list: (lambda held: [*range(list.__len__(held))], list.__getitem__, list.__setitem__),
    dict: (lambda held: [*dict.__iter__(held)], dict.__getitem__, dict.__setitem__),
    collections.deque: (
        lambda held: [*range(collections.deque.__len__(held))],
        collections.deque.__getitem__,
        collections.deque.__setitem__,
    ),
    collections.UserDict: _DATA,
    collections.UserList: _DATA,
    collections.ChainMap: (lambda held: ["maps"], getattr, setattr),
}
_FIELDS: _Access = (lambda held: [*names_of(held)], getattr, object.__setattr__)


def keys_of(container: Any) -> list | None:
    """The keys of what a container holds; None of one that is not known to have such."""
    access = _access(container)
    return None if access is None else access[0](container)


def part_of(container: Any, key: Any) -> Any:
    """What a container holds under one of its keys."""
    access = _access(container)
    assert access is not None
    return access[1](container, key)


def put_part(container: Any, key: Any, part: Any) -> None:
    """Put something under a key that a container has."""
    access = _access(container)
    assert access is not None
    access[2](container, key, part)


def _access(container: Any) -> _Access | None:
    kind = type(container)
    if is_dataclass(kind):
        return _FIELDS
    if hasattr(kind, "__attrs_attrs__"):
        return (lambda held: [a.name for a in kind.__attrs_attrs__], *_FIELDS[1:])
    return next((_ACCESS[base] for base in kind.__mro__ if base in _ACCESS), None)


def is_container(value: Any) -> bool:
    """Whether staging copies an object, in which what it holds can be changed."""
    kind = type(value)
    if kind is list or kind is dict:
        return True
    if issubclass(kind, (tuple, _core.Tensor, str, bytes)) or hasattr(kind, "_component_list"):
        return False
    if not registry.adapters_of(kind) or is_object(kind) or has_attributes(value):
        return False
    leaves = leaves_of(value)
    return len(leaves) != 1 or leaves[0] is not value


def is_array(value: Any) -> bool:
    """Whether a value is an array that can be changed in place, and that becomes a tensor in a
    graph."""
    kind = type(value)
    if issubclass(kind, (_core.Tensor, _core.VariableBase)) or not registry.adapters_of(kind):
        return False
    return hasattr(kind, "__array__") and hasattr(kind, "__setitem__") and hasattr(value, "dtype")


def containers_in(value: Any) -> list:
    """The containers and arrays in a value, itself among them, in a fixed order."""
    found: dict[int, Any] = {}
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += walk.elements(part)
        elif id(part) not in found and is_container(part):
            found[id(part)] = part
            pending += _parts(part)
        elif is_array(part):
            found[id(part)] = part
    return list(found.values())


def arrays_in(value: Any) -> list:
    """The arrays in a value, itself among them."""
    return [part for part in containers_in(value) if is_array(part)]


def _parts(container: Any) -> list:
    """What a container holds itself."""
    found: list[Any] = []
    for adapter in registry.adapters_of(type(container)):
        held = adapter.hold(container)
        if held is not None:
            found += adapter.parts(container, held)
    return found


def memory_of(array: Any) -> list:
    """An array and those whose memory it shows."""
    found = [array]
    while (base := _shown_by(found[-1])) is not None:
        found.append(base)
    return found


def _shown_by(value: Any) -> Any:
    """What an array or a view of memory shows; None of what has memory of its own."""
    if isinstance(value, memoryview):
        return next(iter(registry.viewed(value)), None)
    return getattr(value, "base", None) if is_array(value) else None


class MergedContainer:
    """A container that staging made of others at the same position of a structure."""

    __slots__ = ("label", "made", "sources")

    def __init__(self, sources: tuple, made: Any, label: str):
        self.sources, self.made, self.label = sources, made, label

    def of(self, sources: Iterable[Any]) -> MergedContainer:
        """The same of other sources."""
        return MergedContainer(tuple(sources), self.made, self.label)


class MergedContainers:
    """The containers that one construct makes; those made of the same objects are one, unless
    ``apart``."""

    def __init__(self, stands_for: dict[int, list] | None = None, apart: bool = False):
        self._apart = apart
        self._known: dict[tuple, MergedContainer] = {}
        self._stands_for = stands_for or {}  # by the ids of containers what each may be

    def __iter__(self) -> Iterator[MergedContainer]:
        return iter(self._known.values())

    def __bool__(self) -> bool:
        return bool(self._known)

    def join(self, label: str, sources: tuple, made: Any) -> Any:
        """``made``, of the structure of each of ``sources``, with containers that are known."""
        if type(made) is _core.SymbolicTensor:
            return made
        if self._stands_for:
            sources = tuple(o for s in sources for o in self._stands_for.get(id(s), (s,)))
        first = sources[0]
        if len(sources) > 1 and is_container(first) and all(s is first for s in sources):
            return first
        if not is_container(made):
            return self._tuple(label, sources, made) if issubclass(type(made), tuple) else made
        key = (*map(id, sources), *([id(made)] if self._apart else []))
        known = self._known.get(key)
        if known is not None:
            return known.made
        self._known[key] = MergedContainer(sources, made, label)
        # What a view is rebuilt as is of another class, and refused where it is left.
        is_alike = all(type(s) is type(made) for s in sources)
        for key in (keys_of(made) or ()) if is_alike else ():
            parts = tuple(part_of(s, key) for s in sources)
            put_part(made, key, self.join(label, parts, part_of(made, key)))
        return made

    def _tuple(self, label: str, sources: tuple, made: tuple) -> tuple:
        length = tuple.__len__(made)
        if not all(isinstance(s, tuple) and tuple.__len__(s) == length for s in sources):
            return made
        columns = zip(*map(walk.elements, (*sources, made)), strict=True)
        parts = [self.join(label, tuple(parts), m) for *parts, m in columns]
        if all(a is b for a, b in zip(parts, tuple.__iter__(made), strict=True)):
            return made
        return tuple.__new__(type(made), parts) if hasattr(made, "_fields") else tuple(parts)
