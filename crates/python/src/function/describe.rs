//! A signature as Python reads it: nested tuples, from which the front end explains what differs between two.

use super::encode;
use crate::bridge;
use ferrograph_runtime::{Leaf, leaves};
use ferrograph_tensor::DType;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

type Parts = std::vec::IntoIter<Leaf>;

/// The nodes of a signature, arguments in the order of the parameters. Each is a tuple that begins with its kind:
/// `(kind, dtype, dims)` for tensors, `(kind, dtype, dims, number)` for variables, `(kind, value)` for Python values,
/// `(kind, token)` for objects, trace types and devices, `(kind, children)` for containers, `(kind, token, children)` for structures.
pub(super) fn describe<'py>(py: Python<'py>, signature: &[u64]) -> PyResult<Bound<'py, PyList>> {
    let mut parts = leaves(signature).into_iter();
    let nodes = PyList::empty(py);
    while let Some(part) = parts.next() {
        if let Some(node) = node(py, part, &mut parts)? {
            nodes.append(node)?;
        }
    }
    Ok(nodes)
}

/// One node, with what it contains; `None` at the end of a container.
fn node<'py>(
    py: Python<'py>,
    part: Leaf,
    parts: &mut Parts,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let made = match part {
        Leaf::Tensor(dtype, dims) => {
            let dims = dims.map(|d| PyTuple::new(py, d)).transpose()?;
            ("tensor", dtype_name(py, dtype)?, dims).into_pyobject(py)?
        }
        Leaf::Variable(dtype, dims, number) => {
            let dims = PyTuple::new(py, dims)?;
            ("variable", dtype_name(py, dtype)?, dims, number).into_pyobject(py)?
        }
        Leaf::Word(encode::STRUCT, token) => {
            parts.next();
            ("struct", token, children(py, parts)?).into_pyobject(py)?
        }
        Leaf::Word(class, payload) => word(py, class, payload)?,
        Leaf::Bytes(class, bytes) => text(py, class, &bytes)?,
        Leaf::Open(class) => (container(class), children(py, parts)?).into_pyobject(py)?,
        Leaf::Close => return Ok(None),
    };
    Ok(Some(made))
}

fn children<'py>(py: Python<'py>, parts: &mut Parts) -> PyResult<Bound<'py, PyList>> {
    let found = PyList::empty(py);
    while let Some(part) = parts.next() {
        match node(py, part, parts)? {
            Some(node) => found.append(node)?,
            None => break,
        }
    }
    Ok(found)
}

fn dtype_name(py: Python<'_>, dtype: u8) -> PyResult<Bound<'_, PyAny>> {
    let dtype = DType::ALL.get(usize::from(dtype)).copied();
    let dtype = dtype.ok_or_else(|| PyRuntimeError::new_err("a dtype of unknown number"))?;
    bridge::dtype_to_py(py, dtype)?.getattr("name")
}

fn word<'py>(py: Python<'py>, class: u32, payload: u64) -> PyResult<Bound<'py, PyTuple>> {
    match class {
        encode::NONE => ("none", py.None()).into_pyobject(py),
        encode::BOOL => ("bool", payload != 0).into_pyobject(py),
        encode::INT => ("int", payload.cast_signed()).into_pyobject(py),
        encode::FLOAT => ("float", f64::from_bits(payload)).into_pyobject(py),
        encode::DEVICE => ("device", payload).into_pyobject(py),
        encode::TYPED => ("typed", payload).into_pyobject(py),
        _ => ("object", payload).into_pyobject(py),
    }
}

fn text<'py>(py: Python<'py>, class: u32, bytes: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
    match class {
        encode::BYTES => ("bytes", PyBytes::new(py, bytes)).into_pyobject(py),
        encode::BIG_INT => {
            let digits = String::from_utf8_lossy(bytes);
            let value = py.get_type::<pyo3::types::PyInt>().call1((digits,))?;
            ("int", value).into_pyobject(py)
        }
        _ => ("str", String::from_utf8_lossy(bytes)).into_pyobject(py),
    }
}

fn container(class: u32) -> &'static str {
    match class {
        encode::LIST => "list",
        encode::DICT => "dict",
        encode::VARKW => "keywords",
        _ => "tuple",
    }
}
