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
        "Dimension": "face.first_arrays:Dimension",
        "SummaryMetadata": "face.messages:SummaryMetadata",
        "assign": "face.first:assign",
        "assign_add": "face.first_arrays:assign_add",
        "assign_sub": "face.first_arrays:assign_sub",
        "boolean_mask": "face.first_arrays:boolean_mask",
        "cond": "face.first_loops:cond",
        "foldl": "face.first_loops:foldl",
        "foldr": "face.first_loops:foldr",
        "gather": "face.first_arrays:gather",
        "gather_nd": "face.first_arrays:gather_nd",
        "glorot_uniform_initializer": "face.first:glorot_uniform_initializer",
        "gradients": "face.first:gradients",
        "map_fn": "face.first_loops:map_fn",
        "pad": "face.first_arrays:pad",
        "placeholder": "face.scratch:placeholder",
        "py_func": "face.first:py_func",
        "random_normal_initializer": "face.first_arrays:random_normal_initializer",
        "random_uniform_initializer": "face.first_arrays:random_uniform_initializer",
        "reset_default_graph": "face.scratch:reset_default_graph",
        "scan": "face.first_loops:scan",
        "sparse_concat": "face.first_arrays:sparse_concat",
        "sparse_placeholder": "face.scratch:sparse_placeholder",
        "to_float": "face.first:to_float",
        "where": "face.smart:where_by_rows",
        "while_loop": "face.first_loops:while_loop",
    },
    "compat.v1.logging": {
        name: f"face.logs:{name}"
        for name in (
            *("DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal"),
            *("get_verbosity", "info", "log", "set_verbosity", "vlog", "warn", "warning"),
        )
    },
    "compat.v1.math": {"in_top_k": "face.first_arrays:in_top_k"},
    "compat.v1.nn": {
        "avg_pool": "face.first_nn:avg_pool",
        "conv2d_transpose": "face.first_nn:conv2d_transpose",
        "convolution": "face.first_nn:convolution",
        "ctc_beam_search_decoder": "face.first_nn:ctc_beam_search_decoder",
        "ctc_loss": "face.first_nn:ctc_loss",
        "max_pool": "face.first_nn:max_pool",
    },
    "experimental.dtensor": {},
    "saved_model.experimental": {"TrackableResource": "tables.table:Lookup"},
    "types.experimental.distributed": {"PerReplica": "distribute.values:CrossReplicaValues"},
    "xla.experimental": {
        "compile": "face.xla:compile",
        "jit_scope": "face.xla:jit_scope",
    },
}
