"""State of library objects that only some of their methods change: locks, events, loggers.

Other threads change it as well, and finding it costs more than the rest of a walk: such a state is
copied only where code that a region reaches has one of the names that go with it. The graph cannot
represent it, so a change is undone where possible, and refused.
"""

from __future__ import annotations

import functools
import io
import sys
import threading
from collections.abc import Callable, Iterable

from ...hints import Any
from .base import Refused, TypeAdapter

Rows = Iterable[tuple[Any, str, Callable[[Any], Any], Callable[[Any, Any], None] | None]]


class Told(Refused):
    """A state that some words go with: not all that an object holds."""

    is_content = False

    def __init__(self, words: str, get: Callable, put: Callable | None):
        super().__init__(get, put, "state")
        self.words = frozenset(words.split())


def held(owners: Iterable[Any], words: frozenset[str]) -> list[tuple[TypeAdapter, Any, Any]]:
    """The states of objects that code with these words may change."""
    found: list[tuple[TypeAdapter, Any, Any]] = []
    for owner in owners:
        told = told_of(type(owner))
        if told is not None and not told.words.isdisjoint(words):
            found.append((told, owner, told.hold(owner)))
    return found


def told_of(kind: type) -> Told | None:
    """The state of instances of a class that goes with words; None of other classes."""
    return _told_of(kind, tuple(name in sys.modules for name in _OF_MODULES))


@functools.lru_cache(maxsize=1024)
def _told_of(kind: type, loaded: tuple[bool, ...]) -> Told | None:
    known = _all(loaded)
    return next((known[base] for base in kind.__mro__ if base in known), None)


@functools.lru_cache(maxsize=4)
def _all(loaded: tuple[bool, ...]) -> dict[type, Told]:
    found = {}
    for (name, rows), is_loaded in zip(_OF_MODULES.items(), loaded, strict=True):
        for kind, words, get, put in rows(sys.modules[name]) if is_loaded else ():
            found[kind] = Told(words, get, put)
    return found


_BY_HAND = "acquire release acquire_lock release_lock enter_context __enter__ __exit__"


def _times(lock: Any) -> int:
    """How often this thread has taken a lock that it may take again."""
    shown = repr(lock).partition("count=")[2] if lock._is_owned() else ""
    return int(shown.split()[0]) if shown else 0


def _put_lock(lock: Any, is_locked: bool) -> None:
    if is_locked:
        lock.acquire(blocking=False)
    else:
        lock.release()


def _put_times(lock: Any, times: int) -> None:
    for _ in range(_times(lock), times):
        lock.acquire(blocking=False)
    for _ in range(times, _times(lock)):
        lock.release()


def _put_flag(event: Any, is_set: bool) -> None:
    event.set() if is_set else event.clear()


def _of_condition(condition: Any) -> Any:
    lock = condition._lock
    return _times(lock) if hasattr(lock, "_is_owned") else lock.locked()


def _put_condition(condition: Any, state: Any) -> None:
    (_put_times if hasattr(condition._lock, "_is_owned") else _put_lock)(condition._lock, state)


def _of_thread(thread: Any) -> tuple:
    finished = getattr(thread, "finished", None)  # of a timer
    return thread.name, thread.daemon, thread.ident, finished is not None and finished.is_set()


def _threading(_: Any) -> Rows:
    yield type(threading.Lock()), _BY_HAND, lambda lock: lock.locked(), _put_lock
    yield type(threading.RLock()), _BY_HAND, _times, _put_times
    yield threading.Event, "set clear", lambda event: event.is_set(), _put_flag
    yield (
        threading.Semaphore, _BY_HAND,
        lambda held: held._value, lambda held, value: setattr(held, "_value", value),
    )  # fmt: skip
    yield threading.Condition, _BY_HAND, _of_condition, _put_condition
    yield threading.Barrier, "abort reset wait", lambda held: (held.broken, held.n_waiting), None
    yield threading.Thread, "name daemon start run cancel setName setDaemon", _of_thread, None


def _futures(futures: Any) -> Rows:
    words = "set_result set_exception cancel set_running_or_notify_cancel"
    yield futures.Future, words, lambda future: future._state, None


def _thread_pools(pools: Any) -> Rows:
    yield pools.ThreadPoolExecutor, "shutdown __exit__", lambda pool: pool._shutdown, None


def _filters(filterer: Any) -> tuple:
    return tuple(map(id, filterer.filters))


def of_logger(logger: Any) -> tuple:
    """What a logger is set to."""
    handlers = tuple(map(id, logger.handlers))
    return logger.level, handlers, _filters(logger)


_LOGGERS = (
    "setLevel addHandler removeHandler addFilter removeFilter handlers filters level basicConfig"
)


def behind(held: Any) -> tuple:
    """Objects of user code that a library's logger or handler uses: logging changes them. Those of
    the root logger belong to whoever started the process. For a thread, its target and the
    arguments.
    """
    if isinstance(held, threading.Thread):
        return tuple(getattr(held, name, None) for name in ("_target", "_args", "_kwargs"))
    logging = sys.modules.get("logging")
    if logging is None or held is logging.root:
        return ()
    if isinstance(held, logging.Logger):
        return (*held.handlers, *held.filters)
    if isinstance(held, logging.Handler):
        parts = (getattr(held, name, None) for name in ("stream", "buffer", "target"))
        return tuple(part for part in parts if not isinstance(part, io.TextIOWrapper))
    return ()


def _logging(logging: Any) -> Rows:
    yield logging.Logger, _LOGGERS, of_logger, None
    yield (
        logging.Handler, "setLevel setFormatter addFilter removeFilter set_name level formatter",
        lambda held: (held.level, id(held.formatter), held.name, _filters(held)), None,
    )  # fmt: skip


def _contextvars(contextvars: Any) -> Rows:
    def values(context: Any) -> dict:
        return {id(variable): id(value) for variable, value in context.items()}

    yield contextvars.Context, "run", values, None


def _functools(functools: Any) -> Rows:
    kind = type(functools.lru_cache(int))
    yield kind, "cache_clear", lambda cache: cache.cache_info()[1:], None


def _collections(collections: Any) -> Rows:
    yield (
        collections.defaultdict, "default_factory", lambda held: id(held.default_factory),
        None,
    )  # fmt: skip


def _builtins(builtins: Any) -> Rows:
    def is_released(view: memoryview) -> bool:
        try:
            return view.nbytes < 0
        except ValueError:
            return True

    yield builtins.memoryview, "release __exit__", is_released, None


def _array_flags(array: Any) -> tuple:
    kind = array.dtype
    return array.flags.writeable, array.shape, array.strides, kind, kind.names


def _numpy(numpy: Any) -> Rows:
    yield numpy.ndarray, "setflags flags writeable resize names", _array_flags, None


def _put_random(generator: Any, told: tuple) -> None:
    generator.state = told[0]


class _Text(tuple):
    """A state that compares by its text, since it holds arrays."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is _Text and repr(self[0]) == repr(other[0])

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


def _random(random: Any) -> Rows:
    yield (
        random.BitGenerator, "advance state random_raw jumped seed integers random normal",
        lambda held: _Text((held.state,)), _put_random,
    )  # fmt: skip
    yield random.SeedSequence, "spawn", lambda held: held.n_children_spawned, None


def _socket(socket: Any) -> Rows:
    yield (
        socket.socket, "settimeout setblocking close detach shutdown",
        lambda held: (held.gettimeout(), held.fileno()), None,
    )  # fmt: skip


def _hmac(hmac: Any) -> Rows:
    yield hmac.HMAC, "update", lambda held: held.digest(), None


def _elements(elements: Any) -> Rows:
    def state(element: Any) -> tuple:
        told = element.tag, element.text, element.tail, dict(element.attrib)
        return (*told, tuple(map(id, element)))

    yield elements.Element, "SubElement indent append insert extend remove", state, None


_OF_MODULES: dict[str, Callable[[Any], Rows]] = {
    "builtins": _builtins,
    "collections": _collections,
    "concurrent.futures._base": _futures,
    "concurrent.futures.thread": _thread_pools,
    "contextvars": _contextvars,
    "functools": _functools,
    "hmac": _hmac,
    "logging": _logging,
    "numpy": _numpy,
    "numpy.random": _random,
    "socket": _socket,
    "threading": _threading,
    "xml.etree.ElementTree": _elements,
}
