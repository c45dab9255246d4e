"""References to an object besides the names of frames: statements, expressions, native readers,
iterators.

A ``with`` statement holds the method that it will call, a loop its iterator, an expression its
operands, a native iterator or bound method its list: no walk finds these, reference counts do. A
list with an active iterator must not grow in the graph.
"""

from __future__ import annotations

import collections
import functools
import gc
import itertools
import sys
import types
from collections.abc import Iterable

from ...context import ownership
from ...context.locals import locals_of
from ...hints import Any
from ...native import _core
from ...values import errors
from ..adapters.base import TypeAdapter
from ..adapters.builtin_classes import EXACT_CONTAINERS, FOUND_BY_WALKS
from ..location import Location
from ..reachable import Walk
from ..source_location import diagnostic, here
from ..trace_context import Holder, region_functions
from ..trace_context import thread as _thread
from . import frames

_MOST = 2  # objects such as methods and iterators between active code and an object
_IS_COLLECTED = 1 << 14  # the flag of classes whose instances the collector follows


def is_held_unseen(targets: list, seen: dict[int, Any]) -> bool:
    """Whether something else holds one of these than ``seen`` objects, names, and this package.

    Objects between them and running code are asked next, all of one distance at once:
    finding who refers to objects walks the whole heap.
    """
    level = targets
    for _ in range(_MOST + 1):
        named, wanted = _named(), set(map(id, level))
        asked = tuple(level)  # which is a holder itself on some versions of Python
        # Of the references that are counted one is the argument, one that of ``asked``.
        counted = [sys.getrefcount(level[i]) - 2 for i in range(len(level))]
        holders = [h for h in gc.get_referrers(*asked) if h is not asked]
        found = collections.Counter(
            id(v) for holder in holders for v in gc.get_referents(holder) if id(v) in wanted
        )
        for i, n in enumerate(counted):
            # Holders of what the collector does not follow cannot be found.
            is_followed = type(level[i]).__flags__ & _IS_COLLECTED
            key = id(level[i])
            if not is_followed or n <= found[key] + named[key]:
                continue
            if n > found[key] + named[key] + frames.handed_down()[key]:
                return True
        level = [h for h in holders if id(h) not in seen and not _is_passive(type(h))]
        if not level:
            return False
    return True


def is_in_library_module(value: Any) -> bool:
    """Whether a name of a library's module is a container's, as `sys.path`: code reads it there."""
    return id(value) in _in_library_modules(len(sys.modules))


@functools.lru_cache(maxsize=1)
def _in_library_modules(n_modules: int) -> dict[int, Any]:
    """By id, the containers to which names of libraries' modules refer."""
    found = {}
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and _is_library_module(module):
            held = list(ownership.names_of(module).values())
            found.update({id(value): value for value in held if type(value) in EXACT_CONTAINERS})
    return found


def _is_library_module(module: types.ModuleType) -> bool:
    file = ownership.said_by(module, "__file__")
    if file is None:
        return ownership.said_by(module, "__spec__") is not None
    return ownership.is_library_file(file)


def _is_passive(kind: type) -> bool:
    if issubclass(kind, FOUND_BY_WALKS):
        return True
    return ownership.is_own_module(kind.__module__) and not issubclass(kind, Holder)


def _named() -> collections.Counter:
    """By id, how many names of running functions objects have, but for those in cells."""
    frame: Any = sys._getframe(1)
    found: collections.Counter = collections.Counter()
    while frame is not None:
        code, held = frame.f_code, locals_of(frame)
        plain = set(code.co_varnames).difference(code.co_cellvars)
        found.update(id(held[name]) for name in plain if name in held)
        frame = frame.f_back
    return found


_LISTS: list = []


class _ByNumber:
    def __getitem__(self, number: int) -> int:
        return number


# The classes of iterators over a list.
_OVER = frozenset(map(type, (iter(_LISTS), reversed(_LISTS), iter(_ByNumber()))))
_DEQUE: collections.deque = collections.deque()
_ORDERED: collections.OrderedDict = collections.OrderedDict()
_IN_STEP = frozenset(map(type, (iter(_DEQUE), reversed(_DEQUE), iter(_ORDERED))))
_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)
_IN_C = (*_METHODS, types.MethodDescriptorType, types.WrapperDescriptorType, type)
_BOUND = (types.MethodType, functools.partial)  # which call something with more arguments
# The classes of what calls a function by itself.
_CALLING = frozenset(
    {map, filter, type(iter(int, 0)), type(functools.lru_cache(int))}
    | {itertools.accumulate, itertools.dropwhile, itertools.filterfalse, itertools.groupby}
    | {itertools.starmap, itertools.takewhile}
)


def refuse_native_readers(items: list) -> None:
    """Refuse that a list gets a length known only to the graph while native code may still read
    it."""
    if not _thread.trace.iterators.has_native:
        return
    holders_ = gc.get_referrers(items)
    readers = [held for held in holders_ if type(held) in _OVER and _goes_on(held, items)]
    calls = _calls(items, holders_)
    del holders_
    if calls:
        readers += _callers(calls)
    if readers and _is_alive(readers):
        is_iterator = any(type(held) in _OVER for held in readers)
        raise _of_iterator() if is_iterator else _of_method(type(readers[0]).__name__)


def _goes_on(iterator: Any, items: list) -> bool:
    """Whether an iterator over a list has not ended; those that have may still refer to it."""
    return any(part is items for part in iterator.__reduce__()[1])


def refuse_iterated(owner: Any, label: str) -> None:
    """Refuse that a region changes which elements a deque or an ordered dict has, whose iterators
    fail from then on, while later code reads one of those."""
    if not _thread.trace.iterators.has_native:
        return
    iterators = [held for held in gc.get_referrers(owner) if type(held) in _IN_STEP]
    if iterators and _is_alive(iterators):
        raise errors.StagingError(
            diagnostic(
                here(),
                f"a staged branch or loop changes which elements {label!r} has while an iterator "
                "over it is active: the iterator fails from then on, whatever the graph does",
                "Make the iterator after the branch or loop, or iterate over a copy, such as "
                "`list(items)`.",
            )
        )


def given_to(call: Any) -> list:
    """The arguments that ``call`` holds and passes to a native function whenever it is called."""
    if type(call) in _METHODS:
        return [call.__self__]
    if type(call) is types.MethodType:
        return [call.__self__, *given_to(call.__func__)] if _runs_in_c(call) else []
    if type(call) is functools.partial and _runs_in_c(call):
        return [*call.args, *call.keywords.values(), *given_to(call.func)]
    return []


def _calls(items: list, referrers: list) -> list:
    """Callables that call native functions, among them its methods, with a list."""
    tuples = [h for h in referrers if type(h) is tuple and not _is_entry(h)]
    if tuples:  # which may be the arguments of a partial function
        referrers = [*referrers, *gc.get_referrers(*tuples)]
    return [h for h in referrers if any(value is items for value in given_to(h))]


def _is_entry(held: tuple) -> bool:
    """Whether a tuple is of a snapshot of this package's."""
    return bool(held) and isinstance(held[0], TypeAdapter)


def _runs_in_c(call: Any) -> bool:
    while type(call) in _BOUND:
        call = call.func if type(call) is functools.partial else call.__func__
    return type(call) in _IN_C


def _callers(calls: list) -> list:
    """The native objects that call some functions by themselves."""
    found, known, pending = [], {id(call) for call in calls}, calls
    while pending:
        referrers, pending = gc.get_referrers(*pending), []
        for held in referrers:
            if type(held) in _BOUND and id(held) not in known and _runs_in_c(held):
                known.add(id(held))
                pending.append(held)
            elif type(held) in _CALLING or _makes_by(held, known):
                found.append(held)
    return found


def _makes_by(held: Any, known: set[int]) -> bool:
    """Whether a dict makes what it does not have by one of these."""
    return isinstance(held, collections.defaultdict) and id(held.default_factory) in known


def _is_alive(readers: list) -> bool:
    """Whether code that follows may read by one of these."""
    walk = Walk()
    walk.run(region_functions(), [_thread.roots, *frames.live_values()])
    if any(id(reader) in walk.seen for reader in readers):
        return True
    return is_held_unseen(readers, walk.seen)


def _of_iterator() -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            "a staged branch or loop changes the length of a list while an iterator over the list "
            "is active: the iterator would not see the change",
            "Make the iterator after the branch or loop, or iterate over a copy of the list, such "
            "as `list(items)`.",
        )
    )


def _of_method(kind: str) -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            f"a staged branch or loop changes the length of a list, and a `{kind}` calls a method "
            "of the list, or a native function with it, by itself: that call would not see the "
            "change",
            "Write a function of your own for it, such as `lambda: len(items)`.",
        )
    )


def is_alive(wanted: list, functions: tuple = (), held: Iterable[Any] = ()) -> bool:
    """Whether code that follows may read one of some objects, also within what it has ``held``."""
    walk = Walk()
    walk.run(functions, [_thread.roots, *frames.live_values(), *held])
    return any(id(w) in walk.seen for w in wanted)


def is_chosen_alive(array: Any) -> bool:
    """Whether later code may read a tensor from a branch or a loop that may be a symbolic array."""
    walk, live = Walk(), frames.live_values()
    walk.run((), [_thread.roots, *live])
    held = [adapter.parts(owner, held) for adapter, owner, held in walk.entries]
    held += [value for value in walk.seen.values() if type(value) is tuple]
    return any(_may_stand_for(value, array) for values in (live, *held) for value in values)


def _may_stand_for(value: Any, array: Any) -> bool:
    if type(value) is not _core.SymbolicTensor:
        return False
    made = _core.made_by(value)
    is_left = made is not None and made[0] in CONSTRUCTS
    return is_left and value.dtype == getattr(array, "dtype", value.dtype)


CONSTRUCTS = frozenset({"If", "StatelessIf", "While", "StatelessWhile"})


def is_read(place: Location) -> bool:
    """Whether code that follows may read a location."""
    if frames.is_read_by_name(place):
        return True
    return place.is_module or place.is_shared or is_alive([place.owner])
