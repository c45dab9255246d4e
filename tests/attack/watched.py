"""Attacks in child processes that are watched: units of work, each a line, in batches of some.

A child names each attempt before it makes it and says afterwards what came of it; so the one that
ended or hung the process is known, and a new process goes on behind it.
"""

import collections
import json
import os
import selectors
import subprocess
import sys
import tempfile
from pathlib import Path

from processor_time import Limit

HERE = Path(__file__).parent
HANG_SECONDS = 10
_WAITING_SECONDS = 60
_START_SECONDS = 60


class Outcome:
    """What an attack found: how many attempts there were, and the failures as (attempt, what)."""

    def __init__(self, log=None):
        self.n_calls, self.counts, self.failures = 0, collections.Counter(), []
        self._log, self._lines, self.finished = log, [], set()
        if log is not None and log.exists():
            self._take_over(log.read_text().splitlines())

    def _take_over(self, lines):
        for unit, n_calls, counts, failures in map(json.loads, lines):
            self.finished.add(unit)
            self.n_calls += n_calls
            self.counts.update(counts)
            self.failures += [tuple(f) for f in failures]

    def add(self, call, verdict):
        """Count an attempt of the unit that is under way."""
        self._lines.append((call, verdict))

    def finish(self, unit, lines):
        """Take over what a unit's attempts gave, and keep it where there is a log."""
        counts = collections.Counter(verdict.split()[0] for _, verdict in lines)
        failures = [f for f in lines if f[1].split()[0] not in ("ok", "refused")]
        self.n_calls += len(lines)
        self.counts.update(counts)
        self.failures += failures
        if self._log is not None:
            with self._log.open("a") as file:
                file.write(json.dumps([unit, len(lines), counts, failures]) + "\n")


class Child:
    """One process at a time on its way through batches of units."""

    def __init__(self, arguments, batches, outcome, patience):
        # What hostile calls write to paths of their own goes there.
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.arguments, self.outcome, self.patience = arguments, outcome, patience
        self._batches, self.is_done = list(batches), False
        self._next_batch()

    def _next_batch(self):
        self.is_done = not self._batches
        if self._batches:
            self.units, self._fatal, self._lines = self._batches.pop(0), [], []
            self._launch()

    def _launch(self):
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "child.py"), *self.arguments, *map(str, self._fatal)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=self._folder.name,
        )
        self.process.stdin.write("".join(f"{unit}\n" for unit in self.units).encode())
        self.process.stdin.close()
        os.set_blocking(self.process.stdout.fileno(), False)
        self._text, self._is_at_end = "", False
        self._limit = Limit(self.process.pid, self.patience, _WAITING_SECONDS)
        self._limit.begin(grace=_START_SECONDS)

    def read(self):
        """Take what the process wrote; notes attempts, and its end."""
        data = self.process.stdout.read()
        if data is None:
            return
        if data == b"":
            self._ended(f"exit {self.process.wait()}")
            return
        self._limit.begin()
        *lines, self._text = (self._text + data.decode()).split("\n")
        for line in lines:
            self._take(line)

    def _take(self, line):
        if line == "done":
            self._is_at_end = True
        elif line == "unit":
            self.outcome.finish(self.units[0], self._lines)
            self.units, self._fatal, self._lines = self.units[1:], [], []
        else:
            _, call, verdict = line.split("\t")
            self._lines.append((call, verdict))

    def check(self):
        """End a process that hangs."""
        if self._limit.is_exceeded():
            why = self._limit.why()
            self.process.kill()
            self._ended(why)

    def _ended(self, how):
        self.process.wait()
        self.process.stdout.close()
        if self._is_at_end:
            self._next_batch()
            return
        number, *call = self._text.split("\t")
        said = self._said()
        if len(call) != 2:
            raise RuntimeError(f"a child ended outside of any attempt: {how}: {said}")
        self._fatal.append(int(number))
        self._lines.append((call[0], f"CRASH {how}: {said}"))
        self._launch()

    def _said(self):
        """The end of what the process wrote to its standard error."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-2000:]

    @property
    def is_open(self):
        return not self.is_done and not self.process.stdout.closed


def watch(arguments, units, batch, processes=1, patience=HANG_SECONDS, log=None):
    """Run the units by ``child.py ARGUMENTS``, ``batch`` of them a process; the outcome.

    An attempt that computes for longer than ``patience`` seconds fails. Units that the log has are
    not run again.
    """
    outcome = Outcome(log)
    units = [unit for unit in units if unit not in outcome.finished]
    batches = [units[i : i + batch] for i in range(0, len(units), batch)]
    arguments = [str(a) for a in arguments]
    shares = [batches[i::processes] for i in range(processes)]
    children = [Child(arguments, share, outcome, patience) for share in shares if share]
    while running := [c for c in children if not c.is_done]:
        with selectors.DefaultSelector() as selector:
            for child in running:
                selector.register(child.process.stdout, selectors.EVENT_READ, child)
            for key, _ in selector.select(timeout=0.5):
                key.data.read()
        for child in running:
            if child.is_open:
                child.check()
    return outcome
