//! Operations that run Python: `py_function` and `numpy_function`.

use crate::emit::to_val;
use crate::errors::{IntoPyResult, PyPayload, guarded};
use crate::hooks::{Hooks, hooks};
use crate::tensor::{PyTensor, wrap};
use ferrograph_graph::{
    Effect, Emitter, Grad, Grads, Inputs, Op, Runner, Specs, Tensors, Val, Vals, VjpCall, declared,
    of_family,
};
use ferrograph_ops::{Iteration, emit::*};
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

/// Callbacks are made by their function, not by name: what registers them and what emits them by their declaration is
/// not called.
#[allow(dead_code)]
mod declared {
    use ferrograph_graph::{declare, declare_family};
    use ferrograph_tensor::{DType, Object};
    use std::sync::Arc;

    pub(super) mod call {
        use super::*;
        declare_family! {
            trait EmitPyFunc;

            /// Runs a Python function on its inputs.
            PyFunc {
                /// It gets tensors, and one more output keeps what its gradient needs; else it gets arrays.
                eager: bool,
                /// Whether it has an external effect.
                stateful: bool,
            } (input: [Tin]) -> (output: [Tout]) {
                /// The function.
                token: Arc<dyn Object>,
                /// The dtypes of its results.
                dtypes as "Tout": Vec<DType>,
            };

            /// What a Python function gives for the tensors `input`, and what its gradient needs.
            EagerPyFunc: eager_py_func, gradient Vjp, effect World { eager: true, stateful: true };
            /// What a Python function gives for the arrays `input`.
            PyFunc: py_func, gradient Stops, effect World { eager: false, stateful: true };
            /// What a Python function without effects gives for the arrays `input`.
            PyFuncStateless: py_func_stateless, gradient Stops { eager: false, stateful: false };
        }
    }

    pub(super) mod grad {
        use super::*;
        declare! {
            trait EmitPyFuncGrad;

            /// The gradients of the inputs of an `EagerPyFunc` by what it left and the gradients of its outputs.
            EagerPyFuncGrad: eager_py_func_grad(left: variant, gradients: [Tin])
                -> (output: [Tout]), gradient Missing {
                /// The dtypes of the gradients.
                dtypes as "Tout": Vec<DType>,
            };
        }
    }
}
use declared::call::PyFunc;
use declared::grad::EagerPyFuncGrad;

impl PyFunc {
    /// A call of that function.
    fn of(function: HostObject, dtypes: Vec<DType>, eager: bool, stateful: bool) -> PyFunc {
        let decl = match (eager, stateful) {
            (true, _) => PyFunc::EagerPyFunc,
            (false, true) => PyFunc::PyFunc,
            (false, false) => PyFunc::PyFuncStateless,
        };
        PyFunc {
            decl,
            eager,
            stateful,
            token: Arc::new(function),
            dtypes,
        }
    }
}

/// The Python object that the core keeps.
pub(crate) fn host(object: &dyn Object) -> Result<&Py<PyAny>> {
    let object = object.as_any().downcast_ref::<HostObject>();
    let object = object.ok_or_else(|| err!(InvalidArgument, "no Python object was kept"))?;
    Ok(&object.0)
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
        let _back = Iteration::leave();
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
    of_family!();
    /// A function of Python may be called by any thread at any time: what order it needs among its calls is its own.
    fn commutes(&self) -> bool {
        true
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
            host(&*self.token)?,
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
            .emit(Arc::new(EagerPyFuncGrad { dtypes }), &inputs)?
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

impl Op for EagerPyFuncGrad {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(self
            .dtypes
            .iter()
            .map(|d| TensorSpec::unknown(*d))
            .collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let left = inputs[0].as_object()?;
        let left = host(&**left)?;
        Ok(call_hook(
            |h| &h.callback_gradient,
            left,
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
    let op = Arc::new(PyFunc::of(HostObject(function), dtypes, eager, stateful));
    let outputs = guarded(|| emit_named(op, &vals, None)).or_raise(py)?;
    outputs.into_iter().take(n).map(|v| wrap(py, v)).collect()
}
