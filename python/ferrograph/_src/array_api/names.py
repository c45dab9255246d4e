"""The functions, dtypes and constants of the namespace by name.

They are documented by the standard, so that they are no declarations of public names of their own:
the public module finds them here.
"""

from __future__ import annotations

from . import (
    creation,
    data_types,
    elementwise,
    linear,
    manipulation,
    orders,
    pairs,
    statistics,
)
from .table import table

__all__ = ["find", "names"]

names, find = table(
    "array_api",
    *(creation, data_types, elementwise, linear, manipulation, orders, pairs, statistics),
)
