"""Checks of gradients against finite differences."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.autodiff.finite_differences import compute_gradient
from ._src import door as _door

if TYPE_CHECKING:
    from ._src.interfaces.test_case import (
        TestCase,
        disable_with_predicate,
        gpu_device_name,
        is_built_with_cuda,
        is_built_with_xla,
        is_cpu_target_available,
        is_gpu_available,
        main,
    )
    from ._src.interfaces.test_case import is_built_with_cuda as is_built_with_gpu_support
    from ._src.interfaces.test_case import is_built_with_cuda as is_built_with_rocm

__all__ = [
    "TestCase",
    "compute_gradient",
    "disable_with_predicate",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
]

if not TYPE_CHECKING:
    _LAZY = {
        "TestCase": "interfaces.test_case:TestCase",
        "disable_with_predicate": "interfaces.test_case:disable_with_predicate",
        "gpu_device_name": "interfaces.test_case:gpu_device_name",
        "is_built_with_cuda": "interfaces.test_case:is_built_with_cuda",
        "is_built_with_gpu_support": "interfaces.test_case:is_built_with_cuda",
        "is_built_with_rocm": "interfaces.test_case:is_built_with_cuda",
        "is_built_with_xla": "interfaces.test_case:is_built_with_xla",
        "is_cpu_target_available": "interfaces.test_case:is_cpu_target_available",
        "is_gpu_available": "interfaces.test_case:is_gpu_available",
        "main": "interfaces.test_case:main",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
