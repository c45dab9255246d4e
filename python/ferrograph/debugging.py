"""Assertions and checks."""

from .ops.debug import (
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
from .ops.numeric import is_numeric_tensor
from .tracebacks import is_filtering as is_traceback_filtering_enabled
from .tracebacks import set_filtering as _set_filtering


def enable_traceback_filtering() -> None:
    """Leave this package's frames out of tracebacks, which is the default."""
    _set_filtering(True)


def disable_traceback_filtering() -> None:
    """Show this package's frames in tracebacks, as ``FERROGRAPH_TRACEBACK=full`` does."""
    _set_filtering(False)


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
    "disable_traceback_filtering",
    "enable_traceback_filtering",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
]
