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
    "compat": {"dimension_value": "face.settings:dimension_value"},
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
    "config.experimental": {
        "enable_op_determinism": "face.eager:enable_op_determinism",
        "enable_tensor_float_32_execution": "face.settings:enable_tensor_float_32_execution",
        "list_logical_devices": "context.config:list_logical_devices",
        "list_physical_devices": "context.config:list_physical_devices",
        "tensor_float_32_execution_enabled": "face.settings:tensor_float_32_execution_enabled",
    },
    "config.threading": {
        name: f"face.settings:{name}"
        for name in (
            "get_inter_op_parallelism_threads",
            "get_intra_op_parallelism_threads",
            "set_inter_op_parallelism_threads",
            "set_intra_op_parallelism_threads",
        )
    },
    "experimental.dtensor": {},
    "saved_model.experimental": {"TrackableResource": "tables.table:Table"},
    "types.experimental.distributed": {"PerReplica": "distribute.values:CrossReplicaValues"},
    "xla.experimental": {
        "compile": "face.xla:compile",
        "jit_scope": "face.xla:jit_scope",
    },
}
