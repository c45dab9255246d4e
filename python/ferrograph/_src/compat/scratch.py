"""Temporary graphs, built to infer shapes and dtypes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..context import thread
from ..native import _core
from ..sparse.tensor import SparseTensor
from ..values.dtypes import as_dtype, int64
from ..values.tensor_shape import TensorShape

__all__ = ["FuncGraph", "placeholder", "reset_default_graph", "sparse_placeholder"]


class FuncGraph:
    """A graph to which the operations of a block go: ``with FuncGraph("g").as_default(): ...``."""

    def __init__(self, name: str):
        self.name = name

    @contextlib.contextmanager
    def as_default(self) -> Iterator[FuncGraph]:
        """A block whose operations compute nothing: its tensors know their dtypes and shapes."""
        region = _core.Region(self.name)
        with thread.tracing(region):
            yield self
            region.abandon()


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """A tensor of a ``FuncGraph`` without a value. RuntimeError outside of one."""
    region = thread.current_region()
    if region is None:
        raise RuntimeError("a placeholder belongs to a graph that is being built; there is none")
    return region.add_input(as_dtype(dtype), TensorShape(shape), name or "Placeholder")


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor of a ``FuncGraph`` without a value. RuntimeError outside of one."""
    whole = TensorShape(shape)
    made = SparseTensor(
        placeholder(int64, [None, whole.rank], f"{name or 'Placeholder'}/indices"),
        placeholder(dtype, [None], f"{name or 'Placeholder'}/values"),
        placeholder(int64, [whole.rank], f"{name or 'Placeholder'}/shape"),
    )
    made.set_shape(whole)
    return made


def reset_default_graph() -> None:
    """Nothing: no graph outlives the block or the function that it was built for."""
