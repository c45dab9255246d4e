"""Draft folders, in which a model is written before it replaces the old one.

The writer holds a lock on the draft, which ends with the process: an unlocked draft beside the
model was left by a killed writer, and the next writer removes it. A writer whose draft is removed
before it has the lock makes another one. Where the system has no such locks nothing is removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections.abc import Iterator

__all__ = ["draft_of"]


@contextlib.contextmanager
def draft_of(folder: str) -> Iterator[str]:
    """A new folder beside that one, of which nothing stays that is not taken away."""
    _remove_left(folder)
    draft, held = _made(folder)
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if held is not None:
            os.close(held)


def _made(folder: str) -> tuple[str, int | None]:
    """A draft, and what holds its lock; None where there are no locks."""
    while True:
        draft = f"{folder}.tmp{uuid.uuid4().hex}"
        os.mkdir(draft)
        held = _locked(draft)
        if held is not None or not _has_locks():
            return draft, held


def _has_locks() -> bool:
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


def _locked(folder: str) -> int | None:
    """An open folder, locked by this process; None where another one has the lock, or it is
    gone."""
    if not _has_locks():
        return None
    import fcntl

    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(opened), os.stat(folder)):
            return opened
    except OSError:  # it is held, it is gone, or this file system has no locks
        pass
    os.close(opened)
    return None


def _remove_left(folder: str) -> None:
    """Remove the abandoned drafts of a model."""
    around, name = os.path.split(folder)
    pattern = re.compile(re.escape(name) + r"\.tmp([0-9a-f]{32})")
    for other in os.listdir(around):
        draft = os.path.join(around, other)
        held = _locked(draft) if pattern.fullmatch(other) else None
        if held is not None:
            shutil.rmtree(draft, ignore_errors=True)
            os.close(held)
