"""Assertions and checks."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING

from ._src.context.tracebacks import disable_traceback_filtering, enable_traceback_filtering
from ._src.context.tracebacks import is_filtering as is_traceback_filtering_enabled
from ._src.ops.debug import (
    Assert,
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_shapes,
    assert_type,
    check_numerics,
)
from ._src.ops.numeric import is_numeric_tensor
from ._src.ops.numerics import disable_check_numerics, enable_check_numerics
from ._src import door as _door

if TYPE_CHECKING:
    from ._src.interfaces.settings import get_log_device_placement, set_log_device_placement

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "disable_traceback_filtering",
    "enable_check_numerics",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]

if not TYPE_CHECKING:
    _LAZY = {
        "get_log_device_placement": "interfaces.settings:get_log_device_placement",
        "set_log_device_placement": "interfaces.settings:set_log_device_placement",
    }
    __getattr__ = _door(__name__, _LAZY)

    def __dir__():
        return __all__
