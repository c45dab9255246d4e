//! Attributes of operations as Python writes them.

use crate::bridge;
use crate::errors::IntoPyResult;
use crate::tensor::PyTensor;
use ferrograph_graph::{Attr, Graph};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::sync::Arc;

/// A finished graph on its way through Python.
#[pyclass(name = "GraphHandle", module = "ferrograph._core", frozen)]
pub(crate) struct PyGraphHandle(pub Arc<Graph>);

fn attr(value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Ok(Attr::Bool(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Attr::Int(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Attr::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Attr::str(text.to_str()?));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Attr::Str(Arc::from(bytes.as_bytes())));
    }
    if let Ok(tensor) = value.cast::<PyTensor>() {
        return Ok(Attr::Tensor(
            tensor.get().val.expect_tensor().or_raise(py)?.clone(),
        ));
    }
    if let Ok(graph) = value.cast::<PyGraphHandle>() {
        return Ok(Attr::Graph(graph.get().0.clone()));
    }
    if value.hasattr(intern!(py, "_code"))? {
        return Ok(Attr::DType(bridge::dtype_from_py(value)?));
    }
    if value.hasattr(intern!(py, "_dims"))? {
        return Ok(Attr::Shape(bridge::partial_shape_from_py(value)?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return attr_list(value);
    }
    Err(PyTypeError::new_err(format!(
        "{value} cannot be an attribute of an operation"
    )))
}

fn attr_list(value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    let items: Vec<Bound<'_, PyAny>> = value.extract()?;
    if items.iter().any(|i| i.hasattr("_code").unwrap_or(false)) {
        return Ok(Attr::DTypes(
            items
                .iter()
                .map(bridge::dtype_from_py)
                .collect::<PyResult<_>>()?,
        ));
    }
    if items.iter().any(bridge::is_tensor_shape) {
        return Ok(Attr::Shapes(
            items
                .iter()
                .map(bridge::partial_shape_from_py)
                .collect::<PyResult<_>>()?,
        ));
    }
    Ok(Attr::Ints(
        items.iter().map(|i| i.extract()).collect::<PyResult<_>>()?,
    ))
}

/// The attributes in a dictionary.
pub(crate) fn attrs_of(attrs: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, Attr)>> {
    let Some(attrs) = attrs else {
        return Ok(Vec::new());
    };
    attrs
        .iter()
        .map(|(name, value)| Ok((name.extract()?, attr(&value)?)))
        .collect()
}
