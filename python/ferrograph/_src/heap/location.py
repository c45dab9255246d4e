"""Locations: names of functions and modules, attributes, items, which staged control flow merges
and carries.

Where an object has variants, its proxy is put into the location.

A name is read and set through its closure cell, so an unset name stays unset, and Python itself
reports a read of it.
"""

from __future__ import annotations

import collections
import types
import weakref
from collections.abc import Callable, Sequence

from ..context.hooks import hooks
from ..context.ownership import MACHINERY, is_library_class
from ..hints import Any
from . import walk
from .adapters import CONTAINER_BASES, MUTABLE, MUTABLE_SEQUENCES, is_class
from .source_location import here, refusal
from .trace_context import (
    TracePart,
    has_lists,
    has_variants,
    loud,
    proxy_of,
    record_of,
    touch,
    traces,
)
from .trace_context import thread as _thread


class _Undefined:
    """What a location holds that is not set."""

    def __repr__(self) -> str:
        return "<not set>"


UNDEFINED: Any = _Undefined()


class Together:
    """The one item of a list whose elements are all in the graph."""


_items = list.__iter__


def _is_together(value: Any) -> bool:
    return isinstance(value, Together)


class Variants:
    """The variants of a container or another object.

    ``index``, a tensor, is the number of the current variant.
    """

    def __init__(self, index: Any, contents: list):
        self.index, self.contents = index, contents


def held_by(content: Any) -> list:
    """The objects that a content holds."""
    return values_of(content) or []


def values_of(content: Any) -> list | None:
    """The values of a content, None where it is compared as a whole."""
    if isinstance(content, dict):
        return list(content.values())
    return list(content) if isinstance(content, MUTABLE_SEQUENCES) else None


class Record:
    """An object that has or had variants, and its present contents."""

    def __init__(self, place: Location):
        self.place, self.owner = place, place.owner
        self.began_at = here()
        self.is_used = False  # whether a use of it is being traced for each content
        self.versions: Variants | None = None  # None where it holds one content, as Python has it


class VariantRecords(TracePart):
    """The objects of a trace that have variants, and their proxies."""

    slot = "variants"

    def __init__(self) -> None:
        self.records: dict[int, Record] = {}  # by the ids of the objects
        self.proxies: dict[int, Any] = {}  # of the objects and of what holds them, by id
        # Tuples in whose place others were put, by id: see ``references``.
        self.rebuilt: dict[int, tuple[tuple, tuple]] = {}


def variants_of(owner: Any) -> Variants | None:
    """The variants of an object; None where it has one content."""
    record = record_of(owner)
    return record.versions if record is not None else None


def put_variants(place: Location, value: Any) -> bool:
    """Note that an object has ``value`` as its content; whether that is one of several."""
    record = record_of(place.owner)
    if type(value) is not Variants:
        if record is not None:
            record.versions = None
        return False
    if record is None:
        root = _thread.trace
        record = VariantRecords.of_trace().records[id(place.owner)] = Record(place)
        root.callees.known.clear()  # whose callees take arguments as they are
        loud[id(root)] = root
    began, record.versions = record.versions is None, value
    if began:
        hooks.substitute(record)
    return True


def is_grown(value: Any) -> bool:
    """Whether a value is a list with elements of the graph in it."""
    return has_lists() and isinstance(value, list) and any(map(_is_together, _items(value)))


class Location:
    """Somewhere that a value can be.

    ``owner`` is the object that holds it and ``key`` says which place of which object it is.
    """

    is_shared = False  # whether such a location outlives the function that sets it
    is_module = False
    is_stored = True  # whether its owner keeps it where a copy of the owner shows it
    is_derived = False  # whether reading it makes the value
    is_whole = False  # whether it is all that its owner holds
    in_library = False  # whether an object of a library's class keeps its owner

    def __init__(
        self,
        label: str,
        get: Callable[[], Any],
        put: Callable[[Any], None],
        owner: Any = None,
        key: Any = None,
    ):
        self.label = label
        self.get = get
        self.put = put
        self.owner = owner
        self.key = key

    def below(self) -> tuple[Location, Any]:
        """The location that the value is made from, which may be this, and what that holds."""
        return self, self.get()


Functions = Sequence[types.FunctionType | None]


def name_locations(
    names: Callable[[], Any] | tuple[str, ...] | None, functions: Functions = ()
) -> list[Location]:
    """A location for each name in the closure of ``names``, or for names in those of
    ``functions``."""
    if names is None:
        return []
    if isinstance(names, tuple):
        cells: dict[str, types.CellType] = {}
        for function in functions:
            if function is not None:
                held = function.__closure__ or ()
                cells.update(zip(function.__code__.co_freevars, held, strict=True))
        return [Name(name, cells[name]) for name in names]
    return [
        Name(name, cell)
        for name, cell in zip(names.__code__.co_freevars, names.__closure__ or (), strict=True)
        if name not in MACHINERY
    ]


class Name(Location):
    """A name that is kept in a cell."""

    def __init__(self, label: str, cell: types.CellType):
        self.label, self.owner, self.key = label, cell, ("cell", id(cell))

    def get(self) -> Any:
        try:
            return self.owner.cell_contents
        except ValueError:
            return UNDEFINED

    def put(self, value: Any) -> None:
        if value is not UNDEFINED:
            self.owner.cell_contents = proxy_of(value)
        elif self.get() is not UNDEFINED:
            del self.owner.cell_contents


def _attribute(label: str, base: Callable[[], Any], name: str) -> Location | None:
    """The attribute ``name`` of what ``base`` gives now; None where there is no such object.

    An attribute behind a property is no location: its property decides what is set. Nor is a field.
    """
    owner = walk.proxied(_evaluate(base))
    is_property = type(walk.of_bases(type(owner).__mro__, name)) is property
    if owner is UNDEFINED or is_property or walk.is_field(owner, name):
        return None
    return Attribute(label, owner, name)


class Attribute(Location):
    """An attribute of an object, where the object keeps it: no method of its class runs.

    One behind a user-defined property or other descriptor is set through that. ``was_own`` says
    whether the object itself had it before the change; others show the attribute of their class.
    """

    was_own: bool

    def __init__(self, label: str, owner: Any, name: str):
        self._name = name
        self.class_default, self._slot = _class_side(owner, name)
        self.label, self.owner, self.key = label, owner, ("attribute", id(owner), name)
        self.is_shared = is_class(owner) and is_library_class(owner)
        fields = _own_fields(owner) if self._slot is None else None
        self.is_stored = fields is not None or _shows_in_copy(self._slot)
        self.was_own = name in (vars(owner) if is_class(owner) else fields or ())

    @property
    def takes_any(self) -> bool:
        """Whether it may hold objects of any class, as the defaults of a function may not."""
        return type(self._slot) is not types.GetSetDescriptorType

    @property
    def inherited(self) -> Any:
        """What the owner shows where it has none of its own."""
        if not is_class(self.owner):
            return self.class_default
        others = (vars(base) for base in self.owner.__mro__[1:])
        found = (held[self._name] for held in others if self._name in held)
        return next(found, self.class_default)

    def is_missing(self) -> bool:
        """Whether the owner, which keeps it with others, has none of its own."""
        fields = _own_fields(self.owner)
        return self._slot is None and fields is not None and self._name not in fields

    def get(self) -> Any:
        held = _own_fields(self.owner)
        if self._slot is not None:
            try:
                return self._slot.__get__(self.owner)
            except AttributeError:
                return UNDEFINED
        if held is not None and (name := self._name) in held:
            return held[name]
        if is_class(self.owner) and self._name in vars(self.owner):
            return vars(self.owner)[self._name]  # as it is, whatever it gives to readers
        if held is None or (self.class_default is UNDEFINED and is_class(self.owner)):
            return getattr(self.owner, self._name, UNDEFINED)
        return self.class_default

    def put(self, value: Any) -> None:
        owner, name, held = self.owner, self._name, _own_fields(self.owner)
        value = proxy_of(value)
        if is_class(owner):
            _put_in_class(self.label, owner, name, value)
        elif self._slot is not None:
            if value is not UNDEFINED:
                _put_typed(self.label, self._slot.__set__, owner, value)
            elif self.get() is not UNDEFINED:
                self._slot.__delete__(owner)
        elif held is None:
            setattr(owner, name, value) if value is not UNDEFINED else delattr(owner, name)
        elif value is UNDEFINED or (value is self.class_default and not self.was_own):
            held.pop(name, None)
        else:
            held[name] = value


def _put_typed(label: str, setter: Callable[..., None], *given: Any) -> None:
    """Set an attribute that may take values of one class alone."""
    try:
        setter(*given)
    except TypeError as e:
        raise takes_no_choice(label) from e


def takes_no_choice(label: str) -> Exception:
    """The refusal of an attribute that Python keeps for values of one class, such as the name of a
    function, where it would have to be a merged value."""
    return refusal(
        f"{label!r} changes in a staged branch or loop, and cannot be set to a merged value",
        "Choose between two functions or classes that are made before.",
    )


def _shows_in_copy(slot: Any) -> bool:
    """Whether a slot is one that copies of its object have: of a class that names its slots, or of
    an exception; members of other native classes are left out."""
    if type(slot) is not types.MemberDescriptorType:
        return False
    declaring = slot.__objclass__
    return "__slots__" in vars(declaring) or issubclass(declaring, BaseException)


def _put_in_class(label: str, owner: type, name: str, value: Any) -> None:
    if value is not UNDEFINED:
        _put_typed(label, type.__setattr__, owner, name, value)
    elif name in vars(owner):
        type.__delattr__(owner, name)


def _own_fields(owner: Any) -> dict | None:
    """The ``__dict__`` of an object, None where it has none."""
    try:
        held = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return held if type(held) is dict else None


def _class_side(owner: Any, name: str) -> tuple[Any, Any]:
    """What an attribute is where its object has none, and the slot in which the object keeps it."""
    for base in type(owner).__mro__:
        if name in vars(base):
            found = vars(base)[name]
            if type(found) is types.MemberDescriptorType or _is_kept_by_python(owner, name, found):
                return UNDEFINED, found
            return (UNDEFINED if hasattr(type(found), "__get__") else found), None
    return UNDEFINED, None


def _is_kept_by_python(owner: Any, name: str, found: Any) -> bool:
    """Whether Python keeps an attribute in a place of its own: a class, the defaults of a
    function, the arguments of an exception."""
    if type(found) is not types.GetSetDescriptorType:
        return False
    with_own = issubclass(type(owner), (types.FunctionType, BaseException)) and name != "__dict__"
    return with_own or (name == "__class__" and not issubclass(type(owner), types.ModuleType))


def _item(label: str, both: Callable[[], Any]) -> Location | None:
    """The item of a Python container, where ``both`` gives that and a key; None where it gives
    something else, such as a tensor."""
    found = _evaluate(both)
    if found is UNDEFINED:
        return None
    owner, index = _within(walk.proxied(found[0])), found[1]
    if not isinstance(owner, (dict, list, collections.deque)):
        return None
    if isinstance(owner, dict):
        if walk.have_effects((*dict.__iter__(owner), index)):
            return None  # it is compared as a whole
    else:
        if is_grown(owner):
            return None  # its elements are carried together
        length = _base_of(owner).__len__(owner)
        if not isinstance(index, int) or not -length <= index < length:
            return None
        index %= length
    return item_location(label, owner, index)


def _within(owner: Any) -> Any:
    """The container inside a wrapper such as ``UserDict``, else ``owner``."""
    if isinstance(owner, (collections.UserDict, collections.UserList)):
        return owner.data
    return owner.maps[0] if type(owner) is collections.ChainMap else owner


def item_location(label: str, owner: Any, index: Any) -> Location:
    """The item of a list or a mapping under ``index``."""
    base = _base_of(owner)
    if isinstance(owner, dict) and walk.have_effects((index,)):
        walk.refuse_keys(label, owner)

    def get() -> Any:
        if base is dict or base is collections.OrderedDict:
            return dict.get(owner, index, UNDEFINED)  # no ``__missing__`` of its class runs
        try:
            return base.__getitem__(owner, index)
        except (KeyError, IndexError):
            return UNDEFINED

    def put(value: Any) -> None:
        if base is list and index >= list.__len__(owner):
            return  # a list that grew, which is put back as a whole
        if value is not UNDEFINED:
            base.__setitem__(owner, index, proxy_of(value))
        elif get() is not UNDEFINED:
            base.__delitem__(owner, index)

    return Location(label, get, put, owner, ("item", id(owner), index))


def _base_of(owner: Any) -> Any:
    """The builtin class whose methods access the items of ``owner`` directly."""
    return next((base for base in CONTAINER_BASES if isinstance(owner, base)), type(owner))


def global_name(name: str, reader: types.FunctionType) -> Location:
    """A name of the module that ``reader`` reads."""
    return global_location(name, reader.__globals__)


def global_location(name: str, namespace: dict) -> Location:
    """A name of a module, whose names are in ``namespace``."""

    def put(value: Any) -> None:
        if value is not UNDEFINED:
            namespace[name] = proxy_of(value)
        else:
            namespace.pop(name, None)

    key = ("global", id(namespace), name)
    place = Location(name, lambda: namespace.get(name, UNDEFINED), put, namespace, key)
    place.is_shared = place.is_module = True
    place.is_stored = False
    return place


class Remembered(Location):
    """An attribute of an object that ends when the program lets it go."""

    def __init__(self, place: Attribute, ended: Callable[[Any], Any]):
        self.label, self.key, self._was_own = place.label, place.key, place.was_own
        self._owner = weakref.ref(place.owner, ended)

    def _place(self) -> Attribute | None:
        owner = self._owner()
        if owner is None:
            return None
        place = Attribute(self.label, owner, self.key[2])
        place.was_own = self._was_own
        return place

    def get(self) -> Any:
        place = self._place()
        return UNDEFINED if place is None else place.get()

    def put(self, value: Any) -> None:
        place = self._place()
        if place is not None:
            place.put(value)


class Container(Location):
    """All that a list, dict, set, deque or bytearray holds, as a copy of it."""

    is_whole = True

    def __init__(self, label: str, owner: Any):
        self.label, self.owner, self.key = label, owner, ("all", id(owner))

    def get(self) -> Any:
        versions = variants_of(self.owner)
        if versions is not None:
            return versions
        base = _base_of(self.owner)
        if base in (dict, collections.OrderedDict):
            return walk.copied(self.owner, base)
        if base is set:
            return set(self.owner)
        return (collections.deque if base is collections.deque else base)(base.__iter__(self.owner))

    def put(self, value: Any) -> None:
        if put_variants(self, value):
            return
        if has_variants():
            value = _standing_in(value)
        owner, base = self.owner, _base_of(self.owner)
        if base is list or base is bytearray:
            base.__setitem__(owner, slice(None), value)
            return
        if base is set and _thread.trace is not None:
            _thread.trace.containers.refilled[id(owner)] = owner
        if _put_one_by_one(owner, base, value):
            return
        base.clear(owner)
        if base is collections.OrderedDict:
            for key, item in value.items():
                base.__setitem__(owner, key, item)  # which its `update` asks the class for
            return
        fill = base.extend if base is collections.deque else base.update
        fill(owner, value)


def _put_one_by_one(owner: Any, base: Any, value: Any) -> bool:
    """Set each item in place where a dict or a deque has the same number of items under the same
    keys: active iterators stay valid."""
    if base is set or base.__len__(owner) != len(value):
        return False
    if base is collections.deque:
        pairs = list(zip(range(len(value)), base.__iter__(owner), value, strict=True))
    else:
        keys = list(base.__iter__(owner))
        if not all(map(walk.are_plain_keys, (keys, value))) or keys != list(value):
            return False
        if list(map(type, keys)) != list(map(type, value)):
            return False
        pairs = [(key, held, value[key]) for key, held in base.items(owner)]
    for key, held, new in pairs:
        if held is not new:
            base.__setitem__(owner, key, new)
    return True


def _standing_in(content: Any) -> Any:
    """A content with proxies in place of the objects that have them."""
    if isinstance(content, dict):
        return walk.with_items(content, map(proxy_of, content.values()))
    return list(map(proxy_of, content)) if isinstance(content, MUTABLE_SEQUENCES) else content


def _evaluate(thunk: Callable[[], Any]) -> Any:
    try:
        return thunk()
    except (NameError, AttributeError, LookupError, TypeError):
        return UNDEFINED


def location_of(
    label: str, found: Any, *attribute_name: str | None, functions: Functions = ()
) -> Location | None:
    """A location that the text of a construct sets: with a name the attribute of what is ``found``,
    with None the name of its module that a function reads, else the item of a container with a key.

    What is found is said as ``functions`` read it: ``("a", "b", ("i",), (None, 0))`` for
    ``a.b[i][0]``, whose keys are a name and a constant; and for an item such a path, the name of
    the key, or None and the key itself.
    """
    if attribute_name == (None,):
        return global_name(label, found)
    if attribute_name:
        return _attribute(label, lambda: _read(found, functions), str(attribute_name[0]))
    base, name, *key = found
    return _item(
        label,
        lambda: (_read(base, functions), key[0] if name is None else _named(name, functions)),
    )


def _read(path: tuple, functions: Functions) -> Any:
    """What a name, and attributes and items of it, are to ``functions``."""
    found = _named(path[0], functions)
    for step in path[1:]:
        if isinstance(step, str):
            found = walk.attribute_of(found, step)
        elif is_grown(found):
            raise LookupError(step)
        else:
            name, *key = step
            found = walk.item_of(found, key[0] if name is None else _named(name, functions))
    return found


def _named(name: str, functions: Functions) -> Any:
    reader = None
    for function in functions:
        if function is None:
            continue
        reader = function
        free = function.__code__.co_freevars
        if name in free:
            cell = (function.__closure__ or ())[free.index(name)]
            return Name(name, cell).get()
    return UNDEFINED if reader is None else reader.__globals__.get(name, UNDEFINED)


class State:
    """All locations that one construct may change."""

    def __init__(
        self,
        names: Callable[[], Any] | tuple[str, ...] | None,
        others: tuple[tuple, ...] | None,
        functions: Functions = (),
    ):
        """The ``names`` are those of a closure, or of the closures of ``functions``; ``others`` are
        what ``location_of`` takes."""
        found = name_locations(names, functions)
        self.n_names = len(found)
        extra = [location_of(*parts, functions=functions) for parts in others or ()]
        self.places = found + [place for place in extra if place is not None]

    def read(self) -> list[Any]:
        return [place.get() for place in self.places]

    def write(self, values: list[Any]) -> None:
        for place, value in zip(self.places, values, strict=True):
            if place.is_derived or place.get() is not value:
                place.put(value)

    def between_iterations(self) -> State:
        """Without the locations within what another location holds: an iteration may put another
        object there, whose location would be meant in the next one. What changes in them all the
        same is found when the iteration has been traced."""
        held = {id(place.get()) for place in self.places if not place.is_derived}
        names, others = self.places[: self.n_names], self.places[self.n_names :]
        made = object.__new__(State)
        made.places = names + [place for place in others if id(place.owner) not in held]
        made.n_names = self.n_names
        return made

    def names(self) -> State:
        """The names alone."""
        made = object.__new__(State)
        made.places, made.n_names = self.places[: self.n_names], self.n_names
        return made


def in_place(value: Any) -> Any:
    """``value``, which an augmented assignment may change."""
    if traces.n and _thread.logs and isinstance(value, MUTABLE):
        touch(Container(f"a {type(value).__name__}", value))
    return value


def augmented(value: Any) -> None:
    """Note that a statement of user code may change ``value`` in place."""
    if traces.n and _thread.trace is not None:
        in_place(value)
        if _thread.trace.aliases.sets is not None:
            _thread.trace.aliases.sets.written(value)
