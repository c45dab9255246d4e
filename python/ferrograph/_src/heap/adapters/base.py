"""Type adapters: how the contents of objects are copied, compared, traversed and restored.

A *type adapter* handles one form of storage: the items of a list, the ``__dict__`` of an instance,
the bytes of an array. ``hold`` makes a copy that compares by identity, ``parts`` gives the objects
that are reached through it, ``differs`` compares, and ``changes`` gives the locations that differ,
with their old values. All of them read and write the storage directly: no methods of user-defined
classes run.
"""

from __future__ import annotations

import abc
import collections
import functools
import operator
import types
import weakref
from collections.abc import Callable, Iterable, Iterator

from ...context.referents import referents as direct_referents
from ...hints import Any
from .. import walk
from ..location import (
    UNDEFINED,
    Attribute,
    Container,
    Location,
    Name,
    global_location,
    item_location,
    put_variants,
    variants_of,
)
from ..source_location import refusal
from ..trace_context import note_asked, really

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

    def differs(self, owner: Any, held: Any) -> bool:
        """Whether ``owner`` holds something else by now."""
        return False

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        """The locations that differ, each with what it held."""
        yield from ()

    def place(self, owner: Any, label: str) -> Location:
        """All that ``owner`` holds, where that is one location."""
        return Container(label, owner)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        """The references in it that can be replaced one by one, by keys."""
        return ()

    def reference(self, owner: Any, key: Any) -> Location:
        """The location of one of these."""
        return Attribute(key, owner, key)


class Hidden(TypeAdapter):
    """Attributes of an object whose class hides where they are kept: they cannot be read."""

    def hold(self, owner: Any) -> Any:
        raise refusal(
            f"this staged branch or loop can reach a {type(owner).__name__}, whose class replaces "
            "`__dict__`, where its objects keep attributes: changes of it cannot be detected",
            "Give what the class calls `__dict__` another name.",
        )


class Through(TypeAdapter):
    """Something that does not change itself, with others behind it."""

    def __init__(self, parts: Callable[[Any], Iterable]):
        self._parts = parts

    def hold(self, owner: Any) -> Any:
        return None

    def parts(self, owner: Any, held: Any) -> Iterable:
        return self._parts(owner)


class Named(TypeAdapter):
    """Something that holds objects by names."""

    @abc.abstractmethod
    def _read(self, owner: Any) -> Any:
        """What ``owner`` holds by now."""

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
        new = self.hold(owner)
        for name in {**held, **new}:
            before = held.get(name, UNDEFINED)
            if before is not new.get(name, UNDEFINED):
                place = Attribute(f"{label}.{name}", owner, name)
                place.was_own = before is not UNDEFINED
                yield place, place.class_default if before is UNDEFINED else before


class Fields(Named):
    """The ``__dict__`` of an instance, but for the attributes that are left out."""

    is_of_attributes = True

    def __init__(self, left_out: frozenset[str] = frozenset()):
        self._left_out = left_out

    def _read(self, owner: Any) -> dict[str, Any]:
        fields = fields_of(owner)
        if not self._left_out:
            return fields
        return {name: held for name, held in fields.items() if name not in self._left_out}

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from super().changes(owner, held, label)
        new = self.hold(owner)
        if [name for name in held if name in new] != [name for name in new if name in held]:
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
                yield Attribute(f"{label}.{name}", owner, name), old


class Slots(Named):
    """The slots of an instance: by name the class that declares it, which this keeps not alive.

    Those that a class hides, whose name it has for something else, go by the name of the class that
    declares them, too; nothing can be put in them by name."""

    is_of_attributes = True

    def __init__(self, slots: dict[str, weakref.ref]):
        self._slots = slots

    def _read(self, owner: Any) -> dict[str, Any]:
        found = {}
        for name, declaring in self._slots.items():
            try:
                found[name] = vars(declaring())[name.rpartition(".")[2]].__get__(owner)
            except (AttributeError, KeyError, TypeError):  # not set, or of another class by now
                continue
        return found

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return [(name, value) for name, value in held.items() if "." not in name]

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        for place, old in super().changes(owner, held, label):
            if "." in place.key[2]:
                place = Whole(place.label, owner, self.hold, None, "hidden slots")
            yield place, old


def fields_of(owner: Any) -> dict[str, Any]:
    """The ``__dict__`` of an instance."""
    return object.__getattribute__(owner, "__dict__")


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


# What Python's own modules keep in a class: what they find out about it, and how it was written.
_KEPT_BY_PYTHON = frozenset(
    {"__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__"}
    | {"__slotnames__", "__protocol_attrs__", "__non_callable_proto_members__"}
    | {"__callable_proto_members_only__", "__weakref__", "__dict__"}
)
_NOT_FOLLOWED = _KEPT_BY_PYTHON | {"__dataclass_fields__", "__dataclass_params__"}


class ClassFields(Named):
    """The attributes of a class."""

    def _read(self, owner: Any) -> Any:
        return vars(owner)

    def parts(self, owner: Any, held: Any) -> Iterable:
        for name, value in held.items():
            if name not in _NOT_FOLLOWED:
                yield value
        yield from owner.__mro__[1:]
        yield type(owner)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        for place, old in super().changes(owner, held, label):
            if place.key[2] not in _KEPT_BY_PYTHON:
                yield place, old


class OfClass(TypeAdapter):
    """The class of an object."""

    def hold(self, owner: Any) -> Any:
        return type(owner)

    def parts(self, owner: Any, held: Any) -> Iterable:
        return (held,)

    def differs(self, owner: Any, held: Any) -> bool:
        return type(owner) is not held

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield Attribute(f"{label}.__class__", owner, "__class__"), held


_OF_CLASS = [type.__dict__[name].__get__ for name in ("__name__", "__qualname__", "__bases__")]


def names_of_class(cls: type) -> list:
    """What a class is called, and its bases."""
    return [get(cls) for get in _OF_CLASS]


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
        return Name("a name", owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return cell_contents(owner) is not held[0]

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield Name(label, owner), held[0]


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
    """A state that the graph cannot follow, with what else is reached through it."""

    def __init__(self, get: Callable, what: str = "state", parts: Callable = lambda held: ()):
        super().__init__(get, None, what)
        self._parts = parts

    def parts(self, owner: Any, held: Any) -> Iterable:
        return self._parts(owner)


class Aside(Refused):
    """A state beside others of an object: not all that it holds."""

    is_content = False
    cure = ""

    def place(self, owner: Any, label: str) -> Whole:
        place = super().place(owner, label)
        place.key, place.cure = (self.what, label, id(owner)), self.cure or place.cure
        return place


def registered(cls: Any) -> frozenset[int]:
    """The ids of the classes registered with an abstract class."""
    dump = getattr(abc, "_get_dump", None)
    found = dump(cls)[0] if dump is not None else ()
    return frozenset(id(reference()) for reference in found)


class Contents(TypeAdapter):
    """A container, and what derives from it, by copies of it."""

    is_content = True

    def parts(self, owner: Any, held: Any) -> Iterable:
        return held

    def reference(self, owner: Any, key: Any) -> Location:
        return item_location("an item", owner, key)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield Container(label, owner), held


class Items(Contents):
    """A list, or a deque."""

    def __init__(self, base: type):
        self._iter = base.__iter__

    def hold(self, owner: Any) -> Any:
        return list(self._iter(owner))

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return enumerate(held)

    def differs(self, owner: Any, held: Any) -> bool:
        new = list(self._iter(owner))
        return len(new) != len(held) or not same_objects(held, new)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        held = held if isinstance(owner, list) else collections.deque(held)
        return super().changes(owner, held, label)


class PlainList(Items):
    """A list of the class ``list`` itself."""

    def __init__(self) -> None:
        super().__init__(list)

    def hold(self, owner: Any) -> Any:
        return owner[:]

    def differs(self, owner: Any, held: Any) -> bool:
        return len(owner) != len(held) or not same_objects(held, owner)


class Mapping(Contents):
    """A dict."""

    def __init__(self, base: type = dict):
        self._base = base

    def hold(self, owner: Any) -> Any:
        return walk.copied(owner, self._base)

    def parts(self, owner: Any, held: Any) -> Iterable:
        return (*held.values(), *held)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return held.items()

    def differs(self, owner: Any, held: Any) -> bool:
        return not (
            dict.__len__(owner) == len(held)
            and same_objects(held, self._base.__iter__(owner))
            and same_objects(held.values(), self._base.values(owner))
        )


class Members(Contents):
    """A set."""

    def hold(self, owner: Any) -> Any:
        return set(owner)  # by no method of its class, as Python takes a set

    def differs(self, owner: Any, held: Any) -> bool:
        if len(held) != set.__len__(owner):
            return True
        return set(map(id, held)) != set(map(id, set.__iter__(owner)))


class Arguments(State):
    """What a ``functools.partial`` keeps for its calls."""

    def __init__(self) -> None:
        super().__init__(self._identities, None, "function or arguments")

    @staticmethod
    def _identities(held: functools.partial) -> tuple:
        named = ((k, id(really(v))) for k, v in held.keywords.items())
        return (id(really(held.func)), *(id(really(v)) for v in held.args), *named)

    def references(self, owner: Any, held: Any) -> Iterable[tuple[Any, Any]]:
        return (*enumerate(owner.args), *owner.keywords.items())

    def reference(self, owner: Any, key: Any) -> Location:
        if type(key) is str:
            return item_location("a keyword", owner.keywords, key)

        def put(value: Any) -> None:
            args = (*owner.args[:key], value, *owner.args[key + 1 :])
            owner.__setstate__((owner.func, args, owner.keywords, vars(owner)))

        return Location("an argument", lambda: owner.args[key], put, owner)


class _Step:
    """An iterator that fails once its container gains or loses elements."""

    def __init__(self, owner: Any):
        is_deque = isinstance(owner, collections.deque)
        self._begin = (collections.deque if is_deque else collections.OrderedDict).__iter__
        self._iterator = self._begin(owner)

    def is_out(self, owner: Any) -> bool:
        """Whether its owner has got or lost elements since it began."""
        try:
            next(self._iterator, None)
        except RuntimeError:
            return True
        self._iterator = self._begin(owner)
        return False


class Steps(TypeAdapter):
    """Whether a deque or an ordered dict got or lost elements, also where it holds the same again:
    its iterators fail from then on, which is refused where later code reads one."""

    ends_iterators = True

    def hold(self, owner: Any) -> Any:
        return _Step(owner)

    def differs(self, owner: Any, held: Any) -> bool:
        return held.is_out(owner)

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from ()


STEPS = Steps()


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
    return refusal(
        f"side effect on the {place.what} of {place.label!r} in a staged branch or loop: the graph "
        "cannot represent it, and it would run once, at trace time",
        place.cure,
        where,
    )
