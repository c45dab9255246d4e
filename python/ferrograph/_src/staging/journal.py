"""The journals of the regions that a thread is tracing; see ``effects``, which writes them.

This module imports nothing heavy, since it stands before every first trace.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import types
from collections.abc import Callable

from ..context.ownership import loud_cell
from ..hints import Any


class Journal:
    """The places set while one region is traced."""

    snapshot: Any = None  # what the region could reach when it began
    landed = False  # whether some of what it changed stays so
    spoiled = False  # whether it made something stale that was not
    n_variables = 0  # how many the trace had made when it began
    began = 0  # how much was stale when it began
    repeats = False  # whether it is an iteration of a loop, traced anew with what that changes
    nested: frozenset = frozenset()  # the keys of places that traces within it changed
    explain: Callable[[Exception], None] | None = None  # of a trace: raises a better one
    families: Any = None  # of a trace: see ``families``
    lists = False  # whether the trace has made lists that the graph grows
    has_chosen = False  # of a trace: whether its graph chose among values, or had branches or loops
    lift: Any = None  # of a trace: see ``lifted``
    left: Any = None  # of a trace: the places that it is about
    read_in_c = False  # of a trace: see ``c_readers``, whether there may be such
    tracing: tuple = ()  # of a trace: functions of regions in which others were traced
    filled: Any = None  # of a trace: lists that comprehensions make, by id
    versions: Any = None  # of a trace: see ``versions``, by the ids of objects
    ordered: Any = None  # of a trace: lists that ``sorted`` made of tensors, by id
    rebuilt: Any = None  # of a trace: see ``keepers``, tuples by id
    fronts: Any = None  # of a trace: what stands for these objects, and for what holds them
    integers: Any = None  # of a trace: tensors that stand for integers of Python's own
    n_checks = 0  # of a trace: how many of their operations it has checked
    n_weak = 0  # of a trace: see ``chosen_numbers.n_weak``
    n_quotients = 0  # of a trace: how many of numbers it has had
    has_flags = False  # of a trace: whether the graph decides of some what they stand for
    n_unchecked = 0  # of a trace: of how many steps by one it takes it that they need no check
    bound: Callable[[], None] | None = None  # of a trace: checks those of the function itself
    listeners: tuple = ()  # of a trace: see ``listeners``, when it began
    defaults: Any = None  # of a trace: see ``presence``, attributes that classes have, too
    identified: Any = None  # of a trace: objects whose identity was asked for, by id
    asked: Any = None  # of a trace: what regions changed for good, classes and caches, by id
    compares = False  # of a trace: whether the program asked which of two tensors something is
    made_anew: Any = None  # of a trace: keys of tensors, see ``identities.note_new``
    unordered: Any = None  # of a trace: see ``orders``, by the ids of objects
    built: Any = None  # of a trace: see ``building``, places by the depths of regions
    changed: Any = None  # of a trace: places that its regions changed, with what they held at first

    def __init__(self) -> None:
        self.touched: dict[Any, tuple[Any, Any]] = {}
        self.born: dict[int, Any] = {}
        self.graphs: set[int] = set()  # that the region has traced
        self.iterators: dict[int, Any] = {}
        self.compared: list[tuple[Any, Any]] | None = None  # what differed before it was put back
        self.stale: dict[Any, Any] = {}  # of a trace: see ``outside``
        self.numbers: dict[Any, tuple[Any, Any]] = {}
        self.at_end: list[Callable[[], None]] = []
        self.running: list[tuple[Any, Any]] = []  # of a trace: see ``running``
        self.arrays: dict[Any, Any] = {}  # of a trace: tensors that stand for arrays of NumPy's
        self.array_of: dict[Any, Any] = {}  # of a trace: see ``chosen_arrays``, memory by memory
        self.refilled: dict[int, set] = {}  # of a trace: sets that are in another order, by id
        self.texts: dict[Any, Any] = {}  # of a trace: string tensors that stand for texts
        self.copies: dict[int, tuple] = {}  # of a trace: with what iterations begin, and of what
        self.replaced: list[Any] = []  # of a trace: containers that loops changed in copies
        self.integer_facts: dict[Any, Any] = {}  # of a trace: see ``magnitudes.Fact``
        self.integers_made_of: dict[Any, set] = {}  # of a trace, by the keys of tensors
        self.integers_checked: set = set()  # of a trace: keys of those that its checks are about
        self.numbers_chosen: dict[Any, Any] = {}  # of a trace: tensors that stand for numbers
        self.numbers_known: dict[Any, set] = {}  # of a trace: see ``chosen_numbers.note_known``
        self.unset: set[str] = set()  # of a trace: names that no region set which might set them
        self.tensors: set = set()  # of a trace: keys of those that the program made by functions
        self.scalars: dict[Any, Any] = {}  # of a trace: tensors that stand for scalars of NumPy
        self.variables: dict[Any, Any] = {}  # of a trace: see ``chosen_variables``
        self.numbers_in_doubt: dict[Any, Any] = {}  # of a trace: flags of those that may be tensors
        self.quotients: dict[int, list] = {}  # of a trace: see ``quotients``, by their graphs
        self.taken: dict[int, tuple] = {}  # of a trace: see ``cursors``, how much of them, by id
        self.elements: dict[int, list] = {}  # of a trace: see ``unread``, by their graphs
        self.number_kinds: dict[Any, frozenset] = {}  # of a trace: their classes, where known
        self.kinds_told = 0  # how often it was said of which class such a number is
        self.at_last: list[Any] = []  # of a trace: objects that end with it
        self.held: dict[int, Any] = {}  # of a trace: see ``values``, objects that are no structures
        self.known: dict[Any, Any] = {}  # of a trace: what is called in place of what
        self.lent: list[tuple[types.CellType, list]] = []  # of a trace: see ``lend``
        self.has_kept = False  # of a trace: whether anything is kept there

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

    def take_in(self, value: Any) -> None:
        """What has been made in the region belongs to what was there when it began."""
        if self.snapshot is not None:
            for key in self.snapshot.take_in(value):
                self.born.pop(key, None)

    def watch(self) -> None:
        """From now on the trace has lists that the graph grows, or objects that must not change."""
        loud[id(self)] = self
        self.lists = True
        self.known.clear()  # whose callees take and change objects as they are

    def ask_anew(self) -> None:
        """A function of the program changes: from now on nothing that is called in place of one is
        kept."""
        loud[id(self)] = self
        self.known = _Unkept()
        self.forget()


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

    def __setitem__(self, key: int, made: Journal) -> None:
        with self._lock:
            super().__setitem__(key, made)
            loud_cell.cell_contents = True

    def leave(self, made: Journal) -> None:
        """A region or a trace ends."""
        with self._lock:
            if self.pop(id(made), None) is not None:
                loud_cell.cell_contents = bool(self)

    def forked(self, own: list[Journal]) -> None:
        """In a forked child, where other threads are gone, with what they held and traced."""
        self._lock = threading.Lock()
        kept = {id(made): made for made in own if id(made) in self}
        self.clear()
        self.update(kept)
        loud_cell.cell_contents = bool(self)


loud = Loud()
chosen: dict[int, Journal] = {}  # the same of traces with Python numbers that the graph chose


class _Thread(threading.local):
    def __init__(self) -> None:
        self.journals: list[Journal] = []  # of the trace and the regions in it, inner ones last
        self.roots: Any = None  # what the trace is made from
        self.n_ends = 0  # how often code in a branch has said that what is run over ends
        self.regions: list[Any] = []  # those that operations are added to, the innermost last


thread = _Thread()


class Traces:
    """How many traces are under way on all threads: with none there is nothing to note."""

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
    loud.forked(thread.journals)
    traces.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def listeners() -> tuple:
    """What prints and warnings go to now."""
    warned = getattr(sys.modules.get("warnings"), "_showwarnmsg_impl", None)
    return sys.stdout, sys.stderr, warned


def own_listeners() -> list:
    """Those that the traced function has put there itself, and may read."""
    before = thread.journals[0].listeners if thread.journals else ()
    return [now for now, old in zip(listeners(), before, strict=False) if now is not old]


def note_asked(changed: Any) -> None:
    """Note that a region changed for good what a class or a cache tells of itself: it has derived
    another class, or called a function that counts its calls."""
    root = thread.journals[0]
    root.asked = {**(root.asked or {}), id(changed): changed}


def is_identified(value: Any) -> bool:
    """Whether the program was told the identity of an object."""
    return id(value) in (thread.journals[0].identified or ())


def lifted() -> Any:
    """A block in which a function is called that may be traced: it finds what those that were
    traced within loops have left, which the trace around it does not read."""
    lift = thread.journals[0].lift if thread.journals else None
    return contextlib.nullcontext() if lift is None else lift()


def has_lists() -> bool:
    """Whether the trace has made lists that the graph grows."""
    return traces.n > 0 and bool(thread.journals) and thread.journals[0].lists


def has_versions() -> bool:
    """Whether the trace has objects among whose contents the graph chooses."""
    return traces.n > 0 and bool(thread.journals) and bool(thread.journals[0].versions)


def record_of(owner: Any) -> Any:
    """What is known of an object among whose contents the graph chooses; None of others."""
    return thread.journals[0].versions.get(id(owner)) if has_versions() else None


class StandIn:
    """What stands for an object among whose contents the graph chooses."""

    _ferrograph_target: Any


class Holder:
    """What this package holds an object of the program's by, for a statement that is under way."""

    __slots__ = ()


def is_front(value: Any) -> bool:
    """Whether a value stands for another object."""
    return issubclass(type(value), StandIn)


def note_choice() -> None:
    """Note that the graph of the trace chooses among values."""
    if thread.journals:
        thread.journals[0].has_chosen = True


def note_unset(name: str) -> None:
    """Note that a name stays unset which a branch or a loop of the graph may set."""
    if thread.journals:
        thread.journals[0].unset.add(name)


def note_ordered(items: list) -> list:
    """A list that ``sorted`` made of a tensor: a traced function returns it as a tensor."""
    if thread.journals:
        root = thread.journals[0]
        root.ordered = {**(root.ordered or {}), id(items): items}
    return items


def is_ordered(items: list) -> bool:
    """Whether ``sorted`` made a list of a tensor."""
    return bool(thread.journals) and id(items) in (thread.journals[0].ordered or ())


def really(value: Any) -> Any:
    """``value``, or what it stands for."""
    return value._ferrograph_target if is_front(value) else value


def front_of(value: Any) -> Any:
    """What stands for an object among whose contents the graph chooses now; others themselves."""
    if not has_versions():
        return value
    front = thread.journals[0].fronts.get(id(value))
    return value if front is None or not front._ferrograph_open() else front


def refuse_stale(value: Any) -> None:
    """Refuse an object that a region changed where the graph cannot follow."""
    if traces.n and thread.journals and (known := thread.journals[0].stale.get(id(value))):
        known._ferrograph_refuse()


def original(value: Any) -> Any:
    """The tuple in whose place another one was put; others themselves."""
    rebuilt = thread.journals[0].rebuilt
    return rebuilt[id(value)][1] if rebuilt and id(value) in rebuilt else value
