//! The Python bindings: conversions, the call path, classes. Thin: unwrap, call, wrap; no semantics of their own.

#[macro_use]
mod once;

mod arrow;
mod attrs;
mod bridge;
mod callback;
mod checkpoint;
mod convert;
mod dataset;
mod declaration;
mod deferred;
mod diagnosis;
mod emit;
mod errors;
mod exit;
mod export;
mod first_call;
mod fork;
mod function;
mod graph_handle;
mod hooks;
mod index;
mod inspect;
mod made;
mod numbers;
mod operators;
mod origin;
mod part;
mod printed_name;
mod profile;
mod records;
mod region;
mod saved;
mod seeds;
mod tape;
mod tensor;
mod testing;
mod variable;
mod with_regions;
mod work;
mod yield_gil;

use pyo3::prelude::*;

/// The native half of ferrograph.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::attrs::PyGraphHandle;
    #[pymodule_export]
    use super::bridge::register_types;
    #[pymodule_export]
    use super::callback::emit_callback;
    #[pymodule_export]
    use super::checkpoint::{object_graph_bytes, object_graph_of, stored_tensors};
    #[pymodule_export]
    use super::dataset::{
        PyIterator, PyOptionalReader, emit_detached, emit_generator, emit_reduce,
    };
    #[pymodule_export]
    use super::declaration::op_declaration;
    #[pymodule_export]
    use super::deferred::emit_deferred_gradient;
    #[pymodule_export]
    use super::diagnosis::{
        about_argument, check_numerics, described, explain_dtype, explain_dtypes,
    };
    #[pymodule_export]
    use super::emit::{
        binary, convert_to_tensor, emit_py, executing_eagerly, is_symbolic, made_by, op_batching,
        op_names, sources_of,
    };
    #[pymodule_export]
    use super::exit::before_exit;
    #[pymodule_export]
    use super::export::{capsule_of, from_dlpack};
    #[pymodule_export]
    use super::fork::{after_fork_in_child, after_fork_in_parent, before_fork, stop_prefetching};
    #[pymodule_export]
    use super::function::{
        PyConcrete, PyFunction, PyReadContents, PyReadObject, PySignature, functions_run_eagerly,
        run_functions_eagerly, set_device,
    };
    #[pymodule_export]
    use super::hooks::register_hooks;
    #[pymodule_export]
    use super::inspect::{inspector_page, inspector_trace};
    #[pymodule_export]
    use super::numbers::PyNumbers;
    #[pymodule_export]
    use super::operators::watch_operators;
    #[pymodule_export]
    use super::origin::set_internal_paths;
    #[pymodule_export]
    use super::part::part_of;
    #[pymodule_export]
    use super::printed_name::{PyPrintedName, set_printed_name};
    #[pymodule_export]
    use super::profile::PyProfile;
    #[pymodule_export]
    use super::records::{PyRecordWriter, pack_varints, unpack_varints};
    #[pymodule_export]
    use super::region::{PyEagerScope, PyRecursiveHandle, PyRegion, current_graph_id};
    #[pymodule_export]
    use super::saved::{
        PySavedFile, PySavedWriter, exchange_files, graph_def_bytes, graph_of_def, run_command,
        structure_bytes, structure_of_bytes,
    };
    #[pymodule_export]
    use super::seeds::set_global_seed;
    #[pymodule_export]
    use super::tape::{PyTape, may_be_followed};
    #[pymodule_export]
    use super::tensor::pickling::tensor_of_elements;
    #[pymodule_export]
    use super::tensor::{PyEager, PySymbolic, PyTensor};
    #[pymodule_export]
    use super::testing::{
        interpret, pass_counts, plan_cost, plan_text, run_planned, verifies, verify_plan,
    };
    #[pymodule_export]
    use super::variable::PyVariable;
    #[pymodule_export]
    use super::with_regions::{emit_call, emit_custom_gradient, emit_if, emit_while};
    #[pymodule_export]
    use super::work::ask_for_threads;
}
