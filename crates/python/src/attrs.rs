//! Attributes of operations as Python writes them.

use crate::bridge;
use crate::errors::IntoPyResult;
use crate::hooks::hooks;
use crate::tensor::PyTensor;
use ferrograph_graph::{Attr, AttrKind, Decl, Graph};
use pyo3::IntoPyObjectExt;
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
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return attr_list(value);
    }
    if value.hasattr(intern!(py, "_code"))? {
        return Ok(Attr::DType(bridge::dtype_from_py(value)?));
    }
    if value.hasattr(intern!(py, "_dims"))? {
        return Ok(Attr::Shape(bridge::partial_shape_from_py(value)?));
    }
    Err(PyTypeError::new_err(format!(
        "{value} cannot be an attribute of an operation"
    )))
}

fn attr_list(value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    let items: Vec<Bound<'_, PyAny>> = value.extract()?;
    if items.iter().all(is_plain) {
        return numbers_or_texts(&items); // what is looked for below is costly to miss
    }
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
    numbers_or_texts(&items)
}

fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
}

/// A list of truth values, integers, floats or texts; integers among floats are floats.
fn numbers_or_texts(items: &[Bound<'_, PyAny>]) -> PyResult<Attr> {
    let all = |is: fn(&Bound<'_, PyAny>) -> bool| !items.is_empty() && items.iter().all(is);
    if all(|i| i.is_instance_of::<PyBool>()) {
        return Ok(Attr::Bools(read(items)?));
    }
    if all(|i| i.is_instance_of::<PyString>() || i.is_instance_of::<PyBytes>()) {
        return Ok(Attr::Strs(items.iter().map(text).collect::<PyResult<_>>()?));
    }
    match items.iter().any(|i| i.is_instance_of::<PyFloat>()) {
        true => Ok(Attr::Floats(read(items)?)),
        false => Ok(Attr::Ints(read(items)?)),
    }
}

fn read<'py, T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
    items: &[Bound<'py, PyAny>],
) -> PyResult<Vec<T>> {
    let items = items.iter().map(|i| i.extract().map_err(Into::into));
    items.collect()
}

/// The bytes of a text or of bytes.
fn text(value: &Bound<'_, PyAny>) -> PyResult<Arc<[u8]>> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(Arc::from(bytes.as_bytes())),
        Err(_) => Ok(Arc::from(value.cast::<PyString>()?.to_str()?.as_bytes())),
    }
}

/// A small attribute as Python writes it.
///
/// # Errors
/// `TypeError` for tensors, graphs and objects, which no declaration has for a default.
pub(crate) fn attr_to_py<'py>(py: Python<'py>, attr: &Attr) -> PyResult<Bound<'py, PyAny>> {
    match attr {
        Attr::Bool(x) => x.into_bound_py_any(py),
        Attr::Int(x) => x.into_bound_py_any(py),
        Attr::Float(x) => x.into_bound_py_any(py),
        Attr::Str(x) => text_to_py(py, x),
        Attr::DType(x) => bridge::dtype_to_py(py, *x),
        Attr::Shape(x) => bridge::partial_shape_to_py(py, x),
        Attr::Bools(x) => x.into_bound_py_any(py),
        Attr::Ints(x) => x.into_bound_py_any(py),
        Attr::Floats(x) => x.into_bound_py_any(py),
        Attr::Strs(x) => listed(py, x, |x| text_to_py(py, x)),
        Attr::DTypes(x) => listed(py, x, |x| bridge::dtype_to_py(py, *x)),
        Attr::Shapes(x) => listed(py, x, |x| bridge::partial_shape_to_py(py, x)),
        Attr::Tensor(_) | Attr::Graph(_) | Attr::Object(_) => Err(PyTypeError::new_err(format!(
            "{attr:?} is no value that Python writes"
        ))),
    }
}

/// Text where it is UTF-8, else bytes.
fn text_to_py<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into_bound_py_any(py),
        Err(_) => bytes.into_bound_py_any(py),
    }
}

fn listed<'py, T>(
    py: Python<'py>,
    items: &[T],
    item: impl FnMut(&T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let items = items.iter().map(item).collect::<PyResult<Vec<_>>>()?;
    items.into_bound_py_any(py)
}

/// The attributes in a dictionary, as the operation of that declaration takes them; None is the default.
///
/// # Errors
/// `TypeError` for values of another kind than is declared, which names operation and attribute.
pub(crate) fn attrs_of(
    decl: Option<&Decl>,
    attrs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<(String, Attr)>> {
    let Some(attrs) = attrs else {
        return Ok(Vec::new());
    };
    let read = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name: String = name.extract()?;
        let declared = decl.and_then(|d| d.attrs.iter().find(|a| a.name == name));
        let value = match (decl, declared) {
            (Some(_), Some(known)) if value.is_none() && known.default.is_some() => {
                return Ok(None);
            }
            (Some(decl), Some(known)) => of_kind(decl, &name, known.kind, &value)?,
            _ => attr(&value)?,
        };
        Ok(Some((name, value)))
    };
    attrs
        .iter()
        .map(read)
        .filter_map(Result::transpose)
        .collect()
}

/// A value as an attribute of that kind: what is not written so, such as a number of NumPy's, is read by the front end.
fn of_kind(decl: &Decl, name: &str, kind: AttrKind, value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    let found = attr(value);
    match found {
        Ok(found) if is_of_kind(&found, kind) => Ok(found),
        _ if !is_written(kind) => found,
        _ => {
            let py = value.py();
            let kind = format!("{kind:?}").to_lowercase();
            let what = format!("{}: {name}", decl.name);
            let plain = hooks(py)?.attribute.bind(py).call1((value, kind, what))?;
            attr(&plain)
        }
    }
}

/// Whether values of a kind are numbers, texts, dtypes or shapes, which may be written in several ways.
fn is_written(kind: AttrKind) -> bool {
    !matches!(kind, AttrKind::Tensor | AttrKind::Graph | AttrKind::Object)
}

/// Whether an attribute is of a kind, or of one that is taken for it.
fn is_of_kind(attr: &Attr, kind: AttrKind) -> bool {
    match (attr, kind) {
        (Attr::Bool(_), AttrKind::Bool)
        | (Attr::Int(_), AttrKind::Int | AttrKind::Float)
        | (Attr::Float(_), AttrKind::Float)
        | (Attr::Str(_), AttrKind::Str)
        | (Attr::DType(_), AttrKind::DType)
        | (Attr::Shape(_), AttrKind::Shape)
        | (Attr::Bools(_), AttrKind::Bools)
        | (Attr::Ints(_), AttrKind::Ints | AttrKind::Floats)
        | (Attr::Floats(_), AttrKind::Floats)
        | (Attr::Strs(_), AttrKind::Strs)
        | (Attr::DTypes(_), AttrKind::DTypes)
        | (Attr::Shapes(_), AttrKind::Shapes) => true,
        _ => attr.is_empty_list() && is_list(kind),
    }
}

fn is_list(kind: AttrKind) -> bool {
    matches!(
        kind,
        AttrKind::Bools
            | AttrKind::Ints
            | AttrKind::Floats
            | AttrKind::Strs
            | AttrKind::DTypes
            | AttrKind::Shapes
    )
}
