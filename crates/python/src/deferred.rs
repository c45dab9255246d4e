//! Values whose gradient is a Python function that runs when the gradient is taken.

use crate::callback::{HostObject, host};
use crate::emit::{as_val, to_val};
use crate::errors::{IntoPyResult, guarded, interrupted};
use crate::tensor::wrap;
use crate::variable::PyVariable;
use declared::DeferredGradient;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, Val, VjpCall, declared as declared_op,
};
use ferrograph_ops::emit::*;
use ferrograph_runtime::emit_named;
use ferrograph_tensor::{Result, Tensor, bail};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Made by its function, not by name, as callbacks are.
#[allow(dead_code)]
mod declared {
    use ferrograph_graph::declare;
    use ferrograph_tensor::Object;
    use std::sync::Arc;

    declare! {
        trait EmitDeferredGradient;

        /// The first of `input` (the results) as they are. What a Python function makes of their gradients are those of
        /// the arguments, which come next among `input`.
        DeferredGradient as "IdentityN": deferred_gradient(input: [T]) -> (output: [T]), gradient Vjp {
            /// The function: a list of gradients to a list of gradients, None where there is none.
            token: Arc<dyn Object>,
            /// How many results there are.
            n_results: usize,
        };
    }
}

impl DeferredGradient {
    /// What the function gives for the gradients of the results.
    fn gradients(&self, py: Python<'_>, upstream: Vec<Val>) -> PyResult<Vec<Option<Val>>> {
        let function = host(&*self.token).or_raise(py)?.bind(py);
        let wrapped = upstream.into_iter().map(|v| wrap(py, v));
        let found = function.call1((wrapped.collect::<PyResult<Vec<_>>>()?,))?;
        let gradient = |found: PyResult<Bound<'_, PyAny>>| {
            let found = found?;
            match as_val(&found)? {
                None if !found.is_none() => Err(PyTypeError::new_err(format!(
                    "a gradient is a tensor or None, got {found}"
                ))),
                gradient => Ok(gradient),
            }
        };
        found.try_iter()?.map(gradient).collect()
    }
}

impl Op for DeferredGradient {
    declared_op!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if inputs.len() < self.n_results {
            bail!(Value, "there are more results than inputs");
        }
        let results = 0..self.n_results;
        Ok(results.map(|i| inputs.spec(i).clone()).collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(inputs[..self.n_results].iter().cloned().collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let mut upstream: Vec<Val> = Vec::new();
        for (output, grad) in call.outputs.iter().zip(call.grads) {
            upstream.push(match grad {
                Some(grad) => grad.clone(),
                None => e.zeros_like(output)?,
            });
        }
        let found = Python::attach(|py| self.gradients(py, upstream).map_err(interrupted))?;
        if found.len() + self.n_results != call.inputs.len() {
            bail!(Internal, "{} gradients were given", found.len());
        }
        let results = (0..self.n_results).map(|_| None);
        Ok(results
            .chain(found.into_iter().map(|g| g.map(Into::into)))
            .collect())
    }
}

/// Gives the results as they are, with the gradient that `function` makes of theirs when it is asked for: it takes a list
/// of tensors and gives one gradient, or None, for each of the arguments.
#[pyfunction]
pub(crate) fn emit_deferred_gradient<'py>(
    py: Python<'py>,
    results: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
    function: Py<PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut vals = Vec::new();
    for result in results.try_iter()? {
        vals.push(to_val(&result?, None)?);
    }
    let n_results = vals.len();
    for arg in args.try_iter()? {
        let arg = arg?;
        vals.push(match arg.cast::<PyVariable>() {
            Ok(v) => v.get().handle.clone(),
            Err(_) => to_val(&arg, None)?,
        });
    }
    let token = Arc::new(HostObject(function));
    let op = Arc::new(DeferredGradient { token, n_results });
    let outputs = guarded(|| emit_named(op, &vals, None)).or_raise(py)?;
    outputs.into_iter().map(|v| wrap(py, v)).collect()
}
