"""Atomic writing of the files of a model: a reader finds the old model or the new one."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import Any

from ..native import _core
from .constants import (
    ASSETS_DIRECTORY,
    FINGERPRINT_FILENAME,
    SAVED_MODEL_FILENAME_PB,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)
from .drafts import draft_of

__all__ = ["write"]

# What a model's folder holds: the file that makes it one comes last.
_PARTS = (
    VARIABLES_DIRECTORY,
    ASSETS_DIRECTORY,
    FINGERPRINT_FILENAME,
    SAVED_MODEL_FILENAME_PB,
)


def write(
    folder: str, model: bytes, fingerprint: bytes, tensors: dict[str, Any], files: dict[str, str]
) -> None:
    """Write a model to a folder: beside it first, then put in its place."""
    folder = os.path.realpath(folder)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with draft_of(folder) as draft:
        os.makedirs(os.path.join(draft, VARIABLES_DIRECTORY))
        os.makedirs(os.path.join(draft, ASSETS_DIRECTORY))
        names = sorted(tensors)
        prefix = os.path.join(draft, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
        inputs = (prefix, names, [""] * len(names), *(tensors[name] for name in names))
        _core.emit("SaveV2", inputs)
        for name, path in files.items():
            shutil.copyfile(path, os.path.join(draft, ASSETS_DIRECTORY, name))
            _settle(os.path.join(draft, ASSETS_DIRECTORY, name))
        _write_file(os.path.join(draft, FINGERPRINT_FILENAME), fingerprint)
        _write_file(os.path.join(draft, SAVED_MODEL_FILENAME_PB), model)
        _put(draft, folder)


def _write_file(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _settle(path: str) -> None:
    """Wait until a file is on the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _settle_folder(path: str) -> None:
    """Wait until the names in a folder are on the disk, where the system can open folders."""
    with contextlib.suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _put(draft: str, folder: str) -> None:
    """Put a whole model in the place of what is there.

    Where that is a model and nothing else, the two folders change places at one moment, if the
    system can do that. Then, and where there was nothing, one of the two is whole at any moment.
    """
    for path, _, _ in os.walk(draft):
        _settle_folder(path)
    if not os.path.isdir(folder):
        os.rename(draft, folder)
    else:
        shutil.copymode(folder, draft)
        there = set(os.listdir(folder))
        if not there:
            os.rename(draft, folder)
        elif not there <= set(_PARTS) or not _core.exchange_files(draft, folder):
            _put_parts(draft, folder)
    _settle_folder(os.path.dirname(folder))


def _put_parts(draft: str, folder: str) -> None:
    """Put a model into a folder that holds other things, or where folders can't change places.

    What is there is no model any more before its parts are replaced, and the new one is none before
    all of them are.
    """
    old = os.path.join(draft, "old")
    os.mkdir(old)
    for name in reversed(_PARTS):
        if os.path.lexists(os.path.join(folder, name)):
            os.rename(os.path.join(folder, name), os.path.join(old, name))
    for name in _PARTS:
        os.rename(os.path.join(draft, name), os.path.join(folder, name))
