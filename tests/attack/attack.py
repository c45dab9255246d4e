"""The whole attack: ``make attack``. Prints what was tried, and what failed."""

import argparse
import sys
import time

import hostile_calls
import known
import processes
import surface


def _hostile_calls(asked):
    names = [t.name for t in surface.targets() if asked.only in t.name]
    units = [(name, mode) for name in names for mode in hostile_calls.MODES]
    outcome = hostile_calls.sweep(units, asked.calls, asked.seed, asked.processes)
    print(f"{len(names)} targets, {outcome.n_calls} calls: {dict(outcome.counts)}")
    return outcome.failures


def _programs(asked):
    chosen = [p for p in processes.everything() if asked.only in p[1]]
    scenarios = sum(file == "scenarios.py" for file, _ in chosen)
    found = processes.failures(chosen, asked.processes)
    print(f"{scenarios} scenarios and {len(chosen) - scenarios} leaks: {len(found)} failures")
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=60, help="hostile calls a target and mode")
    options.add_argument("--only", default="", help="targets and programs whose name contains this")
    options.add_argument("--part", choices=["all", "calls", "programs"], default="all")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--processes", type=int, default=2)
    asked = options.parse_args()
    began, failures = time.monotonic(), []
    if asked.part != "calls":
        failures += _programs(asked)
    if asked.part != "programs":
        failures += _hostile_calls(asked)
    fresh = known.unexpected(failures)
    for call, verdict in fresh:
        print(f"{verdict}\n    {call}")
    gone = known.unused(failures) if not asked.only and asked.part == "all" else []
    for line in gone:
        print(f"fails no more, take it out of known.py: {line}")
    print(
        f"{len(failures) - len(fresh)} failures are known, {len(fresh)} are not; "
        f"{time.monotonic() - began:.0f} s"
    )
    return bool(fresh or gone)


if __name__ == "__main__":
    sys.exit(main())
