//! What the Python front end lends the native side: classes and functions, registered once at import.

use ferrograph_tensor::ErrorKind;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::sync::Arc;

static HOOKS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Registers functions of the front end by name; called once at import.
#[pyfunction]
pub(crate) fn register_hooks(hooks: &Bound<'_, PyDict>) {
    // A second registration keeps the first: there is one front end.
    let _ = HOOKS.set(hooks.py(), hooks.clone().unbind());
    ferrograph_ops::set_print_sink(Some(Arc::new(print)));
    ferrograph_ops::set_interrupt_check(crate::callback::check_interrupt);
}

/// Prints through Python's own streams, so that they can be redirected as usual.
fn print(stream: &str, text: &[u8]) -> ferrograph_tensor::Result<()> {
    let text = String::from_utf8_lossy(text);
    let done = Python::attach(|py| {
        hook(py, "print_sink")?
            .call1((stream, text.as_ref()))
            .map(|_| ())
    });
    done.map_err(|e| {
        let message = e.to_string();
        ferrograph_tensor::Error::foreign(
            ErrorKind::Unknown,
            message,
            Arc::new(crate::errors::PyPayload(e)),
        )
    })
}

/// The registered object of that name.
pub(crate) fn hook<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let hooks = HOOKS
        .get(py)
        .ok_or_else(|| PyRuntimeError::new_err("ferrograph is not fully imported yet"))?;
    hooks
        .bind(py)
        .get_item(name)?
        .ok_or_else(|| PyRuntimeError::new_err(format!("hook {name} is not registered")))
}

/// The class of that name in `ferrograph.errors`.
pub(crate) fn error_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    hook(py, "errors")?.getattr(name)
}
