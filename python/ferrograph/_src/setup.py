"""Lends the native module the classes and functions of the front end, once at import."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from types import FrameType

from . import allow_imports, await_imports, forget_imports, lazy, uncollected

with uncollected(settles=True):  # what an import makes lives on
    from .autograph.api import convert_callback
    from .context.hooks import hooks
    from .context.ownership import PACKAGE_FOLDER
    from .context.thread import called_while_tracing, region_of_function
    from .context.tracebacks import filter_uncaught, show_users_frames
    from .function.function import binding_error
    from .function.trace_type import classify, rebuild, typed_placeholder
    from .heap.trace_context import chosen, thread
    from .hints import Any
    from .native import _core
    from .ops._base import pack
    from .ops._numbers import attribute
    from .ops.arrays import rows
    from .ops.indexing import getitem
    from .state.variable import Variable, variable_from_handle
    from .values import dtypes, errors
    from .values.formatting import tensor_format, tensor_repr, tensor_str
    from .values.reference import Reference
    from .values.tensor_shape import TensorShape

__all__ = ["finish"]


_find = lazy(
    __package__,
    {
        "assign_part": "state.parts",
        "batch_jacobian": "batching.jacobian",
        "callback_gradient": "function.callbacks",
        "graph_being_built": "graph_view.graph",
        "graph_of": "graph_view.graph",
        "jacobian": "batching.jacobian",
        "count": "array_api.members",
        "matrices_transposed": "array_api.members",
        "moved": "array_api.members",
        "name_argument": "context.arguments",
        "namespace": "array_api.namespace",
        "reads_of": "autograph.convert.effects",
        "fills": "autograph.convert.memos",
        "save": "checkpoint.saved_datasets",
        "in_place": "symbolic.merged_objects",
        "of_contents": "autograph.runtime.equality",
        "refuse_rows": "symbolic.merged_objects",
        "result": "symbolic.merged_objects",
        "substitute": "staging.variant_proxies",
        "staged": "function.special.recursion",
        "stands_apart": "symbolic.merged_objects",
        "run_callback": "function.callbacks",
        "divided": "symbolic.python_scalars",
        "refuse_truth": "symbolic.python_scalars",
        "refuse_text": "symbolic.python_scalars",
        "weakened": "symbolic.python_scalars",
        "transposed": "array_api.members",
        "while_loop": "control_flow.loops",
        "cond": "control_flow.cond",
    },
)


def _upward(name: str) -> Callable[..., Any]:
    """A function of a module that is imported when the function is first called."""
    return lambda *args: _find(name)(*args)


def _threads_within() -> list[tuple[int, int, int]]:
    """The other threads that run code of this package, or what it called; where each is."""
    mine = threading.get_ident()
    frames = sys._current_frames().items()
    within = [(t, frame) for t, frame in frames if t != mine and _is_within(frame)]
    return [(t, id(frame), frame.f_lasti) for t, frame in within]


def _is_within(frame: FrameType | None) -> bool:
    while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        frame = frame.f_back
    return frame is not None


def _graph_of(tensor: Any) -> Any:
    # Branches and bodies of loops are no functions: their tensors alone know them.
    region = region_of_function(tensor._graph_id) or tensor._region()
    if region is None:
        return _find("graph_of")(tensor)
    return _find("graph_being_built")(region)


def _operation_of(tensor: Any) -> Any:
    return _graph_of(tensor).get_operation_by_name(tensor.name.rpartition(":")[0])


def _print_sink(stream: str, text: str) -> None:
    out = sys.stdout if stream == "stdout" else sys.stderr
    out.write(text)
    out.flush()


def _taken_for_truth(tensor: Any, sign: str) -> None:
    """Called for an operator that makes integers of Python bools."""
    if chosen:
        _find("refuse_truth")(tensor, sign)


def _represented(tensor: Any) -> str:
    """``repr`` of a tensor."""
    if chosen:
        _find("refuse_text")(tensor, sys._getframe(1))
    return tensor_repr(tensor)


def _shown(tensor: Any) -> str:
    """``str`` of a tensor."""
    if chosen:
        _find("refuse_text")(tensor, sys._getframe(1))
    return tensor_str(tensor)


def _formatted(tensor: Any, spec: str) -> str:
    """``format`` of a tensor."""
    if chosen:
        _find("refuse_text")(tensor, sys._getframe(1))
    return tensor_format(tensor, spec)


def _divided(tensor: Any, other: Any, sign: str, swapped: bool) -> None:
    """Called for an operator of a symbolic scalar that fails for some Python numbers."""
    if chosen:
        _find("divided")(tensor, other, sign, swapped)


def _weakened(x: Any, y: Any) -> tuple[Any, ...] | None:
    """Two operands of different dtypes, where one is a symbolic Python scalar."""
    return _find("weakened")(x, y) if chosen else None


def _stands_apart(tensor: Any, other: Any, sign: str) -> bool:
    """Whether an operator of a symbolic tensor leaves it to ``other`` what it does."""
    root = thread.trace
    if root is None or not (root.values.numbers or root.values.texts):
        return False
    return _find("stands_apart")(tensor, other, sign, sys._getframe(1))


def _numpy_operator(tensor: Any, other: Any, sign: str, swapped: bool) -> Any:
    """The result of an operator by NumPy's promotion, None where the plain one holds."""
    root = thread.trace
    if root is None or not (root.values.arrays or root.values.foreign):
        return None
    return _find("result")(tensor, other, sign, swapped, sys._getframe(1))


def _numpy_in_place(tensor: Any, other: Any, sign: str) -> Any:
    """The same of an augmented assignment, NotImplemented where that is the plain operator."""
    if thread.trace is None or not thread.trace.values.arrays:
        return NotImplemented
    return _find("in_place")(tensor, other, sign)


def _item(tensor: Any, key: Any) -> Any:
    """``tensor[key]`` for keys that are not plain."""
    if type(key) is list and thread.trace is not None and thread.trace.values.arrays:
        _find("refuse_rows")(tensor)
    return getitem(tensor, key)


def _namespace(tensor: Any, /, *, api_version: str | None = None) -> Any:
    """The functions of the Python array API standard, as a module.

    Raises:
      ValueError: for a version of the standard that is not followed.
    """
    return _find("namespace")(api_version)


def _size(tensor: Any) -> Any:
    """How many elements there are: a number where that is known, else a tensor."""
    return _find("count")(tensor)


def _transposed(tensor: Any) -> Any:
    """The axes in reverse order."""
    return _find("transposed")(tensor)


def _matrices_transposed(tensor: Any) -> Any:
    """The last two axes exchanged."""
    return _find("matrices_transposed")(tensor)


def _to_device(tensor: Any, device: Any, /, *, stream: Any = None) -> Any:
    """This tensor: there is no other device than the CPU.

    Raises:
      ValueError: for another device, and where there is a stream.
    """
    return _find("moved")(tensor, device, stream)


# What the Python array API standard asks of arrays beside what tensors have in any case.
_ARRAY_MEMBERS = {
    "T": property(_transposed),
    "__array_namespace__": _namespace,
    "mT": property(_matrices_transposed),
    "size": property(_size),
    "to_device": _to_device,
}


def _dtypes_by_code(dtypes: Any) -> list[Any]:
    found = {d._code: d for d in vars(dtypes).values() if isinstance(d, dtypes.DType)}
    return [found[code] for code in sorted(c for c in found if c is not None)]


def finish() -> None:
    """Register everything. The package is usable afterwards."""
    _core.register_types(
        _dtypes_by_code(dtypes), dtypes.as_dtype, TensorShape, [_core.Tensor, Variable]
    )
    _core.register_hooks(
        {
            "errors": errors,
            "repr": _represented,
            "str": _shown,
            "format": _formatted,
            "getitem": _item,
            "rows": rows,
            "pack": pack,
            "attribute": attribute,
            "name_argument": _upward("name_argument"),
            "tensor_ref": Reference,
            "graph_of": _graph_of,
            "operation_of": _operation_of,
            "classify": classify,
            "rebuild": rebuild,
            "typed_placeholder": typed_placeholder,
            "variable_from_handle": variable_from_handle,
            "assign_part": _upward("assign_part"),
            "binding_error": binding_error,
            "print_sink": _print_sink,
            "called_while_tracing": called_while_tracing,
            "show_users_frames": show_users_frames,
            "divided": _divided,
            "stands_apart": _stands_apart,
            "taken_for_truth": _taken_for_truth,
            "numpy_operator": _numpy_operator,
            "numpy_in_place": _numpy_in_place,
            "weakened": _weakened,
            "run_callback": _upward("run_callback"),
            "callback_gradient": _upward("callback_gradient"),
        }
    )
    for name in ("__copy__", "__deepcopy__"):  # which `copy` asks for, and of eager ones finds
        setattr(_core.SymbolicTensor, name, lambda tensor, *memo: tensor)
    for name, member in _ARRAY_MEMBERS.items():
        setattr(_core.Tensor, name, member)
    hooks.converted_callback = convert_callback
    hooks.jacobian = _upward("jacobian")
    hooks.batch_jacobian = _upward("batch_jacobian")
    hooks.reads_of = _upward("reads_of")
    hooks.fills_memo = _upward("fills")
    hooks.recursive = _upward("staged")
    hooks.saved_with_checkpoints = _upward("save")
    hooks.while_loop = _upward("while_loop")
    hooks.cond = _upward("cond")
    hooks.containers_compared = _upward("of_contents")
    hooks.substitute = _upward("substitute")
    _core.set_internal_paths([PACKAGE_FOLDER])
    atexit.register(_core.stop_prefetching)
    filter_uncaught()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_core.before_fork,
            after_in_parent=_core.after_fork_in_parent,
            after_in_child=_core.after_fork_in_child,
        )
        # What is registered last comes first before a fork: imports may need what the gate holds.
        os.register_at_fork(
            before=await_imports, after_in_parent=allow_imports, after_in_child=forget_imports
        )
    atexit.register(_core.before_exit, _threads_within)
