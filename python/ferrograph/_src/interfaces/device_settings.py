"""Settings of devices, memory, determinism and threads, set at the start of a program."""

from __future__ import annotations

import operator
from typing import Any

from ..context.config import PhysicalDevice, list_physical_devices
from ..native import _core
from ..ops._dispatch import told
from ..ops._numbers import check_flags
from ..values.errors import shown
from ..values.public import public
from .settings import get_logical_device_configuration, set_logical_device_configuration

__all__: list[str] = []

_POLICIES = ("silent", "explicit", "warn", "silent_for_int32")


class _Asked:
    """What was asked for, for the process."""

    policy = "silent"
    synchronous = True
    reduced_precision = True
    deterministic = False
    inter_op_threads = 0
    intra_op_threads = 0


@public("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Ask for the same results in every run, which all give but random numbers without a seed.

    >>> fg.config.experimental.enable_op_determinism()
    """
    _Asked.deterministic = True


@public("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allow products of less than float32's precision. It is kept; all products here are whole.

    >>> fg.config.experimental.enable_tensor_float_32_execution(True)

    Args:
      enabled: a bool; True at first.

    Raises:
      TypeError: for another value.
    """
    check_flags("enable_tensor_float_32_execution", enabled=enabled)
    _Asked.reduced_precision = bool(enabled)


@public("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Whether products of less than float32's precision were allowed.

    >>> fg.config.experimental.tensor_float_32_execution_enabled()
    True
    """
    return _Asked.reduced_precision


@public("config.experimental.get_device_details")
@told
def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """What is known of a device besides its name: of the CPU, nothing.

    >>> fg.config.experimental.get_device_details(fg.config.list_physical_devices('CPU')[0])
    {}

    Args:
      device: a ``config.PhysicalDevice``.

    Returns:
      An empty dict.

    Raises:
      ValueError: for what is no device.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a config.PhysicalDevice, got {shown(device)}")
    return {}


@public("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """What ``set_device_policy`` asked for.

    >>> fg.config.experimental.get_device_policy()
    'silent'
    """
    return _Asked.policy


@public("config.experimental.set_device_policy")
@told
def set_device_policy(device_policy: str | None) -> None:
    """Say what happens to tensors on other devices than an operation; here there is one device.

    >>> fg.config.experimental.set_device_policy("silent")

    Args:
      device_policy: ``"silent"``, ``"explicit"``, ``"warn"``, ``"silent_for_int32"``, or None,
        which is ``"silent"``, as at first.

    Raises:
      ValueError: for another policy.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        known = ", ".join(repr(policy) for policy in _POLICIES)
        raise ValueError(
            f"device_policy must be one of {known} or None, got {shown(device_policy)}"
        )
    _Asked.policy = device_policy or "silent"


@public("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """What ``set_synchronous_execution`` asked for.

    >>> fg.config.experimental.get_synchronous_execution()
    True
    """
    return _Asked.synchronous


@public("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool | None) -> None:
    """Ask whether operations have ended when their call returns, as all of them have here.

    >>> fg.config.experimental.set_synchronous_execution(True)

    Args:
      enable: a bool, or None, which is True, as at first.
    """
    _Asked.synchronous = True if enable is None else bool(enable)


@public("config.experimental.get_memory_growth")
@told
def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether memory of a device is taken when it is needed: of the CPU, always.

    >>> fg.config.experimental.get_memory_growth(fg.config.list_physical_devices('CPU')[0])
    True

    Args:
      device: a ``config.PhysicalDevice``.

    Returns:
      True.

    Raises:
      ValueError: for a device that is not here.
    """
    _expect_here(device)
    return True


@public("config.experimental.set_memory_growth")
def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Have memory of a device taken when it is needed. There are no devices of which it is not.

    >>> for gpu in fg.config.list_physical_devices('GPU'):
    ...     fg.config.experimental.set_memory_growth(gpu, True)

    Args:
      device: a ``config.PhysicalDevice``.
      enable: of no effect.

    Raises:
      ValueError: for the CPU, and for a device that is not here.
    """
    _expect_here(device)
    raise ValueError(f"memory growth is set for accelerators; {device.name} takes it when needed")


@public("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """How much memory of a device is taken.

    >>> for gpu in fg.config.list_logical_devices('GPU'):
    ...     fg.config.experimental.get_memory_info(gpu.name)

    Args:
      device: the name of a device, a string.

    Returns:
      It does not return here: there are no devices but the CPU.

    Raises:
      ValueError: for the CPU, whose memory is not counted, and for a device that is not here.
      TypeError: for what is no string.
    """
    if not isinstance(device, str):
        raise TypeError(f"device must be a name such as 'GPU:0', got {shown(device)}")
    if "CPU" not in device.upper():
        raise ValueError(f"no device matches {shown(device)}")
    raise ValueError(f"the memory of {shown(device)} is not counted")


@public("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """``get_memory_info(device)["current"]``, by an older name.

    >>> for gpu in fg.config.list_logical_devices('GPU'):
    ...     fg.config.experimental.get_memory_usage(gpu.name)

    Args:
      device: the name of a device, a string.

    Returns:
      It does not return here: there are no devices but the CPU.

    Raises:
      ValueError: for the CPU, whose memory is not counted, and for a device that is not here.
      TypeError: for what is no string.
    """
    return get_memory_info(device)["current"]


@public("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Begin anew to count the memory of a device.

    >>> for gpu in fg.config.list_logical_devices('GPU'):
    ...     fg.config.experimental.reset_memory_stats(gpu.name)

    Args:
      device: the name of a device, a string.

    Raises:
      ValueError: for the CPU, whose memory is not counted, and for a device that is not here.
      TypeError: for what is no string.
    """
    get_memory_info(device)


@public("config.experimental.get_virtual_device_configuration")
@told
def get_virtual_device_configuration(device: PhysicalDevice) -> list[Any] | None:
    """``config.get_logical_device_configuration`` by an older name.

    >>> cpu = fg.config.list_physical_devices('CPU')[0]
    >>> fg.config.experimental.get_virtual_device_configuration(cpu)

    Args:
      device: a ``config.PhysicalDevice``.

    Returns:
      A list of ``config.LogicalDeviceConfiguration``, or None where nothing was asked.

    Raises:
      ValueError: for a device that is not here.
    """
    return get_logical_device_configuration(device)


@public("config.experimental.set_virtual_device_configuration")
def set_virtual_device_configuration(device: PhysicalDevice, virtual_devices: Any) -> None:
    """``config.set_logical_device_configuration`` by an older name.

    >>> for gpu in fg.config.list_physical_devices('GPU'):
    ...     fg.config.experimental.set_virtual_device_configuration(gpu, [])

    Args:
      device: a ``config.PhysicalDevice``.
      virtual_devices: a list of one ``config.LogicalDeviceConfiguration`` without limits.

    Raises:
      ValueError: for other configurations, and for a device that is not here.
    """
    set_logical_device_configuration(device, virtual_devices)


def _expect_here(device: Any) -> None:
    if device not in list_physical_devices():
        raise ValueError(f"there is no device {shown(device)} here")


@public("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """How many operations were asked to run at once; 0 leaves it to ferrograph.

    >>> fg.config.threading.get_inter_op_parallelism_threads()
    0
    """
    return _Asked.inter_op_threads


@public("config.threading.set_inter_op_parallelism_threads")
@told
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Ask for so many operations at once. It is kept; one pool of threads serves all of them.

    >>> fg.config.threading.set_inter_op_parallelism_threads(0)

    Args:
      num_threads: an int, 0 or more; 0, as at first, leaves it to ferrograph.

    Raises:
      ValueError: for another value.
    """
    _Asked.inter_op_threads = _threads(num_threads)


@public("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """How many threads were asked to compute one operation; 0 leaves it to ferrograph.

    >>> fg.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return _Asked.intra_op_threads


@public("config.threading.set_intra_op_parallelism_threads")
@told
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set how many threads compute, which share one pool.

    What is set here goes before ``FERROGRAPH_NUM_THREADS``. Results do not depend on it.

    >>> fg.config.threading.set_intra_op_parallelism_threads(0)

    Args:
      num_threads: an int, 0 or more; 0, as at first, leaves it to ferrograph.

    Raises:
      RuntimeError: where a function or a large operation has been run, which settles the number.
      ValueError: for another value.
    """
    asked = _threads(num_threads)
    if asked != _Asked.intra_op_threads and not _core.ask_for_threads(asked):
        raise RuntimeError(
            "set_intra_op_parallelism_threads: the threads of this process are settled, since it "
            f"has computed with them; ask for {asked} before, or set FERROGRAPH_NUM_THREADS"
        )
    _Asked.intra_op_threads = asked


def _threads(num_threads: Any) -> int:
    what = "num_threads must be an integer of 0 or more, got"
    if isinstance(num_threads, bool) or not hasattr(num_threads, "__index__"):
        raise ValueError(f"{what} {_core.described(num_threads)}")
    count = operator.index(num_threads)
    if count < 0:
        raise ValueError(f"{what} {count}")
    return count
