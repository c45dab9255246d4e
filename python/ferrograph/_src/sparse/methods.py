"""Adds methods to ``SparseTensor`` that are defined in other modules."""

from __future__ import annotations

from .arithmetic import add, dispatch, times
from .build import row
from .tensor import late

late.add = add
late.dispatch = dispatch
late.row = row
late.times = times
