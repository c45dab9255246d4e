//! What checkpoints hold, as Python sees it: lists of tensors, and graphs of objects.

use crate::errors::{IntoPyResult, guarded};
use crate::fork::unlocked;
use ferrograph_checkpoints::Stored;
use ferrograph_formats::files::path_of;
use ferrograph_formats::messages::{
    BoolValue, ObjectReference, SerializedTensor, SlotVariable, TrackableObject,
    TrackableObjectGraph,
};
use ferrograph_saved::objects_of;
use prost::Message;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The name, the number of the dtype, and the dimensions of a tensor.
type Listed = (String, i32, Vec<usize>);

/// The tensors in the checkpoint of that prefix.
#[pyfunction]
pub(crate) fn stored_tensors(py: Python<'_>, prefix: &[u8]) -> PyResult<Vec<Listed>> {
    let listed = unlocked(py, || {
        guarded(|| {
            let stored = Stored::open(&path_of(prefix))?;
            let all = stored.entries().map(|(name, entry)| {
                let dims = entry.shape().dims().to_vec();
                (name.to_owned(), entry.dtype_code(), dims)
            });
            Ok(all.collect())
        })
    });
    listed.or_raise(py)
}

/// An object: its children by number and name, its tensors by what it calls them, their full names and keys, the
/// variables it keeps for others by that variable's number, the slot's name and its number, and whether there are
/// tensors in what can be reached from it.
type Object = (
    Vec<(i32, String)>,
    Vec<(String, String, String)>,
    Vec<(i32, String, i32)>,
    bool,
);

/// The bytes of a graph of objects.
#[pyfunction]
pub(crate) fn object_graph_bytes(py: Python<'_>, objects: Vec<Object>) -> Bound<'_, PyBytes> {
    let nodes = objects.into_iter().map(message_of).collect();
    PyBytes::new(py, &TrackableObjectGraph { nodes }.encode_to_vec())
}

fn message_of((children, attributes, slots, has_values): Object) -> TrackableObject {
    let child = |(node_id, local_name)| ObjectReference {
        node_id,
        local_name,
    };
    let attribute = |(name, full_name, checkpoint_key)| SerializedTensor {
        name,
        full_name,
        checkpoint_key,
    };
    let slot = |(original, slot_name, variable)| SlotVariable {
        original_variable_node_id: original,
        slot_name,
        slot_variable_node_id: variable,
    };
    TrackableObject {
        children: children.into_iter().map(child).collect(),
        attributes: attributes.into_iter().map(attribute).collect(),
        slot_variables: slots.into_iter().map(slot).collect(),
        has_checkpoint_values: Some(BoolValue { value: has_values }),
    }
}

/// The graph of objects that these bytes are. DataLossError where they are none, or refer to objects outside of it.
#[pyfunction]
pub(crate) fn object_graph_of(py: Python<'_>, bytes: &[u8]) -> PyResult<Vec<Object>> {
    let graph = objects_of(bytes).or_raise(py)?;
    Ok(graph.nodes.into_iter().map(object_of).collect())
}

fn object_of(node: TrackableObject) -> Object {
    let children = node.children.into_iter();
    let attributes = node.attributes.into_iter();
    let slots = node.slot_variables.into_iter();
    (
        children.map(|c| (c.node_id, c.local_name)).collect(),
        attributes
            .map(|a| (a.name, a.full_name, a.checkpoint_key))
            .collect(),
        slots
            .map(|s| {
                (
                    s.original_variable_node_id,
                    s.slot_name,
                    s.slot_variable_node_id,
                )
            })
            .collect(),
        node.has_checkpoint_values.is_none_or(|v| v.value),
    )
}
