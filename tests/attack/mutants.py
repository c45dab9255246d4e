"""Calls of rows with hostile numbers in the places of their own ones.

A row of the table of operations names numbers in three places: arguments, constants of its code,
and what its function closed over or defaults to. ``mutants`` puts another value in one place at a
time, so that whatever an operation takes for a size, an axis or a count is once hostile.
"""

import types
from dataclasses import dataclass

import numpy as np


@dataclass
class Mutant:
    """One call of a row: the function, its arguments, and what was changed."""

    row: object
    call: object
    args: list
    what: str

    def __str__(self):
        return f"{self.row}: {self.what}"


def mutants(row, arrays, values, spoil):
    """The calls of a row with ``spoil(old, value)`` in one place each, for each of the values."""
    for i, array in enumerate(arrays):
        if array.dtype.kind == "i" and array.size:
            for value in values:
                changed = [*arrays[:i], spoil(array, value), *arrays[i + 1 :]]
                yield Mutant(row, row.call, changed, f"argument {i} = {value}")
    for value in values:
        for place, call in changed_functions(row.call, value, spoil):
            yield Mutant(row, call, arrays, f"{place} = {value}")


def emptied(row, arrays, varied, endless):
    """The calls of a row with arrays of no elements that have endless other axes, one or all."""
    places = [i for i, of in enumerate(varied) if of and arrays[i].ndim]
    for at in range(max((arrays[i].ndim for i in places), default=0)):
        for changed in [[i] for i in places] + [places] * (len(places) > 1):
            args = list(arrays)
            for i in changed:
                # NumPy wants the product of the other axes to fit its own counts.
                size = int(endless ** (1 / max(arrays[i].ndim - 1, 1)))
                shape = [size] * arrays[i].ndim
                shape[min(at, len(shape) - 1)] = 0
                args[i] = np.zeros(shape, arrays[i].dtype)
            shapes = ", ".join(f"argument {i} is {args[i].shape}" for i in changed)
            yield Mutant(row, row.call, args, shapes)


def changed_functions(function, value, spoil, depth=2):
    """Copies of a function with one number in it changed, and where."""
    for place, code in changed_codes(function.__code__, value, spoil):
        yield place, copied(function, code=code)
    defaults = function.__defaults__ or ()
    for i, old in enumerate(defaults):
        for new in changed_values(old, value, spoil):
            yield (
                f"default {i}",
                copied(function, defaults=(*defaults[:i], new, *defaults[i + 1 :])),
            )
    cells = function.__closure__ or ()
    for i, cell in enumerate(cells):
        old = cell.cell_contents
        inner = []
        if isinstance(old, types.FunctionType) and depth:
            inner = changed_functions(old, value, spoil, depth - 1)
        else:
            inner = (("", new) for new in changed_values(old, value, spoil))
        for place, new in inner:
            closure = (*cells[:i], types.CellType(new), *cells[i + 1 :])
            yield f"closed over {i} {place}".rstrip(), copied(function, closure=closure)


def copied(function, code=None, defaults=None, closure=None):
    """A function with other parts."""
    made = types.FunctionType(
        code or function.__code__,
        function.__globals__,
        function.__name__,
        defaults or function.__defaults__,
        closure or function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def changed_codes(code, value, spoil):
    """Copies of a code object with one constant changed, and which."""
    for i, old in enumerate(code.co_consts):
        if isinstance(old, types.CodeType):
            news = [(f"{i}.{p}", c) for p, c in changed_codes(old, value, spoil)]
        else:
            news = [(f"{i} ({old!r})", new) for new in changed_values(old, value, spoil)]
        for place, new in news:
            consts = (*code.co_consts[:i], new, *code.co_consts[i + 1 :])
            yield f"constant {place}", code.replace(co_consts=consts)


def changed_values(old, value, spoil):
    """What may stand in the place of a number or of numbers, one of them changed or all."""
    if isinstance(old, (bool, str, bytes)) or old is None:
        return
    if isinstance(old, (int, np.ndarray)):
        yield spoil(old, value)
    elif isinstance(old, (list, tuple)) and old and all(isinstance(x, int) for x in old):
        for i in range(len(old)):
            yield type(old)([*old[:i], spoil(old[i], value), *old[i + 1 :]])
        if len(old) > 1:
            yield type(old)(spoil(x, value) for x in old)
    elif isinstance(old, (list, tuple)):
        for i, inner in enumerate(old):
            for new in changed_values(inner, value, spoil):
                yield type(old)([*old[:i], new, *old[i + 1 :]])
