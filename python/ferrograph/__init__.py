"""ferrograph: numerical Python that is traced once and runs as graphs on a Rust core.

Programs written for the documented TensorFlow API run with ``import ferrograph as tf``; here the
package is called ``fg``.

>>> import ferrograph as fg
>>> @fg.function
... def area(r):
...     return 3.0 * r * r
>>> float(area(fg.constant(2.0)))
12.0
"""

# Names of the public API shadow builtins on purpose, in this module only.
# ruff: noqa: A004

from typing import TYPE_CHECKING

from ._src import setup as _setup
from ._src.context.thread import (
    control_dependencies,
    device,
    executing_eagerly,
    init_scope,
    inside_function,
    name_scope,
    no_retrace,
)
from ._src.function.function import function
from ._src.native import Tensor, _core, convert_to_tensor
from ._src.ops.top import *  # noqa: F403
from ._src.staging.graph import Graph, Operation
from ._src.state.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    variable_creator_scope,
)
from ._src.values.composite import IndexedSlices, IndexedSlicesSpec
from ._src.values.constants import constant, is_tensor
from ._src.values.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from ._src.values.tensor_shape import TensorShape
from ._src.values.tensor_spec import TensorSpec, TypeSpec, type_spec_from_value

if TYPE_CHECKING:
    from . import (
        autodiff,
        autograph,
        bitwise,
        config,
        data,
        debugging,
        dtypes,
        errors,
        experimental,
        linalg,
        math,
        nest,
        nn,
        ragged,
        random,
        sets,
        sparse,
        strings,
        test,
        types,
    )
    from ._src.autodiff.custom import custom_gradient, grad_pass_through, recompute_grad
    from ._src.autodiff.tape import GradientTape, UnconnectedGradients
    from ._src.batching.vectorized_map import vectorized_map
    from ._src.control_flow.cond import case, cond, switch_case
    from ._src.control_flow.functional import foldl, foldr, map_fn, scan
    from ._src.control_flow.loops import while_loop
    from ._src.function.callbacks import numpy_function, py_function
    from ._src.function.explain.records import TraceRecord, trace_report
    from ._src.ragged.spec import RaggedTensorSpec
    from ._src.ragged.tensor import RaggedTensor
    from ._src.sparse.tensor import SparseTensor, SparseTensorSpec
    from ._src.state.module import Module
    from ._src.state.tensor_array import TensorArray

newaxis = None

_setup.finish()

__version__ = "0.1.0"


# Where the names are that are imported when they are first used.
_LAZY = {
    "GradientTape": "autodiff.tape",
    "Module": "state.module",
    "RaggedTensor": "ragged.tensor",
    "RaggedTensorSpec": "ragged.spec",
    "SparseTensor": "sparse.tensor",
    "SparseTensorSpec": "sparse.tensor",
    "TensorArray": "state.tensor_array",
    "TraceRecord": "function.explain.records",
    "UnconnectedGradients": "autodiff.tape",
    "case": "control_flow.cond",
    "cond": "control_flow.cond",
    "custom_gradient": "autodiff.custom",
    "foldl": "control_flow.functional",
    "foldr": "control_flow.functional",
    "grad_pass_through": "autodiff.custom",
    "map_fn": "control_flow.functional",
    "numpy_function": "function.callbacks",
    "py_function": "function.callbacks",
    "recompute_grad": "autodiff.custom",
    "scan": "control_flow.functional",
    "switch_case": "control_flow.cond",
    "trace_report": "function.explain.records",
    "vectorized_map": "batching.vectorized_map",
    "while_loop": "control_flow.loops",
}
_LAZY_MODULES = frozenset(
    (
        "autodiff",
        "autograph",
        "bitwise",
        "config",
        "data",
        "debugging",
        "dtypes",
        "errors",
        "experimental",
        "linalg",
        "math",
        "nest",
        "nn",
        "ragged",
        "random",
        "sets",
        "sparse",
        "strings",
        "test",
        "types",
    )
)


def __getattr__(name):
    """The modules and classes that are imported when they are first used."""
    import importlib

    if name in _LAZY_MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _LAZY:
        found = getattr(importlib.import_module(f"._src.{_LAZY[name]}", __name__), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
