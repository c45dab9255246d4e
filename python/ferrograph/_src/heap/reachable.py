"""What functions can reach: a walk over objects by their type adapters, which copies their
contents."""

from __future__ import annotations

import abc
import builtins
import collections.abc
import sys
import types
from collections.abc import Container, Iterable, Iterator

from ..context import ownership
from ..context.ownership import MACHINERY
from ..hints import Any
from . import external_effects, frames, walk
from .adapters import registry
from .adapters.base import Refused, TypeAdapter, cell_contents
from .frames import IMPORTS, words_of
from .source_location import refusal

MOST_OBJECTS = 250_000
_WHOLE_MODULE = frozenset({"globals", "exec", "eval", "locals", "__globals__"})
_NAMES_ONLY = frozenset({"vars", "__dict__", "modules", "import_module"})


class Walk:
    """One walk over what functions reach."""

    def __init__(self) -> None:
        self.entries: list[tuple[TypeAdapter, Any, Any]] = []
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
        for finder in sys.meta_path:
            self.seen[id(finder)] = finder
        self._pending.append(values)
        for function in anchors:
            names = function.__code__.co_freevars
            for name, cell in zip(names, function.__closure__ or (), strict=True):
                if id(cell) not in self.seen and name not in MACHINERY:
                    self._cell(cell)
            self._read_names(function)
        imported: list[str] = []
        if IMPORTS in self._words:
            imported = [w.removeprefix(IMPORTS) for w in self._words if w.startswith(IMPORTS)]
            self._modules += [sys.modules[name] for name in imported if name in sys.modules]
        self._follow()
        while self._modules and self._look_into_modules():
            self._follow()
        if "register" in self._words:
            self.entries += self._registers()
        is_asked = "modules" in self._words
        if is_asked or (imported and "modules" in frames.words_in_reach()):
            modules = external_effects.Modules(imported)
            self.entries.append((modules, sys.modules, modules.hold(sys.modules)))
        if "__annotations__" in self._words:
            self._pending.append(list(registry.annotations_of(self.seen.values())))
            self._follow()
        if self._told:
            self.entries += external_effects.states(self._told.values(), self._words)
        if self._modules:
            named = {ownership.said_by(module, "__name__") for module in self._modules}
            self.entries += external_effects.settings(named, self._words, frames.words_in_reach)
        for namespace, held in self._names.values():
            adapter = registry.ALL_NAMES if id(namespace) in self._whole else registry.NAMES
            self.entries.append((adapter, namespace, held))

    def _cell(self, cell: types.CellType) -> None:
        self.seen[id(cell)] = cell
        value = cell_contents(cell)
        self.entries.append((registry.CELL, cell, (value,)))
        if registry.adapters_of(type(value)):
            self._pending.append((value,))

    def _follow(self) -> None:
        seen, entries, pending = self.seen, self.entries, self._pending
        known = registry.known()
        while pending:
            for value in pending.pop():
                adapters = known.get(id(type(value)))
                if adapters is None:
                    adapters = registry.adapters_of(type(value))
                if not adapters or id(value) in seen:
                    continue
                seen[id(value)] = value
                first = adapters[0]
                if first is registry.FUNCTION:
                    adapters = self._function(value)
                elif first is registry.CLASS and ownership.is_library_class(value):
                    self._classes.append(value)
                    continue
                elif first is registry.MODULE:
                    self._modules.append(value)
                elif first is registry.BY_WORDS:
                    self._told[id(value)] = value
                    if len(adapters) == 1:  # no attribute of it is compared
                        del seen[id(value)]
                elif first is registry.BUILTIN:
                    self._words |= {value.__name__}
                for adapter in adapters:
                    held = adapter.hold(value)
                    if held is not None:
                        entries.append((adapter, value, held))
                    pending.append(adapter.parts(value, held))
            if len(seen) > MOST_OBJECTS:
                raise _too_many()

    def _function(self, function: types.FunctionType) -> tuple[TypeAdapter, ...]:
        """Look into a function; what of itself is compared."""
        adapters = registry.adapters_of(types.FunctionType)
        if ownership.is_library_file(function.__code__.co_filename):
            if function.__module__ in external_effects.WITH_SETTINGS:
                self._modules.append(sys.modules[function.__module__])
                self._words |= {function.__name__}
            return adapters[:2] if function.__closure__ else adapters[:1]
        self._read_names(function)
        return adapters

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

    def _registers(self) -> Iterator[tuple[TypeAdapter, Any, Any]]:
        """What is registered with the abstract classes of libraries that code reached names."""
        named = (
            ownership.said_by(module, word) for module in self._modules for word in self._words
        )
        found = {id(c): c for c in (*self._classes, *named) if issubclass(type(c), abc.ABCMeta)}
        for cls in found.values():
            if ownership.is_library_class(cls):
                yield registry.REGISTERED, cls, registry.REGISTERED.hold(cls)

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
            if is_users_module(module):
                more |= self._take(names, self._words, self._words)
            elif not ownership.is_own_module(called):
                found = [names[word] for word in self._words if _may_change(names.get(word))]
                if called in ("decimal", "_decimal"):  # whose numbers are made by such settings
                    found.append(names["getcontext"]())
                self._pending.append(found)
                more |= any(id(value) not in self.seen for value in found)
        return more


def is_users_module(module: types.ModuleType) -> bool:
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
    is_mapping = issubclass(type(value), collections.abc.MutableMapping)
    if is_mapping or type(value) in (list, set):
        return value is not sys.modules
    # Settings, as ``decimal.DefaultContext``.
    found = registry.adapters_of(type(value))
    return any(isinstance(adapter, Refused) and adapter.is_content for adapter in found)


_METHODS = (types.MethodType, types.BuiltinMethodType)


def _too_many() -> Exception:
    return refusal(
        f"this staged branch or loop can reach more than {MOST_OBJECTS} Python objects, too many "
        "to compare for side effects",
        "Move it into a function that is given only the values that it needs.",
    )


def label_of(owner: Any, anchors: Iterable[types.FunctionType]) -> str:
    """How the user's code calls an object: by a name, or a name and an attribute or a key."""
    if issubclass(type(owner), type):
        return owner.__name__
    if type(owner) is types.CellType:
        for function in anchors:
            cells = function.__closure__ or ()
            for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
                if cell is owner:
                    return name
    named = list(_names_in(anchors))
    labels = [name for name, value in named if value is owner]
    labels = labels or [label for name, value in named if (label := _below(name, value, owner))]
    return labels[0] if labels else f"a {type(owner).__name__}"


def _names_in(anchors: Iterable[types.FunctionType]) -> Iterator[tuple[str, Any]]:
    for function in anchors:
        names = function.__code__.co_freevars
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            if name not in MACHINERY:
                yield name, cell_contents(cell)
        for name in words_of(function.__code__):
            if name in function.__globals__:
                yield name, function.__globals__[name]


def _below(name: str, value: Any, owner: Any) -> str:
    held = value if type(value) is dict else walk.attributes(value)
    if type(held) is not dict or len(held) > 1000:
        return ""
    for key, inner in held.items():
        if inner is owner:
            is_ours = key == "_ferrograph_target"
            return name if is_ours else f"{name}[{key!r}]" if held is value else f"{name}.{key}"
    return ""
