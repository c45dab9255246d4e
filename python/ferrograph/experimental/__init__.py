"""Parts of the API whose documents call them experimental."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from .._src.hints import TYPE_CHECKING

from .._src.values.dtypes import (
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
)
from .._src import door as _door

if TYPE_CHECKING:
    from . import dlpack, numpy
    from .._src.data.iterator import Optional
    from .._src.extension_type.classes import BatchableExtensionType, ExtensionType
    from .._src.extension_type.spec import ExtensionTypeBatchEncoder, ExtensionTypeSpec
    from .._src.interfaces.devices import async_clear_error, async_scope, function_executor_type
    from .._src.interfaces.dispatch import (
        dispatch_for_api,
        dispatch_for_binary_elementwise_apis,
        dispatch_for_binary_elementwise_assert_apis,
        dispatch_for_unary_elementwise_apis,
        unregister_dispatch_for,
    )
    from .._src.ragged.dynamic_shape import DynamicRaggedShape
    from .._src.ragged.row_partition import RowPartition

__all__ = [
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "Optional",
    "RowPartition",
    "async_clear_error",
    "async_scope",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "function_executor_type",
    "numpy",
    "unregister_dispatch_for",
]

if not TYPE_CHECKING:
    _LAZY = {
        "BatchableExtensionType": "extension_type.classes:BatchableExtensionType",
        "DynamicRaggedShape": "ragged.dynamic_shape:DynamicRaggedShape",
        "ExtensionType": "extension_type.classes:ExtensionType",
        "ExtensionTypeBatchEncoder": "extension_type.spec:ExtensionTypeBatchEncoder",
        "ExtensionTypeSpec": "extension_type.spec:ExtensionTypeSpec",
        "Optional": "data.iterator:Optional",
        "RowPartition": "ragged.row_partition:RowPartition",
        "async_clear_error": "interfaces.devices:async_clear_error",
        "async_scope": "interfaces.devices:async_scope",
        "dispatch_for_api": "interfaces.dispatch:dispatch_for_api",
        "dispatch_for_binary_elementwise_apis": "interfaces.dispatch:dispatch_for_binary_elementwise_apis",  # noqa: E501
        "dispatch_for_binary_elementwise_assert_apis": "interfaces.dispatch:dispatch_for_binary_elementwise_assert_apis",  # noqa: E501
        "dispatch_for_unary_elementwise_apis": "interfaces.dispatch:dispatch_for_unary_elementwise_apis",  # noqa: E501
        "function_executor_type": "interfaces.devices:function_executor_type",
        "unregister_dispatch_for": "interfaces.dispatch:unregister_dispatch_for",
    }
    _MODULES = ("dlpack", "numpy")
    __getattr__ = _door(__name__, _LAZY, _MODULES)

    def __dir__():
        return __all__
