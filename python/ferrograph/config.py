"""Settings and devices."""

from ._src.context.config import (
    PhysicalDevice,
    functions_run_eagerly,
    list_logical_devices,
    list_physical_devices,
    run_functions_eagerly,
)

__all__ = [
    "PhysicalDevice",
    "functions_run_eagerly",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
]
