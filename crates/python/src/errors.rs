//! From core errors to the documented Python classes, and the one guard that user-facing work runs behind.

use ferrograph_ops::OutOfBounds;
use ferrograph_tensor::{Error, ErrorKind};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::hooks;
use ferrograph_allocator::hold_reserve;

/// A Python exception travelling through the core.
pub(crate) struct PyPayload(pub PyErr);

/// What a signal handler raised, on its way to who is interrupted.
struct Interrupt(PyErr);

/// The error that stops work for what a signal handler raised, which reaches the program as it is.
#[cold]
pub(crate) fn interrupted(e: PyErr) -> Error {
    Error::foreign(ErrorKind::Cancelled, e.to_string(), Arc::new(Interrupt(e)))
}

/// The name of the class in `ferrograph.errors` for a kind; `None` for Python's own.
fn class_name(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::Shape | ErrorKind::DType | ErrorKind::InvalidArgument => "InvalidArgumentError",
        ErrorKind::OutOfRange => "OutOfRangeError",
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::PermissionDenied => "PermissionDeniedError",
        ErrorKind::FailedPrecondition => "FailedPreconditionError",
        ErrorKind::Unimplemented => "UnimplementedError",
        ErrorKind::ResourceExhausted => "ResourceExhaustedError",
        ErrorKind::AlreadyExists => "AlreadyExistsError",
        ErrorKind::DataLoss => "DataLossError",
        ErrorKind::Cancelled => "CancelledError",
        ErrorKind::Unknown => "UnknownError",
        ErrorKind::Internal => "InternalError",
        ErrorKind::Leak => "InaccessibleTensorError",
        ErrorKind::NotAllowedInGraph => "OperatorNotAllowedInGraphError",
        ErrorKind::Type | ErrorKind::Value => return None,
    })
}

/// The Python exception for a core error.
#[cold]
pub(crate) fn to_py(py: Python<'_>, error: &Error) -> PyErr {
    match raise(py, error) {
        Ok(e) | Err(e) => e,
    }
}

fn raise(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    if let Some(interrupt) = error.payload().and_then(|p| p.downcast_ref::<Interrupt>()) {
        return Ok(interrupt.0.clone_ref(py));
    }
    let payload = error
        .payload()
        .and_then(|p| Arc::clone(p).downcast::<PyPayload>().ok());
    if let Some(payload) = &payload
        && !payload.0.is_instance_of::<PyException>(py)
    {
        return Ok(payload.0.clone_ref(py)); // KeyboardInterrupt, SystemExit: the user's wish, not an error
    }
    let message = error.to_string();
    let Some(name) = class_name(error.kind()) else {
        let message = shortened(py, message)?;
        let made = match error.kind() {
            ErrorKind::Type => PyTypeError::new_err(message),
            _ => PyValueError::new_err(message),
        };
        return marked(py, error, made);
    };
    let class = hooks::error_class(py, name)?;
    let base = hooks::error_class(py, "OpError")?;
    let is_op_error = class.cast::<PyType>()?.is_subclass(&base)?;
    let value = if is_op_error {
        class.call1((py.None(), error.op(), message))?
    } else {
        class.call1((message,))?
    };
    let made = PyErr::from_value(value);
    if let Some(payload) = payload {
        made.set_cause(py, Some(payload.0.clone_ref(py)));
    }
    marked(py, error, made)
}

/// A message that repeats no long value in whole.
fn shortened(py: Python<'_>, message: String) -> PyResult<String> {
    const LONG: usize = 200;
    if message.len() <= LONG {
        return Ok(message);
    }
    let errors = hooks::hooks(py)?.errors.bind(py);
    let cut = errors.call_method1(intern!(py, "shortened"), (message,))?;
    cut.extract()
}

/// The exception for an error, recognisable where it tells of an index that a tensor does not have.
fn marked(py: Python<'_>, error: &Error, made: PyErr) -> PyResult<PyErr> {
    if error.payload().is_some_and(|p| p.is::<OutOfBounds>()) {
        made.value(py)
            .setattr(intern!(py, "_ferrograph_out_of_bounds"), true)?;
    }
    Ok(made)
}

/// The exception for a value that does not fit, which says for which parameter of which function it was given.
#[cold]
pub(crate) fn naming(value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    let named = hooks::hooks(py).and_then(|hooks| {
        let told = (error.value(py), value);
        hooks.name_argument.bind(py).call1(told).map(|_| ())
    });
    // What it was given for helps; the error is the same without.
    drop(named);
    error
}

/// Lines as they stand below the first one of a message.
#[cold]
pub(crate) fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("\n  {line}")).collect()
}

/// Turns core results into Python results.
pub(crate) trait IntoPyResult<T> {
    /// The same with the documented exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> IntoPyResult<T> for Result<T, Error> {
    #[inline]
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| to_py(py, &e))
    }
}

/// Runs core work; a panic in it becomes an internal error instead of crossing into Python, and work that was stopped
/// gives the exception that stopped it.
#[inline]
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if let Some(reason) = ferrograph_ops::stopped(&*panic) {
            hold_reserve();
            return Err(reason);
        }
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Error::new(
            ErrorKind::Internal,
            format!("a fault inside ferrograph, please report it: {text}"),
        ))
    })
}
