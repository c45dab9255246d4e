//! What messages say of values that do not fit, and the search for NaN in what operations compute.

use crate::bridge;
use crate::emit::to_val;
use crate::errors::{indented, naming};
use ferrograph_graph::{explain_other, explain_pair};
use pyo3::prelude::*;

/// The lines of a message about two values, `(name, tensor)` each, that should have one dtype: what they are, how they
/// were made, and the cast to write.
#[pyfunction]
pub(crate) fn explain_dtypes(
    first: (String, Bound<'_, PyAny>),
    other: (String, Bound<'_, PyAny>),
) -> PyResult<String> {
    let (x, y) = (to_val(&first.1, None)?, to_val(&other.1, None)?);
    Ok(indented(&explain_pair((first.0, &x), (other.0, &y))))
}

/// The same of a value that should have another dtype than it has.
#[pyfunction]
pub(crate) fn explain_dtype(
    name: &str,
    value: &Bound<'_, PyAny>,
    wanted: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let (val, wanted) = (to_val(value, None)?, bridge::dtype_from_py(wanted)?);
    Ok(indented(&explain_other(name, &val, wanted)))
}

/// Begins or ends the checks of what this thread's operations compute for NaN and infinity.
#[pyfunction]
pub(crate) fn check_numerics(on: bool) {
    ferrograph_runtime::check_numerics(on);
}

/// An exception that a value caused, which says for which parameter of which function it was given.
#[pyfunction]
pub(crate) fn about_argument<'py>(
    value: &Bound<'py, PyAny>,
    error: &Bound<'py, PyAny>,
) -> Bound<'py, PyAny> {
    drop(naming(value, PyErr::from_value(error.clone())));
    error.clone()
}

/// A short description of a value for messages.
#[pyfunction]
pub(crate) fn described(value: &Bound<'_, PyAny>) -> String {
    crate::convert::describe(value)
}
