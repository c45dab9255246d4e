"""The sources that a function needs where it is pickled by value and the files may be missing.

Pickling by value keeps the line numbers of code, but not always its file name (cloudpickle 3.1
writes ``<dynamic-code>``). So the sources are pickled, too, with the position of each code object
in them, and unpickling gives the code its file name again.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from ...context import sources

__all__ = ["Texts", "settle", "texts_of"]

# What tells a piece of code from the others of a function and of those that it names.
_Place = tuple[str, int]


class Texts(NamedTuple):
    """Files by their names, and in which of them each piece of code stands."""

    files: dict[str, str]
    places: dict[_Place, str]


def texts_of(function: FunctionType) -> Texts:
    """The texts of a function and of those of its module that its code names."""
    texts = Texts({}, {})
    for found in _reached(function):
        filename = found.__code__.co_filename
        if filename not in texts.files:
            texts.files[filename] = "".join(sources.lines(filename, found.__globals__))
        for code in _pieces(found.__code__):
            texts.places[_place(code)] = filename
    return texts


def settle(function: FunctionType, texts: Texts) -> None:
    """Give the code of a function, and of those of its module that it names, its files again.

    A file of that name that holds another text stays what it is: the one that came has a new name.
    """
    names = {filename: _kept(filename, text) for filename, text in texts.files.items() if text}
    places = {place: names[name] for place, name in texts.places.items() if name in names}
    for found in _reached(function):
        found.__code__ = _moved(found.__code__, places)


def _kept(filename: str, text: str) -> str:
    known = "".join(sources.lines(filename))
    if known == text:
        return filename
    name = f"{filename} (as pickled)" if known else filename
    sources.keep(name, text)
    return name


def _moved(code: CodeType, places: dict[_Place, str]) -> CodeType:
    """Code in the files that its pieces stand in."""
    constants = (_moved(c, places) if isinstance(c, CodeType) else c for c in code.co_consts)
    filename = places.get(_place(code), code.co_filename)
    return code.replace(co_filename=filename, co_consts=tuple(constants))


def _place(code: CodeType) -> _Place:
    return code.co_name, code.co_firstlineno


def _pieces(code: CodeType) -> Iterator[CodeType]:
    """A piece of code, and those of the functions within."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _pieces(constant)


def _reached(function: FunctionType) -> Iterator[FunctionType]:
    """A function, and those of its module that the code of these names, also as methods."""
    module, seen = function.__module__, set()
    pending: list[Any] = [function]
    while pending:
        value = pending.pop()
        value = getattr(value, "python_function", getattr(value, "__func__", value))
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            yield value
            pending.extend(v for v in _named_by(value) if getattr(v, "__module__", "") == module)
        elif isinstance(value, type) and value.__module__ == module:
            pending.extend(vars(value).values())


def _named_by(function: FunctionType) -> Iterator[Any]:
    """What the code of a function names, of globals and of names around it."""
    known = function.__globals__
    for code in _pieces(function.__code__):
        yield from (known[name] for name in code.co_names if name in known)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty
            continue
