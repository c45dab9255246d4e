"""The modules of the compatibility layer, made when they are imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..context.coverage import NAMESPACES
from .dynamic import accept_dynamic
from .installed import check_keras
from .internals import INTERNALS
from .legacy import legacy_module
from .names import OWN

__all__ = ["FACE", "Finder", "is_face"]

FACE = "tensorflow"
_PACKAGE = __name__.partition(".")[0]


def _with_parents(names: Iterable[str]) -> set[str]:
    """The modules, and the packages that they are in."""
    parts = [name.split(".") for name in names if name]
    return {"", *(".".join(p[:n]) for p in parts for n in range(1, len(p) + 1))}


_SAME = "compat.v2"  # the modules below it are those of the layer itself
_MODULES = _with_parents([*NAMESPACES, *OWN, *INTERNALS, _SAME])


def _plain(name: str) -> str:
    """The name of a module without ``compat.v2``, below which all modules are once more."""
    is_same = name == _SAME or name.startswith(f"{_SAME}.")
    return name[len(_SAME) + 1 :] if is_same else name


def _is_of_keras(top: str, name: str) -> bool:
    """Whether a module is Keras, or one of its modules, under another name."""
    return top in (FACE, _PACKAGE) and name.partition(".")[0] == "keras"


def is_face(module: Any) -> bool:
    """Whether a module belongs to the compatibility layer."""
    return isinstance(getattr(module, "__loader__", None), Finder)


class Finder(MetaPathFinder, Loader):
    """Finds and makes the modules of the compatibility layer."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of the compatibility layer; None for others."""
        top, _, name = fullname.partition(".")
        name = _plain(name)
        if not _is_of_keras(top, name) and (top != FACE or name not in _MODULES):
            return None
        return ModuleSpec(fullname, self, origin=_PACKAGE, is_package=True)

    def create_module(self, spec: ModuleSpec) -> None:
        """None: a module as all are."""

    def exec_module(self, module: ModuleType) -> None:
        """Give a module its names; one of Keras gives way to that of Keras."""
        top, _, name = module.__name__.partition(".")
        plain = _plain(name)
        if plain != name:
            found = importlib.import_module(f"{top}.{plain}" if plain else top)
            sys.modules[module.__name__] = found
            return
        if _is_of_keras(top, name):
            check_keras()
            accept_dynamic(importlib.import_module("keras"))
            sys.modules[module.__name__] = legacy_module(name)
            return
        source = _public(name)
        internal = INTERNALS.get(name)
        own = {**OWN.get(name, {}), **(internal.names if internal else {})}
        public = internal.public if internal else ()
        module.__doc__ = source.__doc__ if source else f"What libraries ask of {name}."
        module.__getattr__ = _finding(  # type: ignore[method-assign]
            module, name, source, own, public
        )
        own = {**own, **dict.fromkeys(public, "")}
        there = {*own, *dir(source), *_below(name)} if source else {*own, *_below(name)}
        vars(module)["__dir__"] = lambda: sorted(there)
        vars(module)["__all__"] = sorted(n for n in there if not n.startswith("_"))


def _public(name: str) -> ModuleType | None:
    """The public module of that name, None where there is none."""
    if name not in NAMESPACES:
        return None
    return importlib.import_module(f"{_PACKAGE}.{name}" if name else _PACKAGE)


def _below(name: str) -> list[str]:
    """The modules right below that one."""
    start = f"{name}." if name else ""
    inner = (m[len(start) :] for m in _MODULES if m.startswith(start) and m != name)
    return [m for m in inner if m and "." not in m]


def _finding(
    module: ModuleType,
    name: str,
    source: ModuleType | None,
    own: dict[str, str],
    public: tuple[str, ...],
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module, which keeps what it found."""
    modules = _below(name)

    def find(wanted: str) -> Any:
        if wanted in own:
            place, _, attribute = own[wanted].partition(":")
            found = getattr(importlib.import_module(f"{_PACKAGE}._src.{place}"), attribute)
        elif wanted in public:
            found = getattr(importlib.import_module(_PACKAGE), wanted)
        elif wanted in modules:
            return importlib.import_module(f"{module.__name__}.{wanted}")
        elif source is None or (wanted.startswith("__") and wanted.endswith("__")):
            raise AttributeError(f"module {module.__name__!r} has no attribute {wanted!r}")
        else:
            found = getattr(source, wanted)
        setattr(module, wanted, found)
        return found

    return find
