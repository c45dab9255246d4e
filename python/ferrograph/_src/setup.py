"""Lends the native module the classes and functions of the front end, once at import."""

from __future__ import annotations

import os
import sys
from typing import Any

from .context.ownership import PACKAGE_FOLDER
from .native import _core
from .values import errors

__all__ = ["finish"]


def _repr(tensor: Any) -> str:
    from .values.formatting import tensor_repr

    return tensor_repr(tensor)


def _str(tensor: Any) -> str:
    from .values.formatting import tensor_str

    return tensor_str(tensor)


def _format(tensor: Any, spec: str) -> str:
    from .values.formatting import tensor_format

    return tensor_format(tensor, spec)


def _reduce_tensor(tensor: Any) -> tuple:
    return _core.convert_to_tensor, (tensor.numpy(), tensor.dtype.name)


def _graph_of(tensor: Any) -> Any:
    from .context.thread import current_region
    from .staging.graph import Graph

    region = current_region()
    if region is None or region.graph_id != tensor._graph_id:
        raise AttributeError("the graph of this tensor is finished")
    return Graph(region, "graph", building=True)


def _operation_of(tensor: Any) -> Any:
    return _graph_of(tensor).get_operation_by_name(tensor.name.rpartition(":")[0])


def _print_sink(stream: str, text: str) -> None:
    out = sys.stdout if stream == "stdout" else sys.stderr
    out.write(text)
    out.flush()


def _dtypes_by_code(dtypes: Any) -> list:
    found = {d._code: d for d in vars(dtypes).values() if isinstance(d, dtypes.DType)}
    return [found[code] for code in sorted(c for c in found if c is not None)]


def finish() -> None:
    """Register everything. The package is usable afterwards."""
    from .context.thread import called_while_tracing
    from .context.tracebacks import show_users_frames
    from .function.callbacks import callback_gradient, run_callback
    from .function.function import binding_error
    from .function.trace_type import classify, rebuild, typed_placeholder
    from .ops._base import pack
    from .ops.arrays import unstack
    from .ops.elementwise import truediv
    from .ops.indexing import getitem
    from .ops.products import matmul
    from .state.variable import Variable, variable_from_handle
    from .values import dtypes
    from .values.reference import Reference
    from .values.tensor_shape import TensorShape

    _core.register_types(
        _dtypes_by_code(dtypes), dtypes.as_dtype, TensorShape, [_core.Tensor, Variable]
    )
    _core.register_hooks(
        {
            "errors": errors,
            "repr": _repr,
            "str": _str,
            "format": _format,
            "getitem": getitem,
            "unstack": unstack,
            "truediv": truediv,
            "matmul": matmul,
            "pack": pack,
            "tensor_ref": Reference,
            "reduce_tensor": _reduce_tensor,
            "graph_of": _graph_of,
            "operation_of": _operation_of,
            "classify": classify,
            "rebuild": rebuild,
            "typed_placeholder": typed_placeholder,
            "variable_from_handle": variable_from_handle,
            "binding_error": binding_error,
            "print_sink": _print_sink,
            "called_while_tracing": called_while_tracing,
            "show_users_frames": show_users_frames,
            "run_callback": run_callback,
            "callback_gradient": callback_gradient,
        }
    )
    _core.set_internal_paths([PACKAGE_FOLDER])
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_core.before_fork,
            after_in_parent=_core.after_fork_in_parent,
            after_in_child=_core.after_fork_in_child,
        )
