"""What is installed and on what it runs: what a report of a fault needs."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

from ..values.errors import shown
from ..values.public import public

__all__ = ["show_versions"]

_PACKAGES = ("numpy", "keras", "ml_dtypes", "scipy", "tensorboard", "tensorflow", "torch", "jax")


@public("show_versions")
def show_versions(file: object = None) -> None:
    """Print the versions of ferrograph, of Python and of packages beside it, the machine, and the
    settings in the environment.

    Args:
      file: where it is written, an object with a method ``write``; the standard output by default.

    Raises:
      TypeError: for another file.

    >>> fg.show_versions()  # doctest: +SKIP
    ferrograph  0.1.0
    python      3.11.7 CPython, with GIL
    ...
    """
    if file is not None and not callable(getattr(file, "write", None)):
        raise TypeError(f"show_versions: file must have a method write, got {shown(file)}")
    for name, text in _rows():
        print(f"{name:<11} {text}", file=file)  # type: ignore[call-overload]


def _rows() -> list[tuple[str, str]]:
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    rows = [
        ("ferrograph", sys.modules["ferrograph"].__version__),
        (
            "python",
            f"{platform.python_version()} {platform.python_implementation()}, "
            f"{'with' if has_gil else 'without'} GIL",
        ),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("processors", f"{os.cpu_count()}"),
    ]
    rows += [(name, found) for name in _PACKAGES if (found := _version(name))]
    set_here = sorted(name for name in os.environ if name.startswith("FERROGRAPH_"))
    return rows + [(name, os.environ[name]) for name in set_here]


def _version(package: str) -> str:
    """The version of an installed package, "" where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
