"""The eager context, as libraries use it."""

from __future__ import annotations

from ..context.config import list_physical_devices
from ..interfaces.devices import DeviceSpec
from ..interfaces.settings import LogicalDevice
from ..native import _core

__all__ = [
    "EagerTensor",
    "async_wait",
    "context",
    "disable_op_determinism",
    "enable_op_determinism",
    "is_op_determinism_enabled",
]


# The class of tensors that have their values.
EagerTensor = _core.EagerTensor


class Context:
    """What the process knows of its devices."""

    def executing_eagerly(self) -> bool:
        """Whether operations compute at once."""
        return _core.executing_eagerly()

    def clear_kernel_cache(self) -> None:
        """Nothing: kernels are not kept by the process, plans belong to their functions."""

    @property
    def device_spec(self) -> DeviceSpec:
        """Which device a block asks for: none, there is but one."""
        return DeviceSpec()

    def num_gpus(self) -> int:
        """How many GPUs compute: none."""
        return 0

    def list_logical_devices(self, device_type: str | None = None) -> list[LogicalDevice]:
        """The devices as operations name them."""
        kinds = (d.device_type for d in list_physical_devices(device_type))
        return [LogicalDevice(f"/device:{kind}:0", kind) for kind in kinds]


_CONTEXT = Context()
_asked: list[bool] = [False]


def context() -> Context:
    """The context of the process."""
    return _CONTEXT


def async_wait() -> None:
    """Nothing: an operation is done when its call returns."""


def is_op_determinism_enabled() -> bool:
    """Whether a program asked for what is so anyway: the same bits at each run."""
    return _asked[0]


def enable_op_determinism() -> None:
    """Ask for the same bits at each run: every operation gives them."""
    _asked[0] = True


def disable_op_determinism() -> None:
    """Take that back. The bits stay the same."""
    _asked[0] = False
