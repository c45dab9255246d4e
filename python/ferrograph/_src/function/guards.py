"""Guards: what traced code reads from globals, closures and attributes, and must find unchanged.

While a function is traced, the code of every Python function that runs is analysed for the names
that it reads from outside, and for the attributes and items that it reads of these and of its
arguments (``chains.py``). Those that are numbers, strings, bools or None become guards of the
trace: a later call uses it only while they have the same values. Of lists, tuples, dictionaries and
sets the parts that were read are guarded (``contents.py``); for an object that cannot be guarded
one warning says that its value is frozen in the trace. What traced code writes itself is left out:
it is its own state.
"""

from __future__ import annotations

import types
import weakref

from .. import context, later
from ..context.ownership import is_library_file, is_own_module, said_by
from ..hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..context import finalizers
    from . import chains, contents
    from .chains import Chain
else:
    (finalizers,) = later(context.__name__, "finalizers")
    chains, contents = later(__package__, "chains", "contents")

__all__ = ["Reads"]

_LITERALS = frozenset((bool, int, float, complex, str, bytes, type(None)))
_NO_VALUE = object()
_CONTAINERS = frozenset((list, dict, tuple, set, frozenset))
_FLAGS = 1 << 25 | 1 << 26 | 1 << 29  # of classes of lists, tuples and dictionaries
# How attributes are read where that runs no code of a class.
_PLAIN_READS = (object.__getattribute__, types.SimpleNamespace.__getattribute__)
_MOST_FACTS = 256  # of containers, in one trace
_MANY = 16  # objects of a class whose methods run, that are looked at when they do


class Reads:
    """The values read from outside by the functions of one trace."""

    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}
        self._found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._written: set[tuple[Any, ...]] = set()
        self._bound: set[tuple[Any, ...]] = set()
        self._held: list[Any] = []  # objects whose addresses are in ``_bound`` and ``_selves``
        self._selves: set[int] = set()  # objects whose methods run
        self._calls: dict[
            tuple[Any, ...], Any
        ] = {}  # calls with these that were looked at: their code
        self._settled: list[tuple[list[Any], int]] = []  # see ``settled``
        self._unmet: dict[int, Unmet] = {}  # by the ids of codes that ``_held`` holds
        self._counts: dict[type[Any], int] = {}  # how many of these objects are of a class
        self._late: dict[int, _Late] = {}  # further ones of the class, by id: see ``_meet_late``
        # By owner and name there: owner, name, label and what was read of the container.
        self._roots: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._left = [_MOST_FACTS]
        self._special: set[int] = set()  # codes that read for what is asked of objects
        self.frozen: dict[str, str] = {}  # by label: why changes are not noticed

    def add_target(
        self, target: Any, converted: bool, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> None:
        """The function that is traced, whatever kind of callable it is, and its arguments."""
        while hasattr(target, "func"):  # a partial
            args, kwargs = target.args + args, {**target.keywords, **(kwargs or {})}
            target = target.func
        has_self = type(target) is not types.FunctionType
        if hasattr(target, "__func__"):
            args, target = (target.__self__, *args), target.__func__
        if type(target) is not types.FunctionType:
            args = (target, *args)
            target = getattr(type(target), "__call__", None)  # noqa: B004 - the function itself
        if type(target) is types.FunctionType:
            self.add(target, not converted, has_self)
            self.bind(target, args, kwargs or {}, not converted)

    def add(self, function: types.FunctionType, deep: bool = False, has_self: bool = True) -> bool:
        """A function that runs; whether it reads attributes of its arguments, unless none of these
        is said to be the object of a method. ``deep`` adds the functions that it names, where its
        calls of them are not seen."""
        key = id(function.__closure__ or function.__code__)
        code, cells = function.__code__, function.__closure__ or ()
        reads = code.co_freevars or (code.co_names and (has_self or _has_root(function)))
        found = chains.chains_of(code) if reads else ()
        of_arguments = any(chain[0] == "local" for chain in found)
        if key in self._seen:
            return of_arguments
        self._seen[key] = function  # kept, so that no other gets its address
        names = function.__globals__
        outside = self._globals(code, names)
        outside += self._closure(code, cells)
        if deep:
            for value in outside:
                if type(value) is types.FunctionType and not _is_library(value):
                    self.add(value, True)
        for chain in found:
            scope, name, steps, _ = chain
            if scope == "global":
                value = names.get(name)
                if steps or _may_hold(value):
                    root = names, name, f"{names.get('__name__', '')}.{name}"
                    self._follow(value, chain, deep, code, root)
            elif scope == "free" and name in code.co_freevars:
                cell = cells[code.co_freevars.index(name)]
                value = _now(cell, None)
                known = isinstance(value, types.ModuleType | type) or id(value) in self._selves
                if known or _may_hold(value) or chains.has_item(chain):
                    self._follow(value, chain, deep, code, (cell, None, name), not known)
        return of_arguments

    def reads_others(self, function: Any) -> bool:
        """Whether a function reads attributes of other arguments than the first."""
        first = function.__code__.co_varnames[:1]
        found = chains.chains_of(function.__code__)
        return any(scope == "local" and name not in first for scope, name, *_ in found)

    def met(self, values: tuple[Any, ...]) -> bool:
        """Whether there are objects among values whose methods run."""
        return not self._selves.isdisjoint(map(id, values))

    def bind(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any], deep: bool = False
    ) -> None:
        """What a function is called with: the attributes that it reads of objects whose methods
        run belong to the trace. Those of other arguments are as documented: not seen to change."""
        code = function.__code__
        if args:
            self._meet(args[0], code)
        ids = [*map(id, args), *map(id, kwargs.values())]
        if self._selves.isdisjoint(ids):
            return
        met = (id(code), *kwargs, *[i if i in self._selves else 0 for i in ids])
        if met in self._calls:
            return
        self._calls[met] = code
        values = dict(zip(code.co_varnames[: code.co_argcount], args, strict=False), **kwargs)
        for chain in chains.chains_of(code):
            scope, name, *_ = chain
            if scope != "local" or name not in values:
                continue
            value = values[name]
            if id(value) in self._selves:
                self._read(value, chain, code, deep)

    def _meet(self, value: Any, code: types.CodeType) -> None:
        """What code is called with first: an object whose methods run where it has one so named."""
        kind = type(value)
        if id(value) in self._selves or not hasattr(kind, code.co_name):
            return
        n = self._counts.get(kind, 0)
        if (n >= _MANY or finalizers.is_seen(value)) and self._meet_late(value):
            return
        self._counts[kind] = n + 1
        self._selves.add(id(value))
        self._held.append(value)
        for sites, place in self._settled:
            sites[place] = _NO_VALUE  # which no call is of
        self._settled.clear()
        for unmet in self._unmet.values():
            unmet.add(id(value))

    def _meet_late(self, value: Any) -> bool:
        """Note one of many objects, most of which end with the trace that makes them, or one whose
        end the program may see: only those that outlive it are looked at. False where a class does
        not let its objects be noted."""
        key = id(value)
        if key in self._late and self._late[key]() is value:
            return True
        try:
            late = _Late(value, self._gone)
        except TypeError:
            return False
        late.key = key
        self._late[key] = late
        return True

    def _gone(self, late: Any) -> None:
        """One of many objects has ended: another one may get its address."""
        key = late.key
        if self._late.get(key) is late:
            del self._late[key]
        for unmet in self._unmet.values():
            unmet.met.discard(key)

    def _follow_late(self) -> None:
        """Guard what functions of the trace read of their arguments, as it is of those of many
        objects that live on. What the trace changed of others of their class is its own state."""
        alive = [v for late in list(self._late.values()) if (v := late()) is not None]
        self._late.clear()
        if not alive:
            return
        codes = {f.__code__ for f in self._seen.values()} | set(self._calls.values())
        read = {
            c[2:]: (c, code) for code in codes for c in chains.chains_of(code) if c[0] == "local"
        }
        changed = set()
        for owner, name, _, value in list(self._found.values()):
            if type(owner) is weakref.ref and _now(owner, name) is not value:
                changed.add((type(owner()), name))
        for value in alive:
            for chain, code in read.values():
                if (type(value), chain[2][0]) not in changed:
                    self._follow(value, chain, False, code)

    def _read(self, value: Any, chain: Chain, code: types.CodeType, deep: bool = False) -> None:
        key = id(code), id(value), chain
        if key not in self._bound:
            self._bound.add(key)
            self._held += [code, value]
            self._follow(value, chain, deep, code)

    def asked(self, function: types.FunctionType) -> Asked | None:
        """The parameters whose objects a function has to tell; None where there are none: that of
        the object, if it stands in a class, and the others whose attributes it reads."""
        code, place = function.__code__, function.__qualname__.rpartition(".")[0]
        found = chains.chains_of(code)
        read = dict.fromkeys(name for scope, name, *_ in found if scope == "local")
        if not read:
            return None
        is_method = code.co_argcount > 0 and place and not place.endswith("<locals>")
        parameters = code.co_varnames[: chains.n_parameters(code)]
        first = parameters[0] if is_method else None
        others = tuple(n for n in read if n in parameters and n != first)
        return (first, others) if first is not None or others else None

    def unmet(self, function: types.FunctionType) -> Unmet:
        """What a function has still to tell of the arguments that it is asked for."""
        code = function.__code__
        found = self._unmet.get(id(code))
        if found is None:
            found = self._unmet[id(code)] = Unmet(self, function)
            self._held.append(code)
        return found

    def holds(self, value: Any) -> bool:
        """Whether an object whose methods run is held for as long as the trace."""
        return id(value) in self._selves

    def settled(self, sites: list[Any], place: int) -> None:
        """A site takes it that a call tells nothing new: it asks again when there is another
        object whose methods run, which may be among the arguments."""
        self._settled.append((sites, place))

    def tell(self, unmet: Unmet, arguments: tuple[Any, ...]) -> None:
        """``bind`` for the arguments that a function is asked for. An object that it is given as
        one of several is looked at for all of these but the first."""
        code, first, others = unmet.code, unmet.first, unmet.others
        if first is not None:
            target, arguments = arguments[0], arguments[1:]
            self._meet(target, code)
            if id(target) in self._selves:
                unmet.met.add(id(target))
                self._read_all(target, (first,), code)
            elif id(target) in self._late:
                unmet.met.add(id(target))
        for value in arguments:
            if id(value) in unmet:
                unmet.remove(id(value))
                self._read_all(value, others, code)

    def _read_all(self, value: Any, names: tuple[str, ...], code: types.CodeType) -> None:
        for chain in chains.chains_of(code):
            if chain[0] == "local" and chain[1] in names:
                self._read(value, chain, code)

    def _follow(
        self,
        value: Any,
        chain: Chain,
        deep: bool,
        code: types.CodeType,
        root: tuple[Any, ...] | None = None,
        items_only: bool = False,
    ) -> None:
        """Guard what a chain of code reads of ``value``: the literal at which its attributes end,
        or what it reads of a container. ``root`` says where the value stands, if that is known."""
        scope, label, steps, use = chain
        n_read = 0
        for name in steps:
            if _may_hold(value):
                break
            if type(name) is not str:
                self._ask(value, "__getitem__", label)
                return
            label += f".{name}"
            owner, value = value, _attribute(value, name)
            if type(value) in _LITERALS:
                if not items_only:
                    self._guard(owner, name, label, value)
                return
            if type(value) is property and type(value.fget) is types.FunctionType:
                if not items_only:
                    self.add(value.fget, True)
                    self.bind(value.fget, (owner,), {}, True)
                return
            if deep and type(value) is types.FunctionType and not _is_library(value):
                self.add(value, True)
                self.bind(value, (owner,), {}, True)
                return
            if value is _NO_VALUE:
                return
            root = owner, name, label
            n_read += 1
        if not _may_hold(value):
            for method in chains.METHODS.get(use[0], ()):
                self._ask(value, method, label)
        elif root is not None and self._is_looked_at(code):
            self._read_contents(value, root, (scope, label, steps[n_read:], use), deep, code)

    def _is_looked_at(self, code: types.CodeType) -> bool:
        """Whether what code reads of containers is guarded: the program's, and what it asks."""
        return id(code) in self._special or not is_library_file(code.co_filename)

    def _read_contents(
        self, value: Any, root: tuple[Any, ...], chain: Chain, deep: bool, code: types.CodeType
    ) -> None:
        """Note what the rest of a chain reads of a container that stands somewhere."""
        scope, _, steps, use = chain
        owner, name, label = root
        place = owner if type(owner) in (dict, types.CellType) else _place(owner)
        if place is None or (type(place) is dict and name not in place):
            self.frozen.setdefault(label, "there are no weak references to its object")
            return
        if contents.form_of(value) is None:
            self._ask(value, "__getitem__", label)
            return
        *_, read = self._roots.setdefault(
            (id(place), name), (place, name, label, contents.Read(value))
        )
        if read.value is not value:
            return  # another one stands there by now: what traced code assigns is its own
        method = None
        for i, step in enumerate(steps):
            key = contents.key_of_attribute(read.value, step) if type(step) is str else step.key
            if key is contents.NO_VALUE:
                method = step
                use = use if i == len(steps) - 1 else chains.ANY
                break
            label += f"[{key!r}]"
            found, inner = read.item(key), read.nested(key)
            if inner is None:
                if found is not contents.NO_VALUE and type(found) not in _LITERALS:
                    self._follow(found, (scope, label, steps[i + 1 :], use), deep, code)
                return
            read = inner
        try:
            if read.note(use, method, self._left):
                for path, data in list(read.objects()):
                    self._read_fields(data, label + path, code)
        except contents.Unguarded as e:
            self.frozen.setdefault(label, str(e))

    def _read_fields(self, value: Any, label: str, code: types.CodeType) -> None:
        """Guard what is in an object of plain data in a container that is read as a whole."""
        for name in contents.fields_of(value):
            found, path = _attribute(value, name), f"{label}.{name}"
            if type(found) in _LITERALS:
                self._guard(value, name, path, found)
            elif _may_hold(found):
                rest = "global", path, (), chains.ANY
                self._read_contents(found, (value, name, path), rest, False, code)

    def _ask(self, value: Any, name: str, label: str) -> None:
        """Look at the special method of an object's class that answers in its place."""
        kind = type(value)
        function = _in_class(kind, name)
        if type(function) is types.FunctionType and not _is_library(function):
            met = id(function.__code__), id(value)
            if met in self._calls:
                return
            self._calls[met] = function.__code__
            self._held.append(value)
            self._special.add(id(function.__code__))
            before = len(self._found) + len(self._roots)
            self.add(function, True)
            self.bind(function, (value,), {}, True)
            if name == "__getitem__" and len(self._found) + len(self._roots) == before:
                self.frozen.setdefault(label, f"{kind.__name__} has a __getitem__ of its own")
        elif name == "__getitem__" and kind.__module__ == "numpy" and kind.__name__ == "ndarray":
            self.frozen.setdefault(label, "it is an array, read as Python values")

    def _guard(self, owner: Any, name: str, label: str, value: Any) -> None:
        place = _place(owner)
        if place is not None and (type(place) is not dict or name in place):
            self._found.setdefault((id(place), name), (place, name, label, value))

    def add_guards(self, guards: list[tuple[Any, ...]]) -> None:
        """The guards of a trace that this one calls."""
        for owner, name, label, value in guards:
            kind = None if type(value) in _LITERALS else id(value)
            key = (id(owner), name) if kind is None else (id(owner), name, kind)
            self._found.setdefault(key, (owner, name, label, value))

    def guards(self) -> list[tuple[Any, ...]]:
        """Cell, globals or reference to an object, name there or None, label and value of each
        value read that the trace did not change."""
        if self._late:
            self._follow_late()
        kept = [entry for key, entry in self._found.items() if key[:2] not in self._written]
        found = [entry for entry in kept if _holds(entry[3], _now(*entry[:2]))]
        for key, (owner, name, label, read) in self._roots.items():
            if key not in self._written:
                expected = read.expected(_now(owner, name))
                if expected is not None:
                    found.append((owner, name, label, expected))
        return found

    def _globals(self, code: types.CodeType, names: dict[Any, Any]) -> list[Any]:
        values = [(name, names.get(name, _NO_VALUE)) for name in code.co_names]
        if any(type(value) in _LITERALS or _may_hold(value) for _, value in values):
            loaded, stored, _ = chains.uses(code)
            module = names.get("__name__", "")
            for name, value in values:
                key = (id(names), name)
                if name in stored:
                    self._written.add(key)
                elif name in loaded and type(value) in _LITERALS:
                    self._found.setdefault(key, (names, name, f"{module}.{name}", value))
        inner = [c for c in code.co_consts if type(c) is types.CodeType]
        found = [value for _, value in values]
        for nested in inner:
            found += self._globals(nested, names)
        return found

    def _closure(self, code: types.CodeType, cells: tuple[Any, ...]) -> list[Any]:
        values = [_now(cell, None) for cell in cells]
        if any(type(value) in _LITERALS or _may_hold(value) for value in values):
            stored = _stored_cells(code)
            for name, cell, value in zip(code.co_freevars, cells, values, strict=True):
                key = (id(cell), None)
                if name in stored:
                    self._written.add(key)
                elif type(value) in _LITERALS:
                    self._found.setdefault(key, (cell, None, name, value))
        return values


class _Late(weakref.ref[Any]):
    """A reference to one of many objects, which knows its address."""

    __slots__ = ("key",)
    key: int


class Unmet(set[Any]):
    """What a function that reads attributes of its arguments has still to tell its trace: the
    objects whose methods run that it has not had as an argument yet, by id.

    ``met`` are those of which it has run as a method. A call that brings nothing new costs a test
    of each, in the function itself.
    """

    __slots__ = ("_reads", "code", "first", "met", "others")

    def __init__(self, reads: Reads, function: types.FunctionType) -> None:
        super().__init__(reads._selves)
        self._reads, self.code = weakref.ref(reads), function.__code__
        self.first, self.others = reads.asked(function) or (None, ())
        self.met: set[int] = set()

    def tell(self, *arguments: Any) -> bool:
        """Report to the active trace the arguments that it asked for; returns True."""
        reads = self._reads()
        if reads is not None:
            reads.tell(self, arguments)
        return True


def _now(owner: Any, name: str | None) -> Any:
    """The value of a cell, a name of a module or an attribute; a mark where it is unset."""
    if name is not None:
        if type(owner) is weakref.ref:
            return getattr(owner(), name, _NO_VALUE)
        return owner.get(name, _NO_VALUE)
    try:
        return owner.cell_contents
    except ValueError:
        return _NO_VALUE


def _stored_cells(code: types.CodeType) -> set[str]:
    """Names of variables of outer functions that code assigns, also in functions inside it."""
    found = set(chains.uses(code)[2])
    for nested in code.co_consts:
        if type(nested) is types.CodeType:
            found |= _stored_cells(nested)
    return found


def _place(owner: Any) -> Any:
    """Where the attributes of an object are looked up: the names of a module, else a reference to
    it; where there are none its names, and None where it has none of its own."""
    if type(owner) is types.ModuleType:
        return vars(owner)
    try:
        return weakref.ref(owner)
    except TypeError:
        names = getattr(owner, "__dict__", None)
        return names if type(names) is dict else None


def _may_hold(value: Any) -> bool:
    """Whether a value is of a class of lists, tuples, dictionaries or sets."""
    kind = type(value)
    return (
        kind in _CONTAINERS or kind.__flags__ & _FLAGS != 0 or isinstance(value, (set, frozenset))
    )


def _holds(expected: Any, now: Any) -> bool:
    """Whether the value in a location is the one that a guard expects."""
    return now is expected or (type(expected) not in _LITERALS and expected.holds(now))


def _is_library(function: types.FunctionType) -> bool:
    return is_own_module(function.__module__)


def _has_root(function: types.FunctionType) -> bool:
    """Whether a chain that is followed may begin beside the arguments: at a cell, in a function
    inside, or at a global that is not the library's."""
    code, names = function.__code__, function.__globals__
    if code.co_freevars or any(type(c) is types.CodeType for c in code.co_consts):
        return True
    found = (names.get(name) for name in code.co_names)
    return any(v is not None and not _is_plain(v) for v in found)


def _is_plain(value: Any) -> bool:
    """Whether no attribute of a global is a guard: of numbers, functions, the library."""
    if type(value) is types.ModuleType:
        return is_own_module(value.__name__)
    return type(value) in _LITERALS or type(value) is types.FunctionType


# The parameter of a method's object, and the others whose attributes it reads.
Asked = tuple["str | None", tuple[str, ...]]


def _attribute(owner: Any, name: str) -> Any:
    """What an attribute holds where reading it runs no code of the program; a property as it is.

    ``_NO_VALUE`` where there is none, or where it is not that plain.
    """
    kind = type(owner)
    if kind is types.ModuleType:
        return vars(owner).get(name, _NO_VALUE) if _is_users(owner) else _NO_VALUE
    if issubclass(kind, type):
        return _NO_VALUE if is_own_module(owner.__module__) else _in_class(owner, name)
    if is_own_module(kind.__module__) or kind.__getattribute__ not in _PLAIN_READS:
        return _NO_VALUE
    shared = _in_class(kind, name)
    if isinstance(shared, (property, types.MemberDescriptorType)):
        return shared if type(shared) is property else getattr(owner, name, _NO_VALUE)
    if hasattr(type(shared), "__set__") and shared is not _NO_VALUE:
        return _NO_VALUE
    held = getattr(owner, "__dict__", None)
    return held.get(name, shared) if type(held) is dict else shared


def _is_users(module: types.ModuleType) -> bool:
    """Whether a module is the program's: also one that the program itself has made."""
    file = said_by(module, "__file__")
    if file is None:
        return said_by(module, "__spec__") is None
    return not is_library_file(file)


def _in_class(kind: type[Any], name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return _NO_VALUE
