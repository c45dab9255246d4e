//! What only tensors of a graph being traced can, and what they refuse.

use super::PySymbolic;
use crate::hooks::hooks;
use pyo3::prelude::*;
use pyo3::types::PyDict;

impl PySymbolic {
    fn refuse<T>(slf: &Bound<'_, Self>, what: &str) -> PyResult<T> {
        Err(slf.as_super().get().not_in_graph(slf.py(), what))
    }
}

#[pymethods]
impl PySymbolic {
    /// The shape as far as known, a TensorShape.
    fn get_shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().shape(slf.py())
    }

    fn __int__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "int()")
    }

    fn __float__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "float()")
    }

    fn __complex__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "complex()")
    }

    fn __index__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "Using a tensor as a Python index")
    }

    /// The operation that gives this tensor.
    #[getter]
    fn op<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.operation_of.bind(slf.py()).call1((slf,))
    }

    /// The graph this tensor belongs to.
    #[getter]
    fn graph<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.graph_of.bind(slf.py()).call1((slf,))
    }

    /// Which of the outputs of its operation it is.
    #[getter]
    fn value_index(slf: &Bound<'_, Self>) -> PyResult<usize> {
        let name = slf.as_super().get().name()?;
        let index = name.rsplit_once(':').and_then(|(_, i)| i.parse().ok());
        index.ok_or_else(|| pyo3::exceptions::PyValueError::new_err(name))
    }

    /// The operations of its graph that take it.
    fn consumers<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let name = slf.as_super().get().name()?;
        PySymbolic::graph(slf)?.call_method1("_consumers", (name,))
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array__(
        slf: &Bound<'_, Self>,
        _args: &Bound<'_, pyo3::types::PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Err(pyo3::exceptions::PyNotImplementedError::new_err(format!(
            "Cannot convert a symbolic tensor ({}) to a numpy array: it has no value while the function is traced. \
             Use an operation of ferrograph instead of NumPy's, or numpy_function",
            slf.as_super().get().name()?
        )))
    }
}
