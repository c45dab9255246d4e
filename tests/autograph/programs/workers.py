"""Many programs in processes of their own: one that dies or hangs costs its program alone."""

from __future__ import annotations

import gc
import json
import selectors
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from processor_time import Limit  # noqa: E402

from . import (  # noqa: E402
    asked,
    containers,
    everyday,
    flow,
    foreign,
    functions,
    getters,
    hooks,
    idioms,
    kept,
    language,
    library,
    names,
    objects,
    sharing,
)
from .kit import Family, make  # noqa: E402

MODULES = (foreign, containers, objects, functions, flow, sharing, hooks, everyday, idioms)
MODULES += (language, library, asked, kept, names, getters)
FAMILIES: dict[str, Family] = {
    family.name: family for module in MODULES for family in module.FAMILIES
}
LIMIT = 60.0  # seconds of the processor, and as many of waiting, without an answer
RENEWED = 2000  # programs that one process answers for: what they leave slows the later ones down


def seeds_of(count: int, start: int = 0) -> list[tuple[str, int]]:
    """So many programs, the families in turn."""
    names = list(FAMILIES)
    return [(names[i % len(names)], start + i // len(names)) for i in range(count)]


class Worker:
    """A process that answers for its programs one by one."""

    def __init__(self, work: list[tuple[str, int]]):
        self.work, self.done, self.given = work, 0, 0
        self.process: Any = None
        self.limit: Any = None
        self.start()

    def start(self) -> None:
        self.given = min(self.done + RENEWED, len(self.work))
        left = self.work[self.done : self.given]
        command = [sys.executable, "-c", _PROGRAM, str(Path(__file__).parents[1])]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.process.stdin.write(json.dumps(left))
        self.process.stdin.close()
        self.limit = Limit(self.process.pid, LIMIT)

    def answer(self) -> dict | None:
        """The next answer; None where the process has ended."""
        line = self.process.stdout.readline()
        self.limit.begin()
        if not line:
            return None
        self.done += 1
        return json.loads(line)

    def give_up(self, kind: str, why: str) -> dict | None:
        """The verdict on the program that ended or stopped the process, if one did, and a new
        process for what is left."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        found = None
        if self.done < self.given:
            family, seed = self.work[self.done]
            self.done += 1
            found = {"family": family, "seed": seed, "verdict": kind, "why": why}
        if self.done < len(self.work):
            self.start()
        return found


_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); import programs.workers as w; w.serve()"


def serve() -> None:
    """Answer for the programs that the input names.

    What lives on after a program is taken out of the sight of the collector, through which the
    tracer looks for holders of objects: the next one's are few.
    """
    import tempfile

    from . import run

    answers, sys.stdout = sys.stdout, sys.stderr
    with tempfile.TemporaryDirectory() as folder:
        for family, seed in json.load(sys.stdin):
            gc.collect()
            gc.freeze()
            program = make(FAMILIES[family], seed)
            with run.quiet():
                verdict = run.run(program, Path(folder, "printed"))
            found = {"family": family, "seed": seed, "verdict": verdict.kind, "why": verdict.why}
            print(json.dumps(found), file=answers, flush=True)


def verdicts(work: list[tuple[str, int]], n_workers: int = 2) -> Iterator[dict]:
    """The verdict on each program, as they come."""
    workers = [Worker(work[i::n_workers]) for i in range(n_workers) if work[i::n_workers]]
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
        while selector.get_map():
            ready = [key.data for key, _ in selector.select(1.0)]
            for worker in list({id(k.data): k.data for k in selector.get_map().values()}.values()):
                late = worker not in ready and worker.limit.is_exceeded()
                if worker not in ready and not late:
                    continue
                found = worker.answer() if worker in ready else None
                if found is None:
                    selector.unregister(worker.process.stdout)
                    kind = "hang" if late else "crash"
                    found = worker.give_up(kind, f"the process ended: {kind}")
                    if worker.done < len(worker.work):
                        selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
                if found is not None:
                    yield found
