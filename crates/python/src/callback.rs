//! Operations that run Python: `py_function` and `numpy_function`.

use crate::emit::to_val;
use crate::errors::{IntoPyResult, PyPayload, guarded};
use crate::hooks::{Hooks, hooks};
use crate::tensor::{PyTensor, wrap};
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Effect, Emitter, Grad, Grads, Inputs, Op, Runner, Specs,
    Tensors, Val, Vals, VjpCall, op_object,
};
use ferrograph_ops::emit::*;
use ferrograph_runtime::{emit_named, enter_eager};
use ferrograph_tensor::{DType, Error, ErrorKind, Object, Result, Tensor, TensorSpec, err};
use pyo3::exceptions::{
    PyException, PyNotImplementedError, PyStopIteration, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use std::any::Any;
use std::sync::Arc;

/// A Python object inside the core: a callback, or what one left for its gradient.
#[derive(Debug)]
pub(crate) struct HostObject(pub(crate) Py<PyAny>);

impl Object for HostObject {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Runs a Python function on its inputs. With `eager` it gets tensors, and gives one more output, which keeps what its
/// gradient needs; else it gets arrays and has no gradient.
#[derive(Debug)]
struct PyFunc {
    function: Arc<HostObject>,
    dtypes: Vec<DType>,
    eager: bool,
    stateful: bool,
}

/// The gradients of the inputs of a [`PyFunc`]: takes what it left, and the gradients of its outputs.
#[derive(Debug)]
struct PyFuncGrad {
    dtypes: Vec<DType>,
}

/// The core error for an exception in a callback, by the documented classes.
pub(crate) fn callback_error(py: Python<'_>, e: PyErr) -> Error {
    let kind = if e.is_instance_of::<PyValueError>(py) || e.is_instance_of::<PyTypeError>(py) {
        ErrorKind::InvalidArgument
    } else if e.is_instance_of::<PyStopIteration>(py) {
        ErrorKind::OutOfRange
    } else if e.is_instance_of::<PyNotImplementedError>(py) {
        ErrorKind::Unimplemented
    } else if e.is_instance_of::<PyException>(py) {
        ErrorKind::Unknown
    } else {
        ErrorKind::Cancelled
    };
    Error::foreign(kind, e.to_string(), Arc::new(PyPayload(e)))
}

/// Calls a hook with the interpreter lock held and operations computing at once; gives the tensors it returns and what
/// stands behind them.
fn call_hook(
    hook: fn(&Hooks) -> &Py<PyAny>,
    first: &Py<PyAny>,
    inputs: &[Tensor],
    dtypes: &[DType],
    eager: bool,
) -> Result<(Tensors, Option<Py<PyAny>>)> {
    Python::attach(|py| {
        let _level = enter_eager();
        let run = || -> PyResult<(Tensors, Option<Py<PyAny>>)> {
            let inputs = inputs
                .iter()
                .map(|t| wrap(py, Val::eager(t.clone())))
                .collect::<PyResult<Vec<_>>>()?;
            let dtypes = dtypes
                .iter()
                .map(|d| crate::bridge::dtype_to_py(py, *d))
                .collect::<PyResult<Vec<_>>>()?;
            let answer = hook(hooks(py)?)
                .bind(py)
                .call1((first, inputs, dtypes, eager))?;
            let (tensors, rest): (Vec<Bound<'_, PyTensor>>, Option<Py<PyAny>>) =
                answer.extract()?;
            let tensors = tensors
                .iter()
                .map(|t| t.get().val.expect_tensor().cloned())
                .collect::<Result<Tensors>>();
            Ok((tensors.or_raise(py)?, rest))
        };
        run().map_err(|e| callback_error(py, e))
    })
}

impl Op for PyFunc {
    op_object!();
    fn name(&self) -> &'static str {
        match (self.eager, self.stateful) {
            (true, _) => "EagerPyFunc",
            (false, true) => "PyFunc",
            (false, false) => "PyFuncStateless",
        }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("token", Attr::Object(self.function.clone()))
            .with("Tout", Attr::DTypes(self.dtypes.clone()))
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        let mut specs: Specs = self
            .dtypes
            .iter()
            .map(|d| TensorSpec::unknown(*d))
            .collect();
        if self.eager {
            specs.push(TensorSpec::scalar(DType::Variant));
        }
        Ok(specs)
    }
    fn effect(&self) -> Effect {
        if self.stateful {
            Effect::World
        } else {
            Effect::Pure
        }
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (mut outputs, left) = call_hook(
            |h| &h.run_callback,
            &self.function.0,
            inputs,
            &self.dtypes,
            self.eager,
        )?;
        if self.eager {
            let left = left.unwrap_or_else(|| Python::attach(|py| py.None()));
            outputs.push(Tensor::from_object(
                DType::Variant,
                Arc::new(HostObject(left)),
            ));
        }
        Ok(outputs)
    }
    fn differentiability(&self) -> Differentiability {
        if self.eager {
            Differentiability::Vjp
        } else {
            Differentiability::Stops
        }
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let mut inputs: Vec<Val> = call.outputs.last().cloned().into_iter().collect();
        for (i, dtype) in self
            .dtypes
            .iter()
            .enumerate()
            .filter(|(_, d)| d.is_differentiable())
        {
            inputs.push(match &call.grads[i] {
                Some(grad) => e.cast(grad, *dtype)?,
                None => e.zeros_like(&call.outputs[i])?,
            });
        }
        let sources = |val: &&Val| val.dtype().is_differentiable();
        let dtypes = call.inputs.iter().filter(sources).map(Val::dtype).collect();
        let mut found = e
            .emit(Arc::new(PyFuncGrad { dtypes }), &inputs)?
            .into_iter();
        let deal = |val: &Val| {
            val.dtype()
                .is_differentiable()
                .then(|| found.next().map(Grad::Dense))
                .flatten()
        };
        Ok(call.inputs.iter().map(deal).collect())
    }
}

impl Op for PyFuncGrad {
    op_object!();
    fn name(&self) -> &'static str {
        "EagerPyFuncGrad"
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(self
            .dtypes
            .iter()
            .map(|d| TensorSpec::unknown(*d))
            .collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let left = inputs[0].as_object()?;
        let left = left.as_any().downcast_ref::<HostObject>();
        let left = left.ok_or_else(|| {
            err!(
                InvalidArgument,
                "a py_function left nothing for its gradient"
            )
        })?;
        Ok(call_hook(
            |h| &h.callback_gradient,
            &left.0,
            &inputs[1..],
            &self.dtypes,
            true,
        )?
        .0)
    }
}

/// Emits a call of a Python function on tensors (`eager`) or arrays; gives its results.
#[pyfunction]
pub(crate) fn emit_callback<'py>(
    py: Python<'py>,
    function: Py<PyAny>,
    inputs: &Bound<'py, PyAny>,
    dtypes: Vec<Bound<'py, PyAny>>,
    eager: bool,
    stateful: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let dtypes = dtypes
        .iter()
        .map(crate::bridge::dtype_from_py)
        .collect::<PyResult<Vec<_>>>()?;
    let n = dtypes.len();
    let mut vals = Vals::new();
    for input in inputs.try_iter()? {
        vals.push(to_val(&input?, None)?);
    }
    let op = Arc::new(PyFunc {
        function: Arc::new(HostObject(function)),
        dtypes,
        eager,
        stateful,
    });
    let outputs = guarded(|| emit_named(op, &vals, None)).or_raise(py)?;
    outputs.into_iter().take(n).map(|v| wrap(py, v)).collect()
}

/// Lets loops notice a pending interrupt (Ctrl-C).
pub(crate) fn check_interrupt() -> Result<()> {
    Python::attach(|py| py.check_signals().map_err(|e| callback_error(py, e)))
}
