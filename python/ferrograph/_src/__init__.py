"""What ferrograph is made of. Private: public names are in the namespaces beside this folder."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FunctionType

from .hints import Any

_importing: list[int] = []  # the threads that import a module late, once for each module
_forking: list[int] = []  # the threads that are about to fork
_LONGEST_WAIT = 5.0
_PUBLIC = f"{__name__.rpartition('.')[0]}."
_PLACED = (type, FunctionType)  # what says in which module users find it


def _load(module: str) -> Any:
    """A module that is imported late."""
    if module in sys.modules:
        return import_module(module)
    thread = threading.get_ident()
    _begin_import(thread)
    try:
        with uncollected(settles=True):
            return import_module(module)
    finally:
        _importing.remove(thread)


class uncollected:
    """A block that makes many objects which all live to its end: looking for garbage finds none.

    Where it ``settles``, what it made stays, as modules do: these objects go to the oldest
    generation without being walked through. That is for what happens a bounded number of times,
    since garbage of user code, too, waits for the next full collection then.
    """

    def __init__(self, settles: bool = False):
        self._settles = settles

    def __enter__(self) -> None:
        self._is_on = gc.isenabled()
        gc.disable()

    def __exit__(self, *exception: Any) -> None:
        if self._is_on:
            if self._settles and not gc.get_freeze_count():  # what a program froze stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _begin_import(thread: int) -> None:
    """Announce an import, one at a time with forks of other threads, which see it or are seen."""
    end = time.monotonic() + _LONGEST_WAIT
    while True:
        inside = thread in _importing  # a fork waits for this thread already
        _importing.append(thread)
        forked_by_others = any(other != thread for other in _forking)
        if inside or not forked_by_others or time.monotonic() > end:
            return
        _importing.remove(thread)
        time.sleep(0.001)


def await_imports() -> None:
    """Before a fork, wait for the late imports of other threads and keep new ones from starting.

    A child forked in the middle of one would wait for it for ever.
    """
    thread, end = threading.get_ident(), time.monotonic() + _LONGEST_WAIT
    _forking.append(thread)
    while any(other != thread for other in _importing) and time.monotonic() < end:
        time.sleep(0.001)


def allow_imports() -> None:
    """After a fork, in the process that was forked."""
    _forking.remove(threading.get_ident())


def forget_imports() -> None:
    """In a forked child, forget what threads did that it does not have."""
    thread = threading.get_ident()
    _importing[:] = [other for other in _importing if other == thread]
    _forking.clear()


def lazy(module: str, where: dict[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module whose names are imported when they are first used.

    ``where`` gives the module of each name, relative to the package.
    """
    home = sys.modules[module]

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = getattr(_load(f"{home.__package__}.{where[name]}"), name)
        setattr(home, name, found)
        return found

    return find


class _Later:
    """A proxy for a module until a name of it is first used."""

    def __init__(self, module: str):
        self._module = module

    def __reduce__(self) -> Any:
        return _Later, (self._module,)

    def __getattr__(self, name: str) -> Any:
        if name == "_module":  # of one that is being made
            raise AttributeError(name)
        found = getattr(_load(self._module), name)
        setattr(self, name, found)
        return found


def later(package: str, *names: str) -> list[Any]:
    """The modules of a package of these names, which most programs do not need: each is imported
    when a name of it is first asked for.
    """
    return [_Later(f"{package}.{name}") for name in names]


def door(
    namespace: str,
    places: dict[str, str] | None = None,
    modules: tuple[str, ...] = (),
    others: str | None = None,
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a public module: folders opened late, and what is known of the rest.

    Where an object of the module says that it is in another one (``__module__``), that one is
    imported, too: what pickles objects by reference asks which modules there are.

    Args:
      namespace: the module's full name.
      places: where the names are that are imported when they are first asked for, as
        ``"sparse.tensor:SparseTensor"``.
      modules: the public modules below it that are imported so.
      others: the module whose ``find`` gives the values of other names, None for unknown ones.
    """
    places = places or {}

    def made(name: str) -> Any:
        found = None
        if others is not None and not name.startswith("_"):
            found = _opened(f"{__name__}.{others}", namespace, name).find(name)
        if found is None:
            raise _missing(namespace, name)
        return found

    def find(name: str) -> Any:
        if name in modules:
            return _opened(f"{namespace}.{name}", namespace, name)
        place = places.get(name)
        if place is None:
            found = made(name)
        else:
            module, _, attribute = place.partition(":")
            found = getattr(_opened(f"{__name__}.{module}", namespace, name), attribute)
            _open_homes([found])
        setattr(sys.modules[namespace], name, found)
        return found

    _open_homes(vars(sys.modules[namespace]).values())
    return find


def _open_homes(values: Iterable[Any]) -> None:
    """Import the public modules in which objects say that users find them."""
    for home in {v.__module__ for v in values if isinstance(v, _PLACED)}.difference(sys.modules):
        if home is not None and home.startswith(_PUBLIC):
            _load(home)


def names_of(module: str) -> list[str]:
    """The names that a module makes when they are asked for (``others`` of a door)."""
    return _load(f"{__name__}.{module}").names()


def _opened(module: str, namespace: str, name: str) -> Any:
    """The module behind a public name. AttributeError where it needs what is not installed."""
    try:
        return _load(module)
    except ImportError as e:
        raise AttributeError(str(e), name=name, obj=sys.modules[namespace]) from None


def _missing(namespace: str, name: str) -> AttributeError:
    """The exception for a name that a public module does not have: what is known of it."""
    text = f"module {namespace!r} has no attribute {name!r}"
    if not name.startswith("__"):
        coverage = _load(f"{__name__}.context.coverage")
        elsewhere = _load(f"{__name__}.context.other_names").FUNCTIONS
        there = dir(sys.modules[namespace])
        package = _load(f"{__name__}.native").FG
        text += coverage.hint(namespace.partition(".")[2], name, there, elsewhere, package)
    # Without the object, of which Python would make a suggestion of its own.
    return AttributeError(text, name=name)
