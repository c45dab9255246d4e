"""``Dataset.save`` that resumes where it was interrupted: a checkpoint after each part."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any

from ..data.dataset import Dataset
from ..native import _core
from ..state.variable import Variable
from ..values import dtypes
from .checkpoint import Checkpoint
from .manager import CheckpointManager
from .paths import file_errors, path_text

__all__ = ["save"]

# The folder of the parts, in that of the checkpoints.
_PARTS = "parts"


def save(
    dataset: Dataset,
    path: Any,
    compression: Any,
    shard_func: Callable[..., Any] | None,
    checkpoint_args: Any,
) -> None:
    """``Dataset.save`` with ``checkpoint_args``."""
    if not _core.executing_eagerly():
        raise NotImplementedError(
            "Dataset.save(checkpoint_args=...) writes checkpoints while it runs, which a traced "
            "function can't do: call it outside of one"
        )
    args = dict(checkpoint_args)
    if "checkpoint" in args:
        raise ValueError("checkpoint_args has no 'checkpoint': Dataset.save makes its own")
    if "directory" not in args:
        raise ValueError("checkpoint_args needs a 'directory', where the checkpoints are written")
    args.setdefault("max_to_keep", 1)
    _Saving(dataset, args, compression).run(path_text(path), shard_func)


class _Saving:
    """One dataset on its way to a folder."""

    def __init__(self, dataset: Dataset, args: dict[str, Any], compression: Any):
        self._dataset, self._compression = dataset, compression
        self._folder = os.path.join(path_text(args["directory"]), _PARTS)
        self._iterator = iter(dataset)
        self._n_parts = Variable(0, dtype=dtypes.int64, trainable=False, name="n_parts")
        self._is_done = Variable(False, trainable=False, name="is_done")
        followed = {"iterator": self._iterator, "n_parts": self._n_parts, "is_done": self._is_done}
        self._counter = args.get("step_counter")
        if isinstance(self._counter, Variable):
            followed["step_counter"] = self._counter
        self._manager = CheckpointManager(Checkpoint(**followed), **args)
        self._interval = self._manager.checkpoint_interval or 1

    def run(self, path: str, shard_func: Callable[..., Any] | None) -> None:
        """Write what is not written yet, then the whole."""
        self._manager.restore_or_initialize()
        if not bool(self._is_done):
            while self._write_part():
                pass
            self._put_together(path, shard_func)
            self._is_done.assign(True)
            self._manager.save(check_interval=False)
        with file_errors():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _part(self, number: int) -> str:
        return os.path.join(self._folder, str(number))

    def _write_part(self) -> bool:
        """Write the next elements and note that they are; whether there were any."""
        elements = []
        for element in self._iterator:
            elements.append(element)
            if len(elements) == self._interval:
                break
        if not elements:
            return False
        spec = self._dataset.element_spec
        part = Dataset.from_generator(lambda: iter(elements), output_signature=spec)
        number = int(self._n_parts)
        with file_errors():
            os.makedirs(self._part(number), exist_ok=True)
        part.save(self._part(number), self._compression)
        self._n_parts.assign_add(1)
        if isinstance(self._counter, Variable):
            self._counter.assign_add(_core.convert_to_tensor(len(elements), self._counter.dtype))
        self._manager.save(check_interval=False)
        return True

    def _put_together(self, path: str, shard_func: Callable[..., Any] | None) -> None:
        """Write the parts, one after the other, where the whole is to be."""
        spec = self._dataset.element_spec
        names = [self._part(number) for number in range(int(self._n_parts))]
        if names:
            parts = Dataset.from_tensor_slices(names)
            whole = parts.flat_map(lambda name: Dataset.load(name, element_spec=spec))
        else:
            whole = self._dataset.take(0)
        whole.save(path, self._compression, shard_func)
