"""``CheckpointManager``: numbered checkpoints in a folder, of which the last few are kept."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable
from typing import Any

from ..state.variable import Variable
from ..values.errors import shown
from ..values.public import public
from .checkpoint import Checkpoint
from .options import CheckpointOptions
from .paths import make_folder, path_text
from .state import get_checkpoint_state, update_checkpoint_state

__all__ = ["CheckpointManager"]


@public("train.CheckpointManager")
class CheckpointManager:
    """Writes a checkpoint again and again into a folder, and keeps the last few of them.

    A manager of a folder where another one wrote goes on with what is there.

    >>> import tempfile
    >>> step = fg.Variable(0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = fg.train.Checkpoint(step=step)
    ...     manager = fg.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    ...     for _ in range(3):
    ...         path = manager.save()
    ...     [p[-6:] for p in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']

    Args:
      checkpoint: the ``Checkpoint`` to write.
      directory: the folder, which is made where it does not exist.
      max_to_keep: how many are kept; None keeps all.
      keep_checkpoint_every_n_hours: of those that would be removed, one in so many hours stays.
      checkpoint_name: what the names of the files begin with.
      step_counter: a variable or number that counts the steps of the program.
      checkpoint_interval: how many of these lie between two checkpoints at least.
      init_fn: what is called by ``restore_or_initialize`` where there is no checkpoint.

    Raises:
      ValueError: for a ``max_to_keep`` that is not positive, and an interval without a counter.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"max_to_keep must be a positive integer or None, got {shown(max_to_keep)}"
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("checkpoint_interval counts the steps of step_counter, which is None")
        self._checkpoint = checkpoint
        self._directory = path_text(directory)
        self._max_to_keep = max_to_keep
        self._keep_every = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter, self._interval = step_counter, checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        # Paths with the times they were written at, the oldest first.
        self._kept: dict[str, float] = {}
        self._latest: str | None = None
        # A little in the past, for managers that are made in quick succession.
        self._last_preserved = time.time() - 1.0
        self._take_over()

    def _take_over(self) -> None:
        """Go on with what another manager left in the folder."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._last_preserved = min(state.last_preserved_timestamp, time.time())
        times = state.all_model_checkpoint_timestamps
        paths = state.all_model_checkpoint_paths
        if len(times) != len(paths):
            times = [self._last_preserved] * len(paths)
        self._kept = dict(zip(paths, times, strict=True))

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that is written."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps lie between two checkpoints at least."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the one that was written last; None where there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that are kept, the oldest first.

        Those that stay for good, one in so many hours, are not among them.
        """
        return list(self._kept)

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Write a checkpoint and remove what is not kept; its path.

        None where the last one is less than ``checkpoint_interval`` steps ago.

        Args:
          checkpoint_number: its number, an integer or variable; otherwise the next one.
          check_interval: whether the interval counts.
          options: see ``CheckpointOptions``.
        """
        step = None if self._step_counter is None else int(self._step_counter)
        if self._interval is not None and step is not None:
            last = self._last_step
            if check_interval and last is not None and step - last < self._interval:
                return None
            self._last_step = step
        make_folder(self._prefix)
        counter = self._checkpoint.save_counter
        if checkpoint_number is None:
            counter.assign_add(1)
            checkpoint_number = counter
        path = f"{self._prefix}-{int(checkpoint_number)}"
        path = self._checkpoint.write(path, options)
        self._note(path)
        return path

    def _note(self, path: str) -> None:
        """Make a checkpoint the latest one, and remove those that are not kept any more."""
        now = time.time()
        self._kept.pop(path, None)
        self._kept[path] = now
        self._latest = path
        kept = dict(self._kept)
        doomed = self._surplus(kept)
        # The list is written before files go, so that it never names one that is gone.
        self._write_state(kept)
        for old in doomed:
            _remove(old)
        self._kept = kept

    def _surplus(self, kept: dict[str, float]) -> list[str]:
        """Take out what is not kept; the paths that are to be removed."""
        doomed = []
        while self._max_to_keep is not None and len(kept) > self._max_to_keep:
            path = next(iter(kept))
            written = kept.pop(path)
            if self._stays(written):
                self._last_preserved = written
            else:
                doomed.append(path)
        return doomed

    def _stays(self, written: float) -> bool:
        if not self._keep_every:
            return False
        return written - self._last_preserved >= self._keep_every * 3600

    def _write_state(self, kept: dict[str, float]) -> None:
        update_checkpoint_state(
            self._directory,
            self._latest or "",
            list(kept),
            list(kept.values()),
            self._last_preserved,
        )

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint; its path. Without one ``init_fn`` is called; None."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if isinstance(self._step_counter, Variable):
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Nothing is left to do: a checkpoint is on the disk when the call returns."""


def _remove(path: str) -> None:
    """Remove the files of a checkpoint, the index first: without it there is none."""
    data = sorted(glob.glob(f"{glob.escape(path)}.data-?????-of-?????"))
    for name in (f"{path}.index", *data):
        try:
            os.remove(name)
        except FileNotFoundError:
            continue  # another process removed it
