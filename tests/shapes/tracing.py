"""Traces calls with specs that know less and less, and writes down the static shapes that come out.

A case is a call on a module and arrays. It is traced with ferrograph and with tensorflow alike:
with everything known, with each dimension unknown in turn, with no dimension known, without the
rank of each argument in turn, and without any rank. The static shapes of the results are one text
a trace.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Case:
    """A call and its arguments.

    Attributes:
      call: takes the module and the arguments, gives tensors in any structure.
      arrays: the arguments.
      fixed: the places of arguments that are constants of every trace.
      state: makes from module and arguments what the call works on, given before the arguments.
    """

    call: Any
    arrays: list
    fixed: frozenset = frozenset()
    state: Any = None
    results: dict = field(default_factory=dict)

    def variants(self):
        """The shapes of the arguments that are no constants, by how much is known of them."""
        full = [list(a.shape) for i, a in enumerate(self.arrays) if i not in self.fixed]
        found = {"all": full}
        for i, shape in enumerate(full):
            for axis in range(len(shape)):
                found[f"{i}.{axis}"] = _with(full, i, _with(shape, axis, None))
        found["sizes"] = [[None] * len(shape) for shape in full]
        for i in range(len(full)):
            found[f"{i}"] = _with(full, i, None)
        found["ranks"] = [None] * len(full)
        return {name: shapes for name, shapes in found.items() if name == "all" or full}


def _with(items, at, item):
    return [*items[:at], item, *items[at + 1 :]]


def trace(m, case, shapes):
    """The concrete function of a case for these shapes of its arguments."""
    dtypes = [m.constant(a).dtype for a in case.arrays]
    free = [i for i in range(len(case.arrays)) if i not in case.fixed]
    specs = [m.TensorSpec(s, dtypes[i]) for s, i in zip(shapes, free, strict=True)]
    state = [case.state(m, *map(m.constant, case.arrays))] if case.state else []

    def call(*args):
        given = dict(zip(free, args, strict=True))
        made = [given.get(i, a) for i, a in enumerate(case.arrays)]
        made = [a if i in given else m.constant(a) for i, a in enumerate(made)]
        return case.call(m, *state, *made)

    return m.function(call, input_signature=specs, autograph=False).get_concrete_function()


def outputs(m, concrete):
    """The tensors that a concrete function gives."""
    flat = m.nest.flatten(concrete.structured_outputs, expand_composites=True)
    return [t for t in flat if hasattr(t, "shape") and hasattr(t, "dtype")]


def written(shape):
    """A static shape as a text: ``?`` for an unknown rank, ``_`` for an unknown size."""
    if shape.rank is None:
        return "?"
    return ",".join("_" if size is None else str(size) for size in shape.as_list())


def read(text):
    """The sizes that ``written`` wrote, None for an unknown rank."""
    if text == "?":
        return None
    return [None if size == "_" else int(size) for size in text.split(",")] if text else []


def static(m, case, shapes):
    """The static shapes of the results, as a text each."""
    return [written(t.shape) for t in outputs(m, trace(m, case, shapes))]
