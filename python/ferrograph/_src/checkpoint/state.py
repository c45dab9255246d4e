"""The file ``checkpoint`` in a folder, which names the latest checkpoint."""

from __future__ import annotations

import os
import re
from typing import Any

from ..native import _core
from ..ops._dispatch import told
from ..values.public import public
from .paths import file_errors, path_text

__all__ = [
    "CheckpointState",
    "checkpoint_exists",
    "get_checkpoint_state",
    "latest_checkpoint",
    "update_checkpoint_state",
]

_NAME = "checkpoint"
_LINE = re.compile(r'\s*(\w+)\s*:\s*("(?:[^"\\]|\\.)*"|\S+)\s*')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_CODES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


class CheckpointState:
    """What the file says: the latest checkpoint, and those that are there.

    Attributes:
      model_checkpoint_path: the path of the latest checkpoint.
      all_model_checkpoint_paths: the paths of all that are kept, the oldest first.
      all_model_checkpoint_timestamps: when they were written, in seconds since 1970.
      last_preserved_timestamp: when the last one that is kept for good was written.
    """

    def __init__(
        self,
        latest: str,
        paths: list[str],
        timestamps: list[float],
        last_preserved: float | None,
    ):
        self.model_checkpoint_path = latest
        self.all_model_checkpoint_paths = paths
        self.all_model_checkpoint_timestamps = timestamps
        self.last_preserved_timestamp = 0.0 if last_preserved is None else last_preserved
        self._has_preserved = last_preserved is not None

    def __repr__(self) -> str:
        lines = [f"model_checkpoint_path: {_quoted(self.model_checkpoint_path)}"]
        lines += [f"all_{lines[0].partition(':')[0]}s: {_quoted(p)}" for p in self._paths()]
        for time in self.all_model_checkpoint_timestamps:
            lines.append(f"all_model_checkpoint_timestamps: {time!r}")
        if self._has_preserved:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"

    def _paths(self) -> list[str]:
        return self.all_model_checkpoint_paths


def _quoted(text: str) -> str:
    """A string as messages in text have it."""
    shown = []
    for byte in os.fsencode(text):
        character = chr(byte)
        if character in '"\\':
            shown.append("\\" + character)
        else:
            shown.append(character if 32 <= byte < 127 else f"\\{byte:03o}")
    return f'"{"".join(shown)}"'


def _unquoted(text: str) -> str:
    def plain(match: Any) -> bytes:
        code = match[1]
        if code[:1].isdigit():
            return bytes([int(code, 8) & 255])
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        return _CODES.get(code, code)

    return os.fsdecode(_ESCAPE.sub(plain, os.fsencode(text[1:-1])))


@public("train.get_checkpoint_state")
@told
def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """What the file ``checkpoint`` of a folder says; None where there is none, or it is damaged.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fg.train.Checkpoint(v=fg.Variable(1)).save(folder + "/c")
    ...     fg.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True

    Args:
      checkpoint_dir: the path of the folder, a string or a path object.
      latest_filename: the name of the file, a string; ``checkpoint`` by default.

    Returns:
      A ``CheckpointState``, whose paths begin at the folder where they are not absolute; or None.

    Raises:
      TypeError: for a latest_filename that is no string.
    """
    folder = path_text(checkpoint_dir)
    if latest_filename is not None and not isinstance(latest_filename, str):
        text = f"latest_filename must be a string, got {_core.described(latest_filename)}"
        raise _core.about_argument(latest_filename, TypeError(text))
    try:
        with open(os.path.join(folder, latest_filename or _NAME), encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return None
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if line.strip() and match is None:
            return None
        if match is not None:
            found.setdefault(match[1], []).append(match[2])
    return _state_of(folder, found)


def _state_of(folder: str, found: dict[str, list[str]]) -> CheckpointState | None:
    latest = found.get("model_checkpoint_path", [])
    paths = found.get("all_model_checkpoint_paths", [])
    if not latest or not all(text.startswith('"') for text in (*latest, *paths)):
        return None
    try:
        times = [float(time) for time in found.get("all_model_checkpoint_timestamps", [])]
        preserved = [float(time) for time in found.get("last_preserved_timestamp", [])]
    except ValueError:
        return None
    # Paths that are no absolute ones begin at the folder.
    paths = [os.path.join(folder, _unquoted(text)) for text in paths]
    last = preserved[-1] if preserved else None
    return CheckpointState(os.path.join(folder, _unquoted(latest[-1])), paths, times, last)


def update_checkpoint_state(
    folder: str,
    latest: str,
    paths: list[str],
    timestamps: list[float] | None = None,
    last_preserved: float | None = None,
    latest_filename: str | None = None,
) -> None:
    """Write the file ``checkpoint`` of a folder, whole or not at all.

    Paths in the folder are written as they stand there, so that it may be moved.
    """
    within = os.path.abspath(folder)

    def relative(path: str) -> str:
        path = os.path.abspath(path)
        return os.path.relpath(path, within) if path.startswith(within + os.sep) else path

    paths = paths if latest in paths else [*paths, latest]
    shown = [relative(path) for path in paths]
    state = CheckpointState(relative(latest), shown, timestamps or [], last_preserved)
    target = os.path.join(folder, latest_filename or _NAME)
    draft = f"{target}.tmp{os.getpid()}"
    with file_errors():
        with open(draft, "w", encoding="utf-8") as file:
            file.write(repr(state))
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)


def checkpoint_exists(path: str) -> bool:
    """Whether there is a checkpoint of that path."""
    return os.path.isfile(f"{path}.index")


@public("train.latest_checkpoint")
@told
def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint that ``save`` wrote to a folder; None where there is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(fg.train.latest_checkpoint(folder))
    None

    Args:
      checkpoint_dir: the path of the folder, a string or a path object.
      latest_filename: the name of the file that says which one it is, a string; ``checkpoint`` by
        default.

    Returns:
      A string, or None, also where the checkpoint is not there any more.

    Raises:
      TypeError: for a latest_filename that is no string.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path
