"""The sweep: hostile calls of everything public, in child processes that are watched."""

import collections
import os
import random
import selectors
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
MODES = ("eager", "traced", "symbolic")
HANG_SECONDS = 10
_START_SECONDS = 60


class Outcome:
    """What a sweep found: how many calls there were, and the failures as pairs (call, what)."""

    def __init__(self):
        self.n_calls, self.counts, self.failures = 0, collections.Counter(), []

    def add(self, call, verdict):
        self.n_calls += 1
        self.counts[verdict.split()[0]] += 1
        if verdict.split()[0] not in ("ok", "refused"):
            self.failures.append((call, verdict))


class Child:
    """One process on its way through its units; begins again behind a call that ended it."""

    def __init__(self, units, calls_each, seed, outcome, patience):
        self.units, self.outcome, self.arguments = units, outcome, (str(calls_each), str(seed))
        self.fatal, self.is_done, self.patience = [], False, patience
        self._launch()

    def _launch(self):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "child.py"), *self.arguments, *map(str, self.fatal)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=HERE,
        )
        self.process.stdin.write("".join(f"{n} {m}\n" for n, m in self.units).encode())
        self.process.stdin.close()
        os.set_blocking(self.process.stdout.fileno(), False)
        self._text, self._heard, self._has_begun = "", time.monotonic() + _START_SECONDS, False

    def read(self):
        """Take what the process wrote; notes calls, and its end."""
        data = self.process.stdout.read()
        if data is None:
            return
        if data == b"":
            self._ended(f"exit {self.process.wait()}")
            return
        self._heard = time.monotonic()
        *lines, self._text = (self._text + data.decode()).split("\n")
        for line in lines:
            if line == "done":
                self.is_done = True
            elif line == "unit":
                if self._has_begun:
                    self.units, self.fatal = self.units[1:], []
                self._has_begun = True
            else:
                _, call, verdict = line.split("\t")
                self.outcome.add(call, verdict)

    def check(self):
        """End a process whose call hangs."""
        if time.monotonic() - self._heard > self.patience:
            self.process.kill()
            self._ended(f"hang of more than {self.patience} s")

    def _ended(self, how):
        self.process.wait()
        self.process.stdout.close()
        if self.is_done:
            return
        number, *call = self._text.split("\t")
        if len(call) != 2:
            raise RuntimeError(f"a child ended outside of any call: {how}, {self._text!r}")
        self.fatal.append(int(number))
        self.outcome.add(call[0], f"CRASH {how}")
        self._launch()


def sweep(units, calls_each, seed=0, processes=2, patience=HANG_SECONDS):
    """Run the units, pairs of a target's name and a mode; the outcome.

    A call that takes longer than ``patience`` seconds fails.
    """
    outcome = Outcome()
    units = list(units)
    random.Random(seed).shuffle(units)
    shares = [units[i::processes] for i in range(processes)]
    children = [Child(share, calls_each, seed, outcome, patience) for share in shares if share]
    while running := [c for c in children if not c.is_done]:
        with selectors.DefaultSelector() as selector:
            for child in running:
                selector.register(child.process.stdout, selectors.EVENT_READ, child)
            for key, _ in selector.select(timeout=0.5):
                key.data.read()
        for child in running:
            if not child.is_done and not child.process.stdout.closed:
                child.check()
    for child in children:
        child.process.wait()
    return outcome
