"""Source lines of files, for conversion and for messages that show them.

``linecache`` is used where it is loaded, as by debuggers, notebooks and most tests, which may have
put sources there that are in no file. Importing it takes longer than reading a file, so without it
UTF-8 files are read here; anything else is left to it.
"""

from __future__ import annotations

import sys

from ..hints import Any

__all__ = ["definition", "keep", "line", "lines", "place"]

_read: dict[str, list[str]] = {}
_kept: dict[str, list[str]] = {}  # texts that came with pickled functions
_MOST = 256


def lines(filename: str, namespace: dict[str, Any] | None = None) -> list[str]:
    """The lines of a file, each with its end; none where there is no such text.

    As long as a text has not changed, the answer is the same object. ``namespace`` is that of the
    module whose text it is, which may have a loader that knows it.
    """
    if "linecache" not in sys.modules:
        found = _read.get(filename) or _text_of(filename)
        if found:
            return found
    import linecache

    return linecache.getlines(filename, namespace) or _kept.get(filename, [])


def keep(filename: str, text: str) -> None:
    """Use a text in place of a file that is not there."""
    if len(_kept) >= _MOST and filename not in _kept:
        _kept.clear()
    _kept[filename] = text.splitlines(keepends=True)


def line(filename: str, number: int) -> str:
    """One line of a file, counted from 1, with its end; "" where there is none."""
    found = lines(filename)
    return found[number - 1] if 1 <= number <= len(found) else ""


def _text_of(filename: str) -> list[str]:
    """The lines of a file of UTF-8; none where it is another, or cannot be read."""
    try:
        with open(filename, encoding="utf-8") as file:
            found = file.readlines()
    except (OSError, UnicodeDecodeError):
        return []
    if any("coding" in head for head in found[:2]):  # it may name an encoding
        return []
    if found:
        found[0] = found[0].removeprefix("\ufeff")
    if found and not found[-1].endswith("\n"):
        found[-1] += "\n"
    if len(_read) >= _MOST:
        _read.clear()
    _read[filename] = found
    return found


def place(function: Any) -> tuple[str, int, str, int]:
    """What tells definitions apart: file, line and name, and where in the line, for lambdas."""
    file, line, name = definition(function)
    code = _code_of(function)
    if name != "<lambda>":
        return file, line, name, 0
    if not hasattr(code, "co_positions"):  # before Python 3.11 what they do tells lambdas apart
        return file, line, name, hash(code)
    columns = [p[2] for p in code.co_positions() if p[0] == line and p[2] is not None]
    return file, line, name, max(columns, default=0)


def _code_of(function: Any) -> Any:
    target = getattr(function.python_function, "func", function.python_function)
    return getattr(getattr(target, "__func__", target), "__code__", None)


def definition(function: Any) -> tuple[str, int, str]:
    """File, line and name of what a function was made of."""
    code = _code_of(function)
    if code is None:
        return "<unknown>", 0, function.name
    return code.co_filename, code.co_firstlineno, function.name
