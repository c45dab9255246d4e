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

from . import _core, _setup, errors  # noqa: I001
from .dtypes import (
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
from .tensor_shape import TensorShape
from .tensor_spec import TensorSpec, TypeSpec, type_spec_from_value
from .composite import IndexedSlices, IndexedSlicesSpec
from ._core import Tensor, convert_to_tensor
from .constants import constant, is_tensor
from .context import (
    control_dependencies,
    device,
    executing_eagerly,
    init_scope,
    inside_function,
    name_scope,
    no_retrace,
)
from .callbacks import numpy_function, py_function
from .variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    variable_creator_scope,
)
from .custom_gradient import custom_gradient, grad_pass_through, recompute_grad
from .gradient import GradientTape, UnconnectedGradients
from .graph import Graph, Operation
from .module import Module
from .control_flow import case, cond, switch_case, while_loop
from .function import function
from .tensor_array import TensorArray
from .functional import foldl, foldr, map_fn, scan, vectorized_map
from .ops.top import *  # noqa: F403
from . import (
    autograph,
    dtypes,
    experimental,
    math,
    nest,
    nn,
    random,
)

newaxis = None

_setup.finish()

__version__ = "0.1.0"


# Where the names are that are imported when they are first used.
_LAZY = {
    "RaggedTensor": "ragged.tensor",
    "RaggedTensorSpec": "ragged.spec",
    "SparseTensor": "sparse.tensor",
    "SparseTensorSpec": "sparse.tensor",
    "TraceRecord": "retrace",
    "trace_report": "retrace",
}
_LAZY_MODULES = frozenset(
    (
        "autodiff",
        "bitwise",
        "config",
        "data",
        "debugging",
        "linalg",
        "ragged",
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
        found = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
