"""Facts that a trace has read of lists, tuples, dictionaries and sets from outside, and their
guards.

A fact is the item under a key, that a key is missing, the number of elements, or the order of keys.
Facts are recorded when the code is analysed, before it runs; those that no longer hold when the
trace ends are state of the traced code itself, and are left out. The others become one guard of the
trace for each location from which containers are reached, nested ones within the outer ones
(``_core.ReadContents``).

Numbers, strings, bools and None are compared by value, containers by their facts, objects by
identity, by weak references where possible.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

from ..hints import Any
from ..native import _core
from .chains import Use

__all__ = ["LITERALS", "NO_VALUE", "Read", "Unguarded", "fields_of", "form_of", "key_of_attribute"]

LITERALS = frozenset((bool, int, float, complex, str, bytes, type(None)))
NO_VALUE = object()
_DEEPEST = 16
# Classes of lists, tuples and dictionaries say by a flag that they are one.
_FLAGS = 1 << 25 | 1 << 26 | 1 << 29
_FORMS: dict[type[Any], type[Any]] = {list: list, tuple: list, dict: dict, set: set, frozenset: set}
# What a class of containers may not do in its own way for its objects to be read past it.
_READERS = ("__getitem__", "__iter__", "__len__", "__contains__", "get", "items", "keys", "values")
_PLAIN_MODULES = ("builtins", "collections", "typing")
# Methods that only change a container, and those that read one item.
_CHANGES = {"append", "extend", "insert", "remove", "clear", "sort", "reverse", "update", "add"}
_CHANGES |= {"discard", "popitem", "move_to_end"}
_ONE_ITEM = {"get", "pop", "setdefault", "__getitem__"}


class Unguarded(Exception):
    """What is read of a container is not guarded, for the reason that the text says."""


def form_of(value: Any) -> type[Any] | None:
    """``list``, ``dict`` or ``set``, as which a container can be read without running user code;
    None for anything else."""
    kind = type(value)
    found = _FORMS.get(kind)
    if found is None and (kind.__flags__ & _FLAGS or issubclass(kind, (set, frozenset))):
        return _form_of_class(kind)
    return found


def _form_of_class(kind: type[Any]) -> type[Any] | None:
    found = next(base for base in _FORMS if issubclass(kind, base))
    for name in _READERS:
        owner = next((base for base in kind.__mro__ if name in vars(base)), None)
        if owner is not None and owner.__module__ not in _PLAIN_MODULES:
            return None
    return _FORMS[found]


def key_of_attribute(value: Any, name: str) -> Any:
    """Under which key stands what an attribute of a container is: a field of a named tuple, a key
    of a dictionary whose class has its keys as attributes. ``NO_VALUE`` where it is none."""
    kind = type(value)
    if kind in _FORMS:
        return NO_VALUE
    fields = getattr(kind, "_fields", ())
    if isinstance(value, tuple):
        return fields.index(name) if name in fields else NO_VALUE
    is_key = isinstance(value, dict) and hasattr(kind, "__getattr__") and not hasattr(kind, name)
    return name if is_key and name not in getattr(value, "__dict__", ()) else NO_VALUE


class Read:
    """What has been read of one container."""

    __slots__ = (
        "absent",
        "form",
        "is_read",
        "items",
        "length",
        "members",
        "order",
        "truth",
        "value",
    )

    def __init__(self, value: Any):
        self.value, self.form = value, form_of(value)
        self.is_read = False
        # By key: what stood there, and what was read of it where it is a container.
        self.items: dict[Any, tuple[Any, Read | None]] = {}
        self.members: dict[Any, None] = {}
        self.absent: dict[Any, None] = {}
        self.length: int | None = None
        self.truth: bool | None = None
        self.order: list[Any] | None = None

    def item(self, key: Any) -> Any:
        """Note that one item is read; what it is, ``NO_VALUE`` where there is none."""
        found, kept = _item(self.value, self.form, key), _key(key)
        self.is_read = True
        if found is NO_VALUE:
            self.absent[kept] = None
        elif kept not in self.items:
            self.items[kept] = found, None if form_of(found) is None else Read(found)
        return found

    def nested(self, key: Any) -> Read | None:
        """What has been read of the container under a key."""
        return self.items.get(_key(key), (None, None))[1]

    def note(self, use: Use, method: str | None, left: list[int]) -> bool:
        """Note what is done with the container, by a method of it or otherwise, where a trace has
        so many facts ``left``; whether everything may be read. Unguarded where it cannot be."""
        kind = use[0]
        if method in _CHANGES or kind == "store":
            return False
        if method is not None and method in _ONE_ITEM and kind == "call":
            self._note_deep(use[1], left, ())
        elif method is None and kind == "len":
            self.length = len(self.value)
        elif method is None and kind == "bool":
            self.truth = bool(len(self.value))
        elif method is None and kind == "in" and self.form is not list:
            (self.members if use[1] in self.value else self.absent)[_key(use[1])] = None
        elif kind != "none":
            self._note_all(left, ())
            return True
        self.is_read = True
        return False

    def _note_deep(self, key: Any, left: list[int], seen: tuple[Any, ...]) -> None:
        self.item(key)
        inner = self.nested(key)
        if inner is not None:
            inner._note_all(left, seen)

    def _note_all(self, left: list[int], seen: tuple[Any, ...]) -> None:
        if id(self.value) in seen:
            return
        left[0] -= 1 + len(self.value)
        if left[0] < 0:
            raise Unguarded("a trace has more than 256 such values")
        if len(seen) > _DEEPEST:
            raise Unguarded("it is nested too deeply")
        self.length, self.is_read = len(self.value), True
        seen = (*seen, id(self.value))
        if self.form is set:
            if not all(map(_is_plain_key, self.value)):
                raise Unguarded("a set with other elements than numbers and strings")
            self.members.update(dict.fromkeys(map(_key, self.value)))
            return
        if self.form is dict:
            self.order = list(self.value)
        for key in list(self.value) if self.form is dict else range(len(self.value)):
            self._note_deep(key, left, seen)

    def objects(self) -> Iterator[tuple[str, Any]]:
        """The objects of plain data that were read, with what leads to them."""
        for (_, key), (found, inner) in self.items.items():
            label = f"[{key!r}]"
            if inner is not None:
                yield from ((label + rest, value) for rest, value in inner.objects())
            elif _is_data(found):
                yield label, found

    def expected(self, now: Any) -> Any:
        """The guard for what was read and holds now; None where there is none."""
        if type(now) is not type(self.value) or not self.is_read:
            return None
        size = len(now)
        length = self.length if self.length == size else None
        truth = self.truth if self.truth == bool(size) else None
        items = list(self._items_now(now))
        order = self.order
        is_ordered = order is not None and len(items) == len(order) == size
        is_ordered = is_ordered and all(a is b for a, b in zip(order or (), now, strict=True))
        if is_ordered:
            items = [(k if _is_plain_key(k) else _object(k), found) for k, found in items]
        else:
            items = [(k, found) for k, found in items if self.form is list or _is_plain_key(k)]
        members = [key for _, key in self.members if _has(now, self.form, key)]
        absent = [key for _, key in self.absent if not _has(now, self.form, key)]
        return _core.ReadContents(type(now), length, truth, is_ordered, items, members, absent)

    def _items_now(self, now: Any) -> Iterator[tuple[Any, Any]]:
        """The keys whose items are those that were read, and what they have to be."""
        first = map(_key, self.order or ())
        for kept in dict.fromkeys((*first, *self.items)):
            before, inner = self.items.get(kept, (NO_VALUE, None))
            found = _item(now, self.form, kept[1])
            if found is NO_VALUE:
                continue
            if inner is not None:
                expected = inner.expected(found)
                if expected is not None:
                    yield kept[1], expected
            elif found is before:
                yield kept[1], before if type(before) in LITERALS else _object(before)


def _key(key: Any) -> tuple[type[Any], Any]:
    """A key that tells True from 1."""
    return type(key), key


def _item(value: Any, form: type[Any] | None, key: Any) -> Any:
    """An item, without code of its class; ``NO_VALUE`` where there is none."""
    if form is dict:
        return dict.get(value, key, NO_VALUE)
    if form is not list or type(key) not in (int, bool) or not -len(value) <= key < len(value):
        return NO_VALUE
    kind: Any = list if isinstance(value, list) else tuple
    return kind.__getitem__(value, key)


def _has(value: Any, form: type[Any] | None, key: Any) -> bool:
    return _item(value, form, key) is not NO_VALUE if form is list else key in value


def _is_plain_key(key: Any) -> bool:
    """Whether a key is looked up by value."""
    return type(key) in LITERALS or (type(key) is tuple and all(map(_is_plain_key, key)))


def _is_data(value: Any) -> bool:
    """Whether an object is one of plain data that may change."""
    if type(value) is types.SimpleNamespace:
        return True
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen


def fields_of(value: Any) -> list[str]:
    """The names of the fields of an object of plain data."""
    return list(getattr(type(value), "__dataclass_fields__", None) or vars(value))


def _object(value: Any) -> Any:
    """How an object is compared: NumPy scalars and ranges by value, others by identity."""
    by_value = type(value) in (range, slice) or type(value).__module__ == "numpy"
    return _core.ReadObject(value, by_value and type(value).__name__ != "ndarray")
