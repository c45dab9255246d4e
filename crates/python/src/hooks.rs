//! What the Python front end lends the native side: classes and functions, registered once at import.

use ferrograph_allocator::hold_reserve;
use ferrograph_tensor::ErrorKind;
use pyo3::exceptions::{PyImportError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::sync::Arc;

macro_rules! hooks {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One field an object, under the name it is registered by.
        pub(crate) struct Hooks { $($(#[$doc])* pub(crate) $name: Py<PyAny>,)* }

        impl Hooks {
            fn read(found: &Bound<'_, PyDict>) -> PyResult<Hooks> {
                Ok(Hooks { $($name: required(found, stringify!($name))?,)* })
            }
        }
    };
}

hooks! {
    /// The module of the error classes.
    errors,
    /// `repr` of a tensor.
    repr,
    /// `str` of a tensor.
    str,
    /// `format` of a tensor.
    format,
    /// `tensor[key]` for the keys that are not plain.
    getitem,
    /// The rows of a tensor, one after the other.
    rows,
    /// A sequence with tensors in it as one tensor.
    pack,
    /// A value in the plain form of an attribute's kind.
    attribute,
    /// Says in an exception for which parameter of the function called from outside a value was given.
    name_argument,
    /// The key that represents a tensor in dictionaries.
    tensor_ref,
    /// The graph of a symbolic tensor.
    graph_of,
    /// The operation that gives a symbolic tensor.
    operation_of,
    /// What an argument of no plain type is to a signature.
    classify,
    /// A structure with other children.
    rebuild,
    /// A value of a trace type made of placeholders.
    typed_placeholder,
    /// Replaces a part of a variable.
    assign_part,
    /// A variable over another handle.
    variable_from_handle,
    /// The error of a call that does not fit the parameters.
    binding_error,
    /// Writes text to a stream of Python.
    print_sink,
    /// Hears of a trace that is called while another one is made.
    called_while_tracing,
    /// Leaves the front end's own frames out of a traceback.
    show_users_frames,
    /// Hears of an operator of a symbolic scalar that fails for some numbers of Python.
    divided,
    /// Whether an operator of a symbolic tensor leaves it to what stands beside it what it does.
    stands_apart,
    /// The result of an operator of a symbolic tensor as NumPy's promotion has it; `None` where it is the plain one.
    numpy_operator,
    /// The same of an augmented assignment; `NotImplemented` where it is left to the plain operator.
    numpy_in_place,
    /// Hears of an operator that takes a symbolic tensor of bools for bools.
    taken_for_truth,
    /// Two operands of different dtypes, one of which represents a number that takes the other's; `None` of others.
    weakened,
    /// Runs a callback on tensors.
    run_callback,
    /// Takes the gradient of a callback.
    callback_gradient,
}

static HOOKS: PyOnceLock<Hooks> = PyOnceLock::new();

/// Registers objects of the front end by name; called once at import.
///
/// # Errors
/// `RuntimeError` where one is missing, `ImportError` where there are some from before.
#[pyfunction]
pub(crate) fn register_hooks(hooks: &Bound<'_, PyDict>) -> PyResult<()> {
    hold_reserve();
    if HOOKS.set(hooks.py(), Hooks::read(hooks)?).is_err() {
        return Err(PyImportError::new_err(
            "ferrograph is imported once in a process: its modules cannot be imported anew after they were taken out of \
             sys.modules, nor in a second interpreter; start another process for that",
        ));
    }
    crate::tensor::in_place::install(hooks.py());
    ferrograph_ops::set_print_sink(Some(Arc::new(print)));
    ferrograph_data::set_passage(crate::fork::beside);
    ferrograph_ops::set_interrupt_check(crate::yield_gil::check_interrupt);
    ferrograph_runtime::set_warning(warn);
    ferrograph_ops::set_waiting(|work| Python::attach(|py| py.detach(work)));
    Ok(())
}

fn required(hooks: &Bound<'_, PyDict>, name: &str) -> PyResult<Py<PyAny>> {
    match hooks.get_item(name)? {
        Some(found) => Ok(found.unbind()),
        None => Err(PyRuntimeError::new_err(format!(
            "hook {name} is not registered"
        ))),
    }
}

/// The registered objects.
///
/// # Errors
/// `RuntimeError` before the front end is imported.
#[inline]
pub(crate) fn hooks(py: Python<'_>) -> PyResult<&'static Hooks> {
    crate::exit::enter(py);
    HOOKS
        .get(py)
        .ok_or_else(|| PyRuntimeError::new_err("ferrograph is not fully imported yet"))
}

/// Prints through Python's own streams, so that they can be redirected as usual.
fn print(stream: &str, text: &[u8]) -> ferrograph_tensor::Result<()> {
    let text = String::from_utf8_lossy(text);
    let done = Python::attach(|py| {
        let sink = hooks(py)?.print_sink.bind(py);
        sink.call1((stream, text.as_ref())).map(|_| ())
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

/// Warns by the package's logger.
fn warn(text: &str) {
    Python::attach(|py| {
        let warned = py.import("logging").and_then(|logging| {
            let logger = logging.call_method1("getLogger", ("ferrograph",))?;
            logger.call_method1("warning", ("%s", text))
        });
        if let Err(e) = warned {
            e.write_unraisable(py, None);
        }
    });
}

/// The class of that name in `ferrograph.errors`.
pub(crate) fn error_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    hooks(py)?.errors.bind(py).getattr(name)
}
