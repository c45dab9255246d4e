"""Settings of devices, of determinism and of memory."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.context.config import list_logical_devices, list_physical_devices
from .._src import door as _door

if TYPE_CHECKING:
    from .._src.interfaces.device_settings import (
        enable_op_determinism,
        enable_tensor_float_32_execution,
        get_device_details,
        get_device_policy,
        get_memory_growth,
        get_memory_info,
        get_memory_usage,
        get_synchronous_execution,
        get_virtual_device_configuration,
        reset_memory_stats,
        set_device_policy,
        set_memory_growth,
        set_synchronous_execution,
        set_virtual_device_configuration,
        tensor_float_32_execution_enabled,
    )
    from .._src.interfaces.settings import get_visible_devices, set_visible_devices
    from .._src.interfaces.settings import LogicalDeviceConfiguration as VirtualDeviceConfiguration

__all__ = [
    "VirtualDeviceConfiguration",
    "enable_op_determinism",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_memory_usage",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "reset_memory_stats",
    "set_device_policy",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]

if not TYPE_CHECKING:
    _LAZY = {
        "VirtualDeviceConfiguration": "interfaces.settings:LogicalDeviceConfiguration",
        "enable_op_determinism": "interfaces.device_settings:enable_op_determinism",
        "enable_tensor_float_32_execution": "interfaces.device_settings:enable_tensor_float_32_execution",  # noqa: E501
        "get_device_details": "interfaces.device_settings:get_device_details",
        "get_device_policy": "interfaces.device_settings:get_device_policy",
        "get_memory_growth": "interfaces.device_settings:get_memory_growth",
        "get_memory_info": "interfaces.device_settings:get_memory_info",
        "get_memory_usage": "interfaces.device_settings:get_memory_usage",
        "get_synchronous_execution": "interfaces.device_settings:get_synchronous_execution",
        "get_virtual_device_configuration": "interfaces.device_settings:get_virtual_device_configuration",  # noqa: E501
        "get_visible_devices": "interfaces.settings:get_visible_devices",
        "reset_memory_stats": "interfaces.device_settings:reset_memory_stats",
        "set_device_policy": "interfaces.device_settings:set_device_policy",
        "set_memory_growth": "interfaces.device_settings:set_memory_growth",
        "set_synchronous_execution": "interfaces.device_settings:set_synchronous_execution",
        "set_virtual_device_configuration": "interfaces.device_settings:set_virtual_device_configuration",  # noqa: E501
        "set_visible_devices": "interfaces.settings:set_visible_devices",
        "tensor_float_32_execution_enabled": "interfaces.device_settings:tensor_float_32_execution_enabled",  # noqa: E501
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
