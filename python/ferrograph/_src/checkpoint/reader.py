"""What is in a checkpoint: its tensors by name, without the objects that held them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..context import thread
from ..values import errors
from ..values.dtypes import DType, as_dtype
from ..values.public import public
from .paths import list_tensors, path_text, read_tensors
from .state import checkpoint_exists, latest_checkpoint

__all__ = [
    "CheckpointReader",
    "checkpoints_iterator",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]


class CheckpointReader:
    """The tensors of one checkpoint, by name. ``load_checkpoint`` makes one."""

    def __init__(self, path: str):
        self._path, self._listed = path, list_tensors(path)

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return tensor_str in self._listed

    def get_tensor(self, tensor_str: str) -> Any:
        """The tensor of that name as an array; bytes or a number for a scalar.

        NotFoundError where there is none, DataLossError where it is damaged.
        """
        if tensor_str not in self._listed:
            raise errors.NotFoundError(
                None, None, f"Key {tensor_str} not found in checkpoint {self._path}"
            )
        with thread.init_scope():
            (found,) = read_tensors(self._path, [tensor_str], [self._dtype(tensor_str)])
            return found.numpy()

    def _dtype(self, name: str) -> DType:
        return as_dtype(self._listed[name][0])

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The dimensions of all tensors, by name."""
        return {name: list(dims) for name, (_, dims) in self._listed.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtypes of all tensors, by name."""
        return {name: self._dtype(name) for name in self._listed}

    def debug_string(self) -> str:
        """The names, dtypes and shapes, a line each."""
        dtypes = self.get_variable_to_dtype_map()
        shapes = self.get_variable_to_shape_map()
        return "\n".join(f"{name} ({dtypes[name].name}) {shapes[name]}" for name in shapes)


@public("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint: of the latest one where a folder is given.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fg.train.Checkpoint(v=fg.Variable([1, 2])).save(folder + "/c")[-4:]
    ...     reader = fg.train.load_checkpoint(folder)
    ...     reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
    '/c-1'
    array([1, 2], dtype=int32)

    Args:
      ckpt_dir_or_file: the path of a checkpoint, or of a folder in which ``save`` wrote some: a
        string or a path object.

    Returns:
      A ``CheckpointReader``.

    Raises:
      ValueError: for a folder in which ``save`` wrote nothing.
      NotFoundError: where there is no such checkpoint.
    """
    return CheckpointReader(_path_of(ckpt_dir_or_file))


def _path_of(given: Any) -> str:
    path = path_text(given)
    if checkpoint_exists(path) or not os.path.isdir(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(f"there is no checkpoint in the folder {path}")
    return latest


@public("train.list_variables")
def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """The names and dimensions of the tensors in a checkpoint, in the order of their names.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.train.Checkpoint(v=fg.Variable([1, 2])).write(folder + "/c")
    ...     fg.train.list_variables(path)[1]
    ('v/.ATTRIBUTES/VARIABLE_VALUE', [2])

    Args:
      ckpt_dir_or_file: the path of a checkpoint, or of a folder in which ``save`` wrote some: a
        string or a path object.

    Returns:
      A list of pairs of a name and a list of ints.

    Raises:
      ValueError: for a folder in which ``save`` wrote nothing.
      NotFoundError: where there is no such checkpoint.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@public("train.load_variable")
def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The tensor of that name in a checkpoint, as an array.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.train.Checkpoint(v=fg.Variable([1, 2])).write(folder + "/c")
    ...     fg.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")
    array([1, 2], dtype=int32)

    Args:
      ckpt_dir_or_file: the path of a checkpoint, or of a folder in which ``save`` wrote some: a
        string or a path object.
      name: the name of the tensor, as ``list_variables`` gives it; ``:0`` at its end is left out.

    Returns:
      A NumPy array.

    Raises:
      ValueError: for a folder in which ``save`` wrote nothing.
      NotFoundError: where there is no such checkpoint or tensor.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@public("train.checkpoints_iterator")
def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The paths of checkpoints in a folder as another program writes them, each once.

    Where the next one takes longer than ``timeout`` seconds, the iteration ends, unless
    ``timeout_fn`` says that it is not the end yet; without a timeout it waits for ever.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.train.Checkpoint(v=fg.Variable([1, 2])).save(folder + "/c")
    ...     [p == path for p in fg.train.checkpoints_iterator(folder, timeout=0)]
    [True]

    Args:
      checkpoint_dir: the folder.
      min_interval_secs: how many seconds are left between two of them at least.
      timeout: how many seconds a new one is waited for.
      timeout_fn: tells, when the time is over, whether it is the end.
    """
    before = None
    while True:
        path = _next_checkpoint(checkpoint_dir, before, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.monotonic()
        before = path
        yield path
        left = start + min_interval_secs - time.monotonic()
        if left > 0:
            time.sleep(left)


def _next_checkpoint(folder: Any, before: str | None, timeout: float | None) -> str | None:
    """The latest checkpoint, once it is another one than before; None where the time is over."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        path = latest_checkpoint(folder)
        if path is not None and path != before:
            return path
        wait = 1.0 if end is None else min(1.0, end - time.monotonic())
        if wait <= 0:
            return None
        time.sleep(wait)
