"""Liveness: which objects later code may still read, and what refers to them besides names:
statements, expressions, iterators, native code.

A ``with`` statement holds the method that it will call, a loop its iterator, an expression its
operands, a native iterator or bound method its list: no walk finds these, reference counts do. A
list with an active iterator must not grow in the graph. Only this module and ``frames`` read
references and frames from the interpreter.
"""

from __future__ import annotations

import collections
import functools
import gc
import itertools
import sys
import types
from collections.abc import Iterable, Iterator

from ..context import ownership
from ..context.locals import keeps_arguments, locals_of
from ..hints import Any
from ..native import FG
from . import frames, reachable
from .adapters import CHECKED_BY_ITERATORS, EXACT_CONTAINERS, FOUND_BY_WALKS
from .source_location import refusal
from .trace_context import Holder, TracePart, region_functions, traces
from .trace_context import thread as _thread

_MOST = 2  # objects such as methods and iterators between active code and an object
# Where more objects are young, as with the collector off, the native walk of the heap is asked.
_MOST_YOUNG = 20_000
_IS_COLLECTED = 1 << 14  # the flag of classes whose instances the collector follows

# The references to a value, with that of the call: no Python function, whose frame would hold the
# value, too, under a debugger.
count = sys.getrefcount
OF_NAME = 2  # the count of an object that has one name, or one container


def of_argument() -> int:
    """How many references a function has of an argument: before Python 3.11 its caller, too, holds
    it meanwhile."""
    return 2 if keeps_arguments() else 1


def are_held(fields: dict) -> bool:
    """Whether the program holds the ``__dict__`` of an object, which one name has here."""
    return count(fields) > OF_NAME + 1 + of_argument()


def holders_of_data(owner: Any, kinds: tuple[type, ...]) -> Iterator[Any]:
    """Objects of some classes that keep a dict or a set as their ``data``."""
    holders = _holders([owner])
    holders += [held for h in holders if type(h) is dict for held in _holders([h])]
    return (h for h in holders if isinstance(h, kinds) and h.__dict__.get("data") is owner)


class Iterators(TracePart):
    """The iterators that a trace follows."""

    slot = "iterators"

    has_native = False  # whether native code may read by some

    def __init__(self) -> None:
        self.running: list[tuple[Any, Any]] = []
        self.taken: dict[int, tuple] = {}  # see ``iteration``, how much of them, by id


def followed(items: Any) -> Any:
    """``items`` for a Python loop: an iterator over a list, noted while it is in use, unless the
    loop alone has the list."""
    if traces.n and isinstance(items, list) and _thread.trace is not None:
        if count(items) <= OF_NAME + of_argument() and type(items) is list:
            return items
        noted = Iterators.of_trace().running
        while noted and not _is_under_way(noted[-1]):
            noted.pop()  # with what it keeps, where the loop was left before its end
        iterator = iter(items)
        noted.append((None if type(iterator) is _OVER_LIST else items, iterator))
        return iterator
    if traces.n and isinstance(items, CHECKED_BY_ITERATORS) and _thread.trace is not None:
        Iterators.of_trace().has_native = True
    return items


def forget_iterator(iterator_id: int) -> None:
    """Forget an iterator that no loop runs on: an exception that left it keeps it for longer."""
    noted = Iterators.of_trace().running if _thread.trace is not None else []
    for i in reversed(range(len(noted))):
        if id(noted[i][1]) == iterator_id:
            del noted[i]
            return


def _is_under_way(pair: tuple) -> bool:
    return count(pair[1]) > OF_NAME


def changed_while_running(place: str) -> Exception:
    """The refusal of a loop over a list that its body changes: Python sees the changes."""
    return refusal(
        "a staged loop iterates over a list that grew in a staged branch or loop, and its body "
        "changes that list: the loop would not see it",
        f"Iterate over a copy (`for v in list(items):`), or over `{FG}.stack(items)`.",
        place,
    )


def refuse_running(items: Any) -> None:
    """Refuse that a list gets a length known only to the graph while a Python loop iterates over
    it, or other native code may still read it."""
    for held, iterator in _thread.trace.iterators.running or ():
        over = iterator.__reduce__()[1][0] if held is None else held  # the list, until it ends
        if over is items and count(iterator) > OF_NAME + 1:  # and the name of it here
            raise _length(
                "while a Python loop iterates over it",
                "Iterate over a copy, such as `list(items)`, or collect what is to be added.",
            )
    if not isinstance(items, list) or not _thread.trace.iterators.has_native:
        return
    readers = _readers(items)
    if not readers or not _is_read_by(readers):
        return
    if any(type(held) in _OVER for held in readers):
        raise _length(
            "while an iterator over it is active: the iterator would not see the change",
            "Make the iterator after the branch or loop, or iterate over a copy of the list, such "
            "as `list(items)`.",
        )
    raise _length(
        f"and a `{type(readers[0]).__name__}` calls a method of the list, or a native function "
        "with it, by itself: that call would not see the change",
        "Write a function of your own for it, such as `lambda: len(items)`.",
    )


def _length(why: str, cure: str) -> Exception:
    what = "a staged branch or loop changes the length of a list"
    return refusal(
        f"{what} {why}",
        cure,
    )


class _ByNumber:
    def __getitem__(self, number: int) -> int:
        return number


# The classes of iterators over a list, and of those that fail once their container changes.
_EMPTY: tuple[Any, ...] = ([], collections.deque(), collections.OrderedDict())
_OVER_LIST: type = type(iter(_EMPTY[0]))
_OVER = frozenset({_OVER_LIST, type(reversed(_EMPTY[0])), type(iter(_ByNumber()))})
_IN_STEP = frozenset(map(type, (iter(_EMPTY[1]), reversed(_EMPTY[1]), iter(_EMPTY[2]))))
_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)
_IN_C = (*_METHODS, types.MethodDescriptorType, types.WrapperDescriptorType, type)
_BOUND = (types.MethodType, functools.partial)  # which call something with more arguments
# The classes of what calls a function by itself.
_CALLING = frozenset(
    {map, filter, type(iter(int, 0)), type(functools.lru_cache(int))}
    | {itertools.accumulate, itertools.dropwhile, itertools.filterfalse, itertools.groupby}
    | {itertools.starmap, itertools.takewhile}
)


def _readers(items: list) -> list:
    """Iterators over a list, and what calls methods of it, or native functions with it, by
    itself."""
    found, seen, pending = [], {id(items)}, [items]
    while pending:
        asked, pending = pending, []
        for held in _holders(asked):
            kind = type(held)
            if kind in _OVER:  # those that have ended may still refer to it
                found += [held for part in held.__reduce__()[1] if part is items]
            elif kind in _CALLING or (
                issubclass(kind, collections.defaultdict) and id(held.default_factory) in seen
            ):
                found.append(held)
            elif id(held) not in seen and (kind is tuple or _runs_in_c(held)):
                seen.add(id(held))  # the arguments of a partial function are a tuple
                pending.append(held)
    return found


def _runs_in_c(call: Any) -> bool:
    """Whether something is a method or a partial function by which native code is called."""
    is_bound = type(call) in _METHODS
    while type(call) in _BOUND:
        is_bound, call = True, call.func if type(call) is functools.partial else call.__func__
    return is_bound and type(call) in _IN_C


def given_to(call: Any) -> list:
    """The arguments that ``call`` holds and passes to a native function whenever it is called."""
    if not _runs_in_c(call):
        return []
    if type(call) is functools.partial:
        return [*call.args, *call.keywords.values(), *given_to(call.func)]
    return [call.__self__, *given_to(getattr(call, "__func__", None))]


def refuse_iterated(owner: Any, label: str) -> None:
    """Refuse that a region changes which elements a deque or an ordered dict has, whose iterators
    fail from then on, while later code reads one of those."""
    if not _thread.trace.iterators.has_native:
        return
    iterators = [held for held in _holders([owner]) if type(held) in _IN_STEP]
    if iterators and _is_read_by(iterators):
        raise refusal(
            f"a staged branch or loop changes which elements {label!r} has while an iterator over "
            "it is active: the iterator fails from then on, whatever the graph does",
            "Make the iterator after the branch or loop, or iterate over a copy, such as "
            "`list(items)`.",
        )


def _is_read_by(readers: list) -> bool:
    """Whether code that follows may read by one of these."""
    seen = _live(region_functions()).seen
    return any(id(reader) in seen for reader in readers) or is_held_unseen(readers, seen)


def _live(functions: tuple = (), held: Iterable[Any] = ()) -> reachable.Walk:
    """A walk over what code that follows may read."""
    walk = reachable.Walk()
    walk.run(functions, [_thread.roots, *frames.live_values(), *held])
    return walk


def is_alive(wanted: list, functions: tuple = (), held: Iterable[Any] = ()) -> bool:
    """Whether code that follows may read one of some objects, also within what it has ``held``."""
    seen = _live(functions, held).seen
    return any(id(w) in seen for w in wanted)


def is_read(place: Any) -> bool:
    """Whether code that follows may read a location."""
    is_name = isinstance(place.key, tuple) and place.key[0] == "cell"
    if is_name and any(place.label in frames.read_later(frame) for frame in frames.frames()):
        return True
    return place.is_module or place.is_shared or is_alive([place.owner])


def is_held_unseen(targets: list, seen: dict[int, Any]) -> bool:
    """Whether something else holds one of these than ``seen`` objects, names, and this package.

    Objects between them and running code are asked next, all of one distance at once.
    """
    level = targets
    for _ in range(_MOST + 1):
        named = _named()
        holders = _young_holders(level, seen, named)
        if holders is None:
            named += frames.handed_down()
            counted = _counts(level)
            holders = _all_holders(level)
            unknown = _unknown(level, counted, _references_of(holders, level) + named)
            # Holders of what the collector does not follow cannot be found.
            if any(type(value).__flags__ & _IS_COLLECTED for value in unknown):
                return True
        level = [h for h in holders if id(h) not in seen and not _is_passive(type(h))]
        if not level:
            return False
    return True


def _holders(values: list) -> list:
    """What refers to one of the values."""
    holders = _young_holders(values, {}, _named())
    return _all_holders(values) if holders is None else holders


def _counts(values: list) -> list[int]:
    """How many references each value has."""
    return [count(values[i]) - 1 for i in range(len(values))]  # one is the argument


def _unknown(values: list, counted: list[int], known: collections.Counter) -> list:
    """The values that have more references than are known."""
    return [v for v, n in zip(values, counted, strict=True) if n > known[id(v)]]


def _all_holders(values: list) -> list:
    """What refers to one of the values, of all objects: it takes time in proportion to the heap."""
    asked = tuple(values)  # which is a holder itself on some versions of Python
    own = {id(asked), *map(id, _running())}
    return [h for h in gc.get_referrers(*asked) if id(h) not in own]


def _young_holders(values: list, seen: dict[int, Any], named: collections.Counter) -> list | None:
    """What refers to one of the values among ``seen`` objects and those made not long ago; None
    where that and names are not all, and where these are too many to ask."""
    counted = _counts(values)  # before anything here refers to the values
    young = [gc.get_objects(0)]
    young.append(gc.get_objects(1))
    if sum(map(len, young)) > _MOST_YOUNG:
        return None
    near = {id(h): h for h in itertools.chain(seen.values(), *young)}
    if not all(map(gc.is_tracked, values)):
        near |= _untracked_containers(near.values())
    for own in (*young, *_running()):
        near.pop(id(own), None)
    wanted = set(map(id, values))
    holders = [h for h in near.values() if not wanted.isdisjoint(map(id, gc.get_referents(h)))]
    is_all = not _unknown(values, counted, _references_of(holders, values) + named)
    return holders if is_all else None


def _untracked_containers(held_by: Iterable[Any]) -> dict[int, Any]:
    """By id, what some objects hold that the collector does not follow, since what it holds is
    such as arrays."""
    referents = itertools.chain.from_iterable(map(gc.get_referents, held_by))
    return {id(r): r for r in referents if type(r) in (dict, tuple) and not gc.is_tracked(r)}


def _references_of(holders: list, values: list) -> collections.Counter:
    """By id, how many references of the holders the values have."""
    wanted = set(map(id, values))
    referents = itertools.chain.from_iterable(map(gc.get_referents, holders))
    return collections.Counter(i for i in map(id, referents) if i in wanted)


def _is_passive(kind: type) -> bool:
    if issubclass(kind, FOUND_BY_WALKS):
        return True
    return ownership.is_own_module(kind.__module__) and not issubclass(kind, Holder)


def _named() -> collections.Counter:
    """By id, how many names of running functions objects have, but for those in cells."""
    found: collections.Counter = collections.Counter()
    for frame in _running():
        code, held = frame.f_code, locals_of(frame)
        plain = set(code.co_varnames).difference(code.co_cellvars)
        found.update(id(held[name]) for name in plain if name in held)
    return found


def _running() -> Iterator[types.FrameType]:
    """The frames of the running functions, inner ones first; what they hold are their names."""
    frame = sys._getframe(1).f_back
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_in_library_module(value: Any) -> bool:
    """Whether a name of a library's module is a container's, as `sys.path`: code reads it there."""
    return id(value) in _in_library_modules(len(sys.modules))


@functools.lru_cache(maxsize=1)
def _in_library_modules(n_modules: int) -> dict[int, Any]:
    """By id, the containers to which names of libraries' modules refer."""
    found = {}
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and not reachable.is_users_module(module):
            held = list(ownership.names_of(module).values())
            found.update({id(value): value for value in held if type(value) in EXACT_CONTAINERS})
    return found
