"""Process-wide settings of the interpreter and of libraries, by module.

A region that reaches a module copies the settings that reachable code names, and compares them when
it ends. The graph cannot represent such a setting, so a change is refused.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable

from ..context import ownership
from ..hints import Any
from .adapters import library_states, registry
from .adapters.base import Found, Refused


class Setting:
    """One setting of a module: what changes it, what tells it, and what puts it back, if known."""

    __slots__ = ("changed_by", "label", "put", "read", "told_by")

    def __init__(
        self,
        label: str,
        changed_by: str,
        read: Callable[[], Any],
        put: Callable[[Any], Any] | None = None,
        told_by: str = "",
    ):
        self.label, self.read, self.put = label, read, put
        self.changed_by = frozenset(changed_by.split())
        self.told_by = frozenset(told_by.split())  # what reads it, where few programs do


def _put(setting: Setting, state: Any) -> None:
    if setting.put is not None:
        setting.put(state)


class _Held(Refused):
    """A setting, compared by its value."""

    def __init__(self) -> None:
        super().__init__(lambda setting: setting.read(), _put, "setting")

    def changes(self, owner: Setting, held: Any, label: str) -> Found:
        yield self.place(owner, owner.label), held[0]


registry.register(Setting, _Held())


def _of_sys(sys: Any) -> Iterable[Setting]:
    yield Setting(
        "sys.recursionlimit", "setrecursionlimit", sys.getrecursionlimit, sys.setrecursionlimit
    )
    yield Setting(
        "sys.switchinterval", "setswitchinterval", sys.getswitchinterval, sys.setswitchinterval
    )
    if hasattr(sys, "get_int_max_str_digits"):
        yield Setting(
            "sys.int_max_str_digits", "set_int_max_str_digits", sys.get_int_max_str_digits
        )
    yield Setting("sys.settrace", "settrace", lambda: id(sys.gettrace()))
    yield Setting("sys.setprofile", "setprofile", lambda: id(sys.getprofile()))
    depth = sys.get_coroutine_origin_tracking_depth
    yield Setting("sys.coroutine_origin", "set_coroutine_origin_tracking_depth", depth)
    hooks = sys.get_asyncgen_hooks
    yield Setting("sys.asyncgen_hooks", "set_asyncgen_hooks", lambda: tuple(map(id, hooks())))
    yield Setting("sys.modules", "modules", lambda: _Modules(sys.modules))


def of_imports(names: list[str]) -> Setting:
    """Which modules of these names, and around and below them, there are."""

    def is_near(found: str) -> bool:
        return any(
            f"{found}.".startswith(f"{n}.") or f"{n}.".startswith(f"{found}.") for n in names
        )

    def loaded() -> set[str]:
        return set(filter(is_near, list(sys.modules)))

    return Setting("the modules in sys.modules", "", loaded)


class _Modules(dict):
    """The modules there are: one that is imported under its own name is no change."""

    def __ne__(self, before: Any) -> bool:
        if any(self.get(name) is not module for name, module in before.items()):
            return True
        return any(name not in before and not _is_imported(name, self[name]) for name in self)

    __hash__ = None


def _is_imported(name: str, module: Any) -> bool:
    return getattr(ownership.said_by(module, "__spec__"), "name", None) == name


def _of_warnings(warnings: Any) -> Iterable[Setting]:
    changed_by = "filters simplefilter filterwarnings resetwarnings catch_warnings"

    def put(filters: tuple) -> None:
        warnings.filters[:] = filters
        getattr(warnings, "_filters_mutated", int)()

    yield Setting("warnings.filters", changed_by, lambda: tuple(warnings.filters), put)


def _of_os(os: Any) -> Iterable[Setting]:
    yield Setting("os.getcwd", "chdir fchdir chroot", os.getcwd, os.chdir)


def _of_locale(locale: Any) -> Iterable[Setting]:
    put = functools.partial(locale.setlocale, locale.LC_ALL)
    yield Setting("locale", "setlocale resetlocale", lambda: locale.setlocale(locale.LC_ALL), put)


def _of_gc(gc: Any) -> Iterable[Setting]:
    changed_by = "enable disable set_threshold set_debug freeze unfreeze"
    told = gc.isenabled, gc.get_threshold, gc.get_debug, gc.get_freeze_count

    def put(state: tuple) -> None:
        (gc.enable if state[0] else gc.disable)()
        gc.set_threshold(*state[1])
        gc.set_debug(state[2])

    yield Setting("gc", changed_by, lambda: tuple(tell() for tell in told), put)


def _of_numpy(numpy: Any) -> Iterable[Setting]:
    yield Setting("numpy.errstate", "seterr errstate", numpy.geterr)
    yield Setting("numpy.errcall", "seterrcall errstate", lambda: id(numpy.geterrcall()))
    yield Setting(
        "numpy.printoptions",
        "set_printoptions printoptions",
        lambda: repr(sorted(numpy.get_printoptions().items())),
    )


def _of_signal(signal: Any) -> Iterable[Setting]:
    def told() -> tuple:
        return tuple(id(signal.getsignal(number)) for number in sorted(signal.valid_signals()))

    yield Setting("signal", "signal set_wakeup_fd", told)


def _of_socket(socket: Any) -> Iterable[Setting]:
    yield Setting("socket.defaulttimeout", "setdefaulttimeout", socket.getdefaulttimeout)


def _of_csv(csv: Any) -> Iterable[Setting]:
    yield Setting("csv.field_size_limit", "field_size_limit", csv.field_size_limit)
    yield Setting(
        "csv.dialects",
        "register_dialect unregister_dialect",
        lambda: [(name, id(csv.get_dialect(name))) for name in csv.list_dialects()],
    )


def _of_atexit(atexit: Any) -> Iterable[Setting]:
    yield Setting("atexit", "register unregister", atexit._ncallbacks)


def _of_calendar(calendar: Any) -> Iterable[Setting]:
    yield Setting("calendar.firstweekday", "setfirstweekday", calendar.firstweekday)


def _of_decimal(decimal: Any) -> Iterable[Setting]:
    yield Setting("decimal.context", "setcontext", lambda: id(decimal.getcontext()))


def _of_copyreg(copyreg: Any) -> Iterable[Setting]:
    yield Setting("copyreg", "pickle constructor", lambda: dict(copyreg.dispatch_table))


def _of_threading(threading: Any) -> Iterable[Setting]:
    yield Setting("threading.stack_size", "stack_size", threading.stack_size)
    hooks = (lambda: id(threading._trace_hook)), (lambda: id(threading._profile_hook))
    yield Setting("threading.settrace", "settrace settrace_all_threads", hooks[0])
    yield Setting("threading.setprofile", "setprofile setprofile_all_threads", hooks[1])


def _of_logging(logging: Any) -> Iterable[Setting]:
    def loggers() -> list:
        known = [k for k in logging.root.manager.loggerDict.values() if hasattr(k, "level")]
        return [library_states.of_logger(logger) for logger in (logging.root, *known)]

    def disabled() -> tuple:
        return logging.root.manager.disable, sorted(logging._levelToName.items())

    yield Setting("logging", "disable addLevelName captureWarnings", disabled)
    changed_by = "setLevel addHandler removeHandler addFilter removeFilter basicConfig handlers"
    yield Setting("logging.loggers", changed_by, loggers)
    names = lambda: list(logging.root.manager.loggerDict)  # noqa: E731
    yield Setting("the names of loggers", "getLogger getChild", names, told_by="loggerDict")


def _of_gettext(gettext: Any) -> Iterable[Setting]:
    yield Setting("gettext.textdomain", "textdomain install", gettext.textdomain)


def _of_tracemalloc(tracemalloc: Any) -> Iterable[Setting]:
    yield Setting("tracemalloc", "start stop", tracemalloc.is_tracing)


def _of_faulthandler(faulthandler: Any) -> Iterable[Setting]:
    yield Setting("faulthandler", "enable disable", faulthandler.is_enabled)


def _of_ctypes(ctypes: Any) -> Iterable[Setting]:
    yield Setting("ctypes.errno", "set_errno", ctypes.get_errno)


def _of_mimetypes(mimetypes: Any) -> Iterable[Setting]:
    def types() -> list:
        known = mimetypes._db
        return [] if known is None else [dict(held) for held in known.types_map]

    yield Setting("mimetypes", "add_type", types)


_OF_MODULES: dict[str, Callable[[Any], Iterable[Setting]]] = {
    "sys": _of_sys,
    "warnings": _of_warnings,
    "os": _of_os,
    "locale": _of_locale,
    "gc": _of_gc,
    "numpy": _of_numpy,
    "signal": _of_signal,
    "socket": _of_socket,
    "csv": _of_csv,
    "atexit": _of_atexit,
    "calendar": _of_calendar,
    "decimal": _of_decimal,
    "copyreg": _of_copyreg,
    "threading": _of_threading,
    "ctypes": _of_ctypes,
    "faulthandler": _of_faulthandler,
    "gettext": _of_gettext,
    "logging": _of_logging,
    "mimetypes": _of_mimetypes,
    "tracemalloc": _of_tracemalloc,
}
_found: dict[str, tuple[Setting, ...]] = {}


def named(
    module: str, words: frozenset[str], running: Callable[[], frozenset[str]]
) -> list[Setting]:
    """The settings of a module, by the name that it goes by, that code with these words may change;
    some only where the code that is ``running`` reads them."""
    if module not in sys.modules:
        return []
    if module not in _found:
        _found[module] = tuple(_OF_MODULES[module](sys.modules[module]))
    found = [setting for setting in _found[module] if not words.isdisjoint(setting.changed_by)]
    return [s for s in found if not s.told_by or not s.told_by.isdisjoint(running())]
