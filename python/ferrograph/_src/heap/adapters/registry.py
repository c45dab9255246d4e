"""The registry of type adapters: those of a class are found once and cached.

Immutable objects have none: numbers, tensors, functions of libraries, modules of libraries,
loggers, locks. An object with unreadable mutable state is *opaque*: calls of its methods in a
region are refused, since their side effects cannot be detected.
"""

from __future__ import annotations

import abc
import collections
import functools
import sys
import threading
import types
import weakref
from collections.abc import Iterable

from ...context import ownership
from ...context.by_class import ByClass
from ...context.referents import referents as direct_referents
from ...hints import Any
from ...native import _core
from .. import external_effects, frames, walk
from ..external_effects import teller
from ..location import Location
from .base import (
    STEPS,
    AllNames,
    Arguments,
    Aside,
    Cell,
    ClassFields,
    Fields,
    Hidden,
    Items,
    Kept,
    Mapping,
    Members,
    Names,
    OfClass,
    PlainList,
    Position,
    Refused,
    Slots,
    State,
    Subclasses,
    Through,
    TypeAdapter,
    names_of_class,
    referents,
    registered,
)

_LEAVES: tuple[type, ...] = (
    int, float, complex, str, bytes, bool, type(None), type(Ellipsis), type(NotImplemented), range,
    types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    types.FrameType, types.TracebackType, _core.Tensor, _core.VariableBase,
)  # fmt: skip
# Modules of the standard library whose objects have no state that a program means to change there.
_STATELESS = frozenset(
    {"threading", "_thread", "logging", "re", "datetime", "decimal", "fractions", "uuid", "_abc"}
    | {"typing", "abc", "inspect", "enum", "zoneinfo", "_struct", "_contextvars", "_sre"}
    | {"importlib", "_frozen_importlib", "_frozen_importlib_external", "zipimport", "dis"}
    | {"concurrent.futures.thread", "concurrent.futures._base", "multiprocessing", "asyncio"}
    | {"_functools", "pathlib", "_asyncio", "select", "_socket", "_ssl"}
)

# Attributes of library classes that are no state of user code, by module and class name: those that
# the library clears at each call before it fills them, and that a call leaves with tensors of its
# graph, which are checked where they are used; and the memory of an array, which is compared with
# the array.
_LEFT_OUT = {
    ("keras.src.layers.layer", "Layer"): frozenset({"_losses", "_loss_ids"}),
    ("numpy", "memmap"): frozenset({"_mmap"}),
}


def _function(function: types.FunctionType) -> Iterable:
    names = function.__code__.co_freevars
    for name, cell in zip(names, function.__closure__ or (), strict=True):
        if name not in ownership.MACHINERY:
            yield cell
    yield from function.__defaults__ or ()
    if function.__kwdefaults__:
        yield function.__kwdefaults__


def viewed(view: memoryview) -> Iterable:
    """What a view shows, while it is not released."""
    try:
        return (view.obj,)
    except ValueError:  # it is released
        return ()


def annotations_of(found: Iterable) -> Iterable:
    """The annotations of user-defined functions and classes among the objects that a walk has
    found."""
    for value in found:
        if type(value) is types.FunctionType:
            if not ownership.is_library_file(value.__code__.co_filename):
                yield value.__annotations__
        elif isinstance(value, type):
            yield from (vars(value).get(name) for name in _ANNOTATIONS)


_ANNOTATIONS = ("__annotations__", "__annotations_cache__")


FUNCTION, BUILTIN = Through(_function), Through(lambda held: (held.__self__,))
PARTIAL = Through(lambda held: (held.func, *held.args, *held.keywords.values()))
REFERENCE = Through(lambda held: (held(),))
OF_ALIAS = Through(  # the class and the arguments of a generic alias
    lambda alias: (getattr(alias, "__origin__", None), *getattr(alias, "__args__", ()))
)
_CONTAINERS: tuple[tuple[type, TypeAdapter], ...] = (
    (list, Items(list)),
    (collections.OrderedDict, Mapping(collections.OrderedDict)),
    (dict, Mapping()),
    (set, Members()),
    (collections.deque, Items(collections.deque)),
    (tuple, Through(tuple.__iter__)),
    (frozenset, Through(frozenset.__iter__)),
    (functools.partial, PARTIAL),
    (weakref.ref, REFERENCE),
)
_IN_STEP = (collections.deque, collections.OrderedDict)  # whose iterators see any other change
CELL, FIELDS, CLASS, NAMES = Cell(), Fields(), ClassFields(), Names()
CLASS_NAMES = Aside(names_of_class, "name or bases")
ALL_NAMES, SUBCLASSES = AllNames(), Subclasses()
REGISTERED = Aside(registered, "registered classes")
ARGUMENTS = Arguments()
KEPT_OF_FUNCTION = Kept(
    "__code__", "__defaults__", "__kwdefaults__", "__doc__", "__name__", "__qualname__"
)
GETTERS = Aside(teller("fget fset fdel"), "getters")
_OF_FUNCTION, WRAPPED = (
    Through(lambda held: (held.__func__,)),
    Aside(teller("__func__"), "function"),
)
MODULE = Through(lambda held: ())  # the names that code reads are looked for in a walk
OF_CLASS = OfClass()
# Of what has a state that is held only where code says so: see ``external_effects``.
BY_WORDS = Through(external_effects.behind)


def _referents(value: Any) -> Iterable:
    """The references of an object of a native class, without its attributes, which are compared."""
    try:
        fields = object.__getattribute__(value, "__dict__")
    except AttributeError:
        fields = None
    return [held for held in referents(value) if held is not fields]


_REFERENTS = Through(_referents)

_known = ByClass()
_GIVEN: dict[type, tuple[TypeAdapter, ...]] = {
    list: (PlainList(),),
    dict: (Mapping(),),
    set: (Members(),),
    tuple: (Through(lambda held: held),),
    frozenset: (Through(lambda held: held),),
    types.CellType: (CELL,),
    types.ModuleType: (MODULE,),
    type: (CLASS, SUBCLASSES, CLASS_NAMES),
    types.FunctionType: (FUNCTION, FIELDS, KEPT_OF_FUNCTION),
    types.MethodType: (Through(lambda method: (method.__self__, method.__func__)),),
    types.BuiltinFunctionType: (BUILTIN,),
    **dict.fromkeys(types.BuiltinFunctionType.__subclasses__(), (BUILTIN,)),
    types.MethodWrapperType: (Through(lambda held: (held.__self__,)),),
    types.MappingProxyType: (Through(direct_referents),),
    functools.partial: (PARTIAL, ARGUMENTS, FIELDS),
    property: (Through(lambda held: (held.fget, held.fset, held.fdel)), GETTERS),
    staticmethod: (_OF_FUNCTION, FIELDS, WRAPPED),
    classmethod: (_OF_FUNCTION, FIELDS, WRAPPED),
    functools.cached_property: (Through(lambda held: (held.func,)), FIELDS),
    weakref.ref: (REFERENCE,),
    **dict.fromkeys(weakref.ProxyTypes, (Through(lambda proxy: (walk.proxied(proxy),)),)),
    memoryview: (BY_WORDS, Through(viewed)),
    slice: (Through(lambda held: (held.start, held.stop, held.step)),),
    types.GenericAlias: (OF_ALIAS,),
    **dict.fromkeys(_LEAVES, ()),
}
for _kind, _facets in _GIVEN.items():
    _known.keep(_kind, _facets)


def adapters_of(kind: type) -> tuple[TypeAdapter, ...]:
    """The type adapters of ``kind``; empty where its instances are immutable."""
    found = _known.found.get(id(kind))
    return _known.keep(kind, tuple(_learn(kind))) if found is None else found


def known() -> dict[int, tuple[TypeAdapter, ...]]:
    """The type adapters found so far, by the ids of classes: for loops over many objects."""
    return _known.found


def register(kind: type, *found: TypeAdapter) -> None:
    """Say how instances of a class of this package's are compared."""
    _known.keep(kind, found)


def content_place(value: Any) -> Location | None:
    """The place of all that an object holds; None of what holds nothing, or not as one location."""
    adapter = next((f for f in adapters_of(type(value)) if f.is_content), None)
    return adapter.place(value, f"a {type(value).__name__}") if adapter is not None else None


def is_opaque(kind: type) -> bool:
    """Whether the side effects of methods on an instance of ``kind`` cannot be detected."""
    return _REFERENTS in adapters_of(kind)


def has_library_fields(cls: type) -> bool:
    """Whether a library's code reads the attributes of objects of a class."""
    if cls is types.SimpleNamespace or cls is types.FunctionType:
        return False
    return ownership.is_library_class(cls)


def _learn(kind: type) -> Iterable[TypeAdapter]:
    if issubclass(kind, types.ModuleType):
        if _is_programs_module(kind):
            yield MODULE
        return
    if issubclass(kind, type):
        yield from (CLASS, SUBCLASSES, CLASS_NAMES)
        if _hides_fields(kind):
            yield Hidden()
        if issubclass(kind, abc.ABCMeta):
            yield REGISTERED
        return
    if external_effects.told_of(kind) is not None:
        yield BY_WORDS
    behind = _behind(kind)
    if behind is not None:
        yield behind
    if _is_leaf(kind) and kind not in _states():
        return
    stored = _storage(kind) if behind is not _CACHED else None
    if stored is not None:
        yield stored
    if issubclass(kind, _IN_STEP):
        yield STEPS
    if stored is _REFERENTS:
        yield external_effects.SHOWN
    if any((base.__module__, base.__name__) in _SHOWING for base in kind.__mro__):
        yield external_effects.BEHIND
    if kind.__name__ == _SCANNER:
        yield external_effects.OWN_POSITION
    if external_effects.growing(kind) is not None:
        yield external_effects.VIEWS
    slots = _slots(kind)
    if slots:
        yield Slots(slots)
    if _hides_fields(kind):
        yield Hidden()
    elif "__dict__" in _described(kind):
        left_out = _left_out(kind)
        yield Fields(left_out) if left_out else FIELDS
    if not ownership.is_library_class(kind):
        yield OF_CLASS


def _is_programs_module(kind: type) -> bool:
    """Whether a class of modules is the program's."""
    if ownership.is_own_module(kind.__module__) or kind.__module__ in sys.builtin_module_names:
        return False
    file = ownership.said_by(sys.modules.get(kind.__module__), "__file__")
    return file is None or not ownership.is_library_file(file)


def _behind(kind: type) -> TypeAdapter | None:
    """How to reach what objects of the standard library give back that have nothing else which a
    program means to change."""
    if issubclass(kind, threading.local):
        return _OF_THREADS
    if kind is type(_cached):
        return _CACHED
    if (kind.__module__, kind.__qualname__) in _FUTURES:
        return _RESULT
    if ownership.is_own_module(kind.__module__) and kind.__name__ in _TRACED:
        return _TRACED[kind.__name__]
    if kind.__module__ == "typing" and kind.__name__.endswith("GenericAlias"):
        return OF_ALIAS
    return _VALUE if kind.__module__ == "_contextvars" and hasattr(kind, "get") else None


# What is traced, by the names of this package's classes: what its Python does is seen, too.
_TRACED = {
    "Function": Through(lambda function: (function.python_function,)),
    "BoundFunction": Through(lambda bound: (bound._function, bound._instance)),
}


@functools.cache
def _cached() -> None:
    """What is cached has a class of its own."""


def _of_cache(function: Any) -> Iterable:
    """What a function that remembers results has returned, and keeps."""
    held = [part for part in direct_referents(function) if part is not vars(function)]
    if function.cache_parameters()["maxsize"] is None:
        return [value for cache in held if type(cache) is dict for value in cache.values()]
    caches = [p for p in held if type(p) is dict and any(map(_is_link, p.values()))]
    return [part for part in held if all(part is not cache for cache in caches)] if caches else []


def _is_link(value: Any) -> bool:
    """Whether a value is what a cache of a limited size keeps in place of a result."""
    return type(value).__name__ == "_lru_list_elem"


_OF_THREADS = Through(lambda local: vars(local).values())
_CACHED = Through(_of_cache)
_RESULT = Through(lambda future: (getattr(future, "_result", None),))
_VALUE = Through(lambda variable: (variable.get(None),) if hasattr(variable, "reset") else ())
_FUTURES = {("concurrent.futures._base", "Future"), ("_asyncio", "Future"), ("_asyncio", "Task")}


def _left_out(kind: type) -> frozenset[str]:
    """The attributes of a library class that are no state of user code."""
    known = (_LEFT_OUT.get((base.__module__, base.__qualname__)) for base in kind.__mro__)
    return frozenset().union(*(names for names in known if names))


def _is_leaf(kind: type) -> bool:
    if kind.__module__ in _STATELESS and not _is_advanced(kind) and _is_of_its_module(kind):
        return True
    if ownership.is_own_module(kind.__module__):
        return True
    loggers = sys.modules.get("logging")
    if loggers is None or not issubclass(kind, (loggers.Logger, loggers.Handler)):
        return False
    return ownership.is_library_class(kind)


def _is_of_its_module(kind: type) -> bool:
    """Whether a class without items is one of the module that it names: others only say so."""
    if not _is_python_class(kind) or "<locals>" in kind.__qualname__:
        return not _is_python_class(kind)
    held: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        held = getattr(held, name, None)
    return held is kind and not issubclass(kind, tuple)


# Those of NumPy that show arrays where the collector does not look.
_SHOWING = frozenset({("numpy", "void"), ("numpy", "flatiter"), ("numpy", "nditer")})
_SCANNER = "SRE_Scanner"  # which iterators of regular expressions ask


def _is_advanced(kind: type) -> bool:
    """Whether a class is a native iterator, or a scanner, whose only state is its position."""
    is_iterator = hasattr(kind, "__next__") and not _is_python_class(kind)
    return is_iterator or kind.__name__ == _SCANNER


def _described(kind: type) -> set[str]:
    return {name for base in kind.__mro__ for name in vars(base)}


def _slots(kind: type) -> dict[str, weakref.ref]:
    """The slots of Python classes by name: which class declares them; those of bases that a class
    hides with the name of the base. Members of native classes are left out."""
    found: dict[str, weakref.ref] = {}
    for i, base in enumerate(kind.__mro__):
        if not ownership.is_written_in_c(base) and "__slots__" in vars(base):
            slots = [n for n, v in vars(base).items() if type(v) is types.MemberDescriptorType]
            hidden = {n for n in slots if any(n in vars(other) for other in kind.__mro__[:i])}
            named = {f"{base.__qualname__}.{n}" if n in hidden else n: n for n in slots}
            found = {**dict.fromkeys(named, weakref.ref(base)), **found}
    return found


def _hides_fields(kind: type) -> bool:
    """Whether a user-defined class replaces ``__dict__``, where its objects keep attributes."""
    held = (vars(base)["__dict__"] for base in kind.__mro__ if "__dict__" in vars(base))
    shown = next(held, None)
    is_hidden = shown is not None and type(shown) is not types.GetSetDescriptorType
    return is_hidden and not ownership.is_library_class(kind)


# What an exception says; Python itself changes its traceback and its context where it is raised.
_SAID = ("args", "__cause__", "__suppress_context__")


def _of_exceptions(kind: type) -> dict[str, weakref.ref]:
    """What instances of a class of exceptions keep beside attributes: which class declares it."""
    found = {name: weakref.ref(BaseException) for name in _SAID}
    for base in reversed(kind.__mro__):
        if issubclass(base, BaseException) and ownership.is_written_in_c(base):
            kept = [n for n, v in vars(base).items() if type(v) is types.MemberDescriptorType]
            found.update(dict.fromkeys(kept, weakref.ref(base)))
    return found


def _storage(kind: type) -> TypeAdapter | None:
    """What a class keeps beside attributes: by the first of its bases that is known."""
    for base, adapter in _CONTAINERS:
        if issubclass(kind, base):
            return adapter
    if issubclass(kind, types.SimpleNamespace):
        return None
    known = _states().get(kind) or next(
        (adapter for base, adapter in _states().items() if issubclass(kind, base)), None
    )
    if known is not None:
        return known
    if issubclass(kind, BaseException):
        return Slots(_of_exceptions(kind))
    if kind is types.GeneratorType:
        return Position(_generator, None, "position")
    if _is_iterator_of_library(kind):
        return _REFERENTS if hasattr(kind, "writelines") else _iterator_facet(kind)  # of files
    written_in_c = any(not _is_python_class(base) for base in kind.__mro__[:-1])
    return _REFERENTS if written_in_c else None


def _is_python_class(kind: type) -> bool:
    """Whether a ``class`` statement made a class; those keep all in attributes and slots."""
    if ownership.is_written_in_c(kind):
        return False
    return any("__dict__" in vars(base) or "__slots__" in vars(base) for base in kind.__mro__)


def _is_iterator_of_library(kind: type) -> bool:
    if not hasattr(kind, "__next__"):
        return False
    if hasattr(kind, "__length_hint__") or ownership.is_built_in(kind):
        return True
    return ownership.is_written_in_c(kind) and kind.__reduce__ is not object.__reduce__


def _generator(generator: Any) -> tuple:
    frame = generator.gi_frame
    return (frame and frames.position(frame), tuple(map(id, referents(generator))))


def _iterator_facet(kind: type) -> TypeAdapter:
    put = _advance if hasattr(kind, "__setstate__") else None
    return Position(_position, put, "position")


_BEGUN_AGAIN = frozenset(map(type, (iter([]), iter(()))))


def _position(iterator: Any) -> Any:
    """The position of a builtin iterator."""
    kind = type(iterator)
    if kind.__reduce__ is object.__reduce__ and ownership.is_written_in_c(kind):
        return external_effects.own_bytes(iterator)  # it tells its class alone
    try:
        found = iterator.__reduce__()
    except (TypeError, RuntimeError):  # it cannot be reduced, or its container has changed
        return external_effects.own_bytes(iterator)
    return tuple(_comparable(part) for part in found)


def _comparable(part: Any) -> Any:
    """A part of the reduced form of an iterator, as a value that compares by identity inside. Some
    are new objects each time: ranges, and the inner iterators of others."""
    if isinstance(part, (int, str, type(None))):
        return part
    if type(part) is range:
        return range, part.start, part.stop, part.step
    if type(part) in _BEGUN_AGAIN:
        return type(part), _position(part)
    if type(part) is tuple:
        return tuple(_comparable(p) for p in part)
    return (type(part), len(part)) if type(part) is list else id(part)


def _advance(iterator: Any, position: Any) -> None:
    if type(position) is tuple and len(position) == 3 and isinstance(position[2], int):
        iterator.__setstate__(position[2])


@functools.lru_cache(maxsize=1)
def _all_states(loaded: tuple[bool, ...]) -> dict[type, TypeAdapter]:
    """Type adapters of classes in modules that are imported only by programs that use them."""
    found: dict[type, TypeAdapter] = {
        bytearray: State(bytes, _put_bytes, "bytes"),
        weakref.finalize: Refused(lambda end: end._registry.get(end), parts=_of_finalizer),
    }
    modules = [sys.modules.get(name) for name in _LATE]
    array, io, random, contextvars, numpy, numpy_random, decimal, hashes, etree = modules
    if array is not None:
        found[array.array] = State(lambda a: (a.typecode, a.tobytes()), _put_array, "items")
    if io is not None:
        for kind in (io.StringIO, io.BytesIO):
            found[kind] = State(teller("getvalue() tell()"), _put_text, "text")
    if random is not None:
        found[random.Random] = State(random.Random.getstate, random.Random.setstate)
    if contextvars is not None:
        found[contextvars.ContextVar] = Refused(lambda v: id(v.get(None)), "value")
    if decimal is not None:
        told = teller("prec rounding Emin Emax capitals clamp traps flags")
        found[decimal.Context] = Refused(told, "settings")
    if etree is not None:
        found[etree.Element] = Refused(_element, "tag, texts, children or attributes", referents)
    if hashes is not None:
        found[hashes.HASH] = Refused(_digest, "digest")
    if numpy is not None:
        found[numpy.ndarray] = external_effects.Array()
    if numpy_random is not None:
        found.update(external_effects.generators(numpy_random))
    return found


_said = teller("tag text tail items()")


def _element(held: Any) -> tuple:
    return *_said(held), *map(id, held)


def _of_finalizer(end: Any) -> tuple:
    known = end.peek()
    return () if known is None else (known[1], *known[2], *known[3].values())


_LATE = (
    *("array", "io", "random", "contextvars", "numpy", "numpy.random", "decimal", "_hashlib"),
    "xml.etree.ElementTree",
)


def _states() -> dict[type, TypeAdapter]:
    return _all_states(tuple(name in sys.modules for name in _LATE))


def _digest(made: Any) -> bytes:
    return made.digest() if made.digest_size else made.digest(32)  # of any length


def _put_bytes(owner: Any, state: bytes) -> None:
    owner[:] = state


def _put_array(owner: Any, state: tuple) -> None:
    owner[:] = type(owner)(state[0], state[1])


def _put_text(owner: Any, state: tuple) -> None:
    owner.seek(0)
    owner.truncate()
    owner.write(state[0])
    owner.seek(state[1])
