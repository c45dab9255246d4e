"""Settings of the interpreter and of libraries that are no attribute of an object: by module.

A region that reaches a module holds those that some code reached names, and compares them when it
ends. Nothing can stand for such a setting in the graph, so that a change is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from . import facets, kinds


class Setting:
    """One setting of a module: what changes it, and what tells it."""

    __slots__ = ("changed_by", "label", "read")

    def __init__(self, label: str, changed_by: str, read: Callable[[], Any]):
        self.label, self.read = label, read
        self.changed_by = frozenset(changed_by.split())


class _Held(facets.State):
    """A setting, compared by what it is told to be."""

    def __init__(self) -> None:
        super().__init__(lambda setting: setting.read(), None, "setting")

    def changes(self, owner: Setting, held: Any, label: str) -> facets.Found:
        yield self.place(owner, owner.label), held[0]


kinds.register(Setting, _Held())


def _of_sys(sys: Any) -> Iterable[Setting]:
    yield Setting("sys.recursionlimit", "setrecursionlimit", sys.getrecursionlimit)
    yield Setting("sys.switchinterval", "setswitchinterval", sys.getswitchinterval)
    if hasattr(sys, "get_int_max_str_digits"):
        yield Setting(
            "sys.int_max_str_digits", "set_int_max_str_digits", sys.get_int_max_str_digits
        )


def _of_warnings(warnings: Any) -> Iterable[Setting]:
    changed_by = "filters simplefilter filterwarnings resetwarnings catch_warnings"
    yield Setting("warnings.filters", changed_by, lambda: tuple(warnings.filters))


def _of_os(os: Any) -> Iterable[Setting]:
    yield Setting("os.getcwd", "chdir fchdir chroot", os.getcwd)


def _of_locale(locale: Any) -> Iterable[Setting]:
    yield Setting("locale", "setlocale resetlocale", lambda: locale.setlocale(locale.LC_ALL))


def _of_gc(gc: Any) -> Iterable[Setting]:
    changed_by = "enable disable set_threshold set_debug"
    told = gc.isenabled, gc.get_threshold, gc.get_debug
    yield Setting("gc", changed_by, lambda: tuple(tell() for tell in told))


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
}
_found: dict[str, tuple[Setting, ...]] = {}


def named(module: str, words: frozenset[str]) -> list[Setting]:
    """The settings of a module, by the name that it goes by, that code with these words may
    change."""
    if module not in sys.modules:
        return []
    if module not in _found:
        _found[module] = tuple(_OF_MODULES[module](sys.modules[module]))
    return [setting for setting in _found[module] if not words.isdisjoint(setting.changed_by)]
