"""Settings and devices."""

from __future__ import annotations

from typing import NamedTuple

from ..native import _core
from ..values.public import public
from .thread import soft_placement

__all__ = [
    "PhysicalDevice",
    "functions_run_eagerly",
    "get_soft_device_placement",
    "list_logical_devices",
    "list_physical_devices",
    "progress_bars",
    "run_functions_eagerly",
    "set_progress_bars",
    "set_soft_device_placement",
]


@public("config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device by its name and kind.

    >>> fg.config.PhysicalDevice('/physical_device:CPU:0', 'CPU').device_type
    'CPU'
    """

    name: str
    device_type: str


@public("config.run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Make functions run their Python bodies at each call instead of their graphs, or stop that.

    >>> @fg.function
    ... def f():
    ...     print('the body runs')
    >>> fg.config.run_functions_eagerly(True)
    >>> f()
    the body runs
    >>> f()
    the body runs
    >>> fg.config.run_functions_eagerly(False)

    Args:
      run_eagerly: a bool; False, the state at first, runs graphs.
    """
    _core.run_functions_eagerly(bool(run_eagerly))


@public("config.functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Whether functions run their Python bodies at each call.

    >>> fg.config.functions_run_eagerly()
    False
    """
    return _core.functions_run_eagerly()


_progress = [True]


@public("config.set_progress_bars")
def set_progress_bars(enabled: bool) -> None:
    """Show how far long work is, where standard error is a terminal, or do not.

    What takes all elements of a dataset at once, ``Dataset.save`` and ``reduce``, tells after two
    seconds how many it has, by ``tqdm`` where that is installed.

    >>> fg.config.set_progress_bars(False)
    >>> fg.config.progress_bars()
    False
    >>> fg.config.set_progress_bars(True)

    Args:
      enabled: a bool; True at first.
    """
    _progress[0] = bool(enabled)


@public("config.progress_bars")
def progress_bars() -> bool:
    """Whether long work shows how far it is, where standard error is a terminal.

    >>> fg.config.progress_bars()
    True
    """
    return _progress[0]


@public("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that ferrograph runs on.

    >>> [device.name for device in fg.config.list_physical_devices('CPU')]
    ['/physical_device:CPU:0']

    Args:
      device_type: a string such as ``"CPU"``, which leaves devices of other types out; None, the
        default, leaves out none.

    Returns:
      A list of ``PhysicalDevice``: the CPU, or nothing for another type.
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


@public("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices as operations name them.

    >>> [device.name for device in fg.config.list_logical_devices('CPU')]
    ['/device:CPU:0']

    Args:
      device_type: a string such as ``"CPU"``, which leaves devices of other types out; None, the
        default, leaves out none.

    Returns:
      A list of ``PhysicalDevice``: the CPU, or nothing for another type.
    """
    return [PhysicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


@public("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Let what is asked to run on a device that is not here run on the CPU, or refuse it.

    >>> fg.config.set_soft_device_placement(True)

    Args:
      enabled: a bool; True at first.

    Raises:
      TypeError: for what has no truth value.
    """
    if not hasattr(enabled, "__bool__"):
        text = f"enabled must be True or False, got {_core.described(enabled)}"
        raise _core.about_argument(enabled, TypeError(text))
    soft_placement[0] = bool(enabled)


@public("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Whether what is asked to run on a device that is not here runs on the CPU.

    >>> fg.config.get_soft_device_placement()
    True
    """
    return soft_placement[0]
