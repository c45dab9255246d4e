"""Random programs by every executor: a unit is a number and whether gradients are looked at.

``attack.py --again "NUMBER any"`` shows what a program does and what is wrong with it.
"""

import ferrograph as fg
import numpy as np
from drawing import drawn
from ferrograph import _core
from run import differences, tensors
from slopes import slope_faults

BATCH = 60
EXECUTORS = ("static", "unknown", "interpreted", "planned", "folded")


def units(n, seed=0):
    """So many programs, every third one for gradients."""
    return [f"{seed * 1_000_000 + i} {'smooth' if i % 3 == 2 else 'any'}" for i in range(n)]


def variables(program):
    return [v.read_value() for v in program.variables]


class Traces:
    """A program's traces, and its results by each executor."""

    def __init__(self, program):
        self.program, self.inputs = program, program.inputs()

    def traced(self, specs):
        make = fg.function(self.program.run, input_signature=specs, autograph=False)
        return make.get_concrete_function()

    def by(self, executor):
        """The results, and what the variables hold afterwards."""
        self.program.restart()
        return tensors(getattr(self, executor)()) + variables(self.program)

    def eager(self):
        return self.program.run(*self.inputs)

    def static(self):
        self._exact = self.traced([fg.TensorSpec(x.shape, x.dtype) for x in self.inputs])
        return self._exact(*self.inputs)

    def unknown(self):
        self._open = self.traced([fg.TensorSpec([None] * x.ndim, x.dtype) for x in self.inputs])
        return self._open(*self.inputs)

    def interpreted(self):
        return _core.interpret(self._open, self.inputs)

    def planned(self):
        return _core.run_planned(self._exact, self.inputs)

    def folded(self):
        arrays = [x.numpy() for x in self.inputs]
        return fg.function(lambda: self.program.run(*map(fg.constant, arrays)), autograph=False)()


class Different(AssertionError, SystemError):
    """Results that are not those of the eager run."""


def compare(program, report):
    """Run a program by each executor."""
    traces = Traces(program)
    wanted = report.attempt(f"{program.name} eager", lambda: traces.by("eager"))
    if wanted is None:
        return

    def same(executor):
        try:
            got = traces.by(executor)
        except Exception as e:
            raise Different(f"{type(e).__name__} where the eager run has results: {e}") from e
        found = differences(got, wanted)
        if found:
            raise Different(f"{len(found)} results differ: {found[0][:300]}")
        return True

    for executor in EXECUTORS:
        report.attempt(f"{program.name} {executor}", lambda executor=executor: same(executor))


class Runner:
    """Runs units."""

    def __init__(self, seed, n):
        np.seterr(all="ignore")

    def run(self, unit, report):
        """Make a program, and run it in every way."""
        program = report.attempt(f"{unit} drawn", lambda: drawn(unit))
        if program is None:
            return
        compare(program, report)
        if program.smooth:
            report.attempt(f"{unit} slopes", lambda: _check_slopes(program))


def _check_slopes(program):
    found = slope_faults(program)
    if found:
        raise Different("; ".join(found))
    return True
