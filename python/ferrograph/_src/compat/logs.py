"""``tensorflow.compat.v1.logging``: functions over the logger of the package."""

from __future__ import annotations

import logging
from typing import Any

from ..interfaces.settings import get_logger

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "log",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
]

DEBUG, INFO, WARN = logging.DEBUG, logging.INFO, logging.WARNING
ERROR, FATAL = logging.ERROR, logging.CRITICAL


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message, with ``args`` formatted into it, at a level of the module ``logging``."""
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at level DEBUG."""
    log(DEBUG, msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at level INFO."""
    log(INFO, msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at level WARN."""
    log(WARN, msg, *args, **kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at level ERROR."""
    log(ERROR, msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at level FATAL; the process goes on."""
    log(FATAL, msg, *args, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level, as ``log``."""
    log(level, msg, *args, **kwargs)


def get_verbosity() -> int:
    """The level from which messages are shown."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Show messages from that level on."""
    get_logger().setLevel(v)


warn = warning
