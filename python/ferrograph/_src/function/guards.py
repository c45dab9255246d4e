"""What traced code reads from globals, closures and attributes: what a trace is good for.

While a function is traced, every Python function that runs is looked through for the names that it
reads from outside, and for the attributes that it reads of these and of its arguments. Those that
stand for numbers, strings, bools or None become guards of the trace: a later call uses it only
while they are what they were. What traced code itself writes is left out: it is its own state.
"""

from __future__ import annotations

import opcode
import sys
import types
import weakref
from functools import lru_cache

from .. import context, later
from ..context.ownership import is_library_file, is_own_module
from ..hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..context import ends
else:
    (ends,) = later(context.__name__, "ends")

__all__ = ["Reads"]

_LITERALS = frozenset((bool, int, float, complex, str, bytes, type(None)))
_NO_VALUE = object()
_MOST = 8  # attributes in a chain
_MANY = 16  # objects of a class whose methods run, that are looked at when they do


class Reads:
    """The values read from outside by the functions of one trace."""

    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}
        self._found: dict[tuple, tuple] = {}
        self._written: set[tuple] = set()
        self._bound: set[tuple] = set()
        self._held: list[Any] = []  # objects whose addresses are in ``_bound`` and ``_selves``
        self._selves: set[int] = set()  # objects whose methods run
        self._calls: dict[tuple, Any] = {}  # calls with these that were looked at: their code
        self._settled: list[tuple[list, int]] = []  # see ``settled``
        self._unmet: dict[int, Unmet] = {}  # by the ids of codes that ``_held`` holds
        self._counts: dict[type, int] = {}  # how many of these objects are of a class
        self._late: dict[int, _Late] = {}  # further ones of the class, by id: see ``_meet_late``

    def add_target(
        self, target: Any, converted: bool, args: tuple = (), kwargs: Any = None
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
        is said to be the object of a method. ``deep`` adds the functions that it names, where
        nobody will see it call them."""
        key = id(function.__closure__ or function.__code__)
        reads = function.__code__.co_names and (has_self or _has_root(function))
        chains = _chains(function.__code__) if reads else ()
        of_arguments = any(scope == "local" for scope, _, _ in chains)
        if key in self._seen:
            return of_arguments
        self._seen[key] = function  # kept, so that no other gets its address
        code, cells = function.__code__, function.__closure__ or ()
        outside = self._globals(code, function.__globals__)
        outside += self._closure(code, cells)
        if deep:
            for value in outside:
                if type(value) is types.FunctionType and not _is_library(value):
                    self.add(value, True)
        for chain in chains:
            scope, name, _ = chain
            if scope == "global":
                self._follow(function.__globals__.get(name), chain, deep)
            elif scope == "free" and name in code.co_freevars:
                value = _now(cells[code.co_freevars.index(name)], None)
                if isinstance(value, types.ModuleType | type) or id(value) in self._selves:
                    self._follow(value, chain, deep)
        return of_arguments

    def reads_others(self, function: Any) -> bool:
        """Whether a function reads attributes of other arguments than the first."""
        first = function.__code__.co_varnames[:1]
        chains = _chains(function.__code__)
        return any(scope == "local" and name not in first for scope, name, _ in chains)

    def met(self, values: tuple) -> bool:
        """Whether there are objects among values whose methods run."""
        return not self._selves.isdisjoint(map(id, values))

    def bind(self, function: Any, args: tuple, kwargs: dict, deep: bool = False) -> None:
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
        for chain in _chains(code):
            scope, name, _ = chain
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
        if (n >= _MANY or ends.is_seen(value)) and self._meet_late(value):
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
        chains = {c[2]: c for code in codes for c in _chains(code) if c[0] == "local"}
        changed = set()
        for owner, name, _, value in list(self._found.values()):
            if type(owner) is weakref.ref and _now(owner, name) is not value:
                changed.add((type(owner()), name))
        for value in alive:
            for chain in chains.values():
                if (type(value), chain[2][0]) not in changed:
                    self._follow(value, chain, False)

    def _read(self, value: Any, chain: Chain, code: types.CodeType, deep: bool = False) -> None:
        key = id(code), id(value), chain
        if key not in self._bound:
            self._bound.add(key)
            self._held += [code, value]
            self._follow(value, chain, deep)

    def asked(self, function: types.FunctionType) -> Asked | None:
        """The parameters whose objects a function has to tell; None where there are none: that of
        the object, if it stands in a class, and the others whose attributes it reads."""
        code, place = function.__code__, function.__qualname__.rpartition(".")[0]
        read = dict.fromkeys(name for scope, name, _ in _chains(code) if scope == "local")
        if not read:
            return None
        is_method = code.co_argcount > 0 and place and not place.endswith("<locals>")
        parameters = code.co_varnames[: _n_parameters(code)]
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

    def settled(self, sites: list, place: int) -> None:
        """A site takes it that a call tells nothing new: it asks again when there is another
        object whose methods run, which may be among the arguments."""
        self._settled.append((sites, place))

    def tell(self, unmet: Unmet, arguments: tuple) -> None:
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
        for chain in _chains(code):
            if chain[0] == "local" and chain[1] in names:
                self._read(value, chain, code)

    def _follow(self, value: Any, chain: Any, deep: bool) -> None:
        """Guard the literal at which a chain of attributes of ``value`` ends."""
        _, label, attributes = chain
        for name in attributes:
            label += f".{name}"
            found = _attribute(value, name)
            if type(found) in _LITERALS:
                self._guard(value, name, label, found)
                return
            if type(found) is property and type(found.fget) is types.FunctionType:
                self.add(found.fget, True)
                self.bind(found.fget, (value,), {}, True)
                return
            if deep and type(found) is types.FunctionType and not _is_library(found):
                self.add(found, True)
                self.bind(found, (value,), {}, True)
                return
            if found is _NO_VALUE:
                return
            value = found

    def _guard(self, owner: Any, name: str, label: str, value: Any) -> None:
        if type(owner) is types.ModuleType:
            place: Any = vars(owner)
        else:
            try:
                place = weakref.ref(owner)
            except TypeError:
                return
        self._found.setdefault((id(place), name), (place, name, label, value))

    def add_guards(self, guards: list[tuple]) -> None:
        """The guards of a trace that this one calls."""
        for owner, name, label, value in guards:
            self._found.setdefault((id(owner), name), (owner, name, label, value))

    def guards(self) -> list[tuple]:
        """Cell, globals or reference to an object, name there or None, label and value of each
        value read that the trace did not change."""
        if self._late:
            self._follow_late()
        kept = [entry for key, entry in self._found.items() if key not in self._written]
        return [entry for entry in kept if _now(*entry[:2]) is entry[3]]

    def _globals(self, code: types.CodeType, names: dict) -> list:
        values = [(name, names.get(name, _NO_VALUE)) for name in code.co_names]
        if any(type(value) in _LITERALS for _, value in values):
            loaded, stored, _ = _uses(code)
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

    def _closure(self, code: types.CodeType, cells: tuple) -> list:
        values = [_now(cell, None) for cell in cells]
        if any(type(value) in _LITERALS for value in values):
            stored = _stored_cells(code)
            for name, cell, value in zip(code.co_freevars, cells, values, strict=True):
                key = (id(cell), None)
                if name in stored:
                    self._written.add(key)
                elif type(value) in _LITERALS:
                    self._found.setdefault(key, (cell, None, name, value))
        return values


class _Late(weakref.ref):
    """A reference to one of many objects, which knows its address."""

    __slots__ = ("key",)
    key: int


class Unmet(set):
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
        """Tell the trace, while it is under way, the arguments that are asked for; true."""
        reads = self._reads()
        if reads is not None:
            reads.tell(self, arguments)
        return True


def _now(owner: Any, name: str | None) -> Any:
    """What stands in a cell, under a name of a module or in an attribute; a mark where nothing
    does."""
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
    found = set(_uses(code)[2])
    for nested in code.co_consts:
        if type(nested) is types.CodeType:
            found |= _stored_cells(nested)
    return found


@lru_cache(maxsize=1)
def _opcodes() -> dict[int, str]:
    loads = ["LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "EXTENDED_ARG"]
    wanted = [*loads, "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"]
    return {opcode.opmap[name]: name for name in wanted if name in opcode.opmap}


def _uses(code: types.CodeType) -> tuple[set[str], set[str], set[str]]:
    """Global names that code reads, that it writes, and cells that it writes."""
    loaded: set[str] = set()
    stored: set[str] = set()
    cells: set[str] = set()
    wanted, text, high = _opcodes(), code.co_code, 0
    for i in range(0, len(text), 2):
        name = wanted.get(text[i])
        arg = text[i + 1] | high
        high = 0
        if name is None:
            continue
        if name == "EXTENDED_ARG":
            high = arg << 8
        elif name == "LOAD_GLOBAL":
            # The lowest bit says whether a call follows.
            loaded.add(code.co_names[arg >> 1 if sys.version_info >= (3, 11) else arg])
        elif name.endswith("_DEREF"):
            cells.add(_cell_name(code, arg))
        elif name.startswith("LOAD"):
            loaded.add(code.co_names[arg])
        else:
            stored.add(code.co_names[arg])
    return loaded, stored, cells


def _cell_name(code: types.CodeType, index: int) -> str:
    if hasattr(code, "_varname_from_oparg"):
        return code._varname_from_oparg(index)
    return (code.co_cellvars + code.co_freevars)[index]


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
# Where a chain begins (``local``, ``global``, ``free``), the name there, the attributes.
Chain = tuple[str, str, tuple[str, ...]]


@lru_cache(maxsize=4096)
def _chains(code: types.CodeType) -> tuple[Chain, ...]:
    """The chains that code reads, and functions inside it as far as they read what is outside."""
    found = dict.fromkeys(_own(code))
    parameters = set(code.co_varnames[: _n_parameters(code)])
    for nested in code.co_consts:
        if type(nested) is types.CodeType:
            for chain in _chains(nested):
                scope, name, attributes = chain
                if scope == "free" and name in parameters:
                    found["local", name, attributes] = None
                elif scope != "local":
                    found[chain] = None
    return tuple(found)


def _n_parameters(code: types.CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount


_LOCAL = {"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW"}
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME"}
_FREE = {"LOAD_DEREF", "LOAD_CLASSDEREF"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_STORES = {"STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF"}
_SILENT = {"CACHE", "EXTENDED_ARG", "NOP", "PRECALL"}


def _own(code: types.CodeType) -> list[Chain]:
    """The chains in the instructions of code itself."""
    found: list[Chain] = []
    stored: set[str] = set()
    start: tuple[str, str] | None = None
    names: list[str] = []
    high, text = 0, code.co_code
    for i in range(0, len(text), 2):
        operation, arg = opcode.opname[text[i]], text[i + 1] | high
        high = arg << 8 if operation == "EXTENDED_ARG" else 0
        if operation in _SILENT:
            continue
        if operation in _ATTRIBUTE and start is not None and len(names) < _MOST:
            names.append(code.co_names[_attribute_index(operation, arg)])
            continue
        if start is not None and names:
            found.append((*start, tuple(names)))
        names = []
        start = _start(code, operation, arg)
        if operation in _STORES:
            stored.add(_local_name(code, arg))
    return [c for c in found if c[0] == "global" or c[1] not in stored]


def _start(code: types.CodeType, operation: str, arg: int) -> tuple[str, str] | None:
    if operation in _GLOBAL:
        wide = operation == "LOAD_GLOBAL" and sys.version_info >= (3, 11)
        return "global", code.co_names[arg >> 1 if wide else arg]
    if operation in _LOCAL:
        name = _local_name(code, arg)
    elif operation in _FREE:
        name = _local_name(code, arg if hasattr(code, "_varname_from_oparg") else -1 - arg)
    else:
        return None
    return ("free" if name in code.co_freevars else "local"), name


def _attribute_index(operation: str, arg: int) -> int:
    return arg >> 1 if operation == "LOAD_ATTR" and sys.version_info >= (3, 12) else arg


def _local_name(code: types.CodeType, arg: int) -> str:
    if hasattr(code, "_varname_from_oparg"):
        return code._varname_from_oparg(arg)
    return code.co_varnames[arg] if arg >= 0 else (code.co_cellvars + code.co_freevars)[-1 - arg]


def _attribute(owner: Any, name: str) -> Any:
    """What an attribute holds where reading it runs no code of the program; a property as it is.

    ``_NO_VALUE`` where there is none, or where it is not that plain.
    """
    kind = type(owner)
    if kind is types.ModuleType:
        return vars(owner).get(name, _NO_VALUE) if _is_users(owner) else _NO_VALUE
    if issubclass(kind, type):
        return _NO_VALUE if is_own_module(owner.__module__) else _in_class(owner, name)
    if is_own_module(kind.__module__) or kind.__getattribute__ is not object.__getattribute__:
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
    file = getattr(module, "__file__", None)
    if file is None:
        return getattr(module, "__spec__", None) is None
    return not is_library_file(file)


def _in_class(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return _NO_VALUE
