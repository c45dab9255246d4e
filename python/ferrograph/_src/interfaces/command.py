"""The program ``ferrograph``, which inspects and runs saved models, explains errors and says what
is installed."""

from __future__ import annotations

import sys

from ..native import _core
from . import explained_errors
from .versions import show_versions

__all__ = ["main"]

_INTERRUPTED = 130  # as shells say of a program that Ctrl-C has ended


def main() -> int:
    """Do what the command line asks for, and give the status to exit with."""
    if sys.argv[1:] == ["versions"]:
        show_versions()
        return 0
    if sys.argv[1:2] == ["explain"]:
        return _explain(sys.argv[2:])
    try:
        return _core.run_command(sys.argv[1:])
    except KeyboardInterrupt:
        return _INTERRUPTED


def _explain(asked: list[str]) -> int:
    """Print the page of a class of errors, or the names of all."""
    if len(asked) != 1 or asked[0].startswith("-"):
        print("usage: ferrograph explain NAME", *explained_errors.names(), sep="\n  ")
        return 0 if asked in (["-h"], ["--help"]) else 2
    try:
        explained_errors.show(asked[0])
    except LookupError as e:
        print(f"ferrograph explain: {e.args[0]}", file=sys.stderr)
        return 2
    return 0
