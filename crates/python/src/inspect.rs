//! The inspector's page, and traces as its documents have them.

use crate::errors::{IntoPyResult, guarded};
use crate::function::PyConcrete;
use pyo3::prelude::*;

/// The page that shows a document, which is JSON. InvalidArgumentError for other data.
#[pyfunction]
pub(crate) fn inspector_page(py: Python<'_>, data: &str) -> PyResult<String> {
    let page = ferrograph::inspector::page(data);
    page.map_err(ferrograph::Error::into_core).or_raise(py)
}

/// A trace with its graphs and its plan, as JSON.
#[pyfunction]
pub(crate) fn inspector_trace(
    function: &Bound<'_, PyConcrete>,
    name: &str,
    signature: &str,
) -> PyResult<String> {
    let concrete = function.get().function();
    let made = guarded(|| Ok(ferrograph::inspector::trace(name, signature, concrete)));
    made.or_raise(function.py())
}
