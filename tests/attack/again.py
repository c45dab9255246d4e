"""One unit of an attack again, in this process, with what is wrong in full."""

import sys
import traceback

import calls
import graph_programs
import pickles
from judge import fault


class Shown:
    """Makes the attempts of a unit and shows those that fail; stands for a ``Report``."""

    is_behind = False

    def __init__(self):
        self.number, self.n_faults = 0, 0

    def attempt(self, text, work):
        """Make an attempt: what it gave, None where it failed."""
        self.number += 1
        print(f"{self.number} {text}", file=sys.stderr, flush=True)
        try:
            return work()
        except BaseException as e:
            if fault(e) is not None:
                self.n_faults += 1
                traceback.print_exc()
            return None


def runner_of(unit, seed, n_calls, n_damages):
    """Who runs a unit: units of calls end in a mode, of pickles begin with a damage."""
    if unit.split()[0] in pickles.DAMAGES:
        return pickles.Runner(seed, n_damages)
    if unit.split()[-1] in calls.MODES:
        return calls.Runner(seed, n_calls)
    return graph_programs.Runner(seed, 0)


def again(unit, seed, n_calls, n_damages):
    """Make the attempts of a unit; whether one fails."""
    shown = Shown()
    runner_of(unit, seed, n_calls, n_damages).run(unit, shown)
    return shown.n_faults > 0
