"""Runs the mutants of some rows in this process, which may not use much memory.

The program names each call in a file before it runs it, so that who started it knows which one
ended the process. It prints a line for each fault.
"""

import json
import resource
import signal
import sys
import traceback
from pathlib import Path

import families
import ferrograph as fg
import numpy as np
from executors import state_of, traced
from ferrograph import _core
from mutants import emptied, mutants
from run import refused, tensors
from table import Vary

MEMORY = 600 << 20
SECONDS = 3
ENDLESS = 2**40
FAMILIES = str(Path(families.__file__).parent)
SIZES = (-1, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
EXECUTORS = ("eager", "static", "unknown", "interpreted", "planned")


class TookLong(BaseException):
    """A call ran longer than it may."""


def limit_memory():
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def on_alarm(signum, frame):
    raise TookLong


def size(old, value):
    """A hostile size: of an array's elements all."""
    if isinstance(old, np.ndarray):
        if old.dtype.kind != "i":
            return old
        info = np.iinfo(old.dtype)
        return np.full_like(old, min(max(value, info.min), info.max))
    return value


def rank(old, value):
    """The same numbers with more dimensions or fewer."""
    if isinstance(old, np.ndarray):
        return {"nested": old[None], "flat": old.reshape(-1)[0], "pair": np.stack([old, old])}[
            value
        ]
    return {"nested": [[old]], "flat": [old], "pair": [old, old]}[value]


# What runs as often as numbers or shapes say.
LOOPS = ("While", "StatelessWhile", "UnbatchDataset")
# What may take long: datasets of as many elements as numbers or shapes say, calls that reduce and
# loops that walk these, and queues, which wait for as many.
LONG = ("Dataset", "StatefulPartitionedCall", "IteratorHasNext", "Queue")
SPOILS = {"sizes": (size, SIZES), "ranks": (rank, ("nested", "flat", "pair"))}


class Call:
    """A mutant by each executor."""

    def __init__(self, mutant):
        self.row, self.call = mutant.row, mutant.call
        self.args = [fg.constant(a) for a in mutant.args]

    def trace(self, specs):
        state = state_of(self.row, self.args)
        return traced(self, state, specs)

    def run(self, executor):
        if executor == "eager":
            return tensors(self.call(fg, *state_of(self.row, self.args), *self.args))
        if executor in ("static", "planned"):
            concrete = self.trace([fg.TensorSpec(a.shape, a.dtype) for a in self.args])
        else:
            concrete = self.trace([fg.TensorSpec([None] * a.ndim, a.dtype) for a in self.args])
        if executor == "interpreted":
            return _core.interpret(concrete, self.args)
        if executor == "planned":
            return _core.run_planned(concrete, self.args)
        return tensors(concrete(*self.args))


def is_rows_own(error):
    """Whether the memory that is missing is that of a list which the row's own code makes."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return isinstance(error, MemoryError) and last.filename.startswith(FAMILIES)


def fault_of(call, executor):
    """What is wrong with one run; nothing where it answers or refuses in a documented way."""
    is_long = any(kind in call.row.op for kind in LONG)
    timer = signal.ITIMER_REAL if is_long else signal.ITIMER_PROF
    signal.setitimer(timer, SECONDS)
    try:
        call.run(executor)
    except TookLong:
        return None if is_long else f"takes more than {SECONDS} s"
    except IndexError:
        return None  # the row's own code took an item that is not there
    except BaseException as e:
        if not refused(e) and not is_rows_own(e):
            return f"{type(e).__name__}: {e}"
    finally:
        signal.setitimer(timer, 0)
    return None


def mutants_of(kind, row, dtype):
    arrays = row.at(dtype)
    if kind == "empty":
        varied = [isinstance(a, Vary) for a in row.args]
        return emptied(row, arrays, varied, ENDLESS)
    spoil, values = SPOILS[kind]
    return mutants(row, arrays, values, spoil)


def cases(kind, step):
    """Each ``step``-th of the calls of a kind by name."""
    number = 0
    for n, row in enumerate(families.ROWS):
        if kind != "ranks" and row.op in LOOPS:
            continue
        wide = "int64" if "int64" in row.dtypes and row.main != "int64" else None
        text = "string" if "string" in row.dtypes else None
        for dtype in filter(None, (row.main, wide, text)):
            for mutant in mutants_of(kind, row, dtype):
                number += 1
                if number % step == 0:
                    yield f"{n} {mutant} [{dtype}]", mutant


def main(kind, step, log, begin):
    """Runs the cases from number ``begin`` on."""
    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGPROF, on_alarm)
    limit_memory()
    with Path(log).open("w") as file:
        for i, (name, mutant) in enumerate(cases(kind, step)):
            if i < begin:
                continue
            try:
                call = Call(mutant)
            except (ValueError, TypeError):
                continue
            for executor in EXECUTORS:
                file.seek(0)
                file.write(json.dumps([i, f"{name} {executor}"]) + "\n")
                file.truncate()
                file.flush()
                fault = fault_of(call, executor)
                if fault:
                    print(f"{name} {executor}: {fault}", flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
