"""Ownership of code: this package's, a library's, or user code.

Tracebacks, records of traces, guards, the converter and, through the folder it is given, the native
module use this module to distinguish them.
"""

from __future__ import annotations

import _io
import functools
import os
import sys
import types

from ..hints import Any
from ..native import _core

__all__ = [
    "KEPT",
    "LOUD",
    "MACHINERY",
    "MET",
    "OPERATORS",
    "PACKAGE_FOLDER",
    "SITES",
    "TESTS",
    "UNMET",
    "WHOLE",
    "is_built_in",
    "is_library_class",
    "is_library_file",
    "is_made_by_numpy",
    "is_written_in_c",
    "is_own_file",
    "is_own_module",
    "loud_cell",
    "names_of",
    "said_by",
    "settable",
]

# The beginning of the paths of this package's files.
PACKAGE_FOLDER = os.path.abspath(__file__).rpartition(os.sep + "_src" + os.sep)[0] + os.sep

# The free name under which converted user code finds the operators.
OPERATORS = "ag__"
# The name under which loops in it keep what they asked the operators for: its inline caches.
SITES = "ag__sites"
# The free name of those that one trace keeps from call to call.
KEPT = "ag__kept"
# The free name of the full form of a function in its fast path; see ``convert/fast_path.py``.
WHOLE = "ag__whole"
# The free name of a cell that says whether there is anything to ask; see ``heap/trace_context.py``.
LOUD = "ag__loud"
loud_cell = types.CellType(False)
# Free names for what a function has still to tell of its arguments; see ``function/guards.py``.
MET, UNMET = "ag__met", "ag__unmet"
# By id, the classes whose objects keep any attribute that is set; see ``heap/own_attributes.py``.
settable: dict[int, bool] = {}
# Free names for what converted code tests values with, whatever the program calls so.
TESTS = {
    "ag__kind": type,
    "ag__id": id,
    "ag__abs": abs,
    "ag__float": float,
    "ag__int": int,
    "ag__len": len,
    "ag__round": round,
    "ag__str": str,
    "ag__list": list,
    "ag__dict": dict,
    "ag__set": set,
    "ag__range": range,
    "ag__tuple": tuple,
    "ag__method": types.MethodType,
    "ag__symbolic": _core.SymbolicTensor,
    # Classes of conditions that code runs as plain Python without asking further.
    "ag__plain": frozenset({bool, int, float, str, bytes, type(None), tuple, dict, set, frozenset}),
    "ag__simple": frozenset({bool, int, float, str, bytes, type(None)}),
    "ag__sized": frozenset({list, tuple, range, str, bytes, dict, set, frozenset}),
    "ag__hashed": frozenset({dict, set, frozenset}),
    # Classes over whose objects Python alone runs while there is nothing to ask for.
    "ag__unrolled": frozenset({list, tuple, str, bytes, dict, set, frozenset}),
    # Those whose length does not change, or must not during iteration by Python.
    "ag__steady": frozenset({range, tuple, str, bytes, dict, set, frozenset}),
    "ag__settable": settable,
    "ag__methods": frozenset({types.MethodType, types.BuiltinFunctionType}),
}
MACHINERY = frozenset({OPERATORS, SITES, KEPT, WHOLE, LOUD, MET, UNMET, *TESTS})

_PACKAGE = __name__.partition(".")[0]


def said_by(module: Any, name: str) -> Any:
    """What a module holds under a name, None where it holds nothing there. The module itself is not
    asked: one that is loaded when it is first touched, or cannot be loaded, stays as it is."""
    try:
        return object.__getattribute__(module, "__dict__").get(name)
    except AttributeError:  # it is no module, though Python's table of modules has it
        return None


def names_of(module: types.ModuleType) -> dict[str, Any]:
    """The names of a module, which is not asked for them either."""
    return object.__getattribute__(module, "__dict__")


def is_own_file(filename: str) -> bool:
    """Whether a file is one of this package."""
    return filename.startswith(PACKAGE_FOLDER)


# Modules under whose names other packages know classes of this one.
lent: set[str] = set()


class LentName(str):
    """The name of the module where libraries look for a class of this package.

    Pickles refer to the class by the module that has it in every process, ``home``.
    """

    __slots__ = ("home",)
    home: str

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return str, (self.home,)


def is_own_module(name: str | None) -> bool:
    """Whether a module, by its full name, is one of this package."""
    if type(name) is LentName:
        return True
    return type(name) is str and (name.partition(".")[0] == _PACKAGE or name in lent)


# Installed packages whose functions are converted like those of the program: they are written so
# that their `if` and `len` work on tensors.
_CONVERTED = ("sonnet",)


# The file name of dispatching functions before NumPy 1.25; later ones are native objects.
_DISPATCHING = "<__array_function__ internals>"


def is_made_by_numpy(function: types.FunctionType) -> bool:
    """Whether a Python function is only the wrapper that NumPy makes for a dispatching function."""
    return function.__code__.co_filename == _DISPATCHING


@functools.lru_cache(maxsize=4096)
def is_library_file(filename: str) -> bool:
    """Whether a file belongs to Python, to an installed package or to this one."""
    parts = filename.replace("\\", "/").split("/")
    for folder in ("site-packages", "dist-packages"):
        if folder in parts:
            package, *_ = [*parts[parts.index(folder) + 1 :], ""]
            return package not in _CONVERTED
    return filename.startswith((PACKAGE_FOLDER, "<frozen", _DISPATCHING, *_library_folders()))


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = (sys.base_prefix, "lib"), (sys.base_exec_prefix, sys.platlibdir)
    folders = {os.path.join(prefix, folder, name) for prefix, folder in places}
    folders.add(os.path.dirname(os.path.abspath(os.__file__)))
    return tuple(folder + os.sep for folder in folders)


def _has_code_of_others(cls: type[Any]) -> bool:
    """Whether a class that names a library's module has methods that are written elsewhere."""
    for held in cls.__dict__.values():
        if type(held) is types.FunctionType and held.__globals__.get("__name__") != cls.__module__:
            file = held.__code__.co_filename
            if file[:1] != "<":
                return not is_library_file(file)
            module = sys.modules.get(held.__globals__.get("__name__", ""))
            if module is not None:  # else a library made the function of a text
                return not is_library_file(said_by(module, "__file__") or "")
    return False


_HEAP_TYPE = 1 << 9  # of the flags of a class: made at run time
# Since Python 3.12 most native modules make their classes at run time, too, and close them to new
# attributes. A class of such a module shows what this interpreter does.
_CLOSED = 1 << 8 if _io.FileIO.__flags__ & _HEAP_TYPE else 0


def is_written_in_c(cls: type[Any]) -> bool:
    """Whether no ``class`` statement made a class."""
    return cls.__flags__ & (_HEAP_TYPE | _CLOSED) != _HEAP_TYPE


def is_built_in(cls: type[Any]) -> bool:
    """Whether a native class is static, not made when its module is imported."""
    return not cls.__flags__ & _HEAP_TYPE


def is_library_class(cls: type[Any]) -> bool:
    """Whether a class is Python's, an installed package's or this package's."""
    if is_written_in_c(cls) or issubclass(cls, types.ModuleType):
        return True
    if is_own_module(cls.__module__):
        return True
    module = sys.modules.get(cls.__module__)
    if module is None:
        return False
    file = said_by(module, "__file__")
    if file is not None:
        return is_library_file(file) and not _has_code_of_others(cls)
    if cls.__module__ == "builtins":  # also said of classes that ``exec`` makes
        return getattr(sys.modules["builtins"], cls.__name__, None) is cls
    return cls.__module__ in sys.stdlib_module_names and cls.__module__ != "__main__"
