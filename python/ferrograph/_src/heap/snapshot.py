"""Snapshots: what a region can reach, copied when it begins and compared when it ends.

Staged code is a closed world: whether a statement, a method of a library or native code changed an
object makes no difference, since nothing is intercepted. A ``Snapshot`` copies what the functions
of a region can reach: their closures, the globals that they read, the attributes, items and
elements of all these, and the same for functions that they may call. A location that differs when
the region ends has changed: it is restored, merged, carried or refused. Objects made in the region
are not in the snapshot.

While a region is traced no object is freed, since its changes are undone: a region that releases
the last reference to an object with a finalizer or a weak reference is refused. Side effects of
functions traced within the region stay, since their Python does not run again.

Type adapters define what is reached and how it is compared.
"""

from __future__ import annotations

import collections
import enum
import functools
import operator
import sys
import types
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator

from ..context import ownership
from ..context.by_class import ByClass
from ..context.hooks import hooks
from ..context.locals import locals_of
from ..context.referents import referents
from ..hints import Any
from ..native import _core
from ..values.dtypes import DType
from ..values.tensor_shape import Dimension, TensorShape
from . import external_effects, frames, liveness, structure
from .adapters import SCALARS, WITHOUT_PARTS, is_function, registry
from .adapters.base import Fields, Names, TypeAdapter, fields_of
from .frames import calls, changes, lists_attributes, sets, words_of
from .invalidated import Invalidated, behind
from .location import UNDEFINED, Attribute, Container, Location, Variants, variants_of
from .reachable import Walk, label_of
from .source_location import refusal
from .trace_context import Proxy, RegionLog, has_variants, own_listeners, record_of
from .trace_context import thread as _thread
from .walk import of_bases

_SYMBOLIC = _core.SymbolicTensor


class Snapshot:
    """What the objects hold that functions can reach."""

    def __init__(self, anchors: Iterable[Any]):
        self.anchors = tuple(a for a in anchors if type(a) is types.FunctionType)
        walk = Walk()
        walk.run(self.anchors, own_listeners())
        self._entries, self._seen = walk.entries, walk.seen
        if has_variants():
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

    def compares(self, place: Location) -> bool:
        """Whether a change of a location shows in the copy, however it is made."""
        if place.is_module and isinstance(place.key, tuple):
            return self._compares_name(*place.key[1:])
        if isinstance(place.owner, types.ModuleType) and isinstance(place, Attribute):
            return self._compares_name(id(ownership.names_of(place.owner)), place.key[2])
        return place.is_stored and self.knows(place.owner)

    def _compares_name(self, namespace: int, name: str) -> bool:
        return any(
            adapter.knows(held, name)
            for adapter, owner, held in self._entries
            if isinstance(adapter, Names) and id(owner) == namespace
        )

    def is_in_library(self, owner: Any) -> bool:
        """Whether an object of a library's class holds this one, as ``queue.Queue`` its items."""
        return any(
            any(value is owner for value in held.values())
            for adapter, holder, held in self._entries
            if isinstance(adapter, Fields) and registry.has_library_fields(type(holder))
        )

    def seen(self) -> Iterable[Any]:
        """The objects that were there when the region began, as far as they are compared."""
        return self._seen.values()

    def entries(self) -> Iterable[tuple[TypeAdapter, Any, Any]]:
        """How each of them was held."""
        return self._entries

    def accept(self, owner: Any, name: str | None) -> None:
        """Take what an attribute of an object, or all of a container, holds now for what it held
        when the region began."""
        for i, (adapter, holder, held) in enumerate(self._entries):
            if holder is not owner:
                continue
            now = adapter.hold(owner)
            if name is None and adapter.is_content:
                self._entries[i] = adapter, owner, now
            elif name is not None and isinstance(held, dict) and isinstance(now, dict):
                names = [n for n in now if n in held or n == name]
                names += [n for n in held if n not in now]
                kept = {n: (now if n == name else held)[n] for n in names}
                self._entries[i] = adapter, owner, kept

    def changes(self, own: Collection[int] = ()) -> Iterator[tuple[Location, Any]]:
        """The locations that differ from what they held, with that; but for the cells of ``own``
        names, whose ids these are, which others put back."""
        if has_variants():
            yield from self._chosen()
            return
        changed = [e for e in self._entries if e[0].differs(e[1], e[2])]
        for adapter, owner, held in changed:
            if id(owner) not in own:
                yield from self._changes_of(adapter, owner, held)

    def has_lost(self) -> bool:
        """Whether a location may not hold any more what it held, other than a tensor in a name."""
        if has_variants():
            return True
        for adapter, owner, held in self._entries:
            is_tensor = type(held) is tuple and len(held) == 1 and type(held[0]) is _SYMBOLIC
            if not is_tensor and adapter.differs(owner, held):
                return True
        return False

    def _changes_of(
        self, adapter: TypeAdapter, owner: Any, held: Any
    ) -> Iterator[tuple[Location, Any]]:
        label = label_of(owner, self.anchors)
        if adapter.ends_iterators:
            liveness.refuse_iterated(owner, label)
        yield from adapter.changes(owner, held, label)

    def _chosen(self) -> Iterator[tuple[Location, Any]]:
        """``changes`` where some objects have variants."""
        for adapter, owner, held in self._entries:
            now = _versions(adapter, owner)
            if now is None and type(held) is not Variants:
                if adapter.differs(owner, held):
                    yield from self._changes_of(adapter, owner, held)
            elif now is not held:
                place = record_of(owner).place
                if type(held) is Variants:
                    yield place, held
                else:
                    yield from ((place, old) for _, old in adapter.changes(owner, held, ""))


def _versions(adapter: TypeAdapter, owner: Any) -> Variants | None:
    return variants_of(owner) if adapter.is_content else None


def begin_nested(logs: list[RegionLog]) -> Snapshot | None:
    """What the regions of ``logs`` can reach, when a trace begins within; None of no region."""
    return Snapshot(anchor for made in logs for anchor in made.anchors) if logs else None


def end_nested(logs: list[RegionLog], before: Snapshot) -> None:
    """Note what the trace changed."""
    found = {place.key for place, _ in before.changes()}
    for made in logs if found else ():
        made.nested = made.nested | found


def refuse_nested_names(changed: Collection[Any], places: Iterable[Location]) -> None:
    """Refuse that a trace within a region set names of the function around it, except to make
    variables: whether they are set would be known only when the graph runs."""
    for place in places:
        if place.key in changed and not isinstance(place.get(), _core.VariableBase):
            raise refusal(
                f"{place.label!r} is set by a function under `function` that is traced in this "
                "staged branch or loop: its Python runs once, while it is traced",
                "Return the value from it, and set the name where it is called.",
            )


# Memoised values that code stores on objects while a region is traced, and that cannot be observed
# afterwards. An unset attribute that was set to an immutable Python value keeps it: code that reads
# it where it is unset fails or computes the same value, since all code that sets it only memoises
# (``convert/memos``), so the value is the same on every path. An item of a cache is removed again
# where its value is a tensor of the region, which is invalid outside: code outside computes it
# again. Other changes are no memos; see ``staging/side_effects``.
_VALUES = (*SCALARS, TensorShape, Dimension, enum.Enum)
_NO_FILLERS = frozenset({"__init__", "__new__", "__post_init__", "__setstate__"})


def settle(changed: list, snapshot: Any, graphs: set[int]) -> bool:
    """Let memos among what a region has changed stand, and take items out of caches; whether there
    were such. The region has traced these ``graphs``."""
    found = False
    changes = [(place, old, place.get()) for place, old in changed]
    is_alone = len(changes) == 1
    called_later = functools.cache(lambda: tuple(_called_later()))
    for place, old, new in changes:  # all that they hold stays until the last is looked at
        if isinstance(place, Attribute):
            if _stands(place, old, new, snapshot, is_alone, called_later):
                snapshot.accept(place.owner, place.key[2])
                found = True
        elif isinstance(place, Container) and type(place.owner) is dict and type(old) is dict:
            found |= _settle_cache(place, old, snapshot, graphs)
    return found


def is_static(value: Any) -> bool:
    """Whether a value is an immutable Python value, and no tensor."""
    if type(value) in (tuple, frozenset):
        return all(map(is_static, value))
    return isinstance(value, (*_VALUES, DType, type))


def _stands(
    place: Attribute,
    old: Any,
    new: Any,
    snapshot: Any,
    is_alone: bool,
    called_later: Callable[[], tuple],
) -> bool:
    if issubclass(type(place.owner), (type, types.FunctionType, types.ModuleType)):
        return False
    if not (old is UNDEFINED or old is None) or new is None or not is_static(new):
        return False
    name = place.key[2]
    computed = of_bases(type(place.owner).__mro__, name)
    if isinstance(computed, functools.cached_property):
        return _only_computes(computed.func, is_alone) and not _is_enumerated(snapshot)
    fillers = list(_fillers(place.owner, name, snapshot))
    told = [hooks.fills_memo(f, name, False) for f in fillers]
    if any(told) and False not in told:
        return True
    # Where it held nothing, who reads it on another path fails, unless code asks whether it is
    # there: then it may not stand.
    return old is UNDEFINED and bool(fillers) and not _is_asked_for(name, snapshot, called_later)


def _fillers(owner: Any, name: str, snapshot: Any) -> Iterator[types.FunctionType]:
    """The functions that may set an attribute of an object: those of its class, and others that the
    region reaches."""
    of_class = (held for base in type(owner).__mro__ for held in vars(base).values())
    functions = {id(f): f for f in _functions((*of_class, *snapshot.seen()))}
    for function in functions.values():
        code = function.__code__
        if code.co_name not in _NO_FILLERS and name in words_of(code) and sets(code, name):
            yield function


def _functions(values: Iterable) -> Iterator[types.FunctionType]:
    for value in values:
        if type(value) is property:
            yield from _functions((value.fget, value.fset))
        elif isinstance(value, (staticmethod, classmethod)):
            yield from _functions((value.__func__,))
        elif is_function(value):
            yield value


_QUIET = frozenset(
    {"abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "len", "list"}
    | {"max", "min", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)


def _only_computes(function: Any, is_alone: bool) -> bool:
    """Whether a function has no side effect but the value that is cached. One that calls more than
    some builtins may have one: then nothing else was changed in the region."""
    if not is_function(function) or changes(function.__code__):
        return False
    names = set(function.__code__.co_names)
    return not calls(function.__code__) or names <= _QUIET or (is_alone and "print" not in names)


def _is_enumerated(snapshot: Any) -> bool:
    """Whether code may list or remove the attributes of an object."""
    codes = [f.__code__ for f in _functions(snapshot.seen())]
    codes += [frame.f_code for frame in frames.frames()]
    return any(map(lists_attributes, codes))


def _is_asked_for(name: str, snapshot: Any, called_later: Callable[[], tuple]) -> bool:
    """Whether code may detect that an attribute is missing: by its name in a string, as for
    ``hasattr``, or by handling the failed read. Code of the region may do so by any means;
    functions that are only ``called_later`` are judged by their own code."""
    codes = [f.__code__ for f in _functions(snapshot.seen())]
    codes += [frame.f_code for frame in frames.frames()]
    if any(_has_text(code, name) or _handles(code) for code in codes):
        return True
    return any(_may_ask(function.__code__, name) for function in called_later())


def _called_later() -> Iterator[types.FunctionType]:
    """The functions that the rest of the trace's code reaches."""
    walk = Walk()
    walk.run((), [_thread.roots, *frames.live_values()])
    return _functions(walk.seen.values())


def _may_ask(code: types.CodeType, name: str) -> bool:
    """Whether code reads an attribute by its name in a string, handles that it is missing, or, for
    user code alone, lists attributes."""
    if _has_text(code, name) or (name in code.co_names and frames.has_handlers(code)):
        return True
    lists = not _SHOWING.isdisjoint(code.co_names)
    if lists and not ownership.is_library_file(code.co_filename):
        return True
    return any(_may_ask(c, name) for c in code.co_consts if type(c) is types.CodeType)


_SHOWING = frozenset({"__dict__", "vars", "__getstate__"})
_ASKING = frozenset({"__dict__", "__getattr__", "__getattribute__", "getattr", "hasattr", "vars"})


def _handles(code: types.CodeType) -> bool:
    """Whether code continues where an attribute is missing."""
    if frames.has_handlers(code) or not _ASKING.isdisjoint(code.co_names):
        return True
    return any(_handles(c) for c in code.co_consts if type(c) is types.CodeType)


def _has_text(code: types.CodeType, text: str) -> bool:
    inner = (c for c in code.co_consts if type(c) is types.CodeType)
    return text in [c for c in code.co_consts if type(c) is str] or any(
        _has_text(c, text) for c in inner
    )


def _settle_cache(place: Container, old: dict, snapshot: Any, graphs: set[int]) -> bool:
    """Take items out of a cache that the region alone can use; whether it is one."""
    owner, n = place.owner, len(old)
    # By identity: no user code compares keys. A cache adds items behind those that it had.
    is_longer = len(owner) > n and all(map(operator.is_, owner, old))
    if not is_longer or any(map(operator.is_not, owner.values(), old.values())):
        return False
    added = list(owner.items())[n:]
    own = [_is_identity(key, value, graphs) for key, value in added]
    others = [value for is_own, (_, value) in zip(own, added, strict=True) if not is_own]
    if others:
        is_plain = all(is_static(v) or _holds_symbols(v) for v in others)
        if not is_plain or not _is_filled_only(owner, snapshot):
            return False
    stays = dict(old)
    for is_own, (key, value) in zip(own, added, strict=True):
        if not is_own and not _is_made_in(value, graphs):
            stays[key] = value
    dict.clear(owner)
    dict.update(owner, stays)
    snapshot.accept(owner, None)
    return True


def _tensors(value: Any) -> list:
    if type(value) in (tuple, list):
        return [tensor for part in value for tensor in _tensors(part)]
    return [value] if isinstance(value, _core.SymbolicTensor) else []


def _holds_symbols(value: Any) -> bool:
    """Whether a value is a tensor of a graph, or a tuple or list of such."""
    if type(value) in (tuple, list):
        return bool(value) and all(map(_holds_symbols, value))
    return isinstance(value, _core.SymbolicTensor)


def _is_made_in(value: Any, graphs: set[int]) -> bool:
    return any(tensor._graph_id in graphs for tensor in _tensors(value))


def _is_identity(key: Any, value: Any, graphs: set[int]) -> bool:
    """Whether a key is the identity of a tensor of the region: it hashes as the id of one. Only
    code that has the tensor can look it up. The same holds for one whose object is gone."""
    if isinstance(key, weakref.ref) and key() is None:
        return True
    parts = [key() if isinstance(key, weakref.ref) else None]
    fields = getattr(key, "__dict__", None)
    parts += list(fields.values()) if type(fields) is dict else []
    parts += list(key) if type(key) is tuple else []
    if type(key) is int:  # which is an id while the item keeps the tensor alive
        parts = _tensors(value)
    tensors = [t for part in parts for t in _tensors(part) if t._graph_id in graphs]
    return any(hash(key) in (id(t), hash(id(t))) for t in tensors)


def _is_filled_only(owner: dict, snapshot: Any) -> bool:
    """Whether all code that sets items of a dict, which an object has as an attribute, fills it."""
    holders = [
        (holder, name)
        for adapter, holder, held in snapshot.entries()
        if adapter.is_of_attributes
        for name, value in held.items()
        if value is owner
    ]
    if len(holders) != 1:
        return False
    holder, name = holders[0]
    told = [hooks.fills_memo(f, name, True) for f in _fillers(holder, name, snapshot)]
    return any(told) and False not in told


_NEVER = (
    type, types.FunctionType, types.ModuleType, _core.Tensor, _core.VariableBase, Proxy,
    Invalidated,
)  # fmt: skip


def refuse_finalizers(changes: Iterable[tuple[Location, Any]]) -> None:
    """Refuse that a region ends objects: of locations that it changed, and what they held
    before."""
    lost = [value for place, old in changes for value in _lost(place, old)]
    if not lost:
        return
    ending = {id(value): value for value in _walk(lost).seen.values() if _is_seen(value)}
    if not ending:
        return
    weak = [reference for value in ending.values() for reference in weakref.getweakrefs(value)]
    kept = _walk(_held_now(), weak).seen
    known = _walk(_held_now()).seen
    lost = [value for key, value in ending.items() if key not in kept]
    gone = next((value for value in lost if _is_watched(value, known)), None)
    if gone is not None:
        raise _refused(gone)


def refuse_finalizers_left(noted: Iterable[Any], snapshot: Snapshot) -> None:
    """Refuse that an iteration leaves objects whose ends run code, and which were not there before:
    the graph runs no finalizer where the next iteration releases them."""
    left = [one() for one in noted if type(one) is weakref.ref]
    made = (value for value in left if _runs_code_at_its_end(value) and not snapshot.knows(value))
    found = next(made, None)
    if found is not None:
        ends = "`finally` or `with`" if type(found) is types.GeneratorType else "`__del__`"
        raise refusal(
            f"an iteration of this loop leaves an object of the class {type(found).__name__!r} "
            f"that it made, whose {ends} runs when the next one releases it: iterations are traced "
            "once",
            "Release it in the iteration that makes it (`del` of the name), or make it before the "
            "loop.",
        )


def _runs_code_at_its_end(value: Any) -> bool:
    if type(value) is not types.GeneratorType:
        return hasattr(type(value), "__del__")
    import inspect

    is_begun = inspect.getgeneratorstate(value) == inspect.GEN_SUSPENDED
    return is_begun and frames.has_handlers(value.gi_code)


def _lost(place: Location, old: Any) -> Iterator[Any]:
    """The objects that a location held and holds no more."""
    left, held = set(map(id, _values(place, place.get()))), _values(place, old)
    if left.issuperset(map(id, held)):
        return
    for value in held:
        is_lost = id(value) not in left and not isinstance(value, _NEVER)
        if is_lost and registry.adapters_of(type(value)):
            yield value


def _values(place: Location, held: Any) -> Iterable[Any]:
    if not isinstance(place, Container):
        return (held,)
    if isinstance(held, dict):
        return (*held, *held.values())
    return () if type(held) is Variants else held


def _walk(values: Iterable[Any], weak: Iterable[Any] = ()) -> Walk:
    """What is reached from values, but for these weak references."""
    walk = Walk()
    walk.seen.update({id(reference): reference for reference in weak})
    walk.run((), list(values))
    return walk


def _is_seen(value: Any) -> bool:
    """Whether code may see that an object ends."""
    kind = type(value)
    if isinstance(value, _NEVER) or ownership.is_own_module(kind.__module__):
        return False
    if not ownership.is_library_class(kind) and hasattr(kind, "__del__"):
        return True
    return weakref.getweakrefcount(value) > 0 or _kept_in_length(value) is not None


def _is_watched(value: Any, known: dict[int, Any]) -> bool:
    """Whether what watches an object is the program's: this package has weak references, too."""
    if hasattr(type(value), "__del__") or id(_kept_in_length(value)) in known:
        return True
    return any(
        type(r) is not weakref.ref or _calls_back(r) or id(r) in known
        for r in weakref.getweakrefs(value)
    )


def _calls_back(reference: weakref.ref) -> bool:
    """Whether a weak reference calls code that is not of this package."""
    code = getattr(reference.__callback__, "__code__", None)
    if code is not None and ownership.is_own_file(code.co_filename):
        return False
    return reference.__callback__ is not None


def _kept_in_length(value: Any) -> Any:
    """What a view keeps from changing its length; None of other objects."""
    if not (isinstance(value, memoryview) or structure.is_array(value)):
        return None
    shown = structure.memory_of(value)[-1]
    return shown if external_effects.growing(type(shown)) is not None else None


def _held_now() -> Iterator[Any]:
    """What the program's code that runs refers to: names of functions, and of their modules."""
    frame: Any = sys._getframe(0)
    modules: dict[int, dict] = {}
    while frame is not None:
        if not ownership.is_library_file(frame.f_code.co_filename):
            yield from list(locals_of(frame).values())
            modules[id(frame.f_globals)] = frame.f_globals
        frame = frame.f_back
    for names in modules.values():
        yield from list(names.values())


def _refused(value: Any) -> Exception:
    shown = _kept_in_length(value)
    watch = "weak references or a `__del__` watch"
    if shown is not None:
        watch = f"keeps a `{type(shown).__name__}` from changing its length"
    return refusal(
        "a staged branch or loop releases the last reference to an object of the class "
        f"{type(value).__name__!r}, which {watch}: whether the object is freed there is known only "
        "when the graph runs",
        "Keep the object under another name for as long as the function runs.",
    )


_ATOM, _FOREIGN, _OPENED = range(3)
_sorts = ByClass()  # whether nothing is looked for in a class, or it is of an installed package
_MOST_FOREIGN = 20_000  # objects looked into behind those of installed packages


def reached(roots: list, wanted: list) -> set[int]:
    """The ids of those ``wanted`` objects that can be reached from ``roots``."""
    return reached_ids(roots, {id(w) for w in wanted})


def reached_ids(roots: list, ids: set[int]) -> set[int]:
    """Those ``ids`` whose objects can be reached from ``roots``.

    Where installed packages hold too much to look through, those not found until then count too.
    """
    found: set[int] = set()
    seen: set[int] = set()
    pending: collections.deque = collections.deque(roots)
    later: list[Any] = []
    named: list[Any] = []  # objects of installed packages
    limit, sorts = 0, _sorts.found
    while len(found) < len(ids) and (pending or named or later):
        if not pending:
            if named:
                limit = limit or len(seen) + _MOST_FOREIGN
                pending.extend(referents(named.pop()))
                continue
            limit = -1
            pending.append(later.pop())
        if 0 < limit < len(seen):
            return ids
        value = pending.popleft()
        kind = type(value)
        if kind is Invalidated:
            value = behind(value)
            kind = type(value)
        place = id(value)
        if place in ids:
            found.add(place)
        if place in seen:
            continue
        sort = sorts.get(id(kind))
        sort = _sort_of(kind) if sort is None else sort
        if sort is _ATOM or (sort is _FOREIGN and limit < 0):
            continue
        seen.add(place)
        if sort is _FOREIGN:
            named.append(value)
        elif kind is dict:
            pending.extend(value.values())
        else:
            _open(value, kind, pending, later)
    return found


def _open(value: Any, kind: type, pending: collections.deque, later: list) -> None:
    """Add what an object holds; names of modules, which are many, come last."""
    if kind is types.FunctionType:
        pending.extend(value.__closure__ or ())
        pending.extend([value.__defaults__, value.__kwdefaults__])
        later.append(value.__dict__)
        if not ownership.is_library_file(value.__code__.co_filename):
            names, words = value.__globals__, words_of(value.__code__)
            pending.extend([names[word] for word in words if word in names])
            later.append(names)
    elif issubclass(kind, types.ModuleType):
        if not ownership.is_library_file(ownership.said_by(value, "__file__") or "<frozen"):
            later.append(ownership.names_of(value))
    elif issubclass(kind, type):
        if not ownership.is_library_class(value):
            pending.extend(vars(value).values())
            pending.extend(value.__bases__)
    else:
        pending.extend(referents(value))


def _sort_of(kind: type) -> int:
    """How instances of a class are looked into, found once and kept."""
    if issubclass(kind, WITHOUT_PARTS):
        return _sorts.keep(kind, _ATOM)
    package = kind.__module__.partition(".")[0]
    is_ours = package in sys.stdlib_module_names or ownership.is_own_module(package)
    is_foreign = not is_ours and ownership.is_library_class(kind)
    is_opened = issubclass(kind, (types.ModuleType, type)) or not is_foreign
    return _sorts.keep(kind, _OPENED if is_opened else _FOREIGN)
