"""Names of checkpoints, and errors of the operating system as errors of this package."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ..hints import Any
from ..native import _core
from ..values import errors

__all__ = ["file_errors", "list_tensors", "make_folder", "path_text", "read_tensors"]

_CLASSES = {
    FileNotFoundError: errors.NotFoundError,
    PermissionError: errors.PermissionDeniedError,
    FileExistsError: errors.AlreadyExistsError,
    NotADirectoryError: errors.FailedPreconditionError,
    IsADirectoryError: errors.FailedPreconditionError,
}


@contextlib.contextmanager
def file_errors() -> Iterator[None]:
    """A block in which an OSError becomes an error of this package that names the file."""
    try:
        yield
    except OSError as e:
        kind = next((c for o, c in _CLASSES.items() if isinstance(e, o)), errors.UnknownError)
        raise kind(None, None, f"{e.filename}; {e.strerror}") from e


def path_text(path: Any) -> str:
    """A path as text: from a string, bytes, an ``os.PathLike``, or an eager string tensor."""
    return os.fsdecode(path.numpy() if isinstance(path, _core.EagerTensor) else path)


def make_folder(path: str) -> None:
    """Make the folder that a file is to be in, and those above it."""
    folder = os.path.dirname(path)
    if folder:
        with file_errors():
            os.makedirs(folder, exist_ok=True)


def list_tensors(path: str) -> dict[str, tuple[Any, ...]]:
    """The numbers of the dtypes and the dimensions of the tensors in a checkpoint, by name."""
    return {name: (code, dims) for name, code, dims in _core.stored_tensors(os.fsencode(path))}


def read_tensors(path: str, keys: list[str], dtypes: list[Any]) -> list[Any]:
    """The tensors of these names, which have these dtypes, out of a checkpoint."""
    inputs = (path, keys, [""] * len(keys))
    found = _core.emit("RestoreV2", inputs, {"dtypes": dtypes})
    return found if isinstance(found, list) else [found]
