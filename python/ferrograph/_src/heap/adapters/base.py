"""Type adapters: how the contents of objects are copied, compared, traversed and restored.

A *type adapter* handles one form of storage: the items of a list, the ``__dict__`` of an instance,
the bytes of an array. ``hold`` makes a copy that compares by identity, ``parts`` gives the objects
that are reached through it, ``differs`` compares, and ``changes`` gives the locations that differ,
with their old values. All of them read and write the storage directly: no methods of user-defined
classes run.
"""

from __future__ import annotations

import abc
import operator
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ...context.referents import referents as direct_referents
from ...hints import Any
from ...values import errors
from ..location import (
    UNDEFINED,
    Container,
    Location,
    attribute_location,
    cell_location,
    global_location,
    put_variants,
    variants_of,
)
from ..source_location import diagnostic, here
from ..trace_context import note_asked

Found = Iterator[tuple[Location, Any]]
_is = operator.is_


def same_objects(old: Iterable, new: Iterable) -> bool:
    """Whether two sequences of one length hold the same objects in the same order."""
    return all(map(_is, old, new))


class TypeAdapter(abc.ABC):
    """One way of holding things."""

    is_content = False  # whether it is all that an object holds, as one place
    is_of_attributes = False  # whether it is the attributes of an instance
    ends_iterators = False  # whether a change of it makes iterators over the object fail

    @abc.abstractmethod
    def hold(self, owner: Any) -> Any:
        """A copy of what ``owner`` holds; None where there is nothing to hold."""

    def parts(self, owner: Any, held: Any) -> Iterable:
        """The objects that are reached through it."""
        return ()

    @abc.abstractmethod
    def differs(self, owner: Any, held: Any) -> bool:
        """Whether ``owner`` holds something else by now."""

    @abc.abstractmethod
    def changes(self, owner: Any, held: Any, label: str) -> Found:
        """The locations that differ, each with what it held."""

    def place(self, owner: Any, label: str) -> Location:
        """All that ``owner`` holds, where that is one location."""
        return Container(label, owner)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        """The references in it that can be replaced one by one, by keys."""
        return ()

    def reference(self, owner: Any, key: Any) -> Location:
        """The location of one of these."""
        return attribute_location(key, owner, key)


class Hidden(TypeAdapter):
    """Attributes of an object whose class replaces ``__dict__``: they cannot be read."""

    def hold(self, owner: Any) -> Any:
        raise errors.StagingError(
            diagnostic(
                here(),
                f"this staged branch or loop can reach a {type(owner).__name__}, whose class "
                "replaces `__dict__`, where its objects keep attributes: changes of it cannot be "
                "detected",
                "Give what the class calls `__dict__` another name.",
            )
        )

    def differs(self, owner: Any, held: Any) -> bool:
        return False

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from ()


class Through(TypeAdapter):
    """Something that does not change itself, with others behind it."""

    def __init__(self, parts: Callable[[Any], Iterable]):
        self._parts = parts

    def hold(self, owner: Any) -> Any:
        return None

    def parts(self, owner: Any, held: Any) -> Iterable:
        return self._parts(owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return False

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from ()


class Fields(TypeAdapter):
    """The ``__dict__`` of an instance, but for the attributes that are left out."""

    is_of_attributes = True

    def __init__(self, left_out: frozenset[str] = frozenset()):
        self._left_out = left_out

    def _read(self, owner: Any) -> dict[str, Any]:
        fields = fields_of(owner)
        if not self._left_out:
            return fields
        return {name: held for name, held in fields.items() if name not in self._left_out}

    def hold(self, owner: Any) -> Any:
        return dict(self._read(owner))

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held.values()

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return held.items()

    def differs(self, owner: Any, held: Any) -> bool:
        new = self._read(owner)
        return not (
            len(new) == len(held)
            and same_objects(held.values(), new.values())
            and list(held) == list(new)
        )

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        new = self._read(owner)
        yield from _named(owner, held, dict(new), label)
        if not _is_order_kept(held, new):
            yield Order(label, owner), tuple(held)


class Kept(TypeAdapter):
    """Attributes that Python keeps in places of its own, such as the defaults of a function."""

    def __init__(self, *names: str):
        self._names, self._read = names, operator.attrgetter(*names)

    def hold(self, owner: Any) -> Any:
        return self._read(owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return not same_objects(held, self._read(owner))

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        for name, old, new in zip(self._names, held, self._read(owner), strict=True):
            if old is not new:
                yield attribute_location(f"{label}.{name}", owner, name), old


class Shadowed(TypeAdapter):
    """Slots of an instance that its class shows under no name: a base has them under one that the
    class has for something else. Nothing can be put in them by name."""

    def __init__(self, slots: list[tuple[weakref.ref, str]]):
        self._slots = slots

    def hold(self, owner: Any) -> Any:
        found: list[Any] = []
        for declaring, name in self._slots:
            try:
                found.append(vars(declaring())[name].__get__(owner))
            except (AttributeError, KeyError, TypeError):  # not set, or of another class by now
                found.append(UNDEFINED)
        return tuple(found)

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held

    def differs(self, owner: Any, held: Any) -> bool:
        return not same_objects(held, self.hold(owner))

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        place = Whole(label, owner, self.hold, self._put, "hidden slots")
        place.key, place.can_undo = ("slots", id(owner)), False
        yield place, held

    def _put(self, owner: Any, held: tuple) -> None:
        for (declaring, name), value in zip(self._slots, held, strict=True):
            slot = vars(declaring())[name]
            if value is not UNDEFINED:
                slot.__set__(owner, value)
            elif hasattr(slot, "__delete__"):
                slot.__delete__(owner)


class Slots(TypeAdapter):
    """The slots of an instance: by name the class that declares it, which this keeps not alive."""

    is_of_attributes = True

    def __init__(self, slots: dict[str, weakref.ref]):
        self._slots = slots

    def _read(self, owner: Any) -> dict[str, Any]:
        found = {}
        for name, declaring in self._slots.items():
            try:
                found[name] = vars(declaring())[name].__get__(owner)
            except (AttributeError, KeyError, TypeError):  # not set, or of another class by now
                continue
        return found

    def hold(self, owner: Any) -> Any:
        return self._read(owner)

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held.values()

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return held.items()

    def differs(self, owner: Any, held: Any) -> bool:
        new = self._read(owner)
        return held.keys() != new.keys() or not same_objects(held.values(), new.values())

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from _named(owner, held, self._read(owner), label)


def fields_of(owner: Any) -> dict[str, Any]:
    """The ``__dict__`` of an instance."""
    return object.__getattribute__(owner, "__dict__")


def _is_order_kept(old: dict, new: dict) -> bool:
    """Whether attributes that an object had, and has, come in the order in which they came."""
    return [name for name in old if name in new] == [name for name in new if name in old]


class Order(Location):
    """The order in which the attributes of an object come, which no region leaves changed."""

    is_derived = True

    def __init__(self, label: str, owner: Any):
        super().__init__(label, self._get, self._put, owner, ("order", id(owner)))

    def _get(self) -> tuple:
        return tuple(fields_of(self.owner))

    def _put(self, names: tuple) -> None:
        fields = fields_of(self.owner)
        others = [name for name in fields if name not in names]
        for name in (*(name for name in names if name in fields), *others):
            fields[name] = fields.pop(name)


def _named(owner: Any, old: dict, new: dict, label: str) -> Found:
    for name in {**old, **new}:
        before = old.get(name, UNDEFINED)
        if before is not new.get(name, UNDEFINED):
            place = attribute_location(f"{label}.{name}", owner, name)
            place.was_own = before is not UNDEFINED
            yield place, place.class_default if before is UNDEFINED else before


# What Python's own modules keep in a class: what they find out about it, and how it was written.
_KEPT_BY_PYTHON = frozenset(
    {"__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__"}
    | {"__slotnames__", "__protocol_attrs__", "__non_callable_proto_members__"}
    | {"__callable_proto_members_only__", "__weakref__", "__dict__"}
)
_NOT_FOLLOWED = _KEPT_BY_PYTHON | {"__dataclass_fields__", "__dataclass_params__"}


class ClassFields(TypeAdapter):
    """The attributes of a class."""

    def hold(self, owner: Any) -> Any:
        return dict(vars(owner))

    def parts(self, owner: Any, held: Any) -> Iterable:
        for name, value in held.items():
            if name not in _NOT_FOLLOWED:
                yield value
        yield from owner.__mro__[1:]
        yield type(owner)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return held.items()

    def differs(self, owner: Any, held: Any) -> bool:
        new = vars(owner)
        return len(new) != len(held) or not same_objects(held.values(), new.values())

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        for place, old in _named(owner, held, dict(vars(owner)), label):
            if place.key[2] not in _KEPT_BY_PYTHON:
                yield place, old


class OfClass(Through):
    """The class of an object."""

    def __init__(self) -> None:
        super().__init__(lambda held: (type(held),))

    def hold(self, owner: Any) -> Any:
        return type(owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return type(owner) is not held

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield attribute_location(f"{label}.__class__", owner, "__class__"), held


class ClassNames(TypeAdapter):
    """What a class is called, and its bases."""

    def hold(self, owner: Any) -> Any:
        return _names_of_class(owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return _names_of_class(owner) != held

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        place = Whole(held[0], owner, _names_of_class, _put_names, "name or bases")
        place.key, place.can_undo = ("called", id(owner)), False
        yield place, held


def _names_of_class(cls: type) -> tuple:
    return _name(cls), _qualname(cls), *_bases(cls)


def _put_names(cls: type, names: tuple) -> None:
    type.__setattr__(cls, "__name__", names[0])
    type.__setattr__(cls, "__qualname__", names[1])
    if _bases(cls) != names[2:]:
        type.__setattr__(cls, "__bases__", names[2:])


_name, _qualname, _bases = (
    type.__dict__[name].__get__ for name in ("__name__", "__qualname__", "__bases__")
)


class Subclasses(TypeAdapter):
    """The subclasses of a class. They cannot be removed again, so a change is noted, and later
    reads of ``__subclasses__`` are refused."""

    def hold(self, owner: Any) -> Any:
        return tuple(type.__subclasses__(owner))

    def differs(self, owner: Any, held: Any) -> bool:
        return not set(map(id, held)).issuperset(map(id, type.__subclasses__(owner)))

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        note_asked(owner)
        yield from ()


class Names(TypeAdapter):
    """Names of a module that code reads; ``held`` says which."""

    def hold(self, owner: Any) -> Any:
        return dict(owner)

    def knows(self, held: Any, name: str) -> bool:
        """Whether a name is compared."""
        return name in held

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return held.items()

    def reference(self, owner: Any, key: Any) -> Location:
        return global_location(key, owner)

    def differs(self, owner: Any, held: Any) -> bool:
        get = owner.get
        return any(get(name, UNDEFINED) is not value for name, value in held.items())

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        for name, value in held.items():
            if owner.get(name, UNDEFINED) is not value:
                yield global_location(name, owner), value


class AllNames(Names):
    """All names of a module, with those that code adds; ``held`` has those that were there."""

    def knows(self, held: Any, name: str) -> bool:
        return True

    def differs(self, owner: Any, held: Any) -> bool:
        return len(owner) > len(held) or super().differs(owner, held)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from super().changes(owner, held, label)
        for name in [name for name in owner if name not in held]:
            yield global_location(name, owner), UNDEFINED


class Cell(TypeAdapter):
    """A name that functions share."""

    def hold(self, owner: Any) -> Any:
        return (cell_contents(owner),)

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return ((None, held[0]),)

    def reference(self, owner: Any, key: Any) -> Location:
        return cell_location("a name", owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return cell_contents(owner) is not held[0]

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield cell_location(label, owner), held[0]


def cell_contents(cell: types.CellType) -> Any:
    """What a cell holds, UNDEFINED where that is nothing."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNDEFINED


class State(TypeAdapter):
    """An object whose state can be read and put back as one value that compares by equality."""

    is_content = True

    def __init__(self, get: Callable, put: Callable | None, what: str = "state"):
        self._get, self._put, self.what = get, put, what

    def hold(self, owner: Any) -> Any:
        return (self._get(owner),)

    def differs(self, owner: Any, held: Any) -> bool:
        return self._get(owner) != held[0]

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield self.place(owner, label), held[0]

    def place(self, owner: Any, label: str) -> Whole:
        return Whole(label, owner, self._get, self._put, self.what)


class Refused(State):
    """A state that the graph cannot follow, also where it can be put back."""

    def place(self, owner: Any, label: str) -> Whole:
        place = super().place(owner, label)
        place.can_undo = False
        return place


class Aside(Refused):
    """A state beside others of an object: not all that it holds."""

    is_content = False

    def __init__(self, get: Callable, what: str):
        super().__init__(get, None, what)


def registered(cls: Any) -> frozenset[int]:
    """The ids of the classes registered with an abstract class."""
    dump = getattr(abc, "_get_dump", None)
    found = dump(cls)[0] if dump is not None else ()
    return frozenset(id(reference()) for reference in found)


class Finalizer(State):
    """A finaliser of ``weakref``, by what it is registered with while it is alive."""

    def __init__(self) -> None:
        super().__init__(self._registered, self._register, "state")

    @staticmethod
    def _registered(owner: Any) -> Any:
        return owner._registry.get(owner)

    @staticmethod
    def _register(owner: Any, info: Any) -> None:
        if info is None:
            owner._registry.pop(owner, None)
        else:
            owner._registry[owner] = info

    def parts(self, owner: Any, held: Any) -> Iterable:
        known = owner.peek()
        return () if known is None else (known[1], *known[2], *known[3].values())


class Position(State):
    """An iterator, by how far it is."""

    is_content = False

    def parts(self, owner: Any, held: Any) -> Iterable:
        return referents(owner)


def referents(value: Any) -> list:
    """The references of an object. Internal lists and tuples of native code with empty slots, which
    must not be read, are replaced by their elements."""
    found = []
    for held in direct_referents(value):
        inner = direct_referents(held) if type(held) in (list, tuple) else None
        if inner is None or len(inner) == len(held):
            found.append(held)
        else:
            found += inner
    return found


class Whole(Location):
    """All that an object of some foreign class holds."""

    is_whole = True
    cure = (
        "Keep what changes in tensors, in names, attributes, items of lists and dicts, or in a "
        "`Variable`."
    )

    def __init__(
        self, label: str, owner: Any, get: Callable, put: Callable | None, what: str = "state"
    ):
        def write(value: Any) -> None:
            if not put_variants(self, value) and put is not None and get(owner) != value:
                put(owner, value)

        def read() -> Any:
            return variants_of(owner) or get(owner)

        super().__init__(label, read, write, owner, ("whole", id(owner)))
        self.can_undo, self.what = put is not None, what


def not_followed(place: Whole, where: str) -> Exception:
    """The refusal of a change that the graph cannot make."""
    return errors.StagingError(
        diagnostic(
            where,
            f"side effect on the {place.what} of {place.label!r} in a staged branch or loop: the "
            "graph cannot represent it, and it would run once, at trace time",
            place.cure,
        )
    )
