"""Whose code a file is."""

from __future__ import annotations

import os

__all__ = ["PACKAGE", "PACKAGE_FOLDER"]

# The name of this package, and the beginning of the paths of its files.
PACKAGE = __name__.partition(".")[0]
PACKAGE_FOLDER = os.path.abspath(__file__).rpartition(os.sep + "_src" + os.sep)[0] + os.sep
