//! The native half of `Variable`: the handle and its reads and writes.

use crate::bridge;
use crate::emit::{emit_all, emit_one, to_val};
use crate::errors::IntoPyResult;
use crate::tensor::{PyTensor, wrap};
use ferrograph_graph::{OpRef, Val};
use ferrograph_ops::{AssignKind, AssignVariable, ReadVariableOp, VariableCell};
use ferrograph_runtime::is_tracing;
use ferrograph_tensor::{DType, Tensor, TensorSpec};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A handle to a variable's cell with what is known of its value.
#[pyclass(
    name = "VariableBase",
    module = "ferrograph._core",
    subclass,
    frozen,
    weakref,
    dict
)]
pub(crate) struct PyVariable {
    pub(crate) handle: Val,
    pub(crate) spec: TensorSpec,
    name: String,
    trainable: bool,
}

impl PyVariable {
    /// The value now: a read at this point of the program.
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Val> {
        let op: OpRef = Arc::new(ReadVariableOp::of(self.spec.clone()));
        emit_one(py, &op, std::slice::from_ref(&self.handle))
    }

    /// The dtype of that value.
    pub(crate) fn held_dtype(&self) -> DType {
        self.spec.dtype
    }
}

#[pymethods]
impl PyVariable {
    /// A new variable of that dtype and shape; with a handle, another object for that variable.
    #[new]
    #[pyo3(signature = (dtype, shape, name, trainable, handle=None))]
    fn new(
        dtype: &Bound<'_, PyAny>,
        shape: &Bound<'_, PyAny>,
        name: String,
        trainable: bool,
        handle: Option<PyRef<'_, PyTensor>>,
    ) -> PyResult<PyVariable> {
        let spec = TensorSpec::new(
            bridge::dtype_from_py(dtype)?,
            bridge::partial_shape_from_py(shape)?,
        );
        let handle = match handle {
            Some(tensor) => tensor.val.clone(),
            None => {
                let cell = VariableCell::new(name.clone(), spec.clone(), trainable);
                Val::eager(Tensor::from_object(DType::Resource, Arc::new(cell)))
            }
        };
        Ok(PyVariable {
            handle,
            spec,
            name,
            trainable,
        })
    }

    /// The resource tensor that refers to the variable.
    #[getter]
    fn handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        wrap(py, self.handle.clone())
    }

    /// The dtype of the value.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bridge::dtype_to_py(py, self.spec.dtype)
    }

    /// The declared shape.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bridge::partial_shape_to_py(py, &self.spec.shape)
    }

    /// Whether gradient tapes watch it by themselves.
    #[getter]
    fn trainable(&self) -> bool {
        self.trainable
    }

    /// The name as given.
    #[getter]
    fn _name(&self) -> &str {
        &self.name
    }

    /// What identifies the variable to tapes.
    #[getter]
    fn _id(&self) -> u64 {
        self.handle.key()
    }

    /// The value at this point of the program.
    fn _read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        wrap(py, self.read(py)?)
    }

    /// Changes the value: `kind` is "set", "add" or "sub".
    fn _assign(&self, py: Python<'_>, kind: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let kind = match kind {
            "set" => AssignKind::Set,
            "add" => AssignKind::Add,
            "sub" => AssignKind::Sub,
            other => {
                return Err(PyValueError::new_err(format!(
                    "there is no assignment {other}"
                )));
            }
        };
        let value = to_val(value, Some(self.spec.dtype))?;
        let op: OpRef = Arc::new(AssignVariable::of(kind));
        emit_all(py, &op, &[self.handle.clone(), value], None)?;
        Ok(())
    }

    /// Writes an eager tensor at once, also while a function is being traced.
    fn _initialise(&self, py: Python<'_>, value: PyRef<'_, PyTensor>) -> PyResult<()> {
        let tensor = value.val.expect_tensor().or_raise(py)?.clone();
        let handle = self.handle.expect_tensor().or_raise(py)?;
        VariableCell::of(handle)
            .and_then(|cell| cell.write(tensor))
            .or_raise(py)
    }

    /// Whether it has a value.
    fn _is_initialised(&self, py: Python<'_>) -> PyResult<bool> {
        let Some(handle) = self.handle.constant() else {
            return Ok(is_tracing());
        };
        Ok(VariableCell::of(&handle).or_raise(py)?.is_initialised())
    }
}
