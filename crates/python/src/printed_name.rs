//! What texts call the package.

use ferrograph_tensor::printed_name;
use pyo3::prelude::*;

/// The name that the program has for the package, as text that is made when it is asked for.
#[pyclass(name = "PrintedName", module = "ferrograph._core", frozen)]
pub(crate) struct PyPrintedName;

#[pymethods]
impl PyPrintedName {
    #[new]
    fn new() -> Self {
        Self
    }

    fn __str__(&self) -> String {
        printed_name().into_owned()
    }
}

/// Sets that name for the process.
#[pyfunction]
pub(crate) fn set_printed_name(name: String) {
    ferrograph_tensor::set_printed_name(name);
}
