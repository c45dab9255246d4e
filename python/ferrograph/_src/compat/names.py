"""The names in modules of the compatibility layer besides the public ones, and where they are
defined.

The modules of the public names are there by themselves (``coverage.NAMESPACES``). A name is
``"module:attribute"`` below ``ferrograph._src``.
"""

from __future__ import annotations

__all__ = ["OWN"]

OWN: dict[str, dict[str, str]] = {
    "": {"__version__": "interfaces.version:VERSION"},
    "__internal__": {
        "CompositeTensor": "values.composite:CompositeTensor",
        "EagerTensor": "compat.eager:EagerTensor",
        "FuncGraph": "compat.scratch:FuncGraph",
    },
    "__internal__.decorator": {"unwrap": "compat.decorators:unwrap"},
    "__internal__.distribute": {
        "strategy_supports_no_merge_call": "compat.merging:strategy_supports_no_merge_call",
    },
    "__internal__.distribute.interim": {"maybe_merge_call": "compat.merging:maybe_merge_call"},
    "__internal__.eager_context": {"eager_mode": "context.thread:init_scope"},
    "__internal__.smart_cond": {"smart_cond": "compat.smart:smart_cond"},
    "__internal__.tf2": {"enabled": "compat.decorators:enabled"},
    "__internal__.tracking": {
        "AutoTrackable": "compat.tracking:AutoTrackable",
        "Trackable": "values.markers:Trackable",
        "no_automatic_dependency_tracking": "compat.tracking:no_automatic_dependency_tracking",
    },
    "__internal__.types": {"Tensor": "values.markers:TensorType"},
    "compat": {"dimension_value": "compat.first:dimension_value"},
    "compat.v1": {
        "executing_eagerly": "context.thread:executing_eagerly",
        "Dimension": "compat.first_arrays:Dimension",
        "SummaryMetadata": "compat.messages:SummaryMetadata",
        "assign": "compat.first:assign",
        "assign_add": "compat.first_arrays:assign_add",
        "assign_sub": "compat.first_arrays:assign_sub",
        "boolean_mask": "compat.first_arrays:boolean_mask",
        "cond": "compat.first_loops:cond",
        "foldl": "compat.first_loops:foldl",
        "foldr": "compat.first_loops:foldr",
        "gather": "compat.first_arrays:gather",
        "gather_nd": "compat.first_arrays:gather_nd",
        "glorot_uniform_initializer": "compat.first:glorot_uniform_initializer",
        "gradients": "compat.first:gradients",
        "map_fn": "compat.first_loops:map_fn",
        "pad": "compat.first_arrays:pad",
        "placeholder": "compat.scratch:placeholder",
        "py_func": "compat.first:py_func",
        "random_normal_initializer": "compat.first_arrays:random_normal_initializer",
        "random_uniform_initializer": "compat.first_arrays:random_uniform_initializer",
        "reset_default_graph": "compat.scratch:reset_default_graph",
        "scan": "compat.first_loops:scan",
        "sparse_concat": "compat.first_arrays:sparse_concat",
        "sparse_placeholder": "compat.scratch:sparse_placeholder",
        "to_float": "compat.first:to_float",
        "where": "compat.smart:where_by_rows",
        "while_loop": "compat.first_loops:while_loop",
    },
    "compat.v1.logging": {
        name: f"compat.logs:{name}"
        for name in (
            *("DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal"),
            *("get_verbosity", "info", "log", "set_verbosity", "vlog", "warn", "warning"),
        )
    },
    "compat.v1.math": {"in_top_k": "compat.first_arrays:in_top_k"},
    "compat.v1.nn": {
        "avg_pool": "compat.first_nn:avg_pool",
        "conv2d_transpose": "compat.first_nn:conv2d_transpose",
        "convolution": "compat.first_nn:convolution",
        "ctc_beam_search_decoder": "compat.first_nn:ctc_beam_search_decoder",
        "ctc_loss": "compat.first_nn:ctc_loss",
        "max_pool": "compat.first_nn:max_pool",
    },
    "experimental.dtensor": {},
    "saved_model.experimental": {"TrackableResource": "tables.table:Lookup"},
    "types.experimental.distributed": {"PerReplica": "distribute.values:CrossReplicaValues"},
    "xla.experimental": {
        "compile": "compat.xla:compile",
        "jit_scope": "compat.xla:jit_scope",
    },
}
