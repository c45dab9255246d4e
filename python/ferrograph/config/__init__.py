"""Settings and devices."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.context.config import (
    PhysicalDevice,
    functions_run_eagerly,
    get_soft_device_placement,
    list_logical_devices,
    list_physical_devices,
    progress_bars,
    run_functions_eagerly,
    set_progress_bars,
    set_soft_device_placement,
)
from .._src import door as _door

if TYPE_CHECKING:
    from . import experimental, optimizer, threading
    from .._src.interfaces.naming import get_printed_name, set_printed_name
    from .._src.interfaces.settings import (
        LogicalDevice,
        LogicalDeviceConfiguration,
        experimental_functions_run_eagerly,
        experimental_run_functions_eagerly,
        get_logical_device_configuration,
        get_visible_devices,
        set_logical_device_configuration,
        set_visible_devices,
    )

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_printed_name",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "progress_bars",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_printed_name",
    "set_progress_bars",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]

if not TYPE_CHECKING:
    _LAZY = {
        "LogicalDevice": "interfaces.settings:LogicalDevice",
        "LogicalDeviceConfiguration": "interfaces.settings:LogicalDeviceConfiguration",
        "experimental_functions_run_eagerly": "interfaces.settings:experimental_functions_run_eagerly",  # noqa: E501
        "experimental_run_functions_eagerly": "interfaces.settings:experimental_run_functions_eagerly",  # noqa: E501
        "get_logical_device_configuration": "interfaces.settings:get_logical_device_configuration",
        "get_printed_name": "interfaces.naming:get_printed_name",
        "get_visible_devices": "interfaces.settings:get_visible_devices",
        "set_logical_device_configuration": "interfaces.settings:set_logical_device_configuration",
        "set_printed_name": "interfaces.naming:set_printed_name",
        "set_visible_devices": "interfaces.settings:set_visible_devices",
    }
    _MODULES = ("experimental", "optimizer", "threading")
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
