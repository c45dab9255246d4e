//! Graphs that the Python front end makes of operations that there are not here.

use crate::attrs::{PyGraphHandle, attr_to_py};
use crate::bridge;
use crate::callback::callback_error;
use crate::tensor::wrap;
use ferrograph_graph::{Attr, Val};
use ferrograph_saved::{Expanded, Expander, Told};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What asks a Python function for the graph of an operation: it takes the name, the attributes and the shapes,
/// dtypes and constant values of the inputs, and gives a graph with the names of its results, or None.
pub(super) fn expander(expand: &Py<PyAny>) -> Expander<'_> {
    Box::new(|op, attrs, inputs| {
        Python::attach(|py| match asked(py, expand, op, attrs, inputs) {
            Ok(found) => Ok(found),
            Err(e) => Err(callback_error(py, e)),
        })
    })
}

fn asked(
    py: Python<'_>,
    expand: &Py<PyAny>,
    op: &str,
    attrs: &[(String, Attr)],
    inputs: &[Told],
) -> PyResult<Expanded> {
    let known = PyDict::new(py);
    for (name, attr) in attrs {
        known.set_item(name, attr_to_py(py, attr)?)?;
    }
    let inputs = inputs.iter().map(|(spec, constant)| {
        let constant = constant.clone().map(|t| wrap(py, Val::eager(t)));
        Ok((
            bridge::partial_shape_to_py(py, &spec.shape)?,
            bridge::dtype_to_py(py, spec.dtype)?,
            constant.transpose()?,
        ))
    });
    let inputs = inputs.collect::<PyResult<Vec<_>>>()?;
    let found = expand.bind(py).call1((op, known, inputs))?;
    if found.is_none() {
        return Ok(None);
    }
    let (graph, results): (PyRef<'_, PyGraphHandle>, Vec<String>) = found.extract()?;
    Ok(Some((graph.0.clone(), results)))
}
