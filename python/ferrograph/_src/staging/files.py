"""Whose code a file is: the user's, or a library's."""

from __future__ import annotations

import functools
import os
import sysconfig

from ..context.ownership import PACKAGE_FOLDER


@functools.lru_cache(maxsize=4096)
def is_library(filename: str) -> bool:
    """Whether a file belongs to Python, to an installed package or to this one."""
    parts = filename.replace("\\", "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts:
        return True
    return filename.startswith((PACKAGE_FOLDER, "<frozen", *_library_folders()))


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths["stdlib"], paths["platstdlib"], os.path.dirname(os.path.abspath(os.__file__))}
    return tuple(folder + os.sep for folder in folders)
