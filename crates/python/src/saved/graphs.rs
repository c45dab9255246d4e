//! Graphs in the messages of GraphDef.

use super::expand::expander;
use crate::attrs::PyGraphHandle;
use crate::errors::{IntoPyResult, guarded};
use crate::fork::unlocked;
use ferrograph_formats::messages::GraphDef;
use ferrograph_saved::{graph_message, graph_of};
use ferrograph_tensor::err;
use prost::Message;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The bytes of a graph in the public form. UnimplementedError for a node that no message can hold.
#[pyfunction]
pub(crate) fn graph_def_bytes<'py>(
    py: Python<'py>,
    graph: &PyGraphHandle,
) -> PyResult<Bound<'py, PyBytes>> {
    let message = guarded(|| graph_message(&graph.0)).or_raise(py)?;
    Ok(PyBytes::new(py, &message.encode_to_vec()))
}

/// The graph in these bytes, with these `Placeholder` nodes as its inputs and these tensors as its outputs, and the
/// names of the placeholders that are no inputs. `expand` is asked for the graphs of operations that there are not here.
#[pyfunction]
pub(crate) fn graph_of_def(
    py: Python<'_>,
    bytes: &[u8],
    name: &str,
    inputs: Vec<String>,
    outputs: Vec<String>,
    expand: Py<PyAny>,
) -> PyResult<(PyGraphHandle, Vec<String>)> {
    let read = || {
        let message = GraphDef::decode(bytes);
        let message = message.map_err(|e| err!(DataLoss, "the graph is damaged: {e}"))?;
        let graph = graph_of(&message, name, &inputs, &outputs, Some(expander(&expand)))?;
        let placeholders = message.node.iter().filter(|n| n.op == "Placeholder");
        let free = placeholders
            .map(|n| n.name.clone())
            .filter(|n| !inputs.contains(n));
        Ok((graph, free.collect::<Vec<_>>()))
    };
    let (graph, free) = unlocked(py, || guarded(read)).or_raise(py)?;
    // A placeholder without a value is no fault of the graph: the caller says so.
    let fault = ferrograph_graph::verify(&graph).into_iter().next();
    if let Some(fault) = fault.filter(|_| free.is_empty()) {
        return Err(PyValueError::new_err(format!("no sound graph: {fault}")));
    }
    Ok((PyGraphHandle(graph), free))
}
