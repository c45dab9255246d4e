"""What ``make attack`` does: every part of the attack. Prints what was tried, and what failed.

Each failure names its unit: ``attack.py --again "UNIT"`` makes the attempts of that one again, in
the same order, and shows what is wrong. With ``--log FOLDER`` an attack that was ended goes on
where it was.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import calls
import graph_programs
import known
import pickles
import processes
import watched
from again import again

HERE = Path(__file__).parent

# How many: hostile calls a target and mode, random programs, damages a specimen and way, programs
# whose graphs are damaged.
WHOLE = {"calls": 60, "programs": 5000, "damages": 400, "graphs": 40}
PARTS = ("calls", "programs", "pickles", "processes", "numbers")


def _watched(asked, kind, units, batch, n):
    log = Path(asked.log) / f"{kind}.jsonl" if asked.log else None
    units = [unit for unit in units if asked.only in unit]
    began = time.monotonic()
    arguments = (kind, asked.seed, n)
    outcome = watched.watch(arguments, units, batch, asked.processes, asked.patience, log)
    took = time.monotonic() - began
    tried = f"{len(units)} units, {outcome.n_calls} attempts"
    print(f"{kind}: {tried}: {dict(outcome.counts)}; {took:.0f} s")
    return outcome.failures


def _calls(asked):
    return _watched(asked, "calls", calls.units("", asked.seed), calls.BATCH, asked.calls)


def _programs(asked):
    units = graph_programs.units(asked.programs, asked.seed)
    return _watched(asked, "graph_programs", units, graph_programs.BATCH, 0)


def _pickles(asked):
    units = pickles.units(asked.graphs, asked.seed)
    return _watched(asked, "pickles", units, pickles.BATCH, asked.damages)


def _processes(asked):
    chosen = [p for p in processes.everything() if asked.only in p[1]]
    scenarios = sum(file == "scenarios.py" for file, _ in chosen)
    found = processes.failures(chosen, asked.processes)
    print(f"{scenarios} scenarios and {len(chosen) - scenarios} leaks: {len(found)} failures")
    return found


def _numbers(asked):
    """The numeric records, and the hostile sizes of all rows."""
    file = HERE.parent / "ops" / "test_recorded.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(file)], capture_output=True, text=True
    )
    print(f"numbers: {done.stdout.splitlines()[-1]}")
    return [] if done.returncode == 0 else [("numbers", done.stdout[-2000:])]


def _options():
    options = argparse.ArgumentParser(description=__doc__)
    for name, most in WHOLE.items():
        options.add_argument(f"--{name}", type=int, default=most)
    options.add_argument("--only", default="", help="units and programs that contain this")
    options.add_argument("--part", choices=PARTS, action="append", help="all parts unless told")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--patience", type=float, default=watched.HANG_SECONDS)
    options.add_argument("--log", default="", help="a folder to keep what was done in")
    options.add_argument("--again", default="", help="one unit, as a failure names it")
    return options.parse_args()


def main():
    asked = _options()
    if asked.again:
        return again(asked.again, asked.seed, asked.calls, asked.damages)
    if asked.log:
        Path(asked.log).mkdir(exist_ok=True)
    began, failures = time.monotonic(), []
    for part in asked.part or PARTS:
        failures += globals()[f"_{part}"](asked)
    fresh = known.unexpected(failures)
    for call, verdict in fresh:
        print(f"{verdict}\n    {call}")
    gone = known.unused(failures) if not asked.only and not asked.part else []
    for line in gone:
        print(f"fails no more, take it out of known.py: {line}")
    print(
        f"{len(failures) - len(fresh)} failures are known, {len(fresh)} are not; "
        f"{time.monotonic() - began:.0f} s"
    )
    return bool(fresh or gone)
