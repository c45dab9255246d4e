"""What modules of the face have besides the public names, and where it is.

The modules of the public names are there by themselves (``coverage.NAMESPACES``). A name is
``"module:attribute"`` below ``ferrograph._src``.
"""

from __future__ import annotations

__all__ = ["OWN"]

OWN: dict[str, dict[str, str]] = {
    "": {"__version__": "interfaces.version:VERSION"},
    "__internal__": {
        "CompositeTensor": "values.composite:CompositeTensor",
        "EagerTensor": "face.eager:EagerTensor",
        "FuncGraph": "face.scratch:FuncGraph",
    },
    "__internal__.decorator": {"unwrap": "face.decorators:unwrap"},
    "__internal__.distribute": {
        "strategy_supports_no_merge_call": "face.merging:strategy_supports_no_merge_call",
    },
    "__internal__.distribute.interim": {"maybe_merge_call": "face.merging:maybe_merge_call"},
    "__internal__.eager_context": {"eager_mode": "context.thread:init_scope"},
    "__internal__.smart_cond": {"smart_cond": "face.smart:smart_cond"},
    "__internal__.tf2": {"enabled": "face.decorators:enabled"},
    "__internal__.tracking": {
        "AutoTrackable": "face.tracking:AutoTrackable",
        "Trackable": "values.markers:Trackable",
        "no_automatic_dependency_tracking": "face.tracking:no_automatic_dependency_tracking",
    },
    "__internal__.types": {"Tensor": "values.markers:TensorType"},
    "compat": {"dimension_value": "face.first:dimension_value"},
    "compat.v1": {
        "executing_eagerly": "context.thread:executing_eagerly",
        "SummaryMetadata": "face.messages:SummaryMetadata",
        "assign": "face.first:assign",
        "glorot_uniform_initializer": "face.first:glorot_uniform_initializer",
        "placeholder": "face.scratch:placeholder",
        "py_func": "face.first:py_func",
        "reset_default_graph": "face.scratch:reset_default_graph",
        "sparse_placeholder": "face.scratch:sparse_placeholder",
        "to_float": "face.first:to_float",
        "where": "face.smart:where_by_rows",
    },
    "experimental.dtensor": {},
    "saved_model.experimental": {"TrackableResource": "tables.table:Table"},
    "types.experimental.distributed": {"PerReplica": "distribute.values:CrossReplicaValues"},
    "xla.experimental": {
        "compile": "face.xla:compile",
        "jit_scope": "face.xla:jit_scope",
    },
}
