"""The trace context: what a thread notes about its active trace, and about the regions in it:
objects that these make, and locations about to change.

This module imports nothing heavy, since every first trace needs it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import types
import weakref
from collections.abc import Callable

from ..context.ownership import loud_cell
from ..hints import Any, TypeVar
from ..native import _core


class RegionLog:
    """What one branch or iteration notes while it is traced: objects that it makes, and locations
    that it is about to change."""

    snapshot: Any = None  # what the region could reach when it began
    landed = False  # whether some of what it changed stays so
    spoiled = False  # whether it invalidated something that was valid
    n_variables = 0  # how many the trace had made when it began
    began = 0  # how much was invalidated when it began
    repeats = False  # whether it is an iteration of a loop, traced anew with what that changes
    nested: frozenset = frozenset()  # the keys of locations that traces within it changed

    def __init__(self) -> None:
        self.touched: dict[Any, tuple[Any, Any]] = {}
        self.born: dict[int, Any] = {}
        self.graphs: set[int] = set()  # that the region has traced
        self.iterators: dict[int, Any] = {}
        self.compared: list[tuple[Any, Any]] | None = None  # what differed before it was put back

    @property
    def anchors(self) -> tuple:
        """The functions of the region, where they are known."""
        return () if self.snapshot is None else self.snapshot.anchors

    def take_in(self, value: Any) -> None:
        """What has been made in the region belongs to what was there when it began."""
        if self.snapshot is not None:
            for key in self.snapshot.take_in(value):
                self.born.pop(key, None)


class Effects:
    """The side effects of a trace's regions, and what is to be done when it ends."""

    has_merged = False  # whether the graph merged values, or had branches or loops
    explain: Callable[[Exception], None] | None = None  # raises a better exception
    left: Any = None  # see ``lifted``: ``invalidated.Left``
    anchors: tuple = ()  # functions of regions in which others were traced
    listeners: tuple = ()  # see ``listeners``, when it began

    def __init__(self) -> None:
        # Locations that its regions changed, with what they held at first.
        self.changed: dict[Any, tuple[Any, Any]] = {}
        self.asked: dict[int, Any] = {}  # what regions changed for good, classes and caches, by id
        # See ``retrace``: locations by the depths of regions that make variables.
        self.built: dict[int, tuple[int, dict]] = {}
        self.stale: dict[Any, Any] = {}  # what is invalidated: see ``references``
        self.numbers: dict[Any, tuple[Any, Any]] = {}  # locations that the graph follows
        self.at_end: list[Callable[[], None]] = []
        self.at_last: list[Any] = []  # objects that end with it
        self.unset: set[str] = set()  # names that no region set which might set them


class Containers:
    """The lists and sets that a trace follows, and objects that it keeps in one piece."""

    are_grown = False  # whether the trace has made lists that the graph grows

    def __init__(self) -> None:
        self.filled: dict[int, list] = {}  # lists that comprehensions make, by id
        self.ordered: dict[int, list] = {}  # lists that ``sorted`` made of tensors, by id
        self.refilled: dict[int, set] = {}  # sets that are in another order, by id
        self.elements: dict[int, list] = {}  # see ``regions``, by their graphs
        self.held: dict[int, Any] = {}  # see ``structure``, objects that are no structures


class Callees:
    """The callees that replace user functions, and the cells with inline caches for them."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.lent: list[tuple[types.CellType, list]] = []  # see ``lend``
        self.has_kept = False  # whether anything is kept there

    def lend(self, n: int) -> types.CellType:
        """A cell with so many places, in which functions made for the trace keep what they were
        answered from call to call."""
        kept: list = [None] * n
        self.lent.append((types.CellType(kept), kept))
        return self.lent[-1][0]

    def forget(self) -> None:
        """A region begins, in which nothing holds objects but the program."""
        self.has_kept = False
        for _, kept in self.lent:
            kept[:] = [None] * len(kept)

    def take_back(self) -> None:
        """The trace ends, or another one begins within it: its functions keep nothing."""
        for cell, _ in self.lent:
            cell.cell_contents = None

    def go_on(self) -> None:
        """A trace within it has ended."""
        for cell, kept in self.lent:
            cell.cell_contents = kept


class _Nothing:
    """A part of a trace that nothing has been noted in: all that is asked of it is None."""

    # What is asked in every trace is found at once.
    arrays = copies = counts = defaults = foreign = has_flags = has_native = None
    identified = integers = known = numbers = proxies = quotients = rebuilt = None
    records = replaced = running = sets = texts = variables = None

    def __getattr__(self, name: str) -> None:
        return None


NOTHING: Any = _Nothing()


class TracePart:
    """A part of a trace context, of a class that the module defines which notes things in it."""

    slot: str  # the field of the trace context

    @classmethod
    def of_trace(cls: type[_Part]) -> _Part:
        """That of the trace on this thread, made when there is something to note."""
        trace = thread.trace
        if getattr(trace, cls.slot) is NOTHING:
            setattr(trace, cls.slot, cls())
        found: _Part = getattr(trace, cls.slot)
        return found


_Part = TypeVar("_Part", bound=TracePart)


class TraceContext:
    """What is known of one trace. Each part is an object of a class of the module that owns it,
    made by that when there is something to note."""

    variants: Any = NOTHING  # ``location.VariantRecords``
    aliases: Any = NOTHING  # ``aliasing.Aliases``
    attributes: Any = NOTHING  # ``own_attributes.Attributes``
    iterators: Any = NOTHING  # ``liveness.Iterators``
    values: Any = NOTHING  # ``symbolic.values.Values``
    checks: Any = NOTHING  # ``symbolic.ranges.Checks``

    def __init__(self) -> None:
        self.logs: list[RegionLog] = []  # of the regions that are being traced, inner ones last
        self.effects = Effects()
        self.containers = Containers()
        self.callees = Callees()

    def watch(self) -> None:
        """From now on the trace has lists that the graph grows, or objects that must not change."""
        loud[id(self)] = self
        self.containers.are_grown = True
        self.callees.known.clear()  # whose callees take and change objects as they are

    def ask_anew(self) -> None:
        """A function of the program changes: from now on nothing that is called in place of one is
        kept."""
        loud[id(self)] = self
        self.callees.known = _Unkept()
        self.callees.forget()


class _Unkept(dict):
    """What is called in place of what where that is asked for each time."""

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class Loud(dict):
    """By id, on all threads: the regions that are being traced, and the traces with lists of the
    graph or stale objects. While there are none, plain Python may take short ways.

    ``loud_cell`` holds whether there are some, for converted code.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __setitem__(self, key: int, made: Any) -> None:
        with self._lock:
            super().__setitem__(key, made)
            loud_cell.cell_contents = True

    def leave(self, made: TraceContext | RegionLog) -> None:
        """A region or a trace ends."""
        with self._lock:
            if self.pop(id(made), None) is not None:
                loud_cell.cell_contents = bool(self)

    def forked(self, own: list[TraceContext | RegionLog]) -> None:
        """In a forked child, where other threads are gone, with what they held and traced."""
        self._lock = threading.Lock()
        kept = {id(made): made for made in own if id(made) in self}
        self.clear()
        self.update(kept)
        loud_cell.cell_contents = bool(self)


loud = Loud()
_with_numpys: set[int] = set()  # the ids of traces that have NumPy's arrays or scalars as tensors
chosen: dict[int, TraceContext] = {}  # the same of traces with symbolic Python scalars


def watch_operators(trace: TraceContext) -> None:
    """From now on, until a trace ends, binary operators ask what represents NumPy's values."""
    if id(trace) not in _with_numpys:
        _with_numpys.add(id(trace))
        _core.watch_operators(1)


def end(trace: TraceContext) -> None:
    """A trace ends: nothing is asked for its sake any more."""
    loud.leave(trace)
    chosen.pop(id(trace), None)
    if id(trace) in _with_numpys:
        _with_numpys.remove(id(trace))
        _core.watch_operators(-1)
    traces.add(-1)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.trace: TraceContext | None = None  # the innermost one
        self.logs: list[RegionLog] = []  # its own, of the regions that are being traced
        self.roots: Any = None  # what the trace is made from
        self.n_ends = 0  # how often code in a branch has ended an iterator
        self.regions: list[Any] = []  # those that operations are added to, the innermost last
        self.branches: list[Any] = []  # those of them that are branches

    def enter(self, trace: TraceContext | None) -> None:
        """Continue in a trace, or outside of traces."""
        self.trace = trace
        self.logs = [] if trace is None else trace.logs


thread = _Thread()


class Traces:
    """The number of active traces on all threads: without any there is nothing to note."""

    __slots__ = ("_lock", "n")

    def __init__(self) -> None:
        self._lock, self.n = threading.Lock(), 0

    def add(self, n: int) -> None:
        """Count one that begins, or with -1 one that ends."""
        with self._lock:
            self.n += n

    def forked(self) -> None:
        """In a forked child, where who held the lock may be gone."""
        self._lock = threading.Lock()


traces = Traces()


def _forked() -> None:
    loud.forked([] if thread.trace is None else [thread.trace, *thread.trace.logs])
    traces.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def active() -> bool:
    """Whether a function is being traced on this thread."""
    return thread.trace is not None


def in_region() -> bool:
    """Whether a branch or a loop is being traced on this thread."""
    return bool(thread.logs)


def has_regions() -> bool:
    """Whether the trace has, or had, staged branches or loops."""
    return in_region() or (active() and thread.trace.effects.has_merged)


def has_unsure() -> bool:
    """Whether the trace has objects of which the graph says which attributes they have."""
    return thread.trace is not None and thread.trace.attributes.defaults is not None


def has_stale() -> bool:
    """Whether a region of the trace changed something that the graph cannot follow."""
    return thread.trace is not None and bool(thread.trace.effects.stale)


def note_lists() -> None:
    """From now on the trace has lists that the graph grows."""
    if thread.trace is not None:
        thread.trace.watch()


def fresh(value: Any, let_go: None = None) -> Any:
    """``value``, which has just been made; an argument may ``let_go`` of what it was made from."""
    if loud and type(value) is not memoryview:  # which keeps what it views from growing
        for made in thread.logs:
            made.born[id(value)] = held(value, made.born)
    return value


def current_snapshot() -> Any:
    """What the innermost region could reach when it began; None outside of regions."""
    return thread.logs[-1].snapshot if thread.logs else None


def held(value: Any, among: dict[int, Any]) -> Any:
    """A weak reference for noting an object by its id, where its finalizer runs user code; the note
    leaves ``among`` others when the object is freed. An object that gets the id of a freed one
    counts as new. A class is kept: when it is freed depends on the collector."""
    if issubclass(type(value), type):
        return value
    if not _has_end(type(value)):
        return None
    key = id(value)
    try:
        return weakref.ref(value, lambda _: among.pop(key, None))
    except TypeError:
        return None


def _has_end(kind: type) -> bool:
    """Whether the finalizer of an object runs user code."""
    return kind is types.GeneratorType or getattr(kind, "__del__", None) is not None


def outlived(made: Any) -> None:
    """Keep objects that a region leaves, and whose finalizer runs user code, until the trace
    ends."""
    for held in (*made.born.values(), *made.iterators.values()):
        if type(held) is weakref.ref:
            thread.trace.effects.at_last.append(held())


def filled(items: list) -> list:
    """``items``, to which a comprehension adds elements: the graph holds them where it decides."""
    if thread.trace is not None:
        thread.trace.containers.filled[id(items)] = items
    return fresh(items)


def is_filled(items: list) -> bool:
    """Whether a comprehension adds elements to a list."""
    return thread.trace is not None and id(items) in thread.trace.containers.filled


def touch(place: Any) -> None:
    """Note what ``place`` holds, since it is about to change."""
    for made in thread.logs:
        if place.key not in made.touched and id(place.owner) not in made.born:
            made.touched[place.key] = place, place.get()


def listeners() -> tuple:
    """What prints and warnings go to now."""
    warned = getattr(sys.modules.get("warnings"), "_showwarnmsg_impl", None)
    return sys.stdout, sys.stderr, warned


def own_listeners() -> list:
    """Those that the traced function has put there itself, and may read."""
    before = () if thread.trace is None else thread.trace.effects.listeners
    return [now for now, old in zip(listeners(), before, strict=False) if now is not old]


def note_asked(changed: Any) -> None:
    """Note that a region changed for good what a class or a cache tells of itself: it has derived
    another class, or called a function that counts its calls."""
    thread.trace.effects.asked[id(changed)] = changed


def is_identified(value: Any) -> bool:
    """Whether user code has read the identity of an object."""
    return id(value) in (thread.trace.aliases.identified or ())


def lifted() -> Any:
    """A block in which a function is called that may be traced: it finds what those that were
    traced within loops have left, which the trace around it does not read."""
    left = None if thread.trace is None else thread.trace.effects.left
    return contextlib.nullcontext() if left is None else left.lifted()


def has_lists() -> bool:
    """Whether the trace has made lists that the graph grows."""
    return traces.n > 0 and thread.trace is not None and thread.trace.containers.are_grown


def has_variants() -> bool:
    """Whether the trace has objects with variants."""
    return traces.n > 0 and thread.trace is not None and bool(thread.trace.variants.records)


def record_of(owner: Any) -> Any:
    """The record of an object with variants; None for others."""
    return thread.trace.variants.records.get(id(owner)) if has_variants() else None


class Proxy:
    """The proxy of an object that has several variants."""

    _ferrograph_target: Any
    _ferrograph_items: Callable[[], Any]


class Holder:
    """What this package holds an object of user code by, for an active statement."""

    __slots__ = ()


def is_proxy(value: Any) -> bool:
    """Whether a value is the proxy of another object."""
    return issubclass(type(value), Proxy)


def note_choice() -> None:
    """Note that the trace has merged values."""
    if thread.trace is not None:
        thread.trace.effects.has_merged = True


def note_unset(name: str) -> None:
    """Note that a name stays unset which a staged branch or loop may set."""
    if thread.trace is not None:
        thread.trace.effects.unset.add(name)


def note_ordered(items: list) -> list:
    """A list that ``sorted`` made of a tensor: a traced function returns it as a tensor."""
    if thread.trace is not None:
        thread.trace.containers.ordered[id(items)] = items
    return items


def is_ordered(items: list) -> bool:
    """Whether ``sorted`` made a list of a tensor."""
    return thread.trace is not None and id(items) in thread.trace.containers.ordered


def really(value: Any) -> Any:
    """``value``, or the object whose proxy it is."""
    return value._ferrograph_target if is_proxy(value) else value


def proxy_of(value: Any) -> Any:
    """The proxy of an object that has several variants now; others themselves."""
    trace = thread.trace
    if trace is None or not trace.variants.records:
        return value
    front = trace.variants.proxies.get(id(value))
    return value if front is None or not front._ferrograph_open() else front


def refuse_stale(value: Any) -> None:
    """Refuse an object that a region changed where the graph cannot follow."""
    if traces.n and thread.trace is not None:
        known = thread.trace.effects.stale.get(id(value))
        if known is not None:
            known._ferrograph_refuse()


def original(value: Any) -> Any:
    """The tuple in whose place another one was put; others themselves."""
    rebuilt = thread.trace.variants.rebuilt
    return rebuilt[id(value)][1] if rebuilt and id(value) in rebuilt else value


def region_functions() -> tuple:
    """The functions of the regions that are being traced, and of those in which others were."""
    return (*thread.trace.effects.anchors, *(a for log in thread.logs for a in log.anchors))
