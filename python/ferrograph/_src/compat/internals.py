"""The modules of ``tensorflow.python`` and the like that maintained packages import.

They have only the names that packages import beyond the documented API; each row says which
package.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["INTERNALS"]


class Internal(NamedTuple):
    """A module below the documents: who imports it, and where its names are: below
    ``ferrograph._src``, or the ``public`` ones of the package."""

    asked_by: str
    names: dict[str, str]
    public: tuple[str, ...] = ()


INTERNALS: dict[str, Internal] = {
    "compiler.tf2xla.python.xla": Internal(
        "keras: ops.slice_update",
        {"dynamic_update_slice": "compat.xla:dynamic_update_slice"},
    ),
    "core.util.event_pb2": Internal(
        "keras: the tests of its TensorBoard callback read what it wrote",
        {"Event": "compat.events:Event"},
    ),
    "python.data.ops.dataset_ops": Internal(
        "keras: the class of a dataset, by its module",
        {"DatasetV2": "compat.classes:DatasetV2"},
    ),
    "python.eager.context": Internal(
        "keras: the end of an epoch, clear_session; its tests ask for the devices",
        {
            "async_wait": "compat.eager:async_wait",
            "context": "compat.eager:context",
            "executing_eagerly": "context.thread:executing_eagerly",
        },
    ),
    "python.framework.config": Internal(
        "keras: compile(jit_compile='auto')",
        {
            "disable_op_determinism": "compat.eager:disable_op_determinism",
            "enable_op_determinism": "compat.eager:enable_op_determinism",
            "is_op_determinism_enabled": "compat.eager:is_op_determinism_enabled",
        },
    ),
    "python.framework.ops": Internal(
        "dm-sonnet, tensorflow-probability: conversions and scopes; the class of an eager tensor",
        {
            "EagerTensor": "compat.classes:EagerTensor",
            "Tensor": "compat.classes:Tensor",
            "executing_eagerly": "context.thread:executing_eagerly",
        },
        public=(
            *("Graph", "control_dependencies", "convert_to_tensor", "device", "init_scope"),
            *("is_symbolic_tensor", "name_scope"),
        ),
    ),
    "python.framework.tensor_shape": Internal(
        "dm-sonnet, tensorflow-probability: static shapes",
        {
            "Dimension": "compat.first_arrays:Dimension",
            "dimension_value": "compat.first:dimension_value",
        },
        public=("TensorShape",),
    ),
    "python.framework.sparse_tensor": Internal(
        "keras: the class of a sparse tensor, by its module",
        {"SparseTensor": "compat.classes:SparseTensor"},
    ),
    "python.framework.tensor": Internal(
        "keras: the class of a tensor, by its module",
        {"Tensor": "compat.classes:Tensor"},
    ),
    "python.framework.tensor_util": Internal(
        "keras: export to saved models, on older versions; tensorflow-probability: known values",
        {
            "constant_value": "interfaces.symbols:get_static_value",
            "is_tf_type": "values.constants:is_tensor",
        },
        public=("make_ndarray", "make_tensor_proto"),
    ),
    "python.framework.type_spec_registry": Internal(
        "keras: specs in the files of its older formats",
        {
            "get_name": "compat.spec_names:get_name",
            "lookup": "compat.spec_names:lookup",
        },
    ),
    "python.lib.io.tf_record": Internal(
        "keras: the tests of its TensorBoard callback read what it wrote",
        {"tf_record_iterator": "compat.events:tf_record_iterator"},
    ),
    "python.ops.ragged.ragged_tensor": Internal(
        "keras: the class of a ragged tensor, by its module",
        {"RaggedTensor": "compat.classes:RaggedTensor"},
    ),
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": Internal(
        "keras: products of two sparse matrices",
        {
            "csr_sparse_matrix_to_sparse_tensor": "compat.csr:csr_sparse_matrix_to_sparse_tensor",
            "sparse_matrix_sparse_mat_mul": "compat.csr:sparse_matrix_sparse_mat_mul",
            "sparse_tensor_to_csr_sparse_matrix": "compat.csr:sparse_tensor_to_csr_sparse_matrix",
        },
    ),
    "python.ops.array_ops": Internal(
        "tensorflow-probability, keras-rs: operations on shapes",
        {},
        public=(
            *("boolean_mask", "broadcast_to", "concat", "expand_dims", "fill", "gather"),
            *("gather_nd", "identity", "one_hot", "ones", "ones_like", "pad", "rank", "reshape"),
            *("reverse", "shape", "size", "slice", "split", "squeeze", "stack", "stop_gradient"),
            *("tile", "transpose", "unstack", "where", "zeros", "zeros_like"),
        ),
    ),
    "python.ops.math_ops": Internal(
        "keras: ops.isclose, ops.allclose", {"is_nan": "ops.elementwise:is_nan"}
    ),
    "python.util.nest": Internal(
        "tensorflow-probability, dm-sonnet, tf-agents: structures opened as far as another one",
        {
            name: f"compat.nesting:{name}"
            for name in (
                *("assert_shallow_structure", "flatten_up_to", "map_structure_up_to"),
                *("flatten_with_joined_string_paths", "flatten_with_tuple_paths"),
                "map_structure_with_tuple_paths",
            )
        }
        | {
            name: f"values.nest:{name}"
            for name in (
                *("assert_same_structure", "flatten", "is_nested", "map_structure"),
                "pack_sequence_as",
            )
        },
    ),
    "python.trackable.data_structures": Internal(
        "keras: structures that a module holds",
        {
            "ListWrapper": "compat.tracking:ListWrapper",
            "_DictWrapper": "compat.tracking:_DictWrapper",
        },
    ),
}
