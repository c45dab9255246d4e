"""Floats rounded to the steps of quantized numbers."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src import door as _door

if TYPE_CHECKING:
    from ._src.ops.quantization import (
        fake_quant_with_min_max_args,
        fake_quant_with_min_max_args_gradient,
        fake_quant_with_min_max_vars,
        fake_quant_with_min_max_vars_gradient,
        fake_quant_with_min_max_vars_per_channel,
        fake_quant_with_min_max_vars_per_channel_gradient,
    )
    from ._src.ops.quantize_dequantize import quantize_and_dequantize, quantize_and_dequantize_v2

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
]

if not TYPE_CHECKING:
    _LAZY = {
        "fake_quant_with_min_max_args": "ops.quantization:fake_quant_with_min_max_args",
        "fake_quant_with_min_max_args_gradient": "ops.quantization:fake_quant_with_min_max_args_gradient",  # noqa: E501
        "fake_quant_with_min_max_vars": "ops.quantization:fake_quant_with_min_max_vars",
        "fake_quant_with_min_max_vars_gradient": "ops.quantization:fake_quant_with_min_max_vars_gradient",  # noqa: E501
        "fake_quant_with_min_max_vars_per_channel": "ops.quantization:fake_quant_with_min_max_vars_per_channel",  # noqa: E501
        "fake_quant_with_min_max_vars_per_channel_gradient": "ops.quantization:fake_quant_with_min_max_vars_per_channel_gradient",  # noqa: E501
        "quantize_and_dequantize": "ops.quantize_dequantize:quantize_and_dequantize",
        "quantize_and_dequantize_v2": "ops.quantize_dequantize:quantize_and_dequantize_v2",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
