"""The program ``ferrograph``, which inspects and runs saved models and says what is installed."""

from __future__ import annotations

import sys

from ..native import _core
from .versions import show_versions

__all__ = ["main"]

_INTERRUPTED = 130  # as shells say of a program that Ctrl-C has ended


def main() -> int:
    """Do what the command line asks for, and give the status to exit with."""
    if sys.argv[1:] == ["versions"]:
        show_versions()
        return 0
    try:
        return _core.run_command(sys.argv[1:])
    except KeyboardInterrupt:
        return _INTERRUPTED
