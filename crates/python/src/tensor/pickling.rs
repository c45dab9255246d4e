//! Pickled tensors: dtype, shape and elements, which are checked when they come back.

use crate::emit::constant;
use crate::errors::IntoPyResult;
use crate::tensor::wrap;
use ferrograph_tensor::{Bytes, DType, MAX_RANK, Shape, Tensor};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::sync::Arc;

/// The elements as bytes in the order of memory, little-endian each, or as a list of strings.
fn elements<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if tensor.dtype() == DType::String {
        let items = tensor
            .as_strings()
            .or_raise(py)?
            .iter()
            .map(|s| PyBytes::new(py, s));
        return Ok(PyList::new(py, items)?.into_any());
    }
    if !tensor.dtype().is_dense() {
        let text = format!("a {} tensor cannot be pickled", tensor.dtype());
        return Err(PyTypeError::new_err(text));
    }
    Ok(PyBytes::new(py, tensor.bytes()).into_any())
}

/// What `__reduce__` answers: `tensor_of_elements` and its arguments.
pub(super) fn reduce<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyTuple>> {
    let rebuild = py
        .import("ferrograph._core")?
        .getattr("tensor_of_elements")?;
    let shape = PyTuple::new(py, tensor.shape().iter())?;
    let arguments = (tensor.dtype().name(), shape, elements(py, tensor)?);
    (rebuild, arguments).into_pyobject(py)
}

/// The tensor of that dtype and shape with these elements, as a pickled tensor has them. `ValueError` where they do not
/// belong together.
#[pyfunction]
pub(crate) fn tensor_of_elements<'py>(
    py: Python<'py>,
    dtype: &str,
    shape: Vec<usize>,
    elements: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = DType::from_name(dtype).filter(|d| d.is_dense() || *d == DType::String);
    let Some(dtype) = found else {
        return Err(PyValueError::new_err(format!(
            "tensors of {dtype:?} are not pickled"
        )));
    };
    if shape.len() > MAX_RANK {
        let text = format!("a tensor has at most {MAX_RANK} dimensions");
        return Err(PyValueError::new_err(text));
    }
    let shape = Shape::new(&shape);
    let tensor = match dtype {
        DType::String => of_strings(shape, elements.extract()?)?,
        _ => of_bytes(dtype, shape, elements.extract()?)?,
    };
    wrap(py, constant(py, tensor, None)?)
}

fn unfit(n: usize, what: &str, shape: &Shape) -> PyErr {
    PyValueError::new_err(format!("{n} {what} do not fill shape {shape}"))
}

fn of_strings(shape: Shape, elements: Vec<Bound<'_, PyBytes>>) -> PyResult<Tensor> {
    let items: Vec<Bytes> = (elements.iter().map(|s| Arc::from(s.as_bytes()))).collect();
    let n = items.len();
    Tensor::from_strings(shape.clone(), items).map_err(|_| unfit(n, "strings", &shape))
}

fn of_bytes(dtype: DType, shape: Shape, elements: &[u8]) -> PyResult<Tensor> {
    let wanted = shape.checked_bytes(dtype).ok();
    if wanted != Some(elements.len()) {
        return Err(unfit(elements.len(), &format!("bytes of {dtype}"), &shape));
    }
    let mut tensor =
        Tensor::empty(dtype, shape).map_err(|e| PyValueError::new_err(e.to_string()))?;
    if let Some(bytes) = tensor.bytes_mut() {
        bytes.copy_from_slice(elements);
        if dtype == DType::Bool {
            // Any other byte is no bool.
            bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
        }
    }
    Ok(tensor)
}
