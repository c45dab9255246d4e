"""A progress line on the terminal while all elements of a dataset are computed."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from ..context.config import progress_bars
from ..native import _core
from ..state.variable import Variable
from ..values.dtypes import int64
from .dataset import Dataset

__all__ = ["watched"]

# Seconds before a line appears, and between its changes.
PATIENCE, PAUSE = 2.0, 0.2


@contextlib.contextmanager
def watched(dataset: Dataset, what: str) -> Iterator[Dataset]:
    """The dataset for a block that takes all of its elements; what it is about to do is shown.

    Only where somebody sees it: standard error is a terminal, and progress bars are on. Else it is
    the dataset itself.
    """
    if not (_core.executing_eagerly() and progress_bars() and _is_terminal()):
        yield dataset
        return
    taken = Variable(0, dtype=int64, trainable=False)
    numbered = Dataset.zip((Dataset.counter(1), dataset))
    with _Watch(what, taken, int(dataset.cardinality())):
        yield numbered.map(lambda number, element: _counted(taken, number, element))


def _counted(taken: Variable, number: Any, element: Any) -> Any:
    taken.assign(number)
    return element


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Watch:
    """A thread that shows how far a block is, once it has taken a while."""

    def __init__(self, what: str, taken: Variable, total: int):
        self._what, self._taken = what, taken
        self._total = total if total >= 0 else None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, name="progress", daemon=True)

    def __enter__(self) -> None:
        self._begun = time.monotonic()
        self._thread.start()

    def __exit__(self, *exception: Any) -> None:
        self._done.set()
        self._thread.join()

    def _show(self) -> None:
        if self._done.wait(PATIENCE):
            return
        bar = _bar(self._what, self._total, self._begun)
        while True:
            is_done = self._done.wait(PAUSE)
            bar.show(int(self._taken))
            if is_done:
                break
        bar.close()


def _bar(what: str, total: int | None, begun: float) -> Any:
    """A bar of tqdm's where that is installed, else a line."""
    try:
        import tqdm  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        return _Line(what, total, begun)
    return _Tqdm(tqdm.tqdm(desc=what, total=total, file=sys.stderr, leave=False))


class _Tqdm:
    def __init__(self, bar: Any):
        self._bar = bar

    def show(self, taken: int) -> None:
        self._bar.update(taken - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Line:
    """``what``, how many elements of how many, and the seconds so far; it goes at the end."""

    def __init__(self, what: str, total: int | None, begun: float):
        self._what, self._total, self._begun = what, total, begun
        self._width = 0

    def show(self, taken: int) -> None:
        of = "" if self._total is None else f" of {self._total}"
        seconds = time.monotonic() - self._begun
        self._write(f"{self._what}: {taken}{of} elements, {seconds:.0f} s")

    def close(self) -> None:
        self._write("")
        sys.stderr.write("\r")
        sys.stderr.flush()

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)
