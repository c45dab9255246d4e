"""The ways to run a row: eagerly, and its traces by each executor of a graph."""

import re
from dataclasses import dataclass
from functools import cached_property

import ferrograph as fg
from ferrograph import _core
from run import tensors
from table import Row

EXECUTORS = ("eager", "static", "unknown", "rankless", "interpreted", "planned", "folded")


@dataclass(frozen=True)
class Combination:
    """A row at a dtype, with one of its lists of arguments, by one executor."""

    row: Row
    dtype: str
    form: str
    executor: str

    def __str__(self):
        return f"{self.row} {self.dtype} {self.form} {self.executor}"


def combinations(row):
    """All combinations of a row, eager ones first."""
    return [
        Combination(row, dtype, form, executor)
        for dtype in row.dtypes
        for form in ("own", *row.forms)
        for executor in EXECUTORS
    ]


def traced(row, state, specs):
    """The concrete function of a row's call."""

    def call(*args):
        return row.call(fg, *state, *args)

    return fg.function(call, input_signature=specs, autograph=False).get_concrete_function()


def state_of(row, args):
    """What the row's call works on, in a list that is empty where it needs nothing."""
    return [row.state(fg, *args)] if row.state else []


def emits(concrete, op):
    """Whether an operation is in a graph or in one that the graph holds."""
    return re.search(rf'(?m)(?:^|\s){re.escape(op)} "', concrete._graph.text()) is not None


class Runs:
    """A row at a dtype: runs its forms by every executor, with traces made once."""

    def __init__(self, row, dtype):
        self.row, self.dtype = row, dtype
        self._general = {}

    def form(self, name):
        """The runs of one list of arguments."""
        return FormRuns(self, [fg.constant(a) for a in self.row.at(self.dtype, name)])

    def general(self, args, ranked=True):
        """State and trace for arguments of these dtypes whatever their sizes, or even ranks."""
        specs = [fg.TensorSpec([None] * a.ndim if ranked else None, a.dtype) for a in args]
        key = tuple(specs), tuple(a.ndim for a in args)
        if key not in self._general:
            state = state_of(self.row, args)
            self._general[key] = state, traced(self.row, state, specs)
        return self._general[key]


class FormRuns:
    """One list of arguments of a row at a dtype."""

    def __init__(self, runs, args):
        self.runs, self.row, self.args = runs, runs.row, args

    def by(self, executor):
        """The results, flat, by an executor; whatever it raises passes through."""
        return getattr(self, executor)()

    @cached_property
    def state(self):
        return state_of(self.row, self.args)

    @cached_property
    def exact(self):
        """The trace for the very shapes."""
        return traced(self.row, self.state, [fg.TensorSpec(a.shape, a.dtype) for a in self.args])

    def eager(self):
        return tensors(self.row.call(fg, *self.state, *self.args))

    def static(self):
        return checked(self.exact, tensors(self.exact(*self.args)))

    def unknown(self):
        _, concrete = self.runs.general(self.args)
        return checked(concrete, tensors(concrete(*self.args)))

    def rankless(self):
        _, concrete = self.runs.general(self.args, ranked=False)
        return checked(concrete, tensors(concrete(*self.args)))

    def interpreted(self):
        _, concrete = self.runs.general(self.args)
        return _core.interpret(concrete, self.args)

    def planned(self):
        return _core.run_planned(self.exact, self.args)

    def folded(self):
        """The arguments are constants of the trace, which the graph passes compute with."""
        arrays = [a.numpy() for a in self.args]
        dtypes = [a.dtype for a in self.args]

        def call():
            made = [fg.constant(a, d) for a, d in zip(arrays, dtypes, strict=True)]
            return self.row.call(fg, *self.state, *made)

        concrete = fg.function(call, autograph=False).get_concrete_function()
        return checked(concrete, tensors(concrete()))


def checked(concrete, found):
    """The results, which must be what the trace says of them."""
    outputs = concrete.outputs
    if len(outputs) != len(found):
        raise AssertionError(f"{len(found)} results where the trace has {len(outputs)}")
    for tensor, static in zip(found, outputs, strict=True):
        if tensor.dtype != static.dtype or not static.shape.is_compatible_with(tensor.shape):
            raise AssertionError(f"{tensor.dtype.name}{tensor.shape}, while tracing {static}")
    return found
