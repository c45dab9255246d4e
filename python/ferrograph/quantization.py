"""Floats rounded to the steps of quantized numbers."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from typing import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.ops.quantization import by_args as fake_quant_with_min_max_args
    from ._src.ops.quantization import args_gradient as fake_quant_with_min_max_args_gradient
    from ._src.ops.quantization import by_vars as fake_quant_with_min_max_vars
    from ._src.ops.quantization import vars_gradient as fake_quant_with_min_max_vars_gradient

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
]

if not TYPE_CHECKING:
    _LAZY = {
        "fake_quant_with_min_max_args": "ops.quantization:by_args",
        "fake_quant_with_min_max_args_gradient": "ops.quantization:args_gradient",
        "fake_quant_with_min_max_vars": "ops.quantization:by_vars",
        "fake_quant_with_min_max_vars_gradient": "ops.quantization:vars_gradient",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
