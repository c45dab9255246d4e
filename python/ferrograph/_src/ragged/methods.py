"""Adds methods to ``RaggedTensor`` that are defined in other modules."""

from __future__ import annotations

from . import arrays, convert, indexing, printing
from .dispatch import dispatch
from .tensor import late

late.from_tensor = convert.from_tensor
late.from_sparse = convert.from_sparse
late.to_tensor = convert.to_tensor
late.to_sparse = convert.to_sparse
late.to_list = convert.to_list
late.to_numpy = convert.to_numpy
late.merge_dims = arrays.merge_dims
late.getitem = indexing.getitem
late.dispatch = dispatch
late.printed = printing.printed
