"""What a region of the graph can reach, copied when it begins and compared when it ends.

Staged code is a closed world: how something was changed, by a statement, an operator, a method of
a library or a function written in C, makes no difference, since nothing is intercepted. When the
trace of a branch or a loop begins, everything is copied that can be reached from the names of its
functions: what they close over, the names of their module that they read, the attributes, items and
elements of all that, and the same for the functions that they may call. When it ends, what differs
is a place like any other: put back, merged, carried, or refused.

Objects made in the region are not in the copy, so they are its own. What is reached, and how it is
compared, is said in ``kinds`` and ``facets``.
"""

from __future__ import annotations

import abc
import builtins
import collections.abc
import opcode
import sys
import types
from collections.abc import Container, Iterable, Iterator

from ..context import ownership
from ..context.ownership import MACHINERY
from ..hints import Any
from ..native import _core
from ..values import errors
from . import kinds
from .facets import Facet, Fields, Names, Refused, cell_contents, fields_of
from .journal import has_versions, own_listeners, record_of
from .late import frames, library_states, settings
from .places import here, say
from .state import Attribute, Place, Versions, versions_of

MOST_OBJECTS = 250_000
_SYMBOLIC = _core.SymbolicTensor
_WHOLE_MODULE = frozenset({"globals", "exec", "eval", "locals", "__globals__"})
_NAMES_ONLY = frozenset({"vars", "__dict__", "modules", "import_module"})


class Snapshot:
    """What the objects hold that functions can reach."""

    def __init__(self, anchors: Iterable[Any]):
        self.anchors = tuple(a for a in anchors if type(a) is types.FunctionType)
        walk = Walk()
        walk.run(self.anchors, own_listeners())
        self._entries, self._seen = walk.entries, walk.seen
        if has_versions():
            self._entries = [(f, o, _versions(f, o) or held) for f, o, held in walk.entries]

    def knows(self, owner: Any) -> bool:
        """Whether an object was there when the region began."""
        return id(owner) in self._seen

    def take_in(self, value: Any) -> Iterable[int]:
        """Hold an object, and what is reached through it, as well; which they are, by id."""
        walk = Walk()
        walk.run((), [value])
        self._entries += [e for e in walk.entries if id(e[1]) not in self._seen]
        self._seen.update(walk.seen)
        return walk.seen

    def knows_fields(self, held: Any) -> bool:
        """Whether ``held`` is the ``__dict__`` of an object that was there."""
        if type(held) is not dict:
            return False
        owners = (owner for f, owner, _ in self._entries if isinstance(f, Fields))
        return any(fields_of(owner) is held for owner in owners)

    def compares(self, place: Place) -> bool:
        """Whether a change of a place shows in the copy, however it is made."""
        if place.is_module and isinstance(place.key, tuple):
            return self._compares_name(*place.key[1:])
        if isinstance(place.owner, types.ModuleType) and isinstance(place, Attribute):
            return self._compares_name(id(ownership.names_of(place.owner)), place.key[2])
        return place.is_stored and self.knows(place.owner)

    def _compares_name(self, namespace: int, name: str) -> bool:
        return any(
            facet.knows(held, name)
            for facet, owner, held in self._entries
            if isinstance(facet, Names) and id(owner) == namespace
        )

    def is_in_library(self, owner: Any) -> bool:
        """Whether an object of a library's class holds this one, as ``queue.Queue`` its items."""
        return any(
            any(value is owner for value in held.values())
            for facet, holder, held in self._entries
            if isinstance(facet, Fields) and kinds.has_library_fields(type(holder))
        )

    def seen(self) -> Iterable[Any]:
        """The objects that were there when the region began, as far as they are compared."""
        return self._seen.values()

    def entries(self) -> Iterable[tuple[Facet, Any, Any]]:
        """How each of them was held."""
        return self._entries

    def accept(self, owner: Any, name: str | None) -> None:
        """Take what an attribute of an object, or all of a container, holds now for what it held
        when the region began."""
        for i, (facet, holder, held) in enumerate(self._entries):
            if holder is not owner:
                continue
            now = facet.hold(owner)
            if name is None and facet.is_content:
                self._entries[i] = facet, owner, now
            elif name is not None and isinstance(held, dict) and isinstance(now, dict):
                names = [n for n in now if n in held or n == name]
                names += [n for n in held if n not in now]
                kept = {n: (now if n == name else held)[n] for n in names}
                self._entries[i] = facet, owner, kept

    def changes(self, own: Container[int] = ()) -> Iterator[tuple[Place, Any]]:
        """The places that differ from what they held, with that; but for the cells of ``own``
        names, whose ids these are, which others put back."""
        if has_versions():
            yield from self._chosen()
            return
        changed = [e for e in self._entries if e[0].differs(e[1], e[2])]
        for facet, owner, held in changed:
            if id(owner) not in own:
                yield from facet.changes(owner, held, label_of(owner, self.anchors))

    def has_lost(self) -> bool:
        """Whether a place may not hold any more what it held, other than a tensor in a name."""
        if has_versions():
            return True
        for facet, owner, held in self._entries:
            is_tensor = type(held) is tuple and len(held) == 1 and type(held[0]) is _SYMBOLIC
            if not is_tensor and facet.differs(owner, held):
                return True
        return False

    def _chosen(self) -> Iterator[tuple[Place, Any]]:
        """``changes`` where the graph chooses what some objects hold."""
        for facet, owner, held in self._entries:
            now = _versions(facet, owner)
            if now is None and type(held) is not Versions:
                if facet.differs(owner, held):
                    yield from facet.changes(owner, held, label_of(owner, self.anchors))
            elif now is not held:
                place = record_of(owner).place
                if type(held) is Versions:
                    yield place, held
                else:
                    yield from ((place, old) for _, old in facet.changes(owner, held, ""))


def _versions(facet: Facet, owner: Any) -> Versions | None:
    return versions_of(owner) if facet.is_content else None


class _Finders:
    """What finds modules, by id."""

    def __init__(self) -> None:
        self._path: list[Any] = []
        self._known: dict[int, Any] = {}

    def known(self) -> dict[int, Any]:
        if self._path != sys.meta_path:
            self._path = list(sys.meta_path)
            self._known = {id(finder): finder for finder in self._path}
        return self._known


_finders = _Finders()


class Walk:
    """One walk over what functions reach."""

    def __init__(self) -> None:
        self.entries: list[tuple[Facet, Any, Any]] = []
        self.seen: dict[int, Any] = {}
        self._pending: list[Iterable] = []
        self._names: dict[int, tuple[dict, dict]] = {}  # names read, by the module that has them
        self._whole: set[int] = set()  # modules of which code may read any name
        self._modules: list[Any] = []
        self._classes: list[type] = []  # of libraries
        self._words: frozenset[str] = frozenset()  # of the code that is reached
        self._told: dict[int, Any] = {}  # by id, objects with states that go with words

    def run(self, anchors: tuple, values: Iterable = ()) -> None:
        """Follow what functions reach, and other values; not what finds modules, whose accounts
        an import changes whenever it comes.
        """
        self.seen |= _finders.known()
        self._pending.append(values)
        for function in anchors:
            names = function.__code__.co_freevars
            for name, cell in zip(names, function.__closure__ or (), strict=True):
                if id(cell) not in self.seen and name not in MACHINERY:
                    self._cell(cell)
            self._read_names(function)
        if _IMPORTS in self._words:
            self._imported()
        self._follow()
        while self._modules and self._look_into_modules():
            self._follow()
        if "register" in self._words:
            self.entries += self._registers()
        if "__annotations__" in self._words:
            self._pending.append(list(kinds.annotations_of(self.seen.values())))
            self._follow()
        if self._told:
            self.entries += library_states.held(self._told.values(), self._words)
        for namespace, held in self._names.values():
            facet = kinds.ALL_NAMES if id(namespace) in self._whole else kinds.NAMES
            self.entries.append((facet, namespace, held))

    def _imported(self) -> None:
        """Follow the modules that code imports; where other code asks which modules there are, that
        is compared, too."""
        names = [word.removeprefix(_IMPORTS) for word in self._words if word.startswith(_IMPORTS)]
        self._modules += [sys.modules[name] for name in names if name in sys.modules]
        if "modules" in frames.words_in_reach():
            self._pending.append([settings.of_imports([name for name in names if name])])

    def _cell(self, cell: types.CellType) -> None:
        self.seen[id(cell)] = cell
        value = cell_contents(cell)
        self.entries.append((kinds.CELL, cell, (value,)))
        if kinds.facets_of(type(value)):
            self._pending.append((value,))

    def _follow(self) -> None:
        seen, entries, pending, known = self.seen, self.entries, self._pending, kinds.facets_of
        while pending:
            for value in pending.pop():
                facets = known(type(value))
                if not facets or id(value) in seen:
                    continue
                seen[id(value)] = value
                first = facets[0]
                if first is kinds.FUNCTION:
                    facets = self._function(value)
                elif first is kinds.CLASS and ownership.is_library_class(value):
                    self._classes.append(value)
                    continue
                elif first is kinds.MODULE:
                    self._modules.append(value)
                elif first is kinds.BY_WORDS:
                    self._told[id(value)] = value
                    if len(facets) == 1:  # no attribute of it is compared
                        del seen[id(value)]
                elif first is kinds.BUILTIN:
                    self._words |= {value.__name__}
                for facet in facets:
                    held = facet.hold(value)
                    if held is not None:
                        entries.append((facet, value, held))
                    pending.append(facet.parts(value, held))
            if len(seen) > MOST_OBJECTS:
                raise _too_many()

    def _function(self, function: types.FunctionType) -> tuple[Facet, ...]:
        """Look into a function; what of itself is compared."""
        facets = kinds.facets_of(types.FunctionType)
        if ownership.is_library_file(function.__code__.co_filename):
            if function.__module__ in _WITH_SETTINGS:
                self._modules.append(sys.modules[function.__module__])
                self._words |= {function.__name__}
            return facets[:2] if function.__closure__ else facets[:1]
        self._read_names(function)
        return facets

    def _read_names(self, function: types.FunctionType) -> None:
        """Follow the names of its module that a function and those in it read."""
        words = words_of(function.__code__)
        if not words:
            return
        namespace = function.__globals__
        self._words |= words
        if not _WHOLE_MODULE.isdisjoint(words):
            self._whole.add(id(namespace))
            self._take(namespace, namespace.keys(), namespace.keys())
        elif not _NAMES_ONLY.isdisjoint(words):
            self._whole.add(id(namespace))
            self._take(namespace, namespace.keys(), words)
        else:
            self._take(namespace, words, words)

    def _registers(self) -> Iterator[tuple[Facet, Any, Any]]:
        """What is registered with the abstract classes of libraries that code reached names."""
        named = (
            ownership.said_by(module, word) for module in self._modules for word in self._words
        )
        found = {id(c): c for c in (*self._classes, *named) if issubclass(type(c), abc.ABCMeta)}
        for cls in found.values():
            if ownership.is_library_class(cls):
                yield kinds.REGISTERED, cls, kinds.REGISTERED.hold(cls)

    def _take(self, namespace: dict, names: Iterable[str], followed: Container[str]) -> bool:
        """Hold names of a module, and follow some of them; whether there were any."""
        known = self._names.get(id(namespace))
        if known is None:
            known = self._names[id(namespace)] = namespace, {}
        held = known[1]
        found = {n: namespace[n] for n in names if n in namespace and n not in held}
        if found:
            held.update(found)
            self._pending.append([found[n] for n in found if n in followed])
        return bool(found)

    def _look_into_modules(self) -> bool:
        """Follow the names of modules that some code reached says: of libraries' those of
        containers, such as ``os.environ``, and of methods of what they keep for themselves."""
        more = False
        for module in self._modules:
            names, called = ownership.names_of(module), ownership.said_by(module, "__name__")
            if _is_users_module(module):
                more |= self._take(names, self._words, self._words)
            elif not ownership.is_own_module(called):
                found = [names[word] for word in self._words if _may_change(names.get(word))]
                if (
                    _WITH_SETTINGS.get(called) == "decimal"
                ):  # whose numbers are made by the thread's settings
                    found.append(names["getcontext"]())
                if called in _WITH_SETTINGS:
                    found += settings.named(
                        _WITH_SETTINGS[called], self._words, frames.words_in_reach
                    )
                self._pending.append(found)
                more |= any(id(value) not in self.seen for value in found)
        return more


# Modules with settings that are no attributes, as ``settings`` calls them.
_WITH_SETTINGS = {name: name for name in (
    "atexit", "calendar", "copyreg", "csv", "ctypes", "decimal", "faulthandler", "gc", "gettext",
    "locale", "logging", "mimetypes", "numpy", "os", "signal", "socket", "sys", "threading",
    "tracemalloc", "warnings",
)}  # fmt: skip
_WITH_SETTINGS |= {"_csv": "csv", "_decimal": "decimal", "_locale": "locale", "_signal": "signal"}
_WITH_SETTINGS |= {"_socket": "socket", "_thread": "threading", "_warnings": "warnings"}
_WITH_SETTINGS |= {"posix": "os", "nt": "os", "contextlib": "os", "_tracemalloc": "tracemalloc"}


def _is_users_module(module: types.ModuleType) -> bool:
    """Whether a module is the program's: also one that the program itself has made."""
    file = ownership.said_by(module, "__file__")
    if file is None:
        return ownership.said_by(module, "__spec__") is None
    return not ownership.is_library_file(file)


def _may_change(value: Any) -> bool:
    """Whether a value of a library's module is one that a program may change: a container, another
    module, or a method of an object, as ``random.random`` is one."""
    if type(value) is types.ModuleType:
        return value is not builtins
    if type(value) in _METHODS:
        return not isinstance(value.__self__, (types.ModuleType, type, types.NoneType))
    is_mapping = issubclass(type(value), collections.abc.MutableMapping) or _is_settings(value)
    return (is_mapping or type(value) in (list, set)) and value is not sys.modules


def _is_settings(value: Any) -> bool:
    """Whether a value of a library's module is one of settings, as ``decimal.DefaultContext``."""
    return any(isinstance(facet, Refused) for facet in kinds.facets_of(type(value)))


_METHODS = (types.MethodType, types.BuiltinMethodType)


# What takes the name of an attribute as a text: operators of converted code, and Python's own.
_BY_TEXT = frozenset(
    {"attribute_of", "getattr", "setattr", "delattr", "attrgetter", "methodcaller"}
    | {"__getattribute__", "__setattr__", "__delattr__"}
)
_IMPORTS = "import "  # how words begin that say that code imports, and what
_IMPORT_NAME = opcode.opmap["IMPORT_NAME"]
_words: dict[int, tuple[types.CodeType, frozenset[str]]] = {}
_MOST_CODES = 8192


def words_of(code: types.CodeType) -> frozenset[str]:
    """The names of globals and attributes in a code object and those in it."""
    known = _words.get(id(code))
    if known is not None:
        return known[1]
    inner = [words_of(c) for c in code.co_consts if type(c) is types.CodeType]
    found = frozenset(code.co_names).union(*inner)
    if _IMPORT_NAME in code.co_code[::2]:
        found |= {_IMPORTS, *(_IMPORTS + name for name in imported_by(code))}
    if not _BY_TEXT.isdisjoint(code.co_names):
        found = found.union(c for c in code.co_consts if type(c) is str and c.isidentifier())
    if len(_words) >= _MOST_CODES:
        _words.clear()
    _words[id(code)] = code, found
    return found


def imported_by(code: types.CodeType) -> Iterator[str]:
    """The names of the modules that a code object imports."""
    high, text = 0, code.co_code
    for i in range(0, len(text), 2):
        arg = text[i + 1] | high
        high = arg << 8 if text[i] == opcode.EXTENDED_ARG else 0
        if text[i] == _IMPORT_NAME:
            yield code.co_names[arg]


def label_of(owner: Any, anchors: Iterable[types.FunctionType]) -> str:
    """How the user's code calls an object: by a name, or a name and an attribute or a key."""
    if issubclass(type(owner), type):
        return owner.__name__
    if type(owner) is types.CellType and (name := _name_of_cell(owner, anchors)):
        return name
    for name, value in _names_in(anchors):
        if value is owner or (type(owner) is types.CellType and value is owner):
            return name
        found = _below(name, value, owner)
        if found:
            return found
    return f"a {type(owner).__name__}"


def _name_of_cell(owner: types.CellType, anchors: Iterable[types.FunctionType]) -> str:
    """The name under which functions themselves close over a cell."""
    for function in anchors:
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if cell is owner:
                return name
    return ""


def _names_in(anchors: Iterable[types.FunctionType]) -> Iterator[tuple[str, Any]]:
    for function in anchors:
        names = function.__code__.co_freevars
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            if name not in MACHINERY:
                yield name, cell
                yield name, cell_contents(cell)
        for name in words_of(function.__code__):
            if name in function.__globals__:
                yield name, function.__globals__[name]


def _below(name: str, value: Any, owner: Any) -> str:
    held = value
    if type(value) is not dict:
        try:
            held = fields_of(value)
        except AttributeError:
            return ""
    if type(held) is not dict or len(held) > 1000:
        return ""
    for key, inner in held.items():
        if inner is owner and key == "_ferrograph_target":
            return name
        if inner is owner:
            return f"{name}[{key!r}]" if held is value else f"{name}.{key}"
    return ""


def _too_many() -> Exception:
    return errors.StagingError(
        say(
            here(),
            f"this branch or loop of the graph can reach more than {MOST_OBJECTS} Python objects, "
            "too many to tell afterwards which of them it changed",
            "Move it into a function that is given only the values that it needs.",
        )
    )
