"""Finds the argument of the public function that a value was passed for, for error messages.

It is looked up after a failure, in the running frames of this package and in the signature of the
function, so that calls which succeed pay nothing.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Sequence

from ..hints import Any
from ..native import _core
from ..values.errors import OpError, shortened, shown
from .ownership import PACKAGE_FOLDER, is_own_file

__all__ = ["argument_of", "mistake", "name_argument", "named"]

# Built-in classes that say nothing but that.
_PLAIN = (TypeError, ValueError, AttributeError, KeyError, IndexError, OverflowError)
# Packages whose classes are values of arguments.
_VALUES = {"builtins", "numpy", __name__.partition(".")[0]}
# A message that is longer may repeat a long value.
_LONG = 200
# So far into a message is what it is about.
_BEGINNING = 60
# So many items of a list are looked through for a value.
_FEW = 64
# Folders of code that calls the program's functions, and on their behalf those of this package.
_LAYERS = ("autograph", "function", "heap", "staging", "symbolic")
_CALLERS = tuple(f"{PACKAGE_FOLDER}_src/{name}/" for name in _LAYERS)


def argument_of(value: Any, text: str = "") -> tuple[str, str] | None:
    """The function of this package that was called last from outside, and the parameter that a
    value, or a list that holds it, was given for; None where that is not seen.

    ``text`` is a message, which names the parameter where several have the same value.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    found: tuple[str, str] | None = None
    while frame is not None and is_own_file(frame.f_code.co_filename):
        if found and frame.f_code.co_filename.startswith(_CALLERS):
            break
        names = [name for name in _parameters(frame) if _holds(frame.f_locals.get(name), value)]
        if names:
            found = _function(frame), next((n for n in names if _mentions(text, n)), names[0])
        frame = frame.f_back
    is_public = found is not None and not found[0].startswith(("_", "<"))
    return found if is_public else None


def _parameters(frame: types.FrameType) -> tuple[str, ...]:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names[1:] if names[:1] == ("self",) else names


def _holds(given: Any, value: Any) -> bool:
    """Whether what was given is a value, or a short list with it."""
    if given is value:
        return True
    is_short = isinstance(given, (list, tuple)) and len(given) <= _FEW
    return is_short and any(part is value for part in given)


def _function(frame: types.FrameType) -> str:
    """What a function is called: a method after its class, a constructor as its class."""
    name = frame.f_code.co_name
    if frame.f_code.co_varnames[:1] != ("self",):
        return name
    own = type(frame.f_locals.get("self")).__name__
    return own if name == "__init__" else f"{own}.{name}"


def _mentions(text: str, name: str) -> bool:
    mark = "['`]" if name == "a" else r"\b"  # which is a word, too
    return re.search(rf"{mark}{name}{mark}", text) is not None


def named(what: str, value: Any) -> str:
    """``what`` does not fit, with the function and the parameter that ``value`` came in by, unless
    it says them."""
    found = argument_of(value, what)
    if found is None or all(name in what for name in found):
        return what
    told = f"argument {found[1]!r} of {found[0]}"
    return told if what == found[1] else f"{told}: {what}"


def name_argument(error: BaseException, value: Any) -> None:
    """Say in an error about a value which argument of which function it was given for."""
    if type(error) in (TypeError, ValueError) or isinstance(error, OpError):
        _say(error, named(str(error), value))


def _say(error: BaseException, text: str) -> None:
    """Give an error another message."""
    if isinstance(error, OpError):
        error._message = text
        error.args = (text,)
    else:
        error.args = (text, *error.args[1:])


def mistake(
    function: Callable[..., Any], given: Sequence[Any], error: BaseException
) -> BaseException:
    """``error`` of a call of a public function with these arguments by place, which names the one
    that is at fault where that is seen.

    What a function of the program raised, and what a call within this package did, stays as it is.
    """
    caller = sys._getframe(1).f_back
    if not _is_plain(error) or caller is None or _is_ours(caller) or not _is_raised_here(error):
        return error
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    text, name = str(error), function.__name__
    if len(text) > _LONG and not isinstance(error, OpError):
        text = _without_values(text, given)
        _say(error, text)
    if re.search(rf"\bargument '\w+' of {name}\b", text):
        return error
    arguments = dict(zip(names, given, strict=True))
    mentioned = [n for n in names if _mentions(text, n)]
    misfits = _misfits(function, arguments, text)
    if isinstance(error, OpError) and not misfits:
        return error
    at_fault = [n for n in misfits if n in mentioned] or misfits
    at_fault = at_fault or _shown_in(text, function, arguments, mentioned)
    if not at_fault:
        return error
    return _told(error, f"argument {at_fault[0]!r} of {name}", arguments[at_fault[0]], mentioned)


def _is_plain(error: BaseException) -> bool:
    """Whether an error is of a class that Python, NumPy or this package raise for arguments."""
    is_numpys = type(error).__module__.partition(".")[0] == "numpy"
    return type(error) in _PLAIN or is_numpys or isinstance(error, OpError)


def _misfits(function: Callable[..., Any], arguments: dict[str, Any], text: str) -> list[str]:
    """The arguments of kinds that do not fit: as the function says of its parameters, as the
    message says, or since hardly any function takes such."""
    given = _given(function, arguments)
    if found := [n for n, value in given.items() if not _fits(function, n, value)]:
        return found
    if found := [n for n, value in given.items() if _is_called(text, value)]:
        return found
    open_ones = (n for n in given if not _kinds(function, n) & {"Callable", "dict"})
    found = [n for n in open_ones if _is_no_value(given[n])]
    return found or _of_a_named_class(text, given)


def _given(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are no defaults."""
    known = _defaults(function)
    return {n: v for n, v in arguments.items() if n not in known or v is not known[n]}


def _is_called(text: str, value: Any) -> bool:
    """Whether a message is the interpreter's, of a call with other arguments than it has."""
    return isinstance(value, types.FunctionType) and text.startswith(f"{value.__qualname__}() ")


def _of_a_named_class(text: str, arguments: dict[str, Any]) -> list[str]:
    """The one argument whose class a message names, as Python's own do; none of several."""
    found = [n for n, v in arguments.items() if v is not None and _names_class(text, type(v))]
    return found if len(found) == 1 else []


def _names_class(text: str, kind: type[Any]) -> bool:
    """Whether a message names a class as that of what was given."""
    name = re.escape(kind.__name__)
    return re.search(rf"'{name}' object|\bnot '?{name}'?$|\(of type {name}\)", text) is not None


def _shown_in(
    text: str, function: Callable[..., Any], arguments: dict[str, Any], mentioned: list[str]
) -> list[str]:
    """The arguments that a message begins with, or else the only one whose value it shows; those
    that are no defaults first. None where the message says its place."""
    given = _given(function, arguments)
    if "\n" in text:
        return []
    if mentioned:
        first = [n for n in mentioned if _mentions(text[:_BEGINNING], n)]
        return sorted(first, key=lambda n: n not in given)
    found = [n for n, value in given.items() if _shows(text, value)]
    return found if len(found) == 1 else []


def _shows(text: str, value: Any) -> bool:
    """Whether a message says that it got a number or text, or shows it in quotes."""
    if not isinstance(value, (int, float, str, bytes)) or isinstance(value, bool):
        return False
    shown_so = rf"\bgot {re.escape(shown(value))}(?![\w.])|'{re.escape(str(value))}'"
    return re.search(shown_so, text) is not None


def _without_values(text: str, given: Sequence[Any]) -> str:
    """A message that repeats of the arguments no more than is shown of values."""
    for value in given:
        if isinstance(value, (str, list, tuple, dict)):
            whole = repr(value)
            if len(whole) > _LONG:
                text = text.replace(whole, shown(value))
                text = text.replace(str(value), shown(value)[1:])
    return shortened(text)


def _told(error: BaseException, what: str, value: Any, mentioned: list[str]) -> BaseException:
    """The error, of that argument; another one where Python itself says only what it could not do
    with the value."""
    if type(error) in (TypeError, ValueError) and mentioned or isinstance(error, OpError):
        _say(error, f"{what}: {error}")
        return error
    kind = ValueError if isinstance(error, (ValueError, ArithmeticError)) else TypeError
    made = kind(f"{what} does not take {_core.described(value)}: {error}")
    made.__cause__ = error
    return made


def _is_ours(frame: types.FrameType) -> bool:
    """Whether code of this package runs in a frame, of its own accord."""
    file = frame.f_code.co_filename
    return is_own_file(file) and not file.startswith(_CALLERS)


def _is_raised_here(error: BaseException) -> bool:
    """Whether an error comes from this package's code, and from no function of the program."""
    traceback = error.__traceback__
    while traceback is not None:
        if not is_own_file(traceback.tb_frame.f_code.co_filename):
            return _is_librarys(traceback)
        traceback = traceback.tb_next
    return True


def _is_librarys(traceback: types.TracebackType) -> bool:
    """Whether what was called is Python's or NumPy's, which fails for what it was given."""
    module = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    return module == "numpy" or module in sys.stdlib_module_names


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of parameters by their names."""
    defaults, code = function.__defaults__ or (), function.__code__
    names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return {**dict(zip(names, defaults, strict=True)), **(function.__kwdefaults__ or {})}


def _fits(function: Callable[..., Any], name: str, value: Any) -> bool:
    """Whether a value is of a kind that a parameter may be said to take."""
    kinds = _kinds(function, name)
    return any(_TAKES[kind](value) for kind in kinds) if kinds <= _TAKES.keys() else True


def _kinds(function: Callable[..., Any], name: str) -> set[str]:
    """What a parameter is said to take: by its annotation, else by its default."""
    text = re.sub(r"\[.*\]", "", str(function.__annotations__.get(name, "Any")))
    kinds, known = set(text.split(" | ")), _defaults(function)
    if name in known and kinds == {"Any"}:
        return {_KIND_OF.get(type(known[name]), "Any")}
    return kinds


def _is_number(value: Any) -> bool:
    return hasattr(value, "__index__") or hasattr(value, "__float__") or hasattr(value, "dtype")


def _is_no_value(value: Any) -> bool:
    """Whether a value is of a kind that hardly any function takes: a function, an object that is
    neither an array nor a container."""
    if isinstance(value, dict):
        return True
    known = ("__len__", "__array__", "__float__", "__index__", "__tf_tensor__", "dtype")
    space = type(value).__module__.partition(".")[0]
    is_known = space in _VALUES or any(hasattr(value, n) for n in known)
    return not is_known or isinstance(value, (types.FunctionType, types.ModuleType))


# What values a kind of parameter takes, as annotations call it.
_TAKES: dict[str, Callable[[Any], bool]] = {
    "None": lambda value: value is None,
    "int": lambda value: _is_number(value) or isinstance(value, (list, tuple)),
    "float": _is_number,
    "bool": lambda value: hasattr(value, "__bool__") or _is_number(value),
    "str": lambda value: isinstance(value, (str, bytes)),
    "bytes": lambda value: isinstance(value, bytes),
    "dict": lambda value: isinstance(value, dict),
    "Callable": callable,
    "TensorLike": lambda value: not _is_no_value(value),
    "Any": lambda value: True,
}
_KIND_OF: dict[type[Any], str] = {bool: "bool", int: "int", float: "float", str: "str"}
