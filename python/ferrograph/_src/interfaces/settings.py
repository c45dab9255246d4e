"""Settings of devices and of the graph optimizer, and what this build of the package supports."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from ..context.config import (
    PhysicalDevice,
    functions_run_eagerly,
    list_physical_devices,
    run_functions_eagerly,
)
from ..ops._dispatch import told
from ..values.errors import shown
from ..values.public import public

__all__ = ["LogicalDevice", "LogicalDeviceConfiguration"]


@public("config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A device as operations name it.

    >>> fg.config.LogicalDevice('/device:CPU:0', 'CPU').device_type
    'CPU'
    """

    name: str
    device_type: str


@public("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """What is asked of a logical device.

    >>> fg.config.LogicalDeviceConfiguration(memory_limit=1024).memory_limit
    1024
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class _Settings:
    """What was set, for the process."""

    logs_placement = False
    jit = ""
    options: dict[str, Any] = {}  # noqa: RUF012 - one object for the process
    configurations: dict[str, list[Any]] = {}  # noqa: RUF012


@public("config.experimental_run_functions_eagerly")
def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """``fg.config.run_functions_eagerly`` by an older name.

    >>> fg.config.experimental_run_functions_eagerly(False)

    Args:
      run_eagerly: a bool; False, the state at first, runs graphs.
    """
    run_functions_eagerly(run_eagerly)


@public("config.experimental_functions_run_eagerly")
def experimental_functions_run_eagerly() -> bool:
    """``fg.config.functions_run_eagerly`` by an older name.

    >>> fg.config.experimental_functions_run_eagerly()
    False
    """
    return functions_run_eagerly()


@public("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that the process may use.

    >>> [device.device_type for device in fg.config.get_visible_devices()]
    ['CPU']

    Args:
      device_type: a string such as ``"CPU"``, which leaves devices of other types out; None, the
        default, leaves out none.

    Returns:
      A list of ``config.PhysicalDevice``: the CPU, or nothing for another type.
    """
    return list_physical_devices(device_type)


@public("config.set_visible_devices", "config.experimental.set_visible_devices")
@told
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Say which devices the process may use.

    >>> fg.config.set_visible_devices(fg.config.list_physical_devices('CPU'), 'CPU')
    >>> fg.config.set_visible_devices([], 'GPU')

    Args:
      devices: a ``config.PhysicalDevice`` or a list of such.
      device_type: a string, the type that is spoken of; None, the default, for all.

    Raises:
      ValueError: for any but the CPU, and without it for the type ``"CPU"`` or all types.
    """
    is_one = isinstance(devices, PhysicalDevice)
    wanted = [devices] if is_one else list(devices)
    unknown = [device for device in wanted if device not in list_physical_devices()]
    if unknown:
        raise ValueError(f"these devices are not here: {unknown}")
    if device_type in (None, "CPU") and not wanted:
        raise ValueError("the CPU is what everything runs on; it cannot be hidden")


@public("config.get_logical_device_configuration")
@told
def get_logical_device_configuration(device: PhysicalDevice) -> list[Any] | None:
    """What was asked of the logical devices on a device; None where nothing was.

    >>> fg.config.get_logical_device_configuration(fg.config.list_physical_devices('CPU')[0])

    Args:
      device: a ``config.PhysicalDevice``.

    Returns:
      A list of ``config.LogicalDeviceConfiguration``, or None where nothing was asked.

    Raises:
      ValueError: for a device that is not here.
    """
    _check_device(device)
    return _Settings.configurations.get(device.name)


@public("config.set_logical_device_configuration")
@told
def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Say what logical devices there are on a device: one, without a limit, on the CPU.

    >>> cpu = fg.config.list_physical_devices('CPU')[0]
    >>> fg.config.set_logical_device_configuration(cpu, [fg.config.LogicalDeviceConfiguration()])

    Args:
      device: a ``config.PhysicalDevice``.
      logical_devices: a list of one ``config.LogicalDeviceConfiguration`` without limits.

    Raises:
      ValueError: for other configurations, and for a device that is not here.
    """
    _check_device(device)
    wanted = list(logical_devices or [])
    if wanted != [LogicalDeviceConfiguration()]:
        raise ValueError(
            "logical_devices must be one configuration without limits, as the CPU has but one, "
            f"got {shown(wanted)}"
        )
    _Settings.configurations[device.name] = wanted


def _check_device(device: Any) -> None:
    if device not in list_physical_devices():
        raise ValueError(f"there is no device {shown(device)} here")


@public("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[Any, Any]:
    """The options of the optimizer that were set.

    >>> fg.config.optimizer.get_experimental_options()['disable_meta_optimizer']
    False
    """
    fixed = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    return fixed | _Settings.options


@public("config.optimizer.set_experimental_options")
@told
def set_experimental_options(options: dict[Any, Any]) -> None:
    """Set options of the optimizer. They are kept; the passes over a graph are always the same.

    >>> fg.config.optimizer.set_experimental_options({'constant_folding': True})

    Args:
      options: a dict of options by their names, which are kept beside those set before.
    """
    _Settings.options.update(options)


@public("config.optimizer.get_jit")
def get_jit() -> str:
    """What ``set_jit`` asked for: ``"autoclustering"``, or an empty string.

    >>> fg.config.optimizer.get_jit()
    ''
    """
    return _Settings.jit


@public("config.optimizer.set_jit")
def set_jit(enabled: Any) -> None:
    """Ask for compilation: True or ``"autoclustering"``. It is kept; all graphs are compiled.

    >>> fg.config.optimizer.set_jit(False)

    Args:
      enabled: True or ``"autoclustering"``; anything else asks for none.
    """
    _Settings.jit = "autoclustering" if enabled in (True, "autoclustering") else ""


@public("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Whether placements were asked to be logged.

    >>> fg.debugging.get_log_device_placement()
    False
    """
    return _Settings.logs_placement


@public("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Ask for placements to be logged. Every operation runs on the CPU, so one line says it all.

    >>> fg.debugging.set_log_device_placement(False)

    Args:
      enabled: a bool; False at first.
    """
    if enabled and not _Settings.logs_placement:
        get_logger().info("all operations run on %s", list_physical_devices()[0].name)
    _Settings.logs_placement = bool(enabled)


@public("get_logger")
def get_logger() -> logging.Logger:
    """The logger of the package.

    >>> fg.get_logger().name
    'ferrograph'
    """
    return logging.getLogger("ferrograph")
