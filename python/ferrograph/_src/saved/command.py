"""The program ``ferrograph``, which inspects and runs saved models."""

from __future__ import annotations

import sys

from ..native import _core

__all__ = ["main"]


def main() -> int:
    """Do what the command line asks for, and give the status to exit with."""
    return _core.run_command(sys.argv[1:])
