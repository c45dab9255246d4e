"""The attempts, in a process that they may end: ``child.py KIND SEED N [NUMBER ...]``.

Units come on standard input, one a line. Before each attempt its number and text go to standard
output, after it ``ok`` or what was wrong, and ``unit`` behind each unit. The numbers are those of
attempts of the first unit that ended a process: it goes on behind the last of them.
"""

import contextlib
import gc
import importlib
import io
import os
import resource
import sys
import warnings
from pathlib import Path

from report import Report

# The table of operations, which programs are drawn from.
sys.path.insert(0, str(Path(__file__).parent.parent / "ops"))

_MEMORY = 3 << 30


def _limit():
    """Let the process have so much memory beyond what it has."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limit = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main():
    kind, seed, n, *fatal = sys.argv[1:]
    units, fatal = sys.stdin.read().splitlines(), [int(number) for number in fatal]
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w", buffering=1 << 16)
    runner = importlib.import_module(kind).Runner(int(seed), int(n))
    _limit()
    sys.stdout = io.StringIO()
    for unit in units:
        report, fatal = Report(out, fatal), []
        try:
            with contextlib.redirect_stderr(sys.stdout):
                runner.run(unit, report)
        except BaseException as e:
            # The attack itself is wrong: the parent shows what is said here.
            raise SystemExit(f"{unit}: {type(e).__name__}: {e}") from e
        report.attempt(f"{unit}: what is left of it is collected", gc.collect)
        out.write("unit\n")
        sys.stdout.seek(0)
        sys.stdout.truncate()
    out.write("done\n")
    out.flush()
    # What is left may not end the process well, which other scenarios look at.
    os._exit(0)


if __name__ == "__main__":
    main()
