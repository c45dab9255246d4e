"""Settings of other runtimes that programs make: kept, and given back."""

from __future__ import annotations

from typing import Any

__all__ = [
    "dimension_value",
    "enable_tensor_float_32_execution",
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
    "tensor_float_32_execution_enabled",
]

_kept = {"inter": 0, "intra": 0, "tensor_float_32": True}


def get_inter_op_parallelism_threads() -> int:
    """How many operations were asked to run side by side; 0 for as many as are useful."""
    return int(_kept["inter"])


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Ask for so many. One pool of threads serves kernels and operations, and stays as it is."""
    _kept["inter"] = num_threads


def get_intra_op_parallelism_threads() -> int:
    """How many threads were asked for within an operation; 0 for as many as there are cores."""
    return int(_kept["intra"])


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Ask for so many. Results do not depend on it, and the pool of threads stays as it is."""
    _kept["intra"] = num_threads


def tensor_float_32_execution_enabled() -> bool:
    """Whether devices with shorter floats may use them: this one has none."""
    return bool(_kept["tensor_float_32"])


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allow that, or not."""
    _kept["tensor_float_32"] = enabled


def dimension_value(dimension: Any) -> int | None:
    """A size of a static shape, which is a number, or None."""
    return dimension
