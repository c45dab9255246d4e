"""``profiler.experimental``: profiled blocks.

Nothing is written for TensorBoard: ``fg.profile`` records the steps of functions. The first block
warns about this, and programs continue.
"""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from ..native import FG
from ..values import errors
from ..values.public import public

__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]


class _State:
    """Whether a block is active, and whether the warning has been shown."""

    is_on = False
    has_told = False


def _tell() -> None:
    if not _State.has_told:
        _State.has_told = True
        logging.getLogger("ferrograph").warning(
            f"{FG}.profiler writes no files: `with {FG}.profile() as p: ...` records the steps of "
            "functions; print(p) shows them, p.to_chrome_trace(path) writes them"
        )


@public("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """What is asked of a profile: kept, and changes nothing.

    >>> fg.profiler.experimental.ProfilerOptions(python_tracer_level=1).host_tracer_level
    2
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


@public("profiler.experimental.start")
def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Begin a block that is to be profiled. Nothing is written: see ``fg.profile``.

    >>> fg.profiler.experimental.start("logs")
    >>> fg.profiler.experimental.stop()

    Args:
      logdir, options: of no effect.

    Raises:
      AlreadyExistsError: where a block is active.
    """
    if _State.is_on:
        raise errors.AlreadyExistsError(None, None, "Another profiler is running.")
    _State.is_on = True
    _tell()


@public("profiler.experimental.stop")
def stop(save: bool = True) -> None:
    """End the block.

    >>> try:
    ...     fg.profiler.experimental.stop()
    ... except fg.errors.UnavailableError:
    ...     print("none")
    none

    Args:
      save: of no effect.

    Raises:
      UnavailableError: where none is active.
    """
    if not _State.is_on:
        raise errors.UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    _State.is_on = False


@public("profiler.experimental.Profile")
class Profile:
    """``start`` and ``stop`` as a ``with`` block.

    >>> with fg.profiler.experimental.Profile("logs"):
    ...     x = fg.ones([2]) + 1.0
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None):
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *exc: Any) -> None:
        stop()


@public("profiler.experimental.Trace")
class Trace:
    """A block with a name, such as a step of training, within a profile. It is not recorded.

    >>> with fg.profiler.experimental.Trace("train", step_num=1):
    ...     x = fg.ones([2]) + 1.0
    """

    def __init__(self, name: str, **kwargs: Any):
        self._name, self._metadata = name, kwargs

    def __enter__(self) -> Trace:
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Say more of the block, by names."""
        self._metadata.update(kwargs)

    def __exit__(self, *exc: Any) -> None:
        """The block ends."""
